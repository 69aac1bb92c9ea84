//! Applying is all or nothing, in spite of interference and interruptions at any point.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "common/disturbed.rs"]
mod disturbed;

use common::{View, view};
use disturbed::{Disturbed, Interference, over, target, tree};
use sandshell_vfs::{
    Application, ApplyError, ConflictReason, Context, DiffError, Errno, FileSystem, HostAccess, HostDir,
    Journals, OpenOptions, Overlay, Recovered, Recovery, Safeguards, SetAttributes, apply_together,
};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A directory with files for every kind of change.
fn below(path: &Path) {
    for directory in ["kept", "closed", "gone/deep", "turns"] {
        fs::create_dir_all(path.join(directory)).unwrap();
    }
    for file in ["edit", "remove", "kept/in", "closed/in", "gone/a", "gone/deep/b", "turns/x", "becomes"] {
        fs::write(path.join(file), format!("old {file}\n")).unwrap();
    }
    symlink("edit", path.join("link")).unwrap();
    fs::set_permissions(path.join("closed"), Permissions::from_mode(0o500)).unwrap();
}

fn change(view: &View) {
    view.write("/edit", "new\n").unwrap();
    view.unlink("/remove").unwrap();
    view.chmod("/kept", 0o711).unwrap();
    view.write("/kept/in", "new in\n").unwrap();
    view.chmod("/closed", 0o700).unwrap();
    view.write("/closed/more", "more\n").unwrap();
    for gone in ["/gone/a", "/gone/deep/b", "/turns/x"] {
        view.unlink(gone).unwrap();
    }
    for gone in ["/gone/deep", "/gone", "/turns"] {
        view.rmdir(gone).unwrap();
    }
    view.write("/turns", "a file now\n").unwrap();
    view.unlink("/becomes").unwrap();
    view.mkdir("/becomes").unwrap();
    view.write("/becomes/inner", "inner\n").unwrap();
    view.mkdir("/fresh").unwrap();
    view.mkdir("/fresh/sub").unwrap();
    view.write("/fresh/sub/file", "fresh\n").unwrap();
    view.chmod("/fresh/sub", 0o555).unwrap();
    view.mkdir("/shut").unwrap();
    view.chmod("/shut", 0o555).unwrap();
    view.unlink("/link").unwrap();
    view.symlink("elsewhere", "/link").unwrap();
}

fn applied(path: &Path) -> Vec<String> {
    below(path);
    let (overlay, view) = over(path);
    change(&view);
    overlay.apply(target(path)).unwrap();
    assert_eq!(overlay.diff().unwrap(), []);
    tree(path)
}

/// A process that dies before any of its changes leaves a state that the next one can complete or undo.
#[test]
fn interrupted_applications_are_undone_or_finished() {
    cut_off(Disturbed::new);
}

#[test]
fn the_same_holds_where_directories_cannot_be_moved() {
    cut_off(Disturbed::stiff);
}

