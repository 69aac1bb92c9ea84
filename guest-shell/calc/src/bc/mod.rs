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
use sandshell_cli::options::{Order, Spec, hidden, listed};
use sandshell_sys as sys;

const USAGE: &str = "\
usage: bc [options] [file ...]
Calculates what the files say, and then what standard input says, to as many digits as are wanted.

  -l, --mathlib      with s, c, a, l, e and j, and 20 digits behind the point
  -s, --standard     only what POSIX describes
  -w, --warn         tell of what POSIX does not describe
  -i, --interactive  as on a terminal
  -q, --quiet        no first lines on a terminal
  -h, --help         this text
  -v, --version      the version

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

const SPEC: Spec = Spec {
    name: "bc",
    order: Order::InPlace,
    options: &[listed(USAGE), hidden("c", "-c, --compile")],
    ..Spec::DEFAULT
};

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
    let parsed = SPEC.parse_all(args)?;
    for given in parsed.options {
        match given.id {
            "" => options.files.extend(given.value),
            "c" => {
                say(b"bc: printing the compiled code is not supported\n");
                return Err(1);
            }
            "h" => {
                print(USAGE);
                return Err(0);
            }
            "v" => {
                print(VERSION);
                return Err(0);
            }
            "i" => options.interactive = true,
            "l" => options.mathlib = true,
            "q" => options.quiet = true,
            "s" => options.standard = true,
            "w" => options.warn = true,
            _ => {
                say(&[b"bc: ", given.text(), b"\n"].concat());
                print(USAGE);
                return Err(1);
            }
        }
    }
    options.files.extend(parsed.operands);
    Ok(())
}
