//! Files in other directories: `vpath` and `VPATH`.

use crate::node::NodeId;
use crate::say::Result;
use crate::session::Make;
use crate::text::{Pattern, Text, is_space, words};
use sandshell_sys as sys;

/// `vpath PATTERN DIRECTORIES`.
#[derive(Debug)]
pub(crate) struct SearchPath {
    pattern: Pattern,
    text: Text,
    dirs: Vec<Text>,
}

impl Make {
    /// Carries out what follows the word `vpath`.
    pub(crate) fn vpath_directive(&mut self, text: &[u8]) {
        let Some(pattern) = words(text).next() else {
            self.search_paths.clear();
            return;
        };
        let dirs: Vec<Text> = words(text).skip(1).flat_map(directories).collect();
        if dirs.is_empty() {
            self.search_paths.retain(|p| p.text != pattern);
        } else {
            let (pattern, text) = (Pattern::new(pattern), pattern.to_vec());
            self.search_paths.push(SearchPath { pattern, text, dirs });
        }
    }

    /// Adds the directories of `VPATH`, which come last and are for all names.
    pub(crate) fn read_vpath_variable(&mut self) -> Result<()> {
        if self.global.contains_key(&b"VPATH"[..]) {
            let dirs = directories(&self.var_value(b"VPATH")?).collect();
            self.search_paths.push(SearchPath { pattern: Pattern::new(b"%"), text: Text::new(), dirs });
        }
        Ok(())
    }

    /// The name with the first directory that has the file, or for which a makefile says how to make it there.
    pub(crate) fn locate(&self, name: &[u8]) -> Option<Text> {
        if name.starts_with(b"/") || name.is_empty() {
            return None;
        }
        let fitting = self.search_paths.iter().filter(|p| p.pattern.stem(name).is_some());
        fitting.flat_map(|p| &p.dirs).map(|dir| [dir, &b"/"[..], name].concat()).find(|path| {
            self.graph.find(path).is_some_and(|id| self.graph[id].has_rule) || sys::stat(path, true).is_ok()
        })
    }

    /// The node that is meant: if a file was found in another directory, and a rule makes it there, that one.
    pub(crate) fn stand_in(&mut self, id: NodeId) -> NodeId {
        if self.search_paths.is_empty() || self.graph[id].has_rule || self.graph[id].phony {
            return id;
        }
        self.time(id);
        let found = self.graph[id].located.as_deref().and_then(|path| self.graph.find(path));
        found.filter(|other| self.graph[*other].has_rule).unwrap_or(id)
    }

    /// A target that has to be made is made here, not where it was found, except for the directories in `GPATH`.
    pub(crate) fn bring_home(&mut self, id: NodeId) -> Result<()> {
        let Some(path) = self.graph[id].located.take() else { return Ok(()) };
        let kept = self.var_value(b"GPATH")?;
        if directories(&kept).any(|dir| [&dir, &b"/"[..], &self.graph[id].name].concat() == path) {
            self.graph[id].located = Some(path);
        }
        Ok(())
    }
}

fn directories(text: &[u8]) -> impl Iterator<Item = Text> + '_ {
    text.split(|b| *b == b':' || is_space(*b)).filter(|d| !d.is_empty()).map(<[u8]>::to_vec)
}
