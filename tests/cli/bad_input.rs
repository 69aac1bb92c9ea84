//! Every error is one line, with status 2.

use super::{check_refused, home, run};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn arguments() {
    let home = home();
    let cases: &[(&[&str], &[&str])] = &[
        (&["exec"], &["COMMAND"]),
        (&["exec", "--monut", "x", "true"], &["--monut", "--mount"]),
        (&["frobnicate"], &["frobnicate"]),
        (&["exec", "--timeout", "soon", "true"], &["--timeout", "unknown unit"]),
        (&["exec", "--memory", "0", "true"], &["--memory", "more than nothing"]),
        (&["exec", "--clock", "noon", "true"], &["--clock"]),
        (&["exec", "--seed", "x", "true"], &["--seed"]),
        (&["exec", "--diff=html", "true"], &["--diff", "html"]),
        (&["exec", "--env", "=x", "true"], &["--env", "no name"]),
        (&["exec", "--workdir", "relative", "true"], &["relative"]),
        (&["exec", "--mount", "nowhere", "true"], &["--mount", "HOST:GUEST"]),
        (&["exec", "--mount", "missing:/x", "true"], &["missing", "no such directory"]),
        (&["exec", "--apply", "true"], &["--apply", "overlay"]),
        (&["exec", "--diff", "true"], &["--diff", "overlay"]),
        (&["run", "missing.wasm"], &["missing.wasm", "No such file"]),
        (&["cp", "--state", "s.tar", "a", "b"], &["colon"]),
        (&["cp", "--state", "s.tar", ":/a", ":/b"], &["on the host"]),
        (&["cp", "--state", "s.tar", "missing", ":/workspace"], &["missing", "No such file"]),
        (&["cp", "--state", "s.tar", ":/missing", "here"], &[":/missing", "No such file"]),
        (&["cp", "--state", "s.tar", "x", ":relative"], &["absolute"]),
        (&["completions", "cobol"], &["cobol"]),
        (&["man", "cobol"], &["cobol"]),
    ];
    for (args, words) in cases {
        check_refused(&run(&home, *args), words);
    }
    assert!(!home.path().join("s.tar").exists());
}

#[test]
fn files_that_are_not_what_they_should_be() {
    let home = home();
    fs::write(home.path().join("file"), "text").unwrap();
    check_refused(&run(&home, ["exec", "--mount", "file:/x", "true"]), &["file", "not a directory"]);
    check_refused(&run(&home, ["run", "file"]), &["file", "not a WebAssembly"]);
    check_refused(&run(&home, ["exec", "--state", "file", "true"]), &["file"]);
    check_refused(&run(&home, ["exec", "--state", ".", "true"]), &["directory"]);
    check_refused(&run(&home, ["exec", "--state", "no/where.tar", "true"]), &["no/where.tar"]);
    assert_eq!(fs::read(home.path().join("file")).unwrap(), b"text");
    fs::write(home.path().join("bad.wasm"), b"\0asm\x01\0\0\0\xff").unwrap();
    check_refused(&run(&home, ["run", "bad.wasm"]), &["bad.wasm", "cannot be run"]);
    check_refused(&run(&home, ["run", "--dir", "gone::/x", "bad.wasm"]), &["gone", "No such file"]);
}

#[test]
fn a_file_that_cannot_be_read() {
    let home = home();
    let file = home.path().join("closed.wasm");
    fs::write(&file, b"\0asm\x01\0\0\0").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(&file).is_ok() {
        // Root can read everything.
        return;
    }
    check_refused(&run(&home, ["run", "closed.wasm"]), &["closed.wasm", "Permission denied"]);
}
