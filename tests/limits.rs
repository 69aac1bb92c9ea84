//! Limits as seen from a shell: `ulimit`, hostile scripts, and their effect on neighbours.
#![cfg(target_os = "linux")]

use sandshell::{
    CreateOptions, ExecuteRequest, ExecuteResponse, LimitKind, Limits, LocalOptions, LocalProvider,
    LocalSandbox, MountSource, Sandbox, SandboxExt,
};
use std::sync::Arc;
use std::time::Duration;

fn provider(limits: Limits) -> LocalProvider {
    sandshell::local(LocalOptions { limits, ..LocalOptions::default() }).expect("the local provider")
}

fn sandbox() -> Arc<LocalSandbox> {
    provider(Limits::default()).create(CreateOptions::default()).expect("a sandbox")
}

async fn run(sandbox: &LocalSandbox, script: &str) -> (i32, String) {
    let answer = sandbox.run(script).await.expect("an answer");
    (answer.exit_code.unwrap_or(-1), answer.text().into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lowered_limits_hold_and_commands_still_start() {
    let sandbox = sandbox();
    let descriptors = "ulimit -n 100; ulimit -n; echo x > f; ls; cat f | head -n 1; echo $(echo sub)";
    assert_eq!(run(&sandbox, descriptors).await, (0, "100\nf\nx\nsub\n".into()));
    let refused = sandbox.run("ulimit -n 5; exec 4<f; exec 7<f").await.expect("an answer");
    assert_eq!(refused.text(), "bash: line 1: 7: Bad file descriptor\n");
    // A limit that a script sets itself is not one of the sandbox's.
    assert_eq!(refused.limits, []);
    let size = "{ (ulimit -f 1; head -c 3000 /dev/zero > big); } 2>/dev/null; echo $?; wc -c < big";
    assert_eq!(run(&sandbox, size).await, (0, "153\n1024\n".into()));
    let caught =
        "trap 'echo caught >&2' XFSZ; ulimit -f 1; for i in 1 2; do printf %1000s > part$i; done; echo $?";
    assert_eq!(run(&sandbox, caught).await, (0, "0\n".into()));
    let time = "{ (ulimit -t 1; while :; do :; done); } 2>/dev/null; echo $?";
    assert_eq!(run(&sandbox, time).await, (0, "152\n".into()));
    let (status, text) = run(&sandbox, "ulimit -s 100").await;
    assert_eq!(
        (status, text.as_str()),
        (1, "bash: line 1: ulimit: stack size: cannot modify limit: Operation not supported\n")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_without_input_reads_dev_null() {
    let sandbox = sandbox();
    let script = "readlink /proc/self/fd/0; [ -c /dev/stdin ] && [ ! -t 0 ] && echo device; cat; echo needle > f; rg needle";
    assert_eq!(run(&sandbox, script).await, (0, "/dev/null\ndevice\nf:needle\n".into()));
    let with =
        sandbox.execute(ExecuteRequest::new("[ -p /dev/stdin ] && rg needle").stdin("a needle\n")).await;
    assert_eq!(with.expect("an answer").text(), "a needle\n");
}

/// Scripts that never end, and the limit, other than time, that each reaches.
const HOSTILE: &[(&str, Option<LimitKind>)] = &[
    ("while :; do :; done", None),
    ("(:(){ :|:& }; :) 2>/dev/null; while :; do :; done", Some(LimitKind::Processes)),
    ("for i in {1..25}; do (trap '' TERM INT HUP; while :; do :; done) & done; wait", None),
    ("yes", Some(LimitKind::Output)),
    ("yes | cat | cat | tail -n 1", None),
    ("mkfifo f; cat f", None),
    ("while :; do (x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done) 2>/dev/null; done", None),
    ("f() { f; }; while :; do (f) 2>/dev/null; done", None),
    ("i=0; while :; do : > $((i++)); done", None),
    ("while :; do cat /dev/zero > big; done 2>/dev/null", Some(LimitKind::Disk)),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_scripts_end_at_their_deadline_and_hurt_nobody() {
    let limits = Limits { processes: 30, process_memory: 256 << 20, ..Limits::default() };
    let mut options = LocalOptions { limits, max_output: 64 << 10, ..LocalOptions::default() };
    options.disk.bytes = Some(4 << 20);
    let provider = sandshell::local(options).expect("the local provider");
    let neighbour = provider.create(CreateOptions::default()).expect("a sandbox");
    for (script, limit) in HOSTILE {
        let sandbox = provider.create(CreateOptions::default()).expect("a sandbox");
        let request = ExecuteRequest::new(*script).timeout(Duration::from_millis(300));
        let hostile = tokio::spawn({
            let sandbox = sandbox.clone();
            async move { sandbox.execute(request).await.expect("an answer") }
        });
        let mut answers = 0;
        while !hostile.is_finished() {
            assert_eq!(run(&neighbour, "echo hi").await, (0, "hi\n".into()));
            answers += 1;
        }
        let answer: ExecuteResponse = hostile.await.expect("a task");
        assert!(answer.timed_out && answer.exit_code == Some(124), "{script}: {answer:?}");
        assert!(answers > 0, "{script}: the neighbour answered {answers} times");
        if let Some(limit) = limit {
            assert!(answer.limits.iter().any(|hit| hit.kind == *limit), "{script}: {:?}", answer.limits);
        }
        // The sandbox keeps working, and none of the processes is left.
        assert_eq!(run(&sandbox, "echo still here").await, (0, "still here\n".into()), "{script}");
        sandbox.kernel().shutdown().await;
        assert_eq!(sandbox.kernel().usage().memory, 0, "{script}");
    }
}

#[tokio::test]
async fn files_have_a_limit_wherever_they_are_in_memory() {
    let host = tempfile::tempdir().expect("a directory");
    let mut options = LocalOptions::default()
        .mount("/mnt", MountSource::Memory)
        .mount("/srv", MountSource::Overlay(host.path().to_owned()));
    assert!(options.disk.bytes.is_some() && options.disk.inodes.is_some(), "without being asked");
    options.disk.bytes = Some(8 << 20);
    let provider = sandshell::local(options).expect("the local provider");
    let sandbox = provider.create(CreateOptions::default()).expect("a sandbox");
    for place in ["/workspace", "/mnt", "/srv"] {
        let script = format!("head -c 9M /dev/zero > {place}/f; echo $?; rm {place}/f");
        let answer = sandbox.run(&script).await.expect("an answer");
        assert_eq!(answer.stdout, "1\n", "{place}");
        assert_eq!(
            answer.stderr, "head: error writing 'standard output': No space left on device\n",
            "{place}"
        );
        assert!(answer.limits.iter().any(|hit| hit.kind == LimitKind::Disk), "{place}: {:?}", answer.limits);
    }
}

/// Scripts whose last output comes from process substitutions, and their whole output.
const SUBSTITUTIONS: &[(&str, &str)] = &[
    ("echo hi > >(tr a-z A-Z)", "HI\n"),
    ("echo hi > >(sleep 0.1; tr a-z A-Z)", "HI\n"),
    (
        "exec > >(tee log) 2>&1; echo hello; ls nothing",
        "hello\nls: cannot access 'nothing': No such file or directory\n",
    ),
    ("exec > >(sleep 0.1; cat; cat log) 2> >(tee log); echo hello; echo error >&2", "hello\nerror\nerror\n"),
    ("seq 3 > >(wc -l)", "3\n"),
    ("seq 3 > >(sed 's/^/a/' > >(sed 's/^/b/' > >(sleep 0.05; sed 's/^/c/')))", "cba1\ncba2\ncba3\n"),
    ("seq 4 | tee >(sleep 0.1; wc -l) > /dev/null", "4\n"),
    ("cat <(echo a; exec >&-; sleep 0.1; echo late >&2)", "a\nlate\n"),
    ("(seq 2 > >(sleep 0.1; wc -l))", "2\n"),
    ("{ seq 2 > >(sleep 0.1; wc -l); } & wait", "2\n"),
    ("f() { seq 2 > >(sleep 0.1; wc -l); }; x=$(f); echo \"[$x]\"; exec true", "[2]\n"),
    ("bash -c 'seq 5 > >(sleep 0.1; wc -l)'; exit 3", "5\n"),
    ("seq 5 > >(bash -c 'sleep 0.1; exec wc -l'); kill -9 $$", "5\n"),
    ("python() { seq 3 > >(sleep 0.1; (sleep 0.1; cat)); }; python; exec echo end", "end\n1\n2\n3\n"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_process_substitutions_write_arrives() {
    let sandbox = sandbox();
    for round in 0..3 {
        for (script, expected) in SUBSTITUTIONS {
            let text = sandbox.run(script).await.expect("an answer").text().into_owned();
            assert_eq!(text, *expected, "{script} in round {round}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn background_processes_are_not_waited_for() {
    let sandbox = sandbox();
    for script in [
        "sleep inf & echo started",
        "sleep inf > >(cat) & sleep 0.05; echo started",
        "(exec > >(cat); sleep inf) & sleep 0.05; echo started",
        "setsid bash -c 'sleep inf > >(cat)' & sleep 0.05; echo started",
        "exec 3< <(sleep inf 2>/dev/null) >/dev/null 2>&1",
    ] {
        let run = tokio::time::timeout(Duration::from_secs(60), sandbox.run(script));
        let answer = run.await.expect("no wait").expect("an answer");
        assert_eq!(answer.exit_code, Some(0));
        assert!(script.starts_with("exec") || answer.text() == "started\n", "{script}: {answer:?}");
        // Later output is lost, unless it is written to a file.
        sandbox.run("pkill sleep; pkill cat; true").await.expect("an answer");
    }
    // The answer waits for an endless substitution until the timeout, as a reader of a pipe would.
    let request = ExecuteRequest::new("echo before; exec > >(sleep inf)").timeout(Duration::from_millis(300));
    let answer = sandbox.execute(request).await.expect("an answer");
    assert_eq!((answer.exit_code, answer.timed_out, &*answer.output), (Some(124), true, &b"before\n"[..]));
}
