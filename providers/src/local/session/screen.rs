//! The screen and the keyboard of a session's terminal.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::num::NonZeroU16;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sandshell_runtime::Terminal;
use tokio::sync::Notify;
use tokio::time::Sleep;

use crate::{Error, Result, TerminalScreen, TerminalSize};

/// The most rows and columns.
const MOST: (u16, u16) = (200, 400);

/// How many bytes of output are shown at once. One sequence may change the whole screen.
const PIECE: usize = 64;

/// How long showing pieces may take in a row, before it rests for the same time: a terminal uses at most half a
/// processor.
const STRETCH: Duration = Duration::from_millis(2);

/// The most digits of a number in a sequence, as some are counts of what is to be done.
const DIGITS: u8 = 4;

/// The most bytes of a title that are kept.
const TITLE: usize = 256;

/// The most bytes that are typed and not read.
const KEYS: usize = 1 << 20;

/// A terminal that nobody sees: what is shown becomes a screen in memory.
pub(super) struct Screen {
    state: Mutex<State>,
    shown: Notify,
}

struct State {
    parser: vt100::Parser<Title>,
    sequence: Sequence,
    keys: VecDeque<u8>,
    reader: Option<Waker>,
    /// Counts what is shown.
    shown: u64,
    last: Instant,
    /// How long showing took since the last rest.
    worked: Duration,
    rest: Option<Pin<Box<Sleep>>>,
}

/// The title that programs set.
#[derive(Default)]
struct Title(String);

impl vt100::Callbacks for Title {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        let title = title.get(..TITLE).unwrap_or(title);
        self.0 = String::from_utf8_lossy(title).chars().filter(|c| !c.is_control()).collect();
    }
}

/// Where in a control sequence the output is.
#[derive(Clone, Copy, Default)]
enum Sequence {
    #[default]
    Outside,
    Escape,
    /// With so many digits of a number.
    Digits(u8),
}

impl Sequence {
    /// Whether a byte goes to the screen: the digits of numbers that are too long do not.
    fn takes(&mut self, byte: u8) -> bool {
        *self = match (*self, byte) {
            (_, 0x1b) => Self::Escape,
            (Self::Escape, b'[') => Self::Digits(0),
            (Self::Digits(count), b'0'..=b'9') if count >= DIGITS => return false,
            (Self::Digits(count), b'0'..=b'9') => Self::Digits(count + 1),
            // Parameters, intermediate bytes and control characters go on.
            (Self::Digits(_), 0..=0x3f) => Self::Digits(0),
            _ => Self::Outside,
        };
        true
    }
}

impl Screen {
    pub(super) fn new(size: TerminalSize) -> Result<Self> {
        let (rows, columns) = checked(size)?;
        let state = State {
            parser: vt100::Parser::new_with_callbacks(rows, columns, 0, Title::default()),
            sequence: Sequence::default(),
            keys: VecDeque::new(),
            reader: None,
            shown: 0,
            last: Instant::now(),
            worked: Duration::ZERO,
            rest: None,
        };
        Ok(Self { state: Mutex::new(state), shown: Notify::new() })
    }

    /// Types keys.
    pub(super) fn press(&self, keys: &[u8]) -> Result<()> {
        let mut state = self.state.lock();
        if state.keys.len().saturating_add(keys.len()) > KEYS {
            let why = format!("more than {KEYS} bytes were typed that no program has read");
            return Err(Error::invalid_request(why));
        }
        state.keys.extend(keys);
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
        Ok(())
    }

    /// Sets the size; whether it is another one.
    pub(super) fn set_size(&self, size: TerminalSize) -> Result<bool> {
        let (rows, columns) = checked(size)?;
        let mut state = self.state.lock();
        let changes = state.parser.screen().size() != (rows, columns);
        if changes {
            state.parser.set_size(rows, columns);
        }
        Ok(changes)
    }

    /// Whether programs have taken all keys.
    pub(super) fn is_read(&self) -> bool {
        self.state.lock().keys.is_empty()
    }

    /// How much was shown.
    pub(super) fn count(&self) -> u64 {
        self.state.lock().shown
    }

    /// Waits until more was shown than this.
    pub(super) async fn more_than(&self, count: u64) {
        loop {
            let shown = self.shown.notified();
            if self.count() > count {
                return;
            }
            shown.await;
        }
    }

    /// Waits until nothing was shown for this time.
    pub(super) async fn quiet(&self, time: Duration) {
        loop {
            let since = self.state.lock().last.elapsed();
            match time.checked_sub(since) {
                Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
                _ => return,
            }
        }
    }

