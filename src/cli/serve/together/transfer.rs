//! Files on their way to another server or from it. Room is held for them, and others wait for that.

use bytes::Bytes;
use sandshell::{Error, ErrorKind, FileError, Result};
use std::pin::pin;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

/// How long files may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Even if they are short.
    least: Duration,
    /// More for each of these many bytes.
    second: usize,
}

impl Pace {
    pub(super) const fn new(least: Duration, second: usize) -> Self {
        Self { least, second }
    }

    fn time(self, bytes: usize) -> Duration {
        let seconds = bytes.checked_div(self.second).unwrap_or_default();
        self.least + Duration::from_secs(seconds as u64)
    }

    /// What is done with so many bytes, or an error if that takes too long.
    pub(super) async fn within<T>(self, bytes: usize, work: impl Future<Output = Result<T>>) -> Result<T> {
        timeout(self.time(bytes), work).await.unwrap_or_else(|_| Err(timed_out()))
    }

    /// A file that comes in pieces while `work` goes on, as a whole of at most `longest` bytes.
    pub(super) async fn whole(
        self,
        work: impl Future<Output = Result<std::result::Result<(), FileError>>>,
        mut pieces: mpsc::Receiver<Bytes>,
        longest: usize,
    ) -> Result<std::result::Result<Bytes, FileError>> {
        let begun = Instant::now();
        let (mut work, mut whole, mut done) = (pin!(work), Vec::new(), None);
        loop {
            tokio::select! {
                piece = pieces.recv() => {
                    let Some(piece) = piece else { break };
                    if whole.len() + piece.len() > longest {
                        let why = format!("the file has more than {longest} bytes");
                        return Ok(Err(FileError::Other(why)));
                    }
                    whole.extend_from_slice(&piece);
                }
                result = &mut work, if done.is_none() => done = Some(result?),
                () = sleep_until(begun + self.time(whole.len())) => return Err(timed_out()),
            }
        }
        let done = match done {
            Some(done) => done,
            None => timeout_at(begun + self.time(whole.len()), work).await.map_err(|_| timed_out())??,
        };
        Ok(done.map(|()| whole.into()))
    }
}

fn timed_out() -> Error {
    Error::new(ErrorKind::DeadlineExceeded, "a file takes too long on its way to another server or from it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;

    const PACE: Pace = Pace::new(Duration::from_millis(200), 1 << 20);

    #[tokio::test]
    async fn files_that_are_not_moved_are_given_up() {
        let late = PACE.within(100, pending::<Result<()>>()).await.expect_err("it is given up");
        assert_eq!(late.kind(), ErrorKind::DeadlineExceeded);
        // Something comes now and then, but far too little.
        let (sender, pieces) = mpsc::channel(1);
        let dripping = async move {
            while sender.send(Bytes::from_static(b"x")).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            pending().await
        };
        let late = PACE.whole(dripping, pieces, 1 << 30).await.expect_err("it is given up");
        assert_eq!(late.kind(), ErrorKind::DeadlineExceeded);
    }

    #[tokio::test]
    async fn a_file_comes_as_a_whole() {
        let sent = |count: usize| {
            let (sender, pieces) = mpsc::channel(1);
            let work = async move {
                for _ in 0..count {
                    drop(sender.send(Bytes::from_static(b"abc")).await);
                }
                Ok(Ok(()))
            };
            PACE.whole(work, pieces, 9)
        };
        assert_eq!(sent(0).await.ok(), Some(Ok(Bytes::new())));
        assert_eq!(sent(3).await.ok(), Some(Ok(Bytes::from_static(b"abcabcabc"))));
        assert!(matches!(sent(4).await, Ok(Err(FileError::Other(_)))));
        let (_sender, pieces) = mpsc::channel(1);
        let missing = PACE.whole(async { Ok(Err(FileError::FileNotFound)) }, pieces, 9);
        drop(_sender);
        assert_eq!(missing.await.ok(), Some(Err(FileError::FileNotFound)));
    }
}
