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
    FileDownloadResponse, FileError, FileSink, FileSource, FileUpload, FileUploadResponse, LineRange,
    LocalOptions, LocalProvider, OutputChunk, ProviderMetadata, Result, Sandbox, SandboxExt, SandboxProvider,
    WriteMode,
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_go_through_in_pieces() {
    let log = Log::default();
    let inner: Arc<dyn SandboxProvider> = Arc::new(Pieces::default());
    let one = NonZeroU32::new(1).expect("one");
    let limited = limit(inner, LimitOptions::default().concurrency(one));
    let provider = audit(
        retry(redact(limited, Redactor::new().value("hunter2")), RetryOptions::default()),
        log.clone(),
        Redactor::new(),
    );
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    upload(&*sandbox, "/f", &["one", "two", "three"]).await.expect("a call").expect("written");
    let (answer, whole) = download(&*sandbox, "/f").await;
    answer.expect("a call").expect("read");
    assert_eq!(whole, "a [REDACTED] b [REDACTED]");
    let (answer, whole) = download(&*sandbox, "/cut").await;
    assert_eq!(answer.expect("a call"), Err(FileError::Other("no [REDACTED]".to_owned())));
    // The rest might be the beginning of the secret.
    assert_eq!(whole, "a [REDACTED] b ");
    let lines = log.lines();
    assert_eq!((&lines[1]["method"], &lines[1]["files"][0]["bytes"]), (&"upload".into(), &11.into()));
    assert_eq!((&lines[2]["method"], &lines[2]["bytes"]), (&"download".into(), &25.into()));
    assert_eq!(lines[3]["failed"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transfer_is_repeated_as_long_as_no_piece_is_lost() {
    let options = RetryOptions::default().retries(2);
    let with = |fails, after| async move {
        let inner: Arc<dyn SandboxProvider> =
            Arc::new(Pieces { fails: Arc::new(Mutex::new(fails)), fails_after: after });
        retry(inner, options).get_or_create(CreateOptions::default()).await.expect("a sandbox")
    };
    for after in [0, 1] {
        let sandbox = with(2, after).await;
        upload(&*sandbox, "/f", &["one", "two", "three"]).await.expect("repeated").expect("written");
    }
    upload(&*with(3, 0).await, "/f", &["one"]).await.expect_err("too often");
    upload(&*with(1, 2).await, "/f", &["one", "two", "three"]).await.expect_err("pieces are gone");
    let (answer, whole) = download(&*with(2, 0).await, "/f").await;
    answer.expect("repeated").expect("read");
    assert_eq!(whole, "a hunter2 b hunter2");
    download(&*with(1, 1).await, "/f").await.0.expect_err("something has arrived");
}

async fn upload(sandbox: &dyn Sandbox, path: &str, pieces: &[&'static str]) -> Result<Result<(), FileError>> {
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    let send = async move {
        for piece in pieces {
            if sender.send(Ok(piece.as_bytes().into())).await.is_err() {
                return;
            }
        }
    };
    tokio::join!(sandbox.upload_from(path, receiver), send).0
}

async fn download(sandbox: &dyn Sandbox, path: &str) -> (Result<Result<(), FileError>>, String) {
    let (sender, mut receiver) = tokio::sync::mpsc::channel::<bytes::Bytes>(1);
    let gather = async {
        let mut whole = Vec::new();
        while let Some(piece) = receiver.recv().await {
            whole.extend_from_slice(&piece);
        }
        String::from_utf8(whole).expect("UTF-8")
    };
    tokio::join!(sandbox.download_to(path, sender), gather)
}

/// A provider of one sandbox, which transfers files only in pieces: `one`, `two`, `three` to it, a secret from it. Its
/// next calls fail after some pieces.
#[derive(Clone, Debug, Default)]
struct Pieces {
    fails: Arc<Mutex<u32>>,
    fails_after: usize,
}

impl Pieces {
    fn check(&self, pieces: usize) -> Result<()> {
        let mut fails = self.fails.lock().expect("a number");
        if *fails == 0 || pieces != self.fails_after {
            return Ok(());
        }
        *fails -= 1;
        Err(Error::new(ErrorKind::RateLimited, "not now").retry_after(Some(Duration::from_millis(1))))
    }
}

#[async_trait]
impl SandboxProvider for Pieces {
    fn metadata(&self) -> ProviderMetadata {
        ProviderMetadata::new("pieces", "/", sandshell::ProviderCapabilities::default())
    }

    async fn get_or_create(&self, _: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        Ok(Arc::new(self.clone()))
    }

    async fn delete(&self, _: &str) -> Result<()> {
        Ok(())
    }
}

#[async_trait]
impl Sandbox for Pieces {
    fn id(&self) -> &str {
        "pieces"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    async fn execute(&self, _: ExecuteRequest) -> Result<ExecuteResponse> {
        Ok(ExecuteResponse::default())
    }

    async fn upload_files(&self, _: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        Err(Error::invalid_request("only in pieces"))
    }

    async fn download_files(&self, _: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        Err(Error::invalid_request("only in pieces"))
    }

    async fn upload_from(&self, _: &str, mut content: FileSource) -> Result<Result<(), FileError>> {
        self.check(0)?;
        let mut pieces = Vec::new();
        while let Some(piece) = content.recv().await {
            pieces.push(piece.expect("a piece"));
            self.check(pieces.len())?;
        }
        let expected = ["one", "two", "three"];
        let right = pieces.len() <= 3 && pieces.iter().zip(expected).all(|(piece, text)| piece == text);
        Ok(if right { Ok(()) } else { Err(FileError::Other(format!("{pieces:?}"))) })
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        self.check(0)?;
        for (sent, piece) in ["a hun", "ter2 b ", "hunter", "2"].into_iter().enumerate() {
            if path == "/cut" && piece == "2" {
                return Ok(Err(FileError::Other("no hunter2".to_owned())));
            }
            content.send(piece.into()).await.expect("a reader");
            self.check(sent + 1)?;
        }
        Ok(Ok(()))
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
