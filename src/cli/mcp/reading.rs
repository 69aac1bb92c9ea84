//! Reading text files: one from any line, or the first lines of several.

use super::answers::{Files, Lines, OneFile, number};
use super::listing::shown;
use super::pages;
use super::workspace::Workspace;
use sandshell::{LineRange, SandboxExt};
use std::fmt::Write as _;

/// Lines of a file, at most `room` bytes of them.
pub(super) async fn lines(
    workspace: &Workspace,
    path: String,
    range: LineRange,
    room: usize,
) -> Result<Lines, String> {
    let offset = range.offset;
    let read = workspace.sandbox.read(&path, range).await.map_err(|error| error.to_string())?;
    let Some(content) = read.text() else {
        return Err(format!("{} is not text: `download` returns its bytes", shown(&path)));
    };
    let mut content = content.to_owned();
    let page = read.page();
    let mut next = page.and_then(|page| page.next_offset);
    let mut cut_line = false;
    if let Some(cut) = pages::first(&content, room) {
        content.truncate(cut.end);
        match cut.next_offset {
            Some(lines) => next = Some(offset + lines as u64),
            None => cut_line = true,
        }
    }
    Ok(Lines {
        path,
        content,
        next_offset: next.map(number),
        total_lines: page.and_then(|page| page.total_lines).map(number),
        truncated: next.is_some() || cut_line,
    })
}

/// The lines, followed by how to read on.
pub(super) fn text(lines: &Lines, offset: u64) -> String {
    let mut text = lines.content.clone();
    match lines.next_offset {
        Some(next) => {
            let of = lines.total_lines.map(|total| format!(" of {total}")).unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = write!(text, "\n[lines {} to {next}{of}; offset {next} goes on]", offset + 1);
        }
        None if lines.truncated => text.push_str("\n[the line goes on: use `cut -c`]"),
        None => {}
    }
    text
}

/// The first lines of several files. Each file gets an equal share of the answer's size limit.
pub(super) async fn files(workspace: &Workspace, paths: &[String], limit: u64) -> Files {
    let room = workspace.max_output() / paths.len().max(1);
    let mut files = Files { files: Vec::with_capacity(paths.len()), truncated: false };
    for path in paths {
        let path = workspace.path(Some(path));
        let read = lines(workspace, path.clone(), LineRange::new(0, limit), room).await;
        files.files.push(match read {
            Ok(lines) => {
                files.truncated |= lines.truncated;
                OneFile { path, content: Some(lines.content), error: None, next_offset: lines.next_offset }
            }
            Err(why) => OneFile { path, content: None, error: Some(why), next_offset: None },
        });
    }
    files
}

/// Several files one after the other, each after a line with its name.
pub(super) fn all(files: &Files) -> String {
    let mut text = String::new();
    for file in &files.files {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "==> {} <==", shown(&file.path));
        match (&file.content, &file.error) {
            (Some(content), _) => {
                text.push_str(content);
                if !content.is_empty() && !content.ends_with('\n') {
                    text.push('\n');
                }
            }
            (None, error) => {
                let _ = writeln!(text, "[{}]", error.as_deref().unwrap_or("cannot be read"));
            }
        }
        if let Some(next) = file.next_offset {
            let _ = writeln!(text, "[read_file with offset {next} goes on]");
        }
    }
    text
}
