//! Operations with any paths, on a host directory and on an overlay over it, never panic and never change anything
//! outside of the directory.

#![no_main]

use std::sync::Arc;

use arbitrary::Arbitrary;
use sandshell_vfs::{Context, Follow, HostAccess, HostDir, MemoryFs, MountOptions, Namespace, OpenOptions, Opened, Overlay};

#[derive(Arbitrary, Debug)]
struct Input {
    overlay: bool,
    steps: Vec<Step>,
}

#[derive(Arbitrary, Debug)]
enum Step {
    Write(Path),
    Read(Path),
    Mkdir(Path),
    Symlink(Path, Path),
    Link(Path, Path),
    Rename(Path, Path),
    Unlink(Path),
    Rmdir(Path),
    Stat(Path, bool),
}

/// Mostly names that exist, so that paths combine links and `..`.
#[derive(Arbitrary, Debug)]
enum Path {
    Parts(bool, Vec<Part>),
    Raw(Vec<u8>),
}

#[derive(Arbitrary, Debug)]
enum Part {
    Up,
    Here,
    Name(u8),
    Outside,
}

impl Path {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Path::Raw(bytes) => bytes.clone(),
            Path::Parts(absolute, parts) => {
                let mut path = if *absolute { b"/host/".to_vec() } else { Vec::new() };
                for part in parts {
                    match part {
                        Part::Up => path.extend_from_slice(b"../"),
                        Part::Here => path.extend_from_slice(b"./"),
                        Part::Name(n) => path.extend_from_slice(format!("{}/", char::from(b'a' + n % 4)).as_bytes()),
                        Part::Outside => path.extend_from_slice(b"outside/"),
                    }
                }
                path
            }
        }
    }
}

libfuzzer_sys::fuzz_target!(|input: Input| {
    let host = tempfile::tempdir().expect("a temporary directory");
    let root = host.path().join("root");
    std::fs::create_dir(&root).expect("a directory");
    std::fs::write(host.path().join("outside"), "untouched").expect("a file");

    let namespace = Namespace::new(Arc::new(MemoryFs::new()), MountOptions::default());
    let cx = Context::ROOT;
    let top = namespace.root();
    namespace.create_dir(&cx, &top, b"/host", 0o755).expect("a mount point");
    let lower = HostDir::open(&root, if input.overlay { HostAccess::ReadOnly } else { HostAccess::ReadWrite }).expect("the host directory");
    let fs: Arc<dyn sandshell_vfs::FileSystem> = if input.overlay {
        Arc::new(Overlay::new(Arc::new(lower)).expect("an overlay"))
    } else {
        Arc::new(lower)
    };
    namespace.mount(b"/host", fs, MountOptions::default()).expect("a mount");
    let at = namespace.resolve(&cx, &top, b"/host", Follow::Yes).expect("the mount");

    for step in &input.steps {
        // Errors are expected; only a panic or a change outside is a finding.
        match step {
            Step::Write(path) => {
                let how = OpenOptions { create: true, mode: 0o644, ..OpenOptions::WRITE };
                if let Ok(Opened::File { file, .. }) = namespace.open(&cx, &at, &path.bytes(), &how) {
                    let _ = file.write_at(b"written", 0);
                }
            }
            Step::Read(path) => {
                if let Ok(Opened::File { file, .. }) = namespace.open(&cx, &at, &path.bytes(), &OpenOptions::READ) {
                    let mut buf = [0; 16];
                    let count = file.read_at(&mut buf, 0).unwrap_or(0);
                    assert_ne!(&buf[..count], b"untouched", "read from outside");
                }
            }
            Step::Mkdir(path) => drop(namespace.create_dir(&cx, &at, &path.bytes(), 0o755)),
            Step::Symlink(target, path) => drop(namespace.symlink(&cx, &target.bytes(), &at, &path.bytes())),
            Step::Link(old, new) => {
                drop(namespace.hard_link(&cx, &at, &old.bytes(), Follow::No, &at, &new.bytes()));
            }
            Step::Rename(old, new) => drop(namespace.rename(&cx, &at, &old.bytes(), &at, &new.bytes())),
            Step::Unlink(path) => drop(namespace.unlink(&cx, &at, &path.bytes())),
            Step::Rmdir(path) => drop(namespace.remove_dir(&cx, &at, &path.bytes())),
            Step::Stat(path, follow) => {
                let follow = if *follow { Follow::Yes } else { Follow::No };
                drop(namespace.metadata(&cx, &at, &path.bytes(), follow));
            }
        }
    }
    assert_eq!(std::fs::read(host.path().join("outside")).expect("still there"), b"untouched");
    let beside: Vec<_> = std::fs::read_dir(host.path()).expect("still there").collect();
    assert_eq!(beside.len(), 2, "something appeared outside");
    if input.overlay {
        assert_eq!(std::fs::read_dir(&root).expect("still there").count(), 0, "the overlay wrote below");
    }
});
