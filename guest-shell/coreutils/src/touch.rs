//! `touch`.

use crate::stamp::{now, stamp};
use sandshell_cli::options::{self, Spec, choose, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf};
use sandshell_cli::warn;
use sandshell_sys::{self as sys, Errno, SetTime};
use sandshell_time::Zone;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "touch",
    usage: "\
Usage: touch [OPTION]... FILE...
Sets the times of files to now. Files that are not there are made, empty.

",
    options: &[
        option("-a", "only the time of access"),
        option("-c, --no-create", "make no files"),
        option("-d, --date=STRING", "the time that STRING describes"),
        option("-f", "nothing: for old scripts"),
        option("-h, --no-dereference", "symbolic links themselves"),
        option("-m", "only the time of change"),
        option("-r, --reference=FILE", "the times of FILE"),
        option("-t STAMP", "the time [[CC]YY]MMDDhhmm[.ss]"),
        option("--time=WORD", "access, atime or use: as -a; modify or mtime: as -m"),
    ],
    ..Spec::DEFAULT
};

/// Runs `touch` and returns its exit status.
pub fn touch_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut atime, mut mtime, mut create, mut follow) = (false, false, true, true);
    let (mut date, mut reference, mut stamped) = (None, None, None);
    for g in &parsed.options {
        match g.id {
            "a" => atime = true,
            "m" => mtime = true,
            "c" => create = false,
            "h" => follow = false,
            "d" => date = Some(g.text().to_vec()),
            "r" => reference = Some(g.text().to_vec()),
            "t" => match stamp(g.text()) {
                Some(s) => stamped = Some(s),
                None => {
                    warn!("touch", "invalid date format ", quote(g.text()));
                    return 1;
                }
            },
            "time" => {
                let words = [("atime", 0), ("access", 0), ("use", 0), ("mtime", 1), ("modify", 1)];
                match choose(&SPEC, "--time", g.text(), &words) {
                    Ok(0) => atime = true,
                    Ok(_) => mtime = true,
                    Err(code) => return code,
                }
            }
            _ => {}
        }
    }
    if stamped.is_some() && (date.is_some() || reference.is_some()) {
        return SPEC.usage("cannot specify times from more than one source");
    }
    let mut when = (SetTime::Now, SetTime::Now);
    let mut base = (now(), now());
    if let Some(file) = &reference {
        match sys::stat(file, follow) {
            Ok(s) => {
                base = ((s.atime, s.atime_nsec), (s.mtime, s.mtime_nsec));
                when = (SetTime::At(base.0.0, base.0.1), SetTime::At(base.1.0, base.1.1));
            }
            Err(e) => {
                warn!("touch", "failed to get attributes of ", quoteaf(file), ": ", e);
                return 1;
            }
        }
    }
    if let Some(text) = &date {
        let zone = Zone::system();
        let (Some(a), Some(m)) =
            (sandshell_time::parse(text, base.0, &zone), sandshell_time::parse(text, base.1, &zone))
        else {
            warn!("touch", "invalid date format ", quote(text));
            return 1;
        };
        when = (SetTime::At(a.0, a.1), SetTime::At(m.0, m.1));
    }
    if let Some(s) = stamped {
        when = (SetTime::At(s, 0), SetTime::At(s, 0));
    }
    if parsed.operands.is_empty() {
        return SPEC.usage("missing file operand");
    }
    let (a, m) = match (atime, mtime) {
        (true, false) => (when.0, SetTime::Omit),
        (false, true) => (SetTime::Omit, when.1),
        _ => when,
    };
    let mut status = 0;
    for file in &parsed.operands {
        status |= i32::from(!touch(file, a, m, create, follow));
    }
    out::finish("touch", status, 1)
}

fn touch(file: &[u8], a: SetTime, m: SetTime, create: bool, follow: bool) -> bool {
    use sys::open_flags::{CREATE, NONBLOCK, WRITE};
    if file == b"-" {
        // `-` is the file of standard output.
        return match sys::fstat(1).and_then(|_| sys::utimens(b"/dev/fd/1", a, m, true)) {
            Ok(()) => true,
            // A closed standard output is no error if no file must be created.
            Err(Errno::BADF) if !create => true,
            // A pipe's times cannot be seen by anyone.
            Err(Errno::NXIO) => true,
            Err(e) => {
                warn!("touch", "setting times of ", quoteaf(file), ": ", e);
                false
            }
        };
    }
    let mut opening = None;
    if create && follow {
        match sys::open(file, WRITE | CREATE | NONBLOCK, 0o666) {
            Ok(fd) => {
                let _ = sys::close(fd);
            }
            // It may be a directory, or a FIFO without readers, whose times can still be set.
            Err(Errno::ISDIR | Errno::NXIO | Errno::INVAL | Errno::PERM) => {}
            Err(e) => opening = Some(e),
        }
    }
    match sys::utimens(file, a, m, follow) {
        Ok(()) => true,
        Err(Errno::NOENT) if !create => true,
        Err(e) => {
            match opening {
                Some(o) => warn!("touch", "cannot touch ", quoteaf(file), ": ", o),
                None => warn!("touch", "setting times of ", quoteaf(file), ": ", e),
            }
            false
        }
    }
}
