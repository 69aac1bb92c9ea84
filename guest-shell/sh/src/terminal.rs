//! The terminal of an interactive shell: who has it, its settings and its size.

use crate::options::{Shopt, flag};
use crate::shell::Shell;
use crate::variables::Name;
use sandshell_sys as sys;
use sys::{Pid, WaitStatus, When};

impl Shell {
    /// Whether jobs get the terminal while they are in the foreground.
    pub(crate) fn gives_terminal(&self) -> bool {
        self.opts.interactive && self.opts.has(flag::MONITOR)
    }

    /// Makes a job the terminal's foreground process group.
    pub(crate) fn foreground(&mut self, pgid: Pid) {
        if self.gives_terminal() {
            let _ = sys::tcsetpgrp(2, pgid);
        }
    }

    /// Takes the terminal back from a job. What an ended command has set stays; one that was stopped or killed could
    /// not clean up.
    pub(crate) fn foreground_self(&mut self, last: Option<WaitStatus>) {
        if !self.gives_terminal() {
            return;
        }
        if let Ok(own) = sys::getpgid(0) {
            let _ = sys::tcsetpgrp(2, own);
        }
        // The prompt does not belong on the row of `^C`.
        if last == Some(WaitStatus::Signaled(sys::signal::SIGINT)) {
            let _ = sys::write_all(2, b"\n");
        }
        match (last, &self.terminal) {
            (Some(WaitStatus::Stopped(_) | WaitStatus::Signaled(_)), Some(modes)) => {
                let _ = sys::tcsetattr(2, When::Drain, modes);
            }
            _ => self.terminal = sys::tcgetattr(2).ok().or(self.terminal.take()),
        }
        if self.opts.shopt(Shopt::checkwinsize) {
            self.note_window_size();
        }
    }

    /// Sets `LINES` and `COLUMNS` to the size of the terminal.
    pub(crate) fn note_window_size(&mut self) {
        let Ok((rows, columns)) = sys::tty_size(2) else { return };
        for (name, value) in [(&b"LINES"[..], rows), (b"COLUMNS", columns)] {
            let value = value.to_string();
            let name = Name::new(name);
            let same = self.value(name).is_some_and(|v| *v == *value.as_bytes());
            if value != "0" && !same {
                let _ = self.assign(name, value.as_bytes(), false);
            }
        }
    }
}
