//! `whoami`, `logname`, `id`, `groups`, `hostname`, `uname`, `nproc`.

use crate::base::getopt::{self, Spec, Value::*};
use crate::base::quote::quote;
use crate::base::{out, users};
use crate::{bytes, warn};
use sandshell_sys as sys;
use std::ffi::OsString;

fn user_name(uid: u32) -> Vec<u8> {
    users::user_numbered(uid).map_or_else(|| uid.to_string().into_bytes(), |u| u.name)
}

fn group_name(gid: u32) -> Vec<u8> {
    users::groups()
        .into_iter()
        .find(|g| g.gid == gid)
        .map_or_else(|| gid.to_string().into_bytes(), |g| g.name)
}

/// Prints one line for a command without options or operands.
fn plain(name: &'static str, help: &'static str, args: Vec<OsString>, line: impl FnOnce() -> Vec<u8>) -> i32 {
    let spec = Spec { name, short: "", long: &[], failure: 1, help };
    match spec.parse(&getopt::operands(args)) {
        Ok(parsed) => match parsed.operands.first() {
            Some(extra) => spec.extra_operand(extra),
            None => {
                out::put(bytes!(line(), "\n"));
                out::finish(name, 0, 1)
            }
        },
        Err(code) => code,
    }
}

/// `whoami`.
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

/// `logname`: nobody has logged in to a sandbox.
pub fn logname_main(args: Vec<OsString>) -> i32 {
    let help = "\
Usage: logname [OPTION]
Prints the name that the user has logged in with.
";
    let spec = Spec { name: "logname", short: "", long: &[], failure: 1, help };
    match spec.parse(&getopt::operands(args)) {
        Ok(parsed) => match parsed.operands.first() {
            Some(extra) => spec.extra_operand(extra),
            None => {
                warn!("logname", "no login name");
                1
            }
        },
        Err(code) => code,
    }
}

/// `hostname`: prints the name; a sandbox's cannot be set.
pub fn hostname_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "hostname",
        short: "sfid",
        long: &[
            ("short", No, "s"),
            ("fqdn", No, "f"),
            ("long", No, "f"),
            ("ip-address", No, "i"),
            ("domain", No, "d"),
        ],
        failure: 255,
        help: "\
Usage: hostname [-s|-f]
Prints the name of this host.

  -s, --short         up to the first dot
  -f, --fqdn, --long  with the domain
  -d, --domain        only the domain
  -i, --ip-address    the address
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if !parsed.operands.is_empty() {
        warn!("hostname", "you must be root to change the host name");
        return 1;
    }
    // Whether it can be written does not matter to this one.
    let ended = || {
        out::flush();
        0
    };
    let name = sys::hostname();
    for g in &parsed.options {
        match g.id {
            "i" => {
                out::put("127.0.1.1\n");
                return ended();
            }
            "d" => {
                out::put("\n");
                return ended();
            }
            _ => {}
        }
    }
    out::put(bytes!(name, "\n"));
    ended()
}

/// `nproc`.
pub fn nproc_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "nproc",
        short: "",
        long: &[("all", No, "a"), ("ignore", Yes, "i")],
        failure: 1,
        help: "\
Usage: nproc [OPTION]...
Prints how many processors there are to use.

      --all       all that the machine has
      --ignore=N  N fewer, but at least one
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let all = parsed.options.iter().any(|g| g.id == "a");
    let mut count = if all { sys::nproc().into() } else { openmp_threads() };
    for g in &parsed.options {
        if g.id == "i" {
            match users::number(g.text().trim_ascii_start()) {
                Some(n) => count = count.saturating_sub(n.into()).max(1),
                None => {
                    warn!("nproc", "invalid number: ", quote(g.text()));
                    return 1;
                }
            }
        }
    }
    if let Some(extra) = parsed.operands.first() {
        return spec.extra_operand(extra);
    }
    out::put(bytes!(count, "\n"));
    out::finish("nproc", 0, 1)
}

