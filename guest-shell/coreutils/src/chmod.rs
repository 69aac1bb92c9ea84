//! `chmod`.

use crate::base::attribute_walk::{Links, Report, Walk};
use sandshell_cli::options::{self, Spec, hidden, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf};
use sandshell_cli::{bytes, warn};
use sandshell_posix::mode::{self, ModeExpression};
use sandshell_sys::{self as sys};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "chmod",
    usage: "\
Usage: chmod [OPTION]... MODE[,MODE]... FILE...
  or:  chmod [OPTION]... OCTAL-MODE FILE...
  or:  chmod [OPTION]... --reference=RFILE FILE...
Changes the modes of files. MODE is octal, or as in u+w,go-rx: [ugoa]*[-+=][rwxXst]* or a letter of ugo.

",
    options: &[
        option("-c, --changes", "tell what is changed"),
        option("-f, --silent, --quiet", "fewer messages"),
        option("-v, --verbose", "tell of each file"),
        named("no-preserve", "--no-preserve-root", "treat / as any other directory"),
        named("preserve", "--preserve-root", "do not work on / recursively"),
        option("--reference=RFILE", "the mode of RFILE"),
        option("-R, --recursive", "directories with all that is in them"),
        hidden(
            "",
            "-r[X], -w[X], -x[X], -X[X], -s[X], -t[X], -u[X], -g[X], -o[X], -a[X], -,[X], -+[X], -=[X], -0[X], -1[X], -2[X], -3[X], -4[X], -5[X], -6[X], -7[X]",
        ),
    ],
    ties: &["recursive", "reference"],
    ..Spec::DEFAULT
};

/// Runs `chmod` and returns its exit status.
pub fn chmod_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
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
            return SPEC.usage("cannot combine mode and --reference options");
        }
        match sys::stat(file, true) {
            Ok(s) => ModeExpression::exactly(s.mode),
            Err(e) => {
                warn!("chmod", "failed to get attributes of ", quoteaf(file), ": ", e);
                return 1;
            }
        }
    } else {
        let Some(text) = dashed.or_else(|| operands.next()) else { return SPEC.missing_operand() };
        if operands.len() == 0 && !dashed_used {
            return SPEC.usage(bytes!("missing operand after ", quote(&text)));
        }
        match ModeExpression::parse(&text) {
            Ok(c) => c,
            Err(_) if operands.len() == 0 => return SPEC.missing_operand(),
            Err(_) => return SPEC.usage(bytes!("invalid mode: ", quote(&text))),
        }
    };
    if operands.len() == 0 {
        return SPEC.missing_operand();
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
                // A symbolic link has no mode of its own.
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
