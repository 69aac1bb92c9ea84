//! `modal-sandbox-fs-tools`, the program behind the SDKs' file operations: one argument in JSON, bytes on its standard
//! streams, and errors as JSON on standard error.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use parking_lot::Mutex;
use sandshell_modal::router::FILE_TOOL;
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, FileError, FileUpload};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::entry::{self, Entry, Kind};
use crate::room::{Full, Room, What, held};
use crate::world::Machine;

/// A run of the tool.
pub(super) struct Tool {
    input: Mutex<Given>,
    closed: watch::Sender<bool>,
    done: watch::Sender<Option<Done>>,
}

/// Standard input so far.
struct Given {
    bytes: Vec<u8>,
    room: Room,
    last: Instant,
}

/// How long the tool waits for more input. Nobody can tell whether a client that is silent will ever go on.
const SILENCE: Duration = Duration::from_secs(60);

/// The result of a run.
#[derive(Clone)]
pub(super) struct Done {
    pub(super) code: i32,
    pub(super) stdout: Bytes,
    pub(super) stderr: Bytes,
}

/// Why it failed: the error's kind and message.
struct Failure(&'static str, String);

impl Tool {
    /// Runs the tool, if this is its command line.
    pub(super) fn start(machine: &Arc<Machine>, words: &[String]) -> Option<Arc<Self>> {
        let [program, command] = words else { return None };
        if program != FILE_TOOL {
            return None;
        }
        let tool = Arc::new(Self {
            input: Mutex::new(Given {
                bytes: Vec::new(),
                room: Room::none(What::Pieces),
                last: Instant::now(),
            }),
            closed: watch::Sender::new(false),
            done: watch::Sender::new(None),
        });
        let (run, machine, command) = (tool.clone(), machine.clone(), command.clone());
        tokio::spawn(async move {
            let done = match run.run(&machine, &command).await {
                Ok(stdout) => Done { code: 0, stdout, stderr: Bytes::new() },
                Err(Failure(kind, message)) => {
                    let error = json!({"error_kind": kind, "message": message, "detail": ""});
                    Done { code: 1, stdout: Bytes::new(), stderr: error.to_string().into() }
                }
            };
            let mut input = run.input.lock();
            run.done.send_replace(Some(done));
            // Nobody reads what else has arrived.
            (input.bytes, input.room) = (Vec::new(), Room::none(What::Pieces));
        });
        Some(tool)
    }

    /// Adds standard input; returns false if nothing is read any more.
    pub(super) fn input(&self, data: &[u8]) -> Result<bool, Full> {
        let mut input = self.input.lock();
        // Looked at under the lock, as nothing may be added after the end.
        let open = !*self.closed.borrow() && self.done.borrow().is_none();
        if open {
            let length = input.bytes.len().saturating_add(data.len());
            input.room.reach(length)?;
            input.bytes.extend_from_slice(data);
            input.last = Instant::now();
        }
        Ok(open)
    }

    /// All of standard input, once it is closed.
    async fn all_input(&self) -> Result<(Vec<u8>, Room), Failure> {
        let mut closed = self.closed.subscribe();
        loop {
            let until = self.input.lock().last + SILENCE;
            let waited = tokio::time::timeout_at(until.into(), closed.wait_for(|closed| *closed)).await;
            let mut input = self.input.lock();
            // The sender lives as long as `self`.
            if waited.is_ok() {
                let room = std::mem::replace(&mut input.room, Room::none(What::Pieces));
                return Ok((std::mem::take(&mut input.bytes), room));
            }
            if input.last + SILENCE <= Instant::now() {
                (input.bytes, input.room) = (Vec::new(), Room::none(What::Pieces));
                let why = format!("no input arrived for {} seconds", SILENCE.as_secs());
                return Err(Failure("Other", why));
            }
        }
    }

    pub(super) fn close_input(&self) {
        self.closed.send_replace(true);
    }

    pub(super) fn code(&self) -> Option<i32> {
        self.done.borrow().as_ref().map(|done| done.code)
    }

    pub(super) async fn ended(&self) -> Done {
        let mut done = self.done.subscribe();
        loop {
            if let Some(done) = done.borrow_and_update().clone() {
                return done;
            }
            // The sender lives as long as `self`.
            drop(done.changed().await);
        }
    }

    async fn run(&self, machine: &Machine, command: &str) -> Result<Bytes, Failure> {
        let command: Value = serde_json::from_str(command).unwrap_or_default();
        let (name, parameters) =
            command.as_object().and_then(|command| command.iter().next()).ok_or_else(unknown)?;
        let path = parameters["path"].as_str().ok_or_else(unknown)?;
        let yes = |name: &str| parameters[name] == json!(true);
        match name.as_str() {
            "ReadFile" => read(machine, path).await,
            "WriteFile" => {
                let (content, room) = self.all_input().await?;
                write(machine, path, room.holding(content.into())).await
            }
            "ListFiles" => list(machine, path).await,
            "Stat" => {
                let entry = look(machine, path).await?;
                Ok(shown(machine, &entry).await.to_string().into())
            }
            "MakeDirectory" => {
                let parents = if yes("parents") { "-p " } else { "" };
                run(machine, &format!("mkdir {parents}-- {}", quote(path))).await
            }
            "Remove" => {
                let how = if yes("recursive") { "-r" } else { "-d" };
                run(machine, &format!("rm {how} -- {}", quote(path))).await
            }
            _ => Err(unknown()),
        }
    }
}

fn unknown() -> Failure {
    Failure("InvalidCommand", "the command is not emulated".to_owned())
}

async fn read(machine: &Machine, path: &str) -> Result<Bytes, Failure> {
    let done = machine.download(vec![path.to_owned()]).await.map_err(|error| other(&error))?;
    done.into_iter().next().map_or(Err(FileError::FileNotFound), |file| file.result).map_err(refused)
}

/// Writes a file. Missing parent directories are created.
async fn write(machine: &Machine, path: &str, content: Bytes) -> Result<Bytes, Failure> {
    let file = FileUpload::new(path, content);
    let done = machine.sandbox.upload_files(vec![file]).await.map_err(|error| other(&error))?;
    match done.into_iter().find_map(|file| file.result.err()) {
        None => Ok(Bytes::new()),
        Some(FileError::InvalidPath) => Err(Failure("NotDirectory", "Not a directory".to_owned())),
        Some(why) => Err(refused(why)),
    }
}

async fn list(machine: &Machine, path: &str) -> Result<Bytes, Failure> {
    run(machine, &format!("ls -d -- {}/", quote(path))).await?;
    let entries = entry::below(&*machine.sandbox, path, 1).await.map_err(|error| other(&error))?;
    let mut listed = Vec::with_capacity(entries.len());
    for entry in &entries {
        listed.push(shown(machine, entry).await);
    }
    held(Value::from(listed).to_string().into()).map_err(|full| Failure("Other", full.to_string()))
}

async fn look(machine: &Machine, path: &str) -> Result<Entry, Failure> {
    let found = entry::entry(&*machine.sandbox, path).await.map_err(|error| other(&error))?;
    found.ok_or_else(|| refused(FileError::FileNotFound))
}

async fn shown(machine: &Machine, entry: &Entry) -> Value {
    let since = entry.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let kind = match entry.kind {
        Kind::Directory => "directory",
        Kind::Link => "symlink",
        Kind::File => "file",
    };
    let mut shown = json!({
        "name": entry.name(),
        "path": entry.path,
        "type": kind,
        "size": entry.size,
        "mode": entry.mode,
        "permissions": entry.permissions,
        "owner": entry.owner,
        "group": entry.group,
        "modified_time": since.as_secs_f64(),
    });
    if entry.kind == Kind::Link
        && let Ok(target) = run(machine, &format!("readlink -n -- {}", quote(&entry.path))).await
    {
        shown["symlink_target"] = json!(String::from_utf8_lossy(&target));
    }
    shown
}

async fn run(machine: &Machine, script: &str) -> Result<Bytes, Failure> {
    let done = machine.sandbox.execute(ExecuteRequest::new(script)).await.map_err(|error| other(&error))?;
    if done.success() {
        return Ok(done.stdout);
    }
    let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
    let known = [
        ("No such file or directory", "NotFound"),
        ("Permission denied", "PermissionDenied"),
        ("File exists", "PathAlreadyExists"),
        ("Not a directory", "NotDirectory"),
        ("Directory not empty", "DirectoryNotEmpty"),
    ];
    let found = known.into_iter().find(|(words, _)| stderr.contains(words));
    Err(found.map_or_else(
        || Failure("Other", stderr.trim().to_owned()),
        |(words, kind)| Failure(kind, words.to_owned()),
    ))
}

fn refused(why: FileError) -> Failure {
    match why {
        FileError::FileNotFound => Failure("NotFound", "No such file or directory".to_owned()),
        FileError::PermissionDenied => Failure("PermissionDenied", "Permission denied".to_owned()),
        FileError::IsDirectory => Failure("IsDirectory", "Is a directory".to_owned()),
        other => Failure("Other", other.to_string()),
    }
}

fn other(error: &sandshell_providers::Error) -> Failure {
    Failure("Other", error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> Tool {
        Tool {
            input: Mutex::new(Given {
                bytes: Vec::new(),
                room: Room::none(What::Pieces),
                last: Instant::now(),
            }),
            closed: watch::Sender::new(false),
            done: watch::Sender::new(None),
        }
    }

    #[tokio::test]
    async fn input_takes_room_until_it_is_written() {
        let tool = tool();
        assert_eq!(tool.input(&[7; 300_000]), Ok(true));
        assert!(tool.input.lock().room.bytes() >= 300_000);
        tool.close_input();
        let (bytes, room) = tool.all_input().await.ok().expect("input");
        assert!(bytes.len() == 300_000 && room.bytes() >= 300_000);
        assert_eq!(tool.input.lock().room.bytes(), 0);
        assert_eq!(tool.input(b"x"), Ok(false));
    }

    #[tokio::test]
    async fn input_that_never_ends_is_given_up() {
        let tool = tool();
        assert_eq!(tool.input(&[7; 300_000]), Ok(true));
        let long_ago = Instant::now().checked_sub(SILENCE).expect("a time");
        tool.input.lock().last = long_ago;
        let why = tool.all_input().await.err().map(|Failure(_, why)| why);
        assert!(why.is_some_and(|why| why.contains("60 seconds")));
        assert_eq!(tool.input.lock().room.bytes(), 0);
    }
}
