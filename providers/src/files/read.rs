//! A page of a file.

use bytes::Bytes;

/// A range of lines of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// How many lines to skip.
    pub offset: u64,
    /// How many lines to return at most. Zero returns [`ReadContent::NoLines`].
    pub limit: u64,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadResult {
    /// The content; its form depends on the kind of file.
    pub content: ReadContent,
}

/// The forms that content can take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadContent {
    /// Lines of a text file.
    Text(Page),
    /// All of a binary file.
    Binary(Bytes),
    /// The file has no bytes.
    Empty,
    /// A text file of which zero lines were asked for.
    NoLines,
}

/// Consecutive lines of a text file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The lines joined by `\n`, without one after the last; followed by [`Page::TRUNCATION_NOTICE`] if
    /// `truncated`.
    pub text: String,
    /// The number of the first line, from 1.
    pub start_line: u64,
    /// The number of the last line, from 1.
    pub end_line: u64,
    /// The number of lines in the whole file; `None` if counting them would cost too much.
    pub total_lines: Option<u64>,
    /// The [`LineRange::offset`] to read on after this page (equal to `end_line`); `None` at the end of the file.
    pub next_offset: Option<u64>,
    /// The page was cut at its size limit. A partial last line is not counted in `end_line`, unless it is the only
    /// line: then it is counted, so that reading on makes progress.
    pub truncated: bool,
}

impl LineRange {
    /// Every line.
    pub const ALL: Self = Self { offset: 0, limit: u64::MAX };

    /// `limit` lines after the first `offset`.
    pub const fn new(offset: u64, limit: u64) -> Self {
        Self { offset, limit }
    }
}

impl Default for LineRange {
    /// The first 2,000 lines.
    fn default() -> Self {
        Self::new(0, 2000)
    }
}

impl Page {
    /// Added to the text of a page that was cut.
    pub const TRUNCATION_NOTICE: &str = "\n\n[Output was truncated due to size limits. \
        This paginated read result exceeded the sandbox stdout limit. \
        Continue reading with a larger offset or smaller limit to inspect the rest of the file.]";
}

impl ReadResult {
    /// Shown instead of the content of a file without bytes.
    pub const EMPTY_NOTICE: &str = "System reminder: File exists but has empty contents";

    /// The text to show: that of a page, the notice for an empty file, or an empty string for no lines. `None` for
    /// binary content.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            ReadContent::Text(page) => Some(&page.text),
            ReadContent::Empty => Some(Self::EMPTY_NOTICE),
            ReadContent::NoLines => Some(""),
            ReadContent::Binary(_) => None,
        }
    }

    /// The page, if it is a text file.
    pub fn page(&self) -> Option<&Page> {
        match &self.content {
            ReadContent::Text(page) => Some(page),
            _ => None,
        }
    }
}

impl From<ReadContent> for ReadResult {
    fn from(content: ReadContent) -> Self {
        Self { content }
    }
}