fn cut_off(make: fn(&Path, Interference) -> Arc<Disturbed>) {
    let whole = tempfile::tempdir().unwrap();
    let after = applied(whole.path());
    let (mut undone, mut finished) = (0, 0);
    for deadline in 0.. {
        let (directory, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = directory.path().canonicalize().unwrap();
        below(&path);
        let before = tree(&path);
        let (overlay, view) = over(&path);
        change(&view);
        let journals = Journals::open(state.path().join("apply")).unwrap();
        let dying: Interference =
            Box::new(move |number| if number < deadline { Ok(()) } else { Err(Errno::Io) });
        let dead = make(&path, dying);
        let one = Application { overlay: &overlay, target: dead.clone(), root: path.clone() };
        let safeguards = Safeguards { journals: Some(&journals) };
        let outcome = apply_together(&[one], safeguards);
        let survived = dead.changes.load(Ordering::Relaxed) <= deadline;
        // The recovering process may die too, and so may the one after that.
        let mut recovered = Vec::new();
        for again in [0, 1, 2, 3, 5, 9, 20, 40].into_iter().filter(|again| (again + deadline) % 3 == 0) {
            let dying = move |number| if number < again { Ok(()) } else { Err(Errno::Io) };
            recovered.extend(
                journals.recover(std::slice::from_ref(&path), |root| Ok(make(root, Box::new(dying)))),
            );
        }
        let unsettled = |one: &Recovered| matches!(one.outcome, Recovery::Left { .. } | Recovery::Failed(_));
        recovered.retain(|one| !unsettled(one));
        recovered.extend(
            journals.recover(std::slice::from_ref(&path), |root| Ok(make(root, Box::new(|_| Ok(()))))),
        );
        for one in &recovered {
            match one.outcome {
                Recovery::Undone => undone += 1,
                Recovery::Finished => finished += 1,
                ref other => panic!("after {deadline} changes: {other:?}"),
            }
        }
        let now = tree(&path);
        match outcome {
            Ok(_) => assert_eq!(now, after, "after {deadline} changes"),
            Err((_, error)) => assert_eq!(now, before, "after {deadline} changes: {error}"),
        }
        assert_eq!(fs::read_dir(journals.directory()).unwrap().count(), 0, "after {deadline} changes");
        if survived {
            break;
        }
    }
    assert!(undone > 10 && finished > 5, "{undone} {finished}");
}

#[test]
fn a_change_at_the_last_moment_is_a_conflict() {
    for number in 0..80 {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_owned();
        below(&path);
        let (overlay, view) = over(&path);
        change(&view);
        let edited = path.join("edit");
        let other: Interference = Box::new(move |now| {
            if now == number {
                fs::write(edited.with_extension("new"), "somebody else's\n").unwrap();
                fs::rename(edited.with_extension("new"), &edited).unwrap();
            }
            Ok(())
        });
        let outcome = overlay.apply(Disturbed::new(&path, other));
        let text = fs::read_to_string(path.join("edit")).unwrap();
        let untouched = path.join("remove").exists() && path.join("gone/deep/b").exists();
        match outcome {
            // The interference came before the step, and nothing was changed.
            Err(ApplyError::Conflicts(conflicts)) => {
                assert_eq!(
                    (conflicts[0].path.as_slice(), conflicts[0].reason),
                    (&b"edit"[..], ConflictReason::Modified)
                );
                assert!(untouched && text == "somebody else's\n", "{number}: {text}");
            }
            // The interference came after the step, and replaced the new file.
            Ok(_) => assert!(!untouched, "{number}"),
            // The original file could not be restored over somebody else's, so it is kept.
            Err(ApplyError::Unfinished { path: left, .. }) => assert_eq!(left, b"edit", "{number}"),
            Err(other) => panic!("{number}: {other}"),
        }
        assert!(["somebody else's\n", "new\n"].contains(&text.as_str()), "{number}: {text}");
    }
}

#[test]
fn files_that_others_add_to_a_removed_directory_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    below(path);
    let (overlay, view) = over(path);
    change(&view);
    fs::write(path.join("gone/deep/theirs"), "precious\n").unwrap();
    let Err(ApplyError::Conflicts(conflicts)) = overlay.apply(target(path)) else { panic!("a conflict") };
    assert_eq!(conflicts[0].path, b"gone/deep/theirs");
    assert_eq!(fs::read_to_string(path.join("gone/deep/theirs")).unwrap(), "precious\n");
    // The same at the last moment.
    fs::remove_file(path.join("gone/deep/theirs")).unwrap();
    let theirs = path.join("gone/theirs");
    let other: Interference = Box::new(move |number| {
        if number == 12 {
            fs::write(&theirs, "precious\n").unwrap();
        }
        Ok(())
    });
    let before = tree(path);
    assert!(matches!(overlay.apply(Disturbed::new(path, other)), Err(ApplyError::Conflicts(_))));
    assert_eq!(fs::read_to_string(path.join("gone/theirs")).unwrap(), "precious\n");
    fs::remove_file(path.join("gone/theirs")).unwrap();
    assert_eq!(tree(path), before);
}

