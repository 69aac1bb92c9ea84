//! Selects the files to search: ignore files, globs, types, hidden names.

use super::options::{Options, TypeChange};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use sandshell_cli::bytes;
use sandshell_sys as sys;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The rules that one directory adds.
struct Rules {
    custom: Option<Gitignore>,
    ignore: Option<Gitignore>,
    git: Option<Gitignore>,
    exclude: Option<Gitignore>,
    has_git: bool,
}

pub(crate) struct Filter<'a> {
    o: &'a Options,
    overrides: Override,
    types: Types,
    /// The rules from the filesystem's root down to the current directory. Only directories with rules or a repository
    /// are in it.
    chain: Vec<Rules>,
    explicit: Vec<Gitignore>,
    global: Gitignore,
    /// Whether the rules of parent directories apply.
    parents: bool,
}

impl<'a> Filter<'a> {
    /// Reads globs, types and explicit ignore files. Errors in ignore files are reported to `warn`.
    ///
    /// # Errors
    /// The text of the message.
    pub(crate) fn new(o: &'a Options, warn: &mut dyn FnMut(String)) -> Result<Self, String> {
        let cwd = cwd();
        let mut overrides = OverrideBuilder::new(&cwd);
        let fail = |e: ignore::Error| e.to_string();
        if o.glob_icase {
            overrides.case_insensitive(true).map_err(fail)?;
        }
        for (glob, icase) in &o.globs {
            if *icase && !o.glob_icase {
                overrides.case_insensitive(true).map_err(fail)?;
            }
            overrides.add(glob).map_err(fail)?;
            if *icase && !o.glob_icase {
                overrides.case_insensitive(false).map_err(fail)?;
            }
        }
        let mut explicit = Vec::new();
        if !o.no_ignore_files {
            for file in &o.ignore_files {
                match gitignore(&cwd, file, o) {
                    Ok(g) => explicit.push(g),
                    Err(e) => warn(format!("{}: {}", String::from_utf8_lossy(file), super::os_error(e))),
                }
            }
        }
        let vcs = !o.no_ignore && !o.no_ignore_vcs;
        let global = if vcs && !o.no_ignore_global { global(o) } else { Gitignore::empty() };
        Ok(Self {
            o,
            overrides: overrides.build().map_err(fail)?,
            types: types(o)?.build().map_err(fail)?,
            chain: Vec::new(),
            explicit,
            global,
            parents: !o.no_ignore && !o.no_ignore_parent,
        })
    }

    /// Starts at a directory: reads the rules of its ancestors.
    pub(crate) fn start(&mut self, directory: &Path) {
        self.chain.clear();
        let mut above: Vec<&Path> = directory.ancestors().skip(1).collect();
        above.reverse();
        if !self.parents {
            // Rules below still depend on whether an ancestor contains a repository.
            let git = |dir: &&Path| sys::stat(dir.join(".git").as_os_str().as_encoded_bytes(), true).is_ok();
            if above.iter().any(git) {
                let none = Rules { custom: None, ignore: None, git: None, exclude: None, has_git: true };
                self.chain.push(none);
            }
            return;
        }
        for dir in above {
            self.enter(dir, None);
        }
    }

    /// Enters a directory with these names. If it returns true, [`leave`](Self::leave) must be called.
    pub(crate) fn enter(&mut self, dir: &Path, names: Option<&[sys::DirEntry]>) -> bool {
        let o = self.o;
        if o.no_ignore {
            return false;
        }
        let has = |name: &[u8]| names.is_none_or(|n| n.iter().any(|e| e.name == name));
        let read = |name: &[u8]| {
            if !has(name) {
                return None;
            }
            let file = bytes!(dir.as_os_str().as_encoded_bytes(), "/", name);
            gitignore(dir, &file, o).ok().filter(|g| !g.is_empty())
        };
        let vcs = !o.no_ignore_vcs;
        let has_git =
            has(b".git") && sys::stat(&bytes!(dir.as_os_str().as_encoded_bytes(), "/.git"), true).is_ok();
        let rules = Rules {
            custom: if o.no_ignore_dot { None } else { read(b".rgignore") },
            ignore: if o.no_ignore_dot { None } else { read(b".ignore") },
            git: if vcs { read(b".gitignore") } else { None },
            exclude: if vcs && !o.no_ignore_exclude && has_git {
                let file = bytes!(dir.as_os_str().as_encoded_bytes(), "/.git/info/exclude");
                gitignore(dir, &file, o).ok().filter(|g| !g.is_empty())
            } else {
                None
            },
            has_git,
        };
        let any = rules.custom.is_some()
            || rules.ignore.is_some()
            || rules.git.is_some()
            || rules.exclude.is_some()
            || rules.has_git;
        if any {
            self.chain.push(rules);
        }
        any
    }

