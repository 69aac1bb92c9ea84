//! Runs scripts and records all their visible effects.

use super::scripts;
use sandshell::runtime::EngineOptions;
use sandshell::{
    Clock, CreateOptions, Engine, ExecuteRequest, LocalOptions, LocalProvider, Random, Sandbox, Time,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The scripts that another process must run: numbers, separated by commas.
const ASKED: &str = "SANDSHELL_DETERMINISM_SCRIPTS";

/// The result of a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Transcript {
    status: Option<i32>,
    /// Standard output and error, interleaved.
    output: String,
    /// The files with their kind, mode, size and contents, and also their times and inode numbers if the script has
    /// races.
    tree: String,
    /// The hash that is recorded.
    hash: String,
}

impl Transcript {
    pub(super) fn hash(&self) -> String {
        self.hash.clone()
    }
}

pub(super) fn hashes(transcripts: BTreeMap<u32, Transcript>) -> BTreeMap<u32, String> {
    transcripts.into_iter().map(|(number, transcript)| (number, transcript.hash)).collect()
}

/// Runs the scripts in this process, `at_once` at a time, next to `busy` threads that only compute.
pub(super) fn here(numbers: &[u32], at_once: usize, busy: usize) -> BTreeMap<u32, Transcript> {
    let stop = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..busy)
        .map(|_| {
            let stop = stop.clone();
            std::thread::spawn(move || while !stop.load(Ordering::Relaxed) {})
        })
        .collect();
    let runtime =
        Builder::new_multi_thread().worker_threads(at_once.clamp(1, 4)).enable_all().build().unwrap();
    let done = runtime.block_on(all(numbers, at_once));
    stop.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    done
}

async fn all(numbers: &[u32], at_once: usize) -> BTreeMap<u32, Transcript> {
    let engine = Engine::new(EngineOptions::new(sandshell::image())).unwrap();
    let turns = Arc::new(Semaphore::new(at_once));
    let mut tasks = JoinSet::new();
    for number in numbers.iter().copied() {
        let (engine, turns) = (engine.clone(), turns.clone());
        tasks.spawn(async move {
            let _turn = turns.acquire().await.unwrap();
            (number, transcript(engine, number).await)
        });
    }
    tasks.join_all().await.into_iter().collect()
}

/// A script that lists all files with their attributes.
const TREE: &str = r#"cd /; find workspace tmp home -printf '%p %y %m %s %l'"$STAMP"'\n' | sort
find workspace tmp home -type f -print0 | sort -z | xargs -0 -r sha256sum"#;

async fn transcript(engine: Engine, number: u32) -> Transcript {
    let provider = LocalProvider::new(engine, options(number)).unwrap();
    let sandbox = provider.create(CreateOptions::default()).unwrap();
    let request = ExecuteRequest::new(scripts::script(number)).timeout(Duration::from_secs(600));
    let answer = sandbox.execute(request).await.unwrap();
    assert!(!answer.timed_out, "script {number} does not end:\n{}", scripts::script(number));
    let stamp = if scripts::is_race(number) { " %T@ %i" } else { "" };
    let tree = sandbox.execute(ExecuteRequest::new(TREE).env("STAMP", stamp)).await.unwrap();
    let output = answer.text().into_owned();
    let tree = tree.text().into_owned();
    let digest = Sha256::digest(format!("{:?}\n{output}\n{tree}", answer.exit_code));
    let mut hash = String::new();
    for byte in &digest[..8] {
        write!(hash, "{byte:02x}").unwrap();
    }
    Transcript { status: answer.exit_code, output, tree, hash }
}

fn options(number: u32) -> LocalOptions {
    LocalOptions {
        clock: Clock::Virtual(Time { secs: 1_700_000_000, nanos: 0 }),
        random: Random::Seeded(u64::from(number)),
        ..LocalOptions::default()
    }
}

/// Gets the hashes from another process.
pub(super) fn elsewhere(numbers: &[u32]) -> BTreeMap<u32, String> {
    let asked: Vec<String> = numbers.iter().map(u32::to_string).collect();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "another_process", "--nocapture"]).env(ASKED, asked.join(","));
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let lines = text.lines().filter_map(|line| line.strip_prefix("hash "));
    lines.filter_map(|line| line.split_once(' ')).map(|(n, hash)| (n.parse().unwrap(), hash.into())).collect()
}

/// Prints the hashes that [`elsewhere`] asks for.
pub(super) fn serve() {
    let Ok(asked) = std::env::var(ASKED) else { return };
    let numbers: Vec<u32> = asked.split(',').map(|number| number.parse().unwrap()).collect();
    println!();
    for (number, transcript) in here(&numbers, 2, 0) {
        println!("hash {number} {}", transcript.hash);
    }
}
