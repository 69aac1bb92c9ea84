//! Filesystems whose files are not stored: reading one asks the host's kernel, and writing one gives it an order.
//! `/proc/self/mem` is the memory of this program itself.

use super::retry::retry;
use crate::Result;
use rustix::fs::FsWord;
use std::os::fd::BorrowedFd;

/// The types of those filesystems, as `statfs` reports them (`linux/magic.h`).
const TYPES: [FsWord; 20] = [
    0x9fa0,                    // proc
    0x6265_6572,               // sysfs
    0x6462_6720,               // debugfs
    0x7472_6163,               // tracefs
    0x0027_e0eb,               // cgroup
    0x6367_7270,               // cgroup2
    0x0762_1821,               // resctrl
    0x6265_6570,               // configfs
    0x7363_6673,               // securityfs
    0xf97c_ff8c,               // selinux
    0x4341_5d53,               // smack
    0x5a3c_69f0,               // apparmor
    0x4249_4e4d,               // binfmt_misc
    0xcafe_4a11_u32 as FsWord, // bpf
    0xde5e_81e4_u32 as FsWord, // efivarfs
    0x6165_676c,               // pstore
    0x6573_5543,               // fusectl
    0x6e66_7364,               // nfsd
    0x6759_6969,               // rpc_pipefs
    0xabba_1974_u32 as FsWord, // xenfs
];

/// Whether a directory is on such a filesystem, for the files that are on the same one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Controls {
    device: u64,
    are_controls: bool,
}

impl Controls {
    /// What is true for the files on the filesystem of `root`.
    pub(super) fn at(root: BorrowedFd<'_>) -> Result<Self> {
        let device = retry(|| rustix::fs::fstat(root))?.st_dev;
        Ok(Self { device, are_controls: is_on_one(root)? })
    }

    /// Whether a file of this device is a control of the kernel's. Only files of other filesystems need a system call.
    pub(super) fn include(self, device: u64, file: BorrowedFd<'_>) -> Result<bool> {
        if device == self.device { Ok(self.are_controls) } else { is_on_one(file) }
    }
}

fn is_on_one(file: BorrowedFd<'_>) -> Result<bool> {
    let found = retry(|| rustix::fs::fstatfs(file))?;
    Ok(TYPES.contains(&found.f_type))
}
