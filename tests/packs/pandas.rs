//! pandas in the sandbox, beside what native pandas answered. pandas' own tests run by hand: `pandas/suite.py`.

use super::differences;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

#[test]
#[ignore = "building pandas takes many minutes of processor time, too long for the gate: run by hand"]
fn pandas_answers_as_natively() {
    let answered = exec(&[], "python3 /cases/cases.py");
    assert_eq!(String::from_utf8_lossy(&answered.stderr), "");
    let expected = fs::read(cases().join("cases.expected")).unwrap();
    assert_eq!(differences(&expected, &answered.stdout), "");
}

/// Hostile input ends with an exception, never by a trap, and never with an answer.
#[test]
#[ignore = "building pandas takes many minutes of processor time, too long for the gate: run by hand"]
fn hostile_input_is_an_exception() {
    let listed = exec(&[], "python3 /cases/hostile.py --list");
    let [errors, endless]: [Vec<String>; 2] = serde_json::from_slice(&listed.stdout).unwrap();
    assert!(errors.len() > 50 && endless.len() > 2, "{listed:?}");
    let mut wrong = Vec::new();
    for name in &errors {
        let ended = exec(&["--memory", "1G", "--timeout", "60s"], &format!("python3 /cases/hostile.py '{name}'"));
        let told = String::from_utf8_lossy(&ended.stderr);
        // An exception that nobody handles: its text is the last line, after a traceback.
        if ended.status.code() != Some(1) || !told.contains("Traceback (most recent call last)") {
            wrong.push(format!("{name}: {ended:?}"));
        }
    }
    for name in &endless {
        let ended = exec(&["--timeout", "5s"], &format!("python3 /cases/hostile.py '{name}'"));
        if ended.status.code() != Some(124) || !ended.stdout.is_empty() {
            wrong.push(format!("{name}: {ended:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs a script in a sandbox that has the pack, with the cases at `/cases`.
fn exec(options: &[&str], script: &str) -> Output {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    let home = HOME.get_or_init(|| {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pandas");
        fs::create_dir_all(&home).unwrap();
        let built = sandshell(&home).args(["pack", "build", "pandas"]).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        home
    });
    let mount = format!("{}:/cases:ro", cases().display());
    sandshell(home).args(["exec", "--mount", &mount]).args(options).arg(script).output().unwrap()
}

fn sandshell(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
    command.env("HOME", home).stdin(Stdio::null()).env_remove("XDG_DATA_HOME").env_remove("XDG_CACHE_HOME");
    command
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/pandas")
}
