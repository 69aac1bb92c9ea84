//! `chown` and `chgrp`.

use crate::base::attribute_walk::{Links, Report, Walk};
use sandshell_cli::options::{self, Given, Opt, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf};
use sandshell_cli::{bytes, warn};
use sandshell_posix::users::{self, Names, Owner};
use sandshell_sys::{self as sys, Stat};
use std::ffi::OsString;

// `chgrp` has all of these except the first.
const OPTIONS: &[Opt] = &[
    option("--from=OWNER:GROUP", "only files that have this owner and group now"),
    option("-c, --changes", "tell what is changed"),
    option("-f, --silent, --quiet", "fewer messages"),
    option("-v, --verbose", "tell of each file"),
    option("--dereference", "what a symbolic link leads to; so it is by default"),
    option("-h, --no-dereference", "symbolic links themselves"),
    named("no-preserve", "--no-preserve-root", "treat / as any other directory"),
    named("preserve", "--preserve-root", "do not work on / recursively"),
    option("--reference=RFILE", "owner and group of RFILE"),
    option("-R, --recursive", "directories with all that is in them"),
    option("-H", "with -R, follow links to directories among the arguments"),
    option("-L", "with -R, follow all links to directories"),
    option("-P", "with -R, follow no links; so it is by default"),
];

const SPEC: Spec = Spec {
    usage: "\
Usage: chown [OPTION]... [OWNER][:[GROUP]] FILE...
  or:  chgrp [OPTION]... GROUP FILE...
Changes the owners and groups of files. OWNER and GROUP are names or numbers.

",
    ties: &["recursive", "reference"],
    ..Spec::DEFAULT
};

/// Runs `chown` and returns its exit status.
pub fn chown_main(args: Vec<OsString>) -> i32 {
    change_owner(args, "chown")
}

/// Runs `chgrp` and returns its exit status.
pub fn chgrp_main(args: Vec<OsString>) -> i32 {
    change_owner(args, "chgrp")
}

fn change_owner(args: Vec<OsString>, name: &'static str) -> i32 {
    let spec = Spec { name, options: if name == "chgrp" { &OPTIONS[1..] } else { OPTIONS }, ..SPEC };
    run(args, &spec).unwrap_or_else(|code| code)
}

/// What the options say.
struct Task<'a> {
    spec: &'a Spec,
    report: Report,
    reference: Option<Vec<u8>>,
    dereference: Option<bool>,
    /// Only files with this owner and group are changed.
    from: Owner,
}

fn run(args: Vec<OsString>, spec: &Spec) -> Result<i32, i32> {
    let parsed = spec.parse(&options::operands(args))?;
    let name = spec.name;
    let mut walk =
        Walk { name, recursive: false, links: Links::None, quiet: false, preserve_root: false, status: 0 };
    let mut task =
        Task { spec, report: Report::None, reference: None, dereference: None, from: Owner::default() };
    task.read(&parsed.options, &mut walk)?;
    if walk.recursive && walk.links == Links::None && task.dereference == Some(true) {
        warn!(name, "-R --dereference requires either -H or -L");
        return Err(1);
    }
    let dereference = task.dereference.unwrap_or(!walk.recursive || walk.links != Links::None);
    let mut operands = parsed.operands.into_iter();
    let wanted = task.wanted(&mut operands)?;
    if operands.len() == 0 {
        return Err(spec.missing_operand());
    }
    let names = Names::default();
    for file in operands {
        walk.visit(&file, dereference, &mut |walk, file, stat| {
            task.change(walk, file, stat, dereference, &wanted, &names);
        });
    }
    Ok(out::finish(name, walk.status, 1))
}

impl Task<'_> {
    fn read(&mut self, given: &[Given], walk: &mut Walk) -> Result<(), i32> {
        for g in given {
            match g.id {
                "H" => walk.links = Links::Arguments,
                "L" => walk.links = Links::All,
                "P" => walk.links = Links::None,
                "R" => walk.recursive = true,
                "c" => self.report = Report::Changes,
                "v" => self.report = Report::All,
                "f" => walk.quiet = true,
                "h" => self.dereference = Some(false),
                "dereference" => self.dereference = Some(true),
                "no-preserve" => walk.preserve_root = false,
                "preserve" => walk.preserve_root = true,
                "reference" => self.reference = Some(g.text().to_vec()),
                "from" => {
                    self.from = users::parse_owner(g.text()).map_err(|what| self.invalid(what, g.text()))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn invalid(&self, what: &str, text: &[u8]) -> i32 {
        warn!(self.spec.name, "invalid ", what, ": ", quote(text));
        1
    }

    /// The owner and group that files get: those of the reference, or of the first operand.
    fn wanted(&self, operands: &mut std::vec::IntoIter<Vec<u8>>) -> Result<Owner, i32> {
        let name = self.spec.name;
        if let Some(file) = &self.reference {
            let stat = sys::stat(file, true).map_err(|e| {
                warn!(name, "failed to get attributes of ", quoteaf(file), ": ", e);
                1
            })?;
            let uid = (name == "chown").then_some(stat.uid);
            return Ok(Owner { uid, gid: Some(stat.gid), ..Owner::default() });
        }
        let text = operands.next().ok_or_else(|| self.spec.missing_operand())?;
        if operands.len() == 0 {
            return Err(self.spec.usage(bytes!("missing operand after ", quote(&text))));
        }
        let owner = match name {
            "chown" => users::parse_owner(&text),
            _ if text.is_empty() => Ok(Owner::default()),
            _ => users::parse_group(&text)
                .map(|g| Owner { gid: Some(g), text: text.clone(), ..Owner::default() })
                .ok_or("group"),
        };
        let owner = owner.map_err(|what| self.invalid(what, &text))?;
        if owner.dotted {
            warn!(name, "warning: '.' should be ':': ", quote(&text));
        }
        Ok(owner)
    }

    /// Changes one file. Without `stat` it could not be read.
    fn change(
        &self,
        walk: &mut Walk,
        file: &[u8],
        stat: Option<&Stat>,
        dereference: bool,
        wanted: &Owner,
        names: &Names,
    ) {
        let Some(stat) = stat else {
            if self.report == Report::All {
                report_owner(names, file, None, wanted, false, false);
            }
            return;
        };
        let from = &self.from;
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
        if self.report == Report::All || self.report == Report::Changes && changed {
            report_owner(names, file, Some(stat), wanted, changed, result.is_ok());
        }
    }
}

fn report_owner(names: &Names, file: &[u8], stat: Option<&Stat>, wanted: &Owner, changed: bool, done: bool) {
    // `chown :GROUP` reports the user and the group; `chgrp` reports only the group.
    let owner = wanted.uid.is_some() || wanted.text.starts_with(b":");
    let show = |uid: u32, gid: u32| {
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
