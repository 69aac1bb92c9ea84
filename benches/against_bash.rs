//! Measures the cost of a sandbox against the machine's own bash, in the same run.
//!
//! `cargo bench --bench against_bash [NAME]` prints one line for each measurement: the medians of sandshell and of
//! native bash, which take turns, their ratio, the goal, and whether it is met. Nothing is asserted.

#[allow(dead_code, reason = "each bench uses a part")]
mod measure;

use measure::{Goal, Row, alternate, median_of, report};
use sandshell::{
    CreateOptions, Engine, ExecuteRequest, LocalOptions, LocalProvider, LocalSandbox, MountSource, Sandbox,
    SandboxExt, SandboxProvider,
};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A log of 10,000 lines, the input of the pipeline.
fn log() -> String {
    (0..10_000).fold(String::new(), |mut text, i| {
        let level = ["INFO", "WARN", "ERROR", "DEBUG"][i % 4];
        let _ = writeln!(
            text,
            "2026-01-01T00:{:02}:{:02} {level} worker-{} request {i} done",
            i / 60 % 60,
            i % 60,
            i % 7
        );
        text
    })
}

const PIPELINE: &str = "cat log | grep -v DEBUG | cut -d' ' -f2,3 | sort | uniq -c";
const LOOP: &str = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo $i";
const FILES: &str =
    "mkdir -p many && for i in $(seq 1000); do echo \"line $i\" > many/f$i; done; ls many | wc -l";
const GREP: &str = "grep -rn needle tree | wc -l";

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a tokio runtime");
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let host = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(host.path().join("log"), log()).expect("write the log");
    grep_tree(&host.path().join("tree"));

    let engine = sandshell::engine(None).expect("the engine");
    let provider = LocalProvider::new(engine.clone(), LocalOptions::default()).expect("the local provider");
    let context = Context { runtime, engine, provider, host: host.path() };
    let mut rows = Vec::new();
    for (name, bench) in BENCHES {
        if filter.as_deref().is_none_or(|f| name.contains(f)) {
            rows.push(bench(&context, name));
        }
    }
    report("bash", &rows);
}

type Bench = fn(&Context<'_>, &'static str) -> Row;

const BENCHES: &[(&str, Bench)] = &[
    ("create a sandbox", create),
    ("execute `echo hi`, warm", |c, n| warm(c, n, "echo hi", 25)),
    ("execute `echo hi | cat`, warm", |c, n| warm(c, n, "echo hi | cat", 80)),
    ("cold process `sandshell exec 'echo hi'`", cold),
    ("pipeline over 10,000 lines", |c, n| script(c, n, PIPELINE, Goal::Ratio(0.25))),
    ("while loop to 100,000", |c, n| script(c, n, LOOP, Goal::Ratio(1.0))),
    ("grep -rn, 2,000 files in memory", |c, n| script(c, n, GREP, Goal::Ratio(1.0))),
    ("grep -rn, 2,000 files on a host directory", grep_host),
    ("1,000 files written in a loop", |c, n| script(c, n, FILES, Goal::Ratio(0.34))),
    ("fork a sandbox of 1 GiB in 10,000 files", fork),
    ("memory of an idle sandbox", idle),
    ("100 sandboxes, a pipeline each, at once", hundred),
];

struct Context<'a> {
    runtime: tokio::runtime::Runtime,
    engine: Engine,
    provider: LocalProvider,
    host: &'a Path,
}

impl Context<'_> {
    fn sandbox(&self) -> Arc<LocalSandbox> {
        self.provider.create(CreateOptions::default()).expect("a sandbox")
    }

    fn end(&self, id: &str) {
        self.runtime.block_on(self.provider.delete(id)).expect("the sandbox goes");
    }

    /// A sandbox with the host folder's files in its working directory.
    fn filled(&self) -> Arc<LocalSandbox> {
        let sandbox = self.sandbox();
        self.runtime.block_on(async {
            let mut files = Vec::new();
            collect(self.host, self.host, &mut files);
            sandbox.upload_files(files).await.expect("an upload");
        });
        sandbox
    }

    fn run(&self, sandbox: &LocalSandbox, command: &str) {
        let answer = self.runtime.block_on(sandbox.run(command)).expect("an answer");
        assert_eq!(answer.exit_code, Some(0), "{command}: {}", String::from_utf8_lossy(&answer.output));
        std::hint::black_box(answer);
    }

    fn native(&self, command: &str) {
        let output =
            Command::new("bash").arg("-c").arg(command).current_dir(self.host).output().expect("bash");
        assert!(output.status.success(), "{command}");
        std::hint::black_box(output);
    }
}

fn collect(root: &Path, dir: &Path, files: &mut Vec<sandshell::FileUpload>) {
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("below the root");
            let content = std::fs::read(&path).expect("a file");
            files.push(sandshell::FileUpload::new(format!("/workspace/{}", name.display()), content));
        }
    }
}

/// 2,000 files of 4 KiB in 40 directories; one line in some files matches.
fn grep_tree(root: &Path) {
    for i in 0..2000 {
        let dir = root.join(format!("d{}", i % 40));
        std::fs::create_dir_all(&dir).expect("a directory");
        let mut text = String::new();
        while text.len() < 4096 {
            let _ = writeln!(text, "file {i} holds a line of ordinary text number {}", text.len());
        }
        if i % 10 == 0 {
            text.push_str("here is the needle\n");
        }
        std::fs::write(dir.join(format!("f{i}.txt")), text).expect("a file");
    }
}

