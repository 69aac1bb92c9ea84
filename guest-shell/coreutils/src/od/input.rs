//! The files of `od` as one stream of bytes.

use sandshell_cli::input::Input;
use sandshell_cli::quote::quotef;
use sandshell_cli::warn;
use sandshell_sys as sys;

/// Consecutive files. Those that cannot be read are reported and skipped.
pub(crate) struct Files {
    names: std::vec::IntoIter<Vec<u8>>,
    current: Option<(Input, Vec<u8>)>,
    /// Whether to read no more than asked for, as another program may read the rest.
    exact: bool,
    /// Whether there was no error.
    pub(crate) ok: bool,
}

impl Files {
    /// Opens the first one of `names` that can be opened.
    pub(crate) fn new(names: Vec<Vec<u8>>, exact: bool) -> Self {
        let mut files = Self { names: names.into_iter(), current: None, exact, ok: true };
        files.open_next();
        files
    }

    /// Whether there is nothing more to read.
    pub(crate) fn ended(&self) -> bool {
        self.current.is_none()
    }

    /// Fills `block` as far as possible. Returns the number of bytes.
    pub(crate) fn read(&mut self, block: &mut [u8]) -> usize {
        let mut have = 0;
        while have < block.len() {
            let Some((input, name)) = &mut self.current else { break };
            let to = &mut block[have..];
            let got = if self.exact {
                sys::read(input.fd(), to)
            } else {
                input.fill().map(|there| {
                    let n = there.len().min(to.len());
                    to[..n].copy_from_slice(&there[..n]);
                    n
                })
            };
            match got {
                Ok(0) => self.open_next(),
                Ok(n) => {
                    if !self.exact {
                        input.consume(n);
                    }
                    have += n;
                }
                Err(sys::Errno::INTR) => {}
                Err(e) => {
                    let name = if name == b"-" { b"standard input".to_vec() } else { name.clone() };
                    warn!("od", quotef(&name), ": ", e);
                    self.ok = false;
                    self.open_next();
                }
            }
        }
        have
    }

    /// Reads the next byte.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        (self.read(&mut byte) == 1).then_some(byte[0])
    }

    /// Skips `count` bytes. Returns false if there are fewer.
    pub(crate) fn skip(&mut self, mut count: u64) -> bool {
        let mut buffer = vec![0; 64 * 1024];
        while count > 0 && !self.ended() {
            if self.passed_over(count) {
                return true;
            }
            let want = count.min(buffer.len() as u64) as usize;
            count -= self.read(&mut buffer[..want]) as u64;
        }
        count == 0
    }

    /// Skips bytes by seeking in a file whose size is unknown, such as a device.
    fn passed_over(&self, count: u64) -> bool {
        let Some((input, _)) = &self.current else { return false };
        let sized = sys::fstat(input.fd()).map_or(true, |s| s.is_file());
        !sized && i64::try_from(count).is_ok_and(|n| sys::lseek(input.fd(), n, 1).is_ok())
    }

    fn open_next(&mut self) {
        self.current = None;
        for name in self.names.by_ref() {
            match Input::open(&name) {
                Ok(input) => {
                    self.current = Some((input, name));
                    return;
                }
                Err(e) => {
                    warn!("od", quotef(&name), ": ", e);
                    self.ok = false;
                }
            }
        }
    }
}
