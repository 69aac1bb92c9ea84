//! Files by path.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::{Bytes, BytesMut};
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, FileError};
use serde_json::{Value, json};
use std::time::Duration;

use super::HOME;
use super::connection::{Called, Connection, Failure, text};
use crate::entry::{self, Kind};
use crate::room::{Room, What};
use crate::time::{rfc3339, since_1970};
use crate::world::Machine;

/// The fields of `stat`, in the order of the answer.
const FORMAT: &str = "%F/%f/%s/%X/%Y/%Z/%W/%d/%i/%h/%u/%g/%o/%b";

pub(super) async fn call(connection: &Connection, method: &str, parameters: &Value) -> Called {
    let machine = &connection.machine;
    let path = |name: &str| text(parameters, name).map(absolute);
    let quoted = |name: &str| path(name).map(|path| quote(&path));
    let options = &parameters["options"];
    let script = match method {
        "readFile" => return Ok(json!(BASE64_STANDARD.encode(read(machine, path("path")?).await?))),
        "readTextFile" => {
            let content = read(machine, path("path")?).await?;
            return Ok(json!(String::from_utf8_lossy(&content)));
        }
        "writeFile" | "writeTextFile" => return write(connection, &path("path")?, method, parameters).await,
        "readDir" => return list(machine, &path("path")?).await,
        "stat" => return stat(machine, &quoted("path")?, true).await,
        "lstat" => return stat(machine, &quoted("path")?, false).await,
        "readLink" => return output_of(machine, &format!("readlink -v -n -- {}", quoted("path")?)).await,
        "realPath" => return output_of(machine, &format!("realpath -e -- {}", quoted("path")?)).await,
        "makeTempDir" => return temporary(machine, "-d ", options).await,
        "makeTempFile" => return temporary(machine, "", options).await,
        "mkdir" => {
            let parents = if options["recursive"] == json!(true) { "-p " } else { "" };
            let mode = options["mode"].as_u64().map(|mode| format!("-m {mode:o} ")).unwrap_or_default();
            format!("mkdir {parents}{mode}-- {}", quoted("path")?)
        }
        "remove" => {
            let how = if options["recursive"] == json!(true) { "-r" } else { "-d" };
            format!("rm {how} -- {}", quoted("path")?)
        }
        "rename" => format!("mv -T -- {} {}", quoted("oldPath")?, quoted("newPath")?),
        "copyFile" => format!("cp -T -- {} {}", quoted("fromPath")?, quoted("toPath")?),
        "link" => format!("ln -T -- {} {}", quoted("target")?, quoted("path")?),
        "symlink" => format!("ln -sT -- {} {}", quote(text(parameters, "target")?), quoted("path")?),
        "chmod" => {
            let mode = parameters["mode"].as_u64().ok_or_else(|| Failure::Parameters("mode".to_owned()))?;
            format!("chmod {mode:o} -- {}", quoted("path")?)
        }
        "chown" => {
            let number = |name: &str| match &parameters[name] {
                Value::Null => Ok(String::new()),
                given => given
                    .as_u64()
                    .map(|number| number.to_string())
                    .ok_or_else(|| Failure::Parameters(name.to_owned())),
            };
            format!("chown {}:{} -- {}", number("uid")?, number("gid")?, quoted("path")?)
        }
        "truncate" => {
            let (length, name) = (parameters["length"].as_u64().unwrap_or(0), quoted("name")?);
            format!("{}truncate -s {length} -- {name}", existing(&name))
        }
        "utime" => {
            let (path, atime, mtime) =
                (quoted("path")?, time(parameters, "atime")?, time(parameters, "mtime")?);
            format!("{}touch -a -d {atime} -- {path} && touch -m -d {mtime} -- {path}", existing(&path))
        }
        _ => return Err(Failure::Unknown),
    };
    run(machine, ExecuteRequest::new(script)).await.map(|_| Value::Null)
}

async fn read(machine: &Machine, path: String) -> Result<Bytes, Failure> {
    let done = machine.download(vec![path.clone()]).await.map_err(|error| Failure::of(&error))?;
    let result = done.into_iter().next().map_or(Err(FileError::FileNotFound), |file| file.result);
    result.map_err(|why| match why {
        FileError::FileNotFound => thrown(&format!("{path}: No such file or directory")),
        FileError::PermissionDenied => thrown(&format!("{path}: Permission denied")),
        FileError::IsDirectory => thrown(&format!("{path}: Is a directory")),
        other => Failure::Thrown("Error", None, other.to_string()),
    })
}

/// Missing parent directories are not created.
async fn write(connection: &Connection, path: &str, method: &str, parameters: &Value) -> Called {
    let content = match (parameters["contentStreamId"].as_u64(), parameters["content"].as_str()) {
        (Some(id), _) => streamed(connection, id).await?,
        (None, Some(text)) if method == "writeTextFile" => text.to_owned().into(),
        (None, Some(data)) => BASE64_STANDARD
            .decode(data)
            .map_err(|_| Failure::Parameters("content is not base64".to_owned()))?
            .into(),
        (None, None) => return Err(Failure::Parameters("content is missing".to_owned())),
    };
    let (options, path) = (&parameters["options"], quote(path));
    let mut script = String::new();
    if options["create"] == json!(false) {
        script += &existing(&path);
    }
    if options["createNew"] == json!(true) {
        script += &format!("[ ! -e {path} ] || {{ echo 'File exists' >&2; exit 1; }}; ");
    }
    script += &format!("cat {} {path}", if options["append"] == json!(true) { ">>" } else { ">" });
    if let Some(mode) = options["mode"].as_u64() {
        script += &format!(" && chmod {mode:o} -- {path}");
    }
    run(&connection.machine, ExecuteRequest::new(script).stdin(content)).await.map(|_| Value::Null)
}

