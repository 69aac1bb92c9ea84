//! Messages on standard error, with bash's prefix.

use crate::options::{Shopt, flag};
use crate::shell::{Flow, Shell};
use crate::text;
use sandshell_sys as sys;

impl Shell {
    /// The name at the start of messages: the file that contains the running code, or `$0`. In an interactive shell it
    /// is always `$0`.
    fn message_name(&self) -> &[u8] {
        if self.opts.interactive {
            return self.invoked_as.rsplit(|b| *b == b'/').next().unwrap_or_default();
        }
        match self.source_name() {
            Some(source) if !source.is_empty() => source,
            _ => &self.arg0,
        }
    }

    /// `NAME: line N: `, or `NAME: ` in an interactive shell.
    pub(crate) fn prefix(&self) -> Vec<u8> {
        self.prefix_at(self.line)
    }

    pub(crate) fn prefix_at(&self, line: u32) -> Vec<u8> {
        let mut out = self.message_name().to_vec();
        if self.opts.shopt(Shopt::gnu_errfmt) && !self.opts.interactive {
            out.push(b':');
            text::push_number(&mut out, line.max(1).into());
            out.extend_from_slice(b": ");
            return out;
        }
        out.extend_from_slice(b": ");
        if !self.opts.interactive && line > 0 {
            out.extend_from_slice(b"line ");
            text::push_number(&mut out, line.into());
            out.extend_from_slice(b": ");
        }
        out
    }

    /// Prints a message with the prefix.
    pub(crate) fn error(&mut self, message: impl AsRef<[u8]>) {
        let mut out = self.prefix();
        out.extend_from_slice(message.as_ref());
        out.push(b'\n');
        self.write_error(&out);
    }

    /// Prints an error of an expansion or an assignment, which abandons the command. Under `set -e` it ends the shell,
    /// whatever the context of the command.
    pub(crate) fn expansion_error(&mut self, message: impl AsRef<[u8]>) -> Flow {
        self.error(message);
        if !self.errors_exit() {
            self.status = 1;
            return Flow::Discard;
        }
        if self.status == 0 {
            self.status = 1;
        }
        self.act_where_left();
        Flow::Exit
    }

    /// Whether errors in expansions and in syntax end the shell under `set -e`.
    pub(crate) fn errors_exit(&self) -> bool {
        self.opts.has(flag::ERREXIT) && self.errexit_ignored == 0
    }

    /// Prints `PREFIX: builtin: message`.
    pub(crate) fn error_of(&mut self, builtin: &[u8], message: impl AsRef<[u8]>) {
        let message = [builtin, b": ", message.as_ref()].concat();
        self.error(message);
    }

    /// Writes to standard error. The running builtin's output is written first, to keep the order.
    pub(crate) fn write_error(&mut self, text: &[u8]) {
        let _ = self.flush();
        let _ = sys::write_all(self.error_fd, text);
    }
}
