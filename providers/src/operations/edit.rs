//! Replaces literal text.

use memchr::memmem;

use crate::{EditRequest, FailureReason};

/// The content after `edit`, and how often the text was replaced.
///
/// # Errors
///
/// `EmptyOldText`, `NotText`, `TextNotFound`, `TextNotUnique`.
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
        let occurrences: Vec<usize> = memmem::find_iter(content, old.as_bytes()).collect();
        match occurrences.len() {
            0 => {}
            1 => return Ok((splice(content, &occurrences, &old, &new), 1)),
            count if edit.replace_all => {
                return Ok((splice(content, &occurrences, &old, &new), count as u64));
            }
            count => {
                return Err(FailureReason::TextNotUnique {
                    old: edit.old.clone(),
                    occurrences: count as u64,
                });
            }
        }
    }
    Err(FailureReason::TextNotFound { old: edit.old.clone() })
}

fn splice(content: &[u8], occurrences: &[usize], old: &str, new: &str) -> Vec<u8> {
    let mut result = Vec::with_capacity(content.len() + occurrences.len() * new.len());
    let mut rest = 0;
    for &start in occurrences {
        result.extend_from_slice(content.get(rest..start).unwrap_or_default());
        result.extend_from_slice(new.as_bytes());
        rest = start + old.len();
    }
    result.extend_from_slice(content.get(rest..).unwrap_or_default());
    result
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
}
