//! The dialects: which operators a pattern has, and what they mean in unusual positions.

use std::ops::BitOr;

/// A dialect of regular expressions: one of the named constants, possibly with single properties added or removed. The
/// properties are those of GNU's `re_syntax_options`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syntax(u32);

impl Syntax {
    /// A backslash in a bracket expression escapes the next character.
    pub const BACKSLASH_IN_LISTS: Self = Self(1);
    /// `\+` and `\?` are the operators, not `+` and `?`.
    pub const BK_PLUS_QM: Self = Self(1 << 1);
    /// `[:alpha:]` and other class names are recognised in bracket expressions.
    pub const CHAR_CLASSES: Self = Self(1 << 2);
    /// `^` and `$` are anchors everywhere.
    pub const CONTEXT_INDEP_ANCHORS: Self = Self(1 << 3);
    /// A repetition operator without an operand repeats the empty string.
    pub const CONTEXT_INDEP_OPS: Self = Self(1 << 4);
    /// A repetition operator without an operand is an error.
    pub const CONTEXT_INVALID_OPS: Self = Self(1 << 5);
    /// `.` matches a newline.
    pub const DOT_NEWLINE: Self = Self(1 << 6);
    /// `.` does not match NUL.
    pub const DOT_NOT_NUL: Self = Self(1 << 7);
    /// `[^a]` does not match a newline.
    pub const HAT_NOT_NEWLINE: Self = Self(1 << 8);
    /// There are intervals.
    pub const INTERVALS: Self = Self(1 << 9);
    /// `+`, `?` and alternation do not exist.
    pub const LIMITED_OPS: Self = Self(1 << 10);
    /// A newline is an alternation operator.
    pub const NEWLINE_ALT: Self = Self(1 << 11);
    /// Intervals are `{}`, not `\{\}`.
    pub const NO_BK_BRACES: Self = Self(1 << 12);
    /// Groups are `()`, not `\(\)`.
    pub const NO_BK_PARENS: Self = Self(1 << 13);
    /// `\1` is the character 1.
    pub const NO_BK_REFS: Self = Self(1 << 14);
    /// Alternation is `|`, not `\|`.
    pub const NO_BK_VBAR: Self = Self(1 << 15);
    /// A range whose end is before its start is an error, not empty.
    pub const NO_EMPTY_RANGES: Self = Self(1 << 16);
    /// An unmatched closing parenthesis is a literal character.
    pub const UNMATCHED_PAREN_ORD: Self = Self(1 << 17);
    /// None of `\w \W \s \S \b \B \< \> \' \` ` is special.
    pub const NO_GNU_OPS: Self = Self(1 << 18);
    /// An invalid interval is literal text.
    pub const INVALID_INTERVAL_ORD: Self = Self(1 << 19);
    /// A repetition operator after another one is an error.
    pub const CONTEXT_INVALID_DUP: Self = Self(1 << 20);
    /// As GNU grep: refuse `[:space:]` outside of a bracket expression, repeat anchors, and warn of misplaced
    /// operators.
    pub const GREP_RULES: Self = Self(1 << 21);

    /// As in glibc, an opening brace without an operand is dropped. Otherwise it is a literal character if it does not
    /// begin an interval.
    pub const DROP_LONE_BRACE: Self = Self(1 << 22);

    const COMMON: u32 = Self::CHAR_CLASSES.0
        | Self::DOT_NEWLINE.0
        | Self::DOT_NOT_NUL.0
        | Self::INTERVALS.0
        | Self::NO_EMPTY_RANGES.0;

