//! Redirections.

use super::network;
use crate::options::{Shopt, flag};
use crate::shell::{Flow, Run, Shell};
use crate::text;
use crate::variables::Name;
use sandshell_syntax::ast::{CommandKind, HereDoc, Redirect, RedirectFd, RedirectKind};
use sandshell_sys as sys;
use sys::{Errno, Fd, open_flags as o};

/// The lowest descriptor number that the shell uses for itself.
pub(crate) const FIRST_PRIVATE: Fd = 10;
/// How much text fits into a pipe while nobody reads.
const PIPE_CAPACITY: usize = 65536;

/// How to undo one redirection: the descriptor, and a copy of what it referred to (`None`: it was closed).
#[derive(Debug)]
pub(crate) struct Undo {
    pub(crate) fd: Fd,
    copy: Option<SavedFd>,
    cloexec: bool,
}

/// The index of a copy in [`Shell::saved_fds`].
type SavedFd = usize;

/// What a redirection assigns to a descriptor.
pub(crate) enum Source {
    /// A descriptor opened for it, to be closed after it was copied.
    Opened(Fd),
    /// A copy of another descriptor.
    Copy(Fd),
    /// A copy of another descriptor, which is then closed.
    Move(Fd),
    Close,
    /// The descriptor stays as it is, even if closed.
    Unchanged,
}

/// The descriptors of a program to start: the program's number and the shell's (`None`: closed).
pub(crate) type FdMap = Vec<(Fd, Option<Fd>)>;

/// Whether one of the redirections is of standard input.
pub(crate) fn takes_input(redirects: &[Redirect]) -> bool {
    redirects.iter().any(|r| matches!(r.fd, RedirectFd::Default(0) | RedirectFd::Number(0)))
}

impl Shell {
    /// Applies redirections in this process. The inner `Err` means that one failed, with a message. The caller undoes
    /// them in either case.
    pub(crate) fn redirect(&mut self, list: &[Redirect], undo: &mut Vec<Undo>) -> Run<Result<(), ()>> {
        if list.is_empty() {
            return Ok(Ok(()));
        }
        // Earlier output goes where the descriptor still points.
        let _ = self.flush();
        for r in list {
            let (fd, source, both) = match self.prepare_redirect(r)? {
                Ok(x) => x,
                Err(()) => return Ok(Err(())),
            };
            let done = self.apply_redirect(fd, source, undo);
            if matches!(r.fd, RedirectFd::Variable(_))
                && !matches!(r.kind, RedirectKind::Close { .. })
                && self.opts.shopt(Shopt::varredir_close)
            {
                undo.push(Undo { fd, copy: None, cloexec: false });
            }
            let done = match (done, both) {
                (Ok(()), true) => self.apply_redirect(2, Source::Copy(1), undo),
                (done, _) => done,
            };
            if let Err(e) = done {
                self.error([text::number(fd.into()).as_slice(), b": ", e.to_string().as_bytes()].concat());
                return Ok(Err(()));
            }
        }
        Ok(Ok(()))
    }

