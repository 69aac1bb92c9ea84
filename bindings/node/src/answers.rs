//! Answers as plain JavaScript objects.

use napi::bindgen_prelude::{Buffer, Either, Float64Array};
use napi_derive::napi;
use sandshell_bindings::{limit_name, sandshell as library};
use std::time::{SystemTime, UNIX_EPOCH};

/// An array, because setting an object's properties by their names takes longer than a short command:
///
/// 0. the exit code;
/// 1. standard output, standard error, and both interleaved, in one buffer, because three would be expensive; the third
///    part may be the same bytes as the first two; or a string, if it is short text that all went to standard output,
///    because a buffer takes longer;
/// 2. where standard output ends; 3. where standard error ends; 4. where both interleaved begin;
/// 5. whether it is truncated; 6. whether it timed out; 7. the limits, if there are some; 8. milliseconds.
#[napi(array)]
pub struct ExecuteAnswer(
    pub Option<i32>,
    pub Either<Buffer, String>,
    pub i64,
    pub i64,
    pub i64,
    pub bool,
    pub bool,
    pub Option<Vec<LimitAnswer>>,
    pub f64,
);

/// Longer text is a string only when it is asked for.
const SHORT: usize = 4096;

#[napi(object)]
pub struct SessionAnswer {
    pub result: ExecuteAnswer,
    pub background: Buffer,
    /// Why the shell is a new one.
    pub restarted: Option<String>,
    pub ended: bool,
}

impl From<library::SessionResponse> for SessionAnswer {
    fn from(answer: library::SessionResponse) -> Self {
        let library::SessionResponse { response, background, restarted, ended, .. } = answer;
        Self { result: response.into(), background: background.to_vec().into(), restarted, ended }
    }
}

#[napi(object)]
pub struct ScreenAnswer {
    pub text: String,
    pub rows: u32,
    pub columns: u32,
    pub cursor_row: u32,
    pub cursor_column: u32,
    pub title: String,
    pub settled: bool,
    /// The shell's status.
    pub ended: Option<i32>,
    pub restarted: Option<String>,
}

impl From<library::TerminalScreen> for ScreenAnswer {
    fn from(screen: library::TerminalScreen) -> Self {
        Self {
            text: screen.text,
            rows: screen.size.rows.into(),
            columns: screen.size.columns.into(),
            cursor_row: screen.cursor.0.into(),
            cursor_column: screen.cursor.1.into(),
            title: screen.title,
            settled: screen.settled,
            ended: screen.ended,
            restarted: screen.restarted,
        }
    }
}

#[napi(object)]
pub struct LimitAnswer {
    pub kind: String,
    pub message: String,
}

#[napi(object)]
pub struct ReadAnswer {
    pub kind: String,
    pub text: Option<String>,
    pub content: Option<Buffer>,
    pub start_line: Option<i64>,
    pub end_line: Option<i64>,
    pub total_lines: Option<i64>,
    pub next_offset: Option<i64>,
    pub truncated: bool,
}

/// Any number of files in two values, because JavaScript creates the objects faster itself.
#[napi(object)]
pub struct FilesAnswer {
    /// The paths, with a NUL after each.
    pub paths: String,
    /// Three numbers for each file: the flags [`DIRECTORY`] and [`SYMLINK`], its size, and its time in milliseconds
    /// since 1970 or NaN if unknown.
    pub facts: Float64Array,
}

const DIRECTORY: u8 = 1;
const SYMLINK: u8 = 2;

#[napi(object)]
pub struct MatchAnswer {
    pub path: String,
    pub line: i64,
    pub text: String,
}

#[napi(object)]
pub struct GrepAnswer {
    pub matches: Vec<MatchAnswer>,
    pub truncated: bool,
}

#[napi(object)]
pub struct GlobAnswer {
    pub matches: FilesAnswer,
    pub truncation: Option<String>,
}

#[napi(object)]
pub struct DownloadAnswer {
    pub content: Option<Buffer>,
    pub error: Option<String>,
}

/// Counts of files and lines are far below the limit of exact integers in JavaScript.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn position(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

fn buffer(bytes: impl AsRef<[u8]>) -> Buffer {
    Buffer::from(bytes.as_ref().to_vec())
}

