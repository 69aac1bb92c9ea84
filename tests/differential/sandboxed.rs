//! Replaying: the script in a sandbox of the local provider.

use crate::case::{Answer, Case};
use sandshell::{
    CreateOptions, ExecuteRequest, FileUpload, LocalOptions, LocalProvider, Sandbox, SandboxProvider,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// One provider for all cases; each case gets a sandbox of its own.
#[derive(Clone)]
pub(crate) struct Host {
    runtime: Arc<Runtime>,
    provider: LocalProvider,
}

impl Host {
    pub(crate) fn new() -> Host {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        // The defaults that the recording side does not have are taken back with the environment of both sides.
        let options =
            crate::ENVIRONMENT.iter().fold(LocalOptions::default(), |o, (name, value)| o.env(*name, *value));
        Host {
            runtime: Arc::new(runtime.expect("a tokio runtime")),
            provider: sandshell::local(options).expect("the local provider"),
        }
    }

    /// Runs the case's script as user 1000 in `/workspace`, which holds the case's files, mode 0644.
    pub(crate) fn run(&self, case: &Case) -> Answer {
        self.runtime.block_on(async {
            let sandbox = self.provider.create(CreateOptions::default()).expect("a sandbox");
            let files = case.files.iter();
            let files =
                files.map(|(path, content)| FileUpload::new(format!("/workspace/{path}"), content.clone()));
            for upload in sandbox.upload_files(files.collect()).await.expect("an upload") {
                upload.result.unwrap_or_else(|e| panic!("{}: {e}", upload.path));
            }
            let request = ExecuteRequest::new(&case.script)
                .env("PWD", "/workspace")
                .stdin(case.stdin.clone())
                .timeout(Duration::from_secs(30));
            let answer = sandbox.execute(request).await.expect("an answer");
            self.provider.delete(sandbox.id()).await.expect("the sandbox goes");
            Answer {
                stdout: answer.stdout.to_vec(),
                stderr: answer.stderr.to_vec(),
                status: answer.exit_code.unwrap_or(-1),
            }
        })
    }
}