    // Resolves a redirection: the descriptor, its new source, and whether standard error is redirected too.
    pub(crate) fn prepare_redirect(&mut self, r: &Redirect) -> Run<Result<(Fd, Source, bool), ()>> {
        let mut both = false;
        let source = match &r.kind {
            RedirectKind::Read(w) => self.open_word(w, r.fd, o::READ)?,
            RedirectKind::Write(w) if self.opts.has(flag::NOCLOBBER) => self.open_noclobber(w, r.fd)?,
            RedirectKind::Write(w) | RedirectKind::Clobber(w) => {
                self.open_word(w, r.fd, o::WRITE | o::CREATE | o::TRUNC)?
            }
            RedirectKind::Append(w) => self.open_word(w, r.fd, o::WRITE | o::CREATE | o::APPEND)?,
            RedirectKind::ReadWrite(w) => self.open_word(w, r.fd, o::READ | o::WRITE | o::CREATE)?,
            RedirectKind::WriteBoth(w) => {
                both = true;
                if self.opts.has(flag::NOCLOBBER) {
                    self.open_noclobber(w, r.fd)?
                } else {
                    self.open_word(w, r.fd, o::WRITE | o::CREATE | o::TRUNC)?
                }
            }
            RedirectKind::AppendBoth(w) => {
                both = true;
                self.open_word(w, r.fd, o::WRITE | o::CREATE | o::APPEND)?
            }
            RedirectKind::Duplicate { from, .. } if is_closed(r.fd, *from) => Ok(Source::Unchanged),
            RedirectKind::Duplicate { from, .. } => self.check_source(r.fd, *from, Source::Copy(*from), None),
            RedirectKind::Move { from, .. } => self.check_source(r.fd, *from, Source::Move(*from), None),
            RedirectKind::Close { .. } => Ok(Source::Close),
            RedirectKind::DuplicateWord { input, word } => {
                let source = word.source.clone();
                let Some(target) = self.expand_redirect_target(word)? else {
                    self.error([&*source, b": ambiguous redirect"].concat());
                    return Ok(Err(()));
                };
                if &*target == b"-" {
                    Ok(Source::Close)
                } else if let Some(n) = target.strip_suffix(b"-").filter(|t| text::is_digits(t)) {
                    let n = text::parse_integer(n).and_then(|n| i32::try_from(n).ok()).unwrap_or(-1);
                    self.check_source(r.fd, n, Source::Move(n), Some(&source))
                } else if text::is_digits(&target) {
                    let n = text::parse_integer(&target).and_then(|n| i32::try_from(n).ok()).unwrap_or(-1);
                    self.check_source(r.fd, n, Source::Copy(n), Some(&source))
                } else if !*input
                    && matches!(r.fd, RedirectFd::Default(_) | RedirectFd::Number(1))
                    && !target.is_empty()
                {
                    if self.opts.restricted {
                        self.error([&*target, b": restricted: cannot redirect output"].concat());
                        return Ok(Err(()));
                    }
                    both = true;
                    match self.opts.has(flag::NOCLOBBER) {
                        true => self.open_new(&target, r.fd),
                        false => self.open_path(&target, o::WRITE | o::CREATE | o::TRUNC),
                    }
                } else {
                    let what: &[u8] = if target.is_empty() {
                        &[&*source, b": Bad file descriptor"].concat()
                    } else {
                        &[&*label(r.fd, &target), b": ambiguous redirect"].concat()
                    };
                    self.error(what);
                    Err(())
                }
            }
            RedirectKind::HereDoc(doc) => self.here_document(doc)?,
            RedirectKind::HereString(word) => {
                let mut body = self.expand_text(word)?.into_vec();
                body.push(b'\n');
                self.text_source(&body)
            }
        };
        let Ok(source) = source else { return Ok(Err(())) };
        let fd = match r.fd {
            RedirectFd::Default(n) | RedirectFd::Number(n) => n,
            RedirectFd::Variable(name) => {
                if matches!(source, Source::Close) {
                    let element = name.bytes().contains(&b'[');
                    let value = if element {
                        let reference = [b"${", &*name.bytes(), b"}"].concat();
                        Some(self.prompt_expand(&reference)?.to_vec()).filter(|v| !v.is_empty())
                    } else {
                        self.value(name).map(|v| v.into_owned()).filter(|v| !v.is_empty())
                    };
                    let Some(value) = value else {
                        self.error([&*name.bytes(), b": ambiguous redirect"].concat());
                        return Ok(Err(()));
                    };
                    // Text that is not a number counts as 0.
                    text::parse_integer(&value).and_then(|n| i32::try_from(n).ok()).unwrap_or(0)
                } else {
                    return self.redirect_variable(name, source);
                }
            }
        };
        Ok(Ok((fd, source, both)))
    }

