//! `dircolors`.

use sandshell_cli::input::{Input, chomp};
use sandshell_cli::message;
use sandshell_cli::options::{self, Parsed, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::warn;
use sandshell_posix::pattern;
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "dircolors",
    usage: "\
Usage: dircolors [OPTION]... [FILE]
Prints the shell command that sets LS_COLORS, the colours of ls.
With FILE, the colours are read from it; else the built-in table is used.

",
    options: &[
        option("-b, --sh, --bourne-shell", "for sh and its relatives"),
        option("-c, --csh, --c-shell", "for csh and its relatives"),
        option("-p, --print-database", "show the built-in table"),
        option("--print-ls-colors", "show the colours in themselves, one in a line"),
    ],
    ..Spec::DEFAULT
};

/// The database of coreutils 9.1. Its notice permits copies.
const DATABASE: &[u8] = include_bytes!("dircolors.txt");

/// The keywords, and their names in `LS_COLORS`.
const KEYWORDS: [(&str, &str); 37] = [
    ("NORMAL", "no"),
    ("NORM", "no"),
    ("FILE", "fi"),
    ("RESET", "rs"),
    ("DIR", "di"),
    ("LNK", "ln"),
    ("LINK", "ln"),
    ("SYMLINK", "ln"),
    ("ORPHAN", "or"),
    ("MISSING", "mi"),
    ("FIFO", "pi"),
    ("PIPE", "pi"),
    ("SOCK", "so"),
    ("BLK", "bd"),
    ("BLOCK", "bd"),
    ("CHR", "cd"),
    ("CHAR", "cd"),
    ("DOOR", "do"),
    ("EXEC", "ex"),
    ("LEFT", "lc"),
    ("LEFTCODE", "lc"),
    ("RIGHT", "rc"),
    ("RIGHTCODE", "rc"),
    ("END", "ec"),
    ("ENDCODE", "ec"),
    ("SUID", "su"),
    ("SETUID", "su"),
    ("SGID", "sg"),
    ("SETGID", "sg"),
    ("STICKY", "st"),
    ("OTHER_WRITABLE", "ow"),
    ("OWR", "ow"),
    ("STICKY_OTHER_WRITABLE", "tw"),
    ("OWT", "tw"),
    ("CAPABILITY", "ca"),
    ("MULTIHARDLINK", "mh"),
    ("CLRTOEOL", "cl"),
];

/// Whether the following lines apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Global,
    /// They are for another terminal.
    No,
    /// They are for this terminal.
    Yes,
    /// They are for this terminal, and more terminal names may follow.
    Sure,
}

/// Runs `dircolors` and returns its exit status.
pub fn dircolors_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let Parsed { options, operands } = SPEC.parse(&options::operands(args))?;
    let (mut csh, mut database, mut display) = (None, false, false);
    for g in &options {
        match g.id {
            "b" => csh = Some(false),
            "c" => csh = Some(true),
            "p" => database = true,
            _ => display = true,
        }
    }
    if (database || display) && csh.is_some() {
        return Err(SPEC.usage(
            "the options to output non shell syntax,\nand to select a shell syntax are mutually exclusive",
        ));
    }
    if database && display {
        return Err(SPEC.usage("options --print-database and --print-ls-colors are mutually exclusive"));
    }
    if let Some(extra) = operands.get(usize::from(!database)) {
        warn!("dircolors", "extra operand ", quote(extra));
        if database {
            let _ = sys::write_all(2, b"file operands cannot be combined with --print-database (-p)\n");
        }
        message::try_help("dircolors");
        return Err(1);
    }
    if database {
        out::put(DATABASE);
        return Ok(out::finish("dircolors", 0, 1));
    }
    let csh = match csh {
        Some(csh) => csh,
        None if display => false,
        None => guess_csh()?,
    };
    let (name, text) = match operands.first() {
        Some(name) => {
            let text = Input::open(name).and_then(|mut input| input.rest()).map_err(|e| {
                warn!("dircolors", quotef(name), ": ", e);
                1
            })?;
            (quotef(name), text)
        }
        None => (b"<internal>".to_vec(), DATABASE.to_vec()),
    };
    let colors = read(&name, &text, display)?;
    if display {
        out::put(colors);
    } else {
        let (before, after) =
            if csh { ("setenv LS_COLORS '", "'\n") } else { ("LS_COLORS='", "';\nexport LS_COLORS\n") };
        out::put(before);
        out::put(colors);
        out::put(after);
    }
    Ok(out::finish("dircolors", 0, 1))
}

