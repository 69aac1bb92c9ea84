//! Hunks: the lines to replace and their replacement.

/// A line of a hunk. The mark is a space for context, `-`, `+`, or `!` for a line that is replaced.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) mark: u8,
    /// The text with its newline, unless the file ends without one.
    pub(super) text: Vec<u8>,
}

/// One side of a hunk.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    /// The number of the first line, counted from one. If there are no lines, the number of the line after the place.
    pub(super) first: usize,
    pub(super) lines: Vec<Line>,
}

/// The lines to look for and the lines that replace them.
#[derive(Clone, Debug, Default)]
pub(super) struct Hunk {
    pub(super) old: Side,
    pub(super) new: Side,
    /// How many lines of context precede the first change and follow the last one.
    pub(super) prefix: usize,
    pub(super) suffix: usize,
    /// The text after the numbers in the header, with the space before it.
    pub(super) function: Vec<u8>,
}

/// One step through both sides of a hunk.
pub(super) enum Step<'a> {
    Keep(&'a Line),
    Delete(&'a Line),
    Insert(&'a Line),
}

impl Hunk {
    pub(super) fn new(old: Side, new: Side, function: Vec<u8>) -> Self {
        let mut hunk = Self { old, new, prefix: 0, suffix: 0, function };
        let context = |lines: &mut dyn Iterator<Item = &Line>| lines.take_while(|l| l.mark == b' ').count();
        let ends = |side: &Side| {
            let all_context = side.lines.iter().all(|l| l.mark == b' ');
            let prefix = context(&mut side.lines.iter());
            let suffix = context(&mut side.lines.iter().rev());
            (!all_context).then_some((prefix, suffix))
        };
        // A side without changes does not show where they are, so the context is counted on the other side.
        let found = match (ends(&hunk.old), ends(&hunk.new)) {
            (Some(a), Some(b)) => (a.0.min(b.0), a.1.min(b.1)),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => (hunk.old.lines.len(), 0),
        };
        (hunk.prefix, hunk.suffix) = found;
        hunk
    }

    /// The hunk that undoes this one.
    pub(super) fn reversed(mut self) -> Self {
        std::mem::swap(&mut self.old, &mut self.new);
        for line in self.old.lines.iter_mut().chain(&mut self.new.lines) {
            line.mark = match line.mark {
                b'-' => b'+',
                b'+' => b'-',
                m => m,
            };
        }
        self
    }

    /// The length of the context at the end that has more of it.
    pub(super) fn context(&self) -> usize {
        self.prefix.max(self.suffix)
    }

    /// The steps through both sides. At the same place, deletions come before insertions.
    pub(super) fn steps(&self) -> Vec<Step<'_>> {
        let mut steps = Vec::new();
        let (mut i, mut j) = (0, 0);
        loop {
            match (self.old.lines.get(i), self.new.lines.get(j)) {
                (Some(o), _) if o.mark != b' ' => {
                    steps.push(Step::Delete(o));
                    i += 1;
                }
                (_, Some(n)) if n.mark != b' ' => {
                    steps.push(Step::Insert(n));
                    j += 1;
                }
                (Some(o), _) => {
                    steps.push(Step::Keep(o));
                    i += 1;
                    j += 1;
                }
                (None, Some(_)) => j += 1,
                (None, None) => return steps,
            }
        }
    }
}
