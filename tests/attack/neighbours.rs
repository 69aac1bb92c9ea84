//! Neighbours in one process: a sandbox's work stops at its deadline, and leaves resources for the others.

use sandshell::runtime::EngineOptions;
use sandshell::{
    CreateOptions, Engine, ExecuteRequest, ExecuteResponse, FileSystem, FileUpload, LimitKind, Limits,
    LocalOptions, LocalProvider, LocalSandbox, MountSource, Sandbox, SandboxExt,
};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

fn create(provider: &LocalProvider) -> Arc<LocalSandbox> {
    provider.create(CreateOptions::default()).unwrap()
}

async fn put(sandbox: &LocalSandbox, path: &str, content: Vec<u8>) {
    let answers = sandbox.upload_files(vec![FileUpload::new(path, content)]).await.unwrap();
    assert!(answers.iter().all(|answer| answer.result.is_ok()), "{answers:?}");
    sandbox.run(&format!("chmod +x {path}")).await.unwrap();
}

/// Runs an attack until its deadline while a neighbour works: both must end.
async fn beside(
    attacker: &Arc<LocalSandbox>,
    neighbour: &LocalSandbox,
    script: &str,
    deadline: Duration,
) -> ExecuteResponse {
    let request = ExecuteRequest::new(script).timeout(deadline);
    let attack = tokio::spawn({
        let attacker = attacker.clone();
        async move { attacker.execute(request).await.unwrap() }
    });
    let mut answers = 0;
    while !attack.is_finished() {
        assert_eq!(neighbour.run("echo hi | cat").await.unwrap().stdout, "hi\n", "{script}");
        answers += 1;
    }
    assert!(answers > 0, "{script}: the neighbour never came to its turn");
    attack.await.unwrap()
}

const ALLOCATE: &str = r#"(module
    (import "wasi_snapshot_preview1" "path_open"
        (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_allocate" (func $allocate (param i32 i64 i64) (result i32)))
    (import "wasi_snapshot_preview1" "fd_filestat_set_size" (func $size (param i32 i64) (result i32)))
    (memory (export "memory") 1) (data (i32.const 0) "workspace/big")
    (func (export "_start")
        (if (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 13) (i32.const 9)
            (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 100)) (then unreachable))
        (loop $l
            (drop (call $allocate (i32.load (i32.const 100)) (i64.const 0) (i64.const 1073741824)))
            (drop (call $allocate (i32.load (i32.const 100)) (i64.const 0) (i64.const 1099511627776)))
            (drop (call $size (i32.load (i32.const 100)) (i64.const 0)))
            (br $l))))"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reserving_space_in_a_loop_stops_and_gives_way() {
    let provider = sandshell::local(LocalOptions::default()).unwrap();
    let (attacker, neighbour) = (create(&provider), create(&provider));
    put(&attacker, "/workspace/attack", wat::parse_str(ALLOCATE).unwrap()).await;
    let answer = beside(&attacker, &neighbour, "./attack", Duration::from_millis(500)).await;
    assert!(answer.timed_out, "{answer:?}");
    let after = attacker.run("rm -f big; echo still here").await.unwrap();
    assert_eq!(after.stdout, "still here\n");
}

