//! Reads the files of `hexdump` as blocks, with `-s` and `-n` applied. Repeated blocks are left out.

use sandshell_cli::input::Input;
use sandshell_cli::out;
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;

/// What happened to the last block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// Every block is shown.
    All,
    First,
    /// The last block was shown.
    Wait,
    /// The last block repeated one that was shown.
    Duplicate,
}

/// The stream of blocks.
pub(crate) struct Blocks {
    names: std::vec::IntoIter<Vec<u8>>,
    /// Whether standard input is still to be read because no file is named.
    stdin: bool,
    input: Option<(Input, Vec<u8>)>,
    pub(crate) seen: Seen,
    size: usize,
    skip: u64,
    left: Option<u64>,
    /// The offset of the current block.
    pub(crate) address: u64,
    /// The offset of the end, known when it is reached within a block.
    pub(crate) end: Option<u64>,
    current: Vec<u8>,
    previous: Vec<u8>,
    started: bool,
    pub(crate) code: i32,
    opened: bool,
}

impl Blocks {
    pub(crate) fn new(names: Vec<Vec<u8>>, size: usize, seen: Seen, skip: u64, left: Option<u64>) -> Self {
        Self {
            stdin: names.is_empty(),
            names: names.into_iter(),
            input: None,
            seen,
            size,
            skip,
            left,
            address: 0,
            end: None,
            current: vec![0; size],
            previous: vec![0; size],
            started: false,
            code: 0,
            opened: false,
        }
    }

    /// The block that was read last.
    pub(crate) fn block(&self) -> &[u8] {
        &self.current
    }

    /// The next block, filled with zeros after the end of the data; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, i32> {
        if self.started {
            std::mem::swap(&mut self.current, &mut self.previous);
            self.address += self.size as u64;
        }
        self.started = true;
        let mut have = 0;
        loop {
            if self.left == Some(0) || self.input.is_none() && !self.open_next()? {
                if have == 0 {
                    return Ok(None);
                }
                self.current[have..].fill(0);
                self.end = Some(self.address + have as u64);
                return Ok(Some(&self.current));
            }
            let Some((input, name)) = &mut self.input else { continue };
            let room = self.size - have;
            let most = self.left.map_or(room, |left| left.min(room as u64) as usize);
            let n = match input.fill() {
                Ok(there) => {
                    let n = there.len().min(most);
                    self.current[have..have + n].copy_from_slice(&there[..n]);
                    n
                }
                Err(e) => {
                    warn!("hexdump", &*name, ": ", e);
                    0
                }
            };
            input.consume(n);
            if n == 0 {
                self.input = None;
                continue;
            }
            self.left = self.left.map(|left| left - n as u64);
            have += n;
            if have == self.size {
                let same = self.current == self.previous;
                if matches!(self.seen, Seen::All | Seen::First) || !same {
                    if self.seen != Seen::All {
                        self.seen = Seen::Wait;
                    }
                    return Ok(Some(&self.current));
                }
                if self.seen == Seen::Wait {
                    out::put("*\n");
                }
                self.seen = Seen::Duplicate;
                self.address += self.size as u64;
                have = 0;
            }
        }
    }

    /// Opens the next file that has data left after the skipped bytes.
    fn open_next(&mut self) -> Result<bool, i32> {
        loop {
            let (input, name) = if std::mem::take(&mut self.stdin) {
                (Input::of(0), bytes!("stdin"))
            } else {
                let Some(name) = self.names.next() else {
                    if !self.opened && self.code != 0 {
                        warn!("hexdump", "all input file arguments failed");
                        return Err(1);
                    }
                    return Ok(false);
                };
                match sys::open(&name, sys::open_flags::READ, 0) {
                    Ok(fd) => (Input::of(fd), name),
                    Err(e) => {
                        warn!("hexdump", name, ": ", e);
                        self.code = 1;
                        continue;
                    }
                }
            };
            self.opened = true;
            self.pass_over(&input, &name)?;
            if self.skip == 0 {
                self.input = Some((input, name));
                return Ok(true);
            }
        }
    }

    fn pass_over(&mut self, input: &Input, name: &[u8]) -> Result<(), i32> {
        if self.skip == 0 {
            return Ok(());
        }
        if let Ok(stat) = sys::fstat(input.fd())
            && stat.is_file()
            && name != b"stdin"
            && self.skip > stat.size
        {
            self.skip -= stat.size;
            self.address += stat.size;
            return Ok(());
        }
        let by = i64::try_from(self.skip).unwrap_or(i64::MAX);
        if let Err(e) = sys::lseek(input.fd(), by, 0) {
            warn!("hexdump", name, ": ", e);
            return Err(1);
        }
        self.address += self.skip;
        self.skip = 0;
        Ok(())
    }
}
