//! Names the sandbox that a call is for.

use std::sync::Arc;

use crate::{Capabilities, Error, ErrorKind, Result, Sandbox};

/// A sandbox as backends know it.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) id: Arc<str>,
    pub(crate) capabilities: Capabilities,
    /// The wrapped sandbox; `None` for one that is remote.
    pub(crate) inner: Option<Arc<dyn Sandbox>>,
}

impl Handle {
    /// The handle of a wrapped sandbox.
    pub(crate) fn of(sandbox: Arc<dyn Sandbox>) -> Self {
        // There is no call for sessions.
        let capabilities = Capabilities { sessions: false, ..sandbox.capabilities() };
        Self { id: sandbox.id().into(), capabilities, inner: Some(sandbox) }
    }

    /// The wrapped sandbox.
    pub(crate) fn wrapped(&self) -> Result<&dyn Sandbox> {
        let lacks = || Error::new(ErrorKind::Unexpected, "the handle wraps no sandbox");
        self.inner.as_deref().ok_or_else(lacks)
    }

    /// The handle of a remote sandbox.
    pub(crate) fn remote(id: &str, capabilities: Capabilities) -> Self {
        let capabilities = Capabilities { sessions: false, ..capabilities };
        Self { id: id.into(), capabilities, inner: None }
    }
}
