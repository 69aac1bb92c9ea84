//! Which processes and files are meant, and what of it was found.

use super::files::{Descriptor, OpenFile};
use super::options::{Command, Request, Set};
use super::sockets::Socket;
use crate::procps::Process;
use sandshell_posix::users::number;
use sandshell_sys as sys;
use std::collections::{BTreeMap, BTreeSet};
use sys::Errno;

pub(super) struct Selection<'a> {
    request: &'a Request,
    /// What is named.
    names: Vec<Vec<u8>>,
    /// Files by device and inode, and filesystems by device, with the position of their name.
    files: BTreeMap<(u64, u64), usize>,
    filesystems: BTreeMap<u64, usize>,
    /// Names of which the system knows no file.
    pub(super) without_status: Vec<(Vec<u8>, Errno)>,
    /// Which elements were found, in the order of `missing`.
    found: BTreeSet<Element>,
}

/// An element of the request, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Element {
    Command(usize),
    Group(usize),
    Pid(usize),
    User,
    Name(usize),
    /// The position of a place, or 0 if none was given.
    Internet(usize),
    Unix,
}

/// How a process was selected: whether by each kind of selection that there is.
pub(super) struct Chosen {
    any: bool,
    every: bool,
}

impl<'a> Selection<'a> {
    pub(super) fn new(request: &'a Request) -> Self {
        let mut selection = Self {
            request,
            names: Vec::new(),
            files: BTreeMap::new(),
            filesystems: BTreeMap::new(),
            without_status: Vec::new(),
            found: BTreeSet::new(),
        };
        let mounts = if request.names.is_empty() { BTreeSet::new() } else { mount_points() };
        for name in &request.names {
            match sys::stat(name, true) {
                Ok(status) => {
                    let filesystem = request
                        .filesystems
                        .unwrap_or_else(|| resolved(name).is_ok_and(|path| mounts.contains(&path)));
                    if filesystem {
                        selection.filesystems.insert(status.dev, selection.names.len());
                    } else {
                        selection.files.insert((status.dev, status.ino), selection.names.len());
                    }
                    selection.names.push(name.clone());
                }
                Err(why) => selection.without_status.push((name.clone(), why)),
            }
        }
        for (name, deep) in &request.directories {
            selection.add_directory(name, *deep);
        }
        selection
    }

    /// A directory, what is in it, and if `deep` what is below, but not where links lead.
    fn add_directory(&mut self, name: &[u8], deep: bool) {
        let mut waiting = vec![(name.to_vec(), true)];
        while let Some((path, open)) = waiting.pop() {
            // Only the directory that is named may be a link.
            let status = match sys::stat(&path, path == name) {
                Ok(status) => status,
                // It went away meanwhile.
                Err(Errno::NOENT) => continue,
                Err(why) => {
                    self.without_status.push((path, why));
                    continue;
                }
            };
            if status.mode & sys::S_IFMT == sys::S_IFLNK {
                continue;
            }
            self.files.insert((status.dev, status.ino), self.names.len());
            self.names.push(path.clone());
            if !open || !status.is_dir() {
                continue;
            }
            let slash: &[u8] = if path.ends_with(b"/") { b"" } else { b"/" };
            let entries = match sys::read_dir(&path) {
                Ok(entries) => entries,
                Err(why) => {
                    self.without_status.push((path, why));
                    continue;
                }
            };
            for entry in entries {
                if entry.name != b"." && entry.name != b".." {
                    waiting.push(([path.as_slice(), slash, &entry.name].concat(), deep));
                }
            }
        }
    }

    /// Names were all that was asked for, and there is no such file.
    pub(super) fn has_nothing_left(&self) -> bool {
        self.names.is_empty() && !self.without_status.is_empty() && !self.by_process() && !self.by_file()
    }

    fn by_process(&self) -> bool {
        let request = self.request;
        !(request.pids.included.is_empty()
            && request.groups.included.is_empty()
            && request.users.included.is_empty()
            && request.commands.included.is_empty())
    }

    fn by_file(&self) -> bool {
        !self.names.is_empty()
            || !self.request.descriptors.included.is_empty()
            || self.request.internet.is_some()
            || self.request.unix
            || self.request.remote
            || self.request.fewer_links.is_some()
    }

    /// `None`: no file of the process is meant.
    pub(super) fn process(&mut self, process: &Process) -> Option<Chosen> {
        let request = self.request;
        let excluded = request.pids.excluded.contains(&process.pid)
            || request.groups.excluded.contains(&process.group)
            || request.users.excluded.contains(&process.uid)
            || request.commands.excluded.iter().any(|command| command.is(&process.name));
        // One that has ended has no files.
        if excluded || process.state == b'Z' {
            return None;
        }
        let mut chosen = Chosen { any: false, every: true };
        let mut by = |positions: Option<Vec<Element>>| {
            let Some(positions) = positions else { return };
            chosen.any |= !positions.is_empty();
            chosen.every &= !positions.is_empty();
            self.found.extend(positions);
        };
        by(positions(&request.commands, |command: &Command| command.is(&process.name), Element::Command));
        by(positions(&request.groups, |group| *group == process.group, Element::Group));
        by(positions(&request.pids, |pid| *pid == process.pid, Element::Pid));
        // That one of them has no process is no error.
        by(positions(&request.users, |user| *user == process.uid, |_| Element::User));
        let possible =
            if request.all { chosen.every } else { chosen.any || self.by_file() || !self.by_process() };
        possible.then_some(chosen)
    }

