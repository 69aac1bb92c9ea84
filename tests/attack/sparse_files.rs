//! Sparse files, which claim to be large but store nothing.

use crate::program::{refused, run, sandshell, stderr, succeed};
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::process::Command;

/// A file of 1 TiB with five bytes in the middle, and one without any data.
const MAKE: &str = "truncate -s 1T f g; printf hello | dd of=f bs=1 seek=500G conv=notrunc status=none";

#[track_caller]
fn check_hole(path: &Path) {
    let metadata = fs::metadata(path).unwrap();
    assert_eq!(metadata.len(), 1 << 40, "{}", path.display());
    assert!(metadata.blocks() * 512 < 1 << 20, "{}: {} blocks", path.display(), metadata.blocks());
}

#[track_caller]
fn check_middle(path: &Path) {
    check_hole(path);
    let mut bytes = [0; 5];
    fs::File::open(path).unwrap().read_exact_at(&mut bytes, 500 << 30).unwrap();
    assert_eq!(&bytes, b"hello");
}

#[test]
fn holes_stay_holes_from_one_run_to_the_next() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    succeed(home, &["exec", "--state", "box.tar", "--disk", "1M", MAKE]);
    let size = fs::metadata(home.join("box.tar")).unwrap().len();
    assert!(size < 1 << 18, "{size} bytes");
    let look = "stat -c '%n %s' f g; dd if=f bs=1 skip=500G count=5 status=none; echo; du -k f g | cut -f1";
    let seen = succeed(home, &["exec", "--state", "box.tar", "--disk", "1M", look]);
    assert!(seen.starts_with("f 1099511627776\ng 1099511627776\nhello\n"), "{seen}");
    assert!(seen.lines().skip(3).all(|blocks| blocks.parse::<u64>().unwrap() < 1000), "{seen}");
    // Out of the sandbox, and into another one.
    succeed(home, &["cp", "--state", "box.tar", ":/workspace/f", ":/workspace/g", "."]);
    check_middle(&home.join("f"));
    check_hole(&home.join("g"));
    succeed(home, &["cp", "--state", "other.tar", "f", "g", ":/workspace/"]);
    assert!(fs::metadata(home.join("other.tar")).unwrap().len() < 1 << 18);
    assert_eq!(succeed(home, &["exec", "--state", "other.tar", look]).lines().nth(2), Some("hello"));
}

/// Other programs can read our archives, and we can read theirs.
#[test]
fn the_forms_are_those_of_gnu_tar() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    succeed(home, &["exec", "--state", "box.tar", MAKE]);
    let tar = |args: &[&str]| {
        let output = Command::new("tar").args(args).current_dir(home).output();
        // Without GNU tar there is nothing to compare with.
        let Ok(output) = output else { return false };
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        true
    };
    fs::create_dir_all(home.join("out/workspace")).unwrap();
    if !tar(&["-xf", "box.tar", "-C", "out", "--no-same-owner", "workspace/f", "workspace/g"]) {
        return;
    }
    check_middle(&home.join("out/workspace/f"));
    check_hole(&home.join("out/workspace/g"));
    for format in ["gnu", "pax"] {
        let (file, format) = (format!("{format}.tar"), format!("--format={format}"));
        tar(&["-cSf", &file, &format, "--owner=1000", "--group=1000", "-C", "out", "workspace"]);
        let look = "stat -c %s f g; dd if=f bs=1 skip=500G count=5 status=none";
        let seen = succeed(home, &["exec", "--state", &file, "--disk", "1M", look]);
        assert_eq!(seen, "1099511627776\n1099511627776\nhello", "{format}");
    }
}

#[test]
fn they_are_shown_and_applied_as_what_they_are() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tree")).unwrap();
    fs::File::create(home.join("tree/old")).unwrap().set_len(1 << 40).unwrap();
    let mount = "tree:/workspace:overlay";
    let make = format!("{MAKE}; echo small > h; printf x >> old");
    let patch = succeed(home, &["exec", "--mount", mount, "--disk", "1M", "--diff", &make]);
    assert!(
        patch.contains("Binary files /dev/null and b/f differ\n") && patch.contains("+small\n"),
        "{patch}"
    );
    assert!(
        patch.contains("# too large to be shown: 1099511627776 bytes -> 1099511627777 bytes\n"),
        "{patch}"
    );
    assert!(patch.len() < 4096);
    let list = succeed(home, &["exec", "--mount", mount, "--diff=list", &make]);
    assert_eq!(list, "A\tf\nA\tg\nA\th\nM\told\n");
    succeed(home, &["exec", "--mount", mount, "--disk", "1M", "--apply", &make]);
    check_middle(&home.join("tree/f"));
    check_hole(&home.join("tree/g"));
    assert!(fs::metadata(home.join("tree/old")).unwrap().blocks() * 512 < 1 << 20);
}

#[test]
fn what_cannot_be_kept_is_refused_before_anything_is_written() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tree")).unwrap();
    let huge = "echo a > a; truncate -s 9223372036854775806 huge";
    let probe = tempfile::tempfile_in(home).unwrap();
    if probe.set_len(i64::MAX as u64 - 1).is_ok() {
        return;
    }
    let output = run(home, &["exec", "--mount", "tree:/workspace:overlay", "--apply", huge]);
    refused(&output, &["huge", "9223372036854775806 bytes"]);
    assert_eq!(fs::read_dir(home.join("tree")).unwrap().count(), 0);
    succeed(home, &["exec", "--state", "box.tar", huge]);
    let output = run(home, &["cp", "--state", "box.tar", ":/workspace/a", ":/workspace/huge", "tree"]);
    refused(&output, &["huge", "9223372036854775806 bytes"]);
    assert_eq!(fs::read_dir(home.join("tree")).unwrap().count(), 0);
}

/// Tools for agents answer with an error instead of using up the host's memory.
#[test]
fn a_file_that_is_read_whole_has_a_limit() {
    let home = tempfile::tempdir().unwrap();
    let requests = [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute","arguments":{"command":"truncate -s 1T /workspace/f"}}}"#,
    ];
    let download = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"download","arguments":{"path":"/workspace/f"}}}"#;
    let mut child = sandshell(home.path())
        .args(["mcp", "--no-packs"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut ask = |request: &str, answered: bool| {
        std::io::Write::write_all(&mut stdin, format!("{request}\n").as_bytes()).unwrap();
        if answered { lines.next().unwrap().unwrap() } else { String::new() }
    };
    for request in requests {
        ask(request, request.contains("\"id\""));
    }
    let answer = ask(download, true);
    assert!(answer.contains("larger than 1073741824 bytes"), "{answer}");
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}