    // `{name}>file`: the shell chooses the descriptor, which stays open.
    fn redirect_variable(&mut self, name: Name, source: Source) -> Run<Result<(Fd, Source, bool), ()>> {
        let from = match &source {
            Source::Opened(fd) | Source::Copy(fd) | Source::Move(fd) => *fd,
            Source::Close | Source::Unchanged => -1,
        };
        match sys::dup(from, FIRST_PRIVATE, false) {
            Ok(fd) => {
                if matches!(source, Source::Opened(_) | Source::Move(_)) {
                    let _ = sys::close(from);
                }
                let number = text::number(fd.into());
                let assigned = if name.bytes().contains(&b'[') {
                    let call = [crate::field::Field::from(&b"exec"[..])];
                    crate::builtins::assign_reference(self, &call, &name.bytes(), &number).map(|_| ())
                } else if self.is_unbound_nameref(name) {
                    // The variable is a nameref without a target, so the number would become its target.
                    let command = self.simple_name().map_or_else(Vec::new, |name| [&*name, b": "].concat());
                    self.error([&*command, b"`", &*number, b"': not a valid identifier"].concat());
                    Err(Flow::Discard)
                } else {
                    self.assign(name, &number, false)
                };
                match assigned {
                    Ok(()) => Ok(Ok((fd, Source::Copy(fd), false))),
                    Err(Flow::Discard) => {
                        let _ = sys::close(fd);
                        self.error([&*name.bytes(), b": cannot assign fd to variable"].concat());
                        Ok(Err(()))
                    }
                    Err(flow) => Err(flow),
                }
            }
            Err(e) => {
                self.error([&*name.bytes(), b": ", e.to_string().as_bytes()].concat());
                Ok(Err(()))
            }
        }
    }

    // The name of the simple command being run.
    fn simple_name(&self) -> Option<std::rc::Rc<[u8]>> {
        match &self.command.as_ref()?.kind {
            CommandKind::Simple(s) => s.name.map(|name| name.bytes()),
            _ => None,
        }
    }

    // Reports a source that is not open. `shown` is the number as it was written.
    fn check_source(
        &mut self,
        fd: RedirectFd,
        from: Fd,
        source: Source,
        shown: Option<&[u8]>,
    ) -> Result<Source, ()> {
        // Descriptors that are closed in programs belong to the shell, except those of a coprocess.
        let own = || !self.coprocs.iter().any(|c| c.fds.contains(&from));
        let closed = sys::cloexec(from).map_or(true, |private| private && own());
        if closed || self.reading_from == Some(from) {
            let variable = matches!(fd, RedirectFd::Variable(_));
            if variable {
                let name = self.prefix_at(0);
                let why = b"redirection error: cannot duplicate fd: Bad file descriptor\n".as_slice();
                self.write_error(&[&*name, why].concat());
            }
            let number = text::number(from.into());
            self.error([shown.filter(|_| !variable).unwrap_or(&number), b": Bad file descriptor"].concat());
            return Err(());
        }
        Ok(source)
    }

    fn open_word(
        &mut self,
        word: &sandshell_syntax::ast::Word,
        fd: RedirectFd,
        flags: u32,
    ) -> Run<Result<Source, ()>> {
        // The word is expanded in the shell itself; only the file is opened for the child.
        let child_fds = std::mem::take(&mut self.child_fds);
        let path = self.expand_redirect_target(word)?;
        self.child_fds = child_fds;
        let Some(path) = path else {
            self.error([&*label(fd, &word.source), b": ambiguous redirect"].concat());
            return Ok(Err(()));
        };
        if self.opts.restricted && flags & o::WRITE != 0 {
            self.error([&*label(fd, &path), b": restricted: cannot redirect output"].concat());
            return Ok(Err(()));
        }
        Ok(self.open_path(&path, flags))
    }

    pub(crate) fn open_path(&mut self, path: &[u8], flags: u32) -> Result<Source, ()> {
        if let Some(place) = network::Place::of(path) {
            return self.connect(path, &place).map(Source::Opened);
        }
        let of_child = self.path_of_child(path);
        loop {
            match sys::open(of_child.as_deref().unwrap_or(path), flags | o::CLOEXEC, 0o666) {
                Ok(fd) => return Ok(Source::Opened(fd)),
                Err(Errno::INTR) if self.take_trapped().is_none() => {}
                Err(e) => {
                    self.error([path, b": ", e.to_string().as_bytes()].concat());
                    return Err(());
                }
            }
        }
    }

