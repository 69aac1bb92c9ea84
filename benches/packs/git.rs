//! Compares the packs of programs in C with the machine's own programs, in the same run.
//!
//! `cargo bench --bench packs [NAME]` needs the packs (`sandshell pack build git`) and, for a fair comparison, the same versions on
//! the machine. It prints one line for each measurement: the medians of both, which take turns, their ratio, the
//! goal, and whether it is met. Nothing is asserted.
#![allow(clippy::print_stderr, reason = "what is missing is said")]

#[allow(dead_code, reason = "each bench uses a part")]
mod measure;

use measure::{Goal, Row, alternate, report};
use sandshell::{
    CreateOptions, LocalOptions, LocalProvider, LocalSandbox, MountSource, Sandbox, SandboxExt,
    SandboxProvider, pack,
};
use std::path::Path;
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

/// A repository with 4,000 files and 300 commits that change twenty of them each. `fast-import` reads this.
fn history() -> Vec<u8> {
    let mut stream = Vec::new();
    let mut random = Random(1);
    for commit in 0..300_u32 {
        let time = 1_700_000_000 + commit * 60;
        stream.extend(
            format!("commit refs/heads/main\ncommitter C <c@example.com> {time} +0000\ndata 9\nA change\n\n")
                .bytes(),
        );
        for change in 0..if commit == 0 { 4_000 } else { 20 } {
            let file = if commit == 0 { change } else { random.below(4_000) };
            let text: String = (0..60)
                .map(|line| {
                    format!(
                        "let value_{line} = call({}, {file});\n",
                        random.below(if line % 9 == 0 { 999 } else { 2 })
                    )
                })
                .collect();
            stream.extend(
                format!("M 644 inline d{}/f{}.rs\ndata {}\n{text}\n", file % 40, file / 40, text.len())
                    .bytes(),
            );
        }
    }
    stream
}

/// Fifty files of a megabyte that cannot be compressed.
fn large() -> Vec<u8> {
    let mut stream =
        b"commit refs/heads/main\ncommitter C <c@example.com> 1700000000 +0000\ndata 6\nLarge\n\n".to_vec();
    let mut random = Random(2);
    for file in 0..50 {
        stream.extend(format!("M 644 inline f{file}\ndata {}\n", 1 << 20).bytes());
        stream.extend((0..1 << 18).flat_map(|_| random.next().to_le_bytes()));
        stream.push(b'\n');
    }
    stream
}

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }
}

const START: Goal = Goal::Time(Duration::from_millis(1));

/// Name, times, what to run, goal. `REPO` and `LARGE` are repositories.
const BENCHES: &[(&str, usize, &str, Goal)] = &[
    ("git --version", 101, "git --version", START),
    ("git status, 4,000 files", 21, "cd REPO; git status", Goal::Ratio(1.0)),
    ("git add, 4,000 files that are known", 11, "cd REPO; rm .git/index; git add .", Goal::Ratio(1.0)),
    (
        "git add, 4,000 new files",
        5,
        "cd REPO; rm -rf ../new; mkdir ../new; git --git-dir ../new/.git init -q; git --git-dir ../new/.git --work-tree . add .",
        Goal::Ratio(1.0),
    ),
    (
        "git diff, 40 changed files",
        11,
        "cd REPO; for d in d*; do echo >> $d/f1.rs; done; git diff; git checkout -q .",
        Goal::Ratio(1.5),
    ),
    ("git log --oneline", 21, "cd REPO; git log --oneline", Goal::Ratio(1.5)),
    ("git log --stat", 5, "cd REPO; git log --stat", Goal::Ratio(1.5)),
    ("git grep", 11, "cd REPO; git grep -c 'value_[0-9]* = call.99'", Goal::Ratio(1.5)),
    ("git gc", 3, "cd REPO; git gc -q", Goal::Ratio(1.5)),
    ("git repack -adf", 3, "cd REPO; git repack -adfq", Goal::Ratio(1.5)),
    (
        "git checkout of 200 commits back",
        5,
        "cd REPO; git checkout -q HEAD~200; git checkout -q main",
        Goal::Ratio(1.5),
    ),
    ("git clone of 50 MB", 5, "rm -rf LARGE.copy; git clone -q file://LARGE LARGE.copy", Goal::Ratio(1.5)),
    ("git fsck", 3, "cd REPO; git fsck --no-dangling", Goal::Ratio(1.5)),
];

