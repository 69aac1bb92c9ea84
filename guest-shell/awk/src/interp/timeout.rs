//! Time limits of reads: `PROCINFO[NAME, "READ_TIMEOUT"]`.

use super::Interp;
use crate::array::Key;
use crate::special;
use crate::value::Value;
use sandshell_sys as sys;
use std::time::Duration;

impl Interp<'_> {
    /// The time limit for a read from the stream with this name.
    #[inline(never)]
    pub(super) fn read_timeout(&self, name: &[u8]) -> Option<Duration> {
        let milliseconds = self.procinfo(name, b"READ_TIMEOUT")?.num();
        (milliseconds >= 1.0).then(|| Duration::from_millis(milliseconds as u64))
    }

    /// The result of `getline` after an error: -2 if the program wants to retry.
    pub(super) fn failed_read(&mut self, name: &[u8], e: sys::Errno) -> Value {
        let again = matches!(e, sys::Errno::TIMEDOUT | sys::Errno::AGAIN | sys::Errno::INTR)
            && self.procinfo(name, b"RETRY").is_some();
        self.set_errno(e);
        Value::Num(if again { -2.0 } else { -1.0 })
    }

    fn procinfo(&self, name: &[u8], what: &[u8]) -> Option<Value> {
        let Some(Value::Array(info)) = self.globals.get(special::PROCINFO as usize) else { return None };
        let key = [name, &self.subsep, what].concat();
        info.borrow().get(Key::of_text(&key)).cloned()
    }
}
