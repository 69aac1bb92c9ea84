//! The tools' answers as data. They say the same as the text does, for clients that read only one of the two.
//!
//! Numbers are `i64`, because most validators do not know the format names that the schema would have for unsigned
//! and wider integers.

use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;
use std::collections::BTreeMap;

/// A command that ran, or was started.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Executed {
    /// Standard output and standard error as they were written, or the first page of them.
    pub(super) output: String,
    /// The status; absent if it is unknown or the command runs in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exit_code: Option<i64>,
    /// Whether it was stopped because its time was up.
    pub(super) timed_out: bool,
    /// Whether `output` is not all that was written.
    pub(super) truncated: bool,
    /// How long it ran.
    pub(super) duration_seconds: f64,
    /// Limits that it ran into, and how to read on where the output is cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
    /// The file in the sandbox with the whole output, if it is cut or the command runs in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_file: Option<String>,
    /// The process, if it runs in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pid: Option<i64>,
    /// What the session's jobs wrote between its last command and this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) background_output: Option<String>,
}

/// What a session's jobs wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct JobOutput {
    /// What they wrote since the session's last answer, or the first page of it.
    pub(super) output: String,
    /// Whether `output` is not all.
    pub(super) truncated: bool,
    /// How to read on, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

/// The sandbox's sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShellSessions {
    /// In order of their names.
    pub(super) sessions: Vec<ShellSession>,
}

/// A shell that lives.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShellSession {
    /// Its name.
    pub(super) session: String,
    /// Whether a command runs in it.
    pub(super) busy: bool,
    /// Whether it is one of `terminal`.
    pub(super) terminal: bool,
}

/// What a terminal shows.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Shown {
    /// The screen's lines, without the blanks at their ends and the empty lines at the end.
    pub(super) screen: String,
    /// How many rows the screen has.
    pub(super) rows: i64,
    /// How many columns it has.
    pub(super) columns: i64,
    /// The cursor's row, from 0.
    pub(super) cursor_row: i64,
    /// The cursor's column, from 0.
    pub(super) cursor_column: i64,
    /// Whether what was waited for came in time.
    pub(super) settled: bool,
    /// The status, if the shell has ended: the next call gets a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ended: Option<i64>,
    /// Why the shell is a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) restarted: Option<String>,
}

/// A session that is there no more.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionEnd {
    /// Its name.
    pub(super) session: String,
}

/// Lines of a text file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Lines {
    /// The file.
    pub(super) path: String,
    /// The lines.
    pub(super) content: String,
    /// The offset that goes on, if these are not the last lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<i64>,
    /// Lines of the whole file, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_lines: Option<i64>,
    /// Whether `content` is not the file's rest.
    pub(super) truncated: bool,
}

/// The first lines of several files, in the order in which they were asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Files {
    /// One for each path.
    pub(super) files: Vec<OneFile>,
    /// Whether some file is not whole.
    pub(super) truncated: bool,
}

/// One of several files.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OneFile {
    /// The file.
    pub(super) path: String,
    /// Its lines; absent if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// The offset with which `read_file` goes on, if these are not the last lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<i64>,
}

/// A file that was written or put there.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Written {
    /// The file.
    pub(super) path: String,
    /// Its bytes.
    pub(super) size: i64,
}

/// A file that was edited.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Edited {
    /// The file.
    pub(super) path: String,
    /// How often the text was replaced.
    pub(super) replacements: i64,
}

/// Entries of a directory, or files that were found.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Entries {
    /// In order of their paths.
    pub(super) entries: Vec<Entry>,
    /// Whether there are more.
    pub(super) truncated: bool,
    /// How to see the rest, if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

/// A file or directory.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Entry {
    /// Its absolute path.
    pub(super) path: String,
    /// Whether it is a directory.
    pub(super) is_dir: bool,
    /// Its bytes.
    pub(super) size: i64,
}

/// Lines that hold a text.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Matches {
    /// In order of their files and lines.
    pub(super) matches: Vec<Match>,
    /// Whether there are more.
    pub(super) truncated: bool,
    /// How to see the rest, if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

/// A line that holds a text.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Match {
    /// The file.
    pub(super) path: String,
    /// The line's number, from 1.
    pub(super) line: i64,
    /// The line.
    pub(super) text: String,
}

/// A whole file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Downloaded {
    /// The file.
    pub(super) path: String,
    /// Its bytes.
    pub(super) size: i64,
    /// Its text, if it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// Its bytes in base64, if it is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base64: Option<String>,
}

/// A path that is gone.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Deleted {
    /// What was there.
    pub(super) path: String,
}

/// A file or directory that has another name now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Moved {
    /// Its path before.
    pub(super) from: String,
    /// Its path now.
    pub(super) to: String,
}

/// A state of the files that `restore` brings back.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Snapshot {
    /// What `restore` takes.
    pub(super) snapshot: String,
}

/// The sandbox that the session works in.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Using {
    /// Its id.
    pub(super) sandbox: String,
    /// Where relative paths begin.
    pub(super) workdir: String,
}

/// A sandbox.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listed {
    /// Its id.
    pub(super) sandbox: String,
}

/// Sandboxes that are kept.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Sandboxes {
    /// Oldest first.
    pub(super) sandboxes: Vec<Listing>,
    /// What `list_sandboxes` goes on with, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

/// One of them.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listing {
    /// Its id.
    pub(super) id: String,
    /// `running` or `paused`.
    pub(super) state: &'static str,
    /// Names and values to find it by.
    pub(super) labels: BTreeMap<String, String>,
}

/// The user's files as they were changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Changes {
    /// A patch that `git apply` takes, or the first page of it; empty if nothing is changed.
    pub(super) patch: String,
    /// Whether the patch is not whole.
    pub(super) truncated: bool,
    /// How to see the rest, if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

/// An answer as text and as data.
pub(super) fn answered(text: impl Into<String>, data: &impl Serialize) -> CallToolResult {
    with_block(ContentBlock::text(text), data)
}

/// An answer as a content block that need not be text, and as data.
pub(super) fn with_block(block: ContentBlock, data: &impl Serialize) -> CallToolResult {
    match serde_json::to_value(data) {
        Ok(data) => {
            let mut result = CallToolResult::success(vec![block]);
            result.structured_content = Some(data);
            result
        }
        // For example numbers that JSON cannot express.
        Err(error) => refused(error),
    }
}

/// What the model is told when a tool failed.
pub(super) fn refused(why: impl std::fmt::Display) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why.to_string())])
}

/// A count for an answer; one that is too large becomes the greatest `i64`.
pub(super) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
