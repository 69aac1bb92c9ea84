//! Commands of several lines, which are one entry of the history (`cmdhist`, `lithist`).

use crate::options::Shopt;
use crate::shell::Shell;
use sandshell_syntax::parser::{Joint, Unfinished};

impl Shell {
    /// Adds a line (with its newline) that was read: as one of its own, or to the command that is `unfinished`.
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

    /// Adds a line that goes on with the command whose first line was remembered: to that line, unless `cmdhist` is off.
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

/// What goes between a command's lines where a newline would be too much.
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

/// Whether a line has a `#` outside of quotes: what follows it must stay on another line.
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
