//! Files that the host's kernel makes when they are opened: nothing is changed through them, and what is private of a
//! process stays so.
// The portable way is for other systems, which have no such files; on Linux only these tests use it.
#![cfg(all(target_os = "linux", not(feature = "portable-host")))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{View, view};
use sandshell_vfs::{
    Context, Errno, Follow, HostAccess, HostDir, MemoryFs, MountOptions, OpenOptions, Overlay, SetAttributes,
};
use std::path::Path;
use std::sync::Arc;

fn mounted(directory: &str, access: HostAccess) -> View {
    let user = view(Arc::new(MemoryFs::new()), Context::USER);
    let host = Arc::new(HostDir::open(directory, access).unwrap());
    user.namespace.mount(b"/host", host, MountOptions::default()).unwrap();
    user
}

const BOTH: OpenOptions = OpenOptions { write: true, ..OpenOptions::READ };

const MODE: SetAttributes =
    SetAttributes { mode: Some(0o666), uid: None, gid: None, size: None, atime: None, mtime: None };

/// What this program has in its memory can be read and written through `/proc/self/mem`, and so can its code.
#[test]
fn the_memory_of_this_program_is_out_of_reach() {
    for access in [HostAccess::ReadWrite, HostAccess::ReadOnly] {
        let user = mounted("/proc", access);
        assert_eq!(user.open("/host/self/mem", OpenOptions::READ).err(), Some(Errno::Acces));
        assert!(user.open("/host/self/mem", BOTH).is_err());
        // The variables, too.
        assert_eq!(user.open("/host/self/environ", OpenOptions::READ).err(), Some(Errno::Acces));
        assert!(user.open("/host/self/status", OpenOptions::READ).is_ok(), "what everybody may read");
    }
}

#[test]
fn nothing_of_the_kernel_is_changed() {
    let user = mounted("/proc", HostAccess::ReadWrite);
    for path in ["self/mem", "self/oom_score_adj", "self/comm", "sys/kernel/core_pattern", "sysrq-trigger"] {
        if Path::new("/proc").join(path).exists() {
            assert_eq!(user.open(&format!("/host/{path}"), BOTH).err(), Some(Errno::Acces), "{path}");
        }
    }
    // Not its attributes either, by name or by handle.
    let (root, path) = (user.namespace.root(), b"/host/self/comm");
    assert!(user.namespace.set_attributes(&user.cx, &root, path, Follow::Yes, &MODE).is_err());
    let file = user.open("/host/self/comm", OpenOptions::READ).unwrap();
    assert!(file.set_attributes(&user.cx, &MODE).is_err());
    let root = mounted("/sys", HostAccess::ReadWrite).with(Context::ROOT);
    assert_eq!(root.mkdir("/host/made-by-a-guest"), Err(Errno::Acces));
    assert_eq!(root.write("/host/made-by-a-guest", "x"), Err(Errno::Acces));
}

/// A directory that was prepared as the root of another system often has `/proc` in it.
#[test]
fn a_mount_below_the_directory_is_no_way_in() {
    for access in [HostAccess::ReadWrite, HostAccess::ReadOnly] {
        let user = mounted("/", access);
        assert_eq!(user.open("/host/proc/self/mem", OpenOptions::READ).err(), Some(Errno::Acces));
        assert!(user.open("/host/proc/self/mem", BOTH).is_err());
        assert!(user.open("/host/proc/self/comm", BOTH).is_err());
    }
    let host = Arc::new(HostDir::open("/", HostAccess::ReadOnly).unwrap());
    let user = view(Arc::new(Overlay::new(host).unwrap()), Context::USER);
    for how in [OpenOptions::READ, BOTH] {
        assert_eq!(user.open("/proc/self/mem", how).err(), Some(Errno::Acces));
    }
}
