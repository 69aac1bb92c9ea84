//! `$BASH`: the path of the shell's own program.

use crate::shell::Shell;

/// What tells where the shell's own program is.
///
/// A program that was called by its name alone is searched for when somebody reads `$BASH`, because most shells end
/// without that. The search is that of the start: later changes of `PATH` and of the directory have no effect.
#[derive(Debug)]
pub(crate) enum OwnPath {
    Known(Vec<u8>),
    Unknown { name: Vec<u8>, search_path: Vec<u8> },
}

impl Default for OwnPath {
    fn default() -> Self {
        Self::Known(fallback())
    }
}

impl OwnPath {
    /// That of a shell that was called as `name`, without the dash of a login shell.
    pub(crate) fn new(shell: &mut Shell, name: &[u8], login: bool) -> Self {
        if name.contains(&b'/') {
            let cwd = shell.logical_cwd();
            return Self::Known(absolute(&cwd, name.to_vec()));
        }
        if login {
            return Self::default();
        }
        let search_path = shell.search_path();
        if search_path.split(|b| *b == b':').all(|dir| dir.starts_with(b"/")) {
            return Self::Unknown { name: name.to_vec(), search_path };
        }
        // It may be below the directory of the start.
        let cwd = shell.logical_cwd();
        Self::Known(
            shell.search(name, &search_path, false).pop().map_or_else(fallback, |file| absolute(&cwd, file)),
        )
    }
}

impl Shell {
    /// The value of `$BASH`.
    pub(crate) fn own_path(&mut self) -> Vec<u8> {
        let known = match std::mem::take(&mut self.own_path) {
            OwnPath::Known(path) => path,
            OwnPath::Unknown { name, search_path } => {
                self.search(&name, &search_path, false).pop().unwrap_or_else(fallback)
            }
        };
        self.own_path = OwnPath::Known(known.clone());
        known
    }
}

fn fallback() -> Vec<u8> {
    b"/bin/bash".to_vec()
}

fn absolute(cwd: &[u8], file: Vec<u8>) -> Vec<u8> {
    if file.starts_with(b"/") { file } else { crate::builtins::cd::canonical(&crate::path::join(cwd, &file)) }
}
