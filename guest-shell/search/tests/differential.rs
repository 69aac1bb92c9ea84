//! The utilities against recorded answers of GNU grep 3.8 and findutils 4.9.
//!
//! `tests/cases/NAME.cases` has a shell command a line (`#` comments; `!` in front: it changes files, so the next one gets
//! fresh ones). `NAME.expected` has what the machine's tools answered, a line each: status, standard output, standard
//! error, escaped, separated by tabs. `RECORD=1 cargo test -p sandshell-search --test differential` records anew, with the
//! tools of the machine (and those in the directory `TOOLS`, for ripgrep 15.2); `CASES=NAME` limits a run to one file. `setup.sh` makes the files that the cases work on.
//!
//! The test program is the utilities, too: it runs itself under their names.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};

const NAMES: &[&str] = &["grep", "egrep", "fgrep", "find", "xargs", "rg"];

fn main() {
    let name = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    if NAMES.contains(&name.as_str()) {
        run_applet(&name);
    }
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let record = std::env::var_os("RECORD").is_some();
    let only = std::env::var("CASES").ok();
    let mut failed = 0;
    let mut files: Vec<PathBuf> = std::fs::read_dir(&cases)
        .expect("cases")
        .map(|e| e.expect("entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "cases"))
        .collect();
    files.sort();
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if only.as_ref().is_none_or(|o| *o == stem) {
            failed += suite(&file, record);
        }
    }
    exit(i32::from(failed > 0));
}

fn run_applet(name: &str) -> ! {
    sandshell_sys::init();
    let args: Vec<Vec<u8>> = std::env::args_os().map(OsStringExt::into_vec).collect();
    let code = match name {
        "grep" | "egrep" | "fgrep" => sandshell_search::grep_main(args),
        "find" => sandshell_search::find_main(args),
        "rg" => sandshell_search::rg_main(args),
        "xargs" => sandshell_search::xargs_main(args),
        _ => 127,
    };
    exit(code)
}

struct Sandbox {
    root: PathBuf,
    setup: PathBuf,
    path: String,
}

impl Sandbox {
    fn new(stem: &str, cases: &Path, ours: bool) -> Self {
        let root = std::env::temp_dir().join(format!("sandshell-search-{}-{stem}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        let bin = root.join("bin");
        std::fs::create_dir_all(&bin).expect("a directory");
        let mut path = "/usr/bin:/bin".to_string();
        if let Some(tools) = std::env::var("TOOLS").ok().filter(|_| !ours) {
            path = format!("{tools}:{path}");
        }
        if ours {
            for n in NAMES {
                symlink(std::env::current_exe().expect("self"), bin.join(n)).expect("a link");
            }
            path = format!("{}:{path}", bin.display());
        }
        let it = Self { root, setup: cases.join("setup.sh"), path };
        it.fresh();
        it
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
        let out = Command::new("timeout")
            .args(["10", "bash", "-c", script])
            .current_dir(self.root.join("w"))
            .env_clear()
            .env("PATH", &self.path)
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .stdin(Stdio::null())
            .output()
            .expect("bash");
        let code = out.status.code().unwrap_or(-1);
        format!("{code}\t{}\t{}", out.stdout.escape_ascii(), out.stderr.escape_ascii())
    }
}

fn suite(file: &Path, record: bool) -> usize {
    let cases = std::fs::read_to_string(file).expect("cases");
    let expected_file = file.with_extension("expected");
    let expected: BTreeMap<String, String> = std::fs::read_to_string(&expected_file)
        .unwrap_or_default()
        .lines()
        .filter_map(|l| l.split_once('\t'))
        .map(|(k, v)| (k.to_string(), v.to_string()))
        .collect();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let sandbox = Sandbox::new(&stem, file.parent().expect("a directory"), !record);
    let mut recorded = String::new();
    let (mut run, mut failed) = (0, 0);
    for line in cases.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (changes, script) = line.strip_prefix('!').map_or((false, line), |s| (true, s));
        let got = sandbox.run(script);
        if changes {
            sandbox.fresh();
        }
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
    let _ = std::fs::remove_dir_all(&sandbox.root);
    if record {
        std::fs::write(&expected_file, recorded).expect("writing");
    }
    println!("{stem}: {} of {run} cases {}", run - failed, if record { "recorded" } else { "pass" });
    failed
}
