//! Collects a command's standard output and error, separately and interleaved, within a limit.

use std::task::{Context, Poll};

use parking_lot::Mutex;

use crate::error::{Errno, Result};

/// One of a command's two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Receives output while a command runs.
pub trait OutputStream: Send + Sync {
    /// Takes all of `bytes`, or returns `Pending` and wakes `cx` when it can take more. `Ready(false)`: the output has
    /// no reader any more, and the writer gets SIGPIPE and EPIPE.
    fn poll_write(&self, cx: &mut Context<'_>, kind: OutputKind, bytes: &[u8]) -> Poll<bool>;
}

impl<F: Fn(OutputKind, &[u8]) + Send + Sync> OutputStream for F {
    fn poll_write(&self, _: &mut Context<'_>, kind: OutputKind, bytes: &[u8]) -> Poll<bool> {
        self(kind, bytes);
        Poll::Ready(true)
    }
}

/// A source of standard input that is read on demand.
pub trait InputStream: Send + Sync {
    /// Reads into `buf` and returns the number of bytes, 0 at the end. If there is no input yet, returns `Pending` and
    /// wakes `cx` when there is some. Called only when a process reads, so that nothing is taken from the source that
    /// the command does not ask for.
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<std::io::Result<usize>>;
    /// Whether [`poll_read`](Self::poll_read) would return at once; wakes `cx` otherwise.
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<()>;
    /// Whether it appears as a character device, such as the host's terminal; otherwise it appears as a pipe, the
    /// default. Some programs check the kind, and read standard input only if it was redirected.
    fn is_device(&self) -> bool {
        false
    }
}

/// Collects and forwards output. Each of the two outputs has the whole limit, so that a flood on one does not use up
/// the other's.
pub(crate) struct Sink {
    collected: Mutex<Option<Collector>>,
    stream: Option<Box<dyn OutputStream>>,
}

/// The collected output: at most the limit over both outputs together.
#[derive(Debug, Default)]
pub struct Captured {
    /// Both in the order of writing.
    pub interleaved: Vec<u8>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Whether output beyond the limit was discarded.
    pub truncated: bool,
    /// The limit.
    pub limit: u64,
}

/// Collects a command's output in pieces while it runs.
pub struct Capture(Mutex<Sink>);

impl Capture {
    /// Collects at most `limit` bytes of the first piece.
    pub fn new(limit: u64) -> Self {
        Self(Mutex::new(Sink::new(limit, true, None)))
    }

    /// What was written since the last piece. At most `limit` bytes of the next one are kept, which begins now.
    pub fn take(&self, limit: u64) -> Captured {
        let mut sink = self.0.lock();
        std::mem::replace(&mut *sink, Sink::new(limit, true, None)).finish()
    }
}

impl OutputStream for std::sync::Arc<Capture> {
    fn poll_write(&self, cx: &mut Context<'_>, kind: OutputKind, bytes: &[u8]) -> Poll<bool> {
        self.0.lock().poll_write(cx, kind, bytes).map(|written| written.is_ok())
    }
}

impl std::fmt::Debug for Capture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Capture")
    }
}

/// Output that is being collected.
#[derive(Default)]
struct Collector {
    limit: u64,
    keep: bool,
    /// Bytes of standard output and of standard error.
    totals: [u64; 2],
    cut: [bool; 2],
    /// All bytes in the order of arrival.
    bytes: Vec<u8>,
    interleaving: Interleaving,
}

/// Which of the bytes came from which output. The outputs alternate in interleaving.
#[derive(Default)]
struct Interleaving {
    /// The lengths of past turns, beginning with standard output's. They are stored as LEB128, so that they take no
    /// more room than the bytes themselves.
    past: Vec<u8>,
    /// The output whose turn it is, and the bytes of this turn so far.
    turn: usize,
    length: u64,
}

impl Sink {
    pub(crate) fn new(limit: u64, keep: bool, stream: Option<Box<dyn OutputStream>>) -> Sink {
        Sink { collected: Mutex::new(Some(Collector { limit, keep, ..Collector::default() })), stream }
    }

    /// Ends the collection. Later output, which comes from background processes of a command that has ended, is
    /// discarded.
    pub(crate) fn finish(&self) -> Captured {
        self.collected.lock().take().map(Collector::captured).unwrap_or_default()
    }

    pub(crate) fn poll_write(
        &self,
        cx: &mut Context<'_>,
        kind: OutputKind,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let mut collected = self.collected.lock();
        let Some(output) = collected.as_mut() else { return Poll::Ready(Ok(bytes.len())) };
        let which = usize::from(kind == OutputKind::Stderr);
        let left = output.limit.saturating_sub(output.totals[which]);
        let fits = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let is_cut = fits < bytes.len();
        if let Some(stream) = &self.stream {
            if fits > 0 {
                match stream.poll_write(cx, kind, &bytes[..fits]) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(false) => return Poll::Ready(Err(Errno::PIPE)),
                    Poll::Ready(true) => {}
                }
            }
            if is_cut && !output.cut[which] {
                let marker = format!("\n[output truncated: limit of {} bytes reached]\n", output.limit);
                // The marker is only for information: if the stream is full now, it is left out.
                let _ = stream.poll_write(cx, kind, marker.as_bytes());
            }
        }
        output.cut[which] |= is_cut;
        output.totals[which] = output.totals[which].saturating_add(fits as u64);
        if output.keep && fits > 0 {
            output.bytes.extend_from_slice(&bytes[..fits]);
            output.interleaving.add(which, fits as u64);
        }
        Poll::Ready(Ok(bytes.len()))
    }
}