fn main() {
    let installed = pack::user_packs().map(|directory| pack::installed(&directory)).unwrap_or_default();
    if installed.iter().all(|pack| pack.manifest().name != "git") {
        eprintln!("there is no pack: sandshell pack build git");
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a tokio runtime");
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let host = tempfile::tempdir().expect("a temporary directory");
    for side in ["native", "ours"] {
        make(&host.path().join(side).join("repo"), &history());
        make(&host.path().join(side).join("large"), &large());
    }
    let mut options =
        LocalOptions::default().mount("/work", MountSource::HostReadWrite(host.path().join("ours")));
    options.env.extend(SETTING[2..].iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let provider = sandshell::local(options).expect("the local provider");
    let context = Context { runtime, provider, host: host.path() };
    let mut rows = Vec::new();
    for (name, times, command, goal) in BENCHES {
        if filter.as_deref().is_none_or(|f| name.contains(f)) {
            let places: &[_] = if command.contains("REPO") || command.contains("LARGE") {
                &[("", "/work"), (", in memory", "/tmp/work")]
            } else {
                &[("", "/work")]
            };
            for (place, folder) in places {
                rows.push(context.row(&format!("{name}{place}"), *times, command, folder, *goal));
            }
        }
    }
    report("native", &rows);
}

/// A repository in `place` from a stream of `git fast-import`.
fn make(place: &Path, stream: &[u8]) {
    let file = place.with_extension("stream");
    std::fs::create_dir_all(place).expect("a directory");
    std::fs::write(&file, stream).expect("a file");
    native(
        "git init -q -b main; git fast-import --quiet < \"$PWD.stream\"; git checkout -q; git repack -adq",
        place,
    );
    std::fs::remove_file(file).expect("the stream goes");
}

/// Runs a command on the machine.
fn native(command: &str, place: &Path) {
    let mut shell = Command::new("/bin/bash");
    shell.args(["-c", command]).current_dir(place).env_clear().envs(SETTING);
    let status = shell.stdout(Stdio::null()).stdin(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()), "{command}");
}

struct Context<'a> {
    runtime: tokio::runtime::Runtime,
    provider: LocalProvider,
    host: &'a Path,
}

impl Context<'_> {
    /// Runs a command in a sandbox and natively in turns.
    fn row(&self, name: &str, times: usize, command: &str, folder: &str, goal: Goal) -> Row {
        let sandbox = self.provider.create(CreateOptions::default()).expect("a sandbox");
        if folder != "/work" {
            self.run(&sandbox, &format!("cp -r /work {folder}; cd {folder}/repo; git status"));
        }
        let within = |place: &str| {
            command.replace("REPO", &format!("{place}/repo")).replace("LARGE", &format!("{place}/large"))
        };
        let theirs = self.host.join("native");
        let theirs = theirs.to_str().expect("a name in UTF-8");
        let (ours, native) = alternate(
            times,
            || self.run(&sandbox, &format!("{{ {}; }} > /dev/null", within(folder))),
            || native(&within(theirs), self.host),
        );
        self.runtime.block_on(self.provider.delete(sandbox.id())).expect("the sandbox goes");
        Row::new(name.to_owned(), ours, Some(native), goal)
    }

    fn run(&self, sandbox: &Arc<LocalSandbox>, command: &str) {
        let answer = self.runtime.block_on(sandbox.run(command)).expect("an answer");
        assert_eq!(answer.exit_code, Some(0), "{command}: {}", String::from_utf8_lossy(&answer.output));
    }
}
