//! Retries calls.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::mpsc;

use super::relay::relay;
use crate::backoff::backoff;
use crate::calls::{Backend, BackendProvider, Call, Handle, Reply, perform};
use crate::{
    Error, ErrorKind, FileError, FileSink, FileSource, OutputSender, ProviderMetadata, Result, Retry,
    SandboxProvider,
};

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
        let mut attempts = 0..self.options.retries;
        loop {
            match perform(&*self.provider, call.clone(), output.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(error) => self.pause(&mut attempts, call.is_repeatable(), error).await?,
            }
        }
    }

    /// A piece that was passed on is gone, so the call is repeated only as long as the first one may still be wanted.
    async fn upload_from(
        &self,
        handle: &Handle,
        path: &str,
        mut content: FileSource,
    ) -> Result<Result<(), FileError>> {
        let (mut first, mut taken) = (None, 0_usize);
        let mut attempts = 0..self.options.retries;
        loop {
            let (sender, receiver) = mpsc::channel(1);
            if let Some(first) = &first {
                drop(sender.try_send(Ok(Bytes::clone(first))));
            }
            let note = |piece: &std::io::Result<Bytes>| {
                taken += 1;
                first = piece.as_ref().ok().filter(|_| taken == 1).cloned();
            };
            let pieces = relay(&mut content, sender, note);
            match tokio::join!(handle.wrapped()?.upload_from(path, receiver), pieces).0 {
                Err(error) if taken == 0 || first.is_some() => self.pause(&mut attempts, true, error).await?,
                answer => return answer,
            }
        }
    }

    /// The call is repeated only as long as nothing has arrived.
    async fn download_to(
        &self,
        handle: &Handle,
        path: &str,
        content: FileSink,
    ) -> Result<Result<(), FileError>> {
        let mut arrived = false;
        let mut attempts = 0..self.options.retries;
        loop {
            let (sender, mut receiver) = mpsc::channel(1);
            let pieces = relay(&mut receiver, content.clone(), |_| arrived = true);
            match tokio::join!(handle.wrapped()?.download_to(path, sender), pieces).0 {
                Err(error) if !arrived => self.pause(&mut attempts, true, error).await?,
                answer => return answer,
            }
        }
    }
}

impl Retrying {
    /// Waits before the next attempt. `Err` if there is none.
    async fn pause(&self, attempts: &mut Range<u32>, repeatable: bool, error: Error) -> Result<()> {
        let Some(attempt) = attempts.next() else { return Err(error) };
        let passing = matches!(
            error.kind(),
            ErrorKind::Unavailable | ErrorKind::DeadlineExceeded | ErrorKind::RateLimited
        );
        let wait = match error.retry() {
            Retry::Later(delay) => delay.unwrap_or_else(|| backoff(attempt)),
            Retry::Never if passing && repeatable => backoff(attempt),
            Retry::Never => return Err(error),
        };
        if wait > self.options.longest {
            return Err(error);
        }
        tokio::time::sleep(wait).await;
        Ok(())
    }
}