fn create(c: &Context<'_>, name: &'static str) -> Row {
    let ours = median_of(200, || {
        let start = Instant::now();
        let sandbox = c.provider.create(CreateOptions::default()).expect("a sandbox");
        let time = start.elapsed();
        c.end(sandbox.id());
        time
    });
    Row::new(name, ours, None, Goal::Time(Duration::from_micros(20)))
}

fn warm(c: &Context<'_>, name: &'static str, command: &str, goal: u64) -> Row {
    let sandbox = c.sandbox();
    // Many in a row: the first ones after a process of the host measure cold processor caches.
    let many = |times: u32, call: &dyn Fn()| (0..times).for_each(|_| call());
    let (ours, native) =
        alternate(50, || many(500, &|| c.run(&sandbox, command)), || many(10, &|| c.native(command)));
    Row::new(name, ours / 500, Some(native / 10), Goal::Time(Duration::from_micros(goal)))
}

fn cold(c: &Context<'_>, name: &'static str) -> Row {
    let program = env!("CARGO_BIN_EXE_sandshell");
    let (ours, native) = alternate(
        50,
        || {
            let output = Command::new(program).args(["exec", "echo hi"]).output().expect("sandshell");
            assert_eq!(output.stdout, b"hi\n");
        },
        || c.native("echo hi"),
    );
    Row::new(name, ours, Some(native), Goal::Time(Duration::from_millis(10)))
}

fn script(c: &Context<'_>, name: &'static str, command: &str, goal: Goal) -> Row {
    let sandbox = c.filled();
    let (ours, native) = alternate(15, || c.run(&sandbox, command), || c.native(command));
    Row::new(name, ours, Some(native), goal)
}

fn grep_host(c: &Context<'_>, name: &'static str) -> Row {
    let options = LocalOptions::default().mount("/workspace", MountSource::HostReadOnly(c.host.to_owned()));
    let provider = LocalProvider::new(c.engine.clone(), options).expect("a provider");
    let sandbox = provider.create(CreateOptions::default()).expect("a sandbox on a host directory");
    let (ours, native) = alternate(15, || c.run(&sandbox, GREP), || c.native(GREP));
    Row::new(name, ours, Some(native), Goal::Ratio(2.0))
}

fn fork(c: &Context<'_>, name: &'static str) -> Row {
    let sandbox = c.sandbox();
    c.runtime.block_on(async {
        let content = bytes::Bytes::from(vec![7u8; (1 << 30) / 10_000]);
        for batch in 0..100 {
            let files = (0..100)
                .map(|i| sandshell::FileUpload::new(format!("/workspace/big/{batch}/{i}"), content.clone()));
            sandbox.upload_files(files.collect()).await.expect("an upload");
        }
    });
    let ours = median_of(50, || {
        let start = Instant::now();
        let copy = c.runtime.block_on(c.provider.fork(sandbox.id())).expect("a fork");
        let time = start.elapsed();
        c.end(copy.id());
        time
    });
    Row::new(name, ours, None, Goal::Time(Duration::from_micros(100)))
}

fn idle(c: &Context<'_>, name: &'static str) -> Row {
    let before = measure::resident();
    let sandboxes: Vec<_> = (0..1000)
        .map(|_| {
            let sandbox = c.sandbox();
            c.run(&sandbox, "echo used > note");
            sandbox
        })
        .collect();
    let each = measure::resident().saturating_sub(before) / 1000;
    for sandbox in &sandboxes {
        c.end(sandbox.id());
    }
    Row::memory(name, each, 32 << 10)
}

fn hundred(c: &Context<'_>, name: &'static str) -> Row {
    let sandboxes: Vec<_> = (0..100).map(|_| c.filled_with_log()).collect();
    let ours = || {
        c.runtime.block_on(async {
            let jobs: Vec<_> = sandboxes
                .iter()
                .map(|s| {
                    let s = Arc::clone(s);
                    tokio::spawn(async move { s.execute(ExecuteRequest::new(PIPELINE)).await })
                })
                .collect();
            for job in jobs {
                job.await.expect("a task").expect("an answer");
            }
        });
    };
    let native = || {
        let children: Vec<_> = (0..100)
            .map(|_| {
                let mut command = Command::new("bash");
                command.arg("-c").arg(PIPELINE).current_dir(c.host).stdout(std::process::Stdio::null());
                command.spawn().expect("bash")
            })
            .collect();
        for mut child in children {
            child.wait().expect("bash");
        }
    };
    let (ours, native) = alternate(5, ours, native);
    Row::new(name, ours, Some(native), Goal::Ratio(1.0))
}

impl Context<'_> {
    fn filled_with_log(&self) -> Arc<LocalSandbox> {
        let sandbox = self.sandbox();
        let files = vec![sandshell::FileUpload::new("/workspace/log", log())];
        self.runtime.block_on(sandbox.upload_files(files)).expect("an upload");
        sandbox
    }
}
