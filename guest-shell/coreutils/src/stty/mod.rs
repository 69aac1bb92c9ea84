//! `stty`.

mod settings;
mod show;

use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, out, warn};
use sandshell_sys::{self as sys, Termios, When, open_flags};
use sandshell_terminal::modes::special;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "stty",
    usage: "\
Usage: stty [-F DEVICE | --file=DEVICE] [SETTING]...
  or:  stty [-F DEVICE | --file=DEVICE] [-a|--all]
  or:  stty [-F DEVICE | --file=DEVICE] [-g|--save]
Shows or changes the settings of a terminal.

",
    options: &[
        option("-a, --all", "show all of them"),
        option("-g, --save", "show all of them in a form that stty reads"),
        option("-F, --file=DEVICE", "the terminal is DEVICE, not standard input"),
    ],
    ..Spec::DEFAULT
};

/// A change.
enum Setting<'a> {
    Flag(&'a str, bool),
    Combination(&'a str, bool),
    /// A special character, or `min` or `time`.
    Character(usize, u8),
    Speed(&'a str),
    Line(u8),
    Rows(u32),
    Columns(u32),
    Saved(Termios),
    ShowSize,
    ShowSpeed,
    /// Whether to wait for output, as it always does.
    Drain,
}

/// Runs `stty`: shows or changes the settings of a terminal.
pub fn stty_main(args: Vec<OsString>) -> i32 {
    // A setting may begin with a dash.
    let args = options::operands(args);
    let is_option = |a: &[u8]| {
        let long = ["--all", "--save", "--file", "--help", "--version"];
        matches!(a, [b'-', b'a' | b'g' | b'F', rest @ ..] if !is_setting(a) || rest.is_empty())
            || long.iter().any(|l| a.starts_with(l.as_bytes()))
    };
    let (mut flags, mut words) = (Vec::new(), Vec::new());
    let mut rest = args.into_iter();
    while let Some(arg) = rest.next() {
        if arg == b"-F" || arg == b"--file" {
            flags.push(arg);
            flags.extend(rest.next());
        } else if is_option(&arg) {
            flags.push(arg);
        } else {
            words.push(arg);
        }
    }
    let parsed = match SPEC.parse(&flags) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let has = |id: &str| parsed.options.iter().any(|o| o.id == id);
    let texts: Vec<String> = words.iter().map(|w| String::from_utf8_lossy(w).into_owned()).collect();
    let changes = match read(&words, &texts) {
        Ok(changes) => changes,
        Err(code) => return code,
    };
    if has("a") && has("g") {
        warn!("stty", "the options for verbose and stty-readable output styles are\nmutually exclusive");
        return 1;
    }
    if (has("a") || has("g")) && !changes.is_empty() {
        warn!("stty", "when specifying an output style, modes may not be set");
        return 1;
    }
    let device = parsed.options.iter().find(|g| g.id == "F").map(|g| g.text().to_vec());
    let shown = device.as_deref().map_or_else(|| b"'standard input'".to_vec(), quotef);
    let fd = match device.as_deref().map(|d| sys::open(d, open_flags::READ | open_flags::NONBLOCK, 0)) {
        None => 0,
        Some(Ok(fd)) => fd,
        Some(Err(e)) => {
            warn!("stty", shown, ": ", e);
            return 1;
        }
    };
    let modes = match sys::tcgetattr(fd) {
        Ok(modes) => modes,
        Err(e) => {
            warn!("stty", shown, ": ", e);
            return 1;
        }
    };
    let size = sys::tty_size(fd).unwrap_or((0, 0));
    if has("g") {
        out::put(show::saved(&modes) + "\n");
    } else if changes.is_empty() {
        out::put(show::readable(&modes, has("a").then_some(size), size.1));
    } else if let Err(e) = apply(fd, &changes, &modes) {
        match e {
            Some(e) => warn!("stty", shown, ": ", e),
            None => warn!("stty", shown, ": unable to perform all requested operations"),
        }
        return out::finish("stty", 1, 1);
    }
    out::finish("stty", 0, 1)
}

/// Whether a word that begins with a dash is a setting.
fn is_setting(word: &[u8]) -> bool {
    let name = std::str::from_utf8(word.strip_prefix(b"-").unwrap_or(word)).unwrap_or_default();
    let mut scratch = Termios::default();
    settings::set_flag(&mut scratch, name, false)
        || settings::set_combination(&mut scratch, name, false)
        || name == "drain"
}

/// The changes that the words ask for.
fn read<'a>(words: &'a [Vec<u8>], texts: &'a [String]) -> Result<Vec<Setting<'a>>, i32> {
    let mut changes = Vec::new();
    let mut at = 0;
    while let (Some(word), Some(text)) = (words.get(at), texts.get(at)) {
        at += 1;
        let (name, on) = text.strip_prefix('-').map_or((text.as_str(), true), |name| (name, false));
        let mut scratch = Termios::default();
        let takes_argument =
            matches!(name, "min" | "time" | "ispeed" | "ospeed" | "rows" | "cols" | "columns" | "line")
                || settings::CHARACTERS.iter().any(|c| c.0 == name);
        if on && takes_argument {
            let Some(value) = words.get(at) else {
                return Err(SPEC.usage(bytes!("missing argument to ", quote(word))));
            };
            changes.push(with_argument(name, value, texts.get(at).map_or("", String::as_str))?);
            at += 1;
        } else if name == "drain" {
            changes.push(Setting::Drain);
        } else if settings::set_combination(&mut scratch, name, on) {
            changes.push(Setting::Combination(name, on));
        } else if settings::set_flag(&mut scratch, name, on) {
            changes.push(Setting::Flag(name, on));
        } else if on && name == "size" {
            changes.push(Setting::ShowSize);
        } else if on && name == "speed" {
            changes.push(Setting::ShowSpeed);
        } else if on && settings::set_speed(&mut scratch, name) {
            changes.push(Setting::Speed(name));
        } else if let Some(modes) = show::read(text).filter(|_| on) {
            changes.push(Setting::Saved(modes));
        } else {
            return Err(SPEC.usage(bytes!("invalid argument ", quote(word))));
        }
    }
    Ok(changes)
}

fn with_argument<'a>(name: &str, value: &[u8], text: &'a str) -> Result<Setting<'a>, i32> {
    let invalid = || {
        warn!("stty", "invalid integer argument: ", quote(value));
        1
    };
    let number = || integer(text).ok_or_else(invalid);
    let byte = || number().and_then(|n| u8::try_from(n).map_err(|_| invalid()));
    Ok(match name {
        "min" => Setting::Character(special::MIN, byte()?),
        "time" => Setting::Character(special::TIME, byte()?),
        "rows" => Setting::Rows(number()?),
        "cols" | "columns" => Setting::Columns(number()?),
        "line" => Setting::Line(byte()?),
        "ispeed" | "ospeed" => {
            if !settings::set_speed(&mut Termios::default(), text) {
                return Err(SPEC.usage(bytes!("invalid ", name, " ", quote(value))));
            }
            Setting::Speed(text)
        }
        _ => {
            let index = settings::CHARACTERS.iter().find(|c| c.0 == name).map_or(0, |c| c.1);
            let byte = match value {
                b"" | b"^-" | b"undef" => 0,
                [byte] => *byte,
                [b'^', b'?'] => 0x7f,
                [b'^', byte, ..] => byte & !0o140,
                _ => byte()?,
            };
            Setting::Character(index, byte)
        }
    })
}

