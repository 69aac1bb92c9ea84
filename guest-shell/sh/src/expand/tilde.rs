//! Tilde expansion.

use crate::shell::Shell;
use crate::text;
use sandshell_sys as sys;

impl Shell {
    /// Expands `~`; `user` is the text after it.
    pub(crate) fn expand_tilde(&mut self, user: &[u8]) -> Vec<u8> {
        let found = match user {
            b"" => {
                let home = self.names.home;
                match self.value(home).map(|v| v.into_owned()) {
                    Some(home) => Some(home),
                    None => home_of(None),
                }
            }
            b"+" => {
                let pwd = self.names.pwd;
                self.value(pwd).map(|v| v.into_owned())
            }
            b"-" => {
                let old = self.names.oldpwd;
                self.value(old).map(|v| v.into_owned())
            }
            _ => {
                let digits = user.strip_prefix(b"+").unwrap_or(user);
                if text::is_digits(digits) {
                    text::parse_integer(digits)
                        .and_then(|n| usize::try_from(n).ok())
                        .and_then(|n| self.directory_stack_entry(n, false))
                } else if let Some(digits) = user.strip_prefix(b"-").filter(|d| text::is_digits(d)) {
                    text::parse_integer(digits)
                        .and_then(|n| usize::try_from(n).ok())
                        .and_then(|n| self.directory_stack_entry(n, true))
                } else {
                    home_of(Some(user))
                }
            }
        };
        found.unwrap_or_else(|| [b"~", user].concat())
    }
}

/// The home directory of a user in `/etc/passwd`. Without a name: that of the process's user.
pub(crate) fn home_of(user: Option<&[u8]>) -> Option<Vec<u8>> {
    let fd = sys::open(b"/etc/passwd", sys::open_flags::READ | sys::open_flags::CLOEXEC, 0).ok()?;
    let data = sys::read_to_end(fd);
    let _ = sys::close(fd);
    let uid = text::number(sys::getids().0.into());
    data.ok()?.split(|b| *b == b'\n').find_map(|line| {
        let fields: Vec<&[u8]> = line.split(|b| *b == b':').collect();
        let matches = match user {
            Some(user) => fields.first() == Some(&user),
            None => fields.get(2) == Some(&uid.as_slice()),
        };
        if matches { fields.get(5).map(|h| h.to_vec()) } else { None }
    })
}
