//! `unexpand`.

use crate::base::tab_stops::{Stops, stops};
use sandshell_cli::input::{self, Input};
use sandshell_cli::options::{self, Spec, hidden, named, option};
use sandshell_cli::out;
use sandshell_sys as sys;
use std::ffi::OsString;

/// Runs `unexpand` and returns its exit status.
pub fn unexpand_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "unexpand",
        usage: "\
Usage: unexpand [OPTION]... [FILE]...
Replaces runs of blanks at the beginning of a line by tabs where they reach tab stops.

",
        options: &[
            option("-a, --all", "runs in the rest of the line as well"),
            named("first", "--first-only", "only at the beginning, even with -t"),
            option(
                "-t, --tabs=LIST",
                "tab stops at these columns, of a lone N every N columns, instead of every 8;\n'/N' or '+N' at the end says how it goes on; also means -a",
            ),
            hidden("", "-0[X], -1[X], -2[X], -3[X], -4[X], -5[X], -6[X], -7[X], -8[X], -9[X]"),
        ],
        ..Spec::DEFAULT
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let has = |id: &str| parsed.options.iter().any(|g| g.id == id);
    let all = (has("a") || has("t")) && !has("first");
    let stops = match stops("unexpand", &parsed.options) {
        Ok(stops) => stops,
        Err(code) => return code,
    };
    let code = input::each("unexpand", &parsed.operands, |_, input| unexpand(input, &stops, all));
    out::finish("unexpand", code, 1)
}

fn unexpand(input: &mut Input, stops: &Stops, all: bool) -> sys::Result<()> {
    let mut more = true;
    while more && out::failure().is_none() {
        more = unexpand_line(input, stops, all)?;
    }
    Ok(())
}

/// Converts one line. Returns false at the end of the file.
fn unexpand_line(input: &mut Input, stops: &Stops, all: bool) -> sys::Result<bool> {
    let (mut convert, mut column, mut previous_blank, mut one_before_stop) = (true, 0u64, true, false);
    // Blanks that a tab may still replace.
    let mut pending: Vec<u8> = Vec::new();
    loop {
        let read = input.byte()?;
        let mut c = read.unwrap_or(b'\n');
        if convert {
            let blank = read.is_some() && matches!(c, b' ' | b'\t');
            if blank {
                let next = stops.after(column);
                convert = next.is_some();
                if let Some(next) = next {
                    if c == b'\t' {
                        column = next;
                        if let Some(first) = pending.first_mut() {
                            *first = b'\t';
                        }
                    } else {
                        column += 1;
                        if !(previous_blank && column == next) {
                            one_before_stop |= column == next;
                            pending.push(c);
                            previous_blank = true;
                            continue;
                        }
                        c = b'\t';
                        match pending.first_mut() {
                            Some(first) => *first = b'\t',
                            None => pending.push(b'\t'),
                        }
                    }
                    pending.truncate(usize::from(one_before_stop));
                }
            } else if c == 8 {
                column = column.saturating_sub(1);
            } else {
                column += 1;
            }
            if !pending.is_empty() {
                if pending.len() > 1 && one_before_stop {
                    pending[0] = b'\t';
                }
                out::put(&pending);
                pending.clear();
                one_before_stop = false;
            }
            previous_blank = blank;
            convert &= all || blank;
        }
        if read.is_none() {
            return Ok(false);
        }
        out::put([c]);
        if c == b'\n' {
            return Ok(true);
        }
    }
}
