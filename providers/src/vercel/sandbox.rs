//! One sandbox, and the session that it runs in.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;

use super::api::Api;
use super::{execute, files};
use crate::cloud::{CloudSandbox, Id};
use crate::{
    Capabilities, ErrorKind, ExecuteRequest, ExecuteResponse, FileUpload, FileUploadResponse, OutputSender,
    Result,
};

/// A sandbox at Vercel.
#[derive(Debug)]
pub struct VercelSandbox {
    pub(super) api: Arc<Api>,
    pub(super) workdir: Option<String>,
    name: Id,
    session: Mutex<Id>,
    /// Held by the task that resumes the session; others wait for it.
    resuming: tokio::sync::Mutex<()>,
}

impl VercelSandbox {
    pub(super) fn new(api: Arc<Api>, name: Id, session: Id, workdir: Option<String>) -> Self {
        Self { api, workdir, name, session: Mutex::new(session), resuming: tokio::sync::Mutex::default() }
    }

    /// The session that was running when it was last used.
    pub(super) fn session(&self) -> Id {
        self.session.lock().clone()
    }

    /// Makes a call to the running session. If the session has stopped, nothing was done; it is resumed and the
    /// call is made once more.
    pub(super) async fn awake<T, F>(&self, ask: impl Fn(Id) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let session = self.session();
        match ask(session.clone()).await {
            Err(error) if error.kind() == ErrorKind::SandboxEnded => {
                self.resume(&session).await?;
                ask(self.session()).await
            }
            done => done,
        }
    }

    async fn resume(&self, stopped: &Id) -> Result<()> {
        let _turn = self.resuming.lock().await;
        if *self.session.lock() == *stopped {
            let resumed = self.api.wake(&self.name).await?.session.id;
            *self.session.lock() = resumed;
        }
        Ok(())
    }
}

#[async_trait]
impl CloudSandbox for VercelSandbox {
    const CAPABILITIES: Capabilities = Capabilities {
        separate_streams: true,
        streaming: true,
        stdin: true,
        cwd: true,
        env: true,
        timeout: true,
        partial_output: true,
        max_output: true,
        background_processes: true,
        concurrent_execute: true,
        enforces_permissions: true,
        bash: true,
        sessions: false,
    };

    fn id(&self) -> &str {
        self.name.as_str()
    }

    async fn execute(
        &self,
        request: ExecuteRequest,
        output: Option<OutputSender>,
    ) -> Result<ExecuteResponse> {
        execute::execute(self, request, output).await
    }

    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        files::upload(self, files).await
    }
}
