//! A writer that is killed at random, again and again: everything that it acknowledged is there, and nothing is half
//! done. And a writer whose calls of the system fail.
//!
//! `SANDSHELL_CRASHES=10000 cargo test -p sandshell-store --test crash` is the long form.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "the writer says what it did")]

use sandshell_store::{NewSandbox, Store};
use sandshell_vfs::{Access, Context, FileSystem, MemoryFs, NewBody, NewNode, Node, SetAttributes};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Kills in an ordinary run.
const CRASHES: u64 = 200;

/// The test below is the writer if this names a store.
const WRITER: &str = "SANDSHELL_CRASH_STORE";

/// A number from a number, as if at random.
fn mixed(seed: u64) -> u64 {
    let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ state >> 31
}

/// The files after so many steps: name and bytes. A step changes three files at once.
fn model(steps: u64) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for step in 1..=steps {
        apply(step, &mut |name, bytes| match bytes {
            Some(bytes) => drop(files.insert(name, bytes)),
            None => drop(files.remove(&name)),
        });
    }
    files.insert("step".to_owned(), steps.to_string().into_bytes());
    files
}

/// What a step does: names with new bytes, or none for a file that is removed.
fn apply(step: u64, change: &mut dyn FnMut(String, Option<Vec<u8>>)) {
    for part in 0..2 {
        let random = mixed(step * 2 + part);
        let name = format!("file {}", random % 20);
        let size = [0, 40, 3000, 70_000, 200_000][(random >> 8) as usize % 5];
        let gone = random >> 16 & 3 == 0;
        change(name, (!gone).then(|| vec![step as u8; size]));
    }
}

fn node(files: &MemoryFs, name: &str) -> Option<Node> {
    files.walk(&Context::ROOT, &files.root(), &[name.as_bytes()], &[]).ok().map(|walk| walk.node)
}

fn write(files: &MemoryFs, name: &str, bytes: &[u8]) {
    let new = NewNode { body: NewBody::File, mode: 0o644, uid: 1000, gid: 1000 };
    let node =
        node(files, name).unwrap_or_else(|| files.create(&files.root(), name.as_bytes(), &new).unwrap());
    let file = files.open(&Context::USER, &node, Access { read: true, write: true }).unwrap();
    file.set_attributes(&Context::USER, &SetAttributes { size: Some(0), ..SetAttributes::default() })
        .unwrap();
    assert_eq!(file.write_at(bytes, 0), Ok(bytes.len()));
}

fn contents(files: &MemoryFs) -> BTreeMap<String, Vec<u8>> {
    let root = files.open(&Context::ROOT, &files.root(), Access { read: true, write: false }).unwrap();
    let mut found = BTreeMap::new();
    let mut cursor = 0;
    loop {
        let batch = root.read_dir(&Context::ROOT, cursor).unwrap();
        let Some(last) = batch.last() else { return found };
        cursor = last.next;
        for entry in batch {
            let name = String::from_utf8(entry.name.to_vec()).unwrap();
            let file = files
                .open(&Context::ROOT, &node(files, &name).unwrap(), Access { read: true, write: false })
                .unwrap();
            let mut bytes = vec![0; usize::try_from(file.metadata().unwrap().size).unwrap()];
            assert_eq!(file.read_at(&mut bytes, 0), Ok(bytes.len()));
            found.insert(name, bytes);
        }
    }
}

/// Not a test by itself: the process that writes until it is killed. It says each step that was acknowledged.
#[test]
fn writer() {
    let Some(at) = std::env::var_os(WRITER) else { return };
    let store = Store::open(Path::new(&at)).unwrap();
    let mut record = store.list(&[], 0, 1).unwrap().sandboxes.pop().unwrap();
    let _lock = store.lock(&record).unwrap();
    let files = store.files(&record.head).unwrap();
    println!("begun");
    let first = contents(&files).get("step").map_or(0, |step| String::from_utf8_lossy(step).parse().unwrap());
    for step in first + 1.. {
        apply(step, &mut |name, bytes| match bytes {
            Some(bytes) => write(&files, &name, &bytes),
            None => drop(files.unlink(&files.root(), name.as_bytes())),
        });
        write(&files, "step", step.to_string().as_bytes());
        // A step that cannot be stored is tried again, and only then acknowledged.
        let mut failures = 0;
        record = loop {
            match store.commit(&record, &files, &files.snapshot(), &format!("step {step}")) {
                Ok(done) => break done.unwrap(),
                Err(failed) => {
                    println!("failed {failed}");
                    failures += 1;
                    assert!(failures < 1000, "{failed}");
                }
            }
        };
        println!("done {step}");
        std::io::stdout().flush().unwrap();
        if step.is_multiple_of(40) {
            let collected = store.collect(false, &mut |_| {});
            assert!(collected.is_ok() || std::env::var_os("FAULT_CALL").is_some(), "{collected:?}");
        }
    }
}

fn start(at: &Path, adjust: impl FnOnce(&mut Command)) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "writer", "--nocapture", "--test-threads=1"]).env(WRITER, at);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    adjust(&mut command);
    command.spawn().unwrap()
}

