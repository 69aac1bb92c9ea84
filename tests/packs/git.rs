//! git: `commands.expected` is what Debian's prints. Repositories go to and fro between it and the machine's own.

use super::{Stdio, differences, exec};
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn answers_are_those_of_debians() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/git");
    let work = tempfile::tempdir().unwrap();
    let mounts = [format!("{}:/tests:ro", folder.display()), format!("{}:/out:rw", work.path().display())];
    let script = "mkdir /tmp/git-case; cd /tmp/git-case; bash /tests/commands.sh; cp -r work bare.git /out";
    let got = exec(["--mount", &mounts[0], "--mount", &mounts[1]], script);
    let differs = differences(&fs::read(folder.join("commands.expected")).unwrap(), &got.stdout);
    assert!(differs.is_empty(), "{differs}\n{}", String::from_utf8_lossy(&got.stderr));

    for repository in ["work", "bare.git"] {
        let checked = native(&work.path().join(repository), &["fsck", "--full", "--strict", "--no-dangling"]);
        assert_eq!(checked, "", "what the machine's git says of {repository}");
    }
    assert!(native(&work.path().join("work"), &["log", "--oneline"]).lines().count() > 10);
    assert_eq!(native(&work.path().join("work"), &["status", "--short"]), "");
}

#[test]
fn what_agents_type_is_answered_as_debians_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/git");
    let script = "mkdir /tmp/git-case-a; cd /tmp/git-case-a; bash /tests/agents.sh";
    let got = exec(["--mount", &format!("{}:/tests:ro", folder.display())], script);
    let differs = differences(&fs::read(folder.join("agents.expected")).unwrap(), &got.stdout);
    assert!(differs.is_empty(), "{differs}\n{}", String::from_utf8_lossy(&got.stderr));
}

/// Endless hooks, malformed objects, names that lead out: git ends with an error of its own, or at its time limit.
#[test]
fn hostile_repositories_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/git");
    let script = "mkdir /tmp/h; cd /tmp/h; bash /tests/hostile.sh 2>/dev/null";
    let got = exec(["--mount", &format!("{}:/tests:ro", folder.display())], script);
    let text = String::from_utf8_lossy(&got.stdout);
    let (told, plain): (Vec<_>, Vec<_>) = text.lines().partition(|line| line.contains(": "));
    assert_eq!(plain, ["some", "0", "0", "on"], "{text}");
    assert!(told.len() >= 24, "{text}");
    let strange: Vec<_> =
        told.iter().filter(|line| !line.ends_with(": ended") && !line.ends_with(": 124")).collect();
    assert!(strange.is_empty(), "{strange:?}");
}

#[test]
fn a_repository_of_the_machines_git_is_read() {
    let work = tempfile::tempdir().unwrap();
    let repository = work.path().join("native");
    fs::create_dir(&repository).unwrap();
    native(&repository, &["init", "--quiet"]);
    for number in 0..30 {
        fs::write(repository.join(format!("file-{}", number % 7)), format!("{number}\n").repeat(100))
            .unwrap();
        native(&repository, &["add", "."]);
        native(&repository, &["commit", "--quiet", "-m", &format!("Commit {number}")]);
        if number == 20 {
            native(&repository, &["gc", "--quiet"]);
        }
    }
    let log = native(&repository, &["log", "--format=%H %s", "--shortstat"]);
    let script = "git config --global safe.directory '*'
        cp -r /native /tmp/copy; cd /tmp/copy; git fsck --full --strict; git gc --quiet; git fsck --full --strict
        git status --short; git log --format='%H %s' --shortstat";
    let got = exec(["--mount", &format!("{}:/native:ro", repository.display())], script);
    assert_eq!(String::from_utf8_lossy(&got.stdout), log, "{}", String::from_utf8_lossy(&got.stderr));
}

/// What the machine's git prints.
fn native(repository: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", repository).env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "Somebody")
            .env(format!("GIT_{who}_EMAIL"), "somebody@example.com");
    }
    command.args(["-c", "safe.directory=*", "-C"]).arg(repository).args(arguments).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
