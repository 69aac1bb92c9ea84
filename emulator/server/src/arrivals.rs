//! Where connections come from.

use std::future::{Future, pending};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// Where connections come from: a listener, or a channel of those that were accepted elsewhere.
pub trait Arrivals: Send {
    /// The next connection. There is always one more to wait for.
    fn next(&mut self) -> impl Future<Output = TcpStream> + Send;
}

impl Arrivals for TcpListener {
    /// If accepting fails, for example because the process has no descriptors left, it is tried again.
    async fn next(&mut self) -> TcpStream {
        axum::serve::Listener::accept(self).await.0
    }
}

impl Arrivals for mpsc::Receiver<TcpStream> {
    async fn next(&mut self) -> TcpStream {
        match self.recv().await {
            Some(connection) => connection,
            None => pending().await,
        }
    }
}