impl Collector {
    /// The beginnings of both outputs, together within the limit: each gets half of it, and what the other does not
    /// use.
    fn captured(self) -> Captured {
        let [out, err] = self.totals;
        let half = self.limit / 2;
        let kept_err = err.min(self.limit.saturating_sub(out).max(half));
        let mut kept = [out.min(self.limit.saturating_sub(kept_err)), kept_err];
        let truncated = self.cut != [false; 2] || kept != self.totals;
        let mut captured = Captured { truncated, limit: self.limit, ..Captured::default() };
        let whole = kept == self.totals;
        let mut rest = &self.bytes[..];
        for (which, length) in self.interleaving.all() {
            let (turn, later) = rest.split_at(usize::try_from(length).unwrap_or(usize::MAX).min(rest.len()));
            rest = later;
            let fits = usize::try_from(kept[which]).unwrap_or(usize::MAX).min(turn.len());
            kept[which] -= fits as u64;
            let stream = if which == 0 { &mut captured.stdout } else { &mut captured.stderr };
            stream.extend_from_slice(&turn[..fits]);
            if !whole {
                captured.interleaved.extend_from_slice(&turn[..fits]);
            }
        }
        if whole {
            captured.interleaved = self.bytes;
        }
        captured
    }
}

impl Interleaving {
    fn add(&mut self, which: usize, length: u64) {
        if self.turn != which {
            let mut length = self.length;
            while length > 0x7f {
                self.past.push((length & 0x7f) as u8 | 0x80);
                length >>= 7;
            }
            self.past.push(length as u8);
            (self.turn, self.length) = (which, 0);
        }
        self.length += length;
    }

    /// The output (0 or 1) and the length of each turn.
    fn all(&self) -> impl Iterator<Item = (usize, u64)> {
        let mut past = self.past.iter();
        let lengths = std::iter::from_fn(move || {
            let mut length = 0;
            for (index, byte) in past.by_ref().enumerate() {
                length |= u64::from(byte & 0x7f) << (7 * index);
                if byte & 0x80 == 0 {
                    return Some(length);
                }
            }
            None
        });
        lengths.chain([self.length]).enumerate().map(|(index, length)| (index % 2, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUT: OutputKind = OutputKind::Stdout;
    const ERR: OutputKind = OutputKind::Stderr;

    fn captured(limit: u64, writes: &[(OutputKind, &[u8])]) -> Captured {
        let sink = Sink::new(limit, true, None);
        let mut cx = Context::from_waker(std::task::Waker::noop());
        for (kind, bytes) in writes {
            assert_eq!(sink.poll_write(&mut cx, *kind, bytes), Poll::Ready(Ok(bytes.len())));
        }
        sink.finish()
    }

    fn texts(captured: &Captured) -> (&str, &str, &str, bool) {
        let text = |bytes| std::str::from_utf8(bytes).expect("text");
        (text(&captured.stdout), text(&captured.stderr), text(&captured.interleaved), captured.truncated)
    }

    #[test]
    fn within_the_limit_everything_is_kept_in_its_order() {
        let all =
            captured(6, &[(ERR, b"a"), (OUT, b"b"), (OUT, b"c"), (ERR, b""), (OUT, b"d"), (ERR, b"ef")]);
        assert_eq!(texts(&all), ("bcd", "aef", "abcdef", false));
        let long = vec![b'x'; 100_000];
        let all = captured(1 << 20, &[(OUT, &long), (ERR, b"e"), (OUT, &long)]);
        assert_eq!((all.stdout.len(), all.stderr.len(), all.interleaved[100_000]), (200_000, 1, b'e'));
    }

    #[test]
    fn a_flood_on_one_output_leaves_the_other_room() {
        let all = captured(10, &[(OUT, b"0123456"), (OUT, b"789abc"), (ERR, b"no")]);
        assert_eq!(texts(&all), ("01234567", "no", "01234567no", true));
        let all = captured(10, &[(ERR, b"0123456789abc"), (OUT, b"yes")]);
        assert_eq!(texts(&all), ("yes", "0123456", "0123456yes", true));
        let all = captured(10, &[(ERR, b"eeeeeeeee"), (OUT, b"ooooooooo"), (OUT, b"ooooooooo")]);
        assert_eq!(texts(&all), ("ooooo", "eeeee", "eeeeeooooo", true));
        let all = captured(10, &[(OUT, b"0123456789abc")]);
        assert_eq!(texts(&all), ("0123456789", "", "0123456789", true));
        assert_eq!(texts(&captured(0, &[(OUT, b"x")])), ("", "", "", true));
    }
}
