//! `chmod`, `chown` and `chgrp`.

use crate::base::getopt::{self, Long, Spec, Value::*};
use crate::base::quote::{quote, quoteaf};
use crate::base::users::{self, Names, Owner};
use crate::base::{out, path};
use crate::{bytes, warn};
use sandshell_posix::mode::{self, ModeExpression};
use sandshell_sys::{self as sys, Stat};
use std::ffi::OsString;

/// Which links a recursive walk follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    None,
    Arguments,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Report {
    None,
    Changes,
    All,
}

struct Walk {
    name: &'static str,
    recursive: bool,
    links: Links,
    quiet: bool,
    preserve_root: bool,
    status: i32,
}

/// Changes one file: path, and attributes unless it could not be got at.
type Change<'a, T> = dyn FnMut(&mut T, &[u8], Option<&Stat>) + 'a;

impl Walk {
    fn complain(&mut self, text: Vec<u8>) {
        if !self.quiet {
            warn!(self.name, text);
        }
        self.status = 1;
    }

    fn refuse_root(&mut self, file: &[u8]) {
        warn!(self.name, "it is dangerous to operate recursively on ", quoteaf(file), same_as_root(file));
        warn!(self.name, "use --no-preserve-root to override this failsafe");
        self.status = 1;
    }

    /// Calls `change` on a file and, if recursive, on everything below it.
    fn visit(&mut self, file: &[u8], follow_self: bool, change: &mut Change<Self>) {
        let root = sys::stat(b"/", true).ok();
        // Directories with their attributes are those whose entries are done.
        let mut pending = vec![(file.to_vec(), true, None)];
        while let Some((file, argument, done)) = pending.pop() {
            if let Some(stat) = done {
                change(self, &file, Some(&stat));
                continue;
            }
            let through = match self.links {
                Links::All => true,
                Links::Arguments => argument,
                // `chmod` follows what it is told to change.
                Links::None => argument && self.name == "chmod",
            };
            let through = if self.recursive { through } else { follow_self };
            let link = match sys::stat(&file, false) {
                Ok(s) => s,
                Err(e) => {
                    self.complain(bytes!("cannot access ", quoteaf(&file), ": ", e));
                    change(self, &file, None);
                    continue;
                }
            };
            let follows = through || follow_self && (argument || self.name != "chmod");
            let stat = if link.is_symlink() && follows {
                match sys::stat(&file, true) {
                    Ok(s) => s,
                    Err(_) if self.name == "chmod" => {
                        self.complain(bytes!("cannot operate on dangling symlink ", quoteaf(&file)));
                        change(self, &file, None);
                        continue;
                    }
                    // The link itself may be what is to change.
                    Err(_) => link,
                }
            } else {
                link
            };
            // A link that leads back to where it is found is no way down: what is not done yet is above it.
            let is_here =
                |done: &Option<Stat>| done.as_ref().is_some_and(|s| (s.dev, s.ino) == (stat.dev, stat.ino));
            let circle = link.is_symlink() && pending.iter().any(|p| is_here(&p.2));
            let descends = self.recursive && stat.is_dir() && (!link.is_symlink() || through) && !circle;
            if descends && self.preserve_root && root.is_some_and(|r| (r.dev, r.ino) == (stat.dev, stat.ino))
            {
                self.refuse_root(&file);
                continue;
            }
            // A directory gets its mode before its entries do, but its owner after them.
            let before = self.name == "chmod" || !descends;
            if before {
                change(self, &file, Some(&stat));
            }
            if !descends {
                continue;
            }
            match sys::read_dir(&file) {
                Ok(entries) => {
                    let below = entries.into_iter().rev().map(|e| (path::join(&file, &e.name), false, None));
                    let below: Vec<_> = below.collect();
                    if !before {
                        pending.push((file, argument, Some(stat)));
                    }
                    pending.extend(below);
                }
                Err(e) => {
                    self.complain(bytes!("cannot read directory ", quoteaf(&file), ": ", e));
                    change(self, &file, None);
                }
            }
        }
    }
}

fn same_as_root(file: &[u8]) -> &'static str {
    if file == b"/" { "" } else { " (same as '/')" }
}

