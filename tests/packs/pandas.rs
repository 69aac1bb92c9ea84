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

/// Hostile input ends with an exception. What crashes natively ends the process by a signal, and so does a hash table
/// without memory.
#[test]
#[ignore = "building pandas takes many minutes of processor time, too long for the gate: run by hand"]
fn hostile_input_has_no_silent_end() {
    let listed = exec(&[], "python3 /cases/hostile.py --list");
    let [errors, fatal, endless]: [Vec<String>; 3] = serde_json::from_slice(&listed.stdout).unwrap();
    let mut wrong = Vec::new();
    let mut check = |names: &[String], timeout: &str, expected: &dyn Fn(i32, &str) -> bool| {
        for name in names {
            let script = format!("python3 /cases/hostile.py '{name}'");
            let ended = exec(&["--memory", "1G", "--timeout", timeout], &script);
            let told = String::from_utf8_lossy(&ended.stderr);
            if !expected(ended.status.code().unwrap_or_default(), &told) || !ended.stdout.is_empty() {
                wrong.push(format!("{name}: {ended:?}"));
            }
        }
    };
    check(&errors, "60s", &|status, told| status == 1 && told.contains("Traceback (most recent call last)"));
    check(&fatal, "60s", &|status, _| [134, 139].contains(&status));
    check(&endless, "5s", &|status, _| status == 124);
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
