//! The conformance suite on the local provider with the real shell: all kinds of filesystems, both sets of file
//! operations.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "the counts are shown with --nocapture")]

use sandshell::conformance::{self, Options, Outcome, Report};
use sandshell::{
    CreateOptions, Engine, LocalOptions, LocalProvider, LocalSandbox, MountSource, PosixFileOperations,
};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory() {
    every_behaviour(&Place::memory()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay() {
    let place = Place::on_the_host(MountSource::Overlay);
    every_behaviour(&place).await;
    assert_eq!(names(place.host()), ["below"], "the host's directory is as it was");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn host_directory() {
    every_behaviour(&Place::on_the_host(MountSource::HostReadWrite)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn provider() {
    for place in [Place::memory(), Place::on_the_host(MountSource::Overlay)] {
        let report = conformance::run_provider(&place.provider(), &options()).await;
        complete(&report, &["pause", "ttl"]);
    }
}

/// Runs the suite with native file operations and with those made of commands, and compares both.
async fn every_behaviour(place: &Place) {
    let native = place.sandbox();
    complete(&conformance::run(&*native, &options()).await, &[]);
    let commands = PosixFileOperations(place.sandbox());
    complete(&conformance::run(&commands, &options()).await, &[]);
    let both = PosixFileOperations(native.clone());
    complete(&conformance::compare(&*native, &both, &options()).await, &[]);
}

/// Checks that all cases passed except those that need one of these capabilities, which the local provider lacks.
fn complete(report: &Report, missing: &[&str]) {
    assert!(report.passed(), "{report}");
    println!("{report}");
    for case in &report.cases {
        if let Outcome::Skipped(reason) = &case.outcome {
            let known = missing.iter().any(|capability| *reason == format!("needs {capability}"));
            assert!(known, "{} was skipped: {reason}", case.name);
        }
    }
}

/// The filesystem that holds the suite's directory.
struct Place {
    options: LocalOptions,
    host: Option<TempDir>,
}

impl Place {
    fn memory() -> Place {
        Place { options: LocalOptions::default(), host: None }
    }

    /// A directory of the host at `/workspace`.
    fn on_the_host(source: fn(std::path::PathBuf) -> MountSource) -> Place {
        let host = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(host.path().join("below"), "of the host\n").expect("a file");
        let options = LocalOptions::default().mount("/workspace", source(host.path().to_owned()));
        Place { options, host: Some(host) }
    }

    fn host(&self) -> &Path {
        self.host.as_ref().expect("a directory of the host").path()
    }

    fn provider(&self) -> LocalProvider {
        LocalProvider::new(engine(), self.options.clone()).expect("a provider")
    }

    fn sandbox(&self) -> Arc<LocalSandbox> {
        self.provider().create(CreateOptions::default()).expect("a sandbox")
    }
}

/// The suite's directory is in `/workspace`, on whatever filesystem that is.
fn options() -> Options {
    let mut options = Options::default();
    options.root = "/workspace/conformance".to_owned();
    options.only = std::env::var("SANDSHELL_ONLY").ok();
    options
}

/// One engine for all tests, as in a program with several providers.
fn engine() -> Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| sandshell::engine(None).expect("an engine")).clone()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}
