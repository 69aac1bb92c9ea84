//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::Toolbox;
use super::execute;
use crate::cloud::CloudSandbox;
use crate::{Capabilities, ExecuteRequest, ExecuteResponse, OutputSender, Result};

/// A sandbox at Daytona.
#[derive(Debug)]
pub struct DaytonaSandbox {
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) workdir: Option<String>,
}

#[async_trait]
impl CloudSandbox for DaytonaSandbox {
    /// Files are read and written with the permissions of the toolbox: `enforces_permissions` is off.
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
        self.toolbox.id.as_str()
    }

    async fn execute(
        &self,
        request: ExecuteRequest,
        _output: Option<OutputSender>,
    ) -> Result<ExecuteResponse> {
        execute::execute(self, request).await
    }
}
