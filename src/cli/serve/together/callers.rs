//! Who has called and has not said yet who it is. There are a limited number of them.

use std::collections::VecDeque;
use std::convert::Infallible;
use tokio::sync::oneshot;

/// The most connections whose greeting is not over.
const MOST: usize = 64;

/// Greetings that are not over, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Callers(VecDeque<oneshot::Sender<Infallible>>);

/// How long one greeting is waited for.
#[derive(Debug)]
pub(super) struct Patience(oneshot::Receiver<Infallible>);

impl Callers {
    /// One more. If there are too many, the oldest is given up: a server greets at once, so that whoever is still at it
    /// when [`MOST`] others have called is a stranger, and strangers that say nothing keep no server out.
    pub(super) fn next(&mut self) -> Patience {
        self.0.retain(|other| !other.is_closed());
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        let (waiting, patience) = oneshot::channel();
        self.0.push_back(waiting);
        Patience(patience)
    }
}

impl Patience {
    /// What the greeting says; `None` if it is given up.
    pub(super) async fn with<T>(self, greeting: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            said = greeting => Some(said),
            _ = self.0 => None,
        }
    }
}
