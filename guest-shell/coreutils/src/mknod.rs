//! `mknod`: makes pipes. Devices are refused, as they would be to an ordinary user.

use sandshell_cli::message;
use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_posix::mode::ModeExpression;
use sandshell_sys::{self as sys, Errno};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "mknod",
    usage: "\
Usage: mknod [OPTION]... NAME TYPE [MAJOR MINOR]
Makes a special file. TYPE is b a block device, c or u a character device (both with MAJOR and MINOR), p a FIFO.

",
    options: &[
        option("-m, --mode=MODE", "its mode, as in chmod"),
        option("-Z, --context[=CTX]", "its security context; there are none here"),
    ],
    ..Spec::DEFAULT
};

/// Runs `mknod` and returns its exit status.
pub fn mknod_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut bits = 0o666;
    let mut chosen = false;
    for g in parsed.options.iter().filter(|g| g.id == "m") {
        let Ok(changes) = ModeExpression::parse(g.text()) else {
            warn!("mknod", "invalid mode");
            return Err(1);
        };
        let umask = sys::umask(0);
        sys::umask(umask);
        bits = changes.apply(0o666, false, umask);
        if bits & !0o777 != 0 {
            warn!("mknod", "mode must specify only file permission bits");
            return Err(1);
        }
        chosen = true;
    }
    let operands = &parsed.operands;
    let fifo = operands.get(1).is_some_and(|t| t.first() == Some(&b'p'));
    let expected = if operands.is_empty() || fifo { 2 } else { 4 };
    if operands.len() < expected {
        let Some(last) = operands.last() else { return Err(SPEC.missing_operand()) };
        warn!("mknod", "missing operand after ", quote(last));
        if expected == 4 && operands.len() == 2 {
            note("Special files require major and minor device numbers.\n");
        }
        message::try_help("mknod");
        return Err(1);
    }
    if let Some(extra) = operands.get(expected) {
        warn!("mknod", "extra operand ", quote(extra));
        if expected == 2 && operands.len() == 4 {
            note("Fifos do not have major and minor device numbers.\n");
        }
        message::try_help("mknod");
        return Err(1);
    }
    let name = &operands[0];
    match operands[1].first() {
        Some(b'p') => {
            if let Err(e) = sys::mkfifo(name, bits) {
                warn!("mknod", quotef(name), ": ", e);
                return Err(1);
            }
            if chosen && let Err(e) = sys::chmod(name, bits) {
                warn!("mknod", "cannot set permissions of ", quotef(name), ": ", e);
                return Err(1);
            }
            Ok(0)
        }
        Some(b'b' | b'c' | b'u') => {
            let is_number = |t: &Vec<u8>| !t.is_empty() && t.iter().all(u8::is_ascii_digit);
            for (what, text) in [("major", &operands[2]), ("minor", &operands[3])] {
                if !is_number(text) {
                    warn!("mknod", "invalid ", what, " device number ", quote(text));
                    return Err(1);
                }
            }
            let e = if sys::stat(name, false).is_ok() { Errno::EXIST } else { Errno::PERM };
            warn!("mknod", quotef(name), ": ", e);
            Err(1)
        }
        _ => Err(SPEC.usage(bytes!("invalid device type ", quote(&operands[1])))),
    }
}

fn note(text: &str) {
    let _ = sys::write_all(2, text.as_bytes());
}
