//! The command line.

use crate::message;
use sandshell_cli::arguments::{self, Arg, Long, Value};
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
  -i, --in-place[=SUFFIX]    change the files themselves; with SUFFIX keep them under other names
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

const SHORT: &str = "bnrzuEsi::e:f:l:";

// In the order of GNU's table, in which messages list the names for an ambiguous one.
const LONG: &[Long] = &[
    ("binary", Value::None, 'b' as u32),
    ("regexp-extended", Value::None, 'r' as u32),
    ("debug", Value::None, '\x01' as u32),
    ("in-place", Value::Optional, 'i' as u32),
    ("expression", Value::Required, 'e' as u32),
    ("file", Value::Required, 'f' as u32),
    ("line-length", Value::Required, 'l' as u32),
    ("null-data", Value::None, 'z' as u32),
    ("zero-terminated", Value::None, 'z' as u32),
    ("quiet", Value::None, 'n' as u32),
    ("posix", Value::None, 'p' as u32),
    ("silent", Value::None, 'n' as u32),
    ("sandbox", Value::None, '\x02' as u32),
    ("separate", Value::None, 's' as u32),
    ("unbuffered", Value::None, 'u' as u32),
    ("version", Value::None, 'v' as u32),
    ("help", Value::None, 'h' as u32),
    ("follow-symlinks", Value::None, 'F' as u32),
];

/// Parses the arguments (the program's name first) to options and input files. `Err` is the exit status if there is
/// nothing to run.
pub(crate) fn read(args: &[Vec<u8>]) -> Result<(Options, Vec<Vec<u8>>), i32> {
    let columns = std::env::var_os("COLS").map_or(0, |v| number(v.as_encoded_bytes()));
    let mut options = Options {
        line_length: if columns > 1 { columns - 1 } else { 70 },
        posixly_correct: std::env::var_os("POSIXLY_CORRECT").is_some(),
        ..Options::default()
    };
    let mut operands: Vec<Vec<u8>> = Vec::new();
    let permute = !options.posixly_correct;
    let (given, fault) = arguments::parse(args.get(1..).unwrap_or_default(), SHORT, LONG, permute);
    for argument in given {
        match argument {
            Arg::Option(id, value, _) => apply(&mut options, char::from_u32(id).unwrap_or_default(), value)?,
            Arg::Operand(operand) => operands.push(operand),
        }
    }
    if let Some(text) = fault {
        return Err(wrong(&text));
    }
    if options.sources.is_empty() {
        if operands.is_empty() {
            return Err(usage(1));
        }
        options.sources.push(Source::Expression(operands.remove(0)));
    }
    Ok((options, operands))
}

fn apply(options: &mut Options, id: char, value: Option<Vec<u8>>) -> Result<(), i32> {
    match id {
        'n' => options.quiet = true,
        'e' => options.sources.push(Source::Expression(value.unwrap_or_default())),
        'f' => options.sources.push(Source::File(value.unwrap_or_default())),
        'E' | 'r' => options.extended = true,
        's' => options.separate = true,
        'i' => {
            options.separate = true;
            options.in_place = Some(value.unwrap_or_default());
        }
        'F' => options.follow_symlinks = true,
        'l' => options.line_length = number(&value.unwrap_or_default()),
        'u' => options.unbuffered = true,
        'z' => options.null_data = true,
        'p' => (options.posix, options.posixly_correct) = (true, true),
        '\x02' => options.sandbox = true,
        '\x01' => {
            message(b"--debug is not supported");
            return Err(1);
        }
        'v' => {
            return Err(tell(b"sed (GNU sed) 4.9\n"));
        }
        'h' => return Err(usage(0)),
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

fn wrong(text: &[u8]) -> i32 {
    message(text);
    usage(1)
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
