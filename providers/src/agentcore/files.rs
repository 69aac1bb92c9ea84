//! Files: a tool transfers pieces of them to and from the tools' own directory, and a command moves them to and
//! from the files' own paths.

use std::pin::Pin;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde_json::json;

use super::api::{Resource, Use};
use super::sandbox::AgentCoreSandbox;
use crate::cloud::{EqualPieces, Files, Staging, download_failure, gathered, unique, upload_in_pieces};
use crate::posix::quote;
use crate::{FileError, FileSink, FileSource, Result};

/// A request may have 100 MB, but the client holds a piece in memory in several encodings at once.
const PIECE: usize = 2 << 20;

/// A file of at most this many bytes comes in the answer to a command.
const SHORT: usize = 48 << 10;

/// The shell's status for a command that is not found.
const NOT_FOUND: i32 = 127;

#[async_trait]
impl Files for AgentCoreSandbox {
    async fn upload(&self, path: &str, content: Bytes) -> Result<Result<(), FileError>> {
        upload_in_pieces(self, path, EqualPieces::whole(content, PIECE)).await
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        upload_in_pieces(self, path, EqualPieces::of(content, PIECE)).await
    }

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>> {
        gathered(self, path, self.api.options.client.max_download).await
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        match short(self, path).await? {
            Err(why) => return Ok(Err(why)),
            Ok(Some(whole)) => {
                // A reader that goes away needs no more.
                drop(content.send(whole).await);
                return Ok(Ok(()));
            }
            Ok(None) => {}
        }
        let staged = Staged { sandbox: self, name: format!("{}{}", Self::PREFIX, unique()), over: false };
        for number in 0.. {
            let piece = match staged.piece(path, number).await? {
                Ok(piece) => piece,
                Err(why) => return Ok(Err(why)),
            };
            let last = piece.len() < PIECE;
            if content.send(piece).await.is_err() || last {
                break;
            }
        }
        staged.remove().await?;
        Ok(Ok(()))
    }
}

#[async_trait]
impl Staging for AgentCoreSandbox {
    /// The tools accept only relative paths.
    const PREFIX: &str = "sandshell-";

    async fn put(&self, name: &str, piece: Bytes) -> Result<Result<(), FileError>> {
        let content = json!({"content": [{"path": name, "blob": BASE64_STANDARD.encode(&piece)}]});
        let written = self.api.invoke(&self.id, "writeFiles", content, Use::Repeatable).await?;
        if !written.is_error {
            return Ok(Ok(()));
        }
        Ok(Err(FileError::Other(written.content.into_iter().filter_map(|block| block.text).collect())))
    }

    async fn run(&self, script: String) -> Result<(bool, String)> {
        let done = self.api.run(&self.id, script, Use::Once).await?;
        Ok((done.status == 0, done.stdout + &done.stderr))
    }

    fn run_detached(&self, script: String) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let (api, session) = (self.api.clone(), self.id.clone());
        Box::pin(async move { drop(api.run(&session, script, Use::Once).await) })
    }
}

/// Reads a file that fits into the answer to one command; `None` if it does not fit.
async fn short(sandbox: &AgentCoreSandbox, path: &str) -> Result<Result<Option<Bytes>, FileError>> {
    let quoted = quote(path);
    // One more byte and one more character show that nothing is missing: the byte, that all of the file was read,
    // and the character, that all of the answer arrived.
    let script = format!(
        "[ ! -d {quoted} ] && exec 3< {quoted} && {{ head -c {} <&3 && printf .; }} | base64 && echo :",
        SHORT + 1
    );
    let done = sandbox.api.run(&sandbox.id, script, Use::Repeatable).await?;
    match done.status {
        0 => {}
        NOT_FOUND => return Ok(Ok(None)),
        _ => return Ok(Err(download_failure(sandbox, path, done.stdout + &done.stderr).await)),
    }
    let content = done.stdout.trim_end().strip_suffix(':').and_then(|text| {
        let text: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let mut content = BASE64_STANDARD.decode(text).ok()?;
        (content.pop() == Some(b'.')).then_some(content)
    });
    Ok(Ok(content.filter(|content| content.len() <= SHORT).map(Bytes::from)))
}

/// A file in the tools' directory for a piece of a file that is being downloaded.
struct Staged<'a> {
    sandbox: &'a AgentCoreSandbox,
    name: String,
    over: bool,
}

impl Staged<'_> {
    async fn piece(&self, path: &str, number: u64) -> Result<Result<Bytes, FileError>> {
        let (api, session, quoted, name) = (&self.sandbox.api, &self.sandbox.id, quote(path), &self.name);
        let script = format!(
            "[ ! -d {quoted} ] && dd if={quoted} bs={PIECE} skip={number} count=1 iflag=fullblock status=none > {name}"
        );
        let copied = api.run(session, script, Use::Repeatable).await?;
        if copied.status != 0 {
            let message = copied.stdout + &copied.stderr;
            return Ok(Err(download_failure(self.sandbox, path, message).await));
        }
        let read = api.invoke(session, "readFiles", json!({"paths": [name]}), Use::Repeatable).await?;
        match read.content.into_iter().find_map(|block| block.resource) {
            Some(Resource { blob: Some(blob), .. }) => {
                Ok(Ok(BASE64_STANDARD.decode(blob).map_err(|error| api.http.malformed(error))?.into()))
            }
            Some(Resource { text: Some(text), .. }) => Ok(Ok(text.into_bytes().into())),
            _ => Err(api.http.malformed("a file without content")),
        }
    }

    async fn remove(mut self) -> Result<()> {
        self.over = true;
        let arguments = json!({"paths": [self.name]});
        self.sandbox.api.invoke(&self.sandbox.id, "removeFiles", arguments, Use::Once).await.map(drop)
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if let (false, Ok(runtime)) = (self.over, tokio::runtime::Handle::try_current()) {
            runtime.spawn(self.sandbox.run_detached(format!("rm -f {}", self.name)));
        }
    }
}
