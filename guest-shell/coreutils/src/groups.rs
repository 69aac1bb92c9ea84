//! `groups`.

use sandshell_cli::options::{self, Spec};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_posix::users;
use sandshell_posix::users::{group_name, user_name};
use sandshell_sys as sys;
use std::ffi::OsString;

/// Runs `groups` and returns its exit status.
pub fn groups_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "groups",
        usage: "\
Usage: groups [OPTION]... [USERNAME]...
Prints the groups of users; without USERNAME, those of this process.
",
        ..Spec::DEFAULT
    };
    let names = match spec.parse(&options::operands(args)) {
        Ok(p) => p.operands,
        Err(code) => return code,
    };
    let (uid, gid) = sys::getids();
    let list = |name: &[u8], gid: u32| {
        let mut all = vec![group_name(gid)];
        all.extend(
            users::groups()
                .into_iter()
                .filter(|g| g.gid != gid && g.members.iter().any(|m| m == name))
                .map(|g| g.name),
        );
        all.join(&b' ')
    };
    if names.is_empty() {
        out::put(bytes!(list(&user_name(uid), gid), "\n"));
        return out::finish("groups", 0, 1);
    }
    let mut code = 0;
    for name in &names {
        match users::user_named(name) {
            Some(u) => out::put(bytes!(name, " : ", list(name, u.gid), "\n")),
            None => {
                warn!("groups", quote(name), ": no such user");
                code = 1;
            }
        }
    }
    out::finish("groups", code, 1)
}
