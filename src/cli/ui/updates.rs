//! Tells the page when something has changed.

use super::Ui;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::Stream;
use sandshell::store::{Store, Watch};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How often the store is asked, while somebody looks.
const EVERY: Duration = Duration::from_millis(250);

/// Counts the changes that were noticed.
pub(super) struct Updates {
    store: Store,
    count: watch::Sender<u64>,
}

impl Updates {
    pub(super) fn new(store: Store) -> Self {
        Self { store, count: watch::Sender::new(0) }
    }

    /// Looks for changes as long as somebody listens. Never ends.
    pub(super) async fn watch(&self) {
        let mut watched: Option<Watch> = None;
        loop {
            tokio::time::sleep(EVERY).await;
            if self.count.receiver_count() == 0 {
                continue;
            }
            let (store, before) = (self.store.clone(), watched.take());
            let look = tokio::task::spawn_blocking(move || {
                let mut watch = match before {
                    Some(watch) => watch,
                    // What happened while nobody listened counts, too.
                    None => return (true, store.watch().ok()),
                };
                match watch.changed() {
                    Ok(changed) => (changed, Some(watch)),
                    // Requests say what is wrong.
                    Err(_) => (true, None),
                }
            });
            let Ok((changed, watch)) = look.await else { continue };
            watched = watch;
            if changed {
                self.count.send_modify(|count| *count += 1);
            }
        }
    }
}

/// An event for each change.
pub(super) async fn stream(State(ui): State<Arc<Ui>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let changes = futures_util::stream::unfold(ui.updates.count.subscribe(), |mut count| async move {
        // It ends with the program.
        count.changed().await.ok()?;
        let number = *count.borrow_and_update();
        Some((Ok(Event::default().data(number.to_string())), count))
    });
    Sse::new(changes).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}
