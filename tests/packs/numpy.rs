//! numpy in the sandbox, beside what native numpy answered. numpy's own tests run by hand: `numpy/suite.py`.

use super::differences;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
#[ignore = "building numpy takes minutes of processor time, too long for the gate: run by hand"]
fn numpy_answers_as_natively() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("numpy");
    fs::create_dir_all(&home).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
        command.args(arguments).env("HOME", &home).stdin(Stdio::null());
        command.env_remove("XDG_DATA_HOME").env_remove("XDG_CACHE_HOME").output().unwrap()
    };
    let built = run(&["pack", "build", "numpy"]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/numpy");
    let mount = format!("{}:/cases:ro", cases.display());
    let answered = run(&["exec", "--mount", &mount, "python3 /cases/cases.py"]);
    assert_eq!(String::from_utf8_lossy(&answered.stderr), "");
    let expected = fs::read(cases.join("cases.expected")).unwrap();
    assert_eq!(differences(&expected, &answered.stdout), "");
}
