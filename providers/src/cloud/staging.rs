//! Large files for services that take a file as a whole: pieces of it go beside where it belongs, and a command joins them.
//! So no piece is larger than this side can hold, each may be sent again, and the file is not touched before all are there.

use std::pin::Pin;

use async_trait::async_trait;
use bytes::Bytes;

use super::regular::Regular;
use super::{unique, upload_failure};
use crate::posix::quote;
use crate::{FileError, Result, Sandbox};

/// How a service takes pieces.
#[async_trait]
pub(crate) trait Staging: Sandbox + Sized {
    /// What the names of pieces begin with; needs no quoting.
    const PLACE: &str;

    /// Writes a new file.
    async fn put(&self, name: &str, piece: Bytes) -> Result<Result<(), FileError>>;

    /// Runs a script where the names of pieces lead to them: whether it succeeded, and what it said.
    async fn run(&self, script: String) -> Result<(bool, String)>;

    /// The same for who does not wait for it.
    fn spare(&self, script: String) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// Writes a file that comes in pieces of a size that the service takes.
pub(crate) async fn upload_in_pieces<S: Staging>(
    sandbox: &S,
    path: &str,
    mut content: Regular,
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
    let (joined, told) = sandbox.run(join(&stage.name, path)).await?;
    stage.over();
    if joined {
        return Ok(Ok(()));
    }
    Ok(Err(upload_failure(sandbox, path, told).await))
}

/// The shell itself opens the file, so that its mode, owner and links stay as they are. Pieces go when they are written.
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

/// Pieces that are removed if they are not joined.
struct Stage<'a, S: Staging> {
    sandbox: &'a S,
    name: String,
    over: bool,
}

impl<'a, S: Staging> Stage<'a, S> {
    fn new(sandbox: &'a S) -> Self {
        Self { sandbox, name: format!("{}{}", S::PLACE, unique()), over: false }
    }

    fn over(mut self) {
        self.over = true;
    }
}

impl<S: Staging> Drop for Stage<'_, S> {
    fn drop(&mut self) {
        if let (false, Ok(runtime)) = (self.over, tokio::runtime::Handle::try_current()) {
            runtime.spawn(self.sandbox.spare(format!("rm -f {}.*", self.name)));
        }
    }
}
