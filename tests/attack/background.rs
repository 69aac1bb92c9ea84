//! Background processes that a command leaves behind must not outlive the call's timeout nor exceed their limits.

use sandshell::{
    CreateOptions, ExecuteRequest, LimitKind, Limits, LocalOptions, LocalProvider, LocalSandbox, Sandbox,
    SandboxExt,
};
use std::sync::Arc;
use std::time::Duration;

/// Longer than anything takes that works correctly.
const HANGS: Duration = Duration::from_secs(120);

fn provider(limits: Limits) -> LocalProvider {
    sandshell::local(LocalOptions { limits, ..LocalOptions::default() }).unwrap()
}

fn sandbox(limits: Limits) -> Arc<LocalSandbox> {
    provider(limits).create(CreateOptions::default()).unwrap()
}

/// Waits until `count` processes are left.
async fn left(sandbox: &LocalSandbox, count: usize) {
    let wait = async {
        while sandbox.kernel().usage().processes != count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(HANGS, wait).await;
    waited.unwrap_or_else(|_| panic!("{} processes instead of {count}", sandbox.kernel().usage().processes));
}

/// Ways to leave processes behind. All except the last answer at once.
const LEAVE: &[&str] = &[
    "for i in 1 2; do while :; do :; done & done",
    "sleep inf & disown",
    "setsid sleep inf & setsid bash -c 'while :; do :; done' &",
    "(trap '' TERM INT HUP QUIT USR1; nohup sleep inf >/dev/null 2>&1 &)",
    "( ( (sleep inf &) & ) & )",
    "bash -c 'bash -c \"sleep inf & exec sleep inf\" & exec true'",
    "(exec -a init sleep inf) & (kill -STOP $BASHPID) &",
    "coproc sleep inf; sleep inf | sleep inf | cat &",
    "f() { while :; do (f) & done; }; f 2>/dev/null &",
    // Each process lives only as long as it takes to start its successor.
    "echo 'bash next & exit' > next; bash next &",
    "mkfifo p; cat p & (while :; do sleep 0.01 & wait; done) &",
    "(timeout 1000 sleep inf; while :; do :; done) & time -p true",
    "timeout --foreground 1000 yes > /dev/null & echo $!",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_a_call_started_outlives_its_time() {
    let limits = Limits { processes: 40, background_processes: 40, ..Limits::default() };
    let provider = provider(limits);
    for script in LEAVE {
        let sandbox = provider.create(CreateOptions::default()).unwrap();
        let request = ExecuteRequest::new(*script).timeout(Duration::from_millis(700));
        drop(sandbox.execute(request).await.unwrap());
        left(&sandbox, 0).await;
        // The sandbox keeps working, and another call has its own timeout.
        assert_eq!(sandbox.run("echo fine").await.unwrap().text(), "fine\n", "{script}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandboxs_default_limit_is_a_limit_for_what_is_left_behind() {
    let options = LocalOptions { timeout: Some(Duration::from_millis(500)), ..LocalOptions::default() };
    let sandbox = sandshell::local(options).unwrap().create(CreateOptions::default()).unwrap();
    let answer = sandbox.run("for i in 1 2; do while :; do :; done & done; echo started").await.unwrap();
    assert_eq!((answer.exit_code, answer.timed_out, &*answer.text()), (Some(0), false, "started\n"));
    left(&sandbox, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_ends_only_what_it_started() {
    let sandbox = sandbox(Limits::default());
    let without = ExecuteRequest::new("sleep inf &").timeout(Duration::ZERO);
    drop(sandbox.execute(without).await.unwrap());
    for script in ["sleep inf &", "while :; do :; done"] {
        let with = ExecuteRequest::new(script).timeout(Duration::from_millis(300));
        drop(sandbox.execute(with).await.unwrap());
        left(&sandbox, 1).await;
    }
    // The first one was there all the time.
    assert_eq!(sandbox.run("pkill sleep").await.unwrap().exit_code, Some(0));
    left(&sandbox, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_is_a_limit_to_how_many_stay() {
    let sandbox = sandbox(Limits { background_processes: 3, ..Limits::default() });
    let kept = sandbox.run("for i in 1 2 3; do sleep inf & done").await.unwrap();
    assert_eq!((kept.exit_code, &*kept.limits), (Some(0), &[][..]));
    left(&sandbox, 3).await;
    // Too many processes stay: those of this call are killed, and its answer says so.
    let many = sandbox.run("sleep inf & echo started").await.unwrap();
    assert_eq!((many.exit_code, &*many.output), (Some(0), &b"started\n"[..]));
    assert_eq!(many.limits[0].kind, LimitKind::Processes);
    assert_eq!(many.limits[0].message, "limit of 3 background processes exceeded");
    left(&sandbox, 3).await;
    // A command in the foreground may have any number of processes within the usual limit.
    let foreground = sandbox.run("for i in 1 2 3 4 5 6; do sleep 0.01 & done; wait; echo $?").await.unwrap();
    assert_eq!((&*foreground.text(), &*foreground.limits), ("0\n", &[][..]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_the_background_no_more_processes_begin_than_may_stay() {
    let sandbox = sandbox(Limits { background_processes: 3, ..Limits::default() });
    let script = "(sleep 0.2; for i in 1 2 3 4 5; do sleep inf & done; echo > done) 2> errors &";
    drop(sandbox.run(script).await.unwrap());
    let script = "until [ -e done ] || grep -q fork errors; do sleep 0.01; done; grep -c 'Resource temporarily unavailable' errors";
    assert_ne!(sandbox.run(script).await.unwrap().text(), "0\n");
    assert!(sandbox.kernel().usage().processes <= 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_is_a_limit_to_what_they_compute() {
    let background_cpu = Some(Duration::from_millis(200));
    for fuel in [None, Some(u64::MAX / 2)] {
        let sandbox = sandbox(Limits { background_cpu, fuel, ..Limits::default() });
        let script = "sleep inf & for i in 1 2; do (while :; do :; done) & done; echo started";
        assert_eq!(sandbox.run(script).await.unwrap().text(), "started\n");
        left(&sandbox, 0).await;
        // Processes that only wait may stay, and calls themselves may compute without limit.
        drop(sandbox.run("sleep inf & for ((i = 0; i < 300000; i++)); do :; done").await.unwrap());
        left(&sandbox, 1).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_given_up_takes_its_processes_along() {
    let sandbox = sandbox(Limits::default());
    let request = ExecuteRequest::new("sleep inf & exec > >(cat) 2>&1; setsid sleep inf & sleep inf");
    drop(tokio::time::timeout(Duration::from_millis(300), sandbox.execute(request)).await);
    left(&sandbox, 0).await;
}
