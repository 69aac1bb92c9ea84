//! Waiting for a sandbox that was just created.

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
