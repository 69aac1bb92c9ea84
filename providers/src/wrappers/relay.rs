//! Watches a transfer that goes through in pieces.

use tokio::sync::mpsc::{Receiver, Sender};

/// Passes pieces on and shows each to `see`, until there are no more or the receiver is gone. No piece is taken before
/// there is room for it.
pub(super) async fn relay<T>(from: &mut Receiver<T>, to: Sender<T>, mut see: impl FnMut(&T)) {
    while let Ok(room) = to.reserve().await {
        let piece = tokio::select! {
            piece = from.recv() => piece,
            () = to.closed() => None,
        };
        let Some(piece) = piece else { return };
        see(&piece);
        room.send(piece);
    }
}
