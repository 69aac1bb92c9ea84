//! Which members are meant: operands and exclusions.

use sandshell_posix::pattern;

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
    /// Whether it matches the name or a directory above it.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        let fold = |t: &[u8]| if self.ignore_case { t.to_ascii_lowercase() } else { t.to_vec() };
        let text = fold(trim(&self.text));
        let name = fold(trim(name));
        self.at(&text, &name)
            || (!self.anchored
                && name.iter().enumerate().any(|(i, b)| {
                    *b == b'/'
                        && name.get(i + 1).is_some_and(|n| *n != b'/')
                        && self.at(&text, name.get(i + 1..).unwrap_or_default())
                }))
    }

    fn at(&self, text: &[u8], name: &[u8]) -> bool {
        let ends = name.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(i, _)| i);
        ends.chain([name.len()]).any(|end| self.whole(text, name.get(..end).unwrap_or_default()))
    }

    fn whole(&self, text: &[u8], name: &[u8]) -> bool {
        match (self.wildcards, self.match_slash) {
            (false, _) => text == name,
            (true, true) => pattern::matches(text, name, false),
            (true, false) => {
                let (mut t, mut n) = (text.split(|b| *b == b'/'), name.split(|b| *b == b'/'));
                loop {
                    match (t.next(), n.next()) {
                        (None, None) => return true,
                        (Some(t), Some(n)) if pattern::matches(t, n, false) => {}
                        _ => return false,
                    }
                }
            }
        }
    }
}

/// Without slashes at the end, but the root stays.
pub(crate) fn trim(name: &[u8]) -> &[u8] {
    let mut name = name;
    while let Some(shorter) = name.strip_suffix(b"/").filter(|s| !s.is_empty()) {
        name = shorter;
    }
    name
}

/// What version control systems leave in working copies.
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

/// The bytes at the start of a name that lead out of the directory: slashes, and everything up to the last `..`.
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
