//! Sessions on a terminal.

use std::time::Duration;

use bytes::Bytes;

/// Rows and columns of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// At least 1.
    pub rows: u16,
    /// At least 1.
    pub columns: u16,
}

impl Default for TerminalSize {
    fn default() -> Self {
        Self { rows: 24, columns: 80 }
    }
}

/// What to do with a session's terminal before looking at its screen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalRequest {
    /// Its size; by default that it has, or 24 rows of 80 columns.
    pub size: Option<TerminalSize>,
    /// What is typed: text, `\r` for Enter, control characters and escape sequences for other keys.
    pub input: Bytes,
    /// How long to wait at most for what the programs write.
    pub wait: Duration,
    /// Wait until the screen shows this; otherwise until nothing was written for a moment. What is typed is mostly
    /// shown, too.
    pub until: Option<String>,
}

impl Default for TerminalRequest {
    fn default() -> Self {
        Self { size: None, input: Bytes::new(), wait: Duration::from_secs(5), until: None }
    }
}

impl TerminalRequest {
    /// Types this.
    pub fn typed(input: impl Into<Bytes>) -> Self {
        Self { input: input.into(), ..Self::default() }
    }

    /// Sets the size.
    #[must_use]
    pub fn size(mut self, rows: u16, columns: u16) -> Self {
        self.size = Some(TerminalSize { rows, columns });
        self
    }

    /// Sets how long to wait at most.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Waits until the screen shows this.
    #[must_use]
    pub fn until(mut self, text: impl Into<String>) -> Self {
        self.until = Some(text.into());
        self
    }
}

/// A screen as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalScreen {
    /// Its lines, without the blanks at their ends and the empty lines at the end.
    pub text: String,
    /// Its size.
    pub size: TerminalSize,
    /// Row and column of the cursor, from 0.
    pub cursor: (u16, u16),
    /// The title that a program has set.
    pub title: String,
    /// Whether what was waited for came in time.
    pub settled: bool,
    /// The status, if the session's shell has ended: the next request gets a new one.
    pub ended: Option<i32>,
    /// Why the shell had to be started anew for this request; one line.
    pub restarted: Option<String>,
}
