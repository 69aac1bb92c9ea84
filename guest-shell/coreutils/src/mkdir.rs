//! `mkdir`.

use crate::base::directories::{make_parents, umask};
use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf};
use sandshell_cli::{bytes, warn};
use sandshell_posix::mode::{ModeExpression, Outcome};
use sandshell_sys::{self as sys};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "mkdir",
    usage: "\
Usage: mkdir [OPTION]... DIRECTORY...
Makes directories.

",
    options: &[
        option("-m, --mode=MODE", "their mode, as in chmod"),
        option("-p, --parents", "make those above as well; one that is there is no error"),
        option("-v, --verbose", "tell of each directory"),
        option("-Z, --context[=CTX]", "their security context; there are none here"),
    ],
    ..Spec::DEFAULT
};

/// Runs `mkdir` and returns its exit status.
pub fn mkdir_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
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
        return SPEC.missing_operand();
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

/// The mode for `mkdir -m`, as observed with GNU mkdir. If the expression sets special bits, the directory is created
/// without write permission for others. It is only changed afterwards if one of the bits that the expression names
/// would be wrong; otherwise others stay without write permission. Bits inherited from the parent directory stay,
/// unless the expression names them.
fn mode_of_new_directory(expression: &ModeExpression, inherited: u32) -> u32 {
    let Outcome { mode, affected } = expression.evaluate(0o777, true, umask());
    let careful = mode & 0o1000 != 0 || affected & 0o6000 != 0;
    let made = mode & if careful { 0o1755 } else { 0o1777 } | inherited;
    if (made ^ mode) & affected == 0 { made } else { mode | inherited & !affected }
}
