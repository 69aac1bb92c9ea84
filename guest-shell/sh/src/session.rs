//! A shell that lives: the host gives it commands one after another, and is told each one's status.
//!
//! It is an interactive shell whose user is somewhere else: an error gives up a command, and not the shell. There are
//! no prompts and no `!` expansion.

use crate::shell::{Flow, Run, Shell};
use sandshell_sys as sys;
use sys::Errno;

/// Whether the host gives commands.
pub(crate) fn is_one() -> bool {
    sys::session_read(&mut []).is_ok()
}

impl Shell {
    /// Runs commands until there are no more.
    pub(crate) fn run_session(&mut self) -> Run {
        let mut ahead = Vec::new();
        while let Some(text) = self.next_command(&mut ahead)? {
            self.notify_jobs();
            // What else gave up the command does not reach further.
            if let Err(Flow::Exit) = self.run_session_text(text) {
                return Err(Flow::Exit);
            }
            // An interrupt that came with what it has ended is not for the next command.
            self.between_commands()?;
            if sys::session_answer((self.status & 0xff) as u8).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The next command; `None` at the end. Traps run when their signals come.
    fn next_command(&mut self, ahead: &mut Vec<u8>) -> Run<Option<Vec<u8>>> {
        let mut seen = 0;
        loop {
            let rest = ahead.get(seen..).unwrap_or_default();
            if let Some(end) = rest.iter().position(|byte| *byte == 0) {
                let mut text: Vec<u8> = ahead.drain(..=seen + end).collect();
                text.pop();
                return Ok(Some(text));
            }
            seen = ahead.len();
            let mut chunk = [0; 8192];
            match sys::session_read(&mut chunk) {
                Ok(count) if count > 0 => ahead.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                Err(Errno::INTR) => self.between_commands()?,
                Ok(_) | Err(_) => return Ok(None),
            }
        }
    }

    /// Answers signals when no command runs. An interrupt has nothing to interrupt.
    fn between_commands(&mut self) -> Run {
        let status = self.status;
        let answered = self.answer_signals();
        let _ = self.flush();
        self.status = status;
        match answered {
            Err(Flow::Exit) => Err(Flow::Exit),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}
