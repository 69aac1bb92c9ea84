//! Waiting for a sandbox that was just created, which is ended if it cannot be used.

use super::Http;
use crate::{ErrorKind, Result};

/// Looks again and again until `look` has something, for as long as the options say.
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

/// What became ready. If it did not, the sandbox is ended, since nobody else knows of it and somebody pays for it; the error
/// is why it could not be made ready, also where it cannot be ended either.
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