/// Operations that copy a large file up: opening it for writing, changing its attributes, renaming and moving it.
const COPY_UP: &[&str] = &[
    "echo x >> huge",
    "exec 3<> huge; echo x >&3",
    "chmod 600 huge",
    "touch huge",
    "truncate -s 7 huge",
    "ln huge other",
    "mv huge other",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copying_a_large_file_up_stops_and_leaves_nothing() {
    let host = tempfile::tempdir().unwrap();
    let mut huge = std::fs::File::create(host.path().join("huge")).unwrap();
    let piece = vec![b'x'; 1 << 20];
    (0..1024).for_each(|_| huge.write_all(&piece).unwrap());
    let options = LocalOptions {
        workdir: "/work".to_owned(),
        ..LocalOptions::default().mount("/work", MountSource::Overlay(host.path().to_owned()))
    };
    let provider = sandshell::local(options).unwrap();
    let neighbour = create(&sandshell::local(LocalOptions::default()).unwrap());
    for script in COPY_UP {
        let attacker = create(&provider);
        let answer = beside(&attacker, &neighbour, script, Duration::from_millis(60)).await;
        assert!(answer.timed_out, "{script}: {answer:?}");
        let overlay = attacker.overlays().remove(0).overlay;
        assert!(overlay.diff().unwrap().is_empty(), "{script}");
        assert_eq!(overlay.usage().bytes, 0, "{script}");
        let after = attacker.run("stat -c %s huge; head -c 1 huge | wc -c").await.unwrap();
        assert_eq!(after.stdout, "1073741824\n1\n", "{script}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn emptying_a_large_file_copies_nothing() {
    let host = tempfile::tempdir().unwrap();
    std::fs::File::create(host.path().join("huge")).unwrap().set_len(64 << 30).unwrap();
    let options = LocalOptions::default().mount("/work", MountSource::Overlay(host.path().to_owned()));
    let sandbox = create(&sandshell::local(options).unwrap());
    let answer = sandbox.run("echo new > /work/huge; cat /work/huge").await.unwrap();
    assert_eq!((answer.stdout, answer.exit_code), ("new\n".into(), Some(0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_file_is_copied_up_whole_and_once() {
    let host = tempfile::tempdir().unwrap();
    let content: Vec<u8> = (0..5_000_000_u32).map(|number| (number % 251) as u8).collect();
    std::fs::write(host.path().join("large"), &content).unwrap();
    for seed in [None, Some(7)] {
        let mut options =
            LocalOptions::default().mount("/work", MountSource::Overlay(host.path().to_owned()));
        if let Some(seed) = seed {
            options.random = sandshell::Random::Seeded(seed);
        }
        let sandbox = create(&sandshell::local(options).unwrap());
        let script = "cd /work; for i in {1..8}; do printf $i >> large & done; wait; wc -c < large; \
            head -c 5000000 large > copy; tail -c 8 large | fold -w 1 | sort | tr -d '\\n'; mv large l2; ls";
        let answer = sandbox.run(script).await.unwrap();
        let lines: Vec<&str> = std::str::from_utf8(&answer.stdout).unwrap().lines().collect();
        assert_eq!(lines.first(), Some(&"5000008"), "{answer:?}");
        assert_eq!(lines.get(1..), Some(&["12345678copy", "l2"][..]), "{answer:?}");
        let copy = sandbox.download_files(vec!["/work/copy".to_owned()]).await.unwrap().remove(0);
        assert!(copy.result.unwrap() == content, "every byte is there");
        let overlay = sandbox.overlays().remove(0).overlay;
        assert_eq!(overlay.usage().bytes, 10_000_008);
        assert_eq!(overlay.diff().unwrap().len(), 3, "large is gone, l2 and copy are new");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_reads_and_writes_of_one_call_are_whole() {
    // One write of 40 MB, as from Python or dd, is done in pieces, in order.
    let sandbox = create(&sandshell::local(LocalOptions::default()).unwrap());
    let script = "seq 3000000 > a; dd if=a of=b bs=12M 2>/dev/null; cmp a b && echo same; \
        dd if=a bs=9M 2>/dev/null | cmp - a && echo same";
    assert_eq!(sandbox.run(script).await.unwrap().stdout, "same\nsame\n");
}

fn small_engine(places: u32) -> Engine {
    let options = EngineOptions { max_processes: places, ..EngineOptions::new(sandshell::image()) };
    Engine::new(options).unwrap()
}

const BOMB: &str = "(:(){ :|:& }; :) 2>/dev/null; while :; do :; done";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bombs_leave_room_for_a_pipeline_and_the_limit_has_its_name() {
    let provider = LocalProvider::new(small_engine(64), LocalOptions::default()).unwrap();
    let attackers: Vec<_> = (0..3).map(|_| create(&provider)).collect();
    let neighbour = create(&provider);
    let bombs: Vec<_> = attackers
        .iter()
        .map(|attacker| {
            let (attacker, request) =
                (attacker.clone(), ExecuteRequest::new(BOMB).timeout(Duration::from_secs(2)));
            tokio::spawn(async move { attacker.execute(request).await.unwrap() })
        })
        .collect();
    while bombs.iter().any(|bomb| !bomb.is_finished()) {
        let answer = neighbour.run("echo hi | cat | cat | tr a-z A-Z").await.unwrap();
        assert_eq!((answer.stdout, answer.limits), ("HI\n".into(), vec![]));
    }
    let mut named = 0;
    for bomb in bombs {
        let answer = bomb.await.unwrap();
        named += answer.limits.iter().filter(|hit| hit.kind == LimitKind::Processes).count();
        let all_explained = answer.limits.iter().all(|hit| !hit.message.is_empty());
        assert!(all_explained, "{:?}", answer.limits);
    }
    assert!(named > 0, "the limit is named");
    for attacker in attackers {
        assert_eq!(attacker.run("echo still here").await.unwrap().stdout, "still here\n");
    }
}

/// A component with the most memories that are allowed.
fn many_memories() -> Vec<u8> {
    let instances = "(core instance (instantiate $memory))".repeat(16);
    let text = format!(
        r#"(component
        (core module $memory (memory 1))
        {instances}
        (core module $main (func (export "run") (result i32) (loop $l (br $l)) (i32.const 0)))
        (core instance $main (instantiate $main))
        (func $run (result (result)) (canon lift (core func $main "run")))
        (instance $exported (export "run" (func $run)))
        (export "wasi:cli/run@0.2.0" (instance $exported)))"#
    );
    wat::parse_str(text).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn components_with_many_memories_are_charged_for_them() {
    let provider = LocalProvider::new(small_engine(64), LocalOptions::default()).unwrap();
    let (attacker, neighbour) = (create(&provider), create(&provider));
    put(&attacker, "/workspace/many", many_memories()).await;
    let script = "for i in {1..20}; do ./many & done; wait";
    let answer = beside(&attacker, &neighbour, script, Duration::from_secs(3)).await;
    assert!(answer.timed_out, "{answer:?}");
    assert!(answer.limits.iter().any(|hit| hit.kind == LimitKind::Processes), "{:?}", answer.limits);
    let text = answer.text();
    assert!(text.contains("Resource temporarily unavailable"), "{text}");
    assert!(!text.contains("Killed"), "{text}");
    assert_eq!(attacker.run("echo still here").await.unwrap().stdout, "still here\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_count_as_memory() {
    let limits = Limits { process_memory: 1 << 20, ..Limits::default() };
    let options = LocalOptions { limits, ..LocalOptions::default() };
    let sandbox = create(&sandshell::local(options).unwrap());
    // Four tables of 50,000 elements are 1.6 MB.
    let tables = "(table 50000 funcref)".repeat(4);
    let module = format!(r#"(module {tables} (memory (export "memory") 1) (func (export "_start")))"#);
    let mut command = sandshell::runtime::Command::new("", vec![b"tables".to_vec()]);
    command.program = sandshell::runtime::CommandProgram::Module(wat::parse_str(module).unwrap());
    let outcome = sandbox.kernel().spawn(command).await.unwrap().wait().await;
    assert_eq!(outcome.limit, Some(sandshell::runtime::Limit::ProcessMemory(1 << 20)));
    assert_eq!(sandbox.kernel().usage().memory, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_files_of_a_mount_have_a_budget() {
    let host = tempfile::tempdir().unwrap();
    std::fs::write(host.path().join("f"), "content").unwrap();
    let options = LocalOptions::default().mount("/work", MountSource::HostReadOnly(host.path().to_owned()));
    let provider = sandshell::local(options).unwrap();
    let (attacker, neighbour) = (create(&provider), create(&provider));
    // Each process may have 1024 descriptors; together these are more than the host allows one sandbox.
    let script = "hold() { for i in {1..1000}; do exec {fd}</work/f || break; done; : > full; sleep 100; }
        for p in {1..12}; do hold & done; wait";
    let answer = beside(&attacker, &neighbour, script, Duration::from_secs(4)).await;
    assert!(answer.text().contains("Too many open files in system"), "{}", answer.text());
    assert!(answer.limits.iter().any(|hit| hit.kind == LimitKind::OpenFiles), "{:?}", answer.limits);
    assert_eq!(neighbour.run("cat /work/f").await.unwrap().stdout, "content");
    attacker.kernel().shutdown().await;
    let next = create(&provider);
    assert_eq!(next.run("cat /work/f").await.unwrap().stdout, "content", "all were given back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mount_tells_nothing_of_the_hosts_disk() {
    use std::os::unix::fs::MetadataExt;
    let host = tempfile::tempdir().unwrap();
    std::fs::write(host.path().join("one"), "1").unwrap();
    std::fs::hard_link(host.path().join("one"), host.path().join("two")).unwrap();
    std::fs::write(host.path().join("three"), "3").unwrap();
    let own = std::fs::metadata(host.path().join("one")).unwrap();
    let options = |host_disk| {
        let options =
            LocalOptions::default().mount("/work", MountSource::HostReadWrite(host.path().to_owned()));
        LocalOptions { host_disk, ..options }
    };
    let script = "cd /work; stat -c '%i %d' one two three; ls -i";
    let first = create(&sandshell::local(options(None)).unwrap()).run(script).await.unwrap();
    let again = create(&sandshell::local(options(None)).unwrap()).run(script).await.unwrap();
    assert_eq!(first.stdout, again.stdout, "the numbers are stable");
    let text = String::from_utf8(first.stdout.to_vec()).unwrap();
    let numbers: Vec<(u64, u64)> = text
        .lines()
        .take(3)
        .map(|line| {
            let (ino, dev) = line.split_once(' ').unwrap();
            (ino.parse().unwrap(), dev.parse().unwrap())
        })
        .collect();
    assert_eq!(numbers[0], numbers[1], "links of one file");
    assert_ne!(numbers[0], numbers[2]);
    assert!(numbers.iter().all(|(ino, dev)| *ino != own.ino() && *dev != own.dev()));
    assert!(
        text.lines()
            .skip(3)
            .all(|line| numbers.iter().any(|(ino, _)| line.trim_start().starts_with(&ino.to_string())))
    );

    let limited = create(&sandshell::local(options(Some(8 << 20))).unwrap());
    let space =
        limited.run("stat -f -c '%T %s %b' /work; head -c 1M /dev/zero > /work/m; stat -f -c %f /work");
    assert_eq!(space.await.unwrap().stdout, "tmpfs 4096 2048\n1791\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writing_to_a_mount_has_a_quota() {
    let host = tempfile::tempdir().unwrap();
    let options = LocalOptions::default().mount("/work", MountSource::HostReadWrite(host.path().to_owned()));
    let options = LocalOptions { host_disk: Some(4 << 20), ..options };
    let sandbox = create(&sandshell::local(options).unwrap());
    // Removing files does not restore the budget, because the disk's work counts.
    let script =
        "cd /work; for i in 1 2 3 4 5 6; do head -c 1M /dev/zero > f && rm f || break; done; echo $i";
    let answer = sandbox.run(script).await.unwrap();
    assert_eq!(answer.stdout, "4\n", "{answer:?}");
    assert!(answer.text().contains("Disk quota exceeded"), "{}", answer.text());
    assert!(answer.limits.iter().any(|hit| hit.kind == LimitKind::Disk), "{:?}", answer.limits);
    let names = "cd /work; rm -f f; i=0; while : > n$i; do i=$((i+1)); [ $i -gt 2000 ] && break; done 2>/dev/null; echo $((i < 2000))";
    assert_eq!(sandbox.run(names).await.unwrap().stdout, "1\n", "names count too");
    let root = sandshell::vfs::HostDir::open(host.path(), sandshell::vfs::HostAccess::ReadOnly).unwrap();
    assert_eq!(root.stat_fs().unwrap().blocks_free, 0, "read-only has no room");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_directory_of_many_names_is_listed_and_given_up() {
    let host = tempfile::tempdir().unwrap();
    for number in 0..20_000 {
        std::fs::File::create(host.path().join(format!("file-{number:05}"))).unwrap();
    }
    for source in
        [MountSource::HostReadOnly(host.path().to_owned()), MountSource::Overlay(host.path().to_owned())]
    {
        let provider = sandshell::local(LocalOptions::default().mount("/work", source)).unwrap();
        let (attacker, neighbour) = (create(&provider), create(&provider));
        let answer =
            attacker.run("ls /work | sha256sum; ls /work | wc -l; ls /work | head -n 1").await.unwrap();
        assert!(answer.text().ends_with("20000\nfile-00000\n"), "{}", answer.text());
        let script = "while :; do echo /work/*1 > /dev/null; done";
        assert!(beside(&attacker, &neighbour, script, Duration::from_millis(500)).await.timed_out);
    }
}
