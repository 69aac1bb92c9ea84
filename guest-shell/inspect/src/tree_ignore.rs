//! The names that `tree --gitignore` leaves out.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use sandshell_sys as sys;

/// The patterns of one file; they apply below a directory.
#[derive(Debug)]
struct Rules {
    directory: Vec<u8>,
    out: Gitignore,
    back: Gitignore,
}

/// The pattern files that apply to the directory being read.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    stack: Vec<Rules>,
}

impl Ignored {
    /// Adds the patterns of the file `name`, which apply below `directory`. Returns whether the file could be read.
    pub(crate) fn push(&mut self, name: &[u8], directory: &[u8]) -> bool {
        let Ok(text) = sys::read_file(name) else { return false };
        self.stack.push(rules(&text, directory));
        true
    }

    /// Undoes the last `push`.
    pub(crate) fn pop(&mut self) {
        self.stack.pop();
    }

    /// Whether the path is left out. Unlike in git, a pattern with `!` wins wherever it is in the file.
    pub(crate) fn hides(&self, path: &[u8], is_dir: bool) -> bool {
        let any = |pick: fn(&Rules) -> &Gitignore| {
            self.stack.iter().any(|rules| {
                let Some(below) = path.strip_prefix(rules.directory.as_slice()) else { return false };
                let below = below.strip_prefix(b"/").unwrap_or(below);
                let below = String::from_utf8_lossy(below);
                pick(rules).matched(&*below, is_dir).is_ignore()
            })
        };
        any(|rules| &rules.out) && !any(|rules| &rules.back)
    }
}

fn rules(text: &[u8], directory: &[u8]) -> Rules {
    let (mut out, mut back) = (GitignoreBuilder::new(""), GitignoreBuilder::new(""));
    for line in text.split(|b| *b == b'\n') {
        let line = String::from_utf8_lossy(line);
        // An invalid pattern matches nothing.
        let _ = match line.strip_prefix('!') {
            Some(line) => back.add_line(None, line),
            None => out.add_line(None, &line),
        };
    }
    let built = |builder: GitignoreBuilder| builder.build().unwrap_or_else(|_| Gitignore::empty());
    Rules { directory: directory.to_vec(), out: built(out), back: built(back) }
}
