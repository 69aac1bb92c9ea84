//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::Api;
use super::execute;
use super::rpc::Rpc;
use super::socket::connect;
use crate::cloud::{CloudSandbox, Id};
use crate::{Capabilities, ExecuteRequest, ExecuteResponse, OutputSender, Result};

/// A sandbox at Deno.
#[derive(Debug)]
pub struct DenoSandbox {
    pub(super) api: Arc<Api>,
    pub(super) id: Id,
    pub(super) workdir: Option<String>,
    rpc: Arc<tokio::sync::Mutex<Arc<Rpc>>>,
}

impl DenoSandbox {
    pub(super) fn new(api: Arc<Api>, id: Id, rpc: Arc<Rpc>) -> Self {
        Self { api, id, workdir: None, rpc: Arc::new(tokio::sync::Mutex::new(rpc)) }
    }

    /// Another handle on the same sandbox and socket, for work that nobody waits for.
    pub(super) fn another(&self) -> Self {
        let Self { api, id, workdir, rpc } = self;
        Self { api: api.clone(), id: id.clone(), workdir: workdir.clone(), rpc: rpc.clone() }
    }

    /// The connection, which is opened again if it was closed.
    pub(super) async fn rpc(&self) -> Result<Arc<Rpc>> {
        let mut rpc = self.rpc.lock().await;
        if rpc.is_closed() {
            *rpc = Arc::new(Rpc::new(self.api.clone(), connect(&self.api, &self.id).await?));
        }
        Ok(rpc.clone())
    }
}

#[async_trait]
impl CloudSandbox for DenoSandbox {
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
        self.id.as_str()
    }

    async fn execute(
        &self,
        request: ExecuteRequest,
        output: Option<OutputSender>,
    ) -> Result<ExecuteResponse> {
        execute::execute(self, request, output).await
    }
}