fn variable(name: &str) -> Option<Vec<u8>> {
    std::env::var_os(name).map(OsString::into_encoded_bytes)
}

fn guess_csh() -> Result<bool, i32> {
    let Some(shell) = variable("SHELL").filter(|s| !s.is_empty()) else {
        warn!("dircolors", "no SHELL environment variable, and no shell type option given");
        return Err(1);
    };
    Ok(matches!(sandshell_posix::path::base_name(&shell), b"csh" | b"tcsh"))
}

/// The value of `LS_COLORS` for this terminal.
fn read(name: &[u8], text: &[u8], display: bool) -> Result<Vec<u8>, i32> {
    let term = variable("TERM").filter(|t| !t.is_empty()).unwrap_or_else(|| b"none".to_vec());
    let color_term = variable("COLORTERM").unwrap_or_default();
    let mut state = State::Global;
    let mut ok = true;
    let mut colors = Vec::new();
    for (i, line) in text.split_inclusive(|b| *b == b'\n').enumerate() {
        let Some((keyword, value)) = words(chomp(line, b'\n').0) else { continue };
        let Some(value) = value else {
            warn!("dircolors", name, ":", i + 1, ": invalid line;  missing second token");
            ok = false;
            continue;
        };
        let is = |word: &str| keyword.eq_ignore_ascii_case(word.as_bytes());
        if is("TERM") || is("COLORTERM") {
            if state != State::Sure {
                let given = if is("TERM") { &term } else { &color_term };
                state = if pattern::matches(value, given) { State::Sure } else { State::No };
            }
            continue;
        }
        if state == State::Sure {
            state = State::Yes;
        }
        if state == State::No {
            continue;
        }
        if keyword.starts_with(b".") {
            entry(&mut colors, &[b"*", keyword].concat(), value, display);
        } else if keyword.starts_with(b"*") {
            entry(&mut colors, keyword, value, display);
        } else if is("OPTIONS") || is("COLOR") || is("EIGHTBIT") {
            // Keywords of other systems' versions.
        } else if let Some((_, code)) = KEYWORDS.iter().find(|k| is(k.0)) {
            entry(&mut colors, code.as_bytes(), value, display);
        } else if state == State::Yes {
            warn!("dircolors", name, ":", i + 1, ": unrecognized keyword ", keyword);
            ok = false;
        }
    }
    if ok { Ok(colors) } else { Err(1) }
}

/// The keyword and the value of a line; `None` for a blank line or a comment.
fn words(line: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let blank = |b: &u8| matches!(b, b' ' | 9..=13);
    let skip = |text: &[u8]| text.iter().take_while(|b| blank(b)).count();
    // The line ends at a NUL, like a C string.
    let line = line.split(|b| *b == 0).next().unwrap_or_default();
    let line = &line[skip(line)..];
    if line.first().is_none_or(|b| *b == b'#') {
        return None;
    }
    let end = line.iter().position(blank).unwrap_or(line.len());
    let (keyword, rest) = line.split_at(end);
    let rest = &rest[skip(rest)..];
    let rest = rest.split(|b| *b == b'#').next().unwrap_or_default();
    let behind = rest.iter().rev().take_while(|b| blank(b)).count();
    let value = &rest[..rest.len() - behind];
    Some((keyword, (!value.is_empty()).then_some(value)))
}

fn entry(to: &mut Vec<u8>, item: &[u8], value: &[u8], display: bool) {
    if display {
        to.extend_from_slice(&sandshell_cli::bytes!("\x1b[", value, "m", item, "\t", value, "\x1b[0m\n"));
        return;
    }
    quoted(to, item);
    to.push(b'=');
    quoted(to, value);
    to.push(b':');
}

/// Appends `text`, escaped for the shell's quotes and for `ls`.
fn quoted(to: &mut Vec<u8>, text: &[u8]) {
    let mut escape = true;
    for b in text {
        match b {
            b'\'' => {
                to.extend_from_slice(b"'\\'");
                escape = true;
            }
            b'\\' | b'^' => escape = !escape,
            _ => {
                if matches!(b, b':' | b'=') && escape {
                    to.push(b'\\');
                }
                escape = true;
            }
        }
        to.push(*b);
    }
}
