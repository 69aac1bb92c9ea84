//! `sandshell gc`.

use super::store;
use crate::cli::args::Gc;
use crate::cli::failure::Failure;
use crate::cli::on_disk::failed;
use crate::cli::print::print;
use crate::cli::progress::Progress;
use serde_json::json;

pub(crate) async fn gc(args: Gc) -> Result<u8, Failure> {
    let store = store(None)?;
    if args.check {
        let _progress = Progress::new("reading everything that is stored");
        let checked = store.check(&mut |_| {}).map_err(failed)?;
        let text = if args.json {
            format!("{}\n", json!({"blobs": checked.blobs, "damage": checked.damage}))
        } else {
            let mut lines = checked.damage.join("\n");
            if !lines.is_empty() {
                lines.push('\n');
            }
            format!("{lines}{} blobs read, {} damaged\n", checked.blobs, checked.damage.len())
        };
        print(text.as_bytes())?;
        return Ok(u8::from(!checked.damage.is_empty()));
    }
    let _progress = Progress::new("looking for what is not needed");
    store.expire().map_err(failed)?;
    let collected = store.collect(args.dry_run, &mut |_| {}).map_err(failed)?;
    let text = if args.json {
        let object = json!({
            "kept": collected.kept,
            "kept_bytes": collected.kept_bytes,
            "removed": collected.removed,
            "removed_bytes": collected.removed_bytes,
            "dry_run": args.dry_run,
        });
        format!("{object}\n")
    } else {
        let what = if args.dry_run { "would be removed" } else { "removed" };
        format!(
            "{} blobs ({} bytes) {what}, {} ({} bytes) are needed\n",
            collected.removed, collected.removed_bytes, collected.kept, collected.kept_bytes
        )
    };
    print(text.as_bytes()).map(|()| 0)
}
