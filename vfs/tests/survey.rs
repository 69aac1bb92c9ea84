//! Traversing a tree: every kind of filesystem shows the same.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{View, every_kind, view};
use sandshell_vfs::{
    Context, Errno, FileKind, Location, MemoryFs, MountOptions, SetAttributes, Surveyed, Surveyor,
};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Records what it is shown.
#[derive(Default)]
struct Notes {
    lines: Vec<String>,
    /// Directories that it does not enter.
    closed: Vec<&'static str>,
    /// The number of lines after which it stops.
    enough: Option<usize>,
    max: Option<u64>,
}

impl Surveyor for Notes {
    fn entry(&mut self, below: &[u8], mut entry: Surveyed<'_>) -> ControlFlow<()> {
        let below = String::from_utf8_lossy(below).into_owned();
        let metadata = entry.metadata().unwrap();
        assert_eq!(metadata.kind, entry.kind(), "{below}");
        let what = match entry.kind() {
            FileKind::Regular => match entry.content(self.max.unwrap_or(u64::MAX)) {
                Ok(content) if content.len() < 20 => format!("={}", String::from_utf8_lossy(content)),
                Ok(content) => format!(" {} {:?}", content.len(), content.iter().max()),
                Err(errno) => format!(" {errno:?}"),
            },
            FileKind::Directory => "/".to_owned(),
            FileKind::Symlink => "@".to_owned(),
            _ => "?".to_owned(),
        };
        self.lines.push(format!("{below}{what}"));
        if Some(self.lines.len()) == self.enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn enter(&mut self, below: &[u8]) -> bool {
        !self.closed.iter().any(|closed| closed.as_bytes() == below)
    }

    fn left_out(&mut self, below: &[u8], errno: Errno) {
        self.lines.push(format!("{} {errno:?}", String::from_utf8_lossy(below)));
    }
}

fn survey(view: &View, start: &Location, mut notes: Notes) -> Vec<String> {
    view.namespace.survey(&view.cx, start, &mut notes);
    notes.lines
}

fn plant(view: &View) {
    for directory in ["/a", "/a/x", "/a.d", "/empty", "/locked", "/unlisted"] {
        view.mkdir(directory).unwrap();
    }
    for file in ["/a-b", "/a/1", "/a/x/2", "/a.d/3", "/a0", "/locked/4", "/unlisted/5", "/secret", "/z"] {
        view.write(file, file).unwrap();
    }
    view.symlink("a", "/link").unwrap();
    view.write("/large", &"y".repeat(200_000)).unwrap();
    view.chmod("/secret", 0o200).unwrap();
    view.chmod("/locked", 0o444).unwrap();
    view.chmod("/unlisted", 0o311).unwrap();
}

#[test]
fn files_come_in_the_order_of_their_paths() {
    for kind in every_kind() {
        let view = view(kind.fs.clone(), Context::USER);
        plant(&view);
        let root = view.namespace.root();
        let expected = [
            "a-b=/a-b",
            "a.d/",
            "a.d/3=/a.d/3",
            "a/",
            "a/1=/a/1",
            "a/x/",
            "a/x/2=/a/x/2",
            "a0=/a0",
            "empty/",
            "large 200000 Some(121)",
            "link@",
            "locked/",
            "locked Acces",
            "secret Acces",
            "unlisted/",
            "unlisted Acces",
            "z=/z",
        ];
        assert_eq!(survey(&view, &root, Notes::default()), expected, "{}", kind.name);
        let some = Notes { closed: vec!["a", "unlisted"], enough: Some(9), ..Notes::default() };
        let shown =
            ["a-b=/a-b", "a.d/", "a.d/3=/a.d/3", "a/", "a0=/a0", "empty/", "large 200000 Some(121)", "link@"];
        assert_eq!(survey(&view, &root, some)[..8], shown, "{}", kind.name);
        let a = view.namespace.resolve(&view.cx, &root, b"a", sandshell_vfs::Follow::No).unwrap();
        let small = Notes { max: Some(2), ..Notes::default() };
        assert_eq!(survey(&view, &a, small), ["1 FBig", "x/", "x/2 FBig"], "{}", kind.name);
        for locked in ["/locked", "/unlisted"] {
            view.chmod(locked, 0o755).unwrap();
        }
    }
}

#[test]
fn mounts_are_traversed() {
    for kind in every_kind() {
        let view = view(kind.fs.clone(), Context::USER);
        view.mkdir("/m").unwrap();
        view.write("/m/covered", "").unwrap();
        view.write("/n", "n").unwrap();
        let mount = |at: &[u8]| {
            view.namespace.mount(at, Arc::new(MemoryFs::new()), MountOptions::default()).unwrap();
        };
        mount(b"/m");
        view.mkdir("/m/d").unwrap();
        view.mkdir("/m/d/e").unwrap();
        mount(b"/m/d/e");
        mount(b"/m/d/e");
        view.write("/m/d/e/f", "f").unwrap();
        let expected = ["m/", "m/d/", "m/d/e/", "m/d/e/f=f", "n=n"];
        assert_eq!(survey(&view, &view.namespace.root(), Notes::default()), expected, "{}", kind.name);
        let closed = Notes { closed: vec!["m/d/e"], ..Notes::default() };
        assert_eq!(survey(&view, &view.namespace.root(), closed), ["m/", "m/d/", "m/d/e/", "n=n"]);
    }
}

#[test]
fn depth_is_limited_by_path_length_and_not_by_handles() {
    for kind in every_kind() {
        let view = view(kind.fs.clone(), Context::USER);
        let mut at = view.namespace.root();
        let mut expected = Vec::new();
        let mut path = String::new();
        // Deeper than the number of kept handles, with a file after the subdirectory at each level.
        for _ in 0..150 {
            let root = view.namespace.root();
            path.push_str("/d");
            view.mkdir(&path).unwrap();
            view.write(&format!("{path}z"), "z").unwrap();
            at = view.namespace.resolve(&view.cx, &root, path.as_bytes(), sandshell_vfs::Follow::No).unwrap();
            expected.push(format!("{}/", &path[1..]));
        }
        let after: Vec<String> = expected
            .iter()
            .rev()
            .map(|directory| format!("{}z=z", directory.trim_end_matches('/')))
            .collect();
        expected.extend(after);
        let shown = survey(&view, &view.namespace.root(), Notes::default());
        assert_eq!(shown, expected, "{}", kind.name);
        let name = "n".repeat(250);
        for _ in 0..16 {
            view.namespace.create_dir(&view.cx, &at, name.as_bytes(), 0o755).unwrap();
            at = view.namespace.resolve(&view.cx, &at, name.as_bytes(), sandshell_vfs::Follow::No).unwrap();
        }
        let shown = survey(&view, &view.namespace.root(), Notes::default());
        let left_out: Vec<&String> = shown.iter().filter(|line| line.ends_with(" NameTooLong")).collect();
        assert_eq!(left_out.len(), 1, "{}", kind.name);
        assert_eq!(shown.len(), expected.len() + 16 + 1, "{}", kind.name);
    }
}

#[test]
fn concurrent_changes_do_no_harm() {
    let view = view(Arc::new(MemoryFs::new()), Context::USER);
    view.write("/gone", "x").unwrap();
    let file = view.open("/gone", sandshell_vfs::OpenOptions::READ).unwrap();
    view.unlink("/gone").unwrap();
    view.write("/sparse", "").unwrap();
    let size = SetAttributes { size: Some(1 << 50), ..SetAttributes::default() };
    view.set("/sparse", size).unwrap();
    let notes = Notes { max: Some(1 << 20), ..Notes::default() };
    assert_eq!(survey(&view, &view.namespace.root(), notes), ["sparse FBig"]);
    let mut byte = [0];
    assert_eq!(file.read_at(&mut byte, 0), Ok(1));
}
