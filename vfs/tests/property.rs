//! Compares random operations on every kind of filesystem with the kernel on a real directory: error numbers, results
//! and trees must be the same. Runs as the superuser, so without checks of mode bits.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use sandshell_vfs::{
    Access, Context, Errno, File, FileKind, FileSystem, Follow, HostAccess, HostDir, Location, MemoryFs,
    MountOptions, Namespace, OpenOptions, Opened, Overlay, SetAttributes, SetTime, Time,
};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

const CX: &Context = &Context::ROOT;
/// The directory where operations start, deep enough that one `..` stays inside.
const BASE: &str = "w/base";

#[derive(Clone, Debug)]
enum Op {
    Mkdir(String, u32),
    Open(String, Flags, Vec<u8>),
    Truncate(String, u64),
    Symlink(String, String),
    Link(String, String, bool),
    Unlink(String),
    Rmdir(String),
    Rename(String, String),
    Chmod(String, u32),
    Utimens(String, i64, bool),
    Stat(String, bool),
    Readlink(String),
    List(String),
    WriteAt(String, u64, Vec<u8>),
    Allocate(String, u64, u64),
}

#[derive(Clone, Copy, Debug)]
struct Flags {
    read: bool,
    write: bool,
    append: bool,
    create: bool,
    exclusive: bool,
    truncate: bool,
    directory: bool,
    nofollow: bool,
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![8 => Just("a"), 6 => Just("b"), 4 => Just("c"), 1 => Just("d e")].prop_map(str::to_owned)
}

/// A path of one to three names, with at most one `..`, which is not the first.
fn path() -> impl Strategy<Value = String> {
    let middle = prop_oneof![6 => name(), 1 => Just(".".to_owned()), 1 => Just("..".to_owned())];
    (name(), proptest::option::weighted(0.5, middle), proptest::option::weighted(0.3, name()), 0..20)
        .prop_map(|(first, second, third, odd)| {
            let mut path = first;
            for part in [second, third].into_iter().flatten() {
                path = format!("{path}/{part}");
            }
            match odd {
                0 | 1 => format!("{path}/"),
                2 => path.replace('/', "//"),
                3 => ".".to_owned(),
                4 => format!("{path}/."),
                5 => String::new(),
                _ => path,
            }
        })
}

fn target() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => name(),
        2 => (name(), name()).prop_map(|(one, two)| format!("{one}/{two}")),
        1 => name().prop_map(|name| format!("{name}/")),
        1 => Just(".".to_owned())
    ]
}

fn flags() -> impl Strategy<Value = Flags> {
    (0..3, any::<[bool; 3]>(), 0..8, 0..8).prop_map(|(access, [create, truncate, append], rare, other)| {
        Flags {
            read: access != 1,
            write: access != 0,
            append: append && access != 0,
            create,
            exclusive: create && rare == 0,
            truncate,
            directory: rare == 1 && !create,
            nofollow: other == 0,
        }
    })
}

fn op() -> impl Strategy<Value = Op> {
    let bytes = proptest::collection::vec(any::<u8>(), 0..40);
    // Set-id bits are excluded, because directories of the host refuse them and applying leaves them out; `apply.rs`
    // tests them.
    let mode = prop_oneof![Just(0o755), Just(0o644), Just(0o711), Just(0o600), Just(0o1777), Just(0)];
    prop_oneof![
        6 => (path(), mode.clone()).prop_map(|(path, mode)| Op::Mkdir(path, mode & 0o777)),
        8 => (path(), flags(), bytes.clone()).prop_map(|(path, flags, bytes)| Op::Open(path, flags, bytes)),
        2 => (path(), 0..200_000_u64).prop_map(|(path, size)| Op::Truncate(path, size)),
        4 => (target(), path()).prop_map(|(target, path)| Op::Symlink(target, path)),
        4 => (path(), path(), any::<bool>()).prop_map(|(old, new, follow)| Op::Link(old, new, follow)),
        4 => path().prop_map(Op::Unlink),
        4 => path().prop_map(Op::Rmdir),
        9 => (path(), path()).prop_map(|(old, new)| Op::Rename(old, new)),
        2 => (path(), mode).prop_map(|(path, mode)| Op::Chmod(path, mode)),
        2 => (path(), 0..1_000_000_i64, any::<bool>()).prop_map(|(path, secs, follow)| Op::Utimens(path, secs, follow)),
        2 => (path(), any::<bool>()).prop_map(|(path, follow)| Op::Stat(path, follow)),
        1 => path().prop_map(Op::Readlink),
        1 => path().prop_map(Op::List),
        3 => (path(), 0..150_000_u64, bytes).prop_map(|(path, offset, bytes)| Op::WriteAt(path, offset, bytes)),
        1 => (path(), 0..100_000_u64, 0..100_000_u64).prop_map(|(path, offset, len)| Op::Allocate(path, offset, len)),
    ]
}

