//! Repeating.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::backoff::backoff;
use crate::calls::{Backend, BackendProvider, Call, Reply, perform};
use crate::{Error, ErrorKind, OutputSender, ProviderMetadata, Result, Retry, SandboxProvider};

/// How calls are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryOptions {
    /// How often a call is repeated at most.
    pub retries: u32,
    /// The longest wait before a repetition. Who is told to wait longer is given the error instead.
    pub longest: Duration,
}

impl Default for RetryOptions {
    fn default() -> Self {
        Self { retries: 5, longest: Duration::from_secs(60) }
    }
}

impl RetryOptions {
    /// Repeats at most so often.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Waits at most so long before a repetition.
    #[must_use]
    pub fn longest(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }
}

/// Repeats calls that failed in passing: those whose error says that nothing happened ([`Retry::Later`]), and those that
/// are the same done once or twice (reading, transfers, deletion) also when the service was unavailable or late.
///
/// `execute`, `snapshot`, `fork` and the creation of a sandbox are repeated only if the error says that nothing happened.
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
    /// The time until the next attempt, if there is to be one.
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
