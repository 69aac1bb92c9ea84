//! The same program as a WASI preview 1 module and as a WASI 0.2 component.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;
use std::process::Command as HostCommand;
use std::time::Duration;

use sandshell_runtime::{Command, CommandProgram, ExitStatus, Kernel, Outcome, Stdin};
use wasi_preview1_component_adapter_provider as adapter;

/// Compiles a guest of `tests/guests`.
fn build(name: &str, directory: &Path) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guests").join(format!("{name}.rs"));
    let wasm = directory.join(format!("{name}.wasm"));
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = HostCommand::new(rustc)
        .args(["--edition=2024", "--target=wasm32-wasip1", "-O", "-o"])
        .args([&wasm, &source])
        .status()
        .unwrap();
    assert!(status.success(), "the guest {name} does not compile");
    std::fs::read(wasm).unwrap()
}

fn component(module: &[u8]) -> Vec<u8> {
    let encoder = wit_component::ComponentEncoder::default().module(module).unwrap();
    let name = adapter::WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME;
    let mut encoder = encoder.adapter(name, adapter::WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER).unwrap();
    encoder.encode().unwrap()
}

async fn probe(kernel: &Kernel, wasm: Vec<u8>) -> Outcome {
    let mut command = Command::new("", vec![b"probe".to_vec(), b"one".to_vec(), "zwei \u{1F600}".into()]);
    command.program = CommandProgram::Module(wasm);
    command.env = vec![(b"NAME".to_vec(), b"value=1".to_vec())];
    command.cwd = b"/workspace".to_vec();
    command.stdin = Stdin::Bytes("input\n".into());
    kernel.spawn(command).await.unwrap().wait().await
}

const EXPECTED: &str = r#"args ["one", "zwei 😀"]
env [("NAME", "value=1")]
stdin "input\n"
read "first\nsecond\n"
edited "fiXXt\nse" 8
names ["b", "c"]
missing Some(NotFound)
directory Some(Some(55))
relative "here I am"
escape true
clock true
slept true
random true
"#;

fn check(outcome: &Outcome, code: u8) {
    assert_eq!(String::from_utf8_lossy(&outcome.stdout), EXPECTED);
    assert_eq!(String::from_utf8_lossy(&outcome.stderr), "to stderr\n");
    assert_eq!(outcome.status, ExitStatus::Exited(code));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_behaves_alike_as_module_and_as_component() {
    let directory = tempfile::tempdir().unwrap();
    let module = build("probe", directory.path());
    let kernel = common::kernel();
    common::write(kernel.namespace(), "/workspace/here", b"here I am", 0o644);
    check(&probe(&kernel, module.clone()).await, 7);
    // The adapter's version of WASI 0.2 has no exit codes, only success and failure.
    check(&probe(&kernel, component(&module)).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_in_the_filesystem_is_a_command_with_pipes_limits_and_deadlines() {
    let directory = tempfile::tempdir().unwrap();
    let wasm = component(&build("stream", directory.path()));
    let kernel = common::kernel();
    common::write(kernel.namespace(), "/bin/stream", &wasm, 0o755);
    let run = |mode: &str, stdin: Stdin, timeout: Option<Duration>| {
        let mut command = Command::new("/bin/stream", vec![b"stream".to_vec(), mode.into()]);
        command.stdin = stdin;
        command.timeout = timeout;
        let kernel = kernel.clone();
        async move { kernel.spawn(command).await.unwrap().wait().await }
    };

    // More than a pipe holds, in both directions.
    let text = "0123456789abcdef".repeat(50_000);
    let copied = run("copy", Stdin::Bytes(text.clone().into()), None).await;
    assert_eq!((copied.status, copied.stdout.len()), (ExitStatus::Exited(0), text.len()));
    assert!(copied.stdout == text.as_bytes());

    let spun = run("spin", Stdin::Empty, Some(Duration::from_millis(50))).await;
    assert!(spun.timed_out);
    let slept = run("sleep", Stdin::Empty, Some(Duration::from_millis(50))).await;
    assert!(slept.timed_out);
    let crashed = run("crash", Stdin::Empty, None).await;
    assert_eq!(crashed.status, ExitStatus::Signaled(6));
    let failed = run("fail", Stdin::Empty, None).await;
    assert_eq!(failed.status, ExitStatus::Exited(1));

    // A waiting process executes no instructions.
    let limits = sandshell_runtime::Limits { fuel: Some(1 << 40), ..sandshell_runtime::Limits::default() };
    let metered = common::builder(&common::engine(&[]), &[]).limits(limits).build().unwrap();
    // Compile it first without a timeout, because compilation would count.
    let mut command = Command::new("", vec![b"stream".to_vec(), b"fail".to_vec()]);
    command.program = CommandProgram::Module(wasm.clone());
    drop(metered.spawn(command).await.unwrap().wait().await);
    let mut command = Command::new("", vec![b"stream".to_vec(), b"sleep".to_vec()]);
    command.program = CommandProgram::Module(wasm);
    command.timeout = Some(Duration::from_millis(50));
    let slept = metered.spawn(command).await.unwrap().wait().await;
    assert!(slept.timed_out);
    assert!(slept.fuel.is_some_and(|fuel| fuel < 400_000), "{:?}", slept.fuel);
}
