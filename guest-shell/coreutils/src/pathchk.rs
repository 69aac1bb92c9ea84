//! `pathchk`.

use sandshell_cli::options::{self, Order, Parsed, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf, quotef};
use sandshell_cli::warn;
use sandshell_posix::characters;
use sandshell_sys::{self as sys, Errno};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "pathchk",
    order: Order::First,
    usage: "\
Usage: pathchk [OPTION]... NAME...
Tells of names that would be no good names of files.

",
    options: &[
        option("-p", "by POSIX's limits, whatever this system allows"),
        option("-P", "empty names and those with a leading -"),
        option("--portability", "both"),
    ],
    ..Spec::DEFAULT
};

/// Runs `pathchk` and returns its exit status.
pub fn pathchk_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let Parsed { options, operands } = SPEC.parse(&options::operands(args))?;
    let basic = options.iter().any(|g| g.id != "P");
    let extra = options.iter().any(|g| g.id != "p");
    if operands.is_empty() {
        return Err(SPEC.missing_operand());
    }
    let mut code = 0;
    for name in &operands {
        if !is_valid(name, basic, extra) {
            code = 1;
        }
    }
    Ok(out::finish("pathchk", code, 1))
}

/// Tests `name` and reports what is wrong with it. With `basic` it must be portable to all POSIX systems; with `extra`
/// other problematic names are refused too.
fn is_valid(name: &[u8], basic: bool, extra: bool) -> bool {
    if extra && name.split(|b| *b == b'/').any(|part| part.starts_with(b"-")) {
        warn!("pathchk", "leading '-' in a component of file name ", quoteaf(name));
        return false;
    }
    if (basic || extra) && name.is_empty() {
        warn!("pathchk", "empty file name");
        return false;
    }
    let mut exists = false;
    if basic {
        let portable = |text: &[u8]| text.iter().all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(b));
        if let Some((bad, _)) = characters::characters(name).find(|(text, _)| !portable(text)) {
            warn!("pathchk", "nonportable character ", quote(bad), " in file name ", quoteaf(name));
            return false;
        }
    } else {
        match sys::stat(name, false) {
            Ok(_) => exists = true,
            Err(Errno::NOENT) if !name.is_empty() => {}
            Err(e) => {
                warn!("pathchk", quotef(name), ": ", e);
                return false;
            }
        }
    }
    let (path_max, name_max) = if basic { (256, 14) } else { (4096, 255) };
    if !exists && name.len() >= path_max {
        let limit = path_max - 1;
        warn!(
            "pathchk",
            "limit ",
            limit,
            " exceeded by length ",
            name.len(),
            " of file name ",
            quoteaf(name)
        );
        return false;
    }
    let long = name.split(|b| *b == b'/').find(|part| !exists && part.len() > name_max);
    if let Some(part) = long {
        warn!(
            "pathchk",
            "limit ",
            name_max,
            " exceeded by length ",
            part.len(),
            " of file name component ",
            quote(part)
        );
        return false;
    }
    true
}
