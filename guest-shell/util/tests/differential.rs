//! The utilities against recorded answers of the GNU tools (coreutils 9.1).
//!
//! `tests/cases/NAME.cases` has a shell command a line (`#` comments); each gets fresh files, made by `setup.sh`.
//! `NAME.expected` has what the machine's tools answered, a line each: status, standard output, standard error,
//! escaped, separated by tabs. `RECORD=1 cargo test -p util --test differential` records anew, with the tools of the
//! machine; `CASES=NAME` limits a run to one file.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};

fn main() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let record = std::env::var_os("RECORD").is_some();
    let only = std::env::var("CASES").ok();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&cases)
        .expect("cases")
        .map(|e| e.expect("entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "cases"))
        .collect();
    files.sort();
    let mut failed = 0;
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if only.as_ref().is_none_or(|o| *o == stem) {
            failed += suite(&file, &stem, record);
        }
    }
    exit(i32::from(failed > 0));
}

/// The applets' names, as the program itself lists them.
fn names() -> Vec<String> {
    let table = include_str!("../src/applets.rs");
    table
        .lines()
        .filter_map(|l| Some(l.trim().split_once("!(\"")?.1.split_once('"')?.0.to_string()))
        .collect()
}

struct Sandbox {
    root: PathBuf,
    setup: PathBuf,
    path: String,
}

impl Sandbox {
    fn new(stem: &str, cases: &Path, ours: bool) -> Self {
        let root = std::env::temp_dir().join(format!("sandshell-util-{}-{stem}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        let bin = root.join("bin");
        std::fs::create_dir_all(&bin).expect("a directory");
        let mut path = "/usr/bin:/bin".to_string();
        if ours {
            for name in names() {
                symlink(env!("CARGO_BIN_EXE_util"), bin.join(name)).expect("a link");
            }
            path = format!("{}:{path}", bin.display());
        }
        Self { root, setup: cases.join("setup.sh"), path }
    }

    fn fresh(&self) {
        let work = self.root.join("w");
        let _ = std::fs::remove_dir_all(&work);
        std::fs::create_dir_all(&work).expect("a directory");
        let status = Command::new("bash")
            .arg(&self.setup)
            .current_dir(&work)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .status();
        assert!(status.expect("bash").success(), "setup");
    }

    fn run(&self, script: &str) -> String {
        self.fresh();
        let out = Command::new("/usr/bin/timeout")
            .args([
                "10",
                "bash",
                "-c",
                &format!("enable -n echo printf test [ pwd kill true false\n{script}"),
            ])
            .current_dir(self.root.join("w"))
            .env_clear()
            .env("PATH", &self.path)
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .expect("bash");
        let code = out.status.code().unwrap_or(-1);
        let root = self.root.display().to_string();
        let text = format!("{code}\t{}\t{}", out.stdout.escape_ascii(), out.stderr.escape_ascii());
        text.replace(&root, "ROOT").replace("line 2: ", "")
    }
}

fn suite(file: &Path, stem: &str, record: bool) -> usize {
    let cases = std::fs::read_to_string(file).expect("cases");
    let expected_file = file.with_extension("expected");
    let expected: BTreeMap<String, String> = std::fs::read_to_string(&expected_file)
        .unwrap_or_default()
        .lines()
        .filter_map(|l| l.split_once('\t'))
        .map(|(k, v)| (k.to_string(), v.to_string()))
        .collect();
    let sandbox = Sandbox::new(stem, file.parent().expect("a directory"), !record);
    let mut recorded = String::new();
    let (mut run, mut failed) = (0, 0);
    for script in cases.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let got = sandbox.run(script);
        run += 1;
        let key = script.escape_debug().to_string();
        if record {
            recorded.push_str(&format!("{key}\t{got}\n"));
        } else if expected.get(&key) != Some(&got) {
            failed += 1;
            let want = expected.get(&key).map_or("nothing recorded", String::as_str);
            eprintln!("{stem}: {script}\n  expected {want}\n  got      {got}");
        }
    }
    if record {
        std::fs::write(&expected_file, recorded).expect("the record");
    }
    let _ = std::fs::remove_dir_all(&sandbox.root);
    println!("{stem}: {} of {run} cases pass", run - failed);
    failed
}
