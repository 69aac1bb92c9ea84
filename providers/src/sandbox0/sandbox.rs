//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::Api;
use super::execute;
use crate::cloud::{CloudSandbox, Id};
use crate::{Capabilities, ExecuteRequest, ExecuteResponse, OutputSender, Result};

/// The sandbox's variable that stores the working directory.
pub(super) const WORKDIR: &str = "SANDSHELL_WORKDIR";

/// A sandbox at Sandbox0.
#[derive(Debug)]
pub struct Sandbox0Sandbox {
    pub(super) api: Arc<Api>,
    pub(super) id: Id,
    pub(super) workdir: Option<String>,
}

#[async_trait]
impl CloudSandbox for Sandbox0Sandbox {
    /// Files are read and written with the permissions of the service: `enforces_permissions` is off.
    const CAPABILITIES: Capabilities = Capabilities {
        separate_streams: true,
        stdin: true,
        cwd: true,
        env: true,
        timeout: true,
        partial_output: true,
        max_output: true,
        background_processes: true,
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
