//! Listing directories.
//!
//! Cookies: 0 is the start, 1 comes after `.`, 2 after `..`, and c + 2 is the filesystem's own cursor c.

use sandshell_vfs::{Context, DirEntry, File, FileKind, Follow};
use wasmtime::{Caller, Linker};

use super::MODULE;
use super::fd::lookup;
use super::rights::{self, file_type};
use crate::abi::async_host_fn;
use crate::error::{Errno, Result};
use crate::fd::Object;
use crate::guest::{Guest, split};
use crate::offload::by_file;

/// The most bytes that one call returns, so that the host's work is bounded.
const MAX_BUFFER: u32 = 1 << 20;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    async_host_fn!(linker, MODULE, "fd_readdir", fd_readdir, (fd: u32, buf: u32, len: u32, cookie: u64, out: u32));
    Ok(())
}

async fn fd_readdir(
    caller: &mut Caller<'_, Guest>,
    fd: u32,
    buf: u32,
    len: u32,
    cookie: u64,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    mem.slice(buf, len)?;
    let description = lookup(guest, fd, rights::FD_READDIR)?;
    let Object::Directory { location, .. } = &description.object else { return Err(Errno::NOTDIR) };
    let cx = guest.context();
    let mut listing = Listing { bytes: Vec::new(), room: len.min(MAX_BUFFER) as usize };
    let mut cookie = cookie;
    if guest.program.native && cookie < 2 {
        // Native guests ignore `.` and `..`, and resolving `..` costs more than listing many names.
        cookie = 2;
    }
    if cookie == 0 {
        listing.push(1, location.key().ino, FileKind::Directory, b".");
        cookie = 1;
    }
    if cookie == 1 {
        let parent = guest.kernel.namespace.resolve(&cx, location, b"..", Follow::Yes);
        let ino = parent.map_or(location.key().ino, |parent| parent.key().ino);
        listing.push(2, ino, FileKind::Directory, b"..");
        cookie = 2;
    }
    let mut cursor = cookie - 2;
    while !listing.is_full() {
        let work = move |file: &dyn File, cx: &Context| file.read_dir(cx, cursor);
        let entries = by_file(&guest.kernel, &guest.process, &description, work).await?;
        let Some(last) = entries.last() else { break };
        cursor = last.next;
        listing.reserve(&entries);
        for entry in &entries {
            listing.push(entry.next.saturating_add(2), entry.ino, entry.kind, &entry.name);
        }
    }
    mem.write(buf, &listing.bytes)?;
    mem.write_u32(out, u32::try_from(listing.bytes.len()).map_err(|_| Errno::OVERFLOW)?)
}

/// The bytes of an entry before its name.
const HEAD: usize = 24;
/// The longest name.
const MAX_NAME: usize = 255;

/// Entries in WASI's format. The last may be cut off at the end of the buffer.
struct Listing {
    bytes: Vec<u8>,
    room: usize,
}

impl Listing {
    fn is_full(&self) -> bool {
        self.bytes.len() >= self.room
    }

    fn reserve(&mut self, entries: &[DirEntry]) {
        let bytes: usize = entries.iter().map(|entry| HEAD + entry.name.len()).sum();
        self.bytes.reserve(bytes.min(self.room.saturating_sub(self.bytes.len())) + HEAD + MAX_NAME);
    }

    fn push(&mut self, next: u64, ino: u64, kind: FileKind, name: &[u8]) {
        let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(&next.to_le_bytes());
        self.bytes.extend_from_slice(&ino.to_le_bytes());
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(&[file_type(kind), 0, 0, 0]);
        self.bytes.extend_from_slice(name);
        self.bytes.truncate(self.room);
    }
}
