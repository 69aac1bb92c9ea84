//! The files of a state, read as they are asked for.

use super::Ui;
use super::answer::{Answer, Refusal, answer};
use super::query::Query;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, header};
use sandshell::names;
use sandshell::vfs::{
    BlobId, Context, File, FileKind, Follow, Metadata, MountOptions, Namespace, OpenOptions, Opened,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;

/// The names on a page of a directory.
const PAGE: usize = 500;

/// The bytes of a file that are shown at once.
const SHOWN: usize = 128 << 10;

/// The bytes of a download that are read at once.
const PIECE: usize = 256 << 10;

/// The files of the state or snapshot that is asked for; without one, those of the newest state.
pub(super) fn root(ui: &Ui, id: &str, asked: Option<&str>) -> Result<BlobId, Refusal> {
    match asked.filter(|asked| !asked.is_empty()) {
        Some(asked) => Ok(ui.store.root(id, asked)?),
        None => Ok(ui.store.sandbox(id)?.head),
    }
}

fn namespace(ui: &Ui, query: &Query) -> Result<Namespace, Refusal> {
    let files = ui.store.files(&root(ui, query.text("id")?, query.get("at"))?)?;
    Ok(Namespace::new(Arc::new(files), MountOptions { read_only: true }))
}

/// A page of a directory, in the order of the filesystem, which is that of the names' bytes.
pub(super) fn list(ui: &Ui, query: &Query) -> Answer {
    let (files, path) = (namespace(ui, query)?, query.path("path")?);
    let how = OpenOptions { directory: true, ..OpenOptions::READ };
    let Opened::Directory { file, location: at } = files.open(&Context::ROOT, &files.root(), &path, &how)?
    else {
        return Err(Refusal::bad("it is not a directory"));
    };
    let (mut cursor, mut found, mut more) = (query.number("after")?, Vec::new(), true);
    while found.len() < PAGE {
        let batch = file.read_dir(&Context::ROOT, cursor)?;
        if batch.is_empty() {
            more = false;
            break;
        }
        for entry in batch.into_iter().take(PAGE - found.len()) {
            cursor = entry.next;
            // It is there: nobody changes a stored state.
            let metadata = files.metadata(&Context::ROOT, &at, &entry.name, Follow::No)?;
            let target = (metadata.kind == FileKind::Symlink)
                .then(|| files.read_link(&Context::ROOT, &at, &entry.name))
                .transpose()?;
            let mut one = described(&metadata);
            one["name"] = json!(names::text(&entry.name));
            one["target"] = json!(target.as_deref().map(names::text));
            found.push(one);
        }
    }
    let real = names::text(&files.absolute_path(&at)?).into_owned();
    Ok(json!({"path": real, "entries": found, "next": more.then_some(cursor)}))
}

/// A part of a file as text.
pub(super) fn show(ui: &Ui, query: &Query) -> Answer {
    let (file, metadata) = open(ui, query)?;
    let offset = query.number("offset")?;
    let mut bytes = vec![0; SHOWN];
    let count = file.read_at(&mut bytes, offset)?;
    bytes.truncate(count);
    let next = offset + count as u64;
    let mut shown = described(&metadata);
    shown["offset"] = json!(offset);
    shown["next"] = json!((next < metadata.size && count > 0).then_some(next));
    shown["binary"] = json!(bytes.contains(&0));
    shown["text"] = match bytes.contains(&0) {
        true => Value::Null,
        false => json!(String::from_utf8_lossy(&bytes)),
    };
    Ok(shown)
}

/// A whole file, which no browser shows.
pub(super) async fn download(State(ui): State<Arc<Ui>>, request: Request) -> Response<Body> {
    let query = Query::of(&request);
    let opened = tokio::task::spawn_blocking(move || {
        let name = query.path("path")?;
        open(&ui, &query).map(|(file, metadata)| (file, metadata.size, name))
    });
    let (file, size, path) = match opened.await {
        Ok(Ok(opened)) => opened,
        Ok(Err(refusal)) => return answer(Err(refusal)),
        Err(lost) => return answer(Err(lost.into())),
    };
    let mut response = Response::new(body(file, size));
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    headers.insert(header::CONTENT_DISPOSITION, disposition(name));
    response
}

/// Sends a file piece by piece, as fast as they are taken.
fn body(file: Arc<dyn File>, size: u64) -> Body {
    let (sender, receiver) = mpsc::channel::<Result<Bytes, std::io::Error>>(2);
    tokio::task::spawn_blocking(move || {
        let mut offset = 0;
        while offset < size {
            let mut bytes = vec![0; PIECE.min(usize::try_from(size - offset).unwrap_or(PIECE))];
            let piece = match file.read_at(&mut bytes, offset) {
                Ok(0) => Err(std::io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    offset += count as u64;
                    bytes.truncate(count);
                    Ok(Bytes::from(bytes))
                }
                Err(errno) => Err(std::io::Error::other(errno.to_string())),
            };
            let failed = piece.is_err();
            // Nobody may be there to take it any more.
            if sender.blocking_send(piece).is_err() || failed {
                return;
            }
        }
    });
    Body::from_stream(futures_util::stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|piece| (piece, receiver))
    }))
}

/// Says that the browser stores the file under this name. Only letters that mean nothing to anybody are in the plain
/// form.
fn disposition(name: &[u8]) -> HeaderValue {
    let plain: String = name
        .iter()
        .map(
            |byte| {
                if byte.is_ascii_alphanumeric() || b"._-".contains(byte) { char::from(*byte) } else { '_' }
            },
        )
        .collect();
    let encoded = percent_encoding::percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"))
        .unwrap_or(HeaderValue::from_static("attachment"))
}

/// A regular file. Links are followed within the state.
fn open(ui: &Ui, query: &Query) -> Result<(Arc<dyn File>, Metadata), Refusal> {
    let (files, path) = (namespace(ui, query)?, query.path("path")?);
    let metadata = files.metadata(&Context::ROOT, &files.root(), &path, Follow::Yes)?;
    if metadata.kind != FileKind::Regular {
        return Err(Refusal::bad("it is not a regular file"));
    }
    match files.open(&Context::ROOT, &files.root(), &path, &OpenOptions::READ)? {
        Opened::File { file, .. } => Ok((file, metadata)),
        _ => Err(Refusal::bad("it is not a regular file")),
    }
}

pub(super) fn kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Regular => "file",
        FileKind::Directory => "directory",
        FileKind::Symlink => "link",
        FileKind::Fifo => "pipe",
        FileKind::CharDevice | FileKind::BlockDevice => "device",
        FileKind::Socket => "socket",
    }
}

fn described(metadata: &Metadata) -> Value {
    json!({
        "kind": kind(metadata.kind),
        "size": metadata.size,
        "mode": format!("{:04o}", metadata.mode),
        "owner": metadata.uid,
        "changed": metadata.mtime.secs.saturating_mul(1000),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::disposition;

    #[test]
    fn no_name_breaks_out_of_the_header() {
        let header = disposition(b"a\"b;\r\n c\xff.html");
        let text = header.to_str().unwrap();
        assert_eq!(
            text,
            "attachment; filename=\"a_b____c_.html\"; filename*=UTF-8''a%22b%3B%0D%0A%20c%FF%2Ehtml"
        );
    }
}
