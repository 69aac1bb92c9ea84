//! `mkdir`, `rmdir`, `mkfifo`, `mktemp`, `link`, `unlink` and `sync`.

use crate::base::getopt::{self, Long, Spec, Value::*};
use crate::base::quote::{quote, quoteaf};
use crate::base::{out, path};
use crate::{bytes, warn};
use sandshell_posix::mode::{ModeExpression, Outcome};
use sandshell_sys::{self as sys, Errno, open_flags as o};
use std::ffi::OsString;

/// The present umask.
pub(crate) fn umask() -> u32 {
    let mask = sys::umask(0);
    sys::umask(mask);
    mask
}

/// Makes a directory and those above it, as `mkdir -p`; `made` hears of each new one.
pub(crate) fn make_parents(
    dir: &[u8],
    last_mode: u32,
    made: &mut dyn FnMut(&[u8]),
) -> Result<(), (Vec<u8>, Errno)> {
    let parent_mode = 0o777 & !umask() | 0o300;
    let trimmed = path::trim_slashes(dir);
    let mut at = 0;
    while at < trimmed.len() {
        let next = trimmed[at..].iter().position(|b| *b == b'/').map_or(trimmed.len(), |i| at + i);
        let prefix = &trimmed[..next];
        let last = next == trimmed.len();
        at = next + 1;
        if prefix.is_empty() || (!last && trimmed.get(next - 1) == Some(&b'/')) {
            continue;
        }
        // The last is told of as it was written.
        let told = if last { dir } else { prefix };
        match sys::mkdir(prefix, if last { last_mode } else { parent_mode }) {
            Ok(()) => {
                if !last && umask() & 0o300 != 0 {
                    let _ = sys::chmod(prefix, parent_mode);
                }
                made(told);
            }
            Err(e) => match sys::stat(prefix, true) {
                Ok(s) if s.is_dir() => {}
                Ok(_) if e == Errno::EXIST => {
                    return Err((told.to_vec(), if last { Errno::EXIST } else { Errno::NOTDIR }));
                }
                // What is above it cannot even be searched.
                Err(Errno::ACCES) if e == Errno::ACCES && prefix.contains(&b'/') => {
                    return Err((path::dir_name(prefix).to_vec(), e));
                }
                _ => return Err((told.to_vec(), e)),
            },
        }
    }
    Ok(())
}

/// `mkdir`.
pub fn mkdir_main(args: Vec<OsString>) -> i32 {
    const LONG: &[Long] =
        &[("mode", Yes, "m"), ("parents", No, "p"), ("verbose", No, "v"), ("context", Maybe, "Z")];
    let spec = Spec {
        name: "mkdir",
        short: "pm:vZ",
        long: LONG,
        failure: 1,
        help: "\
Usage: mkdir [OPTION]... DIRECTORY...
Makes directories.

  -m, --mode=MODE      their mode, as in chmod
  -p, --parents        make those above as well; one that is there is no error
  -v, --verbose        tell of each directory
  -Z, --context[=CTX]  their security context; there are none here
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut parents, mut verbose, mut wanted) = (false, false, None);
    for g in &parsed.options {
        match g.id {
            "p" => parents = true,
            "v" => verbose = true,
            "m" => wanted = Some(g.text().to_vec()),
            _ => {}
        }
    }
    if parsed.operands.is_empty() {
        return spec.missing_operand();
    }
    let chosen = match &wanted {
        None => None,
        Some(text) => match ModeExpression::parse(text) {
            Ok(expression) => Some(expression),
            Err(_) => {
                warn!("mkdir", "invalid mode ", quote(text));
                return 1;
            }
        },
    };
    let mut status = 0;
    for dir in &parsed.operands {
        let mut say = |made: &[u8]| {
            if verbose {
                out::put(bytes!("mkdir: created directory ", quoteaf(made), "\n"));
            }
        };
        let existed = chosen.is_some() && parents && sys::stat(dir, true).is_ok();
        let result = if dir.is_empty() {
            Err((Vec::new(), sys::Errno::NOENT))
        } else if parents {
            make_parents(dir, 0o777, &mut say)
        } else {
            sys::mkdir(dir, 0o777).map(|()| say(dir)).map_err(|e| (dir.clone(), e))
        };
        match (result, &chosen) {
            (Err((at, e)), _) => {
                warn!("mkdir", "cannot create directory ", quote(&at), ": ", e);
                status = 1;
            }
            (Ok(()), Some(expression)) if !existed => {
                let inherited = sys::stat(dir, true).map_or(0, |s| s.mode & 0o6000);
                if let Err(e) = sys::chmod(dir, mode_of_new_directory(expression, inherited)) {
                    warn!("mkdir", "cannot set permissions of ", quoteaf(dir), ": ", e);
                    status = 1;
                }
            }
            _ => {}
        }
    }
    out::finish("mkdir", status, 1)
}

