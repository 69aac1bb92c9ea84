//! The console on Windows.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The settings of the console when the program started, which its library remembers.
pub(super) struct Settings;

impl Settings {
    pub(super) fn current() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) fn restore(&self) -> io::Result<()> {
        disable_raw_mode()
    }

    /// Lets keys pass as they are. Output is shown as on other terminals already, as this program asks for colours.
    pub(super) fn set_raw(&self) -> io::Result<()> {
        enable_raw_mode()?;
        // The console understands escape sequences only after it was asked to.
        let _ = crossterm::ansi_support::supports_ansi();
        Ok(())
    }
}

/// Rows and columns.
pub(super) fn size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok().map(|(columns, rows)| (rows, columns))
}

/// Keys as they are typed.
pub(super) struct Keys {
    cancelled: AtomicBool,
}

/// How often a waiting thread looks whether it is to stop.
const INTERVAL: Duration = Duration::from_millis(50);

impl Keys {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { cancelled: AtomicBool::new(false) })
    }

    /// Makes the thread that waits for keys, or else the next one, return without any.
    pub(super) fn cancel(&self) -> io::Result<()> {
        self.cancelled.store(true, Ordering::Release);
        Ok(())
    }

    /// Waits for keys; none if [`cancel`](Self::cancel) comes first.
    pub(super) fn wait(&self) -> io::Result<Vec<u8>> {
        loop {
            if self.cancelled.swap(false, Ordering::AcqRel) {
                return Ok(Vec::new());
            }
            if poll(INTERVAL)?
                && let Event::Key(key) = read()?
                && key.kind != KeyEventKind::Release
                && let Some(bytes) = bytes(key)
            {
                return Ok(bytes);
            }
        }
    }
}

/// What a terminal sends for a key; `None` for one that sends nothing.
fn bytes(key: KeyEvent) -> Option<Vec<u8>> {
    let plain = |text: &str| Some(text.as_bytes().to_vec());
    match key.code {
        KeyCode::Char(letter) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            u8::try_from(letter.to_ascii_uppercase())
                .ok()
                .filter(|byte| (b'@'..=b'_').contains(byte))
                .map(|byte| vec![byte & 0x1f])
        }
        KeyCode::Char(letter) => {
            let escape = if key.modifiers.contains(KeyModifiers::ALT) { "\x1b" } else { "" };
            plain(&format!("{escape}{letter}"))
        }
        KeyCode::Enter => plain("\r"),
        KeyCode::Tab => plain("\t"),
        KeyCode::Backspace => plain("\x7f"),
        KeyCode::Esc => plain("\x1b"),
        KeyCode::Up => plain("\x1b[A"),
        KeyCode::Down => plain("\x1b[B"),
        KeyCode::Right => plain("\x1b[C"),
        KeyCode::Left => plain("\x1b[D"),
        KeyCode::Home => plain("\x1b[H"),
        KeyCode::End => plain("\x1b[F"),
        KeyCode::Insert => plain("\x1b[2~"),
        KeyCode::Delete => plain("\x1b[3~"),
        KeyCode::PageUp => plain("\x1b[5~"),
        KeyCode::PageDown => plain("\x1b[6~"),
        _ => None,
    }
}
