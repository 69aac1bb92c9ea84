//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::DataPlane;
use super::execute;
use crate::cloud::CloudSandbox;
use crate::{Capabilities, ExecuteRequest, ExecuteResponse, OutputSender, Result};

/// A sandbox at LangSmith.
#[derive(Debug)]
pub struct LangSmithSandbox {
    pub(super) data: Arc<DataPlane>,
    pub(super) workdir: Option<String>,
}

#[async_trait]
impl CloudSandbox for LangSmithSandbox {
    /// Files are read and written with the permissions of the service: `enforces_permissions` is off.
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
        bash: true,
        ..Capabilities::NONE
    };

    fn id(&self) -> &str {
        self.data.id.as_str()
    }

    async fn execute(
        &self,
        request: ExecuteRequest,
        output: Option<OutputSender>,
    ) -> Result<ExecuteResponse> {
        execute::execute(self, request, output).await
    }
}
