//! The sandboxes: which there are, what they use, and what they may use.

use super::Ui;
use super::answer::{Answer, Refusal, millis};
use super::query::Query;
use sandshell::runtime::Kernel;
use sandshell::store::{Record, User};
use sandshell::vfs::{Context, DirEntry, Namespace, OpenOptions, Opened};
use serde_json::{Value, json};

/// The sandboxes on a page.
const PAGE: usize = 200;

/// The most snapshots and processes that are shown.
const MOST: usize = 1000;

/// A page of the sandboxes, oldest first.
pub(super) fn list(ui: &Ui, query: &Query) -> Answer {
    let after = i64::try_from(query.number("after")?).unwrap_or(i64::MAX);
    let page = ui.store.list(&[], after, PAGE)?;
    let sandboxes: Vec<Value> = page.sandboxes.iter().map(|record| summary(ui, record)).collect();
    Ok(json!({
        "directory": ui.store.path().to_string_lossy(),
        "process": std::process::id(),
        "sandboxes": sandboxes,
        "next": page.next,
    }))
}

fn summary(ui: &Ui, record: &Record) -> Value {
    // A damaged one is listed, too.
    let usage = ui.store.files(&record.head).map(|files| files.usage());
    let user = ui.store.user(record).unwrap_or(User::Nobody);
    json!({
        "id": record.id,
        "labels": record.labels,
        "created": millis(record.created),
        "used": millis(record.used),
        "state": record.state,
        "parked": record.is_parked(),
        "paused": record.paused,
        "user": match user {
            User::Nobody => Value::Null,
            User::ThisProcess => json!({"here": true, "process": std::process::id()}),
            User::Process(process) => json!({"here": false, "process": process}),
        },
        "bytes": usage.as_ref().ok().map(|usage| usage.bytes),
        "inodes": usage.as_ref().ok().map(|usage| usage.inodes),
        "damage": usage.err().map(|damage| damage.to_string()),
    })
}

/// One sandbox, with its limits and, if it is open here, what runs in it.
pub(super) fn one(ui: &Ui, query: &Query) -> Answer {
    let record = ui.store.sandbox(query.text("id")?)?;
    let options = ui.provider.options_of(&record)?;
    let mut sandbox = summary(ui, &record);
    let time = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    sandbox["ttl"] = json!(record.ttl.map(time));
    sandbox["ends"] = json!(record.ends.map(millis));
    sandbox["limits"] = json!({
        "bytes": options.disk.bytes,
        "inodes": options.disk.inodes,
        "memory": options.limits.sandbox_memory,
        "processes": options.limits.processes,
        "timeout": options.timeout.map(time),
        "output": options.max_output,
    });
    sandbox["directory"] = json!(ui.store.path().to_string_lossy());
    sandbox["workdir"] = json!(options.workdir);
    sandbox["live"] = ui.terminals.sandbox(&record.id).map_or(Value::Null, |open| live(&open.kernel()));
    Ok(sandbox)
}

/// All snapshots, for choosing one.
pub(super) fn snapshots(ui: &Ui, _: &Query) -> Answer {
    let found = ui.store.snapshots()?;
    let snapshot = |snapshot: &sandshell::store::SnapshotRecord| json!({"id": snapshot.id, "name": snapshot.name, "created": millis(snapshot.created)});
    Ok(json!({"snapshots": found.iter().rev().take(MOST).map(snapshot).collect::<Vec<_>>()}))
}

fn live(kernel: &Kernel) -> Value {
    let usage = kernel.usage();
    json!({"memory": usage.memory, "count": usage.processes, "processes": processes(kernel.namespace())})
}

/// What runs, as `/proc` tells it.
fn processes(files: &Namespace) -> Vec<Value> {
    let Ok(entries) = entries(files, b"/proc") else { return Vec::new() };
    let ids = entries.iter().filter_map(|entry| std::str::from_utf8(&entry.name).ok()?.parse::<u32>().ok());
    ids.take(MOST).filter_map(|id| process(files, id)).collect()
}

fn process(files: &Namespace, id: u32) -> Option<Value> {
    let stat = read(files, format!("/proc/{id}/stat").as_bytes())?;
    // The name, in parentheses, may have any characters in it.
    let (head, rest) = stat.rsplit_once(')')?;
    let name = head.split_once('(').map_or("", |(_, name)| name);
    let mut fields = rest.split_whitespace();
    let (state, parent) = (fields.next()?, fields.next()?);
    let command = read(files, format!("/proc/{id}/cmdline").as_bytes()).unwrap_or_default();
    let command = command.trim_end_matches('\0').replace('\0', " ");
    let command = if command.is_empty() { format!("[{name}]") } else { command };
    Some(json!({"id": id, "parent": parent, "state": state, "command": command}))
}

/// The beginning of a file.
fn read(files: &Namespace, path: &[u8]) -> Option<String> {
    let Opened::File { file, .. } =
        files.open(&Context::ROOT, &files.root(), path, &OpenOptions::READ).ok()?
    else {
        return None;
    };
    let mut bytes = vec![0; 4096];
    let count = file.read_at(&mut bytes, 0).ok()?;
    bytes.truncate(count);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn entries(files: &Namespace, path: &[u8]) -> Result<Vec<DirEntry>, Refusal> {
    let how = OpenOptions { directory: true, ..OpenOptions::READ };
    let Opened::Directory { file, .. } = files.open(&Context::ROOT, &files.root(), path, &how)? else {
        return Ok(Vec::new());
    };
    let mut found: Vec<DirEntry> = Vec::new();
    while found.len() < MOST {
        let more = file.read_dir(&Context::ROOT, found.last().map_or(0, |last| last.next))?;
        if more.is_empty() {
            break;
        }
        found.extend(more);
    }
    Ok(found)
}
