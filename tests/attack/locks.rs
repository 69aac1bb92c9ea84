//! Locks of mounted files: programs of the host and other sandboxes see them, and none outlives the guest that has it.

use sandshell::{
    CreateOptions, ExecuteRequest, LocalOptions, LocalSandbox, MountSource, Sandbox, SandboxExt,
};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longer than anything takes that works correctly.
const HANGS: Duration = Duration::from_secs(60);

fn sandbox(source: MountSource) -> Arc<LocalSandbox> {
    let options = LocalOptions::default().mount("/w", source);
    sandshell::local(options).unwrap().create(CreateOptions::default()).unwrap()
}

fn writable(directory: &Path) -> Arc<LocalSandbox> {
    sandbox(MountSource::HostReadWrite(directory.to_owned()))
}

async fn text(sandbox: &LocalSandbox, script: &str) -> String {
    sandbox.run(script).await.unwrap().text().into_owned()
}

/// Waits until a program of the host gets the lock, and gives it back, or does not get it.
async fn until_locked(file: &File, locked: bool) {
    let start = Instant::now();
    loop {
        let free = file.try_lock().is_ok();
        if free {
            file.unlock().unwrap();
        }
        if free != locked {
            return;
        }
        assert!(start.elapsed() < HANGS, "locked: {free}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lock_of_the_host_is_one_for_guests() {
    let directory = tempfile::tempdir().unwrap();
    let file = File::create(directory.path().join("f")).unwrap();
    let sandbox = writable(directory.path());
    file.lock().unwrap();
    let script =
        "flock -n /w/f true; echo $?; flock -s -n /w/f true; echo $?; flock -w 0.2 /w/f true; echo $?";
    assert_eq!(text(&sandbox, script).await, "1\n1\n1\n");
    // A process that waits ends like every other.
    let killed = "flock /w/f echo no & sleep 0.1; kill -9 $!; wait $! 2>/dev/null; echo $?";
    assert_eq!(text(&sandbox, killed).await, "137\n");
    let request = ExecuteRequest::new("flock /w/f echo no").timeout(Duration::from_millis(200));
    assert!(sandbox.execute(request).await.unwrap().timed_out);
    // Meanwhile others work.
    let waiting = tokio::spawn({
        let sandbox = sandbox.clone();
        async move { text(&sandbox, "flock /w/f echo got it").await }
    });
    for _ in 0..20 {
        assert_eq!(text(&sandbox, "echo hi").await, "hi\n");
    }
    assert!(!waiting.is_finished());
    file.unlock().unwrap();
    assert_eq!(tokio::time::timeout(HANGS, waiting).await.unwrap().unwrap(), "got it\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_lock_outlives_the_guest_that_has_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = File::create(directory.path().join("f")).unwrap();
    let sandbox = writable(directory.path());
    for script in [
        "flock /w/f sleep 0.3",
        "flock /w/f sleep inf",
        "exec 9</w/f; flock 9; kill -9 $$ & sleep inf",
        "exec 9</w/f; flock 9; (exec sleep inf) & exec 9<&-; wait",
        "exec 9</w/f; flock 9; exec sleep inf",
        "exec 9</w/f; flock -s 9; exec 8</w/f; flock -s 8; sleep inf",
    ] {
        let request = ExecuteRequest::new(script).timeout(Duration::from_millis(700));
        let running = tokio::spawn({
            let sandbox = sandbox.clone();
            async move { sandbox.execute(request).await.unwrap() }
        });
        if !script.contains("kill") {
            until_locked(&file, true).await;
        }
        drop(running.await.unwrap());
        until_locked(&file, false).await;
    }
    // In the background, until the sandbox ends.
    drop(sandbox.run("flock /w/f sleep inf &").await.unwrap());
    until_locked(&file, true).await;
    drop(sandbox);
    until_locked(&file, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_sandboxes_count_together() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("n"), "0\n").unwrap();
    File::create(directory.path().join("lock")).unwrap();
    let script = "for i in {1..20}; do (flock 9; read n < /w/n; echo $((n + 1)) > /w/n) 9</w/lock; done";
    let running: Vec<_> = (0..3)
        .map(|_| {
            let sandbox = writable(directory.path());
            tokio::spawn(async move { sandbox.run(script).await.unwrap().exit_code })
        })
        .collect();
    for running in running {
        assert_eq!(tokio::time::timeout(HANGS, running).await.unwrap().unwrap(), Some(0));
    }
    assert_eq!(std::fs::read_to_string(directory.path().join("n")).unwrap(), "60\n");
}

/// Who may only read keeps nobody from reading, and the files of an overlay are the sandbox's own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_mounts_keep_nobody_from_reading() {
    let directory = tempfile::tempdir().unwrap();
    let file = File::create(directory.path().join("f")).unwrap();
    let read_only = sandbox(MountSource::HostReadOnly(directory.path().to_owned()));
    file.lock().unwrap();
    assert_eq!(text(&read_only, "flock -n -s /w/f true; echo $?").await, "1\n");
    file.unlock().unwrap();
    drop(read_only.run("exec 9</w/f; flock 9; sleep inf &").await.unwrap());
    until_locked(&file, true).await;
    file.try_lock_shared().unwrap();
    file.unlock().unwrap();
    drop(read_only);
    until_locked(&file, false).await;
    let overlay = sandbox(MountSource::Overlay(directory.path().to_owned()));
    drop(overlay.run("exec 9</w/f; flock 9; sleep inf &").await.unwrap());
    assert_eq!(text(&overlay, "flock -n /w/f true; echo $?").await, "1\n");
    file.try_lock().unwrap();
}
