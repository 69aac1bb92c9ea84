//! Options of builtins, read as bash does.

use crate::field::Field;
use crate::shell::{Run, Shell};
use crate::text;

/// An option that was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opt<'a> {
    pub(crate) letter: u8,
    /// Given with `+`.
    pub(crate) plus: bool,
    /// Its argument, if it takes one.
    pub(crate) value: &'a [u8],
}

/// Options and the position of the first operand.
pub(crate) type Parsed<'a> = (Vec<Opt<'a>>, usize);

/// Reads the options of `args` (the builtin's name first). `letters` lists them, each followed by `:` if it takes an
/// argument; a leading `+` allows `+x` too.
///
/// # Errors
/// The exit status, after a message: 2 for an unknown option and for `--help`.
pub(crate) fn parse<'a>(shell: &mut Shell, args: &'a [Field], letters: &str) -> Result<Parsed<'a>, i32> {
    let (plus_allowed, letters) = match letters.strip_prefix('+') {
        Some(rest) => (true, rest.as_bytes()),
        None => (false, letters.as_bytes()),
    };
    let mut found = Vec::new();
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        let plus = arg.first() == Some(&b'+');
        if arg.len() < 2 || !(arg.starts_with(b"-") || plus && plus_allowed) {
            break;
        }
        if &**arg == b"--" {
            at += 1;
            break;
        }
        if &**arg == b"--help" {
            super::help::print_help(shell, args.first().map_or(&b""[..], |a| &**a));
            return Err(2);
        }
        let mut inside = 1;
        while let Some(&letter) = arg.get(inside) {
            inside += 1;
            let position = letters.iter().position(|l| *l == letter && letter != b':');
            let Some(position) = position else {
                let shown = if plus { b'+' } else { b'-' };
                return Err(invalid_option(shell, args, &[shown, letter]));
            };
            let mut value: &[u8] = b"";
            if letters.get(position + 1) == Some(&b':') {
                let rest = arg.get(inside..).unwrap_or_default();
                if rest.is_empty() {
                    at += 1;
                    let Some(next) = args.get(at) else {
                        let message = [&[b'-', letter][..], b": option requires an argument"].concat();
                        return Err(wrong_use(shell, args, &message));
                    };
                    value = next;
                } else {
                    value = rest;
                }
                inside = arg.len();
            }
            found.push(Opt { letter, plus, value });
        }
        at += 1;
    }
    Ok((found, at))
}

/// Reads the options of a builtin that has none. Returns the position of the first operand.
pub(crate) fn none(shell: &mut Shell, args: &[Field]) -> Result<usize, i32> {
    parse(shell, args, "").map(|p| p.1)
}

/// Reports an unknown option. Returns the exit status.
pub(crate) fn invalid_option(shell: &mut Shell, args: &[Field], option: &[u8]) -> i32 {
    wrong_use(shell, args, &[option, b": invalid option"].concat())
}

/// Prints a message and the usage line. Returns status 2.
pub(crate) fn wrong_use(shell: &mut Shell, args: &[Field], message: &[u8]) -> i32 {
    fail(shell, args, message);
    usage(shell, args)
}

/// Prints the usage line. Returns status 2.
pub(crate) fn usage(shell: &mut Shell, args: &[Field]) -> i32 {
    let name = args.first().map(|a| a.to_vec()).unwrap_or_default();
    if let Some(b) = super::find(&name) {
        let line = [&*name, b": usage: ", b.usage.as_bytes(), b"\n"].concat();
        shell.write_error(&line);
    }
    shell.usage_error = true;
    2
}

/// Prints `name: message` with the prefix. Returns status 1.
pub(crate) fn fail(shell: &mut Shell, args: &[Field], message: impl AsRef<[u8]>) -> i32 {
    let name = args.first().map(|a| a.to_vec()).unwrap_or_default();
    shell.error_of(&name, message);
    1
}

/// Reports that `word` is not a valid identifier. Returns status 1.
pub(crate) fn invalid_identifier(shell: &mut Shell, args: &[Field], word: &[u8]) -> i32 {
    fail(shell, args, [b"`", word, b"': not a valid identifier"].concat())
}

/// The numeric operand that `shift`, `break` and others may take.
pub(crate) enum Number {
    None,
    Some(i64),
    /// Not a number (reported).
    Invalid,
    /// More than one operand (reported).
    TooMany,
}

/// Reads an optional number that must be the only operand.
pub(crate) fn number(shell: &mut Shell, args: &[Field], from: usize) -> Number {
    let mut at = from;
    if args.get(at).is_some_and(|a| &**a == b"--") {
        at += 1;
    }
    let Some(arg) = args.get(at) else { return Number::None };
    let Some(n) = text::parse_integer(arg) else {
        fail(shell, args, [arg, b": numeric argument required".as_slice()].concat());
        return Number::Invalid;
    };
    if args.get(at + 1).is_some() {
        fail(shell, args, "too many arguments");
        return Number::TooMany;
    }
    Number::Some(n)
}

/// Turns an assignment error that was already reported into status 1.
pub(crate) fn tolerate(result: Run) -> Run<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(crate::shell::Flow::Discard) => Ok(false),
        Err(flow) => Err(flow),
    }
}