/// A number: decimal, octal or hexadecimal.
fn integer(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u32::from_str_radix(digits, 16).ok();
    }
    match text.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => u32::from_str_radix(digits, 8).ok(),
        _ => text.parse().ok(),
    }
}

/// Applies the changes. `None` as the error if the terminal did not take all of them.
fn apply(fd: sys::Fd, changes: &[Setting<'_>], before: &Termios) -> Result<(), Option<sys::Errno>> {
    let mut modes = before.clone();
    for change in changes {
        match change {
            Setting::Flag(name, on) => drop(settings::set_flag(&mut modes, name, *on)),
            Setting::Combination(name, on) => drop(settings::set_combination(&mut modes, name, *on)),
            Setting::Character(index, byte) => modes.cc[*index] = *byte,
            Setting::Speed(name) => drop(settings::set_speed(&mut modes, name)),
            Setting::Line(line) => modes.line = *line,
            Setting::Saved(saved) => modes = Termios { line: modes.line, ..saved.clone() },
            Setting::Rows(rows) => {
                let columns = sys::tty_size(fd)?.1;
                sys::set_tty_size(fd, *rows, columns)?;
            }
            Setting::Columns(columns) => {
                let rows = sys::tty_size(fd)?.0;
                sys::set_tty_size(fd, rows, *columns)?;
            }
            Setting::ShowSize => {
                let (rows, columns) = sys::tty_size(fd)?;
                out::put(format!("{rows} {columns}\n"));
            }
            Setting::ShowSpeed => out::put(format!("{}\n", settings::speed(&modes))),
            Setting::Drain => {}
        }
    }
    if modes == *before {
        return Ok(());
    }
    sys::tcsetattr(fd, When::Drain, &modes)?;
    if sys::tcgetattr(fd)? == modes { Ok(()) } else { Err(None) }
}
