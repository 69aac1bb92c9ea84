//! Programs that start another under changed circumstances: `nohup`, `nice`, `stdbuf`, `chroot`.

use crate::base::getopt::{self, Spec, Value::*};
use crate::base::number::{self, Bad};
use crate::base::quote::{quote, quoteaf};
use crate::base::{out, process};
use crate::{bytes, warn};
use sandshell_sys::{self as sys, Disposition, Errno, open_flags, signal};
use std::ffi::OsString;

/// `nohup`.
pub fn nohup_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "nohup",
        short: "+",
        long: &[],
        failure: if std::env::var_os("POSIXLY_CORRECT").is_some() { 127 } else { 125 },
        help: "\
Usage: nohup COMMAND [ARG]...
  or:  nohup OPTION
Runs a command that goes on when the terminal is closed. What it would write to a terminal goes to nohup.out.
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if parsed.operands.is_empty() {
        return spec.missing_operand();
    }
    let (input, output, errors) = (sys::isatty(0), sys::isatty(1), sys::isatty(2));
    if input {
        let opened = sys::open(b"/dev/null", open_flags::WRITE, 0).and_then(|fd| sys::dup2(fd, 0, false));
        if let Err(e) = opened {
            warn!("nohup", "failed to render standard input unusable: ", e);
            return spec.failure;
        }
        if !output {
            let text =
                if errors { "ignoring input and redirecting stderr to stdout" } else { "ignoring input" };
            warn!("nohup", text);
        }
    }
    if output {
        let flags = open_flags::WRITE | open_flags::CREATE | open_flags::APPEND;
        let here = sys::open(b"nohup.out", flags, 0o600).map(|fd| (fd, b"nohup.out".to_vec()));
        let opened = here.or_else(|e| {
            let home = std::env::var_os("HOME").ok_or(e)?.into_encoded_bytes();
            let path = crate::base::path::join(&home, b"nohup.out");
            sys::open(&path, flags, 0o600).map(|fd| (fd, path))
        });
        match opened.and_then(|(fd, path)| sys::dup2(fd, 1, false).map(|()| path)) {
            Ok(path) => {
                let text =
                    if input { "ignoring input and appending output to " } else { "appending output to " };
                warn!("nohup", text, quoteaf(&path));
            }
            Err(e) => {
                warn!("nohup", "failed to open ", quoteaf(b"nohup.out"), ": ", e);
                return spec.failure;
            }
        }
    }
    if errors {
        if !input && !output {
            warn!("nohup", "redirecting stderr to stdout");
        }
        let _ = sys::dup2(1, 2, false);
    }
    let _ = sys::sigaction(signal::SIGHUP, Disposition::Ignore);
    let e = process::exec(&parsed.operands, &process::environment(), &process::search_path(), false);
    warn!("nohup", "failed to run command ", quoteaf(&parsed.operands[0]), ": ", e);
    process::failure_status(e)
}

/// `nice`. All processes of a sandbox have the niceness 0, and users may not lower theirs.
pub fn nice_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "nice",
        short: "+n:",
        long: &[("adjustment", Yes, "n")],
        failure: 125,
        help: "\
Usage: nice [OPTION] [COMMAND [ARG]...]
Runs a command with another priority; without COMMAND, prints the present one. From -20, the first, to 19, the last.

  -n, --adjustment=N  add N instead of 10
