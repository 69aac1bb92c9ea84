//! What a process has open.

use std::collections::HashMap;

use super::sockets::Socket;
use sandshell_sys as sys;
use sys::{Errno, Stat};

/// One row.
#[derive(Clone, Debug)]
pub(super) struct OpenFile {
    pub(super) fd: Descriptor,
    /// `r`, `w` or `u` for both; a space if that has no meaning.
    pub(super) access: u8,
    pub(super) place: Place,
    pub(super) name: Vec<u8>,
    pub(super) socket: Option<Socket>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Descriptor {
    /// The working directory.
    Cwd,
    /// The root directory.
    Root,
    /// The program.
    Text,
    Number(u32),
    /// Stands for descriptors that may not be seen.
    Hidden,
}

#[derive(Clone, Debug)]
pub(super) enum Place {
    Known(Stat),
    /// What may not be seen: whether the row has a type that says so.
    Unknown(bool),
}

impl Descriptor {
    pub(super) fn name(self) -> String {
        match self {
            Self::Cwd => "cwd".into(),
            Self::Root => "rtd".into(),
            Self::Text => "txt".into(),
            Self::Hidden => "NOFD".into(),
            Self::Number(number) => number.to_string(),
        }
    }
}

impl OpenFile {
    pub(super) fn status(&self) -> Option<&Stat> {
        match &self.place {
            Place::Known(status) => Some(status),
            Place::Unknown(_) => None,
        }
    }
}

/// The open files of a process, in the order in which they are shown.
pub(super) fn files(pid: i64, sockets: &HashMap<u64, Socket>) -> Vec<OpenFile> {
    let at = |name: &str| format!("/proc/{pid}/{name}");
    let mut found = Vec::new();
    for (fd, link) in [(Descriptor::Cwd, "cwd"), (Descriptor::Root, "root"), (Descriptor::Text, "exe")] {
        found.extend(file(fd, b' ', &at(link), sockets));
    }
    let directory = at("fd");
    match sys::read_dir(directory.as_bytes()) {
        Ok(entries) => {
            let number = |name: &[u8]| std::str::from_utf8(name).ok()?.parse().ok();
            let mut numbers: Vec<u32> = entries.iter().filter_map(|entry| number(&entry.name)).collect();
            numbers.sort_unstable();
            for number in numbers {
                let link = format!("{directory}/{number}");
                // The permissions of the link are those of the descriptor.
                let access = match sys::stat(link.as_bytes(), false).map_or(0, |link| link.mode & 0o600) {
                    0o600 => b'u',
                    0o400 => b'r',
                    0o200 => b'w',
                    _ => b' ',
                };
                found.extend(file(Descriptor::Number(number), access, &link, sockets));
            }
        }
        Err(Errno::ACCES | Errno::PERM) => found.push(OpenFile {
            fd: Descriptor::Hidden,
            access: b' ',
            place: Place::Unknown(false),
            name: format!("{directory} (opendir: Permission denied)").into_bytes(),
            socket: None,
        }),
        // It has ended meanwhile.
        Err(_) => {}
    }
    found
}

/// What a link of `/proc` leads to; `None` if it has gone meanwhile.
fn file(fd: Descriptor, access: u8, link: &str, sockets: &HashMap<u64, Socket>) -> Option<OpenFile> {
    let name = match sys::readlink(link.as_bytes()) {
        Ok(name) => name,
        Err(Errno::ACCES | Errno::PERM) => {
            let name = format!("{link} (readlink: Permission denied)").into_bytes();
            return Some(OpenFile { fd, access: b' ', place: Place::Unknown(true), name, socket: None });
        }
        Err(_) => return None,
    };
    let status = sys::stat(link.as_bytes(), true).ok()?;
    let name = match name {
        name if name.starts_with(b"pipe:[") => b"pipe".to_vec(),
        name if name.starts_with(b"socket:[") => b"can't identify protocol".to_vec(),
        name => name,
    };
    let is_socket = status.mode & sys::S_IFMT == sys::S_IFSOCK;
    let socket = if is_socket { sockets.get(&status.ino).cloned() } else { None };
    Some(OpenFile { fd, access, place: Place::Known(status), name, socket })
}
