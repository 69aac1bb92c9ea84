//! The output of a row. It keeps track of the position, and holds blanks back until something follows them.

use sandshell_cli::out;

/// The largest number of blanks written at once.
const CHUNK: usize = 4096;

/// Writes rows.
pub(super) struct Pen {
    /// Whether blanks become tabs.
    compress: bool,
    tab: (u8, i64),
    at: i64,
    held: i64,
}

impl Pen {
    pub(super) fn new(compress: bool, tab: (u8, i64)) -> Self {
        Self { compress, tab, at: 0, held: 0 }
    }

    /// Begins a new row.
    pub(super) fn home(&mut self) {
        (self.at, self.held) = (0, 0);
    }

    /// Moves to a position. Blanks that were held back are included in the distance.
    pub(super) fn go_to(&mut self, position: i64) {
        if self.compress {
            self.held = position - self.at;
        } else {
            put_blanks(position - self.at);
            self.at = position;
        }
    }

    /// Drops the blanks that are held back.
    pub(super) fn forget(&mut self) {
        self.held = 0;
    }

    /// Writes the blanks that are held back.
    pub(super) fn release(&mut self) {
        if self.held <= 0 {
            return;
        }
        let goal = self.at + self.held;
        let (tab, stop) = self.tab;
        // A single blank does not become a tab.
        while goal - self.at > 1 && self.at + self.to_stop() <= goal {
            out::put([tab]);
            self.at += stop - self.at % stop;
        }
        put_blanks(goal - self.at);
        (self.at, self.held) = (goal, 0);
    }

    /// Writes the text of a cell.
    pub(super) fn text(&mut self, text: &[u8]) {
        if !self.compress {
            out::put(text);
            return;
        }
        for byte in text {
            let width = match byte {
                b' ' => {
                    self.held += 1;
                    continue;
                }
                8 => -1,
                b'!'..=b'~' => 1,
                _ => 0,
            };
            self.release();
            out::put([*byte]);
            self.at += width;
        }
    }

    /// Writes blanks that belong to a cell.
    pub(super) fn blanks(&mut self, count: i64) {
        if self.compress {
            self.held += count.max(0);
        } else {
            put_blanks(count);
        }
    }

    /// Writes the separator between two columns. Each of its bytes takes one position, and at its end no blanks are
    /// held back.
    pub(super) fn separator(&mut self, text: &[u8]) {
        for byte in text {
            if *byte == b' ' {
                self.held += 1;
            } else {
                self.release();
                out::put([*byte]);
                self.at += 1;
            }
        }
        self.release();
    }

    /// Accounts for the tab after a number, which moves to the next tab stop.
    pub(super) fn tab_after_number(&mut self) {
        self.at += self.to_stop();
    }

    /// Corrects the position after text whose width is known, unless blanks are held back.
    pub(super) fn is_at(&mut self, position: i64) {
        if self.held == 0 {
            self.at = position;
        }
    }

    fn to_stop(&self) -> i64 {
        self.tab.1 - self.at % self.tab.1
    }
}

/// Writes blanks; nothing if `count` is below 1.
pub(super) fn put_blanks(count: i64) {
    let mut left = usize::try_from(count).unwrap_or(0);
    while left > 0 {
        let now = left.min(CHUNK);
        out::put(&[b' '; CHUNK][..now]);
        left -= now;
    }
}
