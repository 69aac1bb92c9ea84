//! One sandbox.

use std::sync::Arc;

use async_trait::async_trait;

use super::api::Envd;
use super::execute;
use crate::cloud::CloudSandbox;
use crate::{Capabilities, ExecuteRequest, ExecuteResponse, OutputSender, Result};

/// A sandbox at E2B.
#[derive(Debug)]
pub struct E2bSandbox {
    pub(super) envd: Arc<Envd>,
    pub(super) workdir: Option<String>,
}

#[async_trait]
impl CloudSandbox for E2bSandbox {
    /// Files are read and written with the permissions of `envd`, which is root: `enforces_permissions` is off.
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
        self.envd.id.as_str()
    }

    async fn execute(
        &self,
        request: ExecuteRequest,
        output: Option<OutputSender>,
    ) -> Result<ExecuteResponse> {
        execute::execute(&self.envd, self.workdir.as_deref(), request, output).await
    }
}
