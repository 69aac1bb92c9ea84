//! Keys as they are typed.

use crate::modes::{input, local, special};
use sandshell_sys::{self as sys, Fd, Result, Termios, When};

/// A terminal without line editing and echo, as long as this value lives.
#[derive(Debug)]
pub struct Raw {
    fd: Fd,
    before: Termios,
}

impl Raw {
    /// Switches line editing and echo off. With `signals`, Ctrl-C and its like still make signals.
    ///
    /// # Errors
    /// `ENOTTY` if `fd` is no terminal.
    pub fn enter(fd: Fd, signals: bool) -> Result<Raw> {
        let before = sys::tcgetattr(fd)?;
        let mut modes = before.clone();
        modes.iflag &= !(input::ICRNL | input::INLCR | input::IGNCR | input::IXON | input::ISTRIP);
        modes.lflag &= !(local::ICANON | local::ECHO | local::IEXTEN | local::ECHONL);
        if signals {
            // This key suspends others, but not a program that would have to restore the screen first.
            modes.cc[special::SUSP] = 0;
        } else {
            modes.lflag &= !local::ISIG;
        }
        (modes.cc[special::MIN], modes.cc[special::TIME]) = (1, 0);
        sys::tcsetattr(fd, When::Drain, &modes)?;
        Ok(Raw { fd, before })
    }

    /// The settings from before.
    pub fn before(&self) -> &Termios {
        &self.before
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // The terminal may be gone.
        let _ = sys::tcsetattr(self.fd, When::Drain, &self.before);
    }
}