/// The mode that `mkdir -m` gives, as GNU's answers show it: a directory that gets special bits is made without write
/// permission for others, which stays so unless a bit that the expression speaks of comes out wrong then. What it
/// inherited from the directory that it lies in stays, unless it is spoken of.
fn mode_of_new_directory(expression: &ModeExpression, inherited: u32) -> u32 {
    let Outcome { mode, spoken_of } = expression.evaluate(0o777, true, umask());
    let careful = mode & 0o1000 != 0 || spoken_of & 0o6000 != 0;
    let made = mode & if careful { 0o1755 } else { 0o1777 } | inherited;
    if (made ^ mode) & spoken_of == 0 { made } else { mode | inherited & !spoken_of }
}

/// `rmdir`.
pub fn rmdir_main(args: Vec<OsString>) -> i32 {
    const LONG: &[Long] = &[
        ("ignore-fail-on-non-empty", No, "ignore"),
        ("parents", No, "p"),
        ("path", No, "p"),
        ("verbose", No, "v"),
    ];
    let spec = Spec {
        name: "rmdir",
        short: "pv",
        long: LONG,
        failure: 1,
        help: "\
Usage: rmdir [OPTION]... DIRECTORY...
Removes empty directories.

      --ignore-fail-on-non-empty  one that is not empty is no error
  -p, --parents                   those above in the name as well, while they are empty
  -v, --verbose                   tell of each directory
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let given = |id| parsed.options.iter().any(|g| g.id == id);
    let (ignore, parents, verbose) = (given("ignore"), given("p"), given("v"));
    if parsed.operands.is_empty() {
        return spec.missing_operand();
    }
    let mut status = 0;
    for operand in &parsed.operands {
        let mut dir: &[u8] = operand;
        let mut first = true;
        loop {
            if verbose {
                out::put(bytes!("rmdir: removing directory, ", quoteaf(dir), "\n"));
            }
            if let Err(e) = sys::rmdir(dir) {
                // Without permission the system does not look whether it is empty.
                let maybe = matches!(e, Errno::ACCES | Errno::PERM | Errno::ROFS | Errno::BUSY);
                let full = matches!(e, Errno::NOTEMPTY | Errno::EXIST)
                    || maybe && sys::read_dir(dir).is_ok_and(|entries| !entries.is_empty());
                if ignore && full {
                    break;
                }
                if !first && e != Errno::NOTDIR {
                    warn!("rmdir", "failed to remove directory ", quoteaf(dir), ": ", e);
                } else if e == Errno::NOTDIR && dir.ends_with(b"/") && leads_to_directory(dir) {
                    warn!("rmdir", "failed to remove ", quoteaf(dir), ": Symbolic link not followed");
                } else {
                    warn!("rmdir", "failed to remove ", quoteaf(dir), ": ", e);
                }
                status = 1;
                break;
            }
            first = false;
            let trimmed = path::trim_slashes(dir);
            match trimmed.iter().rposition(|b| *b == b'/') {
                Some(i) if parents && i > 0 => dir = path::trim_slashes(&trimmed[..i]),
                _ => break,
            }
        }
    }
    out::finish("rmdir", status, 1)
}

/// Whether a link leads to a directory, or to what cannot be seen.
fn leads_to_directory(file: &[u8]) -> bool {
    let seen = match sys::stat(file, true) {
        Ok(s) => s.is_dir(),
        Err(e) => e != Errno::NOTDIR,
    };
    seen && sys::stat(path::trim_slashes(file), false).is_ok_and(|s| s.is_symlink())
}

/// `mkfifo`.
pub fn mkfifo_main(args: Vec<OsString>) -> i32 {
    const LONG: &[Long] = &[("mode", Yes, "m"), ("context", Maybe, "Z")];
    let spec = Spec {
        name: "mkfifo",
        short: "m:Z",
        long: LONG,
        failure: 1,
        help: "\
Usage: mkfifo [OPTION]... NAME...
Makes FIFOs: pipes with names.

  -m, --mode=MODE      their mode, as in chmod
  -Z, --context[=CTX]  their security context; there are none here
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if parsed.operands.is_empty() {
        return spec.missing_operand();
    }
    let mut chosen = None;
    for g in parsed.options.iter().filter(|g| g.id == "m") {
        let Ok(changes) = ModeExpression::parse(g.text()) else {
            warn!("mkfifo", "invalid mode");
            return 1;
        };
        let m = changes.apply(0o666, false, umask());
        if m & !0o777 != 0 {
            warn!("mkfifo", "mode must specify only file permission bits");
            return 1;
        }
        chosen = Some(m);
    }
    let mut status = 0;
    for name in &parsed.operands {
        let made = sys::mkfifo(name, chosen.unwrap_or(0o666));
        if let Err(e) = made {
            warn!("mkfifo", "cannot create fifo ", quoteaf(name), ": ", e);
            status = 1;
        } else if let Some(m) = chosen
            && let Err(e) = sys::chmod(name, m)
        {
            warn!("mkfifo", "cannot set permissions of ", quoteaf(name), ": ", e);
            status = 1;
        }
    }
    out::finish("mkfifo", status, 1)
}

/// `mktemp`.
pub fn mktemp_main(args: Vec<OsString>) -> i32 {
    const LONG: &[Long] = &[
        ("directory", No, "d"),
        ("quiet", No, "q"),
        ("dry-run", No, "u"),
        ("suffix", Yes, "suffix"),
        ("tmpdir", Maybe, "p"),
    ];
    let spec = Spec {
        name: "mktemp",
        short: "dp:qtuV",
        long: LONG,
        failure: 1,
        help: "\
Usage: mktemp [OPTION]... [TEMPLATE]
Makes a file or directory with a new name, for this user alone, and prints the name.
TEMPLATE has at least three X at its end, which are replaced; tmp.XXXXXXXXXX by default, in the directory for such files.

  -d, --directory         make a directory
  -u, --dry-run           only print a name
  -q, --quiet             no message if it fails
      --suffix=SUFF       SUFF after the X
  -p DIR, --tmpdir[=DIR]  in DIR; without it in $TMPDIR or /tmp
  -t                      TEMPLATE is a name in the directory for such files
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
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
            "V" => return spec.parse(&[b"--version".to_vec()]).err().unwrap_or(0),
            _ => {}
        }
    }
    if parsed.operands.len() > 1 {
        return spec.usage("too many templates");
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
            // Bytes beyond the last multiple of 62 would favour some letters.
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
            // Nobody would know of it.
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

/// `link`.
pub fn link_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "link",
        short: "",
        long: &[],
        failure: 1,
        help: "\
Usage: link FILE1 FILE2
Gives the file FILE1 the further name FILE2, by link(2).
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    match parsed.operands.as_slice() {
        [] => spec.missing_operand(),
        [one] => spec.usage(bytes!("missing operand after ", quote(one))),
        [from, to] => match sys::link(from, to, false) {
            Ok(()) => 0,
            Err(e) => {
                warn!("link", "cannot create link ", quoteaf(to), " to ", quoteaf(from), ": ", e);
                1
            }
        },
        [_, _, extra, ..] => spec.extra_operand(extra),
    }
}

/// `unlink`.
pub fn unlink_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "unlink",
        short: "",
        long: &[],
        failure: 1,
        help: "\
Usage: unlink FILE
Removes the name FILE, by unlink(2).
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    match parsed.operands.as_slice() {
        [] => spec.missing_operand(),
        [file] => match sys::unlink(file) {
            Ok(()) => 0,
            Err(e) => {
                warn!("unlink", "cannot unlink ", quoteaf(file), ": ", e);
                1
            }
        },
        [_, extra, ..] => spec.extra_operand(extra),
    }
}

/// `sync`: there is nothing that is not written already; files named must exist.
pub fn sync_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "sync",
        short: "df",
        long: &[("data", No, "d"), ("file-system", No, "f")],
        failure: 1,
        help: "\
Usage: sync [OPTION] [FILE]...
Writes what is cached to the disks: all, or what belongs to the FILEs.

  -d, --data         only the data of the files
  -f, --file-system  the file systems that the files are in
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let given = |id| parsed.options.iter().any(|g| g.id == id);
    if given("d") && given("f") {
        warn!("sync", "cannot specify both --data and --file-system");
        return 1;
    }
    if given("d") && parsed.operands.is_empty() {
        warn!("sync", "--data needs at least one argument");
        return 1;
    }
    let mut status = 0;
    for file in &parsed.operands {
        match sys::open(file, o::READ | o::NONBLOCK, 0)
            .or_else(|e| sys::open(file, o::WRITE | o::NONBLOCK, 0).map_err(|_| e))
        {
            Ok(fd) => {
                let _ = sys::close(fd);
            }
            Err(e) => {
                warn!("sync", "error opening ", quoteaf(file), ": ", e);
                status = 1;
            }
        }
    }
    status
}
