//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::Api;
use super::execute;
use crate::cloud::{CloudSandbox, Id};
use crate::{Capabilities, ExecuteRequest, ExecuteResponse, OutputSender, Result};

/// A session at AgentCore.
#[derive(Debug)]
pub struct AgentCoreSandbox {
    pub(super) api: Arc<Api>,
    pub(super) id: Id,
    pub(super) workdir: String,
}

#[async_trait]
impl CloudSandbox for AgentCoreSandbox {
    const CAPABILITIES: Capabilities = Capabilities {
        separate_streams: true,
        stdin: true,
        cwd: true,
        env: true,
        timeout: true,
        partial_output: true,
        max_output: true,
        concurrent_execute: true,
        enforces_permissions: true,
        bash: true,
        ..Capabilities::NONE
    };

    fn id(&self) -> &str {
        self.id.as_str()
    }

    async fn execute(
        &self,
        request: ExecuteRequest,
        _output: Option<OutputSender>,
    ) -> Result<ExecuteResponse> {
        execute::execute(self, request).await
    }
}
