//! Shells that show a script instead of running it: `--pretty-print`, `--dump-strings` and `--dump-po-strings`.

use crate::exec::input::TextHost;
use crate::options::flag;
use crate::shell::Shell;
use sandshell_syntax::parser::Parser;

/// How the texts of `$"..."` are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dump {
    /// In double quotes.
    Plain,
    /// As entries of a message catalogue.
    Catalogue,
}

impl Shell {
    /// Prints the commands of a script as `declare -f` does. Empty lines and comments become an empty line. Returns the
    /// status.
    pub(crate) fn pretty_print(&mut self, text: &[u8]) -> i32 {
        let mut parser = Parser::from_text(text, 1);
        let mut blank = false;
        loop {
            while let Some(rest) = after_blank_line(parser.rest()) {
                if !blank {
                    self.put(b"\n");
                    blank = true;
                }
                let line = parser.line() + 1;
                let rest = rest.to_vec();
                parser = Parser::from_text(&rest, line);
            }
            let parsed = {
                let mut host = TextHost { shell: self };
                parser.next_command(&mut host)
            };
            match parsed {
                Ok(Some(list)) => {
                    let text = sandshell_syntax::print::portable_list(&list);
                    self.put(&text);
                    self.put(b"\n");
                    blank = false;
                }
                Ok(None) => {
                    if !blank {
                        self.put(b"\n");
                    }
                    let _ = self.flush();
                    return 0;
                }
                Err(e) => {
                    let _ = self.report_syntax_error(&e, b"");
                    return 1;
                }
            }
        }
    }

    /// Makes a parser collect what [`dump_strings`](Self::dump_strings) prints.
    pub(crate) fn prepare_dump(&self, parser: &mut Parser) {
        if self.dump.is_some() {
            parser.keep_translatable();
        }
    }

    /// Prints the texts of `$"..."` in the command just read.
    pub(crate) fn dump_strings(&mut self, parser: &mut Parser) {
        let Some(how) = self.dump else { return };
        for (line, text) in parser.take_translatable() {
            match how {
                Dump::Plain => self.put(&[b"\"", &*text, b"\"\n"].concat()),
                Dump::Catalogue => {
                    let file: &[u8] = match self.source_name() {
                        Some(name) => &name.clone(),
                        None if self.opts.command_string => b"-c",
                        None => &self.arg0.clone(),
                    };
                    let place = format!(":{line}\nmsgid ");
                    let entry =
                        [b"#: ", file, place.as_bytes(), &catalogued(&text), b"\nmsgstr \"\"\n"].concat();
                    self.put(&entry);
                }
            }
        }
        let _ = self.flush();
    }

    /// Selects a dump of strings. Commands are then not run.
    pub(crate) fn set_dump(&mut self, how: Dump) {
        self.dump = Some(how);
        self.opts.set(flag::NOEXEC, true);
    }
}

// The rest of a text after a first line that has no command.
fn after_blank_line(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().position(|b| *b == b'\n')?;
    let line = text.get(..end)?.trim_ascii();
    (line.is_empty() || line.starts_with(b"#")).then(|| text.get(end + 1..).unwrap_or_default())
}

// Formats a text for a catalogue, with a quoted string for each line.
fn catalogued(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if text.contains(&b'\n') {
        out.extend_from_slice(b"\"\"\n");
    }
    out.push(b'"');
    for &b in text {
        match b {
            b'\n' => out.extend_from_slice(b"\\n\"\n\""),
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', b]),
            _ => out.push(b),
        }
    }
    out.push(b'"');
    out
}
