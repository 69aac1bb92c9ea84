//! The answers to calls.

use super::Handle;
use crate::{
    Error, ErrorKind, ExecuteResponse, FileDownloadResponse, FileUploadResponse, Result, SandboxPage,
    SnapshotInfo,
};

/// The answer to a [`Call`](super::Call).
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Done,
    Sandbox(Handle),
    Page(SandboxPage),
    Snapshot(SnapshotInfo),
    Executed(ExecuteResponse),
    Uploaded(Vec<FileUploadResponse>),
    Downloaded(Vec<FileDownloadResponse>),
}

macro_rules! the {
    ($($(#[$doc:meta])* $name:ident: $variant:ident => $type:ty;)*) => {
        impl Reply {
            $(pub(super) fn $name(self) -> Result<$type> {
                match self {
                    Self::$variant(value) => Ok(value),
                    _ => Err(mismatch()),
                }
            })*
        }
    };
}

the! {
    sandbox: Sandbox => Handle;
    page: Page => SandboxPage;
    snapshot: Snapshot => SnapshotInfo;
    executed: Executed => ExecuteResponse;
    uploaded: Uploaded => Vec<FileUploadResponse>;
    downloaded: Downloaded => Vec<FileDownloadResponse>;
}

impl Reply {
    pub(super) fn done(self) -> Result<()> {
        match self {
            Self::Done => Ok(()),
            _ => Err(mismatch()),
        }
    }
}

fn mismatch() -> Error {
    Error::new(ErrorKind::Unexpected, "the answer is not one to this call")
}
