//! `ERRNO` and its number, as on Linux.

use super::Interp;
use crate::array::Key;
use crate::special;
use crate::value::Value;
use sandshell_sys::Errno;

impl Interp<'_> {
    /// Sets `ERRNO` and `PROCINFO["errno"]` after a failed call.
    pub(super) fn set_errno(&mut self, e: Errno) {
        self.note_errno(e.text().as_bytes(), number(e));
    }

    /// Sets `ERRNO` to a text that is not a system error.
    pub(super) fn set_errno_text(&mut self, text: &str) {
        self.note_errno(text.as_bytes(), 0);
    }

    fn note_errno(&mut self, text: &[u8], number: u16) {
        self.globals[special::ERRNO as usize] = Value::text(text);
        if let Some(Value::Array(info)) = self.globals.get(special::PROCINFO as usize) {
            *info.borrow_mut().slot(Key::Text(b"errno")) = Value::Num(number.into());
        }
    }
}

fn number(e: Errno) -> u16 {
    const NUMBERS: &[(Errno, u16)] = &[
        (Errno::PERM, 1),
        (Errno::NOENT, 2),
        (Errno::SRCH, 3),
        (Errno::INTR, 4),
        (Errno::IO, 5),
        (Errno::NXIO, 6),
        (Errno::TOOBIG, 7),
        (Errno::NOEXEC, 8),
        (Errno::BADF, 9),
        (Errno::CHILD, 10),
        (Errno::AGAIN, 11),
        (Errno::NOMEM, 12),
        (Errno::ACCES, 13),
        (Errno::FAULT, 14),
        (Errno::BUSY, 16),
        (Errno::EXIST, 17),
        (Errno::XDEV, 18),
        (Errno::NODEV, 19),
        (Errno::NOTDIR, 20),
        (Errno::ISDIR, 21),
        (Errno::INVAL, 22),
        (Errno::NFILE, 23),
        (Errno::MFILE, 24),
        (Errno::NOTTY, 25),
        (Errno::TXTBSY, 26),
        (Errno::FBIG, 27),
        (Errno::NOSPC, 28),
        (Errno::SPIPE, 29),
        (Errno::ROFS, 30),
        (Errno::MLINK, 31),
        (Errno::PIPE, 32),
        (Errno::NAMETOOLONG, 36),
        (Errno::NOSYS, 38),
        (Errno::NOTEMPTY, 39),
        (Errno::LOOP, 40),
        (Errno::NOTSUP, 95),
        (Errno::NETUNREACH, 101),
        (Errno::TIMEDOUT, 110),
    ];
    NUMBERS.iter().find(|n| n.0 == e).map_or(5, |n| n.1)
}
