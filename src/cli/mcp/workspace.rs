//! The sandbox of a session.

use super::pages;
use crate::cli::args::DiffForm;
use crate::cli::changes;
use crate::cli::failure::Failure;
use sandshell::{
    CreateOptions, ExecuteRequest, FileUpload, LocalProvider, LocalSandbox, Sandbox, SandboxProvider,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What all sessions share.
#[derive(Debug)]
pub(super) struct Workspaces {
    pub(super) provider: LocalProvider,
    pub(super) env: Vec<(String, String)>,
    /// The most bytes of an answer; longer results are read in pages.
    pub(super) max_output: u64,
}

/// A sandbox that ends with its session.
#[derive(Debug)]
pub(super) struct Workspace {
    shared: Arc<Workspaces>,
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
    pub(super) fn create(self: &Arc<Self>) -> Result<Arc<Workspace>, Failure> {
        let sandbox = self.provider.create(CreateOptions::default())?;
        Ok(Arc::new(Workspace { shared: self.clone(), sandbox, files: AtomicU64::new(0) }))
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
        let (provider, id) = (self.shared.provider.clone(), self.sandbox.id().to_owned());
        // If there is no runtime, the program is ending and the sandbox with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { provider.delete(&id).await });
        }
    }
}