impl From<library::ExecuteResponse> for ExecuteAnswer {
    fn from(answer: library::ExecuteResponse) -> Self {
        let limit = |limit: library::LimitReached| LimitAnswer {
            kind: limit_name(limit.kind).to_owned(),
            message: limit.message,
        };
        let (stdout, stderr, output) = (&answer.stdout, &answer.stderr, &answer.output);
        let is_short = stdout.len() <= SHORT && stderr.is_empty() && stdout == output;
        let mut bytes = Vec::with_capacity(stdout.len() + stderr.len() + output.len());
        bytes.extend_from_slice(stdout);
        bytes.extend_from_slice(stderr);
        let ends = (position(stdout.len()), position(bytes.len()));
        let output_start = if bytes == *output {
            0
        } else {
            bytes.extend_from_slice(output);
            ends.1
        };
        let limits: Vec<_> = answer.limits.into_iter().map(limit).collect();
        Self(
            answer.exit_code,
            if is_short { text(bytes) } else { Either::A(bytes.into()) },
            ends.0,
            ends.1,
            output_start,
            answer.truncated,
            answer.timed_out,
            Some(limits).filter(|limits| !limits.is_empty()),
            answer.duration.as_secs_f64() * 1000.0,
        )
    }
}

/// The bytes as a string, if they are text.
fn text(bytes: Vec<u8>) -> Either<Buffer, String> {
    String::from_utf8(bytes).map_or_else(|error| Either::A(error.into_bytes().into()), Either::B)
}

impl From<library::ReadResult> for ReadAnswer {
    fn from(answer: library::ReadResult) -> Self {
        use library::ReadContent as C;
        let page = answer.page();
        let (kind, content) = match &answer.content {
            C::Text(_) => ("text", None),
            C::Binary(content) => ("binary", Some(buffer(content))),
            C::Empty => ("empty", None),
            _ => ("no_lines", None),
        };
        Self {
            kind: kind.to_owned(),
            text: answer.text().map(str::to_owned),
            content,
            start_line: page.map(|page| number(page.start_line)),
            end_line: page.map(|page| number(page.end_line)),
            total_lines: page.and_then(|page| page.total_lines).map(number),
            next_offset: page.and_then(|page| page.next_offset).map(number),
            truncated: page.is_some_and(|page| page.truncated),
        }
    }
}

impl From<Vec<library::FileInfo>> for FilesAnswer {
    #[allow(
        clippy::cast_precision_loss,
        reason = "sizes are far below what JavaScript's numbers hold exactly"
    )]
    fn from(files: Vec<library::FileInfo>) -> Self {
        let since = |time: SystemTime| Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs_f64() * 1000.0);
        let mut paths = String::with_capacity(files.iter().map(|info| info.path.len() + 1).sum());
        let mut facts = Vec::with_capacity(3 * files.len());
        for info in files {
            // No real path contains a NUL, but a service may send one.
            paths.extend(info.path.chars().map(|letter| if letter == '\0' { '\u{fffd}' } else { letter }));
            paths.push('\0');
            let kind = if info.is_dir { DIRECTORY } else { 0 } | if info.is_symlink { SYMLINK } else { 0 };
            let modified_at = info.modified_at.and_then(since).unwrap_or(f64::NAN);
            facts.extend([f64::from(kind), info.size as f64, modified_at]);
        }
        Self { paths, facts: facts.into() }
    }
}

impl From<library::GrepResult> for GrepAnswer {
    fn from(answer: library::GrepResult) -> Self {
        let line = |found: library::GrepMatch| MatchAnswer {
            path: found.path,
            line: number(found.line),
            text: found.text,
        };
        Self { matches: answer.matches.into_iter().map(line).collect(), truncated: answer.truncated }
    }
}

impl From<library::GlobResult> for GlobAnswer {
    fn from(answer: library::GlobResult) -> Self {
        let truncation = answer.truncation.map(|why| match why {
            library::GlobTruncation::Budget => "budget".to_owned(),
            _ => "unreadable".to_owned(),
        });
        Self { matches: answer.matches.into(), truncation }
    }
}

impl From<library::FileDownloadResponse> for DownloadAnswer {
    fn from(answer: library::FileDownloadResponse) -> Self {
        match answer.result {
            Ok(content) => Self { content: Some(buffer(content)), error: None },
            Err(error) => Self { content: None, error: Some(error.to_string()) },
        }
    }
}
