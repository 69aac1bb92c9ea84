//! Uploads large files to services that accept only whole files: pieces of the file are uploaded as separate files,
//! and a command joins them. So each piece fits in memory and may be sent again, and the target is not touched
//! before all pieces have arrived.

use std::pin::Pin;

use async_trait::async_trait;
use bytes::Bytes;

use super::equal_pieces::EqualPieces;
use super::{unique, upload_failure};
use crate::posix::quote;
use crate::{FileError, Result, Sandbox};

/// How pieces are uploaded to a service.
#[async_trait]
pub(crate) trait Staging: Sandbox + Sized {
    /// The prefix of the pieces' names. It must not need quoting in a shell.
    const PREFIX: &str;

    /// Writes a new file.
    async fn put(&self, name: &str, piece: Bytes) -> Result<Result<(), FileError>>;

    /// Runs a script in the directory of the pieces; returns whether it succeeded, and its output.
    async fn run(&self, script: String) -> Result<(bool, String)>;

    /// Runs a script without a result, as a future that does not borrow the sandbox.
    fn run_detached(&self, script: String) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// Uploads a file in pieces of a size that the service accepts.
pub(crate) async fn upload_in_pieces<S: Staging>(
    sandbox: &S,
    path: &str,
    mut content: EqualPieces,
) -> Result<Result<(), FileError>> {
    let stage = Stage::new(sandbox);
    let mut number = 0u64;
    loop {
        let piece = match content.next().await {
            Ok(Some(piece)) => piece,
            Ok(None) => break,
            Err(error) => return Ok(Err(FileError::Other(error.to_string()))),
        };
        if let Err(why) = sandbox.put(&format!("{}.{number:06}", stage.name), piece).await? {
            return Ok(Err(why));
        }
        number += 1;
    }
    let (joined, message) = sandbox.run(join(&stage.name, path)).await?;
    stage.over();
    if joined {
        return Ok(Ok(()));
    }
    Ok(Err(upload_failure(sandbox, path, message).await))
}

/// The script that joins the pieces. The shell itself opens the target, so that its mode, owner and links stay as
/// they are. Each piece is removed once it was written.
fn join(name: &str, path: &str) -> String {
    let path = quote(path);
    format!(
        "failed=
p={path}
d=${{p%/*}}
mkdir -p -- \"$d/\" && for piece in {name}.*; do
cat \"$piece\" && rm -f \"$piece\" || {{ failed=1; break; }}
done > \"$p\" && [ -z \"$failed\" ]
status=$?
rm -f {name}.*
exit $status"
    )
}

/// Uploaded pieces, which are removed on drop unless they were joined.
struct Stage<'a, S: Staging> {
    sandbox: &'a S,
    name: String,
    over: bool,
}

impl<'a, S: Staging> Stage<'a, S> {
    fn new(sandbox: &'a S) -> Self {
        Self { sandbox, name: format!("{}{}", S::PREFIX, unique()), over: false }
    }

    fn over(mut self) {
        self.over = true;
    }
}

impl<S: Staging> Drop for Stage<'_, S> {
    fn drop(&mut self) {
        if let (false, Ok(runtime)) = (self.over, tokio::runtime::Handle::try_current()) {
            runtime.spawn(self.sandbox.run_detached(format!("rm -f {}.*", self.name)));
        }
    }
}
