//! `sandshell cp --sandbox-id ID`: copies files and directories. Of a file's mode, only the executable bit is kept.

use crate::cli::args::Cp;
use crate::cli::choice::Choice;
use crate::cli::cp::{goes_inwards, guest, last_name};
use crate::cli::failure::{Failure, name as name_of, path, reason};
use crate::cli::host_file;
use crate::cli::shells;
use bytes::Bytes;
use sandshell::posix::quote;
use sandshell::{CreateOptions, ExecuteRequest, FileUpload, Sandbox, SandboxExt};
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// How many bytes of a large file are read at a time.
const PIECE: usize = 256 << 10;

/// The most files in one batch.
const BATCH: usize = 64;

/// When a batch has this many bytes, no further file is added.
const BATCH_BYTES: u64 = 8 << 20;

pub(crate) async fn cp(args: Cp) -> Result<u8, Failure> {
    let Some((target, sources)) = args.paths.split_last() else {
        return Err(Failure::new("nothing to copy"));
    };
    let inwards = goes_inwards(sources, target)?;
    let choice = Choice::new(args.sandbox.as_deref())?;
    let provider = choice.lasting().await?;
    let id = args.id.ok_or_else(|| Failure::new("nothing says which sandbox"))?;
    if choice.is_local() {
        shells::explain(&id).await;
    }
    let sandbox = provider.get_or_create(CreateOptions::existing(id)).await?;
    match inwards {
        true => upload(&*sandbox, sources, &inner(target)?).await?,
        false => download(&*sandbox, sources, Path::new(target)).await?,
    }
    Ok(0)
}

async fn upload(sandbox: &dyn Sandbox, sources: &[OsString], target: &str) -> Result<(), Failure> {
    let into = sources.len() > 1 || target.ends_with('/') || is_directory(sandbox, target).await?;
    let mut files = Vec::new();
    for source in sources {
        let source = Path::new(source);
        let to = match into {
            true => format!("{}/{}", target.trim_end_matches('/'), name(source)?),
            false => target.to_owned(),
        };
        collect(source, to, &mut files)?;
    }
    let mut rest = files.as_slice();
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |file: &&LocalFile| {
            let before = bytes;
            bytes += file.size;
            before < BATCH_BYTES
        };
        let count = rest.iter().take(BATCH).take_while(fits).count();
        let (batch, after) = rest.split_at(count);
        send(sandbox, batch).await?;
        rest = after;
    }
    Ok(())
}

struct LocalFile {
    from: PathBuf,
    to: String,
    size: u64,
    executable: bool,
    directory: bool,
}

/// Collects a file, or a directory with everything below it, each directory before its entries.
fn collect(source: &Path, to: String, files: &mut Vec<LocalFile>) -> Result<(), Failure> {
    let mut pending = vec![(source.to_owned(), to)];
    while let Some((source, to)) = pending.pop() {
        let failed = |error: std::io::Error| Failure::about(path(&source), reason(&error));
        let metadata = fs::metadata(&source).map_err(failed)?;
        if !metadata.is_dir() && !metadata.is_file() {
            return Err(Failure::about(path(&source), "neither a file nor a directory"));
        }
        if metadata.is_dir() {
            for below in fs::read_dir(&source).map_err(failed)? {
                let below = below.map_err(failed)?;
                if below.file_type().map_err(failed)?.is_symlink() {
                    return Err(Failure::about(
                        path(&below.path()),
                        "a symbolic link cannot be copied there",
                    ));
                }
                pending.push((below.path(), format!("{to}/{}", text(below.file_name().as_encoded_bytes())?)));
            }
        }
        files.push(LocalFile {
            from: source,
            to,
            size: metadata.len(),
            executable: host_file::mode(&metadata) & 0o111 != 0,
            directory: metadata.is_dir(),
        });
    }
    Ok(())
}

async fn send(sandbox: &dyn Sandbox, batch: &[LocalFile]) -> Result<(), Failure> {
    let mut uploads = Vec::new();
    let mut after = String::from(":");
    for file in batch {
        if file.directory {
            after.push_str(&format!(" && mkdir -p -- {}", quote(&file.to)));
            continue;
        }
        if file.size > BATCH_BYTES {
            send_large(sandbox, file).await?;
        } else {
            let content =
                fs::read(&file.from).map_err(|error| Failure::about(path(&file.from), reason(&error)))?;
            uploads.push(FileUpload::new(file.to.as_str(), content));
        }
        if file.executable {
            after.push_str(&format!(" && chmod +x -- {}", quote(&file.to)));
        }
    }
    for response in sandbox.upload_files(uploads).await? {
        response.result.map_err(|why| Failure::about(format!(":{}", response.path), why))?;
    }
    let done = sandbox.execute(ExecuteRequest::new(after)).await?;
    if done.success() { Ok(()) } else { Err(Failure::new(done.text().trim().to_owned())) }
}