/// The result of an operation, or its error number.
type Outcome = Result<String, i32>;

trait Subject {
    fn apply(&self, op: &Op) -> Outcome;
    fn read_link(&self, path: &str) -> Result<String, i32>;
    fn list(&self, path: &str) -> Result<Vec<String>, i32>;
    /// Kind, mode, links, size, and the mtime in seconds if an operation has set it (below 1,000,000).
    fn stat(&self, path: &str, follow: bool) -> Outcome;
    fn contents(&self, path: &str) -> Result<Vec<u8>, i32>;

    fn tree(&self) -> BTreeMap<String, String> {
        let mut tree = BTreeMap::new();
        let mut rest = vec![".".to_owned()];
        while let Some(path) = rest.pop() {
            let stat = self.stat(&path, false).unwrap();
            let more = match stat.split(' ').next().unwrap() {
                "Directory" => {
                    let names = self.list(&path).unwrap();
                    rest.extend(names.iter().map(|name| format!("{path}/{name}")));
                    names.join(",")
                }
                "Symlink" => self.read_link(&path).unwrap(),
                _ => format!(
                    "{:?}",
                    self.contents(&path).unwrap().iter().filter(|byte| **byte != 0).collect::<Vec<_>>()
                ),
            };
            tree.insert(path, format!("{stat} {more}"));
        }
        tree
    }
}

fn describe(kind: FileKind, mode: u32, nlink: u64, size: u64, mtime: i64) -> String {
    let (nlink, size) = if kind == FileKind::Directory { (0, 0) } else { (nlink, size) };
    let mtime = if mtime < 1_000_000 { mtime } else { -1 };
    format!("{kind:?} {mode:o} {nlink} {size} {mtime}")
}

struct Ours {
    namespace: Namespace,
    base: Location,
}

impl Ours {
    fn new(fs: Arc<dyn FileSystem>) -> Self {
        let namespace = Namespace::new(fs, MountOptions::default());
        let root = namespace.root();
        for path in ["w", BASE] {
            match namespace.create_dir(CX, &root, path.as_bytes(), 0o755) {
                Ok(()) | Err(Errno::Exist) => {}
                Err(errno) => panic!("{errno}"),
            }
        }
        let base = namespace.resolve(CX, &root, BASE.as_bytes(), Follow::Yes).unwrap();
        Self { namespace, base }
    }

    fn open(&self, path: &str, how: OpenOptions) -> Result<Arc<dyn File>, Errno> {
        match self.namespace.open(CX, &self.base, path.as_bytes(), &how)? {
            Opened::File { file, .. } | Opened::Directory { file, .. } => Ok(file),
            _ => Err(Errno::Io),
        }
    }

