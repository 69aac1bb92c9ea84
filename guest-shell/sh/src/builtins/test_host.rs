//! Answers the questions of `test` and `[[` about the shell and its files.

use super::reference::closing_bracket;
use super::test::TestHost;
use crate::options;
use crate::shell::{Flow, Shell};
use crate::variables::access::Key;
use crate::variables::{Name, Value, attr};
use sandshell_syntax::name::is_name;
use sandshell_sys as sys;

/// Answers with the state of a shell.
pub(crate) struct Host<'s> {
    pub(crate) shell: &'s mut Shell,
    /// Set if a subscript could not be computed: how execution leaves the test.
    pub(crate) gone: Option<Flow>,
    /// For `[[ ]]`: the operand has been expanded, and the results of expansions are quoted.
    conditional: bool,
}

impl<'s> Host<'s> {
    pub(crate) fn new(shell: &'s mut Shell) -> Self {
        Self { shell, gone: None, conditional: false }
    }

    /// For `[[ ]]`. [`Shell::arith_operand`] prepares operands with a subscript.
    pub(crate) fn conditional(shell: &'s mut Shell) -> Self {
        Self { conditional: true, ..Self::new(shell) }
    }

    // The key for an operand's subscript; `None` if it has none.
    fn key(&mut self, name: Name, word: &[u8], subscript: &[u8]) -> Option<Key> {
        let key = match self.conditional {
            true => self.shell.key_from_text(name, subscript),
            false => self.shell.reference_key(name, word, subscript),
        };
        match key {
            Ok(Key::Text(text)) if text.is_empty() => {
                self.shell.error([&*name.bytes(), b": bad array subscript"].concat());
                None
            }
            Ok(key) => Some(key),
            Err(flow) => {
                self.gone = Some(flow);
                None
            }
        }
    }
}

// `/dev/fd/N` means the descriptor, even if the system has no such files.
fn stat(path: &[u8], follow: bool) -> sys::Result<sys::Stat> {
    if path.is_empty() {
        return Err(sys::Errno::NOENT);
    }
    if let Some(n) = path.strip_prefix(b"/dev/fd/")
        && let Some(fd) = crate::text::parse_integer(n).and_then(|n| i32::try_from(n).ok())
    {
        return sys::fstat(fd);
    }
    let fd = match path {
        b"/dev/stdin" => 0,
        b"/dev/stdout" => 1,
        b"/dev/stderr" => 2,
        _ => return sys::stat(path, follow),
    };
    sys::fstat(fd)
}

impl TestHost for Host<'_> {
    fn file(&mut self, test: u8, path: &[u8]) -> bool {
        let access = |mask| !path.is_empty() && sys::access(path, mask).is_ok();
        match test {
            b'r' => return access(4),
            b'w' => return access(2),
            b'x' => return access(1),
            _ => {}
        }
        let Ok(s) = stat(path, !matches!(test, b'h' | b'L')) else { return false };
        let kind = s.mode & sys::S_IFMT;
        match test {
            b'a' | b'e' => true,
            b'b' => kind == sys::S_IFBLK,
            b'c' => kind == sys::S_IFCHR,
            b'd' => kind == sys::S_IFDIR,
            b'f' => kind == sys::S_IFREG,
            b'g' => s.mode & 0o2000 != 0,
            b'h' | b'L' => kind == sys::S_IFLNK,
            b'k' => s.mode & 0o1000 != 0,
            b'p' => kind == sys::S_IFIFO,
            b's' => s.size > 0,
            b'u' => s.mode & 0o4000 != 0,
            b'G' => s.gid == sys::getids().1,
            b'N' => (s.atime, s.atime_nsec) < (s.mtime, s.mtime_nsec),
            b'O' => s.uid == sys::getids().0,
            b'S' => kind == sys::S_IFSOCK,
            _ => false,
        }
    }

    fn compare_files(&mut self, test: u8, left: &[u8], right: &[u8]) -> bool {
        let (l, r) = (stat(left, true), stat(right, true));
        match test {
            b'e' => matches!((l, r), (Ok(l), Ok(r)) if l.dev == r.dev && l.ino == r.ino),
            b'n' => match (l, r) {
                (Ok(l), Ok(r)) => (l.mtime, l.mtime_nsec) > (r.mtime, r.mtime_nsec),
                (Ok(_), Err(_)) => true,
                _ => false,
            },
            _ => match (l, r) {
                (Ok(l), Ok(r)) => (l.mtime, l.mtime_nsec) < (r.mtime, r.mtime_nsec),
                (Err(_), Ok(_)) => true,
                _ => false,
            },
        }
    }

    fn is_terminal(&mut self, descriptor: i64) -> bool {
        i32::try_from(descriptor).is_ok_and(sys::isatty)
    }

    fn is_set(&mut self, word: &[u8]) -> bool {
        if let Some(open) = word.iter().position(|b| *b == b'[') {
            let base = word.get(..open).unwrap_or_default();
            let valid = |end| end > open + 1 && end + 1 == word.len();
            if !is_name(base) || !closing_bracket(word, open).is_some_and(valid) {
                return false;
            }
            let shell = &mut *self.shell;
            let subscript = word.get(open + 1..word.len() - 1).unwrap_or_default();
            let (name, _) = shell.resolve_nameref(Name::new(base));
            if matches!(subscript, b"@" | b"*") {
                return match shell.variable(name).as_deref() {
                    Some(v) if v.has(attr::INVISIBLE) => false,
                    Some(v) => match &v.value {
                        Value::Indexed(a) => a.len() > 0,
                        Value::Assoc(a) => a.get(subscript).is_some(),
                        Value::Str(_) => true,
                    },
                    None => false,
                };
            }
            let Some(key) = self.key(name, word, subscript) else { return false };
            let shell = &mut *self.shell;
            if let Key::Index(i) = key
                && i < 0
                && !shell.is_element_in_range(name, i)
            {
                shell.error([base, b": bad array subscript"].concat());
                return false;
            }
            return shell.element(name, &key).is_some();
        }
        let shell = &mut *self.shell;
        if is_name(word) {
            let (name, subscript) = shell.resolve_nameref(Name::new(word));
            // A nameref to an element does not name a variable.
            return subscript.is_none() && shell.value(name).is_some();
        }
        if crate::text::is_digits(word) {
            // bash accepts positional parameters since version 5.
            return match crate::text::parse_integer(word).and_then(|n| usize::try_from(n).ok()) {
                Some(0) => true,
                Some(n) => n <= shell.args.len(),
                None => false,
            };
        }
        false
    }

    fn is_reference(&mut self, name: &[u8]) -> bool {
        is_name(name)
            && self
                .shell
                .vars
                .get(Name::new(name))
                .is_some_and(|v| v.has(attr::NAMEREF) && v.get().is_some_and(|t| !t.is_empty()))
    }

    fn is_option_on(&mut self, name: &[u8]) -> bool {
        options::set_option(name).is_some_and(|f| self.shell.opts.is_on(f))
    }
}
