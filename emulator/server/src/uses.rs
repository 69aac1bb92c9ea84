//! Whether a connection is of use.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

/// How many requests of a connection are being answered.
#[derive(Debug)]
pub(super) struct Uses(watch::Sender<usize>);

/// A request, until its answer was sent.
#[derive(Debug)]
pub(super) struct Use(Option<watch::Sender<usize>>);

impl Uses {
    pub(super) fn one(&self) -> Use {
        self.0.send_modify(|count| *count += 1);
        Use(Some(self.0.clone()))
    }

    /// Ends when there has been no request for that time.
    pub(super) async fn none_for(&self, time: Duration) {
        let mut uses = self.0.subscribe();
        loop {
            // It cannot fail, as the sender is here.
            drop(uses.wait_for(|count| *count == 0).await);
            tokio::select! {
                _ = uses.changed() => {}
                () = sleep(time) => return,
            }
        }
    }
}

impl Default for Uses {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl Use {
    /// It has become a stream of its own, which ends with the connection.
    pub(super) fn stays(mut self) {
        self.0 = None;
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        if let Some(count) = &self.0 {
            count.send_modify(|count| *count = count.saturating_sub(1));
        }
    }
}
