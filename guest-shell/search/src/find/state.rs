//! The state of a whole run.

use super::sink::Sink;
use crate::clock::Time;
use sandshell_posix::users::Names;
use sandshell_sys as sys;
use sandshell_time::Zone;
use std::cell::{Cell, RefCell};

/// Which symbolic links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// `-P`
    Never,
    /// `-L`
    Always,
    /// `-H`
    Operands,
}

pub(crate) struct State {
    pub(crate) links: Links,
    pub(crate) depth_first: bool,
    pub(crate) max_depth: usize,
    pub(crate) min_depth: usize,
    pub(crate) one_device: bool,
    pub(crate) ignore_race: bool,
    pub(crate) now: Time,
    pub(crate) zone: Zone,
    pub(crate) failed: Cell<bool>,
    pub(crate) quit: Cell<bool>,
    pub(crate) prune: Cell<bool>,
    pub(crate) sinks: RefCell<Vec<(Vec<u8>, Sink)>>,
    pub(crate) names: Names,
    fs_types: RefCell<Vec<(u64, Vec<u8>)>>,
    /// The column widths of `-ls`, which grow as needed.
    pub(crate) widths: Cell<[usize; 6]>,
}

impl State {
    pub(crate) fn new(zone: Zone) -> Self {
        let now = sys::realtime();
        Self {
            links: Links::Never,
            depth_first: false,
            max_depth: usize::MAX,
            min_depth: 0,
            one_device: false,
            ignore_race: false,
            now: ((now / 1_000_000_000).cast_signed(), (now % 1_000_000_000) as u32),
            zone,
            failed: Cell::new(false),
            quit: Cell::new(false),
            prune: Cell::new(false),
            sinks: RefCell::new(Vec::new()),
            names: Names::default(),
            fs_types: RefCell::new(Vec::new()),
            widths: Cell::new([9, 6, 3, 8, 8, 8]),
        }
    }

    /// Flushes all output. This is done before messages are printed and programs are run.
    pub(crate) fn flush(&self) {
        for (_, sink) in self.sinks.borrow().iter() {
            sink.borrow_mut().flush();
        }
    }

    /// The type of the filesystem that a file is on.
    pub(crate) fn fs_type(&self, path: &[u8], dev: u64) -> Vec<u8> {
        if let Some((_, name)) = self.fs_types.borrow().iter().find(|(d, _)| *d == dev) {
            return name.clone();
        }
        // The magic numbers are Linux's.
        let name: &[u8] = match sys::statfs(path).map(|s| s.kind) {
            Ok(0xef53) => b"ext4",
            Ok(0x0102_1994) => b"tmpfs",
            Ok(0x9fa0) => b"proc",
            Ok(0x6265_6572) => b"sysfs",
            Ok(0x794c_7630) => b"overlay",
            Ok(0x5846_5342) => b"xfs",
            Ok(0x9123_683e) => b"btrfs",
            Ok(0x1cd1) => b"devpts",
            Ok(0x6969) => b"nfs",
            Ok(0x6573_5546) => b"fuse",
            Ok(0x0102_1997) => b"9p",
            Ok(0x8584_58f6) => b"ramfs",
            _ => b"unknown",
        };
        self.fs_types.borrow_mut().push((dev, name.to_vec()));
        name.to_vec()
    }
}
