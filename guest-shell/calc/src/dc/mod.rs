//! GNU `dc` 1.4.1.

mod machine;
mod value;

use crate::out::{Out, line_length, say};
use crate::source::Source;
use machine::{Machine, Next};
use sandshell_cli::arguments::{Arg, Long, Value};
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

const LONG: &[Long] = &[
    ("expression", Value::Required, b'e' as u32),
    ("file", Value::Required, b'f' as u32),
    ("help", Value::None, b'h' as u32),
    ("version", Value::None, b'V' as u32),
];

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
    let (parsed, wrong) = sandshell_cli::arguments::parse(args, "hVe:f:", LONG, true);
    let mut did = false;
    let mut files = Vec::new();
    for arg in parsed {
        let (id, value) = match arg {
            Arg::Operand(file) => {
                files.push(file);
                continue;
            }
            Arg::Option(id, value, _) => (u8::try_from(id).unwrap_or_default(), value.unwrap_or_default()),
        };
        match id {
            b'h' => {
                machine.out.raw(USAGE.as_bytes());
                return 0;
            }
            b'V' => {
                machine.out.raw(VERSION.as_bytes());
                return 0;
            }
            b'e' => {
                did = true;
                if machine.run_text(value) == Next::Quit {
                    return 0;
                }
            }
            _ => {
                did = true;
                if let Some(status) = run_file(&value, machine) {
                    return status;
                }
            }
        }
    }
    if let Some(text) = wrong {
        say(&[b"dc: ", text.as_slice(), b"\n", USAGE.as_bytes()].concat());
        return 1;
    }
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
