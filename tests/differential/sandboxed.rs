//! Replays a script in a sandbox of the local provider.

use crate::case::{Case, Output};
use sandshell::{
    CreateOptions, ExecuteRequest, FileUpload, LocalOptions, LocalProvider, Sandbox, SandboxProvider, pack,
};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Runtime;

/// One provider for all cases; each case gets a sandbox of its own.
#[derive(Clone)]
pub(crate) struct Host {
    runtime: Arc<Runtime>,
    provider: LocalProvider,
}

/// A sandbox that is closed when this value is dropped.
pub(crate) struct Prepared {
    host: Host,
    sandbox: Arc<dyn Sandbox>,
}

impl Host {
    pub(crate) fn new() -> Host {
        Self::with(sandshell::local)
    }

    /// As [`new`](Self::new), with the pack `python`, which is built if it was not.
    pub(crate) fn with_python() -> Host {
        static PYTHON: OnceLock<Host> = OnceLock::new();
        let host = PYTHON.get_or_init(|| {
            let home = crate::built::home();
            let packs = pack::installed(&home.join(".local/share/sandshell/packs"));
            assert!(!packs.is_empty(), "no pack in {}", home.display());
            Self::with(|options| pack::provider(options, &packs, Some(home.join(".cache/sandshell"))))
        });
        host.clone()
    }

    fn with(provider: impl FnOnce(LocalOptions) -> sandshell::Result<LocalProvider>) -> Host {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        // The environment of both sides replaces the provider's defaults, which the recording does not have.
        let options =
            crate::ENVIRONMENT.iter().fold(LocalOptions::default(), |o, (name, value)| o.env(*name, *value));
        Host {
            runtime: Arc::new(runtime.expect("a tokio runtime")),
            provider: provider(options).expect("the local provider"),
        }
    }

    /// A new sandbox in which the setup has run, unless it is empty.
    pub(crate) fn sandbox(&self, setup: &[u8]) -> Prepared {
        let sandbox = self.provider.create(CreateOptions::default()).expect("a sandbox");
        let prepared = Prepared { host: self.clone(), sandbox };
        if !setup.is_empty() {
            let request = ExecuteRequest::new("bash -s").stdin(setup.to_vec());
            let answer = prepared.execute(request);
            assert!(answer.status == 0, "setup: {}", answer.stderr.escape_ascii());
        }
        prepared
    }
}

impl Prepared {
    /// Another sandbox with the same files.
    pub(crate) fn fork(&self) -> Prepared {
        let sandbox = self.host.runtime.block_on(self.host.provider.fork(self.sandbox.id()));
        Prepared { host: self.host.clone(), sandbox: sandbox.expect("a fork") }
    }

    /// Adds the case's files to `/workspace` (mode 0644) and runs its script there as user 1000.
    pub(crate) fn run(&self, case: &Case) -> Output {
        let files = case.files.iter();
        let files: Vec<_> = files
            .map(|(path, content)| FileUpload::new(format!("/workspace/{path}"), content.clone()))
            .collect();
        if !files.is_empty() {
            let uploads = self.host.runtime.block_on(self.sandbox.upload_files(files));
            for upload in uploads.expect("an upload") {
                upload.result.unwrap_or_else(|e| panic!("{}: {e}", upload.path));
            }
        }
        let mut request =
            ExecuteRequest::new(&case.script).env("PWD", "/workspace").timeout(Duration::from_secs(30));
        // Without input, standard input is /dev/null, as in the recording.
        if !case.stdin.is_empty() {
            request = request.stdin(case.stdin.clone());
        }
        self.execute(request)
    }

    fn execute(&self, request: ExecuteRequest) -> Output {
        let answer = self.host.runtime.block_on(self.sandbox.execute(request)).expect("an answer");
        Output {
            stdout: answer.stdout.to_vec(),
            stderr: answer.stderr.to_vec(),
            status: answer.exit_code.unwrap_or(-1),
        }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let deleted = self.host.runtime.block_on(self.host.provider.delete(self.sandbox.id()));
        if !std::thread::panicking() {
            deleted.expect("the sandbox goes");
        }
    }
}
