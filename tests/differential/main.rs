//! Scripts whose answers were recorded from the real bash 5.2 and GNU tools, replayed in the sandbox.
//!
//! `cargo test --test differential` replays every `*.cases` file of this folder; names on the command line select.
//! `SANDSHELL_RECORD=1 cargo test --test differential [NAME]` runs the scripts in the machine's own bash instead and
//! writes what they answered into the files (as root: it empties `/workspace`).

mod case;
mod native;
mod sandboxed;

use case::{Answer, Case};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The environment of both sides.
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
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential");
    let files = match case_files(&folder) {
        Ok(files) => files,
        Err(e) => panic!("{e}"),
    };
    if env::var_os("SANDSHELL_RECORD").is_some() {
        for (path, cases) in files {
            record(&path, cases, arguments.filter.as_deref())
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        }
        return std::process::ExitCode::SUCCESS;
    }
    let host = sandboxed::Host::new();
    let trials = files.into_iter().flat_map(|(path, cases)| {
        let group = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let host = host.clone();
        cases.into_iter().map(move |case| {
            let host = host.clone();
            let gap = case.gap.is_some();
            let trial = Trial::test(format!("{group}::{}", case.name), move || compare(&case, &host.run(&case)));
            trial.with_ignored_flag(gap)
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn case_files(folder: &Path) -> Result<Vec<(PathBuf, Vec<Case>)>, String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| e.to_string())? {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.extension() == Some("cases".as_ref()) {
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            files.push((path.clone(), case::parse(&text).map_err(|e| format!("{}: {e}", path.display()))?));
        }
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(files)
}

fn record(path: &Path, mut cases: Vec<Case>, filter: Option<&str>) -> std::io::Result<()> {
    for case in &mut cases {
        if filter.is_none_or(|f| case.name.contains(f) || path.to_string_lossy().contains(f)) {
            case.expected = native::run(case)?;
        }
    }
    fs::write(path, case::print(&cases))
}

fn compare(case: &Case, got: &Answer) -> Result<(), Failed> {
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
