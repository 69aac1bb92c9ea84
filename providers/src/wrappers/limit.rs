//! Limits concurrent calls and calls per second.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::time::Instant;

use crate::calls::{Backend, BackendProvider, Call, Handle, Reply, perform};
use crate::{
    Error, ErrorKind, FileError, FileSink, FileSource, OutputSender, ProviderMetadata, Result,
    SandboxProvider,
};

/// The limits. The default is no limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LimitOptions {
    /// The most calls at the same time, over all sandboxes; `None`: no limit.
    pub concurrency: Option<NonZeroU32>,
    /// The most calls that begin in a second; `None`: no limit.
    pub per_second: Option<NonZeroU32>,
}

impl LimitOptions {
    /// Allows at most this many calls at a time.
    #[must_use]
    pub fn concurrency(mut self, calls: NonZeroU32) -> Self {
        self.concurrency = Some(calls);
        self
    }

    /// Allows at most this many calls in a second.
    #[must_use]
    pub fn per_second(mut self, calls: NonZeroU32) -> Self {
        self.per_second = Some(calls);
        self
    }
}

/// Makes calls wait, in their order of arrival, until the limits allow them.
pub fn limit(provider: Arc<dyn SandboxProvider>, options: LimitOptions) -> Arc<dyn SandboxProvider> {
    let places = options.concurrency.map(|calls| Semaphore::new(calls.get() as usize));
    let pace = options.per_second.map(|calls| Pace {
        interval: Duration::from_secs(1) / calls.get(),
        next: Mutex::new(Instant::now()),
    });
    let alone = options.concurrency.is_some_and(|calls| calls.get() == 1);
    Arc::new(BackendProvider::new(Limited { provider, places, pace, alone }))
}

#[derive(Debug)]
struct Limited {
    provider: Arc<dyn SandboxProvider>,
    places: Option<Semaphore>,
    pace: Option<Pace>,
    /// Whether only one call is allowed at a time.
    alone: bool,
}

#[derive(Debug)]
struct Pace {
    interval: Duration,
    next: Mutex<Instant>,
}

#[async_trait]
impl Backend for Limited {
    fn metadata(&self) -> ProviderMetadata {
        self.provider.metadata()
    }

    async fn call(&self, call: Call, output: Option<OutputSender>) -> Result<Reply> {
        let _turn = self.turn().await?;
        let mut answer = perform(&*self.provider, call, output).await?;
        if let Reply::Sandbox(handle) = &mut answer {
            handle.capabilities.concurrent_execute &= !self.alone;
        }
        Ok(answer)
    }

    async fn upload_from(
        &self,
        handle: &Handle,
        path: &str,
        content: FileSource,
    ) -> Result<Result<(), FileError>> {
        let _turn = self.turn().await?;
        handle.wrapped()?.upload_from(path, content).await
    }

    async fn download_to(
        &self,
        handle: &Handle,
        path: &str,
        content: FileSink,
    ) -> Result<Result<(), FileError>> {
        let _turn = self.turn().await?;
        handle.wrapped()?.download_to(path, content).await
    }
}

impl Limited {
    /// Waits until a call may begin. It counts as long as the permit is held.
    async fn turn(&self) -> Result<Option<SemaphorePermit<'_>>> {
        let place = match &self.places {
            None => None,
            Some(places) => Some(places.acquire().await.map_err(|error| {
                Error::new(ErrorKind::Unexpected, "the limit is gone").with_source(error)
            })?),
        };
        if let Some(pace) = &self.pace {
            pace.wait().await;
        }
        Ok(place)
    }
}

impl Pace {
    /// Spreads calls evenly over time. The lock is held while waiting, so that calls keep their order.
    async fn wait(&self) {
        let mut next = self.next.lock().await;
        tokio::time::sleep_until(*next).await;
        *next = Instant::now() + self.interval;
    }
}
