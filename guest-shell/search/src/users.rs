//! Names of users and groups, from `/etc/passwd` and `/etc/group`.

use sandshell_sys as sys;

/// A table of names and numbers.
pub(crate) struct Names(Vec<(Vec<u8>, u32)>);

impl Names {
    pub(crate) fn users() -> Self {
        Self::read(b"/etc/passwd")
    }

    pub(crate) fn groups() -> Self {
        Self::read(b"/etc/group")
    }

    fn read(file: &[u8]) -> Self {
        let text = sys::open(file, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0).and_then(|fd| {
            let text = sys::read_to_end(fd);
            let _ = sys::close(fd);
            text
        });
        let text = text.unwrap_or_default();
        let entry = |line: &[u8]| {
            let mut fields = line.split(|b| *b == b':');
            let name = fields.next()?.to_vec();
            let id = std::str::from_utf8(fields.nth(1)?).ok()?.parse().ok()?;
            Some((name, id))
        };
        Self(text.split(|b| *b == b'\n').filter_map(entry).collect())
    }

    pub(crate) fn name(&self, id: u32) -> Option<&[u8]> {
        self.0.iter().find(|(_, i)| *i == id).map(|(n, _)| n.as_slice())
    }

    pub(crate) fn id(&self, name: &[u8]) -> Option<u32> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, i)| *i)
    }
}
