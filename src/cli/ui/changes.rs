//! How two states differ.

use super::Ui;
use super::answer::{Answer, Refusal};
use super::files::{kind, root};
use super::query::Query;
use sandshell::names;
use sandshell::vfs::{
    Change, ChangeKind, Context, Errno, FileKind, Follow, MountOptions, Namespace, OpenOptions, Opened,
    text_diff,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The changes on a page.
const PAGE: usize = 500;

/// The most bytes of a file whose contents are compared.
const COMPARED: u64 = 1 << 20;

/// The most bytes of a difference that are shown.
const SHOWN: usize = 512 << 10;

/// The files that differ between two states or snapshots.
pub(super) fn list(ui: &Ui, query: &Query) -> Answer {
    let (id, skip) = (query.text("id")?, usize::try_from(query.number("after")?).unwrap_or(usize::MAX));
    let (before, after) = (root(ui, id, query.get("from"))?, root(ui, id, query.get("to"))?);
    let (before, after) = (ui.store.files(&before)?.snapshot(), ui.store.files(&after)?.snapshot());
    let changes = after.changes(&before)?;
    let shown: Vec<Value> = changes.iter().skip(skip).take(PAGE).map(described).collect();
    let next = skip.saturating_add(PAGE);
    Ok(json!({"total": changes.len(), "changes": shown, "next": (next < changes.len()).then_some(next)}))
}

fn described(change: &Change) -> Value {
    json!({
        "path": format!("/{}", names::text(&change.path)),
        "change": match change.change {
            ChangeKind::Added => "added",
            ChangeKind::Changed => "changed",
            ChangeKind::Removed => "removed",
        },
        "kind": kind(change.kind),
        "size": change.size,
        "mode": format!("{:04o}", change.mode),
        "old_mode": change.old_mode.map(|mode| format!("{mode:04o}")),
    })
}

/// How one file differs, as a unified diff without its head.
pub(super) fn diff(ui: &Ui, query: &Query) -> Answer {
    let (id, path) = (query.text("id")?, query.path("path")?);
    let before = contents(ui, id, query.get("from"), &path)?;
    let after = contents(ui, id, query.get("to"), &path)?;
    let (Contents::Bytes(before), Contents::Bytes(after)) = (before, after) else {
        return Ok(json!({"why": format!("only files of up to {COMPARED} bytes are compared")}));
    };
    let Some(mut diff) = text_diff(&before, &after) else {
        return Ok(json!({"why": "it is not text"}));
    };
    let cut = diff.len() > SHOWN;
    if cut {
        let end = last_whole_line(&diff, SHOWN);
        diff.truncate(end);
    }
    Ok(json!({"diff": String::from_utf8_lossy(&diff), "cut": cut}))
}

/// The end of the last whole line before `limit`.
fn last_whole_line(text: &[u8], limit: usize) -> usize {
    text[..limit].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
}

enum Contents {
    Bytes(Vec<u8>),
    TooLarge,
}

/// What a path has in a state; nothing if it is missing there. Of a link its text.
fn contents(ui: &Ui, id: &str, at: Option<&str>, path: &[u8]) -> Result<Contents, Refusal> {
    let files = ui.store.files(&root(ui, id, at)?)?;
    let files = Namespace::new(Arc::new(files), MountOptions { read_only: true });
    let metadata = match files.metadata(&Context::ROOT, &files.root(), path, Follow::No) {
        Ok(metadata) => metadata,
        Err(Errno::NoEnt | Errno::NotDir) => return Ok(Contents::Bytes(Vec::new())),
        Err(errno) => return Err(errno.into()),
    };
    match metadata.kind {
        FileKind::Symlink => {
            let target = files.read_link(&Context::ROOT, &files.root(), path)?;
            Ok(Contents::Bytes([&target[..], b"\n"].concat()))
        }
        FileKind::Regular if metadata.size > COMPARED => Ok(Contents::TooLarge),
        FileKind::Regular => {
            let how = OpenOptions { nofollow: true, ..OpenOptions::READ };
            let Opened::File { file, .. } = files.open(&Context::ROOT, &files.root(), path, &how)? else {
                return Ok(Contents::Bytes(Vec::new()));
            };
            let mut bytes = vec![0; usize::try_from(metadata.size).unwrap_or_default()];
            let count = file.read_at(&mut bytes, 0)?;
            bytes.truncate(count);
            Ok(Contents::Bytes(bytes))
        }
        _ => Ok(Contents::Bytes(Vec::new())),
    }
}
