//! `truncate`.

use sandshell_cli::number::{self, Fault};
use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::quote::{quote, quoteaf};
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, Errno, open_flags};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "truncate",
    usage: "\
Usage: truncate OPTION... FILE...
Makes files shorter or longer. What is added reads as zeros. Files that are not there are made.

",
    options: &[
        option("-c, --no-create", "make no files"),
        option("-o, --io-blocks", "SIZE counts blocks, not bytes"),
        option("-r, --reference=RFILE", "SIZE is that of RFILE"),
        option(
            "-s, --size=SIZE",
            "the new size; or + more, - less, < at most, > at least, / and % down and up to a\nmultiple",
        ),
    ],
    ..Spec::DEFAULT
};

/// Runs `truncate` and returns its exit status.
pub fn truncate_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let (mut create, mut blocks, mut reference, mut size) = (true, false, None, None);
    let mut how = b'=';
    for g in &parsed.options {
        match g.id {
            "c" => create = false,
            "o" => blocks = true,
            "r" => reference = Some(g.text().to_vec()),
            _ => {
                let mut text = g.text().trim_ascii_start();
                how = b'=';
                if let Some((mark @ (b'<' | b'>' | b'/' | b'%'), rest)) = text.split_first() {
                    how = *mark;
                    text = rest.trim_ascii_start();
                }
                if let Some(b'+' | b'-') = text.first() {
                    if how != b'=' {
                        return Err(SPEC.usage("multiple relative modifiers specified"));
                    }
                    how = b'+';
                }
                let value = number::signed(text, "EgGkKmMPtTYZ0").map_err(|bad| {
                    let why =
                        if bad == Fault::Overflow { ": Value too large for defined data type" } else { "" };
                    warn!("truncate", bytes!("Invalid number: ", quote(text), why));
                    1
                })?;
                if value == 0 && matches!(how, b'/' | b'%') {
                    warn!("truncate", "division by zero");
                    return Err(1);
                }
                size = Some(value);
            }
        }
    }
    let either = bytes!(quote(b"--size"), " or ", quote(b"--reference"));
    if reference.is_none() && size.is_none() {
        return Err(SPEC.usage(bytes!("you must specify either ", either)));
    }
    if reference.is_some() && size.is_some() && how == b'=' {
        let text = bytes!("you must specify a relative ", quote(b"--size"), " with ", quote(b"--reference"));
        return Err(SPEC.usage(text));
    }
    if blocks && size.is_none() {
        let text = bytes!(quote(b"--io-blocks"), " was specified but ", quote(b"--size"), " was not");
        return Err(SPEC.usage(text));
    }
    if parsed.operands.is_empty() {
        return Err(SPEC.usage("missing file operand"));
    }
    let based = match &reference {
        None => None,
        Some(path) => Some(sys::stat(path, true).map_err(|e| {
            warn!("truncate", "cannot stat ", quoteaf(path), ": ", e);
            1
        })?),
    };
    let mut code = 0;
    for path in &parsed.operands {
        let flags = open_flags::WRITE | open_flags::NONBLOCK | if create { open_flags::CREATE } else { 0 };
        match sys::open(path, flags, 0o666) {
            Ok(fd) => {
                let now = sys::fstat(fd).map(|s| s.size).unwrap_or(0);
                let base = based.as_ref().map_or(now, |s| s.size);
                if resize(path, fd, base, size.map(|s| if blocks { s.saturating_mul(4096) } else { s }), how)
                    .is_err()
                {
                    code = 1;
                }
                let _ = sys::close(fd);
            }
            Err(Errno::NOENT) if !create => {}
            Err(e) => {
                warn!("truncate", "cannot open ", quoteaf(path), " for writing: ", e);
                code = 1;
            }
        }
    }
    Ok(code)
}

fn resize(path: &[u8], fd: sys::Fd, base: u64, size: Option<i64>, how: u8) -> Result<(), ()> {
    let base = i64::try_from(base).unwrap_or(i64::MAX);
    let Some(size) = size else { return apply(path, fd, base) };
    let overflow = |what: &str| {
        warn!("truncate", what, " ", quoteaf(path));
    };
    let new = match how {
        b'+' => base.checked_add(size),
        b'<' => Some(base.min(size)),
        b'>' => Some(base.max(size)),
        b'/' => Some(base - base % size),
        b'%' => base.checked_add((size - base % size) % size),
        _ => Some(size),
    };
    match new {
        Some(new) => apply(path, fd, new.max(0)),
        None => {
            overflow("overflow extending size of file");
            Err(())
        }
    }
}

fn apply(path: &[u8], fd: sys::Fd, size: i64) -> Result<(), ()> {
    sys::ftruncate(fd, size as u64).map_err(|e| {
        warn!("truncate", "failed to truncate ", quoteaf(path), " at ", size, " bytes: ", e);
    })
}