",
    };
    let args: Vec<Vec<u8>> = getopt::operands(args).into_iter().collect();
    let (mut plain, mut adjustment) = (Vec::new(), None);
    let mut rest = args.into_iter().peekable();
    while let Some(arg) = rest.next_if(|a| a.starts_with(b"-") && a.len() > 1) {
        // `-5`, `--5` and `-+5` adjust, from before POSIX.
        let number = arg[1..].strip_prefix(b"-").or(arg[1..].strip_prefix(b"+")).unwrap_or(&arg[1..]);
        if number.first().is_some_and(u8::is_ascii_digit) {
            adjustment = Some(arg[1..].to_vec());
            continue;
        }
        let wants_value = arg == b"-n" || arg == b"--adjustment";
        let end = arg == b"--";
        plain.push(arg);
        if wants_value {
            plain.extend(rest.next());
        }
        if end {
            break;
        }
    }
    plain.extend(rest);
    let parsed = match SPEC.parse(&plain) {
        Ok(p) => p,
        Err(code) => return code,
    };
    for g in &parsed.options {
        adjustment = Some(g.text().to_vec());
    }
    let by = match adjustment.as_deref().map(|a| (a, number::signed(a, ""))) {
        None => None,
        Some((_, Ok(n))) => Some(n),
        Some((text, Err(Bad::Overflow))) => Some(if text.starts_with(b"-") { i64::MIN } else { i64::MAX }),
        Some((text, Err(Bad::Invalid))) => {
            warn!("nice", "invalid adjustment ", quote(text));
            return 125;
        }
    };
    if parsed.operands.is_empty() {
        if by.is_some() {
            return SPEC.usage("a command must be given with an adjustment");
        }
        out::put("0\n");
        return out::finish("nice", 0, 125);
    }
    if by.is_some_and(|n| n < 0) {
        warn!("nice", "cannot set niceness: ", Errno::ACCES);
    }
    let e = process::exec(&parsed.operands, &process::environment(), &process::search_path(), false);
    warn!("nice", quote(&parsed.operands[0]), ": ", e);
    process::failure_status(e)
}

/// `stdbuf`: the arguments are checked and the command runs; its buffers are its own affair.
pub fn stdbuf_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "stdbuf",
        short: "+i:o:e:",
        long: &[("input", Yes, "i"), ("output", Yes, "o"), ("error", Yes, "e")],
        failure: 125,
        help: "\
Usage: stdbuf OPTION... COMMAND
Runs a command with other buffers for its standard streams.

  -i, --input=MODE   for standard input
  -o, --output=MODE  for standard output
  -e, --error=MODE   for standard error

MODE: L by lines (not for input), 0 none, or a size such as 4K.
",
    };
    let parsed = match SPEC.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    for g in &parsed.options {
        let mode = g.text().trim_ascii_start();
        if g.id == "i" && mode == b"L" {
            return SPEC.usage("line buffering stdin is meaningless");
        }
        if mode != b"L" && number::unsigned(mode, "EGkKMPTYZ0").is_err() {
            warn!("stdbuf", "invalid mode ", quote(mode));
            return 125;
        }
    }
    if parsed.operands.is_empty() {
        return SPEC.missing_operand();
    }
    if parsed.options.is_empty() {
        return SPEC.usage("you must specify a buffering mode option");
    }
    let e = process::exec(&parsed.operands, &process::environment(), &process::search_path(), false);
    warn!("stdbuf", "failed to run command ", quote(&parsed.operands[0]), ": ", e);
    process::failure_status(e)
}

/// `chroot`: refused, as to any user.
pub fn chroot_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "chroot",
        short: "+",
        long: &[("groups", Yes, "g"), ("userspec", Yes, "u"), ("skip-chdir", No, "s")],
        failure: 125,
        help: "\
Usage: chroot [OPTION] NEWROOT [COMMAND [ARG]...]
Runs a command (a shell by default) that sees NEWROOT as /.

      --groups=G_LIST        with these further groups
      --userspec=USER:GROUP  as this user and group
      --skip-chdir           do not change to /
",
    };
    let parsed = match SPEC.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let Some(root) = parsed.operands.first() else { return SPEC.missing_operand() };
    let is_root = matches!(
        (sys::stat(root, true), sys::stat(b"/", true)),
        (Ok(a), Ok(b)) if (a.dev, a.ino) == (b.dev, b.ino)
    );
    if !is_root && parsed.options.iter().any(|g| g.id == "s") {
        let what = "option --skip-chdir only permitted if NEWROOT is old ";
        return SPEC.usage(bytes!(what, quoteaf(b"/")));
    }
    let e = match sys::stat(root, true) {
        Ok(s) if s.is_dir() => Errno::PERM,
        Ok(_) => Errno::NOTDIR,
        Err(e) => e,
    };
    warn!("chroot", bytes!("cannot change root directory to ", quoteaf(root)), ": ", e);
    125
}
