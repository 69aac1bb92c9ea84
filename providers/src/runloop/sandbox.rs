//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::Api;
use super::execute;
use crate::cloud::{CloudSandbox, Id};
use crate::{Capabilities, ExecuteRequest, ExecuteResponse, OutputSender, Result};

/// A devbox at Runloop.
#[derive(Debug)]
pub struct RunloopSandbox {
    pub(super) api: Arc<Api>,
    pub(super) id: Id,
    pub(super) workdir: Option<String>,
}

#[async_trait]
impl CloudSandbox for RunloopSandbox {
    /// Files are read and written with the permissions of the service: `enforces_permissions` is off.
    const CAPABILITIES: Capabilities = Capabilities {
        separate_streams: true,
        stdin: true,
        cwd: true,
        env: true,
        timeout: true,
        partial_output: true,
        max_output: true,
        concurrent_execute: true,
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
