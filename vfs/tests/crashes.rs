//! Random changes, a process that dies at a random point while it applies them, and successors that die during
//! recovery: in the end all changes are applied, or none.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "common/disturbed.rs"]
mod disturbed;

use common::View;
use disturbed::{Disturbed, over, target, tree};
use proptest::prelude::*;
use sandshell_vfs::{Application, Errno, Journals, Recovery, Safeguards, apply_together};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

#[derive(Clone, Debug)]
enum Op {
    Write(String),
    Mkdir(String),
    Unlink(String),
    Rmdir(String),
    Rename(String, String),
    Symlink(String),
    Chmod(String, u32),
}

fn path() -> impl Strategy<Value = String> {
    let name = || prop_oneof![Just("a"), Just("b"), Just("c")];
    prop_oneof![
        3 => name().prop_map(|one| format!("/{one}")),
        4 => (name(), name()).prop_map(|(one, two)| format!("/{one}/{two}")),
        2 => (name(), name(), name()).prop_map(|(one, two, three)| format!("/{one}/{two}/{three}")),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => path().prop_map(Op::Write),
        3 => path().prop_map(Op::Mkdir),
        3 => path().prop_map(Op::Unlink),
        2 => path().prop_map(Op::Rmdir),
        3 => (path(), path()).prop_map(|(from, to)| Op::Rename(from, to)),
        1 => path().prop_map(Op::Symlink),
        2 => (path(), prop_oneof![Just(0o755), Just(0o700), Just(0o511)])
            .prop_map(|(path, mode)| Op::Chmod(path, mode)),
    ]
}

/// Operations that fail are ignored.
fn change(view: &View, ops: &[Op]) {
    for (number, op) in ops.iter().enumerate() {
        let _ = match op {
            Op::Write(path) => view.write(path, &format!("new {number}\n")),
            Op::Mkdir(path) => view.mkdir(path),
            Op::Unlink(path) => view.unlink(path),
            Op::Rmdir(path) => view.rmdir(path),
            Op::Rename(from, to) => view.rename(from, to),
            Op::Symlink(path) => view.symlink("anywhere", path),
            Op::Chmod(path, mode) => view.chmod(path, *mode),
        };
    }
}

fn below(path: &Path) {
    for directory in ["a/a", "a/b", "b/c/a"] {
        fs::create_dir_all(path.join(directory)).unwrap();
    }
    for file in ["c", "a/c", "a/a/a", "a/a/b", "b/a", "b/c/b"] {
        fs::write(path.join(file), format!("old {file}\n")).unwrap();
    }
    symlink("a/c", path.join("b/b")).unwrap();
}

/// The number of changes before a process dies.
type Deadline = usize;

fn dying(deadline: Deadline) -> disturbed::Interference {
    Box::new(move |number| if number < deadline { Ok(()) } else { Err(Errno::Io) })
}

fn dies(ops: &[Op], first: Deadline, successors: &[Deadline], stiff: bool) {
    let make = |root: &Path, deadline| match stiff {
        true => Disturbed::stiff(root, dying(deadline)),
        false => Disturbed::new(root, dying(deadline)),
    };
    let whole = tempfile::tempdir().unwrap();
    below(whole.path());
    let (overlay, view) = over(whole.path());
    change(&view, ops);
    overlay.apply(target(whole.path())).unwrap();
    let after = tree(whole.path());

    let (directory, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = directory.path().canonicalize().unwrap();
    below(&path);
    let before = tree(&path);
    let (overlay, view) = over(&path);
    change(&view, ops);
    let journals = Journals::open(state.path()).unwrap();
    let one = Application { overlay: &overlay, target: make(&path, first), root: path.clone() };
    let outcome = apply_together(&[one], Safeguards { journals: Some(&journals) });
    for deadline in successors {
        journals.recover(std::slice::from_ref(&path), |root| Ok(make(root, *deadline)));
    }
    let last = journals.recover(std::slice::from_ref(&path), |root| Ok(make(root, usize::MAX)));
    for one in &last {
        assert!(matches!(one.outcome, Recovery::Undone | Recovery::Finished), "{:?}", one.outcome);
    }
    let expected = if outcome.is_ok() { after } else { before };
    assert_eq!(tree(&path), expected, "{outcome:?}");
    assert_eq!(fs::read_dir(journals.directory()).unwrap().count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn interrupted_applications_are_undone_or_finished(
        ops in prop::collection::vec(op(), 1..14),
        first in 0_usize..60,
        successors in prop::collection::vec(0_usize..30, 0..3),
        stiff in any::<bool>(),
    ) {
        dies(&ops, first, &successors, stiff);
    }
}
