//! `set -b`: jobs that end while a command is typed are told of at once.

use super::{Editor, Typed};
use crate::options::flag;
use crate::shell::Shell;
use sandshell_sys as sys;
use sys::{Disposition, signal};

impl Shell {
    /// Lets the user type a command, or a further line of it.
    pub(crate) fn edit_command(&mut self, prompt: Vec<u8>, text: Vec<u8>) -> Typed {
        if !self.opts.has(flag::NOTIFY) || !self.opts.interactive {
            return self.edit_line(prompt, text);
        }
        let before = sys::sigaction(signal::SIGCHLD, Disposition::Catch);
        // What ended before came without a signal.
        self.notify_jobs();
        self.editor.tells_jobs = true;
        let typed = self.edit_line(prompt, text);
        self.editor.tells_jobs = false;
        if let Ok(before) = before {
            let _ = sys::sigaction(signal::SIGCHLD, before);
        }
        typed
    }
}

impl Editor<'_> {
    /// Says which jobs have ended. As in bash, it is written where the cursor is, and the line is not drawn again.
    pub(super) fn tell_jobs(&mut self) {
        if !self.shell.editor.tells_jobs {
            return;
        }
        self.shell.reap();
        let lines = self.shell.ended_jobs();
        let lines: Vec<&[u8]> = lines.split(|byte| *byte == b'\n').collect();
        self.screen.put(&lines.join(&b"\r\n"[..]));
    }
}
