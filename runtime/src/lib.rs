//! The wasmtime host of sandshell: processes, pipes, descriptors, WASI, limits.
//!
//! An [`Engine`] (one in a program) holds compiled code. A [`Kernel`] (one for each sandbox) runs commands over a
//! [`sandshell_vfs::Namespace`]: every process is a wasm instance of its own. A guest reaches nothing of the host
//! except what the kernel was built with.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test fails by panicking"))]

mod abi;
mod cache;
mod clock;
mod command;
mod compile;
mod engine;
mod error;
mod execution;
mod fd;
pub mod fork;
mod guest;
mod handoff;
mod image;
mod in_place;
mod io;
mod job;
mod kernel;
mod limits;
mod offload;
mod pack;
mod pausable_timer;
mod priority;
mod process;
mod procfs;
mod program;
mod random;
mod scheduler;
mod sealed;
mod share;
mod system_calls;
mod ticker;
mod wasi_p1;
mod wasi_p2;

/// The interface of the kernel for components, in WIT.
pub const KERNEL_WIT: &str = include_str!("../wit/kernel.wit");

pub use clock::{Clock, ClockSource};
pub use command::{Command, CommandProgram, Conversation, Output, Preopens, Stdin, Until};
pub use compile::{compile_pack, compiled_file};
pub use engine::{Announce, Engine, EngineOptions};
pub use error::Error;
pub use fd::sink::{Capture, Captured, InputStream, OutputKind, OutputStream};
pub use fd::tty::Terminal;
pub use image::{Code, PackedCode, SystemImage, SystemProgram};
pub use job::{Job, Outcome};
pub use kernel::{Kernel, KernelBuilder, Usage};
pub use limits::{Limit, Limits};
pub use pack::{CarriedCode, PackProgram, pack_module};
pub use process::ExitStatus;
pub use program::file::command_file;
pub use random::Random;
pub use sandshell_codegen as engine_config;
