//! The sandbox of a session.

use super::pages;
use crate::cli::args::DiffForm;
use crate::cli::changes;
use crate::cli::failure::Failure;
use crate::cli::setup::Setup;
use sandshell::{
    CreateOptions, ExecuteRequest, FileUpload, LocalProvider, LocalSandbox, Sandbox, SandboxProvider,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What all sessions share.
#[derive(Debug)]
pub(super) struct Workspaces {
    pub(super) provider: LocalProvider,
    pub(super) env: Vec<(String, String)>,
    /// The most bytes of an answer; longer results are read in pages.
    pub(super) max_output: u64,
    /// Whether sandboxes are kept on disk, and sessions have tools for that.
    pub(super) keeps: bool,
    /// Runs in each new sandbox.
    pub(super) setup: Option<Setup>,
    /// How many sessions use a sandbox that is kept.
    pub(super) users: Mutex<HashMap<String, usize>>,
}

/// A sandbox that ends with its session, unless it is kept on disk.
#[derive(Debug)]
pub(super) struct Workspace {
    shared: Arc<Workspaces>,
    kept: bool,
    pub(super) sandbox: Arc<LocalSandbox>,
    /// How many files were made for long outputs and background commands.
    files: AtomicU64,
}

/// The first page of a text.
#[derive(Debug)]
pub(super) struct Paged {
    pub(super) shown: String,
    /// How to read on, if there is more.
    pub(super) note: Option<String>,
    /// The file in the sandbox with the whole text, if there is more.
    pub(super) file: Option<String>,
}

impl Paged {
    /// Whether there is more.
    pub(super) fn is_cut(&self) -> bool {
        self.note.is_some()
    }

    /// The page, followed by how to read on.
    pub(super) fn text(&self) -> String {
        let Some(note) = &self.note else { return self.shown.clone() };
        let end = if self.shown.ends_with('\n') { "" } else { "\n" };
        format!("{}{end}{note}", self.shown)
    }
}

impl Workspaces {
    /// A new sandbox.
    pub(super) async fn create(self: &Arc<Self>, options: CreateOptions) -> Result<Arc<Workspace>, Failure> {
        let sandbox = self.provider.open(options).await?;
        if let Some(setup) = &self.setup
            && let Err(failure) = setup.run(&*sandbox).await
        {
            self.provider.delete(sandbox.id()).await?;
            return Err(failure);
        }
        Ok(self.workspace(sandbox))
    }

    /// A sandbox that is kept on disk.
    pub(super) async fn existing(self: &Arc<Self>, id: &str) -> Result<Arc<Workspace>, Failure> {
        Ok(self.workspace(self.provider.open(CreateOptions::existing(id)).await?))
    }

    pub(super) fn workspace(self: &Arc<Self>, sandbox: Arc<LocalSandbox>) -> Arc<Workspace> {
        let kept = sandbox.is_kept();
        if kept {
            *self.users().entry(sandbox.id().to_owned()).or_default() += 1;
        }
        Arc::new(Workspace { shared: self.clone(), kept, sandbox, files: AtomicU64::new(0) })
    }

    fn users(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one user less; returns whether it was the last one.
    fn leave(&self, id: &str) -> bool {
        let mut users = self.users();
        let left = users.get(id).map_or(0, |users| users.saturating_sub(1));
        match left {
            0 => drop(users.remove(id)),
            left => drop(users.insert(id.to_owned(), left)),
        }
        left == 0
    }
}

impl Workspace {
    pub(super) fn provider(&self) -> &LocalProvider {
        &self.shared.provider
    }

    pub(super) fn max_output(&self) -> usize {
        usize::try_from(self.shared.max_output).unwrap_or(usize::MAX)
    }

    pub(super) fn workdir(&self) -> &str {
        &self.sandbox.options().workdir
    }

    /// Resolves a path as agents write it: relative to the working directory unless it is absolute.
    pub(super) fn path(&self, path: Option<&str>) -> String {
        match path {
            None | Some("" | ".") => self.workdir().to_owned(),
            Some(path) if path.starts_with('/') => path.to_owned(),
            Some(path) => format!("{}/{path}", self.workdir()),
        }
    }

    pub(super) fn request(&self, command: impl Into<String>) -> ExecuteRequest {
        let mut request = ExecuteRequest::new(command);
        request.env.clone_from(&self.shared.env);
        request
    }

    /// A file name that is not used yet.
    pub(super) fn new_file(&self, what: &str) -> String {
        format!("/tmp/{what}-{}.txt", self.files.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// The first page of a text for an answer and, if there is more, the file with the whole text.
    pub(super) async fn paged(&self, text: String) -> Paged {
        let Some(page) = pages::first(&text, self.max_output()) else {
            return Paged { shown: text, note: None, file: None };
        };
        let file = self.new_file("output");
        let total = text.len();
        let (shown, next) = (text.get(..page.end).unwrap_or_default().to_owned(), page.next_offset);
        let saved = self.sandbox.upload_files(vec![FileUpload::new(file.clone(), text)]).await;
        let saved = saved.ok().and_then(|answers| answers.into_iter().next()?.result.ok()).is_some();
        if !saved {
            let note = format!("[{total} bytes in all; the rest could not be kept]");
            return Paged { shown, note: Some(note), file: None };
        }
        let how = match next {
            Some(lines) => format!("read_file with path {file} and offset {lines} goes on"),
            None => format!("`tail -c +{} {file} | head -c {}` goes on", page.end + 1, self.max_output()),
        };
        let note = format!("[{total} bytes in all, kept in {file}; {how}]");
        Paged { shown, note: Some(note), file: Some(file) }
    }

    /// What was changed in overlays, as a patch.
    pub(super) fn diff(&self) -> Result<Vec<u8>, Failure> {
        changes::text(&self.sandbox.overlays(), DiffForm::Patch)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let (provider, id, kept) = (self.shared.provider.clone(), self.sandbox.id().to_owned(), self.kept);
        if kept && !self.shared.leave(&id) {
            return;
        }
        // If there is no runtime, the program is ending and the sandbox with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if kept { provider.release(&id).await } else { provider.delete(&id).await }
            });
        }
    }
}
