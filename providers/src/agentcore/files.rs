//! Files: a tool moves them to and from a place beside the tools, a command from and to where they belong.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde_json::json;

use super::api::{Resource, Use};
use super::sandbox::AgentCoreSandbox;
use crate::cloud::{check_path, download_failure, unique, upload_failure};
use crate::posix::quote;
use crate::{FileError, FileUpload, Result};

/// A request holds 100 MB, of base64.
const PIECE: usize = 32 << 20;

pub(super) async fn upload(sandbox: &AgentCoreSandbox, file: &FileUpload) -> Result<Result<(), FileError>> {
    if let Err(error) = check_path(&file.path) {
        return Ok(Err(error));
    }
    let (api, session, path) = (&sandbox.api, &sandbox.id, quote(&file.path));
    let mut pieces: Vec<Bytes> = Vec::new();
    let mut rest = file.content.clone();
    while pieces.is_empty() || !rest.is_empty() {
        pieces.push(rest.split_to(rest.len().min(PIECE)));
    }
    for (number, piece) in pieces.iter().enumerate() {
        let stage = format!("sandshell-{}", unique());
        let content = json!({"content": [{"path": stage, "blob": BASE64_STANDARD.encode(piece)}]});
        let written = api.invoke(session, "writeFiles", content, Use::Repeatable).await?;
        if written.is_error {
            let why = written.content.into_iter().filter_map(|block| block.text).collect::<String>();
            return Ok(Err(FileError::Other(why)));
        }
        // The shell itself opens the file: mode, owner and links stay as they are.
        let (redirect, parents) = match number {
            0 => (">", format!("mkdir -p -- \"$(dirname -- {path})\" && ")),
            _ => (">>", String::new()),
        };
        let script =
            format!("{parents}cat {stage} {redirect} {path}; status=$?; rm -f {stage}; exit $status");
        let (status, told) = api.run(session, script, Use::Once).await?;
        if status != 0 {
            return Ok(Err(upload_failure(sandbox, &file.path, told).await));
        }
    }
    Ok(Ok(()))
}

pub(super) async fn download(sandbox: &AgentCoreSandbox, path: &str) -> Result<Result<Bytes, FileError>> {
    if let Err(error) = check_path(path) {
        return Ok(Err(error));
    }
    let (api, session, quoted) = (&sandbox.api, &sandbox.id, quote(path));
    let mut content = Vec::new();
    loop {
        let stage = format!("sandshell-{}", unique());
        let from = content.len() + 1;
        let script = format!(
            "[ ! -d {quoted} ] && exec 3< {quoted} && tail -c +{from} <&3 | head -c {PIECE} > {stage}"
        );
        let (status, told) = api.run(session, script, Use::Repeatable).await?;
        if status != 0 {
            return Ok(Err(download_failure(sandbox, path, told).await));
        }
        let arguments = json!({"paths": [stage]});
        let read = api.invoke(session, "readFiles", arguments.clone(), Use::Repeatable).await;
        api.invoke(session, "removeFiles", arguments, Use::Once).await?;
        let resource = read?.content.into_iter().find_map(|block| block.resource);
        let piece = match resource {
            Some(Resource { blob: Some(blob), .. }) => {
                BASE64_STANDARD.decode(blob).map_err(|error| api.http.malformed(error))?
            }
            Some(Resource { text: Some(text), .. }) => text.into_bytes(),
            _ => return Err(api.http.malformed("a file without content")),
        };
        content.extend_from_slice(&piece);
        if piece.len() < PIECE {
            return Ok(Ok(content.into()));
        }
    }
}
