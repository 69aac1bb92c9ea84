//! Lists of files and of matching lines, with one line for each.

use super::answers::{Entries, Entry, Match, Matches, answered, number};
use super::workspace::Workspace;
use crate::cli::failure::is_active;
use rmcp::model::CallToolResult;
use sandshell::{FileInfo, GrepResult};
use std::fmt::Write as _;

const MORE: &str = "[there are more: narrow the search]";

/// A path for display in a line: if it contains characters that would end the line or that a terminal acts on, they
/// are escaped and the path is quoted.
pub(super) fn shown(path: &str) -> String {
    if path.chars().any(is_active) { format!("{path:?}") } else { path.to_owned() }
}

/// Lists files and directories. `more` says that the search found more than these.
pub(super) async fn entries(workspace: &Workspace, found: Vec<FileInfo>, more: bool) -> CallToolResult {
    let mut text = String::new();
    for entry in &found {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}{}", shown(&entry.path), if entry.is_dir { "/" } else { "" });
    }
    let (text, kept, note) = cut(workspace, text, more).await;
    let entry = |info: FileInfo| Entry { path: info.path, is_dir: info.is_dir, size: number(info.size) };
    let entries = found.into_iter().take(kept).map(entry).collect();
    answered(text, &Entries { entries, truncated: note.is_some(), note })
}

/// Lists lines that contain a text.
pub(super) async fn matches(workspace: &Workspace, found: GrepResult) -> CallToolResult {
    let mut text = String::new();
    for line in &found.matches {
        let _ = writeln!(text, "{}:{}:{}", shown(&line.path), line.line, line.text);
    }
    let (text, kept, note) = cut(workspace, text, found.truncated).await;
    let one =
        |found: sandshell::GrepMatch| Match { path: found.path, line: number(found.line), text: found.text };
    let matches = found.matches.into_iter().take(kept).map(one).collect();
    answered(text, &Matches { matches, truncated: note.is_some(), note })
}

/// The first page of a list, how many entries are complete in it, and, if there is more, how to see the rest.
async fn cut(workspace: &Workspace, mut text: String, more: bool) -> (String, usize, Option<String>) {
    if more {
        text.push_str(MORE);
        text.push('\n');
    }
    let paged = workspace.paged(text).await;
    let lines = paged.shown.bytes().filter(|byte| *byte == b'\n').count();
    let note = paged.note.clone().or_else(|| more.then(|| MORE.to_owned()));
    (paged.text(), lines, note)
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_name_is_one_line() {
        assert_eq!(shown("/w/ä b"), "/w/ä b");
        assert_eq!(shown("/w/a\nb"), r#""/w/a\nb""#);
        assert_eq!(shown("/w/\u{1b}[2J"), r#""/w/\u{1b}[2J""#);
    }
}
