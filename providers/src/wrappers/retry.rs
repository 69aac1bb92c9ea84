//! Retries calls.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::backoff::backoff;
use crate::calls::{Backend, BackendProvider, Call, Reply, perform};
use crate::{Error, ErrorKind, OutputSender, ProviderMetadata, Result, Retry, SandboxProvider};

/// How calls are retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryOptions {
    /// The most retries of a call.
    pub retries: u32,
    /// The longest wait before a retry. If the service asks to wait longer, the error is returned instead.
    pub longest: Duration,
}

impl Default for RetryOptions {
    fn default() -> Self {
        Self { retries: 5, longest: Duration::from_secs(60) }
    }
}

impl RetryOptions {
    /// Sets the most retries of a call.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Sets the longest wait before a retry.
    #[must_use]
    pub fn longest(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }
}

/// Retries calls that failed temporarily. All calls are retried if the error says that they had no effect
/// ([`Retry::Later`]). Idempotent calls (reading, transfers, deletion) are also retried if the service was
/// unavailable or late.
///
/// `execute`, `snapshot`, `fork` and creating a sandbox are not idempotent.
pub fn retry(provider: Arc<dyn SandboxProvider>, options: RetryOptions) -> Arc<dyn SandboxProvider> {
    Arc::new(BackendProvider::new(Retrying { provider, options }))
}

#[derive(Debug)]
struct Retrying {
    provider: Arc<dyn SandboxProvider>,
    options: RetryOptions,
}

#[async_trait]
impl Backend for Retrying {
    fn metadata(&self) -> ProviderMetadata {
        self.provider.metadata()
    }

    async fn call(&self, call: Call, output: Option<OutputSender>) -> Result<Reply> {
        let mut attempt = 0;
        loop {
            let error = match perform(&*self.provider, call.clone(), output.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let wait = self.wait(&call, &error, attempt);
            let Some(wait) = wait.filter(|wait| *wait <= self.options.longest) else { return Err(error) };
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }
}

impl Retrying {
    /// The time until the next attempt; `None` if there is none.
    fn wait(&self, call: &Call, error: &Error, attempt: u32) -> Option<Duration> {
        if attempt >= self.options.retries {
            return None;
        }
        let passing = matches!(
            error.kind(),
            ErrorKind::Unavailable | ErrorKind::DeadlineExceeded | ErrorKind::RateLimited
        );
        match error.retry() {
            Retry::Later(Some(delay)) => Some(delay),
            Retry::Later(None) => Some(backoff(attempt)),
            Retry::Never if passing && call.is_repeatable() => Some(backoff(attempt)),
            Retry::Never => None,
        }
    }
}