/// The lines of the writer until it ends or is killed: when it has said `wanted` lines and `patience` is over, however
/// slow the machine is.
fn attend(mut child: Child, wanted: usize, patience: Duration) -> Vec<String> {
    /// How long it may take to say them.
    const LONGEST: Duration = Duration::from_secs(60);
    let (sender, lines) = channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let (mut found, mut said) = (Vec::new(), 0);
    let begun = std::time::Instant::now();
    let mut until = begun + if wanted == 0 { patience } else { LONGEST };
    loop {
        match lines.recv_timeout(until.saturating_duration_since(std::time::Instant::now())) {
            Ok(line) => {
                if line.ends_with("begun") || line.contains("done ") {
                    said += 1;
                    if said == wanted {
                        until = std::time::Instant::now() + patience;
                    }
                }
                found.push(line);
            }
            Err(RecvTimeoutError::Timeout) => {
                // SIGKILL.
                child.kill().unwrap();
                // What it said before counts.
                found.extend(lines.iter());
                break;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    child.wait().unwrap();
    reader.join().unwrap();
    found
}

fn acknowledged(lines: &[String]) -> Option<u64> {
    lines.iter().rev().find_map(|line| line.rsplit_once("done ")?.1.trim().parse().ok())
}

fn new_store(at: &Path) -> String {
    let store = Store::open(at).unwrap();
    let root = store.template("crash", || MemoryFs::new().snapshot()).unwrap();
    store.create(root, NewSandbox::default(), "created").unwrap().id
}

/// Compares the last state with the model. Returns its step.
fn verify(at: &Path, id: &str, least: u64) -> u64 {
    let store = Store::open(at).unwrap();
    let record = store.sandbox(id).unwrap();
    // A process that is dead holds nothing.
    drop(store.lock(&record).unwrap());
    let found = contents(&store.files(&record.head).unwrap());
    let step = found.get("step").map_or(0, |step| String::from_utf8_lossy(step).parse().unwrap());
    assert!(step >= least, "step {least} was acknowledged, and step {step} is there");
    let expected = if step == 0 { BTreeMap::new() } else { model(step) };
    assert!(found == expected, "the files are not those of step {step}");
    step
}

#[test]
fn nothing_acknowledged_is_lost() {
    let crashes = std::env::var("SANDSHELL_CRASHES").map_or(CRASHES, |crashes| crashes.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let mut at = directory.path().join("data");
    let mut id = new_store(&at);
    let (mut least, mut progress, mut crash) = (0, 0, 0);
    while crash < crashes {
        // While it starts, before its first step, or after some.
        let random = mixed(crash);
        let patience = Duration::from_micros((random >> 8) % 20_000);
        let lines = attend(start(&at, |_| {}), (random % 6) as usize, patience);
        let said = acknowledged(&lines).unwrap_or(0).max(least);
        let step = verify(&at, &id, said);
        progress += step - least;
        least = step;
        crash += 1;
        if crash.is_multiple_of(500) {
            println!("{crash} crashes, {progress} steps");
        }
        if crash.is_multiple_of(50) {
            let checked = Store::open(&at).unwrap().check(&mut |_| {}).unwrap();
            assert_eq!(checked.damage, Vec::<String>::new());
        }
        if least > 2000 {
            // The model grows with the steps.
            at = directory.path().join(format!("data {crash}"));
            (id, least) = (new_store(&at), 0);
        }
    }
    println!("{crashes} crashes, {progress} steps");
    assert!(progress > 0, "the writers did something before they were killed");
}

/// Lets calls of the system fail in a writer that is killed in the end, too. SQLite was built by a C compiler, so there
/// is one.
#[test]
fn calls_that_fail_lose_nothing() {
    const EIO: &str = "5";
    const ENOSPC: &str = "28";
    let directory = tempfile::tempdir().unwrap();
    let library = directory.path().join("faults.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults.c");
    let mut compile = Command::new("cc");
    compile.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl");
    assert!(compile.status().unwrap().success());
    for (call, every, error) in [
        ("write", "397", EIO),
        ("write", "523", ENOSPC),
        ("write", "1", ENOSPC),
        ("short", "11", ENOSPC),
        ("fsync", "3", EIO),
        ("fsync", "1", EIO),
        ("truncate", "1", EIO),
    ] {
        let at = directory.path().join(format!("{call} {every} {error}"));
        let id = new_store(&at);
        let child = start(&at, |command| {
            command.env("LD_PRELOAD", &library);
            command.env("FAULT_CALL", call).env("FAULT_EVERY", every).env("FAULT_ERROR", error);
        });
        let lines = attend(child, 1, Duration::from_millis(1500));
        let failed = lines.iter().filter(|line| line.contains("failed ")).count();
        let said = acknowledged(&lines);
        let step = verify(&at, &id, said.unwrap_or(0));
        println!("{call} {every} {error}: {failed} failures, step {said:?} acknowledged, {step} found");
        if every == "1" && call != "truncate" {
            assert_eq!(said, None, "{call}: nothing can be kept, and nothing was acknowledged");
        } else if call != "truncate" && call != "short" {
            assert!(failed > 0, "{call} {error} did fail: {lines:?}");
        }
        let damage = Store::open(&at).unwrap().check(&mut |_| {}).unwrap().damage;
        assert_eq!(damage, Vec::<String>::new(), "{call} {every} {error}");
    }
}
