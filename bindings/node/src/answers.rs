//! Answers as plain objects.

use napi::bindgen_prelude::Buffer;
use napi_derive::napi;
use sandshell_bindings::{limit_name, sandshell as library};
use std::time::{SystemTime, UNIX_EPOCH};

#[napi(object)]
pub struct ExecuteAnswer {
    pub exit_code: Option<i32>,
    pub output: Buffer,
    pub stdout: Buffer,
    pub stderr: Buffer,
    pub truncated: bool,
    pub timed_out: bool,
    pub limits: Vec<LimitAnswer>,
    pub duration: f64,
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

#[napi(object)]
pub struct FileAnswer {
    pub path: String,
    pub is_dir: bool,
    pub is_symlink: bool,
    pub size: i64,
    /// Milliseconds since 1970.
    pub modified_at: Option<f64>,
}

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
    pub matches: Vec<FileAnswer>,
    pub truncation: Option<String>,
}

#[napi(object)]
pub struct DownloadAnswer {
    pub content: Option<Buffer>,
    pub error: Option<String>,
}

/// Numbers of files and lines are far below what JavaScript's numbers hold exactly.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
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
        Self {
            exit_code: answer.exit_code,
            output: buffer(answer.output),
            stdout: buffer(answer.stdout),
            stderr: buffer(answer.stderr),
            truncated: answer.truncated,
            timed_out: answer.timed_out,
            limits: answer.limits.into_iter().map(limit).collect(),
            duration: answer.duration.as_secs_f64() * 1000.0,
        }
    }
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

impl From<library::FileInfo> for FileAnswer {
    fn from(info: library::FileInfo) -> Self {
        let since = |time: SystemTime| Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs_f64() * 1000.0);
        Self {
            path: info.path,
            is_dir: info.is_dir,
            is_symlink: info.is_symlink,
            size: number(info.size),
            modified_at: info.modified_at.and_then(since),
        }
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
        Self { matches: answer.matches.into_iter().map(FileAnswer::from).collect(), truncation }
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