/// `id`.
pub fn id_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "id",
        short: "agGnruz",
        long: &[
            ("group", No, "g"),
            ("groups", No, "G"),
            ("name", No, "n"),
            ("real", No, "r"),
            ("user", No, "u"),
            ("zero", No, "z"),
        ],
        failure: 1,
        help: "\
Usage: id [OPTION]... [USER]...
Prints numbers and names of a user and his groups; without USER, those of this process.

  -a             nothing: for old scripts
  -g, --group    only the group
  -G, --groups   only all groups
  -n, --name     names, with -u, -g or -G
  -r, --real     the real one, with -u, -g or -G
  -u, --user     only the user
  -z, --zero     NUL between entries
  -Z, --context  the security context; there are none here
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
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
                // Lists of several users have an empty entry at their ends.
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

/// `groups`.
pub fn groups_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "groups",
        short: "",
        long: &[],
        failure: 1,
        help: "\
Usage: groups [OPTION]... [USERNAME]...
Prints the groups of users; without USERNAME, those of this process.
",
    };
    let names = match spec.parse(&getopt::operands(args)) {
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

/// `uname`: a Linux as the kernel's `/proc/version` tells it.
pub fn uname_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "uname",
        short: "asnrvmpio",
        long: &[
            ("all", No, "a"),
            ("kernel-name", No, "s"),
            ("nodename", No, "n"),
            ("kernel-release", No, "r"),
            ("kernel-version", No, "v"),
            ("machine", No, "m"),
            ("processor", No, "p"),
            ("hardware-platform", No, "i"),
            ("operating-system", No, "o"),
        ],
        failure: 1,
        help: "\
Usage: uname [OPTION]...
Prints what system this is: with -s if there are no options.

  -a, --all                all of it, in this order; -p and -i only if they are known
  -s, --kernel-name        the kernel's name
  -n, --nodename           the host's name
  -r, --kernel-release     the kernel's release
  -v, --kernel-version     the kernel's version
  -m, --machine            the kind of machine
  -p, --processor          the kind of processor
  -i, --hardware-platform  the platform
  -o, --operating-system   the operating system
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if let Some(extra) = parsed.operands.first() {
        return spec.extra_operand(extra);
    }
    let read = |name: &str| {
        let text = std::fs::read(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
        text.trim_ascii().to_vec()
    };
    let has =
        |id: &str| parsed.options.iter().any(|g| g.id == id || (g.id == "a" && !matches!(id, "p" | "i")));
    let or = |text: Vec<u8>, default: &str| if text.is_empty() { default.as_bytes().to_vec() } else { text };
    let mut parts: Vec<Vec<u8>> = Vec::new();
    if has("s") || parsed.options.is_empty() {
        parts.push(or(read("ostype"), "Linux"));
    }
    if has("n") {
        parts.push(sys::hostname());
    }
    if has("r") {
        parts.push(or(read("osrelease"), "unknown"));
    }
    if has("v") {
        parts.push(or(read("version"), "unknown"));
    }
    if has("m") {
        parts.push(b"x86_64".to_vec());
    }
    if has("p") {
        parts.push(b"unknown".to_vec());
    }
    if has("i") {
        parts.push(b"unknown".to_vec());
    }
    if has("o") {
        parts.push(b"GNU/Linux".to_vec());
    }
    out::put(bytes!(parts.join(&b' '), "\n"));
    out::finish("uname", 0, 1)
}

/// How many threads OpenMP's variables ask for, the processors if they say nothing.
fn openmp_threads() -> u64 {
    let threads = openmp_number("OMP_NUM_THREADS").filter(|n| *n > 0).unwrap_or_else(|| sys::nproc().into());
    threads.min(openmp_number("OMP_THREAD_LIMIT").filter(|n| *n > 0).unwrap_or(u64::MAX))
}

/// The first of a variable's numbers; `None` if it begins with something else.
fn openmp_number(variable: &str) -> Option<u64> {
    let value = std::env::var_os(variable)?.into_encoded_bytes();
    let text = value.trim_ascii_start();
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    let ends = rest.trim_ascii_start().first().is_none_or(|b| *b == b',');
    if digits == 0 || !ends {
        return None;
    }
    Some(std::str::from_utf8(number).ok()?.parse().unwrap_or(u64::MAX))
}