    /// Leaves a directory for which [`enter`](Self::enter) returned true.
    pub(crate) fn leave(&mut self) {
        self.chain.pop();
    }

    /// Whether a file or directory is skipped. `path` is the path as shown, `full` the absolute one.
    pub(crate) fn skips(&self, path: &[u8], full: &Path, name: &[u8], is_dir: bool) -> bool {
        let shown = Path::new(os(path.strip_prefix(b"./").unwrap_or(path)));
        if !self.overrides.is_empty() {
            let m = self.overrides.matched(shown, is_dir);
            if !m.is_none() {
                return m.is_ignore();
            }
        }
        let mut wanted = false;
        match self.ignored(full, is_dir) {
            Some(true) => return true,
            Some(false) => wanted = true,
            None => {}
        }
        if !self.types.is_empty() {
            let m = self.types.matched(shown, is_dir);
            if m.is_ignore() {
                return true;
            }
            wanted |= m.is_whitelist();
        }
        !wanted && !self.o.hidden && name.starts_with(b".")
    }

    // What the ignore files say: ignore (true), do not ignore (false), or nothing.
    fn ignored(&self, full: &Path, is_dir: bool) -> Option<bool> {
        let in_git = !self.o.require_git || self.chain.iter().any(|r| r.has_git);
        let (mut custom, mut plain, mut git, mut exclude) = (None, None, None, None);
        let mut above_repository = false;
        let ask = |rules: &Option<Gitignore>, verdict: &mut Option<bool>| {
            if verdict.is_none()
                && let Some(g) = rules
            {
                *verdict = verdict_of(g, full, is_dir);
            }
        };
        for rules in self.chain.iter().rev() {
            ask(&rules.custom, &mut custom);
            ask(&rules.ignore, &mut plain);
            if in_git && !above_repository {
                ask(&rules.git, &mut git);
                ask(&rules.exclude, &mut exclude);
            }
            above_repository |= rules.has_git;
        }
        let global = if in_git { verdict_of(&self.global, full, is_dir) } else { None };
        let explicit = self.explicit.iter().rev().find_map(|g| verdict_of(g, full, is_dir));
        custom.or(plain).or(git).or(exclude).or(global).or(explicit)
    }
}

fn verdict_of(g: &Gitignore, full: &Path, is_dir: bool) -> Option<bool> {
    if g.is_empty() {
        return None;
    }
    // Patterns with slashes are relative to the ignore file's directory. If the path is not below it, only patterns on
    // names can match.
    let path = full.strip_prefix(g.path()).unwrap_or(full);
    match g.matched(path, is_dir) {
        m if m.is_none() => None,
        m => Some(m.is_ignore()),
    }
}

/// The type definitions, with the changes that the command line asks for.
///
/// # Errors
/// The text of the message.
pub(crate) fn types(o: &Options) -> Result<TypesBuilder, String> {
    let mut b = TypesBuilder::new();
    if o.types.is_empty() && o.mode != super::options::Mode::Types {
        return Ok(b);
    }
    b.add_defaults();
    for change in &o.types {
        match change {
            TypeChange::Select(t) => drop(b.select(t)),
            TypeChange::Negate(t) => drop(b.negate(t)),
            TypeChange::Clear(t) => drop(b.clear(t)),
            TypeChange::Add(def) => b.add_def(def).map_err(|e| e.to_string())?,
        }
    }
    Ok(b)
}

fn gitignore(root: &Path, file: &[u8], o: &Options) -> sys::Result<Gitignore> {
    let text = sys::read_file(file)?;
    let mut b = GitignoreBuilder::new(root);
    let _ = b.case_insensitive(o.ignore_icase);
    for (i, line) in text.split(|b| *b == b'\n').enumerate() {
        let line = if i == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        // Like git, ignore invalid globs.
        let _ = b.add_line(None, &String::from_utf8_lossy(line));
    }
    Ok(b.build().unwrap_or_else(|_| Gitignore::empty()))
}

fn global(o: &Options) -> Gitignore {
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".config")));
    let Some(file) = config.map(|c| c.join("git/ignore")) else { return Gitignore::empty() };
    gitignore(&cwd(), file.as_os_str().as_encoded_bytes(), o).unwrap_or_else(|_| Gitignore::empty())
}

pub(crate) fn cwd() -> PathBuf {
    PathBuf::from(os(&sys::getcwd().unwrap_or_else(|_| b"/".to_vec())).to_os_string())
}

/// Converts bytes to the platform's string type.
pub(crate) fn os(bytes: &[u8]) -> &OsStr {
    #[cfg(unix)]
    use std::os::unix::ffi::OsStrExt;
    #[cfg(target_os = "wasi")]
    use std::os::wasi::ffi::OsStrExt;
    OsStr::from_bytes(bytes)
}
