//! The calls of providers and sandboxes.

use std::time::Duration;

use super::Handle;
use crate::{CreateOptions, ExecuteRequest, FileUpload, ListOptions};

/// One call of a provider or of one of its sandboxes.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    Create(CreateOptions),
    List(ListOptions),
    Delete { id: String },
    Snapshot { id: String, name: Option<String> },
    Restore { id: String, snapshot: String },
    DeleteSnapshot { snapshot: String },
    Fork { id: String },
    Pause { id: String },
    Resume { id: String },
    SetTtl { id: String, ttl: Option<Duration> },
    Execute(Handle, ExecuteRequest),
    Upload(Handle, Vec<FileUpload>),
    Download(Handle, Vec<String>),
}

impl Call {
    /// The call's name.
    pub(crate) const fn method(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::List(_) => "list",
            Self::Delete { .. } => "delete",
            Self::Snapshot { .. } => "snapshot",
            Self::Restore { .. } => "restore",
            Self::DeleteSnapshot { .. } => "delete_snapshot",
            Self::Fork { .. } => "fork",
            Self::Pause { .. } => "pause",
            Self::Resume { .. } => "resume",
            Self::SetTtl { .. } => "set_ttl",
            Self::Execute(..) => "execute",
            Self::Upload(..) => "upload",
            Self::Download(..) => "download",
        }
    }

    /// Whether the call is idempotent: making it twice has the same effect as making it once.
    #[cfg(feature = "wrappers")]
    pub(crate) fn is_repeatable(&self) -> bool {
        match self {
            Self::Create(options) => options.id.is_some(),
            Self::Snapshot { .. } | Self::Fork { .. } | Self::Execute(..) => false,
            Self::List(_)
            | Self::Delete { .. }
            | Self::Restore { .. }
            | Self::DeleteSnapshot { .. }
            | Self::Pause { .. }
            | Self::Resume { .. }
            | Self::SetTtl { .. }
            | Self::Upload(..)
            | Self::Download(..) => true,
        }
    }

    /// The id of the sandbox that the call is for.
    #[cfg(feature = "wrappers")]
    pub(crate) fn sandbox(&self) -> Option<&str> {
        match self {
            Self::Create(options) => options.id.as_deref(),
            Self::List(_) | Self::DeleteSnapshot { .. } => None,
            Self::Delete { id }
            | Self::Snapshot { id, .. }
            | Self::Restore { id, .. }
            | Self::Fork { id }
            | Self::Pause { id }
            | Self::Resume { id }
            | Self::SetTtl { id, .. } => Some(id),
            Self::Execute(handle, _) | Self::Upload(handle, _) | Self::Download(handle, _) => {
                Some(&handle.id)
            }
        }
    }
}
