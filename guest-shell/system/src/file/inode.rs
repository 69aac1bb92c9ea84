//! What the filesystem tells about a file before it is read.

use super::Description;
use super::options::Options;
use sandshell_sys::{self as sys, Errno};

/// The result for a name.
pub(super) enum Inspected {
    /// The complete description.
    Text(Description),
    /// The file may not be read. This is printed whatever the options ask for.
    Unreadable(Vec<u8>),
    /// There is no such file.
    Missing(Errno),
    /// The file's content must be examined; its description begins with this text.
    Open(Vec<u8>, sys::Fd),
}

/// Examines a name.
pub(super) fn look(options: &Options, name: &[u8]) -> Inspected {
    if name == b"-" {
        return Inspected::Open(Vec::new(), 0);
    }
    let plain = match sys::stat(name, options.follow) {
        Ok(status) => status,
        Err(e) => return Inspected::Missing(e),
    };
    let mut prefix = Vec::new();
    for (bit, text) in [(0o4000, "setuid, "), (0o2000, "setgid, "), (0o1000, "sticky, ")] {
        if plain.mode & bit != 0 {
            prefix.extend_from_slice(text.as_bytes());
        }
    }
    let told = |text: &[u8], mime| Inspected::Text(Description::bytes([&prefix, text].concat(), mime));
    match plain.mode & 0o170_000 {
        0o040_000 => told(b"directory", "inode/directory"),
        0o120_000 => link(name),
        0o010_000 if !options.special => told(b"fifo (named pipe)", "inode/fifo"),
        0o140_000 => told(b"socket", "inode/socket"),
        0o020_000 if !options.special => {
            let text = format!("character special ({}/{})", plain.rdev >> 8 & 0xfff, plain.rdev & 0xff);
            told(text.as_bytes(), "inode/chardevice")
        }
        0o060_000 if !options.special => {
            let text = format!("block special ({}/{})", plain.rdev >> 8 & 0xfff, plain.rdev & 0xff);
            told(text.as_bytes(), "inode/blockdevice")
        }
        // For a regular file, these words precede its description without a comma.
        _ => match sys::open(name, sys::open_flags::READ, 0) {
            Ok(fd) => {
                prefix.retain(|b| *b != b',');
                Inspected::Open(prefix, fd)
            }
            Err(_) => {
                let mut text = Vec::new();
                for (mask, word) in [(2, "writable, "), (1, "executable, ")] {
                    if sys::access(name, mask).is_ok() {
                        text.extend_from_slice(word.as_bytes());
                    }
                }
                text.extend_from_slice(b"regular file, no read permission");
                Inspected::Unreadable(text)
            }
        },
    }
}

fn link(name: &[u8]) -> Inspected {
    let target = match sys::readlink(name) {
        Ok(target) => target,
        Err(e) => return Inspected::Missing(e),
    };
    match sys::stat(name, true) {
        Ok(_) => Inspected::Text(Description::bytes(
            [b"symbolic link to ", target.as_slice()].concat(),
            "inode/symlink",
        )),
        Err(_) => Inspected::Text(Description::bytes(
            [b"broken symbolic link to ", target.as_slice()].concat(),
            "inode/symlink",
        )),
    }
}
