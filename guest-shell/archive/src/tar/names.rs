//! Patterns on names: operands and exclusions.

use sandshell_posix::pattern::{Matching, tails};

/// A pattern and how it matches.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) text: Vec<u8>,
    pub(crate) wildcards: bool,
    pub(crate) anchored: bool,
    pub(crate) match_slash: bool,
    pub(crate) ignore_case: bool,
}

impl Pattern {
    /// Whether the pattern matches the name or a directory above it.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        let tails = tails(trim(name)).take(if self.anchored { 1 } else { usize::MAX });
        tails.into_iter().any(|tail| {
            let mut ends = (0..=tail.len()).filter(|end| tail.get(*end).is_none_or(|b| *b == b'/'));
            ends.any(|end| self.means(&tail[..end]))
        })
    }

    fn means(&self, name: &[u8]) -> bool {
        let text = trim(&self.text);
        let ignore_case = self.ignore_case;
        let matching = Matching { pathname: !self.match_slash, ignore_case, ..Matching::default() };
        let same = || if ignore_case { text.eq_ignore_ascii_case(name) } else { text == name };
        same() || self.wildcards && matching.matches(text, name)
    }
}

/// The name without trailing slashes. The root keeps its slash.
pub(crate) fn trim(name: &[u8]) -> &[u8] {
    let mut name = name;
    while let Some(shorter) = name.strip_suffix(b"/").filter(|s| !s.is_empty()) {
        name = shorter;
    }
    name
}

/// Whether a version control system keeps files of this name in working copies.
pub(crate) fn is_vcs(base: &[u8]) -> bool {
    const NAMES: [&[u8]; 12] = [
        b"CVS",
        b".cvsignore",
        b"RCS",
        b"SCCS",
        b".git",
        b".gitignore",
        b".gitattributes",
        b".gitmodules",
        b".svn",
        b".bzr",
        b".bzrignore",
        b".hg",
    ];
    NAMES.contains(&base) || [&b".hgignore"[..], b".hgtags", b"_darcs"].contains(&base)
}

/// The length of the prefix that leads out of the directory: slashes, and everything up to the last `..`.
pub(crate) fn unsafe_prefix(name: &[u8]) -> usize {
    let mut cut = 0;
    let mut at = 0;
    for part in name.split(|b| *b == b'/') {
        at += part.len() + 1;
        if part == b".." {
            cut = at.min(name.len());
        }
    }
    while name.get(cut) == Some(&b'/') {
        cut += 1;
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes() {
        assert_eq!(unsafe_prefix(b"a/b"), 0);
        assert_eq!(unsafe_prefix(b"//a"), 2);
        assert_eq!(unsafe_prefix(b"a/../b"), 5);
        assert_eq!(unsafe_prefix(b".."), 2);
    }
}