/// A sandbox can give a new file the size and time of the old one.
#[test]
fn a_new_file_that_looks_like_the_old_one_is_recognised() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("a"), "old\n").unwrap();
    fs::write(path.join("b"), "old\n").unwrap();
    let (overlay, view) = over(path);
    for name in ["/a", "/b"] {
        let time = Some(sandshell_vfs::SetTime::At(view.stat(name).unwrap().mtime));
        view.write(name, "new\n").unwrap();
        view.set(name, SetAttributes { mtime: time, ..SetAttributes::default() }).unwrap();
    }
    let before = tree(path);
    for failing in 0..8 {
        let once: Interference =
            Box::new(move |number| if number == failing { Err(Errno::Io) } else { Ok(()) });
        let outcome = overlay.apply(Disturbed::new(path, once));
        if outcome.is_ok() {
            break;
        }
        assert_eq!(tree(path), before, "at change {failing}");
    }
    overlay.apply(target(path)).unwrap();
    assert_eq!(fs::read_to_string(path.join("a")).unwrap(), "new\n");
}

#[test]
fn directories_with_a_known_name_are_not_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::create_dir_all(path.join(".sandshell-apply")).unwrap();
    fs::write(path.join(".sandshell-apply/mine"), "mine\n").unwrap();
    let (overlay, view) = over(path);
    view.write("/.sandshell-apply/theirs", "theirs\n").unwrap();
    view.write("/f", "f\n").unwrap();
    overlay.apply(target(path)).unwrap();
    assert_eq!(fs::read_to_string(path.join(".sandshell-apply/mine")).unwrap(), "mine\n");
    assert_eq!(fs::read_to_string(path.join(".sandshell-apply/theirs")).unwrap(), "theirs\n");
}

/// A journal counts only in the journals' directory, and that directory is refused if others could have written to it.
#[test]
fn forged_journals_are_ignored() {
    let (directory, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = directory.path().canonicalize().unwrap();
    let text = format!(
        "sandshell-apply 1\nready\nroot ={} =.sandshell-apply-0\nstep =victim - 1:100000:1:0:0\nend\n",
        path.display()
    );
    fs::create_dir(path.join(".sandshell-apply-0")).unwrap();
    fs::write(path.join("0.journal"), &text).unwrap();
    fs::write(path.join(".sandshell-apply-0/0.journal"), &text).unwrap();
    fs::write(path.join("victim"), "v\n").unwrap();
    let before = tree(&path);
    let open = |root: &Path| -> std::io::Result<Arc<dyn FileSystem>> {
        Ok(Arc::new(HostDir::open(root, HostAccess::ReadWrite)?))
    };
    let journals = Journals::open(state.path().join("apply")).unwrap();
    assert!(journals.recover(std::slice::from_ref(&path), open).is_empty());
    assert_eq!(tree(&path), before);
    for mode in [0o720, 0o702, 0o777] {
        fs::set_permissions(journals.directory(), Permissions::from_mode(mode)).unwrap();
        assert!(Journals::open(journals.directory()).is_err(), "{mode:o}");
    }
}

#[test]
fn journals_are_not_applied_to() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    let journals = Journals::open(path.join(".local/own/apply")).unwrap();
    let safeguards = Safeguards { journals: Some(&journals) };
    let attempt = |make: &dyn Fn(&View)| {
        let (overlay, view) = over(&path);
        make(&view);
        let one = Application { overlay: &overlay, target: target(&path), root: path.clone() };
        apply_together(&[one], safeguards).map_err(|(_, error)| error)
    };
    let attempts: [&dyn Fn(&View); 3] = [
        &|view| view.write("/.local/own/apply/0.journal", "x").unwrap(),
        &|view| view.rename("/.local/own", "/other").unwrap(),
        &|view| {
            view.rename("/.local", "/other").unwrap();
            view.symlink("/tmp", "/.local").unwrap();
        },
    ];
    for (number, make) in attempts.iter().enumerate() {
        let Err(ApplyError::Conflicts(conflicts)) = attempt(make) else { panic!("attempt {number}") };
        assert!(conflicts.iter().any(|one| one.reason == ConflictReason::Protected), "{conflicts:?}");
    }
    attempt(&|view| view.write("/.local/own/other", "x").unwrap()).unwrap();
}

