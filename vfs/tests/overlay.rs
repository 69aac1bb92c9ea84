//! Listing and applying an overlay's changes.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{View, view};
use sandshell_vfs::{ApplyError, ChangeKind, ConflictReason, Context, HostAccess, HostDir, Overlay};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn below(path: &Path) {
    fs::create_dir_all(path.join("src/deep")).unwrap();
    let lines: String = (1..=30).map(|number| format!("line {number}\n")).collect();
    fs::write(path.join("src/edit.txt"), &lines).unwrap();
    fs::write(path.join("src/deep/keep.txt"), "kept\n").unwrap();
    fs::write(path.join("no newline"), "end").unwrap();
    fs::write(path.join("remove.txt"), "bye\n").unwrap();
    fs::write(path.join("mode.sh"), "#!/bin/sh\n").unwrap();
    fs::write(path.join("binary"), [0, 1, 2]).unwrap();
    fs::write(path.join("gone"), (0..=255).collect::<Vec<u8>>()).unwrap();
    fs::write(path.join("latin"), b"caf\xe9\n").unwrap();
    fs::write(path.join("kind"), "file\n").unwrap();
    symlink("remove.txt", path.join("link")).unwrap();
    for name in [
        "src/edit.txt",
        "src/deep/keep.txt",
        "no newline",
        "remove.txt",
        "mode.sh",
        "binary",
        "gone",
        "latin",
        "kind",
    ] {
        fs::set_permissions(path.join(name), fs::Permissions::from_mode(0o644)).unwrap();
    }
}

fn over(path: &Path) -> (Arc<Overlay>, View) {
    let overlay =
        Arc::new(Overlay::new(Arc::new(HostDir::open(path, HostAccess::ReadOnly).unwrap())).unwrap());
    (overlay.clone(), view(overlay, Context::ROOT))
}

fn change(view: &View) {
    let edited =
        view.read("/src/edit.txt").unwrap().replace("line 3\n", "line three\n").replace("line 28\n", "");
    view.write("/src/edit.txt", &edited).unwrap();
    view.rename("/src/deep", "/moved").unwrap();
    view.write("/no newline", "still the end").unwrap();
    view.unlink("/remove.txt").unwrap();
    view.chmod("/mode.sh", 0o755).unwrap();
    view.unlink("/kind").unwrap();
    view.symlink("src", "/kind").unwrap();
    view.mkdir("/new dir").unwrap();
    view.write("/new dir/empty", "").unwrap();
    view.write("/new dir/h\u{e9}llo \"x\"\t.txt", "new\n").unwrap();
    view.unlink("/link").unwrap();
    view.symlink("elsewhere", "/link").unwrap();
    view.write("/binary", "\0other\n").unwrap();
    view.write("/big", &(0..2_000).map(|number| format!("{}\0", number * number)).collect::<String>())
        .unwrap();
    view.unlink("/gone").unwrap();
    view.rename("/latin", "/latin 2").unwrap();
}

fn tree(path: &Path) -> String {
    let command = "find . -not -path './.git*' -not -type d -printf '%p %y %m %l\\n' | sort; \
                   find . -not -path './.git*' -type f | sort | xargs -d '\\n' cat";
    let output = Command::new("sh").arg("-c").arg(command).current_dir(path).output().unwrap();
    assert!(output.status.success());
    output.stdout.escape_ascii().to_string()
}

