//! The restricted shell: `bash -r`, `rbash` and `set -r`.

use crate::options::Shopt;
use crate::shell::Shell;
use crate::variables::{Name, Variable, attr};

/// Variables that cannot be changed in a restricted shell.
const FIXED: &[&[u8]] = &[b"PATH", b"SHELL", b"ENV", b"BASH_ENV", b"HISTFILE"];

impl Shell {
    /// Applies the restrictions of a shell that was started as a restricted one.
    pub(crate) fn start_restricted(&mut self) {
        self.opts.restricted = true;
        self.opts.set_shopt(Shopt::restricted_shell, true);
        for name in FIXED {
            let name = Name::new(name);
            if self.vars.get(name).is_none() {
                self.vars.insert(name, Variable::invisible(0));
            }
            if let Some(v) = self.vars.get_mut(name) {
                v.attrs |= attr::READONLY;
            }
        }
    }

    /// Applies the restrictions, which cannot be removed. In the text of `-c` the variables do not become readonly.
    pub(crate) fn restrict(&mut self) {
        if self.opts.command_string {
            self.opts.restricted = true;
            self.opts.set_shopt(Shopt::restricted_shell, true);
        } else {
            self.start_restricted();
        }
    }

    /// The message if a restricted shell refuses `path` as a program.
    pub(crate) fn refuses_path(&mut self, path: &[u8]) -> Option<Vec<u8>> {
        if !self.opts.restricted {
            return None;
        }
        if path.contains(&b'/') {
            return Some([path, b": restricted"].concat());
        }
        let search = self.search_path();
        self.search(path, &search, false).is_empty().then(|| [path, b": not found"].concat())
    }

    /// Whether a restricted shell refuses to run a command by this name, which is reported. It runs only programs from
    /// `PATH`.
    pub(crate) fn refuses_program(&mut self, name: &[u8]) -> bool {
        let refused = self.opts.restricted && name.contains(&b'/');
        if refused {
            self.error([name, b": restricted: cannot specify `/' in command names"].concat());
        }
        refused
    }
}
