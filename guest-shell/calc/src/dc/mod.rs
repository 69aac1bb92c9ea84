//! GNU `dc` 1.4.1.

mod machine;
mod value;

use crate::out::{Out, line_length, say};
use crate::source::Source;
use machine::{Machine, Next};
use sandshell_cli::options::{Order, Spec, listed};
use sandshell_sys as sys;

const USAGE: &str = "\
Usage: dc [OPTION] [file ...]
Calculates in reverse Polish notation what the options, the files, or else standard input say.

  -e, --expression=EXPR    run EXPR
  -f, --file=FILE          run FILE, or standard input for `-`
  -h, --help               this text
  -V, --version            the version

Example: dc -e '2 3 + p'
";

const VERSION: &str =
    "dc (GNU bc 1.07.1) 1.4.1\nThis is sandshell's own program with the behaviour of that version.\n";

const SPEC: Spec = Spec { name: "dc", order: Order::InPlace, options: &[listed(USAGE)], ..Spec::DEFAULT };

/// Runs `dc`. Returns 0, or 1 if an option is invalid or a file quits.
pub fn dc_main(args: Vec<Vec<u8>>) -> i32 {
    let width = match line_length("DC_LINE_LENGTH", 70) {
        0 | 1 => 0,
        n => n + 1,
    };
    let mut machine = Machine::new(Out::new(width));
    let status = run(args.get(1..).unwrap_or_default(), &mut machine);
    if machine.out.finish() { status } else { 1 }
}

fn run(args: &[Vec<u8>], machine: &mut Machine) -> i32 {
    let parsed = match SPEC.parse_all(args) {
        Ok(parsed) => parsed,
        Err(status) => return status,
    };
    let mut did = false;
    let mut files = Vec::new();
    for given in parsed.options {
        match given.id {
            "" => files.extend(given.value),
            "h" => {
                machine.out.raw(USAGE.as_bytes());
                return 0;
            }
            "V" => {
                machine.out.raw(VERSION.as_bytes());
                return 0;
            }
            "e" => {
                did = true;
                if machine.run_text(given.value.unwrap_or_default()) == Next::Quit {
                    return 0;
                }
            }
            "f" => {
                did = true;
                if let Some(status) = run_file(given.text(), machine) {
                    return status;
                }
            }
            _ => {
                say(&[b"dc: ", given.text(), b"\n", USAGE.as_bytes()].concat());
                return 1;
            }
        }
    }
    files.extend(parsed.operands);
    for file in &files {
        did = true;
        if let Some(status) = run_file(file, machine) {
            return status;
        }
    }
    if !did && machine.run_stdin() == Next::Quit {
        return 1;
    }
    0
}

// Runs a file. Returns the exit status if the program ends. A file that cannot be read is skipped.
fn run_file(name: &[u8], machine: &mut Machine) -> Option<i32> {
    if name == b"-" {
        return (machine.run_stdin() == Next::Quit).then_some(1);
    }
    let flags = sys::open_flags::READ | sys::open_flags::CLOEXEC;
    let Ok(fd) = sys::open(name, flags, 0) else {
        say(&[b"dc: Could not open file ", name, b"\n"].concat());
        return None;
    };
    if sys::fstat(fd).is_ok_and(|s| s.is_dir()) {
        let _ = sys::close(fd);
        say(&[b"dc: Will not attempt to process directory ", name, b"\n"].concat());
        return None;
    }
    let mut source = Source::new(fd);
    let next = machine.run_source(&mut source);
    source.close();
    (next == Next::Quit).then_some(1)
}