    fn run(&self, op: &Op) -> Result<String, Errno> {
        let (namespace, base) = (&self.namespace, &self.base);
        let follow = |yes: bool| if yes { Follow::Yes } else { Follow::No };
        let set = |path: &str, follow: Follow, attributes: SetAttributes| {
            namespace.set_attributes(CX, base, path.as_bytes(), follow, &attributes)
        };
        match op {
            Op::Mkdir(path, mode) => namespace.create_dir(CX, base, path.as_bytes(), *mode)?,
            Op::Open(path, flags, bytes) => {
                let how = OpenOptions {
                    read: flags.read,
                    write: flags.write,
                    append: flags.append,
                    create: flags.create,
                    exclusive: flags.exclusive,
                    truncate: flags.truncate,
                    directory: flags.directory,
                    nofollow: flags.nofollow,
                    mode: 0o640,
                };
                let file = self.open(path, how)?;
                let mut result = String::new();
                if flags.write {
                    let count =
                        if flags.append { file.append_counted(bytes)?.0 } else { file.write_at(bytes, 0)? };
                    result = format!("wrote {count}");
                }
                if flags.read {
                    let mut buf = vec![0; 100];
                    let count = file.read_at(&mut buf, 3)?;
                    result = format!("{result} read {:?}", &buf[..count]);
                }
                return Ok(result);
            }
            Op::Truncate(path, size) => {
                set(path, Follow::Yes, SetAttributes { size: Some(*size), ..Default::default() })?;
            }
            Op::Symlink(target, path) => namespace.symlink(CX, target.as_bytes(), base, path.as_bytes())?,
            Op::Link(old, new, yes) => {
                namespace.hard_link(CX, base, old.as_bytes(), follow(*yes), base, new.as_bytes())?;
            }
            Op::Unlink(path) => namespace.unlink(CX, base, path.as_bytes())?,
            Op::Rmdir(path) => namespace.remove_dir(CX, base, path.as_bytes())?,
            Op::Rename(old, new) => namespace.rename(CX, base, old.as_bytes(), base, new.as_bytes())?,
            Op::Chmod(path, mode) => {
                set(path, Follow::Yes, SetAttributes { mode: Some(*mode), ..Default::default() })?;
            }
            Op::Utimens(path, secs, yes) => {
                let time = Some(SetTime::At(Time { secs: *secs, nanos: 5 }));
                set(path, follow(*yes), SetAttributes { mtime: time, atime: time, ..Default::default() })?;
            }
            Op::Stat(path, yes) => {
                let metadata = namespace.metadata(CX, base, path.as_bytes(), follow(*yes))?;
                return Ok(describe(
                    metadata.kind,
                    metadata.mode,
                    metadata.nlink,
                    metadata.size,
                    metadata.mtime.secs,
                ));
            }
            Op::Readlink(path) => {
                let text = namespace.read_link(CX, base, path.as_bytes())?;
                return Ok(String::from_utf8(text).unwrap());
            }
            Op::List(path) => return Ok(self.names(path)?.join(",")),
            Op::WriteAt(path, offset, bytes) => {
                let file = self.open(path, OpenOptions { read: false, write: true, ..OpenOptions::READ })?;
                return Ok(file.write_at(bytes, *offset)?.to_string());
            }
            Op::Allocate(path, offset, len) => {
                let file = self.open(path, OpenOptions { read: false, write: true, ..OpenOptions::READ })?;
                file.allocate(*offset, *len)?;
            }
        }
        Ok(String::new())
    }

    fn names(&self, path: &str) -> Result<Vec<String>, Errno> {
        let file = self.open(path, OpenOptions { directory: true, ..OpenOptions::READ })?;
        let mut names = Vec::new();
        let mut cursor = 0;
        loop {
            let batch = file.read_dir(CX, cursor)?;
            let Some(last) = batch.last() else {
                return Ok(names);
            };
            cursor = last.next;
            for entry in &batch {
                let name = String::from_utf8(entry.name.to_vec()).unwrap();
                let at = self.namespace.metadata(
                    CX,
                    &self.base,
                    format!("{path}/{name}").as_bytes(),
                    Follow::No,
                )?;
                assert_eq!((at.ino, at.kind), (entry.ino, entry.kind), "the entry says what stat says");
                names.push(name);
            }
        }
    }
}

impl Subject for Ours {
    fn apply(&self, op: &Op) -> Outcome {
        self.run(op).map_err(Errno::raw)
    }

    fn read_link(&self, path: &str) -> Result<String, i32> {
        self.apply(&Op::Readlink(path.to_owned()))
    }

    fn list(&self, path: &str) -> Result<Vec<String>, i32> {
        self.names(path).map_err(Errno::raw)
    }

    fn stat(&self, path: &str, follow: bool) -> Outcome {
        self.apply(&Op::Stat(path.to_owned(), follow))
    }

    fn contents(&self, path: &str) -> Result<Vec<u8>, i32> {
        let file = self.open(path, OpenOptions::READ).map_err(Errno::raw)?;
        let mut all = vec![0; 400_000];
        let count = file.read_at(&mut all, 0).map_err(Errno::raw)?;
        all.truncate(count);
        Ok(all)
    }
}

/// The kernel's own filesystem.
struct Real {
    base: OwnedFd,
    path: String,
    _directory: Option<tempfile::TempDir>,
}

