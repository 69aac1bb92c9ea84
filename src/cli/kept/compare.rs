//! `sandshell diff`.

use super::store;
use crate::cli::args::Diff;
use crate::cli::failure::{Failure, name};
use crate::cli::on_disk::failed;
use crate::cli::print::print;
use sandshell::vfs::{BlobId, ChangeKind, MemoryFs, MountOptions, Namespace, patch_between};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) async fn diff(args: Diff) -> Result<u8, Failure> {
    let store = store(args.of.sandbox.as_deref())?;
    let root = |asked: &str| store.root(&args.of.id, asked).map_err(failed);
    let (before, after) = match (&args.from, &args.to) {
        (Some(from), Some(to)) => (root(from)?, root(to)?),
        (Some(from), None) => (root(from)?, store.sandbox(&args.of.id).map_err(failed)?.head),
        _ => {
            // What the last change did.
            let mut states = store.log(&args.of.id).map_err(failed)?.into_iter();
            let last = states.next().ok_or_else(|| Failure::about(&args.of.id, "it has no states"))?;
            (states.next().map_or(last.root, |state| state.root), last.root)
        }
    };
    let files = |root: BlobId| store.files(&root).map_err(failed);
    let (before, after) = (files(before)?, files(after)?);
    let changes = after.snapshot().changes(&before.snapshot()).map_err(failed)?;
    if args.patch {
        let tree = |files: MemoryFs| Namespace::new(Arc::new(files), MountOptions::default());
        let patch = patch_between(&tree(before), &tree(after), &changes).map_err(failed)?;
        return print(&patch).map(|()| 0);
    }
    let letter = |kind| match kind {
        ChangeKind::Added => "A",
        ChangeKind::Changed => "M",
        ChangeKind::Removed => "D",
    };
    let text = if args.json {
        let object = |change: &sandshell::vfs::Change| {
            json!({
                "path": format!("/{}", String::from_utf8_lossy(&change.path)),
                "change": letter(change.change),
                "size": change.size,
                "mode": format!("{:04o}", change.mode),
            })
        };
        format!("{}\n", changes.iter().map(object).collect::<Value>())
    } else {
        let line = |change: &sandshell::vfs::Change| {
            let path = [b"/", &*change.path].concat();
            format!("{} {}\n", letter(change.change), name(&path))
        };
        changes.iter().map(line).collect()
    };
    print(text.as_bytes()).map(|()| 0)
}
