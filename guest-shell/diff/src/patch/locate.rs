//! Finds where a hunk fits in a file.

use super::hunk::{Hunk, Line};
use crate::text::Text;

/// The file being patched, and how far the previous hunks have moved its lines.
pub(super) struct Place<'a> {
    pub(super) text: &'a Text,
    /// How many lines are finished: hunks have been applied to them or come after them.
    pub(super) frozen: usize,
    /// How many lines further down the last hunk was applied than its header says.
    pub(super) offset: isize,
    pub(super) ignore_space: bool,
}

impl Place<'_> {
    /// The line, counted from one, where the hunk fits if `fuzz` lines of context may differ. Of several places it is
    /// the one nearest to where the hunk should be. The offset is updated.
    pub(super) fn locate(&mut self, hunk: &Hunk, fuzz: usize) -> Option<usize> {
        let old = &hunk.old.lines;
        let guess = hunk.old.first as isize + self.offset;
        if old.is_empty() {
            return usize::try_from(guess).ok().filter(|g| *g > 0);
        }
        let lines = old.len() as isize;
        let context = hunk.context() as isize;
        let before = fuzz as isize + hunk.prefix as isize - context;
        let behind = fuzz as isize + hunk.suffix as isize - context;
        let total = self.text.len() as isize;
        let lowest = (self.frozen as isize + 1).max(1);
        let highest = total - (lines - behind) + 1;
        if before < 0 && hunk.old.first <= 1 {
            // Less context at the beginning means that the hunk belongs to the beginning of the file.
            if behind < 0 && (lines != total || (hunk.prefix as isize) < self.frozen as isize) {
                return None;
            }
            let fits = self.frozen <= hunk.prefix && 1 <= highest && self.fits(old, 1, 0, behind.max(0));
            return fits.then(|| self.take(guess, 1));
        }
        let before = before.max(0);
        if behind < 0 {
            // Less context at the end means that the hunk belongs to the end of the file.
            let at = total - lines + 1;
            let fits = at >= lowest && self.fits(old, at, before, 0);
            return fits.then(|| self.take(guess, at));
        }
        let most = (highest - guess).max(guess - lowest).max(-1);
        let nearest = (guess - highest).max(0);
        for distance in nearest..=most {
            for at in [guess + distance, guess - distance] {
                let allowed = at <= highest && at >= if at < guess { lowest } else { 1 };
                if allowed && self.fits(old, at, before, behind) {
                    return Some(self.take(guess, at));
                }
            }
        }
        None
    }

    fn take(&mut self, guess: isize, at: isize) -> usize {
        self.offset += at - guess;
        usize::try_from(at).unwrap_or(1)
    }

    // Whether the pattern matches at a line, without its first `before` and last `behind` lines.
    fn fits(&self, pattern: &[Line], at: isize, before: isize, behind: isize) -> bool {
        let Some(first) = usize::try_from(at - 1).ok() else { return false };
        let end = pattern.len().saturating_sub(behind.max(0).cast_unsigned());
        (before.max(0).cast_unsigned()..end).all(|i| {
            let line = &pattern[i].text;
            first + i < self.text.len()
                && if self.ignore_space {
                    similar(self.text.line(first + i), line)
                } else {
                    self.text.line(first + i) == line
                }
        })
    }
}

// Whether lines are the same except for the amount of white space.
fn similar(a: &[u8], b: &[u8]) -> bool {
    let words = |t: &[u8]| {
        let mut form = Vec::new();
        for c in t.trim_ascii_end() {
            match c {
                b' ' | b'\t' if form.last() == Some(&b' ') => {}
                b' ' | b'\t' => form.push(b' '),
                _ => form.push(*c),
            }
        }
        form
    };
    words(a) == words(b)
}
