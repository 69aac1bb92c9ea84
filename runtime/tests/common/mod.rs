//! Helpers of the tests: a sandbox in memory, and guests that consist of calls with expected results.

#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(unreachable_pub, reason = "shared by several test programs")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod guest;

use std::sync::Arc;

use sandshell_runtime::{
    Code, Command, CommandProgram, Engine, EngineOptions, ExitStatus, Kernel, KernelBuilder, Outcome,
    SystemImage, SystemProgram, command_file,
};
use sandshell_vfs::{Context, MemoryFs, MountOptions, Namespace, OpenOptions, Opened};

/// A namespace in memory with the usual directories and devices.
pub fn namespace() -> Namespace {
    let namespace = Namespace::new(Arc::new(MemoryFs::new()), MountOptions::default());
    let (root, cx) = (namespace.root(), Context::ROOT);
    for directory in ["/bin", "/dev", "/proc", "/tmp", "/workspace"] {
        namespace.create_dir(&cx, &root, directory.as_bytes(), 0o777).unwrap();
    }
    for (name, minor) in [("null", 3), ("zero", 5), ("full", 7), ("urandom", 9)] {
        namespace.make_device(&cx, &root, format!("/dev/{name}").as_bytes(), 0x100 | minor, 0o666).unwrap();
    }
    namespace.symlink(&cx, b"/proc/self/fd", &root, b"/dev/fd").unwrap();
    namespace
}

/// Puts a file into a namespace.
pub fn write(namespace: &Namespace, path: &str, bytes: &[u8], mode: u32) {
    let how = OpenOptions { mode, ..OpenOptions::WRITE };
    let opened = namespace.open(&Context::USER, &namespace.root(), path.as_bytes(), &how).unwrap();
    let Opened::File { file, .. } = opened else { panic!("{path} is not a file") };
    assert_eq!(file.write_at(bytes, 0).unwrap(), bytes.len());
}

/// Reads a file of a namespace.
pub fn read(namespace: &Namespace, path: &str) -> Vec<u8> {
    let opened =
        namespace.open(&Context::ROOT, &namespace.root(), path.as_bytes(), &OpenOptions::READ).unwrap();
    let Opened::File { file, .. } = opened else { panic!("{path} is not a file") };
    let mut bytes = vec![0; usize::try_from(file.metadata().unwrap().size).unwrap()];
    let count = file.read_at(&mut bytes, 0).unwrap();
    bytes.truncate(count);
    bytes
}

/// An engine whose image holds these programs (WAT), each also a command in `/bin`.
pub fn engine(programs: &[(&'static str, &str)]) -> Engine {
    let programs = programs
        .iter()
        .map(|(name, text)| SystemProgram { name, code: Code::Wasm(wat::parse_str(text).unwrap()) })
        .collect();
    let mut options = EngineOptions::new(SystemImage { programs, ..SystemImage::default() });
    options.max_processes = 128;
    Engine::new(options).unwrap()
}

/// A kernel under construction over [`namespace`], with a command in `/bin` for each name.
pub fn builder(engine: &Engine, commands: &[&str]) -> KernelBuilder {
    let namespace = namespace();
    for name in commands {
        write(&namespace, &format!("/bin/{name}"), &command_file(name, name), 0o755);
    }
    Kernel::builder(engine, namespace)
}

/// A kernel with nothing in its image.
pub fn kernel() -> Kernel {
    builder(&engine(&[]), &[]).build().unwrap()
}

/// A command that runs this WAT.
pub fn command(text: &str) -> Command {
    let mut command = Command::new("", vec![b"test".to_vec()]);
    command.program = CommandProgram::Module(wat::parse_str(text).unwrap());
    command.cwd = b"/workspace".to_vec();
    command
}

/// Runs WAT to its end.
pub async fn run(kernel: &Kernel, text: &str) -> Outcome {
    kernel.spawn(command(text)).await.unwrap().wait().await
}

/// Runs a guest of [`guest::Guest`] and explains which of its steps failed.
pub async fn check(kernel: &Kernel, guest: &guest::Guest) -> Outcome {
    let outcome = run(kernel, &guest.wat()).await;
    explain(guest, &outcome);
    outcome
}

/// Panics with the step that failed.
pub fn explain(guest: &guest::Guest, outcome: &Outcome) {
    match outcome.status {
        ExitStatus::Exited(0) => {}
        ExitStatus::Exited(step) => panic!("{}", guest.describe(step)),
        signaled => panic!("{signaled:?} {:?}", outcome.limit),
    }
}
