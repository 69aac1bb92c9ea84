//! Finding the lines of one text that are to be shown.

use super::options::Options;
use super::pattern::Pattern;
use memchr::{memchr, memchr_iter, memrchr};

/// What a search reports to.
pub(crate) trait Sink {
    /// A matching line, with multiline several; false ends the search.
    fn matched(&mut self, text: &[u8], block: Block) -> bool;
    /// A line of context.
    fn context(&mut self, text: &[u8], block: Block);
    /// A gap between groups of lines.
    fn gap(&mut self);
}

/// Lines: a range of the text with their terminators.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Of the first line.
    pub(crate) number: u64,
}

/// Searches a text.
pub(crate) fn search(text: &[u8], pattern: &Pattern, o: &Options, sink: &mut dyn Sink) {
    let mut s = Search {
        text,
        pattern,
        o,
        terminator: o.terminator(),
        counted: 0,
        lines: 0,
        shown: 0,
        any: false,
        pending: 0,
        left: o.max_count.unwrap_or(u64::MAX),
        at: 0,
    };
    s.run(sink);
}

struct Search<'a> {
    text: &'a [u8],
    pattern: &'a Pattern,
    o: &'a Options,
    terminator: u8,
    // Lines before `counted`.
    counted: usize,
    lines: u64,
    // Behind what was reported last.
    shown: usize,
    any: bool,
    pending: usize,
    left: u64,
    // Where to look for the next match.
    at: usize,
}

impl Search<'_> {
    fn run(&mut self, sink: &mut dyn Sink) {
        if self.left == 0 {
            return;
        }
        let mut from = 0;
        while from <= self.text.len() && self.left > 0 {
            let next = self.next_matching();
            if self.o.invert {
                let (end, resume) = next.unwrap_or((self.text.len(), self.text.len() + 1));
                let mut at = from;
                while at < end && self.left > 0 {
                    let stop = self.line_end(at);
                    if !self.report(at, stop, sink) {
                        return;
                    }
                    at = stop;
                }
                from = resume;
                if next.is_none() {
                    break;
                }
                continue;
            }
            let Some((start, end)) = next else { break };
            if self.o.stop_on_nonmatch && self.any && start > self.shown {
                break;
            }
            if !self.report(start, end, sink) {
                return;
            }
            from = end;
        }
        self.trailing(self.text.len(), sink);
    }

    // The next lines that match: start and end.
    fn next_matching(&mut self) -> Option<(usize, usize)> {
        if self.at > self.text.len() {
            return None;
        }
        if !self.o.multiline {
            // At the end there is a line only if it has no terminator.
            let open = self.text.last() != Some(&self.terminator);
            let hit = self
                .pattern
                .matching_line(self.text, self.at)
                .filter(|h| *h < self.text.len() || (open && self.at < self.text.len()))?;
            let (start, end) = (self.line_start(hit), self.line_end(hit));
            self.at = end;
            return Some((start, end));
        }
        let (a, b) = self.pattern.find(self.text, self.at, self.text.len())?;
        if a >= self.text.len() {
            return None;
        }
        let start = self.line_start(a);
        let mut end = self.line_end(b.max(a + 1) - 1);
        self.at = if b > a { b } else { a + 1 };
        // Matches that begin in these lines or right behind them belong to the same block.
        while let Some((c, d)) = self.pattern.find(self.text, self.at, self.text.len()) {
            if c >= end || c >= self.text.len() {
                break;
            }
            end = end.max(self.line_end(d.max(c + 1) - 1));
            self.at = if d > c { d } else { c + 1 };
        }
        self.at = self.at.max(end);
        Some((start, end))
    }

    fn line_start(&self, at: usize) -> usize {
        self.text.get(..at).and_then(|t| memrchr(self.terminator, t)).map_or(0, |i| i + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        self.text.get(at..).and_then(|t| memchr(self.terminator, t)).map_or(self.text.len(), |i| at + i + 1)
    }

    fn block(&mut self, start: usize, end: usize) -> Block {
        let gone = self.text.get(self.counted..start).unwrap_or_default();
        self.lines += memchr_iter(self.terminator, gone).count() as u64;
        self.counted = self.counted.max(start);
        Block { start, end, number: self.lines + 1 }
    }

    fn report(&mut self, start: usize, end: usize, sink: &mut dyn Sink) -> bool {
        self.trailing(start, sink);
        let mut first = start;
        if self.o.passthru {
            first = self.shown;
        } else {
            for _ in 0..self.o.before {
                if first <= self.shown {
                    break;
                }
                first = self.line_start(first - 1).max(self.shown);
            }
        }
        if self.any && first > self.shown && self.o.before + self.o.after > 0 && !self.o.passthru {
            sink.gap();
        }
        while first < start {
            let stop = self.line_end(first);
            let block = self.block(first, stop);
            sink.context(self.text, block);
            first = stop;
        }
        let block = self.block(start, end);
        self.shown = end;
        self.any = true;
        self.left -= 1;
        self.pending = self.o.after;
        sink.matched(self.text, block)
    }

    // Context behind a match, up to `limit`.
    fn trailing(&mut self, limit: usize, sink: &mut dyn Sink) {
        while (self.pending > 0 || self.o.passthru) && self.shown < limit {
            let stop = self.line_end(self.shown);
            let block = self.block(self.shown, stop);
            sink.context(self.text, block);
            self.shown = stop;
            self.pending = self.pending.saturating_sub(1);
        }
    }
}

/// The matches within a block.
pub(crate) fn matches(text: &[u8], block: Block, pattern: &Pattern, o: &Options) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let terminator = o.terminator();
    // Without multiline nothing sees the terminator.
    let mut end = block.end;
    if !o.multiline && text.get(block.start..end).is_some_and(|t| t.last() == Some(&terminator)) {
        end -= 1;
        if o.crlf && text.get(block.start..end).is_some_and(|t| t.last() == Some(&b'\r')) {
            end -= 1;
        }
    }
    let (view, base) =
        if o.multiline { (text, 0) } else { (text.get(block.start..end).unwrap_or_default(), block.start) };
    let (mut at, stop) = (block.start - base, end - base);
    let mut last = None;
    while at <= stop {
        let limit = if o.multiline { view.len() } else { stop };
        let Some((a, b)) = pattern.find(view, at, limit) else { break };
        if a >= stop && !(a == b && a == stop && !o.multiline) {
            break;
        }
        if a == b {
            // Not right behind another match.
            if last != Some(a) {
                out.push((a + base, b + base));
            }
            at = a + 1;
            while view.get(at).is_some_and(|c| c & 0xc0 == 0x80) {
                at += 1;
            }
        } else {
            out.push((a + base, b + base));
            at = b;
        }
        last = Some(b);
    }
    out
}
