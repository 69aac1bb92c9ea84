//! Each wrapper passes the conformance suite over the local provider, and does its job.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "the counts are shown with --nocapture")]

use std::io::Write;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use sandshell::conformance::{self, Options, Report};
use sandshell::wrappers::{
    LimitOptions, Redactor, ReplayOptions, RetryOptions, audit, limit, record, redact, replay, retry,
};
use sandshell::{
    Capabilities, CreateOptions, Engine, Error, ErrorKind, ExecuteRequest, ExecuteResponse,
    FileDownloadResponse, FileUpload, FileUploadResponse, LineRange, LocalOptions, LocalProvider,
    OutputChunk, ProviderMetadata, Result, Sandbox, SandboxExt, SandboxProvider, WriteMode,
};
use serde_json::Value;

fn local() -> Arc<dyn SandboxProvider> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| sandshell::engine(None).expect("an engine")).clone();
    Arc::new(LocalProvider::new(engine, LocalOptions::default()).expect("a provider"))
}

/// Both suites.
async fn suite(provider: &dyn SandboxProvider) {
    let mut options = Options::default();
    options.only = std::env::var("SANDSHELL_ONLY").ok();
    passed(&conformance::run_provider(provider, &options).await);
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    passed(&conformance::run(&*sandbox, &options).await);
    provider.delete(sandbox.id()).await.expect("an end");
}

