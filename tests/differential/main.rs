//! Replays scripts in the sandbox, and compares the answers with recordings of the real bash 5.2 and GNU tools.
//!
//! `cargo test --test differential` replays every `*.cases` and `*.lines` file in this folder. A name on the command
//! line selects some of them. `tests/differential/record.py` records the machine's answers again.

#[path = "../python/built.rs"]
#[allow(clippy::unwrap_used, reason = "without a pack the test fails by panicking")]
mod built;
mod case;
mod lines;
mod sandboxed;
mod table;

use case::{Case, Output};
use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The environment in the recording and in the sandbox.
const ENVIRONMENT: [(&str, &str); 7] = [
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/home/user"),
    ("USER", "user"),
    ("LOGNAME", "user"),
    ("LANG", "C.UTF-8"),
    ("SHELL", "/bin/bash"),
    ("TZ", "UTC"),
];

fn main() -> std::process::ExitCode {
    let mut arguments = Arguments::from_args();
    // Most of the time scripts wait: for children, for sleeps.
    arguments.test_threads.get_or_insert(8);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential");
    let host = sandboxed::Host::new();
    let trials = trials(&folder, &host).unwrap_or_else(|e| panic!("{e}"));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(folder: &Path, host: &sandboxed::Host) -> Result<Vec<Trial>, String> {
    let mut files = Vec::new();
    find(folder, &mut files).map_err(|e| e.to_string())?;
    files.sort();
    let mut trials = Vec::new();
    let (whole, all) = (folder.to_owned(), files.clone());
    trials.push(Trial::test("table", move || table::check(&whole, &all).map_err(Failed::from)));
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path).with_extension("");
        let name = name.to_string_lossy().replace('/', "::");
        let at = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        match path.extension().and_then(|e| e.to_str()) {
            Some("cases") => {
                let text = fs::read_to_string(&path).map_err(|e| at(&e))?;
                let setup: Arc<[u8]> = lines::setup(&path).map_err(|e| at(&e))?.into();
                for case in case::parse(&text).map_err(|e| at(&e))? {
                    let (host, setup, gap) = (host.clone(), Arc::clone(&setup), case.gap.is_some());
                    let trial = Trial::test(format!("{name}::{}", case.name), move || {
                        let run = || compare(&case, &host.sandbox(&setup).run(&case));
                        // As for lines: the order of output from concurrent processes depends on the machine's load.
                        let raced = case.script.contains('&') || case.script.contains("coproc");
                        if raced { run().or_else(|_| run()).or_else(|_| run()) } else { run() }
                    });
                    trials.push(trial.with_ignored_flag(gap));
                }
            }
            Some("lines") => {
                let lines = lines::read(&path).map_err(|e| at(&e))?;
                let host = host.clone();
                trials.push(Trial::test(name.clone(), move || {
                    let host = if lines.python { sandboxed::Host::with_python() } else { host };
                    replay(&name, &lines, &host)
                }));
            }
            _ => {}
        }
    }
    Ok(trials)
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Replays a file of lines. Each line runs in a fork of the sandbox in which the setup ran. A line with a gap must
/// still differ.
#[allow(clippy::print_stdout, reason = "the count is this test program's closing line for the file")]
fn replay(name: &str, lines: &lines::Lines, host: &sandboxed::Host) -> Result<(), Failed> {
    let prepared = host.sandbox(&lines.setup);
    let (mut wrong, mut gaps) = (String::new(), 0);
    let (mut failed, total) = (0, lines.lines.len());
    for line in &lines.lines {
        let run = || lines::print(&prepared.fork().run(&line.case()));
        let mut got = run();
        // The order of output from background processes depends on the machine's load, in bash as well.
        for _ in 0..2 {
            if line.expected.as_ref() == Some(&got) || !lines.python && !line.script.contains('&') {
                break;
            }
            got = run();
        }
        let equal = line.expected.as_ref() == Some(&got);
        match (&line.gap, equal) {
            (Some(_), false) => gaps += 1,
            (None, true) => {}
            (Some(reason), true) => {
                failed += 1;
                wrong += &format!("{}\n  is answered well; take away its gap: {reason}\n", line.script);
            }
            (None, false) => {
                failed += 1;
                let want = line.expected.as_deref().unwrap_or("nothing recorded");
                wrong += &format!("{}\n  bash      {want}\n  sandshell {got}\n", line.script);
            }
        }
    }
    let summary = format!("{name}: {} of {total} lines are equal, {gaps} known gaps", total - gaps - failed);
    if failed == 0 {
        println!("{summary}");
        return Ok(());
    }
    Err(format!("{wrong}{summary}").into())
}

fn compare(case: &Case, got: &Output) -> Result<(), Failed> {
    if *got == case.expected {
        return Ok(());
    }
    let mut text = format!("script:\n{}\n", case.script);
    for (what, want, got) in
        [("stdout", &case.expected.stdout, &got.stdout), ("stderr", &case.expected.stderr, &got.stderr)]
    {
        if want != got {
            let show = |b: &[u8]| b.escape_ascii().to_string().replace("\\n", "\\n\n    ");
            text += &format!("{what}, bash:\n    {}\n{what}, sandshell:\n    {}\n", show(want), show(got));
        }
    }
    if case.expected.status != got.status {
        text += &format!("status: bash {}, sandshell {}\n", case.expected.status, got.status);
    }
    Err(text.into())
}
