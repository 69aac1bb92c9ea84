//! Runs the suite without a kernel. Commands run in this machine's `/bin/sh`, which the default file operations
//! use; the native ones work on a virtual filesystem that shows the same directory.
#![cfg(target_os = "linux")]

mod support;

use std::sync::Arc;

use sandshell_providers::PosixFileOperations;
use sandshell_providers::conformance::{self, Options};
use sandshell_vfs::Context;
use support::{HostFiles, HostShell};

#[tokio::test(flavor = "multi_thread")]
async fn default_file_operations_conform() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let shell = HostShell::new(directory.path());
    let mut options = Options::default();
    options.root = shell.root();
    options.only = std::env::var("SANDSHELL_ONLY").ok();
    let report = conformance::run(&shell, &options).await;
    assert!(report.passed(), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn native_file_operations_conform() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sandbox = HostFiles::new(directory.path(), Context::USER);
    let mut options = Options::default();
    options.root = HostShell::new(directory.path()).root();
    for group in
        ["transfer::", "write::", "read::", "edit::", "ls::", "grep::", "glob::", "delete::", "workflow::"]
    {
        options.only = Some(std::env::var("SANDSHELL_ONLY").unwrap_or(group.to_owned()));
        let report = conformance::run(&sandbox, &options).await;
        assert!(report.passed(), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_sets_of_file_operations_give_the_same_answers() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // Both sides run as root, because mode bits do not stop a shell that runs as root.
    let native = Arc::new(HostFiles::new(directory.path(), Context::ROOT));
    let mut options = Options::default();
    options.root = HostShell::new(directory.path()).root();
    let report = conformance::compare(&*native, &PosixFileOperations(native.clone()), &options).await;
    assert!(report.passed(), "{report}");
}
