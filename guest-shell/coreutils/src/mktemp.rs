//! `mktemp`.

use sandshell_cli::options::{self, Spec, hidden, option};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_posix::path;
use sandshell_sys::{self as sys, Errno, open_flags};
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
    run(args).unwrap_or_else(|code| code)
}

#[derive(Default)]
struct Options {
    directory: bool,
    quiet: bool,
    dry: bool,
    /// The directory is that of `TMPDIR`, and then the given one.
    old_style: bool,
    suffix: Option<Vec<u8>>,
    /// The directory, if there is to be one.
    tmpdir: Option<Option<Vec<u8>>>,
}

/// A name with places for random letters.
struct Template {
    stem: Vec<u8>,
    letters: usize,
    suffix: Vec<u8>,
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut o = Options::default();
    for g in &parsed.options {
        match g.id {
            "d" => o.directory = true,
            "q" => o.quiet = true,
            "u" => o.dry = true,
            "t" => o.old_style = true,
            "suffix" => o.suffix = Some(g.text().to_vec()),
            "p" => o.tmpdir = Some(g.value.clone()),
            "V" => return Err(SPEC.parse(&[b"--version".to_vec()]).err().unwrap_or(0)),
            _ => {}
        }
    }
    if parsed.operands.len() > 1 {
        return Err(SPEC.usage("too many templates"));
    }
    let text = parsed.operands.into_iter().next().unwrap_or_else(|| {
        o.tmpdir.get_or_insert_default();
        b"tmp.XXXXXXXXXX".to_vec()
    });
    let template = template(&mut o, text)?;
    let (name, result) = make(&o, &template);
    match result {
        Ok(()) => {
            out::put(bytes!(name, "\n"));
            out::flush();
            // The name could not be printed, so nobody could use the file.
            if !o.dry && out::failure().is_some() {
                let _ = if o.directory { sys::rmdir(&name) } else { sys::unlink(&name) };
            }
            Ok(out::finish("mktemp", 0, 1))
        }
        Err(_) if o.quiet => Err(1),
        Err(e) => {
            let kind = if o.directory { "directory" } else { "file" };
            let shown = bytes!(template.stem, "X".repeat(template.letters), template.suffix);
            Err(fail(bytes!("failed to create ", kind, " via template ", quote(&shown), ": ", e)))
        }
    }
}

fn fail(text: Vec<u8>) -> i32 {
    warn!("mktemp", text);
    1
}

/// The template that `text` and the options describe.
fn template(o: &mut Options, mut text: Vec<u8>) -> Result<Template, i32> {
    let suffix = match o.suffix.take() {
        Some(_) if !text.ends_with(b"X") => {
            return Err(fail(bytes!("with --suffix, template ", quote(&text), " must end in X")));
        }
        Some(suffix) => suffix,
        None => {
            let cut = text.iter().rposition(|b| *b == b'X').map_or(text.len(), |i| i + 1);
            text.split_off(cut)
        }
    };
    if suffix.contains(&b'/') {
        return Err(fail(bytes!("invalid suffix ", quote(&suffix), ", contains directory separator")));
    }
    let letters = text.iter().rev().take_while(|b| **b == b'X').count();
    if letters < 3 {
        return Err(fail(bytes!("too few X's in template ", quote(&[text, suffix].concat()))));
    }
    if o.tmpdir.is_some() || o.old_style {
        text = path::join(&directory(o, &text)?.unwrap_or_else(|| b"/tmp".to_vec()), &text);
    }
    text.truncate(text.len() - letters);
    Ok(Template { stem: text, letters, suffix })
}

/// The directory for the file, from the options and the environment.
fn directory(o: &mut Options, text: &[u8]) -> Result<Option<Vec<u8>>, i32> {
    let invalid = |why: &str| fail(bytes!("invalid template, ", quote(text), why));
    let environment =
        || std::env::var_os("TMPDIR").map(OsString::into_encoded_bytes).filter(|d| !d.is_empty());
    let given = o.tmpdir.take().flatten().filter(|d| !d.is_empty());
    if o.old_style {
        if text.contains(&b'/') {
            return Err(invalid(", contains directory separator"));
        }
        return Ok(environment().or(given));
    }
    if text.starts_with(b"/") {
        return Err(invalid("; with --tmpdir, it may not be absolute"));
    }
    Ok(given.or_else(environment))
}

/// Tries random names until one is new. Returns the last name, and what happened.
fn make(o: &Options, template: &Template) -> (Vec<u8>, sys::Result<()>) {
    let mut tried = (Vec::new(), Err(Errno::EXIST));
    for _ in 0..1000 {
        let name = bytes!(&template.stem[..], random_letters(template.letters), &template.suffix[..]);
        let result = if o.dry {
            match sys::stat(&name, false) {
                Err(Errno::NOENT) => Ok(()),
                Ok(_) => Err(Errno::EXIST),
                Err(e) => Err(e),
            }
        } else if o.directory {
            sys::mkdir(&name, 0o700)
        } else {
            sys::open(
                &name,
                open_flags::READ | open_flags::WRITE | open_flags::CREATE | open_flags::EXCL,
                0o600,
            )
            .and_then(sys::close)
        };
        tried = (name, result);
        if result != Err(Errno::EXIST) {
            break;
        }
    }
    tried
}

fn random_letters(count: usize) -> Vec<u8> {
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let letter = || {
        let mut one = [0];
        // Bytes from the last multiple of 62 on are not used, as they would make some letters more likely.
        loop {
            sys::random(&mut one);
            if one[0] < 248 {
                return LETTERS[usize::from(one[0] % 62)];
            }
        }
    };
    std::iter::repeat_with(letter).take(count).collect()
}