#[test]
fn several_overlays_are_applied_together_or_not_at_all() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    below(one.path());
    below(two.path());
    let before = (tree(one.path()), tree(two.path()));
    let (first, first_view) = over(one.path());
    let (second, second_view) = over(two.path());
    change(&first_view);
    change(&second_view);
    let failing: Interference = Box::new(|number| if number == 22 { Err(Errno::Io) } else { Ok(()) });
    let broken = Disturbed::new(two.path(), failing);
    let part = |overlay, target| Application { overlay, target, root: PathBuf::new() };
    let outcome =
        apply_together(&[part(&first, target(one.path())), part(&second, broken)], Safeguards::default());
    assert!(matches!(outcome, Err((1, ApplyError::Failed { .. }))), "{outcome:?}");
    assert_eq!((tree(one.path()), tree(two.path())), before);
    let whole = [part(&first, target(one.path())), part(&second, target(two.path()))];
    apply_together(&whole, Safeguards::default()).unwrap();
    assert_ne!(tree(one.path()), before.0);
    assert_eq!(tree(one.path()), tree(two.path()));
}

#[test]
fn holes_stay_holes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::File::create(path.join("below")).unwrap().set_len(1 << 40).unwrap();
    let (overlay, view) = over(path);
    let tib = SetAttributes { size: Some(1 << 40), ..SetAttributes::default() };
    view.write("/new", "head").unwrap();
    view.set("/new", tib).unwrap();
    let write = OpenOptions { truncate: false, mode: 0o644, ..OpenOptions::WRITE };
    view.open("/new", write).unwrap().write_at(b"far", 1 << 39).unwrap();
    view.open("/below", write).unwrap().write_at(b"x", (1 << 40) - 1).unwrap();
    assert!(overlay.usage().bytes < 1 << 20, "copied up without its holes: {:?}", overlay.usage());
    let changes = overlay.diff().unwrap();
    assert_eq!(
        changes.iter().map(|change| change.path.as_slice()).collect::<Vec<_>>(),
        [&b"below"[..], b"new"]
    );
    let patch = String::from_utf8(overlay.patch().unwrap()).unwrap();
    assert!(patch.contains("Binary files /dev/null and b/new differ\n"), "{patch}");
    assert!(patch.contains("# too large to be shown: nothing -> 1099511627776 bytes\n"), "{patch}");
    overlay.apply(target(path)).unwrap();
    for name in ["new", "below"] {
        let metadata = fs::metadata(path.join(name)).unwrap();
        assert_eq!(metadata.len(), 1 << 40);
        assert!(metadata.blocks() * 512 < 1 << 20, "{name}: {} blocks", metadata.blocks());
    }
    assert_eq!(overlay.diff().unwrap(), []);
    let file = fs::File::open(path.join("new")).unwrap();
    let mut far = [0; 3];
    std::os::unix::fs::FileExt::read_exact_at(&file, &mut far, 1 << 39).unwrap();
    assert_eq!(&far, b"far");
}