    /// POSIX basic regular expressions with GNU's extensions, as `regcomp` without flags (`ed`, `expr`).
    pub const POSIX_BASIC: Self = Self(Self::COMMON | Self::BK_PLUS_QM.0 | Self::CONTEXT_INVALID_DUP.0);
    /// POSIX extended regular expressions with GNU's extensions, as `regcomp` with `REG_EXTENDED` (bash's `=~`).
    pub const POSIX_EXTENDED: Self = Self(
        Self::COMMON
            | Self::CONTEXT_INDEP_ANCHORS.0
            | Self::CONTEXT_INDEP_OPS.0
            | Self::NO_BK_BRACES.0
            | Self::NO_BK_PARENS.0
            | Self::NO_BK_VBAR.0
            | Self::CONTEXT_INVALID_OPS.0
            | Self::UNMATCHED_PAREN_ORD.0,
    );
    /// POSIX basic without `\+`, `\?` and `\|`.
    pub const POSIX_MINIMAL_BASIC: Self = Self(Self::COMMON | Self::LIMITED_OPS.0);
    /// `sed` without `-E`.
    pub const SED: Self = Self(Self::POSIX_BASIC.0 & !Self::DOT_NOT_NUL.0);
    /// `sed -E`.
    pub const SED_EXTENDED: Self =
        Self(Self::POSIX_EXTENDED.0 & !Self::DOT_NOT_NUL.0 & !Self::UNMATCHED_PAREN_ORD.0);
    /// `grep`, `grep -G`.
    pub const GREP: Self = Self(
        (Self::POSIX_BASIC.0 | Self::NEWLINE_ALT.0 | Self::GREP_RULES.0)
            & !(Self::CONTEXT_INVALID_DUP.0 | Self::DOT_NOT_NUL.0),
    );
    /// `grep -E`.
    pub const EGREP: Self = Self(
        (Self::POSIX_EXTENDED.0 | Self::INVALID_INTERVAL_ORD.0 | Self::NEWLINE_ALT.0 | Self::GREP_RULES.0)
            & !(Self::CONTEXT_INVALID_OPS.0 | Self::DOT_NOT_NUL.0),
    );
    /// `grep -E` where the position of a match matters. GNU grep uses glibc for this.
    pub const EGREP_PLACES: Self = Self(Self::EGREP.0 | Self::DROP_LONE_BRACE.0);
    /// GNU awk. The caller has already replaced awk's own escapes (`\n`, `\/`, `\y` → `\b`…).
    pub const GNU_AWK: Self = Self(
        (Self::POSIX_EXTENDED.0 | Self::BACKSLASH_IN_LISTS.0 | Self::INVALID_INTERVAL_ORD.0)
            & !(Self::DOT_NOT_NUL.0 | Self::CONTEXT_INDEP_OPS.0 | Self::CONTEXT_INVALID_OPS.0),
    );
    /// POSIX awk.
    pub const POSIX_AWK: Self = Self(
        Self::POSIX_EXTENDED.0
            | Self::BACKSLASH_IN_LISTS.0
            | Self::NO_GNU_OPS.0
            | Self::INVALID_INTERVAL_ORD.0,
    );
    /// Traditional awk.
    pub const AWK: Self = Self(
        Self::BACKSLASH_IN_LISTS.0
            | Self::DOT_NOT_NUL.0
            | Self::NO_BK_PARENS.0
            | Self::NO_BK_REFS.0
            | Self::NO_BK_VBAR.0
            | Self::NO_EMPTY_RANGES.0
            | Self::DOT_NEWLINE.0
            | Self::CONTEXT_INDEP_ANCHORS.0
            | Self::CHAR_CLASSES.0
            | Self::UNMATCHED_PAREN_ORD.0
            | Self::NO_GNU_OPS.0,
    );
    /// Emacs.
    pub const EMACS: Self = Self(0);
    /// `find -regex` without `-regextype`.
    pub const FIND: Self = Self(Self::DOT_NEWLINE.0);

    /// Whether this has all properties of `other`.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// This without the properties of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for Syntax {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How a pattern is matched. The default is that of `regcomp` without flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Ignore case (`REG_ICASE`).
    pub icase: bool,
    /// `REG_NEWLINE`: `.` and `[^a]` do not match a newline, `^` and `$` match at newlines too.
    pub newline: bool,
    /// The text consists of lines that end with this byte. Nothing matches this byte, and `^ $ \` \'` all mean the ends
    /// of a line.
    pub lines: Option<u8>,
    /// The match must be neither preceded nor followed by a word character (`grep -w`).
    pub word: bool,
    /// The match must be a whole line (`grep -x`).
    pub line: bool,
    /// Every byte is a character, and only ASCII has classes and case, as in the locale `C`. Otherwise the text is
    /// UTF-8, and bytes that are not valid UTF-8 match only themselves.
    pub bytes: bool,
}
