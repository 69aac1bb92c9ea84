//! A guest that calls any host functions with any arguments and any memory cannot harm the host.

#![no_main]

#[path = "../../runtime/tests/common/guest.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
mod guest;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use arbitrary::Arbitrary;
use guest::{Arg, FUNCTIONS, Guest};
use sandshell_runtime::{Command, CommandProgram, Engine, EngineOptions, Kernel, Limits, SystemImage};
use sandshell_vfs::{MemoryFs, MountOptions, Namespace};

#[derive(Arbitrary, Debug)]
struct Input {
    memory: Vec<u8>,
    calls: Vec<(u8, [Value; 9])>,
}

/// Mostly small numbers and addresses: large ones are refused at once, so they test little code.
#[derive(Arbitrary, Debug)]
enum Value {
    Small(u8),
    Address(u16),
    Wild(i64),
}

impl Value {
    fn number(&self) -> i64 {
        match self {
            Value::Small(n) => i64::from(*n % 16),
            Value::Address(n) => i64::from(*n),
            Value::Wild(n) => *n,
        }
    }
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut options = EngineOptions::new(SystemImage::default());
    options.max_processes = 64;
    Engine::new(options).expect("an engine")
});

libfuzzer_sys::fuzz_target!(|input: Input| {
    let mut guest = Guest::new();
    guest.bytes(64, &input.memory[..input.memory.len().min(4096)]);
    for (function, values) in input.calls.iter().take(64) {
        let (_, name, parameters, _) = FUNCTIONS[usize::from(*function) % FUNCTIONS.len()];
        let arguments: Vec<Arg> = parameters
            .chars()
            .zip(values)
            .map(|(kind, value)| match kind {
                'i' => Arg::I(value.number() as i32),
                _ => Arg::L(value.number()),
            })
            .collect();
        guest.ignore(name, &arguments);
    }
    let wasm = wat::parse_str(guest.wat()).expect("the module is well-formed");

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let namespace = Namespace::new(Arc::new(MemoryFs::new()), MountOptions::default());
        let limits = Limits { processes: 8, ..Limits::default() };
        let kernel = Kernel::builder(&ENGINE, namespace).limits(limits).build().expect("a kernel");
        let mut command = Command::new("", vec![b"fuzz".to_vec()]);
        command.program = CommandProgram::Module(wasm);
        command.timeout = Some(Duration::from_millis(200));
        if let Ok(job) = kernel.spawn(command).await {
            job.wait().await;
        }
        kernel.shutdown().await;
    });
});
