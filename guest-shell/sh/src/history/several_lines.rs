//! Commands of several lines, which are one history entry (`cmdhist`, `lithist`).

use crate::options::Shopt;
use crate::shell::Shell;
use sandshell_syntax::parser::{Joint, Unfinished};

impl Shell {
    /// Adds a line that was read (with its newline): as a new entry, or to the `unfinished` command.
    pub(crate) fn remember_read(&mut self, line: &[u8], unfinished: Option<Unfinished>) {
        if !self.record.adding {
            return;
        }
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        match unfinished {
            Some(here @ Unfinished::HereDocument { .. }) => self.remember_more(line, here),
            Some(quoted @ Unfinished::Quoted(_)) => self.remember_more(text, quoted),
            _ if text.is_empty() => {}
            Some(unfinished) => self.remember_more(text, unfinished),
            None => self.remember(text),
        }
    }

    /// Adds a continuation line to the entry of its command. With `cmdhist` off it becomes an entry of its own.
    pub(crate) fn remember_more(&mut self, line: &[u8], unfinished: Unfinished) {
        if !self.record.current {
            return;
        }
        let literal = self.opts.shopt(Shopt::lithist);
        let after_comment = std::mem::replace(&mut self.record.comment, has_comment(line));
        let between = matches!(unfinished, Unfinished::Array | Unfinished::Between(_));
        if between && !literal && line.trim_ascii_start().starts_with(b"#") {
            return;
        }
        if !self.opts.shopt(Shopt::cmdhist) {
            self.add_history(line.to_vec());
            self.record.unsaved += 1;
            return;
        }
        let Some(entry) = self.history.last_mut() else { return };
        let mut joint: &[u8] = match unfinished {
            Unfinished::HereDocument { first: false } => b"",
            _ if after_comment || literal => b"\n",
            _ => joint(line, unfinished),
        };
        let quoted = matches!(unfinished, Unfinished::Quoted(_));
        if !quoted && entry.ends_with(b"\\") && !entry.ends_with(b"\\\\") {
            entry.pop();
            joint = b"";
        } else if !quoted && entry.ends_with(b"\n") {
            joint = joint.strip_prefix(b";").unwrap_or(joint);
        }
        entry.extend_from_slice(joint);
        entry.extend_from_slice(line);
    }
}

/// What joins two lines of a command, where a newline can be replaced.
fn joint(line: &[u8], unfinished: Unfinished) -> &'static [u8] {
    let begins_document = line.windows(2).any(|pair| pair == b"<<");
    match unfinished {
        Unfinished::HereDocument { .. } | Unfinished::Quoted(_) => b"\n",
        Unfinished::Array | Unfinished::Between(Joint::Head) => b" ",
        Unfinished::Between(Joint::Subshell) => b"; ",
        Unfinished::Between(_) if begins_document => b"\n",
        Unfinished::Between(Joint::For) if line.trim_ascii_start().starts_with(b"in") => b" ",
        Unfinished::Between(Joint::For) => b";",
        Unfinished::Between(Joint::Open) => b" ",
        Unfinished::Between(Joint::Closed) if line.trim_ascii_start().is_empty() => b"",
        Unfinished::Between(Joint::Closed) => b"; ",
    }
}

/// Whether a line has an unquoted `#`. The next line must then not be joined to it.
pub(super) fn has_comment(line: &[u8]) -> bool {
    let mut quote = 0;
    let mut bytes = line.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quote != b'\'' => {
                bytes.next();
            }
            b'#' if quote == 0 => return true,
            b'\'' | b'"' | b'`' if quote == 0 => quote = byte,
            _ if byte == quote => quote = 0,
            _ => {}
        }
    }
    false
}
