//! The patterns of `csplit`'s command line.

use sandshell_cli::number;
use sandshell_cli::quote::quote;
use sandshell_cli::warn;
use sandshell_regex::{Flags, Regex, Syntax};

/// Where a piece of the input ends.
pub(crate) enum What {
    /// Before the line with this number, or with a multiple of it.
    Line(u64),
    /// At the next matching line.
    Match {
        regex: Box<Regex>,
        /// How many lines after that line.
        offset: i64,
        /// Whether the piece is skipped instead of written.
        skip: bool,
    },
}

/// A pattern, and how often it is used.
pub(crate) struct Pattern {
    pub(crate) what: What,
    /// The pattern as given.
    pub(crate) text: Vec<u8>,
    /// How many more times it is used; `None` means until the end of the input.
    pub(crate) repeat: Option<u64>,
}

/// Parses all patterns. Errors are reported.
pub(crate) fn parse(words: &[Vec<u8>]) -> Result<Vec<Pattern>, i32> {
    let mut patterns: Vec<Pattern> = Vec::new();
    let mut last = 0;
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let what = match word.first() {
            Some(delimiter @ (b'/' | b'%')) => expression(word, *delimiter)?,
            _ => What::Line(line(word, &mut last)?),
        };
        let repeat = match words.next_if(|w| w.starts_with(b"{")) {
            Some(count) => repetition(count)?,
            None => Some(0),
        };
        patterns.push(Pattern { what, text: word.clone(), repeat });
    }
    Ok(patterns)
}

fn line(word: &[u8], last: &mut u64) -> Result<u64, i32> {
    let Ok(number) = number::unsigned(word, "") else {
        warn!("csplit", quote(word), ": invalid pattern");
        return Err(1);
    };
    if number == 0 {
        warn!("csplit", word, ": line number must be greater than zero");
        return Err(1);
    }
    if number < *last {
        warn!("csplit", "line number ", quote(word), " is smaller than preceding line number, ", *last);
        return Err(1);
    }
    if number == *last {
        warn!("csplit", "warning: line number ", quote(word), " is the same as preceding line number");
    }
    *last = number;
    Ok(number)
}

fn expression(word: &[u8], delimiter: u8) -> Result<What, i32> {
    let Some(end) = word.iter().rposition(|b| *b == delimiter).filter(|end| *end > 0) else {
        warn!("csplit", word, ": closing delimiter '", &[delimiter][..], "' missing");
        return Err(1);
    };
    let regex = Regex::new(&word[1..end], Syntax::POSIX_BASIC, Flags::default()).map_err(|e| {
        warn!("csplit", quote(word), ": invalid regular expression: ", e.to_string());
        1
    })?;
    let offset = match &word[end + 1..] {
        [] => 0,
        text => offset(text).ok_or_else(|| {
            warn!("csplit", quote(word), ": integer expected after delimiter");
            1
        })?,
    };
    Ok(What::Match { regex: Box::new(regex), offset, skip: delimiter == b'%' })
}

fn offset(text: &[u8]) -> Option<i64> {
    match text.strip_prefix(b"-") {
        Some(digits) if digits.first()?.is_ascii_digit() => {
            0i64.checked_sub_unsigned(number::unsigned(digits, "").ok()?)
        }
        Some(_) => None,
        None => i64::try_from(number::unsigned(text, "").ok()?).ok(),
    }
}

fn repetition(word: &[u8]) -> Result<Option<u64>, i32> {
    let Some(inner) = word.strip_prefix(b"{").and_then(|w| w.strip_suffix(b"}")) else {
        warn!("csplit", quote(word), ": '}' is required in repeat count");
        return Err(1);
    };
    if inner == b"*" {
        return Ok(None);
    }
    number::unsigned(inner, "").map(Some).map_err(|_| {
        warn!("csplit", quote(&word[..word.len() - 1]), "}: integer required between '{' and '}'");
        1
    })
}
