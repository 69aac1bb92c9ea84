//! What sandshell could not do: one line on standard error and status 2.

use clap::error::ErrorKind;
use sandshell::vfs::quoted;
use std::fmt::Display;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The exit status.
pub(crate) const STATUS: u8 = 2;

/// One line that says what is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure(message.into())
    }

    /// What was worked on, and why it failed.
    pub(crate) fn about(what: impl Display, why: impl Display) -> Failure {
        Failure(format!("{what}: {why}"))
    }

    pub(crate) fn report(&self) {
        note(&self.0);
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<sandshell::Error> for Failure {
    fn from(error: sandshell::Error) -> Failure {
        Failure(error.to_string())
    }
}

impl From<sandshell::runtime::Error> for Failure {
    fn from(error: sandshell::runtime::Error) -> Failure {
        Failure(error.to_string())
    }
}

/// Says something on standard error, in one line.
pub(crate) fn note(message: &str) {
    let line = one_line(message);
    // Without standard error there is nowhere left to say it.
    let _ = writeln!(std::io::stderr(), "sandshell: {line}");
}

/// The reason that an operating system's error gives, without its number.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error ") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

/// What clap has to say: help and version as they are, anything wrong in one line.
pub(crate) fn usage(error: &clap::Error) -> Result<u8, Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that has seen enough (`| head`) is no failure.
            let _ = error.print();
            Ok(0)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Ok(STATUS)
        }
        _ => Err(Failure(usage_line(&error.render().to_string()))),
    }
}

/// The first paragraph of clap's text, and its tip if it has one.
fn usage_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let mut paragraphs = text.split("\n\n");
    let mut line = one_line(paragraphs.next().unwrap_or_default());
    let tip = paragraphs.find_map(|paragraph| paragraph.trim().strip_prefix("tip: "));
    if let Some(tip) = tip {
        line += &format!(" ({})", one_line(tip.lines().next().unwrap_or_default()));
    }
    line
}

fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A path of the host, for people: quoted if there is anything in it that is not plain.
pub(crate) fn path(path: &Path) -> String {
    name(path.as_os_str().as_bytes())
}

/// A path of any kind, for people: as it is, or as git quotes it if it is not text or has anything in it that a terminal acts on.
pub(crate) fn name(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) if !text.contains(['"', '\\']) && !text.chars().any(is_active) => text.to_owned(),
        _ => quoted(name),
    }
}

/// Text for one line of a terminal: whatever could move its cursor, change its colours or turn its text around is escaped.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        if is_active(c) { printable.extend(c.escape_default()) } else { printable.push(c) }
    }
    printable
}

/// Control characters, and those that are not seen but change what is: the order of text, joins, separators.
pub(crate) fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claps_texts_become_one_line() {
        let text = "error: unexpected argument '--monut' found\n\n  tip: a similar argument exists: '--mount'\n\nUsage: x\n";
        assert_eq!(
            usage_line(text),
            "unexpected argument '--monut' found (a similar argument exists: '--mount')"
        );
        let text = "error: the following required arguments were not provided:\n  <COMMAND>\n\nUsage: x\n";
        assert_eq!(usage_line(text), "the following required arguments were not provided: <COMMAND>");
    }

    #[test]
    fn names_do_nothing_to_a_terminal() {
        assert_eq!(name("a b/é".as_bytes()), "a b/é");
        assert_eq!(name(b"a\n\x1b[2J"), r#""a\n\033[2J""#);
        assert_eq!(name("a\u{202e}b".as_bytes()), r#""a\342\200\256b""#);
        assert_eq!(printable("x\u{202e}\x1b[31mé"), "x\\u{202e}\\u{1b}[31mé");
    }

    #[test]
    fn an_io_errors_number_is_left_out() {
        let error = std::io::Error::from_raw_os_error(2);
        assert_eq!(reason(&error), "No such file or directory");
    }
}
