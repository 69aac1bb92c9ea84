//! Searches the files of a namespace by content and by name.

use std::ops::ControlFlow;

use sandshell_vfs::{Errno, FileKind, Location, OpenOptions, Opened, Surveyed, Surveyor};

use super::files::{FileOutcome, NamespaceFiles};
use super::transfer::{MAX_FILE_BYTES, read_all};
use crate::names;
use crate::operations::{self, Dots, Glob, Matches, Needle};
use crate::{FileInfo, GlobRequest, GlobResult, GrepRequest, GrepResult};

impl NamespaceFiles {
    pub(super) fn grep_now(&self, request: &GrepRequest) -> FileOutcome<GrepResult> {
        let clean = operations::clean_path(&request.path)?;
        let needle = Needle::new(&request.pattern)?;
        let filter = request.glob.as_deref().map(|glob| Glob::new(glob, Dots::Any)).transpose()?;
        let at = self.find(&clean)?;
        let mut matches = Matches::up_to(request.max_count);
        match at.kind() {
            FileKind::Regular => {
                // A file that cannot be read is skipped.
                if let Ok(Opened::File { file, .. }) =
                    self.namespace.open_location(&self.cx, &at, &OpenOptions::READ)
                    && let Ok(content) = read_all(&*file)
                {
                    needle.search(&clean, &content, &mut matches);
                }
            }
            FileKind::Directory => {
                self.check_open(&at)?;
                let mut grep = Grep { clean: &clean, needle: &needle, filter, matches };
                self.namespace.survey(&self.cx, &at, &mut grep);
                matches = grep.matches;
            }
            _ => {}
        }
        Ok(matches.result())
    }

    pub(super) fn glob_now(&self, request: &GlobRequest) -> FileOutcome<GlobResult> {
        let clean = operations::clean_path(&request.path)?;
        let pattern = Glob::new(&request.pattern, Dots::Explicit)?;
        let at = self.find_directory(&clean)?;
        let enters_hidden = pattern.enters_hidden();
        let max_depth = pattern.max_depth().unwrap_or(usize::MAX);
        let mut names = Names {
            files: self,
            at: &at,
            clean: &clean,
            pattern,
            enters_hidden,
            max_depth,
            directories: request.directories,
            matches: Vec::new(),
            complete: true,
        };
        self.namespace.survey(&self.cx, &at, &mut names);
        Ok(operations::finish_glob(names.matches, !names.complete))
    }
}

/// The search by content.
struct Grep<'a> {
    /// The directory that is searched.
    clean: &'a str,
    needle: &'a Needle,
    filter: Option<Glob>,
    matches: Matches,
}

impl Surveyor for Grep<'_> {
    fn entry(&mut self, below: &[u8], mut entry: Surveyed<'_>) -> ControlFlow<()> {
        let name = || names::text(below);
        let wanted = || self.filter.as_ref().is_none_or(|filter| filter.matches(&name(), false));
        if entry.kind() != FileKind::Regular || !wanted() {
            return ControlFlow::Continue(());
        }
        // A file that cannot be read or no longer exists is skipped.
        if let Ok(content) = entry.content(MAX_FILE_BYTES)
            && self.needle.occurs(content)
        {
            let path = format!("{}/{}", self.clean, name());
            self.needle.search(&path, content, &mut self.matches);
        }
        if self.matches.are_enough() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn enter(&mut self, below: &[u8]) -> bool {
        last_name(below) != b".git"
    }

    fn left_out(&mut self, _below: &[u8], _errno: Errno) {}
}

/// The search by name.
struct Names<'a> {
    files: &'a NamespaceFiles,
    /// The directory that is searched.
    at: &'a Location,
    clean: &'a str,
    pattern: Glob,
    enters_hidden: bool,
    max_depth: usize,
    directories: bool,
    matches: Vec<FileInfo>,
    complete: bool,
}

impl Names<'_> {
    /// Whether it is one of the root's directories that hold no real files.
    fn pruned(&self, below: &[u8]) -> bool {
        self.clean.is_empty() && matches!(below, b"proc" | b"sys" | b"dev")
    }
}

impl Surveyor for Names<'_> {
    fn entry(&mut self, below: &[u8], entry: Surveyed<'_>) -> ControlFlow<()> {
        let name = names::text(below);
        // Whatever matches as a file also matches as a directory; patterns for directories alone match only then.
        if self.pruned(below) || !self.pattern.matches(&name, true) {
            return ControlFlow::Continue(());
        }
        let Ok(own) = entry.metadata() else {
            self.complete = false;
            return ControlFlow::Continue(());
        };
        let (info, kind) = self.files.info(self.at, below, format!("{}/{name}", self.clean), &own);
        let wanted = kind == FileKind::Regular || (self.directories && info.is_dir);
        if wanted && (info.is_dir || self.pattern.matches(&name, false)) {
            self.matches.push(info);
        }
        ControlFlow::Continue(())
    }

    fn enter(&mut self, below: &[u8]) -> bool {
        let depth = memchr::memchr_iter(b'/', below).count() + 1;
        let hidden = last_name(below).starts_with(b".");
        depth < self.max_depth && !self.pruned(below) && (self.enters_hidden || !hidden)
    }

    fn left_out(&mut self, _below: &[u8], _errno: Errno) {
        self.complete = false;
    }
}

fn last_name(below: &[u8]) -> &[u8] {
    below.rsplit(|byte| *byte == b'/').next().unwrap_or(below)
}