/// `chmod`.
pub fn chmod_main(args: Vec<OsString>) -> i32 {
    const LONG: &[Long] = &[
        ("changes", No, "c"),
        ("recursive", No, "R"),
        ("no-preserve-root", No, "no-preserve"),
        ("preserve-root", No, "preserve"),
        ("quiet", No, "f"),
        ("silent", No, "f"),
        ("verbose", No, "v"),
        ("reference", Yes, "reference"),
    ];
    let spec = Spec {
        name: "chmod",
        short: "Rcfvr::w::x::X::s::t::u::g::o::a::,::+::=::0::1::2::3::4::5::6::7::",
        long: LONG,
        failure: 1,
        help: "\
Usage: chmod [OPTION]... MODE[,MODE]... FILE...
  or:  chmod [OPTION]... OCTAL-MODE FILE...
  or:  chmod [OPTION]... --reference=RFILE FILE...
Changes the modes of files. MODE is octal, or as in u+w,go-rx: [ugoa]*[-+=][rwxXst]* or a letter of ugo.

  -c, --changes           tell what is changed
  -f, --silent, --quiet   fewer messages
  -v, --verbose           tell of each file
      --no-preserve-root  treat / as any other directory
      --preserve-root     do not work on / recursively
      --reference=RFILE   the mode of RFILE
  -R, --recursive         directories with all that is in them
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut walk = Walk {
        name: "chmod",
        recursive: false,
        links: Links::None,
        quiet: false,
        preserve_root: false,
        status: 0,
    };
    let mut report = Report::None;
    let mut reference = None;
    let mut dashed: Option<Vec<u8>> = None;
    for g in &parsed.options {
        match g.id {
            "c" => report = Report::Changes,
            "R" => walk.recursive = true,
            "no-preserve" => walk.preserve_root = false,
            "preserve" => walk.preserve_root = true,
            "f" => walk.quiet = true,
            "v" => report = Report::All,
            "reference" => reference = Some(g.text().to_vec()),
            letter => {
                // A mode such as -rwx looks like an option.
                let text = bytes!("-", letter, g.text());
                dashed = Some(match dashed {
                    Some(before) => bytes!(before, ",", text),
                    None => text,
                });
            }
        }
    }
    let mut operands = parsed.operands.into_iter();
    let umask = sys::umask(0);
    sys::umask(umask);
    let dashed_used = dashed.is_some();
    let changes = if let Some(file) = &reference {
        if dashed_used {
            return spec.usage("cannot combine mode and --reference options");
        }
        match sys::stat(file, true) {
            Ok(s) => ModeExpression::exactly(s.mode),
            Err(e) => {
                warn!("chmod", "failed to get attributes of ", quoteaf(file), ": ", e);
                return 1;
            }
        }
    } else {
        let Some(text) = dashed.or_else(|| operands.next()) else { return spec.missing_operand() };
        if operands.len() == 0 && !dashed_used {
            return spec.usage(bytes!("missing operand after ", quote(&text)));
        }
        match ModeExpression::parse(&text) {
            Ok(c) => c,
            Err(_) if operands.len() == 0 => return spec.missing_operand(),
            Err(_) => return spec.usage(bytes!("invalid mode: ", quote(&text))),
        }
    };
    if operands.len() == 0 {
        return spec.missing_operand();
    }
    for file in operands {
        walk.visit(&file, true, &mut |walk, file, stat| {
            let Some(stat) = stat else {
                if report == Report::All {
                    out::put(bytes!(quoteaf(file), " could not be accessed\n"));
                }
                return;
            };
            if stat.is_symlink() {
                // Links below a directory have no mode of their own.
                if report == Report::All {
                    out::put(bytes!(
                        "neither symbolic link ",
                        quoteaf(file),
                        " nor referent has been changed\n"
                    ));
                }
                return;
            }
            let old = stat.mode & 0o7777;
            let new = changes.apply(old, stat.is_dir(), umask);
            let result = sys::chmod(file, new);
            if let Err(e) = result {
                walk.complain(bytes!("changing permissions of ", quoteaf(file), ": ", e));
            }
            let changed = new != old && result.is_ok();
            if report == Report::All || report == Report::Changes && changed {
                report_mode(file, stat.mode, new, result.is_ok());
            }
            if result.is_ok() && dashed_used {
                let naive = changes.apply(old, stat.is_dir(), 0);
                if new & !naive != 0 {
                    walk.complain(bytes!(
                        file,
                        ": new permissions are ",
                        &mode::columns(new)[1..],
                        ", not ",
                        &mode::columns(naive)[1..]
                    ));
                }
            }
        });
    }
    out::finish("chmod", walk.status, 1)
}

fn report_mode(file: &[u8], old: u32, new: u32, done: bool) {
    let show = |m: u32| {
        let text = mode::columns(m);
        format!("{:04o} ({})", m & 0o7777, String::from_utf8_lossy(&text[1..]))
    };
    if !done {
        out::put(bytes!(
            "failed to change mode of ",
            quoteaf(file),
            " from ",
            show(old),
            " to ",
            show(new),
            "\n"
        ));
    } else if old & 0o7777 == new {
        out::put(bytes!("mode of ", quoteaf(file), " retained as ", show(new), "\n"));
    } else {
        out::put(bytes!("mode of ", quoteaf(file), " changed from ", show(old), " to ", show(new), "\n"));
    }
}

/// `chown`.
pub fn chown_main(args: Vec<OsString>) -> i32 {
    change_owner(args, "chown")
}

/// `chgrp`.
pub fn chgrp_main(args: Vec<OsString>) -> i32 {
    change_owner(args, "chgrp")
}

fn change_owner(args: Vec<OsString>, name: &'static str) -> i32 {
    // The first is no option of `chgrp`.
    const LONG: &[Long] = &[
        ("from", Yes, "from"),
        ("recursive", No, "R"),
        ("changes", No, "c"),
        ("dereference", No, "dereference"),
        ("no-dereference", No, "h"),
        ("no-preserve-root", No, "no-preserve"),
        ("preserve-root", No, "preserve"),
        ("quiet", No, "f"),
        ("silent", No, "f"),
        ("reference", Yes, "reference"),
        ("verbose", No, "v"),
    ];
    let spec = Spec {
        name,
        short: "HLPRcfhv",
        long: if name == "chgrp" { &LONG[1..] } else { LONG },
        failure: 1,
        help: "\
Usage: chown [OPTION]... [OWNER][:[GROUP]] FILE...
  or:  chgrp [OPTION]... GROUP FILE...
Changes the owners and groups of files. OWNER and GROUP are names or numbers.

  -c, --changes           tell what is changed
  -f, --silent, --quiet   fewer messages
  -v, --verbose           tell of each file
      --dereference       what a symbolic link leads to; so it is by default
  -h, --no-dereference    symbolic links themselves
      --from=OWNER:GROUP  only files that have this owner and group now
      --no-preserve-root  treat / as any other directory
      --preserve-root     do not work on / recursively
      --reference=RFILE   owner and group of RFILE
  -R, --recursive         directories with all that is in them
  -H                      with -R, follow links to directories among the arguments
  -L                      with -R, follow all links to directories
  -P                      with -R, follow no links; so it is by default
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut walk =
        Walk { name, recursive: false, links: Links::None, quiet: false, preserve_root: false, status: 0 };
    let mut report = Report::None;
    let mut reference = None;
    let mut dereference = None;
    let mut from = Owner::default();
    for g in &parsed.options {
        match g.id {
            "H" => walk.links = Links::Arguments,
            "L" => walk.links = Links::All,
            "P" => walk.links = Links::None,
            "R" => walk.recursive = true,
            "c" => report = Report::Changes,
            "v" => report = Report::All,
            "f" => walk.quiet = true,
            "h" => dereference = Some(false),
            "dereference" => dereference = Some(true),
            "no-preserve" => walk.preserve_root = false,
            "preserve" => walk.preserve_root = true,
            "reference" => reference = Some(g.text().to_vec()),
            "from" => match users::parse_owner(g.text()) {
                Ok(o) => from = o,
                Err(what) => {
                    warn!(name, "invalid ", what, ": ", quote(g.text()));
                    return 1;
                }
            },
            _ => {}
        }
    }
    if walk.recursive && walk.links == Links::None && dereference == Some(true) {
        warn!(name, "-R --dereference requires either -H or -L");
        return 1;
    }
    let dereference = dereference.unwrap_or(!walk.recursive || walk.links != Links::None);
    let mut operands = parsed.operands.into_iter();
    let wanted = if let Some(file) = &reference {
        match sys::stat(file, true) {
            Ok(s) => Owner { uid: (name == "chown").then_some(s.uid), gid: Some(s.gid), ..Owner::default() },
            Err(e) => {
                warn!(name, "failed to get attributes of ", quoteaf(file), ": ", e);
                return 1;
            }
        }
    } else {
        let Some(text) = operands.next() else { return spec.missing_operand() };
        if operands.len() == 0 {
            return spec.usage(bytes!("missing operand after ", quote(&text)));
        }
        let parsed = if name == "chgrp" {
            if text.is_empty() {
                Ok(Owner::default())
            } else {
                users::parse_group(&text)
                    .map(|g| Owner { gid: Some(g), text: text.clone(), ..Owner::default() })
                    .ok_or("group")
            }
        } else {
            users::parse_owner(&text)
        };
        match parsed {
            Ok(o) => {
                if o.dotted {
                    warn!(name, "warning: '.' should be ':': ", quote(&text));
                }
                o
            }
            Err(what) => {
                warn!(name, "invalid ", what, ": ", quote(&text));
                return 1;
            }
        }
    };
    if operands.len() == 0 {
        return spec.missing_operand();
    }
    let mut names = Names::default();
    for file in operands {
        walk.visit(&file, dereference, &mut |walk, file, stat| {
            let Some(stat) = stat else {
                if report == Report::All {
                    report_owner(&mut names, file, None, &wanted, false, false);
                }
                return;
            };
            let selected = from.uid.is_none_or(|u| u == stat.uid) && from.gid.is_none_or(|g| g == stat.gid);
            let dangling = dereference && stat.is_symlink();
            let result = if dangling {
                sys::stat(file, true).map(drop)
            } else if selected {
                sys::chown(file, wanted.uid, wanted.gid, dereference)
            } else {
                Ok(())
            };
            if let Err(e) = result {
                let what = match wanted.uid {
                    _ if dangling => "cannot dereference ",
                    Some(_) => "changing ownership of ",
                    None => "changing group of ",
                };
                walk.complain(bytes!(what, quoteaf(file), ": ", e));
            }
            let new = (wanted.uid.unwrap_or(stat.uid), wanted.gid.unwrap_or(stat.gid));
            let changed = result.is_ok() && selected && new != (stat.uid, stat.gid);
            if report == Report::All || report == Report::Changes && changed {
                report_owner(&mut names, file, Some(stat), &wanted, changed, result.is_ok());
            }
        });
    }
    out::finish(name, walk.status, 1)
}

fn report_owner(
    names: &mut Names,
    file: &[u8],
    stat: Option<&Stat>,
    wanted: &Owner,
    changed: bool,
    done: bool,
) {
    // A group's name given to `chown` is part of the ownership.
    let owner = wanted.uid.is_some() || wanted.text.starts_with(b":");
    let mut show = |uid: u32, gid: u32| {
        let user = names.user(uid).map_or_else(|| uid.to_string().into_bytes(), <[u8]>::to_vec);
        let group = names.group(gid).map_or_else(|| gid.to_string().into_bytes(), <[u8]>::to_vec);
        match (owner, wanted.gid) {
            (true, Some(_)) => bytes!(user, ":", group),
            (true, None) => user,
            _ => group,
        }
    };
    let nothing = !owner && wanted.gid.is_none();
    let what = if owner || nothing { "ownership" } else { "group" };
    let from = stat.filter(|_| !nothing).map(|s| show(s.uid, s.gid));
    let to = match (stat, wanted.text.is_empty()) {
        (_, false) => wanted.text.clone(),
        (Some(s), true) => show(wanted.uid.unwrap_or(s.uid), wanted.gid.unwrap_or(s.gid)),
        (None, true) => show(wanted.uid.unwrap_or_default(), wanted.gid.unwrap_or_default()),
    };
    let mut text = match (done, changed) {
        (false, _) => bytes!("failed to change ", what, " of ", quoteaf(file)),
        (true, true) => bytes!("changed ", what, " of ", quoteaf(file)),
        (true, false) => bytes!(what, " of ", quoteaf(file), " retained"),
    };
    let retained = done && !changed;
    if let Some(from) = from {
        text.extend_from_slice(&bytes!(if retained { " as " } else { " from " }, from));
    }
    if !nothing && !retained {
        text.extend_from_slice(&bytes!(" to ", to));
    }
    text.push(b'\n');
    out::put(text);
}
