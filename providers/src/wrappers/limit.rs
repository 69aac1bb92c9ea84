//! Fewer calls at a time, and in a second.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;

use crate::calls::{Backend, BackendProvider, Call, Reply, perform};
use crate::{Error, ErrorKind, OutputSender, ProviderMetadata, Result, SandboxProvider};

/// How much is allowed. The default is everything.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LimitOptions {
    /// Calls that are under way at one time, those of all sandboxes together.
    pub concurrency: Option<NonZeroU32>,
    /// Calls that begin in a second.
    pub per_second: Option<NonZeroU32>,
}

impl LimitOptions {
    /// At most so many calls at a time.
    #[must_use]
    pub fn concurrency(mut self, calls: NonZeroU32) -> Self {
        self.concurrency = Some(calls);
        self
    }

    /// At most so many calls in a second.
    #[must_use]
    pub fn per_second(mut self, calls: NonZeroU32) -> Self {
        self.per_second = Some(calls);
        self
    }
}

/// Lets calls wait, in the order in which they came, until there is room for them.
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
    /// No two calls overlap.
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
        let _place = match &self.places {
            None => None,
            Some(places) => Some(places.acquire().await.map_err(|error| {
                Error::new(ErrorKind::Unexpected, "the limit is gone").with_source(error)
            })?),
        };
        if let Some(pace) = &self.pace {
            pace.wait().await;
        }
        let mut answer = perform(&*self.provider, call, output).await?;
        if let Reply::Sandbox(handle) = &mut answer {
            handle.capabilities.concurrent_execute &= !self.alone;
        }
        Ok(answer)
    }
}

impl Pace {
    /// Calls are spread evenly. The lock is kept while waiting, so that nobody is overtaken.
    async fn wait(&self) {
        let mut next = self.next.lock().await;
        tokio::time::sleep_until(*next).await;
        *next = Instant::now() + self.interval;
    }
}
