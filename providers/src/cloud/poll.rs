//! Polls until there is an answer.

use std::time::Duration;

/// The delays between polls: short at first, so that the end of a short command is noticed soon.
pub(crate) struct Poll {
    next: Duration,
    longest: Duration,
}

impl Poll {
    pub(crate) fn new() -> Self {
        Self { next: Duration::from_millis(5), longest: Duration::from_secs(1) }
    }

    pub(crate) async fn wait(&mut self) {
        tokio::time::sleep(self.next).await;
        self.next = (self.next * 3 / 2).min(self.longest);
    }
}
