//! The command line.

use crate::message;
use sandshell_sys as sys;

/// Where a part of the script comes from.
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
    /// `-s`, or implied by `-i`.
    pub(crate) separate: bool,
    /// `-i` with its suffix, which may be empty.
    pub(crate) in_place: Option<Vec<u8>>,
    pub(crate) follow_symlinks: bool,
    pub(crate) unbuffered: bool,
    pub(crate) null_data: bool,
    /// `--posix`: without GNU's extensions.
    pub(crate) posix: bool,
    /// `--posix`, or POSIXLY_CORRECT is set: `N` without a next line prints nothing.
    pub(crate) posixly_correct: bool,
    pub(crate) sandbox: bool,
    /// The width at which `l` wraps.
    pub(crate) line_length: usize,
}

impl Options {
    /// What ends a line.
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

// In the order of GNU's table, which shows when a name is ambiguous.
const LONG: &[(&str, char, bool)] = &[
    ("binary", 'b', false),
    ("regexp-extended", 'r', false),
    ("debug", '\x01', false),
    ("in-place", 'i', false),
    ("expression", 'e', true),
    ("file", 'f', true),
    ("line-length", 'l', true),
    ("null-data", 'z', false),
    ("zero-terminated", 'z', false),
    ("quiet", 'n', false),
    ("posix", 'p', false),
    ("silent", 'n', false),
    ("sandbox", '\x02', false),
    ("separate", 's', false),
    ("unbuffered", 'u', false),
    ("version", 'v', false),
    ("help", 'h', false),
    ("follow-symlinks", 'F', false),
];

/// Reads the arguments (the program's name first): options and input files; the exit status if there is nothing to run.
pub(crate) fn read(args: &[Vec<u8>]) -> Result<(Options, Vec<Vec<u8>>), i32> {
    let columns = std::env::var_os("COLS").map_or(0, |v| number(v.as_encoded_bytes()));
    let mut options = Options {
        line_length: if columns > 1 { columns - 1 } else { 70 },
        posixly_correct: std::env::var_os("POSIXLY_CORRECT").is_some(),
        ..Options::default()
    };
    let in_order = options.posixly_correct;
    let mut operands: Vec<Vec<u8>> = Vec::new();
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        if arg == b"--" {
            operands.extend(rest.by_ref().cloned());
        } else if let Some(long) = arg.strip_prefix(b"--") {
            let (name, value) = match memchr::memchr(b'=', long) {
                Some(at) => (&long[..at], Some(long[at + 1..].to_vec())),
                None => (long, None),
            };
            let (full, id, takes) = long_option(name)?;
            let value = match (takes, value) {
                (true, None) => match rest.next() {
                    Some(value) => Some(value.clone()),
                    None => return Err(wrong(&format!("option '--{full}' requires an argument"))),
                },
                (false, Some(_)) if id != 'i' => {
                    return Err(wrong(&format!("option '--{full}' doesn't allow an argument")));
                }
                (_, value) => value,
            };
            apply(&mut options, id, value)?;
        } else if arg.len() > 1 && arg.first() == Some(&b'-') {
            let mut letters = &arg[1..];
            while let Some((&letter, after)) = letters.split_first() {
                letters = after;
                let value = match letter {
                    b'e' | b'f' | b'l' if !letters.is_empty() => Some(std::mem::take(&mut letters).to_vec()),
                    b'e' | b'f' | b'l' => match rest.next() {
                        Some(value) => Some(value.clone()),
                        None => {
                            let letter = char::from(letter);
                            return Err(wrong(&format!("option requires an argument -- '{letter}'")));
                        }
                    },
                    b'i' if !letters.is_empty() => Some(std::mem::take(&mut letters).to_vec()),
                    b'b' | b'n' | b'r' | b'z' | b'u' | b'E' | b'i' | b's' => None,
                    _ => {
                        return Err(wrong(&format!("invalid option -- '{}'", letter.escape_ascii())));
                    }
                };
                apply(&mut options, char::from(letter), value)?;
            }
        } else {
            operands.push(arg.clone());
            if in_order {
                operands.extend(rest.by_ref().cloned());
            }
        }
    }
    if options.sources.is_empty() {
        if operands.is_empty() {
            return Err(usage(1));
        }
        options.sources.push(Source::Expression(operands.remove(0)));
    }
    Ok((options, operands))
}

fn long_option(name: &[u8]) -> Result<(&'static str, char, bool), i32> {
    let name = String::from_utf8_lossy(name);
    if let Some(exact) = LONG.iter().find(|(full, ..)| *full == name) {
        return Ok(*exact);
    }
    let found: Vec<_> = LONG.iter().filter(|(full, ..)| full.starts_with(&*name)).collect();
    match found.as_slice() {
        [] => Err(wrong(&format!("unrecognized option '--{name}'"))),
        [one, others @ ..] if others.iter().all(|other| other.1 == one.1) => Ok(**one),
        many => {
            let names: String = many.iter().map(|(full, ..)| format!(" '--{full}'")).collect();
            Err(wrong(&format!("option '--{name}' is ambiguous; possibilities:{names}")))
        }
    }
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
        // `-b` has no meaning where lines end with a newline.
        _ => {}
    }
    Ok(())
}

// As `atoi`.
fn number(text: &[u8]) -> usize {
    let digits = text.iter().take_while(|b| b.is_ascii_digit());
    digits.fold(0usize, |n, b| n.saturating_mul(10).saturating_add(usize::from(b - b'0')))
}

fn wrong(text: &str) -> i32 {
    message(text.as_bytes());
    usage(1)
}

fn usage(status: i32) -> i32 {
    if status == 0 {
        return tell(USAGE.as_bytes());
    }
    let _ = sys::write_all(2, USAGE.as_bytes());
    status
}

// Writes what was asked for; the exit status.
fn tell(text: &[u8]) -> i32 {
    match sys::write_all(1, text) {
        Ok(()) => 0,
        Err(e) => {
            message(&[b"couldn't flush stdout: ".as_slice(), e.to_string().as_bytes()].concat());
            4
        }
    }
}
