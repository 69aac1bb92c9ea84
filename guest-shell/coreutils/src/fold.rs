//! `fold`: like GNU's, it counts columns in bytes.

use sandshell_cli::input::{self, Input};
use sandshell_cli::options::{self, Spec, hidden, option};
use sandshell_cli::{number, out};
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "fold",
    usage: "\
Usage: fold [OPTION]... [FILE]...
Breaks lines that are longer than 80 columns.

",
    options: &[
        option("-b, --bytes", "count bytes; else tabs, backspaces and carriage returns move the column"),
        option("-s, --spaces", "break at blanks where there are any"),
        option("-w, --width=WIDTH", "lines of WIDTH (80) columns"),
        hidden("", "-0[X], -1[X], -2[X], -3[X], -4[X], -5[X], -6[X], -7[X], -8[X], -9[X]"),
    ],
    ..Spec::DEFAULT
};

struct Fold {
    bytes: bool,
    spaces: bool,
    width: u64,
}

/// Runs `fold` and returns its exit status.
pub fn fold_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut fold = Fold { bytes: false, spaces: false, width: 80 };
    for g in &parsed.options {
        match g.id {
            "b" => fold.bytes = true,
            "s" => fold.spaces = true,
            id => {
                // `-80` is another way to give the width.
                let text = if id == "w" { g.text().to_vec() } else { [id.as_bytes(), g.text()].concat() };
                fold.width =
                    number::in_range("fold", "invalid number of columns", &text, "", 1, u64::MAX - 9)?;
            }
        }
    }
    let code = input::each("fold", &parsed.operands, |_, input| fold.file(input));
    Ok(out::finish("fold", code, 1))
}

impl Fold {
    fn after(&self, column: u64, c: u8) -> u64 {
        match c {
            _ if self.bytes => column + 1,
            8 => column.saturating_sub(1),
            b'\r' => 0,
            b'\t' => column + 8 - column % 8,
            _ => column + 1,
        }
    }

    fn file(&self, input: &mut Input) -> sys::Result<()> {
        let mut line: Vec<u8> = Vec::new();
        let mut column = 0;
        while let Some(c) = input.byte()? {
            if c == b'\n' {
                line.push(c);
                out::put(&line);
                line.clear();
                column = 0;
                if out::failure().is_some() {
                    break;
                }
                continue;
            }
            loop {
                column = self.after(column, c);
                if column <= self.width {
                    break;
                }
                let blank = line.iter().rposition(|b| matches!(b, b' ' | b'\t')).filter(|_| self.spaces);
                if let Some(blank) = blank {
                    out::put(&line[..=blank]);
                    out::put("\n");
                    line.drain(..=blank);
                    column = line.iter().fold(0, |column, b| self.after(column, *b));
                    continue;
                }
                if line.is_empty() {
                    break;
                }
                line.push(b'\n');
                out::put(&line);
                line.clear();
                column = 0;
            }
            line.push(c);
        }
        out::put(&line);
        Ok(())
    }
}
