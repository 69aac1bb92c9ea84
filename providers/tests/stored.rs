//! Local sandboxes that are kept on disk, without guest programs.
#![cfg(target_os = "linux")]

use std::time::Duration;

use sandshell_providers::conformance::{self, Options};
use sandshell_providers::local::{LocalOptions, LocalProvider};
use sandshell_providers::{
    CreateOptions, ErrorKind, FileUpload, LineRange, ListOptions, Retry, Sandbox, SandboxExt,
    SandboxProvider, SandboxState, WriteMode,
};
use sandshell_runtime::{Engine, EngineOptions, SystemImage};
use tempfile::TempDir;

fn provider(at: &TempDir) -> LocalProvider {
    with(LocalOptions::default().data_dir(at.path().join("data")))
}

fn with(options: LocalOptions) -> LocalProvider {
    let engine = Engine::new(EngineOptions::new(SystemImage::default())).expect("an engine");
    LocalProvider::new(engine, options).expect("a provider")
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

async fn put(sandbox: &dyn Sandbox, path: &str, text: &str) {
    sandbox.write(path, text.to_owned().into(), WriteMode::Overwrite).await.expect("written");
}

async fn get(sandbox: &dyn Sandbox, path: &str) -> String {
    let read = sandbox.read(path, LineRange::default()).await.expect("read");
    read.text().expect("text").to_owned()
}

async fn state(provider: &LocalProvider, id: &str) -> SandboxState {
    let page = provider.list(ListOptions::default()).await.expect("a page");
    page.sandboxes.into_iter().find(|info| info.id == id).expect("listed").state
}

#[tokio::test(flavor = "multi_thread")]
async fn sandboxes_live_as_the_suite_says() {
    let at = directory();
    let provider = provider(&at);
    let mut options = Options::default();
    for case in [
        "metadata",
        "sandboxes_are_separate",
        "delete_is_idempotent",
        "unknown_id",
        "reattach",
        "list_in_pages",
        "labels",
        "snapshot",
        "restore",
        "fork",
        "pause",
        "undeclared",
    ] {
        options.only = Some(format!("provider::{case}"));
        let report = conformance::run_provider(&provider, &options).await;
        assert!(report.passed() && !report.cases.is_empty(), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_provider_finds_what_was_acknowledged() {
    let at = directory();
    let id = {
        let sandbox = provider(&at).create(CreateOptions::default()).expect("a sandbox");
        put(&*sandbox, "/workspace/a", "one").await;
        let files = vec![FileUpload::new("/workspace/b", "two"), FileUpload::new("/etc/no", "three")];
        let answers = sandbox.upload_files(files).await.expect("answers");
        assert!(answers[0].result.is_ok() && answers[1].result.is_err());
        sandbox.id().to_owned()
    };
    let other = provider(&at);
    let sandbox = other.get_or_create(CreateOptions::existing(&id)).await.expect("found");
    assert_eq!(get(&*sandbox, "/workspace/a").await, "one");
    assert_eq!(get(&*sandbox, "/workspace/b").await, "two");
    let log = other.store().expect("usable").expect("a store").log(&id).expect("a log");
    let what: Vec<_> = log.iter().map(|state| state.what.as_str()).collect();
    assert_eq!(what, ["upload of 2 files", "write /workspace/a", "created"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_provider_at_a_time_may_change_it() {
    let at = directory();
    let (one, other) = (provider(&at), provider(&at));
    let sandbox = one.create(CreateOptions::default()).expect("a sandbox");
    put(&*sandbox, "/workspace/f", "one").await;
    let refused = other.open(CreateOptions::existing(sandbox.id())).await.expect_err("in use");
    assert_eq!((refused.kind(), refused.retry()), (ErrorKind::Conflict, Retry::Later(None)));
    assert_eq!(other.pause(sandbox.id()).await.expect_err("in use").kind(), ErrorKind::Conflict);
    // What needs no lock takes what was stored last.
    let fork = other.fork(sandbox.id()).await.expect("a fork");
    assert_eq!(get(&*fork, "/workspace/f").await, "one");
    one.pause(sandbox.id()).await.expect("paused");
    assert_eq!(state(&one, sandbox.id()).await, SandboxState::Paused);
    let there = other.open(CreateOptions::existing(sandbox.id())).await.expect("free");
    put(&*there, "/workspace/f", "other").await;
    other.park_all().await.expect("parked");
    // A handle that was parked wakes, and sees what others did.
    assert_eq!(get(&*sandbox, "/workspace/f").await, "other");
    assert_eq!(state(&one, sandbox.id()).await, SandboxState::Running);
    other.delete(sandbox.id()).await.expect("deleted");
    let lost = sandbox.write("/workspace/f", "lost".into(), WriteMode::Overwrite).await.expect_err("deleted");
    assert!(lost.to_string().contains("has been deleted"), "{lost}");
    let gone = one.open(CreateOptions::existing(sandbox.id())).await.expect_err("deleted");
    assert_eq!(gone.kind(), ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_used_is_parked_and_in_the_end_deleted() {
    let at = directory();
    let provider = provider(&at);
    // Longer than what is done meanwhile takes on a busy machine.
    let soon = Duration::from_millis(500);
    let short = CreateOptions::default().ttl(soon);
    let sandbox = provider.create(short).expect("a sandbox");
    put(&*sandbox, "/workspace/f", "kept").await;
    while state(&provider, sandbox.id()).await != SandboxState::Paused {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(get(&*sandbox, "/workspace/f").await, "kept");
    provider.set_ttl(sandbox.id(), None).await.expect("set");
    assert_eq!(state(&provider, sandbox.id()).await, SandboxState::Running);

    let mut ends = CreateOptions::default();
    ends.limits.hard_ttl = Some(soon);
    let sandbox = provider.create(ends).expect("a sandbox");
    while !sandbox.has_ended() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let found = provider.open(CreateOptions::existing(sandbox.id())).await.expect_err("deleted");
    assert_eq!(found.kind(), ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_count_what_is_stored() {
    let at = directory();
    let mut options = LocalOptions::default().data_dir(at.path().join("data"));
    options.disk.bytes = Some(3 << 20);
    let id = {
        let sandbox = with(options.clone()).create(CreateOptions::default()).expect("a sandbox");
        sandbox.write("/workspace/f", vec![7; 2 << 20].into(), WriteMode::Overwrite).await.expect("fits");
        sandbox.id().to_owned()
    };
    let sandbox = with(options).open(CreateOptions::existing(&id)).await.expect("found");
    let full = sandbox.write("/workspace/g", vec![7; 2 << 20].into(), WriteMode::Overwrite).await;
    assert!(full.is_err(), "the first file counts still");
    sandbox.delete("/workspace/f").await.expect("deleted");
    sandbox.write("/workspace/g", vec![7; 2 << 20].into(), WriteMode::Overwrite).await.expect("fits now");
}

#[tokio::test(flavor = "multi_thread")]
async fn sandboxes_in_memory_touch_no_disk() {
    let at = directory();
    let sandbox = with(LocalOptions::default()).create(CreateOptions::default()).expect("a sandbox");
    put(&*sandbox, "/workspace/f", "x").await;
    drop(provider(&at));
    assert!(!at.path().join("data").exists(), "and a provider makes nothing before it is used");
}
