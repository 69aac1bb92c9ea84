//! Tools that look things up: mounts, users and hosts, the locale, programs, translations.

mod getent;
mod gettext;
mod locale;
mod mounts;
mod whereis;

pub use getent::getent_main;
pub use gettext::{gettext_main, ngettext_main};
pub use locale::locale_main;
pub use mounts::{findmnt_main, mount_main, mountpoint_main};
pub use whereis::whereis_main;

use crate::base::say;
use sandshell_sys as sys;

/// The lines of a file; none if it does not exist.
fn lines(path: &[u8]) -> Vec<Vec<u8>> {
    let content = sys::read_file(path).unwrap_or_default();
    content.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec).collect()
}

fn try_help(args: &[Vec<u8>]) -> i32 {
    say::raw([b"Try '", say::short_name(args), b" --help' for more information.\n"].concat());
    1
}
