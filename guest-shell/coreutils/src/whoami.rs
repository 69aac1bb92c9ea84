//! `whoami`.

use crate::base::one_line::plain;
use sandshell_posix::users::user_name;
use sandshell_sys as sys;
use std::ffi::OsString;

/// Runs `whoami` and returns its exit status.
pub fn whoami_main(args: Vec<OsString>) -> i32 {
    plain(
        "whoami",
        "\
Usage: whoami [OPTION]...
Prints the name of the user whose rights count.
",
        args,
        || user_name(sys::getids().0),
    )
}
