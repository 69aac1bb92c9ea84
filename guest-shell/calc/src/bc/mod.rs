//! GNU `bc` 1.07.1.

mod code;
mod diag;
mod lexer;
mod machine;
mod mathlib;
mod names;
mod parser;

use crate::out::{Out, line_length, say};
use diag::Place;
use lexer::Lexer;
use machine::Machine;
use names::Names;
use parser::{Line, Parser};
use sandshell_cli::arguments::{Arg, Long, Value};
use sandshell_sys as sys;

const USAGE: &str = "\
usage: bc [options] [file ...]
Calculates what the files say, and then what standard input says, to as many digits as are wanted.

  -l  --mathlib      with s, c, a, l, e and j, and 20 digits behind the point
  -s  --standard     only what POSIX describes
  -w  --warn         tell of what POSIX does not describe
  -i  --interactive  as on a terminal
  -q  --quiet        no first lines on a terminal
  -h  --help         this text
  -v  --version      the version

Example: echo 'scale=5; 22/7' | bc
";

const VERSION: &str = "bc 1.07.1\n";

const WARRANTY: &str = "\nbc 1.07.1\n\nThis is sandshell's own program. It comes without a warranty.\n\n";

const LIMITS: &str = "BC_BASE_MAX     = 2147483647
BC_DIM_MAX      = 16777215
BC_SCALE_MAX    = 2147483647
BC_STRING_MAX   = 2147483647
MAX Exponent    = 9223372036854775807
Number of vars  = 32767
";

const LONG: &[Long] = &[
    ("compile", Value::None, b'c' as u32),
    ("help", Value::None, b'h' as u32),
    ("interactive", Value::None, b'i' as u32),
    ("mathlib", Value::None, b'l' as u32),
    ("quiet", Value::None, b'q' as u32),
    ("standard", Value::None, b's' as u32),
    ("version", Value::None, b'v' as u32),
    ("warn", Value::None, b'w' as u32),
];

#[derive(Default)]
struct Options {
    interactive: bool,
    mathlib: bool,
    quiet: bool,
    standard: bool,
    warn: bool,
    files: Vec<Vec<u8>>,
}

/// Runs `bc`. Returns 0, even after errors in the program, or 1 after an invalid option or an error with a file.
pub fn bc_main(args: Vec<Vec<u8>>) -> i32 {
    let standard = std::env::var_os("POSIXLY_CORRECT").is_some();
    let mut options = Options { standard, ..Options::default() };
    if let Some(more) = std::env::var_os("BC_ENV_ARGS") {
        let words: Vec<Vec<u8>> = more
            .into_encoded_bytes()
            .split(|b| *b == b' ')
            .filter(|w| !w.is_empty())
            .map(<[u8]>::to_vec)
            .collect();
        if let Err(status) = read_options(&words, &mut options) {
            return status;
        }
    }
    if let Err(status) = read_options(args.get(1..).unwrap_or_default(), &mut options) {
        return status;
    }
    let mut out = Out::new(match line_length("BC_LINE_LENGTH", 0) {
        n @ (0 | 3..) => n,
        _ => 70,
    });
    let on_terminal = sys::isatty(0) && sys::isatty(1);
    if (options.interactive || on_terminal) && !options.quiet {
        out.raw(VERSION.as_bytes());
        out.raw(b"For details type `warranty'. \n");
    }
    let place =
        Place { file: Vec::new(), line: 1, standard: options.standard, warn: options.warn, had_error: false };
    let mut names = Names::new();
    if options.mathlib {
        names.load_library();
    }
    let mut lexer = Lexer::new(options.files, place);
    lexer.echo = options.interactive && !on_terminal;
    let mut machine = Machine::new(if options.mathlib { 20 } else { 0 });
    machine.standard = options.standard;
    let mut parser = Parser::new(lexer, names);
    let status = loop {
        match parser.line(&mut out) {
            Ok(Line::Run(code)) => {
                if !machine.run(code, &parser.names, &mut parser.lexer, &mut out) {
                    break 0;
                }
            }
            Ok(Line::Nothing) => {}
            Ok(Line::End) => break 0,
            Err(stop) => break stop.0,
        }
    };
    if out.finish() { status } else { 1 }
}

fn read_options(args: &[Vec<u8>], options: &mut Options) -> Result<(), i32> {
    let print = |text: &str| {
        let _ = sys::write_all(1, text.as_bytes());
    };
    let (parsed, wrong) = sandshell_cli::arguments::parse(args, "chilqswv", LONG, true);
    for arg in parsed {
        match arg {
            Arg::Operand(file) => options.files.push(file),
            Arg::Option(id, ..) => match u8::try_from(id).unwrap_or_default() {
                b'c' => {
                    say(b"bc: printing the compiled code is not supported\n");
                    return Err(1);
                }
                b'h' => {
                    print(USAGE);
                    return Err(0);
                }
                b'v' => {
                    print(VERSION);
                    return Err(0);
                }
                b'i' => options.interactive = true,
                b'l' => options.mathlib = true,
                b'q' => options.quiet = true,
                b's' => options.standard = true,
                b'w' => options.warn = true,
                _ => {}
            },
        }
    }
    if let Some(text) = wrong {
        say(&[b"bc: ", text.as_slice(), b"\n"].concat());
        print(USAGE);
        return Err(1);
    }
    Ok(())
}
