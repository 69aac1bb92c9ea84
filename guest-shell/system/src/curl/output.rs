//! Where a transfer's output goes.

use super::job::Job;
use super::{Failure, WRITE_ERROR, failure};
use crate::base::say;
use sandshell_cli::out;
use sandshell_sys::{self as sys, open_flags};

/// The output of a transfer: standard output, or a file that is created when there is something to write.
pub(super) struct Output<'a> {
    job: &'a Job,
    path: Option<Vec<u8>>,
    fd: Option<sys::Fd>,
    /// The name of the file, with the number that `--no-clobber` gave it.
    opened: Option<Vec<u8>>,
    at_once: bool,
}

impl<'a> Output<'a> {
    pub(super) fn new(job: &'a Job, path: Option<&[u8]>) -> Self {
        let at_once = path.is_none() && (job.no_buffer || sys::isatty(1));
        Output { job, path: path.map(<[u8]>::to_vec), fd: None, opened: None, at_once }
    }

    /// Whether what is written is seen at once by the user.
    pub(super) fn is_terminal(&self) -> bool {
        self.path.is_none() && sys::isatty(1)
    }

    /// The file's name.
    pub(super) fn path(&self) -> Option<&[u8]> {
        self.opened.as_deref().or(self.path.as_deref())
    }

    /// Takes the name that the server gives, in the directory that was chosen.
    pub(super) fn rename(&mut self, path: Vec<u8>) {
        if self.fd.is_none() {
            self.path = Some(path);
        }
    }

    pub(super) fn write(&mut self, data: &[u8]) -> Result<(), Failure> {
        if self.path.is_none() {
            out::put(data);
            if self.at_once {
                out::flush();
            }
            return if out::failure().is_some() { Err(failure(WRITE_ERROR)) } else { Ok(()) };
        }
        let fd = self.open()?;
        sys::write_all(fd, data).map_err(|_| failure(WRITE_ERROR))
    }

    fn open(&mut self) -> Result<sys::Fd, Failure> {
        if let Some(fd) = self.fd {
            return Ok(fd);
        }
        let path = self.path.clone().unwrap_or_default();
        let mut flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
        if self.job.no_clobber {
            flags |= open_flags::EXCL;
        }
        if self.job.resume.is_some() {
            flags = open_flags::WRITE | open_flags::CREATE | open_flags::APPEND;
        }
        let mut opened = sys::open(&path, flags, 0o644);
        self.opened = Some(path.clone());
        if flags & open_flags::EXCL != 0 {
            // The file that is there stays: its name gets a number.
            for number in 1..=100 {
                if opened != Err(sys::Errno::EXIST) {
                    break;
                }
                let numbered = [path.as_slice(), format!(".{number}").as_bytes()].concat();
                opened = sys::open(&numbered, flags, 0o644);
                self.opened = Some(numbered);
            }
        }
        match opened {
            Ok(fd) => {
                self.fd = Some(fd);
                Ok(fd)
            }
            Err(e) => {
                if !self.job.silent {
                    let text = e.to_string();
                    say::raw(
                        [
                            b"Warning: Failed to open the file ",
                            path.as_slice(),
                            b": ",
                            text.as_bytes(),
                            b"\n",
                        ]
                        .concat(),
                    );
                }
                Err(failure(WRITE_ERROR))
            }
        }
    }

    /// Forgets what was written, before the transfer is tried again. Standard output keeps it.
    pub(super) fn begin_again(&mut self) {
        if let Some(fd) = self.fd
            && self.job.resume.is_none()
        {
            let _ = sys::ftruncate(fd, 0);
            let _ = sys::lseek(fd, 0, 0);
        }
    }

    /// Closes the file. An empty transfer that succeeded creates an empty file.
    pub(super) fn finish(mut self, succeeded: bool, modified: Option<i64>) -> Result<(), Failure> {
        if self.path.is_none() {
            return Ok(());
        }
        if self.fd.is_none() && !succeeded {
            return Ok(());
        }
        let fd = self.open()?;
        let _ = sys::close(fd);
        let path = self.path().unwrap_or_default();
        if !succeeded && self.job.remove_on_error {
            let _ = sys::unlink(path);
        } else if let Some(time) = modified.filter(|_| self.job.remote_time) {
            let _ = sys::utimens(path, sys::SetTime::At(time, 0), sys::SetTime::At(time, 0), true);
        }
        Ok(())
    }
}

/// The name of the output file of a URL, of which `name` was asked for, or the last part of the path.
pub(super) fn target(job: &Job, name: Option<Vec<u8>>, path: &[u8]) -> Result<Vec<u8>, Failure> {
    let name = match name {
        Some(name) => name,
        None => {
            let path = path.split(|b| *b == b'?').next().unwrap_or_default();
            let last = path.rsplit(|b| *b == b'/').next().unwrap_or_default();
            if last.is_empty() {
                return Err((23, b"Failed writing received data to disk/application".to_vec()));
            }
            last.to_vec()
        }
    };
    let path = in_directory(job, &name);
    if job.create_dirs {
        for (i, _) in path.iter().enumerate().filter(|(i, b)| **b == b'/' && *i > 0) {
            let _ = sys::mkdir(path.get(..i).unwrap_or_default(), 0o755);
        }
    }
    Ok(path)
}

/// The name in `--output-dir`.
pub(super) fn in_directory(job: &Job, name: &[u8]) -> Vec<u8> {
    match &job.output_dir {
        Some(dir) => [dir.as_slice(), b"/", name].concat(),
        None => name.to_vec(),
    }
}
