//! Replaces literal text.

use memchr::memmem;

use crate::{EditRequest, FailureReason};

/// The most bytes of a file after its text was replaced: as many as a file has that is read as a whole.
pub const MAX_RESULT: usize = 1 << 30;

/// The content after `edit`, and how often the text was replaced.
///
/// # Errors
///
/// `EmptyOldText`, `NotText`, `TextNotFound`, `TextNotUnique`; `Other` if the result had more than 1 GiB.
pub fn replace(content: &[u8], edit: &EditRequest) -> Result<(Vec<u8>, u64), FailureReason> {
    if edit.old.is_empty() {
        return Err(FailureReason::EmptyOldText);
    }
    if std::str::from_utf8(content).is_err() {
        return Err(FailureReason::NotText);
    }
    let as_given = (edit.old.clone(), edit.new.clone());
    let as_crlf = (to_crlf(&edit.old), to_crlf(&edit.new));
    let as_lf = (to_lf(&edit.old), to_lf(&edit.new));
    for (old, new) in [as_given, as_crlf, as_lf] {
        match memmem::find_iter(content, &old).count() as u64 {
            0 => {}
            count if count == 1 || edit.replace_all => {
                return replace_each(content, old.as_bytes(), new.as_bytes()).ok_or_else(|| {
                    FailureReason::Other(format!("the file would have more than {MAX_RESULT} bytes"))
                });
            }
            occurrences => {
                return Err(FailureReason::TextNotUnique { old: edit.old.clone(), occurrences });
            }
        }
    }
    Err(FailureReason::TextNotFound { old: edit.old.clone() })
}

/// The content after each occurrence of `old` was replaced, and how many there were. An empty text does not occur.
/// `None` if the result had more than [`MAX_RESULT`] bytes.
pub fn replace_each(content: &[u8], old: &[u8], new: &[u8]) -> Option<(Vec<u8>, u64)> {
    if old.is_empty() {
        return Some((content.to_owned(), 0));
    }
    let finder = memmem::Finder::new(old);
    let count = finder.find_iter(content).count();
    // There are at most as many occurrences as the content has room for.
    let kept = content.len() - count * old.len();
    let size = count.checked_mul(new.len())?.checked_add(kept).filter(|size| *size <= MAX_RESULT)?;
    let mut result = Vec::with_capacity(size);
    let mut rest = 0;
    for start in finder.find_iter(content) {
        result.extend_from_slice(content.get(rest..start).unwrap_or_default());
        result.extend_from_slice(new);
        rest = start + old.len();
    }
    result.extend_from_slice(content.get(rest..).unwrap_or_default());
    Some((result, count as u64))
}

fn to_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn to_crlf(text: &str) -> String {
    to_lf(text).replace('\n', "\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(content: &str, old: &str, new: &str, replace_all: bool) -> Result<(String, u64), FailureReason> {
        let request = EditRequest { old: old.into(), new: new.into(), replace_all };
        replace(content.as_bytes(), &request)
            .map(|(bytes, count)| (String::from_utf8(bytes).expect("UTF-8 stays UTF-8"), count))
    }

    #[test]
    fn one_occurrence() {
        assert_eq!(edit("Hello world", "world", "you", false), Ok(("Hello you".into(), 1)));
        assert_eq!(edit("aXb", "X", "", false), Ok(("ab".into(), 1)));
        assert_eq!(edit("same", "same", "same", false), Ok(("same".into(), 1)));
        assert_eq!(edit("👋 世界", "👋", "🌍", false), Ok(("🌍 世界".into(), 1)));
    }

    #[test]
    fn several_occurrences_need_replace_all() {
        assert_eq!(
            edit("a a a", "a", "b", false),
            Err(FailureReason::TextNotUnique { old: "a".into(), occurrences: 3 })
        );
        assert_eq!(edit("a a a", "a", "bb", true), Ok(("bb bb bb".into(), 3)));
        assert_eq!(edit("aaaa", "aa", "b", true), Ok(("bb".into(), 2)), "counting does not overlap");
    }

    #[test]
    fn patterns_are_literal() {
        assert_eq!(
            edit("cost $100.00 [x]+", "$100.00 [x]+", "\\1 & $0", false),
            Ok(("cost \\1 & $0".into(), 1))
        );
    }

    #[test]
    fn the_file_keeps_its_line_ends() {
        assert_eq!(edit("a\r\nb\r\nc\r\n", "a\nb", "x\ny", false), Ok(("x\r\ny\r\nc\r\n".into(), 1)));
        assert_eq!(edit("a\nb\nc\n", "a\r\nb", "x\r\ny", false), Ok(("x\ny\nc\n".into(), 1)));
        assert_eq!(
            edit("a\r\nb\r\n", "a", "x\ny", false),
            Ok(("x\ny\r\nb\r\n".into(), 1)),
            "as given comes first"
        );
        let mixed = edit("a\nb\na\r\nb\r\n", "a\nb", "z", true);
        assert_eq!(mixed, Ok(("z\na\r\nb\r\n".into(), 1)), "only the first style that matches");
    }

    #[test]
    fn refusals() {
        assert_eq!(edit("a", "", "b", true), Err(FailureReason::EmptyOldText));
        assert_eq!(edit("a", "b", "c", true), Err(FailureReason::TextNotFound { old: "b".into() }));
        assert_eq!(replace(b"\xff\xfe", &EditRequest::once("a", "b")), Err(FailureReason::NotText));
    }

    /// 30 MB of a letter, each replaced by a thousand, would be 30 GB: the whole program ended.
    #[test]
    fn a_result_that_is_too_large_is_refused() {
        let content = "a".repeat(2 << 20);
        let refused = edit(&content, "a", &"b".repeat(1000), true);
        assert!(matches!(refused, Err(FailureReason::Other(why)) if why.contains("1073741824 bytes")));
        assert_eq!(
            edit(&content, "a", "bc", true).map(|(after, count)| (after.len(), count)),
            Ok((4 << 20, 2 << 20))
        );
    }
}
