//! Copies the contents of regular files.

use super::attributes::{self, MODE_BITS};
use super::options::Options;
use sandshell_cli::out;
use sandshell_cli::quote::quoteaf;
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, Errno, Fd, Stat, open_flags as f};

const CHUNK: usize = 128 * 1024;
/// The size of the blocks that are tested for zeros.
const BLOCK: usize = 4096;

/// Copies a file's contents and the attributes to preserve. `new` tells whether the target does not exist yet. Returns
/// false after an error message.
pub(super) fn copy(o: &Options, from: &[u8], source: &Stat, to: &[u8], new: bool) -> bool {
    let fail = |text: Vec<u8>| {
        warn!(o.name, text);
        false
    };
    if o.reflink_only {
        return fail(bytes!("failed to clone ", quoteaf(to), " from ", quoteaf(from), ": ", Errno::NOTSUP));
    }
    let input = match sys::open(from, f::READ | f::CLOEXEC, 0) {
        Ok(fd) => fd,
        Err(e) => return fail(bytes!("cannot open ", quoteaf(from), " for reading: ", e)),
    };
    // Others must not read the file before its owner and mode are set.
    let mode = source.mode & MODE_BITS;
    let mut omitted = if o.preserve_owner { mode & 0o077 } else { 0 };
    let done = match target(o, to, new, mode & 0o777 & !omitted) {
        Ok((output, new)) => {
            if !new {
                omitted = 0;
            }
            let copied = o.attributes_only || data(o, input, from, output, to);
            let closed =
                sys::close(output).map_err(|e| fail(bytes!("failed to close ", quoteaf(to), ": ", e)));
            attributes::keep(o, source, to, new, omitted) && copied && closed.is_ok()
        }
        Err(message) => fail(message),
    };
    let _ = sys::close(input);
    done
}

/// Opens the target for writing. Returns whether it was created, or an error message.
fn target(o: &Options, to: &[u8], mut new: bool, mode: u32) -> Result<(Fd, bool), Vec<u8>> {
    if !new {
        let truncate = if o.attributes_only { 0 } else { f::TRUNC };
        match sys::open(to, f::WRITE | truncate | f::CLOEXEC, 0) {
            Ok(fd) => return Ok((fd, false)),
            Err(Errno::NOENT) => new = true,
            Err(_) if o.force => {
                match sys::unlink(to) {
                    Ok(()) if o.verbose => out::put(bytes!("removed ", quoteaf(to), "\n")),
                    Ok(()) | Err(Errno::NOENT) => {}
                    Err(e) => return Err(bytes!("cannot remove ", quoteaf(to), ": ", e)),
                }
                new = true;
            }
            Err(e) => return Err(bytes!("cannot create regular file ", quoteaf(to), ": ", e)),
        }
    }
    let flags = f::WRITE | f::CREATE | f::CLOEXEC;
    match sys::open(to, flags | f::EXCL, mode) {
        Ok(fd) => Ok((fd, new)),
        Err(Errno::EXIST) if !o.moving && sys::readlink(to).is_ok() => {
            if std::env::var_os("POSIXLY_CORRECT").is_none() {
                return Err(bytes!("not writing through dangling symlink ", quoteaf(to)));
            }
            let opened = sys::open(to, flags, mode);
            opened
                .map(|fd| (fd, true))
                .map_err(|e| bytes!("cannot create regular file ", quoteaf(to), ": ", e))
        }
        Err(e) => {
            let e = if e == Errno::ISDIR && to.ends_with(b"/") { Errno::NOTDIR } else { e };
            Err(bytes!("cannot create regular file ", quoteaf(to), ": ", e))
        }
    }
}

fn data(o: &Options, input: Fd, from: &[u8], output: Fd, to: &[u8]) -> bool {
    let mut buffer = vec![0u8; CHUNK];
    // The length of the hole at the end of the copy so far.
    let mut hole = 0u64;
    loop {
        let piece = match sys::read(input, &mut buffer) {
            Ok(0) => break,
            Ok(n) => buffer.get(..n).unwrap_or_default(),
            Err(Errno::INTR) => continue,
            Err(e) => {
                warn!(o.name, "error reading ", quoteaf(from), ": ", e);
                return false;
            }
        };
        let written =
            if o.make_holes { with_holes(output, piece, &mut hole) } else { sys::write_all(output, piece) };
        if let Err(e) = written {
            warn!(o.name, "error writing ", quoteaf(to), ": ", e);
            return false;
        }
    }
    if hole > 0
        && let Err(e) = sys::lseek(output, 0, 1).and_then(|end| sys::ftruncate(output, end))
    {
        warn!(o.name, "failed to extend ", quoteaf(to), ": ", e);
        return false;
    }
    true
}

/// Writes the blocks that are not zeros, and seeks over the others.
fn with_holes(output: Fd, piece: &[u8], hole: &mut u64) -> Result<(), Errno> {
    for block in piece.chunks(BLOCK) {
        if block.iter().all(|b| *b == 0) {
            sys::lseek(output, block.len() as i64, 1)?;
            *hole += block.len() as u64;
        } else {
            sys::write_all(output, block)?;
            *hole = 0;
        }
    }
    Ok(())
}