impl Real {
    fn at(directory: &std::path::Path) -> Self {
        std::fs::create_dir_all(directory.join(BASE)).unwrap();
        for path in ["w", BASE] {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(directory.join(path), mode).unwrap();
        }
        let path = directory.join(BASE).to_str().unwrap().to_owned();
        let base = rustix::fs::open(path.as_str(), OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).unwrap();
        Self { base, path, _directory: None }
    }

    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let real = Self::at(directory.path());
        Self { _directory: Some(directory), ..real }
    }

    fn run(&self, op: &Op) -> rustix::io::Result<String> {
        let base = &self.base;
        let open = |path: &str, flags: OFlags| {
            rustix::fs::openat(base, path, flags | OFlags::CLOEXEC, Mode::from_raw_mode(0o640))
        };
        match op {
            Op::Mkdir(path, mode) => rustix::fs::mkdirat(base, path.as_str(), Mode::from_raw_mode(*mode))?,
            Op::Open(path, flags, bytes) => {
                let mut bits = match (flags.read, flags.write) {
                    (_, false) => OFlags::RDONLY,
                    (false, true) => OFlags::WRONLY,
                    (true, true) => OFlags::RDWR,
                };
                for (set, bit) in [
                    (flags.append, OFlags::APPEND),
                    (flags.create, OFlags::CREATE),
                    (flags.exclusive, OFlags::EXCL),
                    (flags.truncate, OFlags::TRUNC),
                    (flags.directory, OFlags::DIRECTORY),
                    (flags.nofollow, OFlags::NOFOLLOW),
                ] {
                    bits |= if set { bit } else { OFlags::empty() };
                }
                let file = open(path, bits)?;
                let mut result = String::new();
                if flags.write {
                    result = format!("wrote {}", rustix::io::pwrite(&file, bytes, 0)?);
                }
                if flags.read {
                    let mut buf = vec![0; 100];
                    let count = rustix::io::pread(&file, &mut buf, 3)?;
                    result = format!("{result} read {:?}", &buf[..count]);
                }
                return Ok(result);
            }
            Op::Truncate(path, size) => {
                if path.is_empty() {
                    return Err(rustix::io::Errno::NOENT);
                }
                std::fs::metadata(format!("{}/{path}", self.path)).map_err(number)?;
                let text = std::ffi::CString::new(format!("{}/{path}", self.path)).unwrap();
                // There is no `truncateat`.
                let result = nix_truncate(&text, *size);
                result?;
            }
            Op::Symlink(target, path) => rustix::fs::symlinkat(target.as_str(), base, path.as_str())?,
            Op::Link(old, new, follow) => {
                let flags = if *follow { AtFlags::SYMLINK_FOLLOW } else { AtFlags::empty() };
                rustix::fs::linkat(base, old.as_str(), base, new.as_str(), flags)?;
            }
            Op::Unlink(path) => rustix::fs::unlinkat(base, path.as_str(), AtFlags::empty())?,
            Op::Rmdir(path) => rustix::fs::unlinkat(base, path.as_str(), AtFlags::REMOVEDIR)?,
            Op::Rename(old, new) => rustix::fs::renameat(base, old.as_str(), base, new.as_str())?,
            Op::Chmod(path, mode) => {
                rustix::fs::chmodat(base, path.as_str(), Mode::from_raw_mode(*mode), AtFlags::empty())?;
            }
            Op::Utimens(path, secs, follow) => {
                let time = rustix::fs::Timespec { tv_sec: *secs, tv_nsec: 5 };
                let times = rustix::fs::Timestamps { last_access: time, last_modification: time };
                let flags = if *follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
                rustix::fs::utimensat(base, path.as_str(), &times, flags)?;
            }
            Op::Stat(path, follow) => {
                let flags = if *follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
                let stat = rustix::fs::statat(base, path.as_str(), flags)?;
                let kind = FileKind::from_mode(stat.st_mode).unwrap();
                let size = u64::try_from(stat.st_size).unwrap();
                return Ok(describe(kind, stat.st_mode & 0o7777, stat.st_nlink, size, stat.st_mtime));
            }
            Op::Readlink(path) => {
                if path.is_empty() {
                    // Linux's extension: the empty path means the descriptor itself.
                    return Err(rustix::io::Errno::NOENT);
                }
                let text = rustix::fs::readlinkat(base, path.as_str(), Vec::new())?;
                return Ok(text.into_string().unwrap());
            }
            Op::List(path) => {
                let fd = open(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
                let mut names = Vec::new();
                for entry in rustix::fs::Dir::new(fd)? {
                    let name = entry?.file_name().to_str().unwrap().to_owned();
                    if name != "." && name != ".." {
                        names.push(name);
                    }
                }
                names.sort();
                return Ok(names.join(","));
            }
            Op::WriteAt(path, offset, bytes) => {
                let file = open(path, OFlags::WRONLY)?;
                return Ok(rustix::io::pwrite(&file, bytes, *offset)?.to_string());
            }
            Op::Allocate(path, offset, len) => {
                let file = open(path, OFlags::WRONLY)?;
                rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), *offset, *len)?;
            }
        }
        Ok(String::new())
    }
}

fn number(error: std::io::Error) -> rustix::io::Errno {
    rustix::io::Errno::from_raw_os_error(error.raw_os_error().unwrap())
}

