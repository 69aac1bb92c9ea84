//! `envsubst` as in gettext 0.21: replaces `$NAME` and `${NAME}` by environment variables.

use crate::base::options::{Spec, listed};
use crate::base::say;
use sandshell_cli::input::Input;
use sandshell_cli::out;
use std::collections::BTreeSet;
use std::ffi::OsStr;

const SPEC: Spec = Spec { name: "envsubst", options: &[listed(HELP)], ..Spec::DEFAULT };

/// Runs `envsubst` on its arguments (its own name first) and returns the exit status.
pub fn envsubst_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("envsubst", code, 1)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let name = say::full_name(args);
    let given = |id: &str| parsed.options.iter().find(|g| g.id == id);
    if let Some(wrong) = given("?") {
        let hint = b" --help' for more information.\n";
        say::raw([name, b": ", wrong.text(), b"\nTry '", name, hint].concat());
        return Err(1);
    }
    if given("V").is_some() {
        out::put("envsubst (GNU gettext-runtime) 0.21\n");
        out::put("This is sandshell's own program with the behaviour of that version.\n");
        return Ok(0);
    }
    if given("h").is_some() {
        out::put([b"Usage: ", name, HELP.as_bytes()].concat());
        return Ok(0);
    }
    match (parsed.operands.as_slice(), given("v").is_some()) {
        ([format], true) => {
            for part in parts(format) {
                if let Part::Variable(name, _) = part {
                    out::put(name);
                    out::put("\n");
                }
            }
            Ok(0)
        }
        ([], true) => {
            say::error(&[name.to_vec()], "missing arguments");
            Err(1)
        }
        ([], false) => substitute(args, None),
        ([format], false) => {
            let names = parts(format).filter_map(|part| match part {
                Part::Variable(name, _) => Some(name.to_vec()),
                Part::Text(_) => None,
            });
            substitute(args, Some(&names.collect()))
        }
        (_, _) => {
            say::error(&[name.to_vec()], "too many arguments");
            Err(1)
        }
    }
}

/// Copies standard input and replaces variables: those in `only`, or all.
fn substitute(args: &[Vec<u8>], only: Option<&BTreeSet<Vec<u8>>>) -> Result<i32, i32> {
    let mut input = Input::of(0);
    let mut line = Vec::new();
    loop {
        // No reference continues on the next line.
        match input.record(b'\n', &mut line) {
            Ok(true) => {}
            Ok(false) => return Ok(0),
            Err(e) => {
                say::error(args, format!("error while reading \"standard input\": {e}"));
                return Err(1);
            }
        }
        for part in parts(&line) {
            match part {
                Part::Text(text) => out::put(text),
                Part::Variable(name, text) if only.is_some_and(|names| !names.contains(name)) => {
                    out::put(text);
                }
                Part::Variable(name, _) => {
                    if let Some(value) =
                        std::str::from_utf8(name).ok().and_then(|n| std::env::var_os(OsStr::new(n)))
                    {
                        out::put(value.as_encoded_bytes());
                    }
                }
            }
        }
    }
}

enum Part<'a> {
    Text(&'a [u8]),
    /// The name, and the reference as written.
    Variable(&'a [u8], &'a [u8]),
}

/// Splits text into plain text and references.
fn parts(text: &[u8]) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut from = 0;
        while let Some(dollar) = rest.get(from..).and_then(|r| memchr::memchr(b'$', r)) {
            let at = from + dollar;
            if let Some((name, len)) = reference(rest.get(at..).unwrap_or_default()) {
                if at > 0 {
                    let (head, tail) = rest.split_at(at);
                    rest = tail;
                    return Some(Part::Text(head));
                }
                let (whole, tail) = rest.split_at(len);
                rest = tail;
                return Some(Part::Variable(name, whole));
            }
            from = at + 1;
        }
        Some(Part::Text(std::mem::take(&mut rest)))
    })
}

/// The name in the reference that `text` begins with, and the length of the reference.
fn reference(text: &[u8]) -> Option<(&[u8], usize)> {
    let after = text.strip_prefix(b"$")?;
    let braced = after.strip_prefix(b"{");
    let body = braced.unwrap_or(after);
    let first = body.first()?;
    if !first.is_ascii_alphabetic() && *first != b'_' {
        return None;
    }
    let len = body.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let name = body.get(..len)?;
    match braced {
        None => Some((name, 1 + len)),
        Some(_) if body.get(len) == Some(&b'}') => Some((name, len + 3)),
        Some(_) => None,
    }
}

const HELP: &str = " [OPTION] [SHELL-FORMAT]

Copies standard input, with $NAME and ${NAME} replaced by variables of the environment. SHELL-FORMAT, such as '$A $B',
says which; without it all are.

  -v, --variables  only show the names in SHELL-FORMAT
  -h, --help       this text
  -V, --version    the version

Example: HOST=db envsubst < config.in > config
";
