//! A sandbox as a task, which has a result when it has ended.

use std::sync::Arc;

use sandshell_modal::control::{GenericResult, GenericStatus};

use super::Modal;
use super::grpc::{Called, NOT_FOUND, Status};
use crate::world::Machine;

/// The task id of a sandbox. In the second generation, it ends in a special letter.
pub(super) fn id(sandbox: &str) -> String {
    let rest = sandbox.strip_prefix("sb-").unwrap_or(sandbox);
    if rest.len() == 22 { format!("ta-{rest}") } else { format!("ta-{rest}V") }
}

pub(super) fn ended(status: GenericStatus, exitcode: i32) -> GenericResult {
    GenericResult { status: status.into(), exitcode, ..GenericResult::default() }
}

impl Modal {
    /// The sandbox of this task.
    pub(super) fn of_task(&self, task: &str) -> Called<Arc<Machine>> {
        let rest = task.strip_prefix("ta-").unwrap_or_default();
        // Ids of the first generation from this service have no capital letters, so the `V` is not part of one.
        let rest = rest.strip_suffix('V').unwrap_or(rest);
        self.world
            .get(&format!("sb-{rest}"))
            .ok_or_else(|| Status(NOT_FOUND, format!("Task {task} not found")))
    }

    /// How a sandbox ended; `None` while it runs.
    pub(super) fn result(&self, id: &str) -> Called<Option<GenericResult>> {
        // In this order: a result is written before its sandbox goes, so one that is gone without a result has expired.
        let runs = self.world.get(id).is_some();
        let known = self.state.lock().results.get(id).cloned();
        match known {
            None => Err(Status(NOT_FOUND, format!("Sandbox {id} not found"))),
            Some(None) if runs => Ok(None),
            Some(None) => Ok(Some(ended(GenericStatus::Timeout, 124))),
            Some(result) => Ok(result),
        }
    }

    /// Ends a sandbox with a result.
    pub(super) async fn finish(&self, id: &str, result: GenericResult) -> Called<()> {
        self.state.lock().results.insert(id.to_owned(), Some(result));
        self.world.delete(id).await?;
        Ok(())
    }
}
