//! `rev`: reverses lines.

use crate::text;
use sandshell_cli::input::{Input, chomp};
use sandshell_cli::options::{Parsed, Spec, listed};
use sandshell_cli::out;
use sandshell_cli::warn;
use sandshell_posix::characters;

const HELP: &str = "\
Usage: rev [options] [file ...]

Writes each line from its end to its beginning.

 -h, --help     this text
 -V, --version  the version

Example: cut the last field off with `rev | cut -d/ -f2- | rev`
";

const SPEC: Spec = Spec { name: "rev", options: &[listed(HELP)], ..Spec::DEFAULT };

/// Runs `rev` and returns its exit status.
pub fn rev_main(args: Vec<Vec<u8>>) -> i32 {
    run(&args).unwrap_or_else(|code| code)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let Parsed { options, operands } = SPEC.parse(args.get(1..).unwrap_or_default())?;
    if let Some(g) = options.first() {
        return Ok(if g.id == "h" { text::print("rev", HELP) } else { text::version("rev") });
    }
    let mut code = 0;
    if operands.is_empty() {
        code |= file(b"stdin", Input::of(0));
    }
    for name in &operands {
        match sandshell_sys::open(name, sandshell_sys::open_flags::READ, 0) {
            Ok(fd) => code |= file(name, Input::of(fd)),
            Err(e) => {
                warn!("rev", "cannot open ", name, ": ", e);
                code = 1;
            }
        }
    }
    Ok(out::finish("rev", code, 1))
}

/// Prints the reversed lines of a file, up to invalid UTF-8. In a line with a NUL, everything from the NUL on is lost,
/// even the newline.
fn file(name: &[u8], mut input: Input) -> i32 {
    let mut record = Vec::new();
    let mut text = Vec::new();
    let mut reversed = Vec::new();
    let mut number = 0u64;
    loop {
        let more = match input.record(b'\n', &mut record) {
            Ok(more) => more,
            Err(e) => {
                warn!("rev", name, ": ", number, ": ", e);
                return 1;
            }
        };
        if !more && text.is_empty() {
            return 0;
        }
        let nul = record.iter().position(|b| *b == 0).filter(|_| more);
        text.extend_from_slice(match more {
            true => record.get(..nul.unwrap_or(record.len())).unwrap_or_default(),
            false => &[],
        });
        if nul.is_some() {
            continue;
        }
        let (line, ended) = chomp(&text, b'\n');
        reversed.clear();
        if line.is_ascii() {
            reversed.extend(line.iter().rev());
        } else {
            let characters: Vec<_> = characters::characters(line).collect();
            if characters.iter().any(|(_, c)| c.is_none()) {
                warn!("rev", name, ": ", number, ": Invalid or incomplete multibyte or wide character");
                return 1;
            }
            characters.iter().rev().for_each(|(bytes, _)| reversed.extend_from_slice(bytes));
        }
        if ended {
            reversed.push(b'\n');
        }
        out::put(&reversed);
        text.clear();
        number += 1;
        if out::failure().is_some() {
            return 1;
        }
    }
}