/// The beginning of a script that stops if a quoted path does not exist.
fn existing(path: &str) -> String {
    format!("[ -e {path} ] || {{ echo 'No such file or directory' >&2; exit 1; }}; ")
}

/// A time as `touch` reads it: a date, or seconds since 1970.
fn time(parameters: &Value, name: &str) -> Result<String, Failure> {
    match &parameters[name] {
        Value::String(date) => Ok(quote(date)),
        Value::Number(seconds) => Ok(quote(&format!("@{seconds}"))),
        _ => Err(Failure::Parameters(format!("{name} is no time"))),
    }
}

async fn streamed(connection: &Connection, id: u64) -> Result<Bytes, Failure> {
    let missing = || Failure::Parameters("the stream was read already".to_owned());
    let mut reader = connection.streams.reader(id).ok_or_else(missing)?;
    let (mut content, mut room) = (BytesMut::new(), Room::none(What::Pieces));
    while let Some(piece) = reader.recv().await {
        let (piece, _room) = piece.map_err(|why| Failure::Thrown("Error", None, why))?;
        room.reach(content.len() + piece.len())
            .map_err(|full| Failure::Thrown("Error", None, full.to_string()))?;
        content.extend_from_slice(&piece);
    }
    Ok(room.holding(content.freeze()))
}

async fn list(machine: &Machine, path: &str) -> Called {
    run(machine, ExecuteRequest::new(format!("ls -d -- {}/", quote(path)))).await?;
    let entries = entry::below(&*machine.sandbox, path, 1).await.map_err(|error| Failure::of(&error))?;
    let shown = |entry: &entry::Entry| {
        json!({
            "name": entry.name(),
            "isFile": entry.kind == Kind::File,
            "isDirectory": entry.kind == Kind::Directory,
            "isSymlink": entry.kind == Kind::Link,
        })
    };
    Ok(entries.iter().map(shown).collect())
}

async fn stat(machine: &Machine, path: &str, follow: bool) -> Called {
    let follow = if follow { "-L " } else { "" };
    let text = output_of(machine, &format!("stat {follow}--printf='{FORMAT}' -- {path}")).await?;
    let fields: Vec<&str> = text.as_str().unwrap_or_default().split('/').collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    let time = |at: usize| rfc3339(since_1970(Duration::from_secs(number(at))));
    let kind = fields.first().copied().unwrap_or_default();
    let mode = fields.get(1).and_then(|mode| u64::from_str_radix(mode, 16).ok()).unwrap_or(0);
    Ok(json!({
        "isFile": kind.starts_with("regular"),
        "isDirectory": kind == "directory",
        "isSymlink": kind == "symbolic link",
        "isBlockDevice": kind == "block special file",
        "isCharDevice": kind == "character special file",
        "isFifo": kind == "fifo",
        "isSocket": kind == "socket",
        "mode": mode,
        "size": number(2),
        "atime": time(3),
        "mtime": time(4),
        "ctime": time(5),
        "birthtime": time(6),
        "dev": number(7),
        "ino": number(8),
        "nlink": number(9),
        "uid": number(10),
        "gid": number(11),
        "rdev": 0,
        "blksize": number(12),
        "blocks": number(13),
    }))
}

async fn temporary(machine: &Machine, directory: &str, options: &Value) -> Called {
    let place = absolute(options["dir"].as_str().unwrap_or("/tmp"));
    let part = |name: &str| options[name].as_str().unwrap_or_default().to_owned();
    let name = format!("{place}/{}XXXXXXXX{}", part("prefix"), part("suffix"));
    output_of(machine, &format!("mktemp {directory}-- {}", quote(&name))).await
}

/// The output of a command without the trailing newline.
async fn output_of(machine: &Machine, script: &str) -> Called {
    let output = run(machine, ExecuteRequest::new(script)).await?;
    let text = String::from_utf8_lossy(&output).into_owned();
    Ok(json!(text.strip_suffix('\n').unwrap_or(&text)))
}

async fn run(machine: &Machine, request: ExecuteRequest) -> Result<Bytes, Failure> {
    let done = machine.sandbox.execute(request).await.map_err(|error| Failure::of(&error))?;
    if done.success() { Ok(done.stdout) } else { Err(thrown(String::from_utf8_lossy(&done.stderr).trim())) }
}

/// The exception that Deno throws for this message of a utility.
pub(super) fn thrown(message: &str) -> Failure {
    let known = [
        ("No such file or directory", "NotFound", "ENOENT"),
        ("Permission denied", "PermissionDenied", "EACCES"),
        ("File exists", "AlreadyExists", "EEXIST"),
        ("Is a directory", "IsADirectory", "EISDIR"),
        ("Not a directory", "NotADirectory", "ENOTDIR"),
        ("Directory not empty", "Error", "ENOTEMPTY"),
        ("Too many levels of symbolic links", "FilesystemLoop", "ELOOP"),
    ];
    match known.into_iter().find(|(words, ..)| message.contains(words)) {
        Some((_, class, code)) => Failure::Thrown(class, Some(code), message.to_owned()),
        None => Failure::Thrown("Error", None, message.to_owned()),
    }
}

/// Makes a path absolute. Relative ones are in the user's home.
pub(super) fn absolute(path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{HOME}/{path}") }
}
