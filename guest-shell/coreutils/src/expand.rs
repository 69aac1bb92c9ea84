//! `expand`.

use crate::base::tab_stops::{Stops, stops};
use sandshell_cli::input::{self, Input};
use sandshell_cli::options::{self, Spec, Value::*};
use sandshell_cli::out;
use sandshell_sys as sys;
use std::ffi::OsString;

/// `expand`.
pub fn expand_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "expand",
        short: "it:0::1::2::3::4::5::6::7::8::9::",
        long: &[("tabs", Yes, "t"), ("initial", No, "i")],
        failure: 1,
        help: "\
Usage: expand [OPTION]... [FILE]...
Replaces tabs by as many spaces as they are wide.

  -i, --initial    only those at the beginning of a line
  -t, --tabs=N     a tab stop every N columns instead of 8
  -t, --tabs=LIST  tab stops at these columns; '/N' or '+N' at the end says how it goes on
",
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let initial = parsed.options.iter().any(|g| g.id == "i");
    let stops = match stops("expand", &parsed.options) {
        Ok(stops) => stops,
        Err(code) => return code,
    };
    let code = input::each("expand", &parsed.operands, |_, input| expand(input, &stops, initial));
    out::finish("expand", code, 1)
}

fn expand(input: &mut Input, stops: &Stops, initial: bool) -> sys::Result<()> {
    let (mut column, mut convert) = (0u64, true);
    let mut line = Vec::new();
    while let Some(c) = input.byte()? {
        match c {
            b'\n' => {
                line.push(c);
                out::put(&line);
                line.clear();
                (column, convert) = (0, true);
                if out::failure().is_some() {
                    return Ok(());
                }
                continue;
            }
            b'\t' if convert => {
                let next = stops.after(column).unwrap_or(column + 1);
                line.resize(line.len() + (next - column) as usize, b' ');
                column = next;
                continue;
            }
            8 => column = column.saturating_sub(1),
            _ => column += 1,
        }
        if initial && !matches!(c, b' ' | b'\t') {
            convert = false;
        }
        line.push(c);
    }
    out::put(line);
    Ok(())
}
