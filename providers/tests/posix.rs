//! The suite against this machine's `/bin/sh` and tools: what the default file operations rely on.
#![cfg(unix)]

mod support;

use sandshell_providers::SandboxExt;
use sandshell_providers::conformance::{self, Options};
use support::HostShell;

#[tokio::test(flavor = "multi_thread")]
async fn default_file_operations_conform() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let shell = HostShell::new(directory.path());
    let mut options = Options::default();
    options.root = shell.root();
    options.only = std::env::var("CONFORMANCE_ONLY").ok();
    let report = conformance::run(&shell, &options).await;
    println!("{report}");
    assert!(report.passed(), "{report}");
    assert!(shell.run("true").await.expect("a shell").success());
}
