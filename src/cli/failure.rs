//! Errors of sandshell itself: one line on standard error and status 2.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use sandshell::vfs::quoted;
use std::fmt::Display;
use std::io::Write;
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

    /// A failure about one thing, such as a file, with the reason.
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

impl From<sandshell::store::StoreError> for Failure {
    fn from(error: sandshell::store::StoreError) -> Failure {
        Failure(error.to_string())
    }
}

impl From<sandshell::runtime::Error> for Failure {
    fn from(error: sandshell::runtime::Error) -> Failure {
        Failure(error.to_string())
    }
}

/// Prints a note on standard error, in one line.
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

/// Prints what clap reports: help and version as they are, errors in one line.
pub(crate) fn usage(error: &clap::Error) -> Result<u8, Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // It is no failure if the reader closes the pipe (`| head`).
            let _ = error.print();
            Ok(0)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Ok(STATUS)
        }
        _ => Err(Failure(missing_command(error).unwrap_or_else(|| usage_line(&error.render().to_string())))),
    }
}

/// What to say about a command that other builds have.
fn missing_command(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(command)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let feature = feature_of(command)?;
    Some(format!(
        "{command}: this program was built without the feature `{feature}`; cargo's default features have it, as in \
         `cargo install --path .`"
    ))
}

/// The feature that would add a command; none if it is there already, or no build has it.
fn feature_of(command: &str) -> Option<&'static str> {
    let (feature, present) = match command {
        "mcp" => ("mcp", cfg!(feature = "mcp")),
        "record" | "replay" => ("wrappers", cfg!(feature = "wrappers")),
        "serve" => ("serve", cfg!(feature = "serve")),
        "ui" => ("ui", cfg!(feature = "ui")),
        _ => return None,
    };
    (!present).then_some(feature)
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

/// A path of the host for display: quoted if it contains unusual characters.
pub(crate) fn path(path: &Path) -> String {
    name(path.as_os_str().as_encoded_bytes())
}

/// A path of any kind for display: unchanged, or quoted as git does if it is not UTF-8 or contains characters that
/// a terminal acts on.
pub(crate) fn name(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) if !text.contains(['"', '\\']) && !text.chars().any(is_active) => text.to_owned(),
        _ => quoted(name),
    }
}

/// Text for one line of a terminal: characters that could move the cursor, change colours or reverse the direction
/// of text are escaped.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        if is_active(c) { printable.extend(c.escape_default()) } else { printable.push(c) }
    }
    printable
}

/// Whether it is a control character, or an invisible one that changes how other text is shown: direction marks,
/// joiners, separators.
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
