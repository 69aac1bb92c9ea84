//! Tests of the local provider that need no guest program: creating and deleting sandboxes, snapshots, forks,
//! mounts, options.
#![cfg(target_os = "linux")]

use std::time::Duration;

use bytes::Bytes;
use sandshell_providers::conformance::{self, Options};
use sandshell_providers::local::{HostOverlay, LocalOptions, LocalProvider, MountSource};
use sandshell_providers::{
    CreateOptions, ErrorKind, ExecuteRequest, LineRange, Sandbox, SandboxExt, SandboxProvider, WriteMode,
};
use sandshell_runtime::{Engine, EngineOptions, SystemImage};

fn provider(options: LocalOptions) -> LocalProvider {
    let engine = Engine::new(EngineOptions::new(SystemImage::default())).expect("an engine");
    LocalProvider::new(engine, options).expect("a provider")
}

#[tokio::test(flavor = "multi_thread")]
async fn sandboxes_live_as_the_suite_says() {
    let provider = provider(LocalOptions::default());
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
        "undeclared",
    ] {
        options.only = Some(format!("provider::{case}"));
        let report = conformance::run_provider(&provider, &options).await;
        assert!(report.passed(), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sandbox_without_bash_says_so() {
    let sandbox = provider(LocalOptions::default()).create(CreateOptions::default()).expect("a sandbox");
    let error = sandbox.run("true").await.expect_err("no bash");
    assert_eq!(error.to_string(), "/usr/bin/bash: No such file or directory");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_cannot_be_are_refused() {
    let sandbox = provider(LocalOptions::default()).create(CreateOptions::default()).expect("a sandbox");
    for request in [
        ExecuteRequest::new("a\0b"),
        ExecuteRequest::new("pwd").cwd("relative"),
        ExecuteRequest::new("pwd").cwd("/missing"),
        ExecuteRequest::new("pwd").env("A=B", "c"),
        ExecuteRequest::new("pwd").env("", "c"),
    ] {
        let error = sandbox.execute(request.clone()).await.expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{request:?}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn options_that_are_not_there_are_refused() {
    let provider = provider(LocalOptions::default());
    let error = provider.create(CreateOptions::default().ttl(Duration::from_secs(1))).expect_err("no ttl");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let error = provider.create(CreateOptions::default().workdir("relative")).expect_err("relative");
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    let error = provider.create(CreateOptions::default().snapshot("snapshot-9")).expect_err("no snapshot");
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn mounts() {
    let host = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(host.path().join("f"), "host").expect("written");
    let path = host.path().to_path_buf();
    let options = LocalOptions::default()
        .mount("/ro", MountSource::HostReadOnly(path.clone()))
        .mount("/rw", MountSource::HostReadWrite(path.clone()))
        .mount("/workspace", MountSource::Overlay(path.clone()))
        .mount("/scratch", MountSource::Memory);
    let provider = provider(options);
    let sandbox = provider.create(CreateOptions::default()).expect("a sandbox");
    let write = async |at: &str| sandbox.write(at, Bytes::from_static(b"new"), WriteMode::Overwrite).await;

    let refused = write("/ro/f").await.expect_err("read-only");
    assert_eq!(refused.to_string(), "Failed to write file '/ro/f': Read-only file system");
    write("/workspace/f").await.expect("above the host");
    write("/workspace/added").await.expect("above the host");
    assert_eq!(std::fs::read_to_string(host.path().join("f")).expect("read"), "host");
    let HostOverlay { at, overlay, .. } = sandbox.overlays().pop().expect("one overlay");
    assert_eq!((at.as_str(), overlay.diff().expect("a list").len()), ("/workspace", 2));

    let fork = provider.fork(sandbox.id()).await.expect("a fork");
    fork.delete("/workspace/f").await.expect("above the host");
    let kept = sandbox.read("/workspace/f", LineRange::ALL).await.expect("still there");
    assert_eq!(kept.text(), Some("new"));

    write("/scratch/f").await.expect("in memory");
    write("/rw/f").await.expect("on the host");
    assert_eq!(std::fs::read_to_string(host.path().join("f")).expect("read"), "new");
}

#[test]
fn a_sandbox_knows_whether_it_writes_further_than_memory() {
    let host = tempfile::tempdir().expect("a directory");
    let path = || host.path().to_path_buf();
    let writes = |source: Option<MountSource>| {
        let options = LocalOptions::default();
        let options = source.into_iter().fold(options, |options, source| options.mount("/m", source));
        provider(options).create(CreateOptions::default()).expect("a sandbox").writes_through()
    };
    assert!(!writes(None));
    assert!(!writes(Some(MountSource::Memory)));
    assert!(!writes(Some(MountSource::HostReadOnly(path()))));
    assert!(!writes(Some(MountSource::Overlay(path()))));
    assert!(writes(Some(MountSource::HostReadWrite(path()))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_directory_that_is_not_there_is_named() {
    let options = LocalOptions::default().mount("/x", MountSource::HostReadOnly("/nonexistent/dir".into()));
    let error = provider(options).create(CreateOptions::default()).expect_err("not there");
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert!(error.to_string().starts_with("/nonexistent/dir: "), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_says_it_is_huge_is_not_read_into_memory() {
    let sandbox = provider(LocalOptions::default()).create(CreateOptions::default()).expect("a sandbox");
    sandbox.write("/tmp/f", Bytes::from_static(b"x"), WriteMode::Overwrite).await.expect("written");
    let namespace = sandbox.namespace();
    let size = sandshell_vfs::SetAttributes { size: Some(1 << 40), ..Default::default() };
    let follow = sandshell_vfs::Follow::Yes;
    namespace
        .set_attributes(&sandshell_vfs::Context::USER, &namespace.root(), b"/tmp/f", follow, &size)
        .expect("a sparse file");
    let error = sandbox.read("/tmp/f", LineRange::default()).await.expect_err("too large");
    assert!(error.to_string().contains("larger than"), "{error}");
}