    /// Whether a file of a process is shown.
    pub(super) fn file(&mut self, chosen: &Chosen, file: &mut OpenFile) -> bool {
        let request = self.request;
        if request.descriptors.excluded.iter().any(|range| is_in(range, file.fd)) {
            return false;
        }
        let (mut any, mut every) = (chosen.any, chosen.every);
        let mut by = |asked: bool, is: bool| {
            any |= asked && is;
            every &= !asked || is;
        };
        by(request.remote, false);
        let (internet, unix) = match &file.socket {
            Some(Socket::Internet(socket)) => {
                let places = request.internet.as_deref().unwrap_or_default();
                let first = places.iter().position(|place| place.is(socket));
                let place = if places.is_empty() { Some(0) } else { first };
                (place.filter(|_| request.states.iter().all(|states| states.allow(socket))), false)
            }
            Some(Socket::Unix(..)) => (None, true),
            None => (None, false),
        };
        by(request.internet.is_some(), internet.is_some());
        by(request.unix, unix);
        by(
            !request.descriptors.included.is_empty(),
            request.descriptors.included.iter().any(|range| is_in(range, file.fd)),
        );
        let few = request.fewer_links.zip(file.status()).is_some_and(|(most, status)| status.nlink < most);
        by(request.fewer_links.is_some(), few);
        let named = file.status().and_then(|status| self.files.get(&(status.dev, status.ino)).copied());
        let mounted = file.status().and_then(|status| self.filesystems.get(&status.dev).copied());
        by(!self.names.is_empty(), named.or(mounted).is_some());
        let shown = match request.all {
            true => every,
            false => any || !self.by_process() && !self.by_file(),
        };
        if shown {
            self.found.extend(named.into_iter().chain(mounted).map(Element::Name));
            self.found.extend(internet.map(Element::Internet));
            self.found.extend(unix.then_some(Element::Unix));
            // A file that was named has the name that it was given.
            if let Some(name) = named.and_then(|index| self.names.get(index)) {
                file.name.clone_from(name);
            }
        }
        shown
    }

    /// What was asked for and not found.
    pub(super) fn missing(&self) -> Vec<Vec<u8>> {
        let request = self.request;
        let mut missing = Vec::new();
        let mut look = |element: Element, text: Vec<u8>| {
            if !self.found.contains(&element) {
                missing.push(text);
            }
        };
        for (index, command) in request.commands.included.iter().enumerate() {
            look(Element::Command(index), [b"command not located: ", command.text()].concat());
        }
        for (index, name) in self.names.iter().enumerate() {
            look(Element::Name(index), [b"no file use located: ", name.as_slice()].concat());
        }
        for (index, group) in request.groups.included.iter().enumerate() {
            look(Element::Group(index), format!("process group ID not located: {group}").into_bytes());
        }
        for (index, pid) in request.pids.included.iter().enumerate() {
            look(Element::Pid(index), format!("process ID not located: {pid}").into_bytes());
        }
        match &request.internet {
            Some(places) if places.is_empty() => {
                look(Element::Internet(0), b"no Internet files located".to_vec());
            }
            Some(places) => {
                for (index, place) in places.iter().enumerate() {
                    let text = [b"Internet address not located: ", place.text.as_slice()].concat();
                    look(Element::Internet(index), text);
                }
            }
            None => {}
        }
        if request.unix {
            look(Element::Unix, b"no UNIX domain socket files located".to_vec());
        }
        if request.remote {
            missing.push(b"no NFS files located".to_vec());
        }
        missing
    }
}

/// The elements of a set that are met; `None` if it includes nothing.
fn positions<T>(
    set: &Set<T>,
    is: impl Fn(&T) -> bool,
    element: fn(usize) -> Element,
) -> Option<Vec<Element>> {
    let met = set.included.iter().enumerate().filter(|(_, entry)| is(entry));
    (!set.included.is_empty()).then(|| met.map(|(index, _)| element(index)).collect())
}

fn is_in((first, last): &(Vec<u8>, Vec<u8>), fd: Descriptor) -> bool {
    match (fd, number(first), number(last)) {
        (Descriptor::Number(number), Some(first), Some(last)) => (first..=last).contains(&number),
        (Descriptor::Number(_), ..) => false,
        (named, ..) => first == last && named.name().as_bytes() == first.as_slice(),
    }
}

/// The path of a directory without links.
fn resolved(directory: &[u8]) -> sys::Result<Vec<u8>> {
    let fd = sys::open(directory, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0)?;
    let path = sys::readlink(format!("/proc/self/fd/{fd}").as_bytes());
    let _ = sys::close(fd);
    path
}

/// The directories that are roots of filesystems.
fn mount_points() -> BTreeSet<Vec<u8>> {
    let text = sys::read_file(b"/proc/mounts").unwrap_or_default();
    let second = |line: &[u8]| line.split(|byte| *byte == b' ').nth(1).map(unescaped);
    text.split(|byte| *byte == b'\n').filter_map(second).collect()
}

/// A field of `/proc/mounts`, whose spaces are written as `\040`.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let octal =
            after.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                text.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                text.push(*first);
                rest = after;
            }
        }
    }
    text
}
