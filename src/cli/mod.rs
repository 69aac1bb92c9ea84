//! The command line: parses arguments, runs the command, and reports errors in one place.

mod args;
mod changes;
mod characters;
mod choice;
mod clock;
mod configuration;
mod cp;
mod duration;
mod engine;
mod exec;
mod failure;
mod host_file;
mod interrupt;
mod json;
mod kept;
mod manage;
#[cfg(feature = "mcp")]
mod mcp;
mod mount;
mod on_disk;
mod output;
mod pack;
mod pages;
mod places;
mod print;
mod progress;
mod remote;
mod run;
#[cfg(feature = "serve")]
mod serve;
mod session;
mod setup;
mod shell;
#[cfg(unix)]
mod shells;
#[cfg(not(unix))]
#[path = "shells/elsewhere.rs"]
mod shells;
mod size;
mod state;
mod status;
mod stdin;
mod terminal;
#[cfg(feature = "ui")]
mod ui;
mod variables;
mod version;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

/// Runs the program: the exit status is the command's own, or 2 with one line on standard error.
pub(crate) fn main() -> ExitCode {
    let done = match Cli::try_parse() {
        Ok(cli) => places::keep_sandboxes_in(cli.data_dir).and_then(|()| dispatch(cli.command)),
        Err(error) => failure::usage(&error),
    };
    match done {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            failure.report();
            ExitCode::from(failure::STATUS)
        }
    }
}

fn dispatch(command: Command) -> Result<u8, Failure> {
    match command {
        Command::Exec(args) => block_on(exec::exec(args)),
        Command::Shell(args) => block_on(shell::shell(args)),
        Command::Run(args) => block_on(run::run(args)),
        Command::Cp(args) if args.id.is_some() => block_on(remote::cp(args)),
        Command::Cp(args) => cp::cp(&args),
        Command::Create(args) => block_on(manage::create(args)),
        Command::List(args) => block_on(manage::list(args)),
        Command::Delete(args) => block_on(manage::delete(args)),
        Command::Snapshot(args) => block_on(manage::snapshot(args)),
        Command::Restore(args) => block_on(manage::restore(args)),
        Command::Log(args) => block_on(kept::log(args)),
        Command::Diff(args) => block_on(kept::diff(args)),
        Command::Export(args) => block_on(kept::export(args)),
        Command::Import(args) => block_on(kept::import(args)),
        Command::Gc(args) => block_on(kept::gc(args)),
        Command::Session(args) => block_on(shells::session(args)),
        Command::Fork(args) => block_on(manage::fork(args)),
        Command::Pause(args) => block_on(manage::pause(args)),
        Command::Resume(args) => block_on(manage::resume(args)),
        Command::Providers(args) => block_on(manage::providers(args)),
        Command::Doctor(args) => block_on(manage::doctor(args)),
        Command::Pack(args) => pack::pack(args.command),
        #[cfg(feature = "wrappers")]
        Command::Record(args) => block_on(remote::record(args)),
        #[cfg(feature = "wrappers")]
        Command::Replay(args) => block_on(remote::replay(args)),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => block_on(mcp::mcp(args)),
        #[cfg(feature = "serve")]
        Command::Serve(args) => block_on(serve::serve(args)),
        #[cfg(feature = "ui")]
        Command::Ui(args) => block_on(ui::ui(args)),
        Command::Completions { shell } => pages::completions(shell),
        Command::Man { command } => pages::man(command.as_deref()),
    }
}

/// Runs on at least two worker threads, so that a guest in an endless loop cannot block the task that watches its
/// deadline.
fn block_on(work: impl Future<Output = Result<u8, Failure>>) -> Result<u8, Failure> {
    let workers = std::thread::available_parallelism().map_or(2, |cpus| cpus.get().max(2));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {error}")))?;
    let done = runtime.block_on(work);
    // A thread that still waits for standard input must not delay the exit.
    runtime.shutdown_background();
    done
}
