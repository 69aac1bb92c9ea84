//! Compares the packs with the machine's own programs, in the same run: for each a start, a typical job and a heavy
//! one.
//!
//! `cargo bench --bench packs [NAME…]` measures the rows whose name begins so, such as `numpy` or `git log`. It needs
//! the packs (`sandshell pack build git`); one that is not there is said and left out. For a fair comparison, the
//! machine should have the same versions. The native Python is `PYTHON`, otherwise `python3`, and has numpy and pandas
//! for their rows (`python.rs` says more). It prints one line for each measurement: the medians of both, which take
//! turns, their ratio, the goal, and whether it is met. Nothing is asserted.
#![allow(clippy::print_stderr, reason = "what is missing is said")]

mod data;
mod git;
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "../measure/mod.rs"]
mod measure;
mod programs;
mod python;

use measure::{Goal, Row, alternate, report};
use sandshell::pack::{self, Pack};
use sandshell::{
    CreateOptions, LocalOptions, LocalProvider, LocalSandbox, MountSource, Sandbox, SandboxExt,
    SandboxProvider,
};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// What both sides run: where the machine's programs come from, and a user that git knows.
const SETTING: [(&str, &str); 6] = [
    ("PATH", "/usr/bin:/bin"),
    ("HOME", "/tmp"),
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "safe.directory"),
    ("GIT_CONFIG_VALUE_0", "*"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
];

/// The programs that the rows run, which print nothing, or the seconds that they took.
const JOBS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/packs/jobs");

/// The rows of a pack, with the data that they need in both directories.
struct Group {
    pack: &'static str,
    prepare: fn(&Context),
    rows: fn(&Context, &mut Rows<'_>),
}

const GROUPS: [Group; 7] = [
    git::GROUP,
    programs::SQLITE,
    programs::NODE,
    programs::PERL,
    python::PYTHON,
    python::NUMPY,
    python::PANDAS,
];

fn main() {
    let installed = pack::user_packs().map(|directory| pack::installed(&directory)).unwrap_or_default();
    let words: Vec<_> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut found = Vec::new();
    for group in GROUPS {
        let mut rows = Rows { words: &words, pack: group.pack, chosen: Vec::new() };
        if !rows.wanted() {
            continue;
        }
        match installed.iter().find(|pack| pack.manifest().name == group.pack) {
            Some(pack) => {
                let context = Context::new(pack);
                (group.prepare)(&context);
                (group.rows)(&context, &mut rows);
                found.extend(rows.chosen);
            }
            None => eprintln!("there is no pack {0}: sandshell pack build {0}", group.pack),
        }
    }
    report("native", &found);
}

/// The rows of a group that were asked for.
struct Rows<'a> {
    words: &'a [String],
    pack: &'a str,
    chosen: Vec<Row>,
}

impl Rows<'_> {
    /// Whether a row of the group may have been asked for.
    fn wanted(&self) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| word.starts_with(self.pack))
    }

    /// Measures a row if it was asked for. Its name starts with that of the pack.
    fn add(&mut self, name: &str, measure: impl FnOnce(&str) -> Row) {
        if self.words.is_empty() || self.words.iter().any(|word| name.starts_with(word.as_str())) {
            self.chosen.push(measure(name));
        }
    }
}

/// A provider with one pack. `/work` of its sandboxes is the directory `ours` of `host`; native programs use `native`.
struct Context {
    runtime: tokio::runtime::Runtime,
    provider: LocalProvider,
    host: tempfile::TempDir,
}

impl Context {
    fn new(pack: &Pack) -> Context {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let host = tempfile::tempdir().expect("a temporary directory");
        for side in ["native", "ours"] {
            std::fs::create_dir(host.path().join(side)).expect("a directory");
        }
        let work = MountSource::HostReadWrite(host.path().join("ours"));
        let jobs = MountSource::HostReadOnly(PathBuf::from(JOBS));
        let mut options = LocalOptions::default().mount("/work", work).mount("/jobs", jobs);
        options
            .env
            .extend(SETTING[2..].iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let provider = pack::provider(options, std::slice::from_ref(pack), pack::user_cache());
        Context {
            runtime: runtime.expect("a tokio runtime"),
            provider: provider.expect("the local provider"),
            host,
        }
    }

    /// Runs `make` for the native directory, then for that of the sandboxes.
    fn prepare(&self, make: impl Fn(&Path)) {
        ["native", "ours"].iter().for_each(|side| make(&self.host.path().join(side)));
    }

    /// The directory of the native programs.
    fn native_place(&self) -> PathBuf {
        self.host.path().join("native")
    }

    fn sandbox(&self) -> Arc<LocalSandbox> {
        self.provider.create(CreateOptions::default()).expect("a sandbox")
    }

    /// A command in a sandbox and natively in turns, both in their directory. `JOBS` is that of the jobs.
    fn row(&self, name: &str, times: usize, command: &str, goal: Goal) -> Row {
        let ours = format!("{{ cd /work; {}; }} > /dev/null", command.replace("JOBS", "/jobs"));
        let theirs = command.replace("JOBS", JOBS);
        self.compare(name, times, &[], &ours, || native(&theirs, &self.native_place()), goal)
    }

    /// Runs `before` in a new sandbox, then a command in it and something native in turns.
    fn compare(
        &self,
        name: &str,
        times: usize,
        before: &[&str],
        command: &str,
        native: impl FnMut(),
        goal: Goal,
    ) -> Row {
        let sandbox = self.sandbox();
        for command in before {
            self.run(&sandbox, command);
        }
        let (ours, native) = alternate(times, || drop(self.run(&sandbox, command)), native);
        self.delete(&sandbox);
        Row::new(name, ours, Some(native), goal)
    }

    /// Programs that print how long they took, in a sandbox and natively in turns.
    fn told(&self, name: &str, times: usize, command: &str, mut native: Command, goal: Goal) -> Row {
        let sandbox = self.sandbox();
        let ours = || seconds(&self.run(&sandbox, command));
        let mut theirs = || seconds(&native.output().expect("a native program").stdout);
        ours();
        theirs();
        let (mut a, mut b): (Vec<_>, Vec<_>) = (0..times).map(|_| (ours(), theirs())).unzip();
        a.sort();
        b.sort();
        self.delete(&sandbox);
        Row::new(name, a[times / 2], Some(b[times / 2]), goal)
    }

    /// What a command writes.
    fn run(&self, sandbox: &LocalSandbox, command: &str) -> Vec<u8> {
        let answer = self.runtime.block_on(sandbox.run(command)).expect("an answer");
        assert_eq!(answer.exit_code, Some(0), "{command}: {}", String::from_utf8_lossy(&answer.output));
        answer.output.to_vec()
    }

    fn delete(&self, sandbox: &LocalSandbox) {
        self.runtime.block_on(self.provider.delete(sandbox.id())).expect("the sandbox goes");
    }
}

/// Runs a command on the machine.
fn native(command: &str, place: &Path) {
    let mut shell = Command::new("/bin/bash");
    shell.args(["-c", command]).current_dir(place).env_clear().envs(SETTING);
    let status = shell.stdout(Stdio::null()).stdin(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()), "{command}");
}

/// Parses the time that a program printed.
fn seconds(output: &[u8]) -> Duration {
    let text = String::from_utf8_lossy(output);
    Duration::from_secs_f64(text.trim().parse().unwrap_or_else(|_| panic!("no time: {text}")))
}
