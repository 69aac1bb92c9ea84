//! Waits for a new sandbox, and deletes it if it does not become ready.

use super::Http;
use crate::{ErrorKind, Result};

/// Polls `look` until it returns something, for at most the time in the options.
pub(crate) async fn wait_until_ready<T, F>(http: &Http, mut look: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
{
    let options = &http.options;
    let waiting = async {
        loop {
            if let Some(ready) = look().await? {
                return Ok(ready);
            }
            tokio::time::sleep(options.ready_interval).await;
        }
    };
    match tokio::time::timeout(options.ready_timeout, waiting).await {
        Ok(done) => done,
        Err(_) => {
            let seconds = options.ready_timeout.as_secs();
            Err(http
                .error(ErrorKind::Unavailable, format!("the sandbox was not ready after {seconds} seconds")))
        }
    }
}

/// Returns the result if the sandbox became ready. Otherwise the sandbox is deleted, because nobody else knows of
/// it and it costs money. The error says why it did not become ready, even if deleting it failed too.
pub(crate) async fn ready_or_ended<T>(
    ready: impl Future<Output = Result<T>>,
    end: impl Future<Output = Result<()>>,
) -> Result<T> {
    let ready = ready.await;
    if ready.is_err() {
        drop(end.await);
    }
    ready
}