    // Translates the path of a descriptor in the program to start to that in this process, if they differ.
    fn path_of_child(&self, path: &[u8]) -> Option<Vec<u8>> {
        let fd: Fd = match path {
            _ if self.child_fds.is_empty() => return None,
            b"/dev/stdin" => 0,
            b"/dev/stdout" => 1,
            b"/dev/stderr" => 2,
            _ => {
                let n = path.strip_prefix(b"/dev/fd/").or_else(|| path.strip_prefix(b"/proc/self/fd/"))?;
                text::parse_integer(n).and_then(|n| i32::try_from(n).ok())?
            }
        };
        let ours = self.child_fds.iter().rev().find(|m| m.0 == fd)?.1?;
        Some(format!("/dev/fd/{ours}").into_bytes())
    }

    fn open_noclobber(
        &mut self,
        word: &sandshell_syntax::ast::Word,
        fd: RedirectFd,
    ) -> Run<Result<Source, ()>> {
        let Some(path) = self.expand_redirect_target(word)? else {
            self.error([&*label(fd, &word.source), b": ambiguous redirect"].concat());
            return Ok(Err(()));
        };
        Ok(self.open_new(&path, fd))
    }

    // Opens an output file that must not replace a regular one (`noclobber`). A restricted shell refuses it.
    fn open_new(&mut self, path: &[u8], fd: RedirectFd) -> Result<Source, ()> {
        if !self.opts.restricted && network::Place::of(path).is_some() {
            return self.open_path(path, o::READ | o::WRITE);
        }
        let exists = sys::stat(path, true);
        // A dangling symbolic link is not replaced.
        let taken = match &exists {
            Ok(s) => s.is_file(),
            Err(_) => sys::stat(path, false).is_ok(),
        };
        let problem: &[u8] = match (self.opts.restricted, taken) {
            (true, _) => b": restricted: cannot redirect output",
            (_, true) => b": cannot overwrite existing file",
            _ => {
                let flags = o::WRITE | if exists.is_ok() { 0 } else { o::CREATE | o::EXCL };
                return self.open_path(path, flags);
            }
        };
        self.error([&*label(fd, path), problem].concat());
        Err(())
    }

    fn here_document(&mut self, doc: &HereDoc) -> Run<Result<Source, ()>> {
        let body = match doc.body.get() {
            None => Vec::new(),
            Some(word) if doc.quoted => word.source.to_vec(),
            Some(word) => match &word.literal {
                Some(text) => text.to_vec(),
                None => self.expand_here_document(&word.parts)?,
            },
        };
        Ok(self.text_source(&body))
    }

    // Makes a descriptor from which the text can be read: a pipe if it fits, else an unlinked file.
    fn text_source(&mut self, body: &[u8]) -> Result<Source, ()> {
        let made = if body.len() <= PIPE_CAPACITY { pipe_with(body) } else { self.temporary_with(body) };
        match made {
            Ok(fd) => Ok(Source::Opened(fd)),
            Err(e) => {
                self.error(
                    [b"cannot create temp file for here-document: ", e.to_string().as_bytes()].concat(),
                );
                Err(())
            }
        }
    }

    /// An unused name for a file in the temporary directory.
    pub(crate) fn temporary_name(&mut self, prefix: &[u8]) -> Vec<u8> {
        let dir = self.value(Name::new(b"TMPDIR")).map(|v| v.into_owned()).filter(|d| !d.is_empty());
        let dir = dir.unwrap_or_else(|| b"/tmp".to_vec());
        let mut bytes = [0u8; 8];
        sys::random(&mut bytes);
        [&*dir, b"/", prefix, format!("{:016x}", u64::from_le_bytes(bytes)).as_bytes()].concat()
    }

    fn temporary_with(&mut self, body: &[u8]) -> sys::Result<Fd> {
        let path = self.temporary_name(b"sh-thd.");
        let w = sys::open(&path, o::WRITE | o::CREATE | o::EXCL | o::CLOEXEC, 0o600)?;
        let written = sys::write_all(w, body);
        let _ = sys::close(w);
        let r = written.and_then(|()| sys::open(&path, o::READ | o::CLOEXEC, 0));
        let _ = sys::unlink(&path);
        r
    }

