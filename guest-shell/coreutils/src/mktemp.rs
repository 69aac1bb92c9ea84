//! `mktemp`.

use sandshell_cli::options::{self, Spec, hidden, option};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_posix::path;
use sandshell_sys::{self as sys, Errno, open_flags as o};
use std::ffi::OsString;

const SPEC: Spec = Spec {
name: "mktemp",
usage: "\
Usage: mktemp [OPTION]... [TEMPLATE]
Makes a file or directory with a new name, for this user alone, and prints the name.
TEMPLATE has at least three X at its end, which are replaced; tmp.XXXXXXXXXX by default, in the directory for such files.

",
options: &[
    option("-d, --directory", "make a directory"),
    option("-u, --dry-run", "only print a name"),
    option("-q, --quiet", "no message if it fails"),
    option("--suffix=SUFF", "SUFF after the X"),
    option("-p DIR, --tmpdir[=DIR]", "in DIR; without it in $TMPDIR or /tmp"),
    option("-t", "TEMPLATE is a name in the directory for such files"),
    hidden("", "-V"),
],
..Spec::DEFAULT
};

/// Runs `mktemp` and returns its exit status.
pub fn mktemp_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut dir, mut quiet, mut dry, mut old_style) = (false, false, false, false);
    let (mut suffix, mut tmpdir) = (None, None::<Option<Vec<u8>>>);
    for g in &parsed.options {
        match g.id {
            "d" => dir = true,
            "q" => quiet = true,
            "u" => dry = true,
            "t" => old_style = true,
            "suffix" => suffix = Some(g.text().to_vec()),
            "p" => tmpdir = Some(g.value.clone()),
            "V" => return SPEC.parse(&[b"--version".to_vec()]).err().unwrap_or(0),
            _ => {}
        }
    }
    if parsed.operands.len() > 1 {
        return SPEC.usage("too many templates");
    }
    let mut template = match parsed.operands.first() {
        Some(t) => t.clone(),
        None => {
            tmpdir = tmpdir.or(Some(None));
            b"tmp.XXXXXXXXXX".to_vec()
        }
    };
    let fail = |text: Vec<u8>| {
        warn!("mktemp", text);
        1
    };
    let suffix = match suffix {
        Some(s) => {
            if !template.ends_with(b"X") {
                return fail(bytes!("with --suffix, template ", quote(&template), " must end in X"));
            }
            s
        }
        None => {
            let cut = template.iter().rposition(|b| *b == b'X').map_or(template.len(), |i| i + 1);
            template.split_off(cut)
        }
    };
    if suffix.contains(&b'/') {
        return fail(bytes!("invalid suffix ", quote(&suffix), ", contains directory separator"));
    }
    let count = template.iter().rev().take_while(|b| **b == b'X').count();
    if count < 3 {
        return fail(bytes!("too few X's in template ", quote(&[template, suffix].concat())));
    }
    if tmpdir.is_some() || old_style {
        let environment =
            || std::env::var_os("TMPDIR").map(OsString::into_encoded_bytes).filter(|d| !d.is_empty());
        let given = tmpdir.flatten().filter(|d| !d.is_empty());
        let base = if old_style {
            if template.contains(&b'/') {
                return fail(bytes!(
                    "invalid template, ",
                    quote(&template),
                    ", contains directory separator"
                ));
            }
            environment().or(given)
        } else {
            if template.starts_with(b"/") {
                return fail(bytes!(
                    "invalid template, ",
                    quote(&template),
                    "; with --tmpdir, it may not be absolute"
                ));
            }
            given.or_else(environment)
        };
        template = path::join(&base.unwrap_or_else(|| b"/tmp".to_vec()), &template);
    }
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let stem = template.len() - count;
    let mut result = Err(Errno::EXIST);
    let mut name = Vec::new();
    for _ in 0..1000 {
        let mut random = vec![0u8; count];
        for byte in &mut random {
            // Bytes from the last multiple of 62 on are not used, as they would make some letters more likely.
            loop {
                let mut one = [0];
                sys::random(&mut one);
                if one[0] < 248 {
                    *byte = LETTERS[usize::from(one[0] % 62)];
                    break;
                }
            }
        }
        name = bytes!(&template[..stem], random, &suffix);
        result = if dry {
            match sys::stat(&name, false) {
                Err(Errno::NOENT) => Ok(()),
                Ok(_) => Err(Errno::EXIST),
                Err(e) => Err(e),
            }
        } else if dir {
            sys::mkdir(&name, 0o700)
        } else {
            sys::open(&name, o::READ | o::WRITE | o::CREATE | o::EXCL, 0o600).and_then(sys::close)
        };
        if result != Err(Errno::EXIST) {
            break;
        }
    }
    match result {
        Ok(()) => {
            out::put(bytes!(name, "\n"));
            out::flush();
            // The name could not be printed, so nobody could use the file.
            if !dry && out::failure().is_some() {
                let _ = if dir { sys::rmdir(&name) } else { sys::unlink(&name) };
            }
            out::finish("mktemp", 0, 1)
        }
        Err(_) if quiet => 1,
        Err(e) => {
            let kind = if dir { "directory" } else { "file" };
            fail(bytes!(
                "failed to create ",
                kind,
                " via template ",
                quote(&bytes!(template, suffix)),
                ": ",
                e
            ))
        }
    }
}