#[test]
fn changes_that_do_not_fit_are_refused_first() {
    let directory = tempfile::tempdir().unwrap();
    let (overlay, view) = over(directory.path());
    view.write("/a", "a").unwrap();
    view.write("/huge", "").unwrap();
    view.set("/huge", SetAttributes { size: Some(i64::MAX as u64 - 1), ..SetAttributes::default() }).unwrap();
    match overlay.apply(target(directory.path())) {
        Err(ApplyError::TooLarge { path, size }) => {
            assert_eq!((path, size), (b"huge".to_vec(), i64::MAX as u64 - 1))
        }
        // Some filesystems allow files of this size.
        Ok(_) => return,
        Err(other) => panic!("{other}"),
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn privileges_stay_in_the_sandbox() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("tool"), "#!/bin/sh\n").unwrap();
    fs::create_dir(path.join("dir")).unwrap();
    let (overlay, view) = over(path);
    view.chmod("/tool", 0o6755).unwrap();
    view.write("/new", "x").unwrap();
    view.link("/new", "/linked").unwrap();
    view.chmod("/new", 0o4711).unwrap();
    view.rename("/new", "/renamed").unwrap();
    view.mkdir("/shared").unwrap();
    view.chmod("/shared", 0o3777).unwrap();
    view.chmod("/dir", 0o2775).unwrap();
    let patch = String::from_utf8(overlay.patch().unwrap()).unwrap();
    assert!(patch.contains("-> 6755: tool\n") && patch.contains("# mode 4711: renamed\n"), "{patch}");
    overlay.apply(target(path)).unwrap();
    for (name, mode) in
        [("tool", 0o755), ("renamed", 0o711), ("linked", 0o711), ("shared", 0o1777), ("dir", 0o775)]
    {
        let found = fs::symlink_metadata(path.join(name)).unwrap().mode() & 0o7777;
        assert_eq!(found, mode, "{name}: {found:o}");
    }
    assert_eq!(overlay.diff().unwrap(), [], "and the overlay agrees");
    // At once, through a writable mount.
    let direct = view_of(path);
    for (name, mode) in [("/tool", 0o4755), ("/tool", 0o2755), ("/dir", 0o2755)] {
        assert_eq!(direct.chmod(name, mode), Err(Errno::Perm), "{name}");
    }
    direct.chmod("/dir", 0o1777).unwrap();
    direct.namespace.create_dir(&direct.cx, &direct.namespace.root(), b"/made", 0o6755).unwrap();
    let how = OpenOptions { mode: 0o6755, ..OpenOptions::WRITE };
    direct.open("/file", how).unwrap();
    direct.link("/file", "/again").unwrap();
    for name in ["made", "file", "again", "tool", "dir"] {
        assert_eq!(fs::metadata(path.join(name)).unwrap().mode() & 0o6000, 0, "{name}");
    }
    // Bits that the host has set are cleared when a sandbox writes to the file, even for the superuser.
    fs::set_permissions(path.join("tool"), Permissions::from_mode(0o6755)).unwrap();
    let write = OpenOptions { truncate: false, ..OpenOptions::WRITE };
    direct.open("/tool", write).unwrap().write_at(b"#", 0).unwrap();
    assert_eq!(fs::metadata(path.join("tool")).unwrap().mode() & 0o7777, 0o755);
    fs::set_permissions(path.join("tool"), Permissions::from_mode(0o4755)).unwrap();
    direct.set("/tool", SetAttributes { size: Some(0), ..SetAttributes::default() }).unwrap();
    assert_eq!(fs::metadata(path.join("tool")).unwrap().mode() & 0o7777, 0o755);
}

fn view_of(path: &Path) -> View {
    view(Arc::new(HostDir::open(path, HostAccess::ReadWrite).unwrap()), Context::USER)
}

/// Trees that are nested more deeply than a path can be long, as a loop of `mv` can create them.
#[test]
fn trees_of_any_depth_do_not_overflow_the_stack() {
    for depth in [1_000, 5_700, 100_000] {
        let directory = tempfile::tempdir().unwrap();
        let (overlay, view) = over(directory.path());
        let root = view.namespace.root();
        view.mkdir("/n").unwrap();
        for _ in 1..depth {
            view.mkdir("/m").unwrap();
            view.rename("/n", "/m/d").unwrap();
            view.rename("/m", "/n").unwrap();
        }
        let result = overlay.diff();
        if depth > 2_048 {
            assert!(matches!(result, Err(DiffError::TooDeep { .. })), "{result:?}");
            let text = overlay.patch().unwrap_err().to_string();
            assert!(text.contains("nested too deeply") && text.contains("4095"), "{text}");
            assert!(matches!(overlay.apply(target(directory.path())), Err(ApplyError::Diff(_))));
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        } else {
            assert_eq!(result.unwrap().len(), depth);
            overlay.apply(target(directory.path())).unwrap();
            assert_eq!(overlay.diff().unwrap(), []);
        }
        let fork = Overlay::fork(&overlay);
        drop((view, root, overlay));
        drop(fork);
    }
}