fn passed(report: &Report) {
    println!("{report}");
    assert!(report.passed(), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retry_conforms() {
    suite(&*retry(local(), RetryOptions::default())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limit_conforms() {
    let calls = NonZeroU32::new(8).expect("eight");
    suite(&*limit(local(), LimitOptions::default().concurrency(calls))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redact_conforms() {
    let redactor = Redactor::new().value("hunter2").pattern("sk-[a-z0-9]{20}").expect("a pattern");
    suite(&*redact(local(), redactor)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn audit_conforms() {
    let log = Log::default();
    suite(&*audit(local(), log.clone(), Redactor::new())).await;
    let lines = log.lines();
    assert!(lines.len() > 500, "{}", lines.len());
    assert!(lines.iter().all(|line| line["duration_ms"].is_number() && line["method"].is_string()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn record_and_replay_conform() {
    let directory = tempfile::tempdir().expect("a directory");
    let cassette = directory.path().join("cassette.jsonl");
    suite(&*record(local(), &cassette, Redactor::new()).expect("a cassette")).await;
    suite(&*replay(&cassette, ReplayOptions::default()).expect("a cassette")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cassette_is_the_same_each_time_and_holds_no_secret() {
    let directory = tempfile::tempdir().expect("a directory");
    let work = async |provider: Arc<dyn SandboxProvider>, secret: &str| {
        let sandbox = provider.get_or_create(CreateOptions::default().env("API_KEY", secret)).await?;
        sandbox
            .write("/workspace/f", format!("a {secret}\n").into(), WriteMode::Overwrite)
            .await
            .expect("written");
        let answer = sandbox.run("cat f; echo $API_KEY >&2; exit 3").await?;
        provider.delete(sandbox.id()).await?;
        Ok::<_, Error>(answer)
    };
    let (one, two) = (directory.path().join("1"), directory.path().join("2"));
    let secrets = || Redactor::new().value("hunter2");
    for file in [&one, &two] {
        let answer =
            work(record(local(), file, secrets()).expect("a cassette"), "hunter2").await.expect("done");
        assert_eq!(&answer.stderr[..], b"hunter2\n");
    }
    let text = std::fs::read_to_string(&one).expect("text");
    assert_eq!(text, std::fs::read_to_string(&two).expect("text"));
    assert!(!text.contains("hunter2") && text.lines().count() > 3, "{text}");
    let options = || ReplayOptions::default().secrets(Redactor::new().value("another")).in_order();
    let answer = work(replay(&one, options()).expect("a cassette"), "another").await.expect("played");
    assert_eq!((answer.exit_code, &answer.stdout[..]), (Some(3), &b"a [REDACTED]\n"[..]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_not_recorded_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let cassette = directory.path().join("cassette.jsonl");
    let recording = record(local(), &cassette, Redactor::new()).expect("a cassette");
    let sandbox = recording.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    sandbox.run("echo one").await.expect("an answer");
    drop((sandbox, recording));
    let playing = replay(&cassette, ReplayOptions::default()).expect("a cassette");
    let sandbox = playing.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    let error = sandbox.run("echo two").await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    let text = error.to_string();
    assert!(text.contains("echo two") && text.contains("line 3") && text.contains("echo one"), "{text}");
    sandbox.run("echo one").await.expect("an answer");
    let text = sandbox.run("echo one").await.expect_err("used up").to_string();
    assert!(text.contains("nothing more was recorded"), "{text}");
    let error = replay(&directory.path().join("missing"), ReplayOptions::default()).expect_err("missing");
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    std::fs::write(&cassette, "{\"cassette\": 99}\n").expect("written");
    assert!(replay(&cassette, ReplayOptions::default()).is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_do_not_come_back_and_stay_in_the_file() {
    let redactor = Redactor::new().value("hunter2").pattern("key-[0-9]+").expect("a pattern");
    let provider = redact(local(), redactor);
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    sandbox
        .write("/workspace/f", "a hunter2\nb key-12\n".into(), WriteMode::Overwrite)
        .await
        .expect("written");
    let read = sandbox.read("/workspace/f", LineRange::ALL).await.expect("read");
    assert_eq!(read.text(), Some("a [REDACTED]\nb [REDACTED]"));
    let edit = sandshell::EditRequest::once("a ", "c ");
    sandbox.edit("/workspace/f", &edit).await.expect("edited");
    let count = sandbox.run("grep -c hunter2 f; printf 'hun'; sleep 0.1; echo 'ter2 x'").await.expect("run");
    assert_eq!(count.text(), "1\n[REDACTED] x\n");
    let (sender, mut receiver) = tokio::sync::mpsc::channel::<OutputChunk>(1);
    let request = ExecuteRequest::new("printf hun; sleep 0.1; echo ter2; printf key-1; sleep 0.1; echo 2");
    let gather = async {
        let mut all = Vec::new();
        while let Some(chunk) = receiver.recv().await {
            all.extend_from_slice(&chunk.data);
        }
        all
    };
    let (answer, streamed) = tokio::join!(sandbox.execute_streaming(request, sender), gather);
    assert_eq!(answer.expect("run").text(), "[REDACTED]\n[REDACTED]\n");
    assert_eq!(streamed, b"[REDACTED]\n[REDACTED]\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_names_what_was_done_and_no_secret() {
    let log = Log::default();
    let provider = audit(local(), log.clone(), Redactor::new().value("hunter2"));
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    sandbox.run("echo hunter2; exit 4").await.expect("run");
    let waiting = tokio::time::timeout(Duration::from_millis(50), sandbox.run("sleep 60"));
    waiting.await.expect_err("dropped");
    provider.get_or_create(CreateOptions::existing("local-99")).await.expect_err("not there");
    let lines = log.lines();
    let methods: Vec<&str> = lines.iter().filter_map(|line| line["method"].as_str()).collect();
    assert_eq!(methods, ["create", "execute", "execute", "create"]);
    assert_eq!(lines[1]["command"], "echo [REDACTED]; exit 4");
    assert_eq!((&lines[1]["exit_code"], &lines[1]["stdout_bytes"]), (&Value::from(4), &Value::from(8)));
    assert_eq!(lines[2]["cancelled"], true);
    assert_eq!(lines[3]["error"]["kind"], "not_found");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_what_is_safe_is_repeated() {
    let options = RetryOptions::default().retries(2);
    // A call that failed before it had an effect is always retried.
    let flaky = Arc::new(Flaky { fails: 2.into(), says_so: true, calls: 0.into() });
    let sandbox =
        retry(flaky.clone(), options).get_or_create(CreateOptions::default()).await.expect("a sandbox");
    assert_eq!(*flaky.calls.lock().expect("a number"), 3);
    drop(sandbox);
    // A call that may have had an effect is retried only if it is idempotent.
    let flaky = Arc::new(Flaky { fails: 1.into(), says_so: false, calls: 0.into() });
    let provider = retry(flaky.clone(), options);
    provider.get_or_create(CreateOptions::default()).await.expect_err("not repeated");
    assert_eq!(*flaky.calls.lock().expect("a number"), 1);
    *flaky.fails.lock().expect("a number") = 2;
    provider.delete("x").await.expect("repeated");
    *flaky.fails.lock().expect("a number") = 9;
    let error = provider.delete("x").await.expect_err("too often");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_wait_for_room() {
    let one = NonZeroU32::new(1).expect("one");
    let provider = limit(local(), LimitOptions::default().concurrency(one));
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    assert!(!sandbox.capabilities().concurrent_execute);
    let turn = "[ -e busy ] && echo overlap; touch busy; sleep 0.05; rm busy";
    let (a, b, c) = tokio::join!(sandbox.run(turn), sandbox.run(turn), sandbox.run(turn));
    for answer in [a, b, c] {
        assert_eq!(answer.expect("run").text(), "");
    }
}

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().expect("the log").clone()).expect("UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("the log").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A provider whose next calls fail.
#[derive(Debug)]
struct Flaky {
    fails: Mutex<u32>,
    /// Whether the error says that the call had no effect.
    says_so: bool,
    calls: Mutex<u32>,
}

impl Flaky {
    fn call(&self) -> Result<()> {
        *self.calls.lock().expect("a number") += 1;
        let mut fails = self.fails.lock().expect("a number");
        if *fails == 0 {
            return Ok(());
        }
        *fails -= 1;
        let error = Error::new(ErrorKind::Unavailable, "not now");
        Err(if self.says_so { error.retry_after(Some(Duration::from_millis(1))) } else { error })
    }
}

#[async_trait]
impl SandboxProvider for Flaky {
    fn metadata(&self) -> ProviderMetadata {
        ProviderMetadata::new("flaky", "/", sandshell::ProviderCapabilities::default())
    }

    async fn get_or_create(&self, _: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        self.call()?;
        Ok(Arc::new(Nothing))
    }

    async fn delete(&self, _: &str) -> Result<()> {
        self.call()
    }
}

#[derive(Debug)]
struct Nothing;

#[async_trait]
impl Sandbox for Nothing {
    fn id(&self) -> &str {
        "nothing"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    async fn execute(&self, _: ExecuteRequest) -> Result<ExecuteResponse> {
        Ok(ExecuteResponse::default())
    }

    async fn upload_files(&self, _: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        Ok(Vec::new())
    }

    async fn download_files(&self, _: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        Ok(Vec::new())
    }
}
