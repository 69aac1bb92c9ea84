//! Splits long texts into pages.

/// The first page of a text that is longer than a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Its length in bytes.
    pub(super) end: usize,
    /// The number of its lines, if it ends at the end of a line.
    pub(super) next_offset: Option<usize>,
}

/// The first page, of at most `limit` bytes. It ends at the end of a line if one fits. `None` if the whole text
/// fits in one page.
pub(super) fn first(text: &str, limit: usize) -> Option<Page> {
    if text.len() <= limit {
        return None;
    }
    let end = text.floor_char_boundary(limit);
    let page = text.get(..end)?;
    Some(match page.rfind('\n') {
        Some(newline) => {
            Page { end: newline + 1, next_offset: Some(page.bytes().filter(|byte| *byte == b'\n').count()) }
        }
        None => Page { end, next_offset: None },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_end_with_lines_where_they_can() {
        assert_eq!(first("a\nb\n", 4), None);
        assert_eq!(first("a\nb\nc\n", 5), Some(Page { end: 4, next_offset: Some(2) }));
        assert_eq!(first("aaaaaa", 5), Some(Page { end: 5, next_offset: None }));
        assert_eq!(first("aäää", 4), Some(Page { end: 3, next_offset: None }));
    }
}
