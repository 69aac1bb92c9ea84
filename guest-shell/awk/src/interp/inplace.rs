//! `-i inplace`: while a file is being read, standard output goes to its replacement.

use super::{Interp, R};
use crate::diag::{self, bytes};
use crate::streams::Output;
use sandshell_sys::{self as sys, open_flags as o};

/// The file being rewritten.
struct Target {
    name: Vec<u8>,
    temporary: Vec<u8>,
    mode: u32,
    /// The program's own standard output.
    stdout: Output,
}

/// The state of `-i inplace`.
#[derive(Default)]
pub(super) struct InPlace {
    target: Option<Target>,
}

impl Interp<'_> {
    /// Called before a file is read.
    pub(super) fn begin_in_place(&mut self, name: &[u8]) -> R<()> {
        let Some(state) = &self.in_place else { return Ok(()) };
        if state.target.is_some() {
            return Ok(());
        }
        let Some(stat) = sys::stat(name, true).ok().filter(sys::Stat::is_file) else {
            diag::say(&bytes!(
                "inplace:59: warning: inplace::begin: disabling in-place editing for invalid FILENAME `",
                name,
                "'"
            ));
            return Ok(());
        };
        let flushed = self.stdout.flush();
        flushed.map_err(|e| self.fatal(bytes!("inplace::begin: ", e.text())))?;
        let temporary = bytes!(name, ".gawk.", sys::getpid().to_string());
        let fd = sys::open(&temporary, o::WRITE | o::CREATE | o::EXCL | o::CLOEXEC, 0o600).map_err(|e| {
            self.fatal(bytes!("inplace::begin: mkstemp `", temporary, "' failed (", e.text(), ")"))
        })?;
        let stdout = std::mem::replace(&mut self.stdout, Output::new(fd, true));
        if let Some(state) = &mut self.in_place {
            let mode = stat.mode & 0o7777;
            state.target = Some(Target { name: name.to_vec(), temporary, mode, stdout });
        }
        Ok(())
    }

    /// Called after a file has been read.
    pub(super) fn end_in_place(&mut self) -> R<()> {
        let Some(target) = self.in_place.as_mut().and_then(|s| s.target.take()) else { return Ok(()) };
        let mut written = std::mem::replace(&mut self.stdout, target.stdout);
        let suffix = self
            .program
            .globals
            .iter()
            .position(|g| g == b"INPLACE_SUFFIX")
            .and_then(|g| self.globals.get(g))
            .map(|v| self.text_of(v))
            .unwrap_or_default();
        let done = written.close().and_then(|()| {
            sys::chmod(&target.temporary, target.mode)?;
            if !suffix.is_empty() {
                let backup = bytes!(target.name, suffix);
                let _ = sys::unlink(&backup);
                sys::link(&target.name, &backup, true)?;
            }
            sys::rename(&target.temporary, &target.name)
        });
        done.map_err(|e| self.fatal(bytes!("inplace::end: ", e.text())))
    }
}