    /// What the screen shows.
    pub(super) fn look(&self) -> TerminalScreen {
        let state = self.state.lock();
        let screen = state.parser.screen();
        let (rows, columns) = screen.size();
        let (row, column) = screen.cursor_position();
        let mut lines: Vec<String> =
            screen.rows(0, columns.get()).map(|line| line.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        TerminalScreen {
            text: lines.join("\n"),
            size: TerminalSize { rows: rows.get(), columns: columns.get() },
            cursor: (row, column.min(columns.get() - 1)),
            title: state.parser.callbacks().0.clone(),
            ..TerminalScreen::default()
        }
    }
}

/// Refuses a size that no terminal has.
pub(super) fn checked(size: TerminalSize) -> Result<(NonZeroU16, NonZeroU16)> {
    let within = |count: u16, most: u16| NonZeroU16::new(count).filter(|count| count.get() <= most);
    within(size.rows, MOST.0).zip(within(size.columns, MOST.1)).ok_or_else(|| {
        let TerminalSize { rows, columns } = size;
        let why = format!(
            "a terminal has 1 to {} rows and 1 to {} columns, not {rows} and {columns}",
            MOST.0, MOST.1
        );
        Error::invalid_request(why)
    })
}

impl State {
    fn show(&mut self, bytes: &[u8]) {
        let begun = Instant::now();
        let taken: Vec<u8> = bytes.iter().copied().filter(|byte| self.sequence.takes(*byte)).collect();
        self.parser.process(&taken);
        self.shown += 1;
        self.last = Instant::now();
        self.worked += self.last.duration_since(begun);
    }

    /// Waits if it is time to rest.
    fn poll_rested(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.worked >= STRETCH && self.rest.is_none() {
            self.rest = Some(Box::pin(tokio::time::sleep(self.worked)));
        }
        if let Some(rest) = &mut self.rest {
            std::task::ready!(rest.as_mut().poll(cx));
            (self.rest, self.worked) = (None, Duration::ZERO);
        }
        Poll::Ready(())
    }
}

impl Terminal for Screen {
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut state = self.state.lock();
        if state.keys.is_empty() {
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let count = buf.len().min(state.keys.len());
        for (to, key) in buf.iter_mut().zip(state.keys.drain(..count)) {
            *to = key;
        }
        Poll::Ready(Ok(count))
    }

    fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut state = self.state.lock();
        std::task::ready!(state.poll_rested(cx));
        let piece = bytes.get(..PIECE).unwrap_or(bytes);
        state.show(piece);
        drop(state);
        self.shown.notify_waiters();
        Poll::Ready(Ok(piece.len()))
    }

    fn size(&self) -> (u32, u32) {
        let (rows, columns) = self.state.lock().parser.screen().size();
        (u32::from(rows.get()), u32::from(columns.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: TerminalSize = TerminalSize { rows: 4, columns: 10 };

    fn shown(text: &[u8]) -> TerminalScreen {
        let screen = Screen::new(SIZE).expect("a size");
        screen.state.lock().show(text);
        screen.look()
    }

    #[test]
    fn what_is_shown_is_text() {
        let screen = shown(b"one\r\n\x1b[31mtwo  \x1b[0m\r\n\r\n\x1b]2;a\x07\x1b[2;3H");
        assert_eq!((&*screen.text, screen.cursor, &*screen.title), ("one\ntwo", (1, 2), "a"));
        assert_eq!(shown("\u{4e2d}\u{6587} e\u{301}".as_bytes()).text, "\u{4e2d}\u{6587} e\u{301}");
        assert_eq!(shown(b"0123456789").cursor, (0, 9));
        assert_eq!(shown(b"main\x1b[?1049hother").text, "other");
        assert_eq!(shown(b"main\x1b[?1049hother\x1b[?1049l").text, "main");
    }

    #[test]
    fn no_count_is_too_large() {
        for name in "@ABCDEFGHIJKLMPSTXZ`abdefghlmnr".chars() {
            let long = "9".repeat(40);
            for start in ["", "?", ">", "1;"] {
                let text = format!("x\x1b[{start}{long};{long}{name}12345");
                let mut sequence = Sequence::default();
                let taken: Vec<u8> = text.bytes().filter(|byte| sequence.takes(*byte)).collect();
                let expected = format!("x\x1b[{start}9999;9999{name}12345");
                assert_eq!(String::from_utf8_lossy(&taken), expected);
            }
            // The screen bears it, too.
            shown(format!("x\x1b[{long};{long}{name}").as_bytes());
        }
    }

    #[test]
    fn any_bytes_are_shown() {
        let mut seed = 1_u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as u32
        };
        let parts: [&[u8]; 12] = [
            b"\x1b[",
            b"\x1b]",
            b"\x1bP",
            b"\x1b\\",
            b";",
            b"?",
            b"65535",
            b"\xe4\xb8\xad",
            b"\xcc\x81",
            b"\x1b7",
            b"\x1b8",
            b"\n",
        ];
        for _ in 0..2_000 {
            let size = TerminalSize { rows: (next() % 6 + 1) as u16, columns: (next() % 8 + 1) as u16 };
            let screen = Screen::new(size).expect("a size");
            for _ in 0..60 {
                match next() % 4 {
                    0 => screen.state.lock().show(&[(next() & 0xff) as u8]),
                    1 => screen.state.lock().show(&[(next() % 0x40 + 0x40) as u8]),
                    2 => screen.state.lock().show(parts[next() as usize % parts.len()]),
                    _ if next() % 10 == 0 => {
                        let size =
                            TerminalSize { rows: (next() % 6 + 1) as u16, columns: (next() % 8 + 1) as u16 };
                        screen.set_size(size).expect("a size");
                    }
                    _ => {}
                }
                let looked = screen.look();
                assert!(looked.cursor.0 < looked.size.rows && looked.cursor.1 < looked.size.columns);
            }
        }
    }
}