    fn apply_redirect(&mut self, fd: Fd, source: Source, undo: &mut Vec<Undo>) -> sys::Result<()> {
        if let Source::Copy(from) = source
            && from == fd
        {
            return sys::set_cloexec(fd, false);
        }
        if matches!(source, Source::Unchanged) {
            return Ok(());
        }
        if fd < 0 {
            return Err(Errno::BADF);
        }
        if let Source::Opened(from) = source
            && from == fd
        {
            // The descriptor was closed, and the new file got its number.
            undo.push(Undo { fd, copy: None, cloexec: false });
            return sys::set_cloexec(fd, false);
        }
        self.save_descriptor(fd, undo);
        match source {
            Source::Opened(from) => {
                let done = sys::dup2(from, fd, false);
                let _ = sys::close(from);
                done
            }
            Source::Copy(from) => sys::dup2(from, fd, false),
            Source::Move(from) => {
                sys::dup2(from, fd, false)?;
                if from != fd {
                    self.save_descriptor(from, undo);
                    let _ = sys::close(from);
                    self.note_moved_coproc(from);
                }
                Ok(())
            }
            Source::Unchanged => Ok(()),
            Source::Close => {
                let _ = sys::close(fd);
                Ok(())
            }
        }
    }

    // Copies a descriptor to a number above the user's range. A descriptor of the shell's own is moved out of the way.
    pub(super) fn save_descriptor(&mut self, fd: Fd, undo: &mut Vec<Undo>) {
        if self.reading_from == Some(fd)
            && let Ok(moved) = sys::dup(fd, FIRST_PRIVATE, true)
        {
            self.reading_from = Some(moved);
        }
        for copy in self.saved_fds.iter_mut().filter(|copy| **copy == Some(fd)) {
            if let Ok(moved) = sys::dup(fd, FIRST_PRIVATE, true) {
                *copy = Some(moved);
            }
        }
        let cloexec = sys::cloexec(fd).unwrap_or(false);
        let copy = sys::dup(fd, FIRST_PRIVATE, true).ok().map(|copy| {
            let free = self.saved_fds.iter().position(Option::is_none);
            let at = free.unwrap_or_else(|| {
                self.saved_fds.push(None);
                self.saved_fds.len() - 1
            });
            self.saved_fds[at] = Some(copy);
            at
        });
        undo.push(Undo { fd, copy, cloexec });
    }

    // Takes a saved copy out of the list.
    fn take_saved(&mut self, copy: Option<SavedFd>) -> Option<Fd> {
        self.saved_fds.get_mut(copy?)?.take()
    }

    /// Undoes redirections, the last one first.
    pub(crate) fn undo_redirects(&mut self, undo: Vec<Undo>) {
        if undo.is_empty() {
            return;
        }
        let _ = self.flush();
        for u in undo.into_iter().rev() {
            match self.take_saved(u.copy) {
                Some(copy) => {
                    let _ = sys::dup2(copy, u.fd, u.cloexec);
                    let _ = sys::close(copy);
                }
                None => {
                    let _ = sys::close(u.fd);
                }
            }
        }
    }

    /// Makes redirections permanent (`exec` without a command).
    pub(crate) fn keep_redirects(&mut self, undo: Vec<Undo>) {
        for u in undo {
            if let Some(copy) = self.take_saved(u.copy) {
                let _ = sys::close(copy);
            }
        }
    }

    /// Stops capturing output in memory while descriptor 1 is redirected.
    pub(crate) fn suspend_capture(&mut self, undo: &[Undo]) -> Option<Vec<u8>> {
        if undo.iter().any(|u| u.fd == 1) { self.capture.take() } else { None }
    }

    pub(crate) fn restore_capture(&mut self, capture: Option<Vec<u8>>) {
        if capture.is_some() {
            self.capture = capture;
        }
    }

    /// Resolves a program's redirections to the child's descriptors: `(child, ours)`. The second result has to be
    /// closed afterwards.
    pub(crate) fn redirect_map(
        &mut self,
        list: &[Redirect],
        base: &[(Fd, Fd)],
        opened: &mut Vec<Fd>,
    ) -> Run<Result<FdMap, ()>> {
        let error_fd = self.error_fd;
        let map = self.map_redirects(list, base, opened);
        self.error_fd = error_fd;
        map
    }

