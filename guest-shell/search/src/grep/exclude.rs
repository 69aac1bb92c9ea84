//! `--include`, `--exclude`, `--exclude-dir`: which names are skipped.

use sandshell_posix::pattern::{matches, tails};

/// Patterns in the order of their options.
#[derive(Default)]
pub(crate) struct Exclude {
    /// A pattern, and whether it includes or excludes.
    patterns: Vec<(Vec<u8>, bool)>,
}

impl Exclude {
    pub(crate) fn add(&mut self, pattern: &[u8], include: bool) {
        self.patterns.push((pattern.to_vec(), include));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether `name` is skipped. The last matching pattern decides; if none matches, the opposite of the first
    /// pattern's kind applies. With `anywhere` a pattern may match from any component on, as for names on the command
    /// line.
    pub(crate) fn skips(&self, name: &[u8], anywhere: bool) -> bool {
        let Some((_, first)) = self.patterns.first() else { return false };
        let tails = || tails(name).take(if anywhere { usize::MAX } else { 1 });
        let hit = |pattern: &[u8]| tails().any(|tail| pattern == tail || matches(pattern, tail));
        match self.patterns.iter().rev().find(|(p, _)| hit(p)) {
            Some((_, include)) => !include,
            None => *first,
        }
    }
}