#[test]
fn the_list_names_every_difference() {
    let directory = tempfile::tempdir().unwrap();
    below(directory.path());
    let before = tree(directory.path());
    let (overlay, view) = over(directory.path());
    assert_eq!(overlay.diff().unwrap(), []);
    view.write("/remove.txt", "bye\n").unwrap();
    assert_eq!(overlay.diff().unwrap(), [], "the same contents are no difference");
    change(&view);
    let list: Vec<String> = overlay
        .diff()
        .unwrap()
        .into_iter()
        .map(|change| {
            let sign = match change.change {
                ChangeKind::Added => '+',
                ChangeKind::Changed => '~',
                ChangeKind::Removed => '-',
            };
            format!("{sign}{} {:o}", String::from_utf8(change.path).unwrap(), change.mode)
        })
        .collect();
    let expected = [
        "+big 644",
        "~binary 644",
        "-gone 644",
        "-kind 644",
        "+kind 777",
        "-latin 644",
        "+latin 2 644",
        "~link 777",
        "~mode.sh 755",
        "+moved 755",
        "+moved/keep.txt 644",
        "+new dir 755",
        "+new dir/empty 644",
        "+new dir/h\u{e9}llo \"x\"\t.txt 644",
        "~no newline 644",
        "-remove.txt 644",
        "-src/deep 755",
        "-src/deep/keep.txt 644",
        "~src/edit.txt 644",
    ];
    assert_eq!(list, expected);
    assert_eq!(tree(directory.path()), before, "nothing below has changed");
    let patch = String::from_utf8(overlay.patch().unwrap()).unwrap();
    let binary = "index 8352675d67aed6625ece79af41c27fdb4ee2e867..\
                  0ec2a7afe5f03f49c241e6aa0bb3fe580c23f03c\nGIT binary patch\nliteral 7\n";
    assert!(patch.contains(binary), "{patch}");
    assert!(patch.contains("@@ -1,6 +1,6 @@\n line 1\n line 2\n-line 3\n+line three\n line 4\n"), "{patch}");
    assert!(patch.contains("-end\n\\ No newline at end of file\n+still the end\n\\ No newline"), "{patch}");
    let fork = Overlay::fork(&overlay);
    view.unlink("/new dir/empty").unwrap();
    assert_eq!(fork.diff().unwrap().len(), expected.len(), "a fork has the changes of its moment");
}

/// `git apply` of the patch has the same result as `apply` of the overlay.
#[test]
fn the_patch_and_apply_agree() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    below(one.path());
    below(two.path());
    let (overlay, view) = over(one.path());
    change(&view);
    let patch = two.path().join("changes.patch");
    fs::write(&patch, overlay.patch().unwrap()).unwrap();
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(two.path()).output();
        // Skipped without git.
        let Ok(output) = output else { return false };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        true
    };
    if !git(&["init", "-q"]) || !git(&["apply", "changes.patch"]) {
        return;
    }
    fs::remove_file(&patch).unwrap();
    let target = Arc::new(HostDir::open(one.path(), HostAccess::ReadWrite).unwrap());
    overlay.apply(target.clone()).unwrap();
    assert_eq!(tree(one.path()), tree(two.path()));
    assert_eq!(overlay.diff().unwrap(), []);
    // The overlay can be used further.
    view.write("/moved/keep.txt", "again\n").unwrap();
    overlay.apply(target).unwrap();
    assert_eq!(fs::read_to_string(one.path().join("moved/keep.txt")).unwrap(), "again\n");
}

#[test]
fn changes_by_others_are_conflicts() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    below(path);
    let (overlay, view) = over(path);
    change(&view);
    fs::write(path.join("src/edit.txt"), "someone else\n").unwrap();
    fs::remove_file(path.join("mode.sh")).unwrap();
    fs::create_dir(path.join("new dir")).unwrap();
    fs::set_permissions(path.join("new dir"), fs::Permissions::from_mode(0o700)).unwrap();
    let before = tree(path);
    let target = Arc::new(HostDir::open(path, HostAccess::ReadWrite).unwrap());
    let Err(ApplyError::Conflicts(conflicts)) = overlay.apply(target) else { panic!("conflicts") };
    let conflicts: Vec<_> =
        conflicts.iter().map(|conflict| (conflict.path.as_slice(), conflict.reason)).collect();
    assert_eq!(
        conflicts,
        [
            (b"mode.sh".as_slice(), ConflictReason::Missing),
            (b"new dir", ConflictReason::Exists),
            (b"src/edit.txt", ConflictReason::Modified),
        ]
    );
    assert_eq!(tree(path), before, "nothing was done");
}