/// Sends a file in pieces, without reading all of it into memory.
async fn send_large(sandbox: &dyn Sandbox, file: &LocalFile) -> Result<(), Failure> {
    let mut from =
        fs::File::open(&file.from).map_err(|error| Failure::about(path(&file.from), reason(&error)))?;
    let (sender, receiver) = mpsc::channel(4);
    let reading = tokio::task::spawn_blocking(move || {
        loop {
            let mut piece = vec![0; PIECE];
            let piece = from.read(&mut piece).map(|count| {
                piece.truncate(count);
                Bytes::from(piece)
            });
            let over = piece.as_ref().map_or(true, Bytes::is_empty);
            // The receiver has given up and reports the reason itself.
            if piece.as_ref().is_ok_and(Bytes::is_empty) || sender.blocking_send(piece).is_err() || over {
                return;
            }
        }
    });
    let sent = sandbox.upload_from(&file.to, receiver).await?;
    // The reading task ended when its receiver was dropped.
    drop(reading.await);
    sent.map_err(|why| Failure::about(format!(":{}", file.to), why))
}

async fn download(sandbox: &dyn Sandbox, sources: &[OsString], target: &Path) -> Result<(), Failure> {
    let into = sources.len() > 1 || target.is_dir() || target.as_os_str().as_encoded_bytes().ends_with(b"/");
    for source in sources {
        let source = inner(source)?;
        let to = if into { target.join(text(last_name(source.as_bytes()))?) } else { target.to_owned() };
        fetch(sandbox, &source, &to).await?;
    }
    Ok(())
}

/// Fetches a file, or a directory with everything below it.
async fn fetch(sandbox: &dyn Sandbox, source: &str, to: &Path) -> Result<(), Failure> {
    let mut pending = vec![(source.to_owned(), to.to_owned(), 0)];
    while let Some((source, to, depth)) = pending.pop() {
        if !is_directory(sandbox, &source).await? {
            fetch_file(sandbox, &source, &to).await?;
            continue;
        }
        // A link to a parent directory makes the tree endless.
        if depth == MAX_DEPTH {
            let why = format!("directories are nested more than {MAX_DEPTH} deep");
            return Err(Failure::about(format!(":{}", name_of(source.as_bytes())), why));
        }
        fs::create_dir_all(&to).map_err(|error| Failure::about(path(&to), reason(&error)))?;
        for entry in sandbox.ls(&source).await.map_err(|error| Failure::new(error.to_string()))? {
            let name = entry.path.rsplit('/').next().unwrap_or_default();
            // The names come from the service, so they must not lead out of the target.
            if matches!(name, "" | "." | "..") {
                let what = format!(":{}", name_of(entry.path.as_bytes()));
                return Err(Failure::about(what, "it has no name to copy it to"));
            }
            pending.push((entry.path.clone(), to.join(name), depth + 1));
        }
    }
    Ok(())
}

/// How deeply nested directories may be that are fetched.
const MAX_DEPTH: usize = 100;

async fn fetch_file(sandbox: &dyn Sandbox, source: &str, to: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::about(path(to), reason(&error));
    let mut file = None;
    let (sender, mut receiver) = mpsc::channel::<Bytes>(4);
    let write = async {
        while let Some(piece) = receiver.recv().await {
            let file = match &mut file {
                Some(file) => file,
                empty => empty.insert(fs::File::create(to)?),
            };
            file.write_all(&piece)?;
        }
        Ok(())
    };
    let (fetched, written) = tokio::join!(sandbox.download_to(source, sender), write);
    written.map_err(failed)?;
    fetched?.map_err(|why| Failure::about(format!(":{}", name_of(source.as_bytes())), why))?;
    if file.is_none() {
        // No chunk arrives for an empty file.
        fs::write(to, []).map_err(failed)?;
    }
    Ok(())
}

async fn is_directory(sandbox: &dyn Sandbox, path: &str) -> Result<bool, Failure> {
    let look = ExecuteRequest::new(format!("[ -d {} ]", quote(path)));
    Ok(sandbox.execute(look).await?.success())
}

fn inner(path: &OsString) -> Result<String, Failure> {
    text(guest(path)?)
}

fn name(source: &Path) -> Result<String, Failure> {
    let whole = fs::canonicalize(source).map_err(|error| Failure::about(path(source), reason(&error)))?;
    match whole.file_name() {
        Some(name) => text(name.as_encoded_bytes()),
        None => Err(Failure::about(path(source), "it has no name to copy it to")),
    }
}

fn text(bytes: &[u8]) -> Result<String, Failure> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Failure::about(name_of(bytes), "not UTF-8"))
}
