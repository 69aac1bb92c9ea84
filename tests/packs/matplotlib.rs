//! matplotlib in the sandbox, beside what native matplotlib drew.

use super::differences;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

#[test]
#[ignore = "building matplotlib takes many minutes of processor time, too long for the gate: run by hand"]
fn matplotlib_draws_as_natively() {
    let answered = exec(&[], "python3 -W ignore /cases/cases.py");
    // What matplotlib says of a legend in PostScript.
    let warning = "The PostScript backend does not support transparency; partially transparent artists will be rendered opaque.\n";
    assert_eq!(String::from_utf8_lossy(&answered.stderr), warning);
    let expected = fs::read(cases().join("cases.expected")).unwrap();
    assert_eq!(differences(&expected, &answered.stdout), "");
}

/// Without any setting, plots are pictures. What the user has set is read when a program starts.
#[test]
#[ignore = "building matplotlib takes many minutes of processor time, too long for the gate: run by hand"]
fn settings_are_those_of_the_program() {
    let backend = "import matplotlib.pyplot as plt; plt.plot([1, 2]); print(plt.get_backend(), plt.rcParams['lines.linewidth'])";
    let script = format!(
        "cd /tmp && python3 -c \"{backend}\" && MPLBACKEND=svg python3 -c \"{backend}\" && echo 'lines.linewidth: 7' > matplotlibrc \
         && python3 -c \"{backend}\" && MPLBACKEND=nothing python3 -c 'print(1)'"
    );
    let answered = exec(&[], &script);
    assert_eq!(String::from_utf8_lossy(&answered.stdout), "agg 1.5\nsvg 1.5\nagg 7.0\n1\n");
    assert!(String::from_utf8_lossy(&answered.stderr).starts_with("matplotlib's settings: ValueError: "));
}

/// Hostile input ends with an exception, also where C++ throws it.
#[test]
#[ignore = "building matplotlib takes many minutes of processor time, too long for the gate: run by hand"]
fn hostile_input_has_no_silent_end() {
    let listed = exec(&[], "python3 /cases/hostile.py --list");
    let [errors, endless]: [Vec<String>; 2] = serde_json::from_slice(&listed.stdout).unwrap();
    let mut wrong = Vec::new();
    let mut check = |names: &[String], timeout: &str, expected: &dyn Fn(i32, &str) -> bool| {
        for name in names {
            let script = format!("python3 -W ignore /cases/hostile.py '{name}'");
            let ended = exec(&["--memory", "1G", "--timeout", timeout], &script);
            let told = String::from_utf8_lossy(&ended.stderr);
            if !expected(ended.status.code().unwrap_or_default(), &told) || !ended.stdout.is_empty() {
                wrong.push(format!("{name}: {ended:?}"));
            }
        }
    };
    check(&errors, "60s", &|status, told| status == 1 && told.contains("Traceback (most recent call last)"));
    check(&endless, "5s", &|status, _| status == 124);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs a script in a sandbox that has the pack, with the cases at `/cases`.
fn exec(options: &[&str], script: &str) -> Output {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    let home = HOME.get_or_init(|| {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("matplotlib");
        fs::create_dir_all(&home).unwrap();
        let built = sandshell(&home).args(["pack", "build", "matplotlib"]).output().unwrap();
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
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/matplotlib")
}
