//! The options about handling signals in the command.

use crate::kill::name_of;
use crate::timeout::signal_number;
use sandshell_cli::bytes;
use sandshell_cli::quote::quote;
use sandshell_sys::{self as sys, Disposition, signal};
use std::collections::{BTreeMap, BTreeSet};

/// What `--default-signal`, `--ignore-signal` and `--block-signal` ask for.
#[derive(Default)]
pub(crate) struct Handling {
    /// For each signal, its disposition, and whether the option named it.
    pub(crate) actions: BTreeMap<u8, (Disposition, bool)>,
    pub(crate) blocked: BTreeSet<u8>,
    pub(crate) listed: bool,
}

impl Handling {
    /// Applies an option to the signals in its list, or to all. `Err` is a message about an invalid name.
    pub(crate) fn read(&mut self, how: &str, list: Option<&[u8]>) -> Result<(), Vec<u8>> {
        let Some(list) = list else {
            (1..=signal::RTMAX).filter(|n| name_of(*n).is_some()).for_each(|n| self.set(how, n, false));
            return Ok(());
        };
        for word in list.split(|b| *b == b',').filter(|w| !w.is_empty()) {
            let n = signal_number(word).filter(|n| *n > 0);
            self.set(how, n.ok_or_else(|| bytes!(quote(word), ": invalid signal"))?, true);
        }
        Ok(())
    }

    pub(crate) fn set(&mut self, how: &str, n: u8, named: bool) {
        match how {
            "default" => {
                self.actions.insert(n, (Disposition::Default, named));
                self.blocked.remove(&n);
            }
            "ignore" => drop(self.actions.insert(n, (Disposition::Ignore, named))),
            _ => drop(self.blocked.insert(n)),
        }
    }

    /// Sets the dispositions. If asked to, lists signals with a non-default one. `Err` is a signal whose disposition
    /// cannot be set.
    pub(crate) fn apply(&self) -> Result<(), u8> {
        let fixed = |n: u8| matches!(n, signal::SIGKILL | signal::SIGSTOP);
        if let Some((n, _)) = self.actions.iter().find(|(n, (_, named))| *named && fixed(**n)) {
            return Err(*n);
        }
        let mut list = Vec::new();
        for n in (1..=signal::RTMAX).filter(|n| !fixed(*n)) {
            let action = self.actions.get(&n).map(|a| a.0);
            let blocked = self.blocked.contains(&n);
            if action.is_none() && !blocked && !self.listed {
                continue;
            }
            // Signals cannot be blocked here, so they are ignored instead.
            let set = if blocked { Some(Disposition::Ignore) } else { action };
            let Ok(before) = sys::sigaction(n, set.unwrap_or(Disposition::Default)) else { continue };
            if set.is_none() {
                let _ = sys::sigaction(n, before);
            }
            let told = match (blocked, action.unwrap_or(before) == Disposition::Ignore) {
                (true, true) => "BLOCK,IGNORE",
                (true, false) => "BLOCK",
                (false, true) => "IGNORE",
                (false, false) => continue,
            };
            list.extend(name_of(n).map(|name| format!("{name:<10} ({n:2}): {told}\n")));
        }
        if self.listed {
            let _ = sys::write_all(2, list.concat().as_bytes());
        }
        Ok(())
    }
}