/// Implements `truncate(2)` by opening the file.
fn nix_truncate(path: &std::ffi::CStr, size: u64) -> rustix::io::Result<()> {
    let fd = rustix::fs::openat(CWD, path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::fs::ftruncate(&fd, size)
}

impl Subject for Real {
    fn apply(&self, op: &Op) -> Outcome {
        self.run(op).map_err(|errno| errno.raw_os_error())
    }

    fn read_link(&self, path: &str) -> Result<String, i32> {
        self.apply(&Op::Readlink(path.to_owned()))
    }

    fn list(&self, path: &str) -> Result<Vec<String>, i32> {
        let names = self.apply(&Op::List(path.to_owned()))?;
        Ok(names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    fn stat(&self, path: &str, follow: bool) -> Outcome {
        self.apply(&Op::Stat(path.to_owned(), follow))
    }

    fn contents(&self, path: &str) -> Result<Vec<u8>, i32> {
        std::fs::read(format!("{}/{path}", self.path)).map_err(|error| error.raw_os_error().unwrap())
    }
}

fn compare(before: &[Op], after: &[Op]) -> Result<(), TestCaseError> {
    rustix::process::umask(Mode::empty());
    let real = Real::new();
    let host_directory = tempfile::tempdir().unwrap();
    let below_directory = tempfile::tempdir().unwrap();
    let memory = Arc::new(MemoryFs::new());
    let below_memory = Arc::new(MemoryFs::new());
    let host = HostDir::open(host_directory.path(), HostAccess::ReadWrite).unwrap();
    // The first operations create the overlays' lower files.
    let below_ours = Ours::new(below_memory.clone());
    let below_real = Real::at(below_directory.path());
    let subjects = [("memory", Ours::new(memory.clone())), ("host", Ours::new(Arc::new(host)))];
    for op in before {
        let expected = real.apply(op);
        prop_assert_eq!(&below_ours.apply(op), &expected, "memory below: {:?}", op);
        prop_assert_eq!(&below_real.apply(op), &expected, "real below: {:?}", op);
        for (name, subject) in &subjects {
            prop_assert_eq!(&subject.apply(op), &expected, "{}: {:?}", name, op);
        }
    }
    let lower_host = HostDir::open(below_directory.path(), HostAccess::ReadOnly).unwrap();
    let over_memory = Arc::new(Overlay::new(below_memory.clone()).unwrap());
    let over_host = Arc::new(Overlay::new(Arc::new(lower_host)).unwrap());
    let below_before = (below_ours.tree(), below_real.tree());
    let overlays =
        [("over memory", Ours::new(over_memory.clone())), ("over host", Ours::new(over_host.clone()))];
    let all: Vec<_> = subjects.iter().chain(&overlays).collect();
    for (index, op) in after.iter().enumerate() {
        let expected = real.apply(op);
        for (name, subject) in &all {
            prop_assert_eq!(&subject.apply(op), &expected, "{}: operation {} {:?}", name, index, op);
        }
        if index % 8 == 0 {
            let expected = real.tree();
            for (name, subject) in &all {
                prop_assert_eq!(&subject.tree(), &expected, "{}: after operation {} {:?}", name, index, op);
            }
        }
    }
    let expected = real.tree();
    for (name, subject) in &all {
        prop_assert_eq!(&subject.tree(), &expected, "{}: at the end", name);
    }
    prop_assert_eq!(&below_ours.tree(), &below_before.0, "below is untouched");
    prop_assert_eq!(&below_real.tree(), &below_before.1, "below is untouched");

    // Applying the changes to the lower directory gives the same tree.
    let target: Arc<dyn FileSystem> =
        Arc::new(HostDir::open(below_directory.path(), HostAccess::ReadWrite).unwrap());
    over_host.apply(target).map_err(|error| TestCaseError::fail(error.to_string()))?;
    // Applying turns hard links into separate files, and does not keep the times of directories.
    let plain = |tree: BTreeMap<String, String>| -> BTreeMap<String, String> {
        let line = |(path, line): (String, String)| {
            let parts: Vec<&str> = line.split(' ').collect();
            let (kind, mode, size) = (parts[0], parts[1], parts[3]);
            (path, format!("{kind} {mode} {size} {}", parts[5..].join(" ")))
        };
        tree.into_iter().map(line).collect()
    };
    prop_assert_eq!(plain(below_real.tree()), plain(expected), "applied");
    prop_assert_eq!(over_host.diff().unwrap(), vec![], "after applying there is no difference");
    let _ = Access::default();
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_filesystem_answers_as_the_kernel(
        before in proptest::collection::vec(op(), 0..40),
        after in proptest::collection::vec(op(), 1..80),
    ) {
        compare(&before, &after)?;
    }
}
