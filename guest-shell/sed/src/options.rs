//! The command line.

use crate::message;
use sandshell_cli::options::{Given, Spec, hidden, listed};
use sandshell_sys as sys;

/// The source of a part of the script.
#[derive(Debug)]
pub(crate) enum Source {
    /// `-e`, or the first operand.
    Expression(Vec<u8>),
    /// `-f`.
    File(Vec<u8>),
}

#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) sources: Vec<Source>,
    /// `-n`, or `#n` as the script's first line.
    pub(crate) quiet: bool,
    pub(crate) extended: bool,
    /// `-s`, also implied by `-i`.
    pub(crate) separate: bool,
    /// `-i` with its suffix, which may be empty.
    pub(crate) in_place: Option<Vec<u8>>,
    pub(crate) follow_symlinks: bool,
    pub(crate) unbuffered: bool,
    pub(crate) null_data: bool,
    /// `--posix`: disables GNU's extensions.
    pub(crate) posix: bool,
    /// `--posix`, or POSIXLY_CORRECT is set: `N` without a next line does not print.
    pub(crate) posixly_correct: bool,
    pub(crate) sandbox: bool,
    /// The width at which `l` wraps.
    pub(crate) line_length: usize,
}

impl Options {
    /// The byte that ends a line.
    pub(crate) fn delimiter(&self) -> u8 {
        if self.null_data { 0 } else { b'\n' }
    }
}

const USAGE: &str = "\
Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...
Changes lines as a script says, and prints them. The script is what -e and -f give, or else the first argument. Other
arguments are files; standard input is read if there are none.

  -n, --quiet, --silent      print only what the script prints
  -e, --expression=SCRIPT    a part of the script
  -f, --file=FILE            a part of the script, in FILE
  -E, -r, --regexp-extended  extended regular expressions
  -i[SUFFIX], --in-place[=SUFFIX]
                             change the files themselves; with SUFFIX keep them under other names
      --follow-symlinks      with -i: what links stand for, not the links
  -s, --separate             each file has its own first and last line
  -z, --null-data, --zero-terminated   lines end in a zero byte
  -l, --line-length=N        `l' breaks lines after N (70) columns
  -u, --unbuffered           read no more than needed, write at once
      --posix                without GNU's extensions
      --sandbox              without the commands e, r and w
  -b, --binary               no effect
      --help                 this text
      --version              the version

Examples:
  sed -n '5,10p' FILE              only the lines 5 to 10
  sed -i 's/old/new/g' FILE        replace in the file itself
  sed '/^#/d' FILE                 all but comments
";

const SPEC: Spec = Spec {
    name: "sed",
    options: &[listed(USAGE), hidden("debug", "--debug")],
    ties: &[
        "regexp-extended",
        "in-place",
        "file",
        "line-length",
        "quiet",
        "posix",
        "silent",
        "sandbox",
        "separate",
    ],
    ..Spec::DEFAULT
};

/// Parses the arguments (the program's name first) to options and input files. `Err` is the exit status if there is
/// nothing to run.
pub(crate) fn read(args: &[Vec<u8>]) -> Result<(Options, Vec<Vec<u8>>), i32> {
    let columns = std::env::var_os("COLS").map_or(0, |v| number(v.as_encoded_bytes()));
    let mut options = Options {
        line_length: if columns > 1 { columns - 1 } else { 70 },
        posixly_correct: std::env::var_os("POSIXLY_CORRECT").is_some(),
        ..Options::default()
    };
    let mut parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    for given in &parsed.options {
        apply(&mut options, given)?;
    }
    if options.sources.is_empty() {
        if parsed.operands.is_empty() {
            return Err(usage(1));
        }
        options.sources.push(Source::Expression(parsed.operands.remove(0)));
    }
    Ok((options, parsed.operands))
}

fn apply(options: &mut Options, given: &Given) -> Result<(), i32> {
    let text = given.text();
    match given.id {
        "n" => options.quiet = true,
        "e" => options.sources.push(Source::Expression(text.to_vec())),
        "f" => options.sources.push(Source::File(text.to_vec())),
        "E" => options.extended = true,
        "s" => options.separate = true,
        "i" => {
            options.separate = true;
            options.in_place = Some(text.to_vec());
        }
        "follow-symlinks" => options.follow_symlinks = true,
        "l" => options.line_length = number(text),
        "u" => options.unbuffered = true,
        "z" => options.null_data = true,
        "posix" => (options.posix, options.posixly_correct) = (true, true),
        "sandbox" => options.sandbox = true,
        "debug" => {
            message(b"--debug is not supported");
            return Err(1);
        }
        "version" => return Err(tell(b"sed (GNU sed) 4.9\n")),
        "help" => return Err(usage(0)),
        "?" => {
            message(text);
            return Err(usage(1));
        }
        // `-b` has no effect where lines end with a newline.
        _ => {}
    }
    Ok(())
}

// Parses like `atoi`.
fn number(text: &[u8]) -> usize {
    let digits = text.iter().take_while(|b| b.is_ascii_digit());
    digits.fold(0usize, |n, b| n.saturating_mul(10).saturating_add(usize::from(b - b'0')))
}

fn usage(status: i32) -> i32 {
    if status == 0 {
        return tell(USAGE.as_bytes());
    }
    let _ = sys::write_all(2, USAGE.as_bytes());
    status
}

// Writes the requested text. Returns the exit status.
fn tell(text: &[u8]) -> i32 {
    match sys::write_all(1, text) {
        Ok(()) => 0,
        Err(e) => {
            message(&[b"couldn't flush stdout: ".as_slice(), e.to_string().as_bytes()].concat());
            4
        }
    }
}
