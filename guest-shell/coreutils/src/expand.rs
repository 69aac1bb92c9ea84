//! `expand`.

use crate::base::tab_stops::{Stops, stops};
use sandshell_cli::input::{self, Input};
use sandshell_cli::options::{self, Spec, hidden, option};
use sandshell_cli::out;
use sandshell_sys as sys;
use std::ffi::OsString;

/// Runs `expand` and returns its exit status.
pub fn expand_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "expand",
        usage: "\
Usage: expand [OPTION]... [FILE]...
Replaces tabs by as many spaces as they are wide.

",
        options: &[
            option("-i, --initial", "only those at the beginning of a line"),
            option(
                "-t, --tabs=LIST",
                "tab stops at these columns, of a lone N every N columns, instead of every 8;\n'/N' or '+N' at the end says how it goes on",
            ),
            hidden("", "-0[X], -1[X], -2[X], -3[X], -4[X], -5[X], -6[X], -7[X], -8[X], -9[X]"),
        ],
        ..Spec::DEFAULT
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
