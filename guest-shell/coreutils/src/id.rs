//! `id`.

use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_posix::users;
use sandshell_posix::users::{group_name, user_name};
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "id",
    usage: "\
Usage: id [OPTION]... [USER]...
Prints numbers and names of a user and his groups; without USER, those of this process.

",
    options: &[
        option("-a", "nothing: for old scripts"),
        option("-g, --group", "only the group"),
        option("-G, --groups", "only all groups"),
        option("-n, --name", "names, with -u, -g or -G"),
        option("-r, --real", "the real one, with -u, -g or -G"),
        option("-u, --user", "only the user"),
        option("-z, --zero", "NUL between entries"),
    ],
    notes: "  -Z, --context  the security context; there are none here\n",
    ..Spec::DEFAULT
};

/// Runs `id` and returns its exit status.
pub fn id_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let has = |id: &str| parsed.options.iter().any(|g| g.id == id);
    let chosen: Vec<&str> = ["u", "g", "G"].into_iter().filter(|id| has(id)).collect();
    if chosen.len() > 1 {
        warn!("id", "cannot print \"only\" of more than one choice");
        return 1;
    }
    if chosen.is_empty() && (has("n") || has("r")) {
        warn!("id", "cannot print only names or real IDs in default format");
        return 1;
    }
    if chosen.is_empty() && has("z") {
        warn!("id", "option --zero not permitted in default format");
        return 1;
    }
    let end: &[u8] = if has("z") { b"\0" } else { b"\n" };
    let mut code = 0;
    let show = |uid: u32, gid: u32, name: &[u8]| {
        let mut groups = vec![gid];
        groups.extend(
            users::groups()
                .iter()
                .filter(|g| g.gid != gid && g.members.iter().any(|m| m == name))
                .map(|g| g.gid),
        );
        let named = |n: u32, group: bool| -> Vec<u8> {
            match (has("n"), group) {
                (false, _) => n.to_string().into_bytes(),
                (true, true) => group_name(n),
                (true, false) => user_name(n),
            }
        };
        match chosen.first() {
            Some(&"u") => out::put(named(uid, false)),
            Some(&"g") => out::put(named(gid, true)),
            Some(_) => {
                let all: Vec<Vec<u8>> = groups.iter().map(|g| named(*g, true)).collect();
                let between = if has("z") { 0 } else { b' ' };
                out::put(all.join(&between));
                // With several users, each list is followed by an empty entry.
                if has("z") && parsed.operands.len() > 1 {
                    out::put([0u8]);
                }
            }
            None => {
                out::put(bytes!(
                    "uid=",
                    uid,
                    "(",
                    user_name(uid),
                    ") gid=",
                    gid,
                    "(",
                    group_name(gid),
                    ") groups="
                ));
                let all: Vec<Vec<u8>> = groups.iter().map(|g| bytes!(*g, "(", group_name(*g), ")")).collect();
                out::put(all.join(&b','));
            }
        }
        out::put(end);
    };
    if parsed.operands.is_empty() {
        let (uid, gid) = sys::getids();
        show(uid, gid, &user_name(uid));
    }
    for name in &parsed.operands {
        let number = || users::number(name.strip_prefix(b"+").unwrap_or(name));
        match users::user_named(name).or_else(|| users::user_numbered(number()?)) {
            Some(u) => show(u.uid, u.gid, &u.name),
            None => {
                warn!("id", quote(name), ": no such user");
                code = 1;
            }
        }
    }
    out::finish("id", code, 1)
}