    fn map_redirects(
        &mut self,
        list: &[Redirect],
        base: &[(Fd, Fd)],
        opened: &mut Vec<Fd>,
    ) -> Run<Result<FdMap, ()>> {
        let mut map: Vec<(Fd, Option<Fd>)> = base.iter().map(|(c, p)| (*c, Some(*p))).collect();
        for r in list {
            let resolve = |map: &[(Fd, Option<Fd>)], fd: Fd| {
                map.iter().rev().find(|m| m.0 == fd).map_or(Some(fd), |m| m.1)
            };
            // Messages follow the redirections of standard error so far.
            self.error_fd = resolve(&map, 2).unwrap_or(-1);
            // A copy refers to what earlier redirections made of its number.
            let from = match &r.kind {
                RedirectKind::Duplicate { from, .. } | RedirectKind::Move { from, .. } => Some(*from),
                _ => None,
            };
            let to = match r.fd {
                RedirectFd::Default(n) | RedirectFd::Number(n) => n,
                RedirectFd::Variable(_) => return Ok(Err(())),
            };
            if let Some(from) = from
                && let Some(entry) = map.iter().rev().find(|m| m.0 == from).copied()
            {
                let Some(ours) = entry.1 else {
                    self.error([text::number(from.into()).as_slice(), b": Bad file descriptor"].concat());
                    return Ok(Err(()));
                };
                set(&mut map, to, Some(ours));
                if matches!(r.kind, RedirectKind::Move { .. }) && from != to {
                    set(&mut map, from, None);
                }
                continue;
            }
            let outer = std::mem::replace(&mut self.child_fds, map.clone());
            let prepared = self.prepare_redirect(r);
            self.child_fds = outer;
            let (fd, source, both) = match prepared? {
                Ok(x) => x,
                Err(()) => return Ok(Err(())),
            };
            match source {
                Source::Opened(ours) => {
                    opened.push(ours);
                    set(&mut map, fd, Some(ours));
                }
                Source::Copy(from) => {
                    let ours = resolve(&map, from);
                    set(&mut map, fd, ours);
                }
                Source::Move(from) => {
                    let ours = resolve(&map, from);
                    set(&mut map, fd, ours);
                    if from != fd {
                        set(&mut map, from, None);
                    }
                }
                Source::Close => set(&mut map, fd, None),
                Source::Unchanged => {}
            }
            if both {
                let ours = resolve(&map, 1);
                set(&mut map, 2, ours);
            }
        }
        Ok(Ok(map))
    }
}

// Whether a redirection copies a closed descriptor to itself, which bash does not report.
fn is_closed(fd: RedirectFd, from: Fd) -> bool {
    matches!(fd, RedirectFd::Default(n) | RedirectFd::Number(n) if n == from) && sys::cloexec(from).is_err()
}

// How messages name a redirection: its target, or the variable of `{name}>`.
fn label(fd: RedirectFd, target: &[u8]) -> Vec<u8> {
    match fd {
        RedirectFd::Variable(name) => name.bytes().to_vec(),
        _ => target.to_vec(),
    }
}

fn set(map: &mut Vec<(Fd, Option<Fd>)>, fd: Fd, ours: Option<Fd>) {
    match map.iter_mut().find(|m| m.0 == fd) {
        Some(m) => m.1 = ours,
        None => map.push((fd, ours)),
    }
}

fn pipe_with(body: &[u8]) -> sys::Result<Fd> {
    let (r, w) = sys::pipe(true)?;
    let written = sys::write_all(w, body);
    let _ = sys::close(w);
    match written {
        Ok(()) => Ok(r),
        Err(e) => {
            let _ = sys::close(r);
            Err(e)
        }
    }
}

/// Handles a failed redirection. In a special builtin it ends a POSIX shell.
pub(crate) fn failure(shell: &mut Shell, special: bool) -> Run {
    shell.status = 1;
    if special && shell.posix() && !shell.opts.interactive { Err(Flow::Exit) } else { Ok(()) }
}
