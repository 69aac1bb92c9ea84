//! `pushd`, `popd` and `dirs`: the directory stack.
//!
//! [`Shell::dir_stack`] holds the entries below the working directory, the topmost last.

use super::{args, cd};
use crate::field::Field;
use crate::shell::{Run, Shell};
use crate::text;

// Reads an operand `+N` or `-N`.
fn offset(arg: &[u8]) -> Option<(u8, usize)> {
    match arg.split_first() {
        Some((sign @ (b'+' | b'-'), digits)) if text::is_digits(digits) => Some((
            *sign,
            text::parse_integer(digits).and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX),
        )),
        _ => None,
    }
}

// The whole stack, the working directory first.
fn stack(shell: &Shell) -> Vec<Vec<u8>> {
    let mut list = vec![shell.logical_cwd()];
    list.extend(shell.dir_stack.iter().rev().cloned());
    list
}

fn set_stack(shell: &mut Shell, list: &[Vec<u8>]) {
    shell.dir_stack = list.iter().skip(1).rev().cloned().collect();
}

// The index that `+N` or `-N` refers to.
fn position(sign: u8, n: usize, len: usize) -> Option<usize> {
    if n >= len {
        return None;
    }
    Some(if sign == b'+' { n } else { len - 1 - n })
}

fn go(shell: &mut Shell, args: &[Field], dir: &[u8]) -> Run<bool> {
    if shell.opts.restricted {
        args::fail(shell, args, "restricted");
        return Ok(false);
    }
    let physical = shell.opts.has(crate::options::flag::PHYSICAL);
    match cd::change(shell, dir, physical, false) {
        Ok(_) => {
            cd::bind(shell)?;
            Ok(true)
        }
        Err(e) => {
            let shown = cd::shown_name(dir);
            args::fail(shell, args, [&*shown, b": ", e.to_string().as_bytes()].concat());
            Ok(false)
        }
    }
}

pub(super) fn pushd(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let mut stay = false;
    let mut turn = None;
    let mut dir = None;
    let mut words = args.get(1..).unwrap_or_default().iter();
    if args.get(1).is_some_and(|a| &**a == b"--help") {
        super::help::print_help(shell, b"pushd");
        return Ok(2);
    }
    while let Some(word) = words.next() {
        match &**word {
            b"-n" => stay = true,
            b"--" => {
                dir = words.next();
                break;
            }
            w if w.starts_with(b"+") || (w.starts_with(b"-") && w.len() > 1) => match offset(w) {
                Some(found) => {
                    turn = Some((found, word));
                    break;
                }
                None => {
                    args::fail(shell, args, [w, b": invalid number"].concat());
                    return Ok(args::usage(shell, args));
                }
            },
            _ => {
                dir = Some(word);
                break;
            }
        }
    }
    if dir.is_some() && words.next().is_some() {
        return Ok(args::fail(shell, args, "too many arguments"));
    }
    let mut list = stack(shell);
    if let Some(((sign, n), word)) = turn {
        let Some(at) = position(sign, n, list.len()) else {
            let message: Vec<u8> = if list.len() == 1 {
                b"directory stack empty".to_vec()
            } else {
                [word, b": directory stack index out of range".as_slice()].concat()
            };
            return Ok(args::fail(shell, args, message));
        };
        list.rotate_left(at);
        if !stay {
            let target = list.first().cloned().unwrap_or_default();
            if !go(shell, args, &target)? {
                return Ok(1);
            }
        }
        set_stack(shell, &list);
        return if stay { Ok(0) } else { show(shell, &Show::default()) };
    }
    match dir {
        None if stay => return Ok(0),
        None => {
            if list.len() < 2 {
                return Ok(args::fail(shell, args, "no other directory"));
            }
            list.swap(0, 1);
            let target = list.first().cloned().unwrap_or_default();
            if !go(shell, args, &target)? {
                return Ok(1);
            }
            set_stack(shell, &list);
        }
        Some(dir) => {
            if stay {
                list.insert(1, dir.to_vec());
                set_stack(shell, &list);
            } else {
                let here = shell.logical_cwd();
                // As `cd` does, with CDPATH and `-`.
                let name = Field::from(&b"pushd"[..]);
                let call = [name, Field::from(&b"--"[..]), (*dir).clone()];
                if cd::cd(shell, &call)? != 0 {
                    return Ok(1);
                }
                shell.dir_stack.push(here);
            }
        }
    }
    show(shell, &Show::default())
}

pub(super) fn popd(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if args.get(1).is_some_and(|a| &**a == b"--help") {
        super::help::print_help(shell, b"popd");
        return Ok(2);
    }
    let mut stay = false;
    let mut which = None;
    for word in args.get(1..).unwrap_or_default() {
        match &**word {
            b"-n" => stay = true,
            b"--" => break,
            w => match offset(w) {
                Some(found) => {
                    which = Some((found, word));
                    break;
                }
                None if w.starts_with(b"-") => {
                    args::fail(shell, args, [w, b": invalid number"].concat());
                    return Ok(args::usage(shell, args));
                }
                None => {
                    args::fail(shell, args, [w, b": invalid argument"].concat());
                    return Ok(args::usage(shell, args));
                }
            },
        }
    }
    let mut list = stack(shell);
    if list.len() < 2 {
        return Ok(args::fail(shell, args, "directory stack empty"));
    }
    let at = match which {
        None => 0,
        Some(((sign, n), word)) => match position(sign, n, list.len()) {
            Some(at) => at,
            None => {
                return Ok(args::fail(
                    shell,
                    args,
                    [word, b": directory stack index out of range".as_slice()].concat(),
                ));
            }
        },
    };
    if at == 0 && !stay {
        let target = list.get(1).cloned().unwrap_or_default();
        if !go(shell, args, &target)? {
            return Ok(1);
        }
        list.remove(0);
    } else {
        list.remove(if at == 0 { 1 } else { at });
    }
    set_stack(shell, &list);
    show(shell, &Show::default())
}

#[derive(Default)]
struct Show {
    long: bool,
    lines: bool,
    numbers: bool,
}

fn show(shell: &mut Shell, how: &Show) -> Run<i32> {
    for (i, dir) in stack(shell).iter().enumerate() {
        if i > 0 && !how.lines {
            shell.put(b" ");
        }
        if how.numbers {
            shell.put(format!("{i:2}  ").as_bytes());
        }
        let shown = if how.long { dir.clone() } else { abbreviate(shell, dir) };
        shell.put(&shown);
        if how.lines {
            shell.put(b"\n");
        }
    }
    if !how.lines {
        shell.put(b"\n");
    }
    Ok(0)
}

fn abbreviate(shell: &mut Shell, dir: &[u8]) -> Vec<u8> {
    let name = shell.names.home;
    if let Some(home) = shell.value(name).map(|v| v.into_owned())
        && home.len() > 1
        && let Some(rest) = dir.strip_prefix(&*home)
        && (rest.is_empty() || rest.starts_with(b"/"))
    {
        return [b"~", rest].concat();
    }
    dir.to_vec()
}

pub(super) fn dirs(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if args.get(1).is_some_and(|a| &**a == b"--help") {
        super::help::print_help(shell, b"dirs");
        return Ok(2);
    }
    let mut how = Show::default();
    let mut which = None;
    for word in args.get(1..).unwrap_or_default() {
        if &**word == b"--" {
            break;
        }
        if let Some(found) = offset(word) {
            which = Some((found, word));
            continue;
        }
        match &**word {
            b"-l" => how.long = true,
            b"-c" => {
                shell.dir_stack.clear();
                return Ok(0);
            }
            b"-v" => {
                how.lines = true;
                how.numbers = true;
            }
            b"-p" => how.lines = true,
            w => {
                let what: &[u8] = if w.len() > 1 && w.starts_with(b"-") {
                    b": invalid number"
                } else {
                    b": invalid option"
                };
                args::fail(shell, args, [w, what].concat());
                return Ok(args::usage(shell, args));
            }
        }
    }
    if let Some(((sign, n), word)) = which {
        let list = stack(shell);
        let found = position(sign, n, list.len()).and_then(|at| Some((at, list.get(at)?)));
        let Some((at, dir)) = found else {
            let message: Vec<u8> = if list.len() == 1 {
                b"directory stack empty".to_vec()
            } else {
                [
                    word.strip_prefix(b"+").or_else(|| word.strip_prefix(b"-")).unwrap_or(word),
                    b": directory stack index out of range",
                ]
                .concat()
            };
            return Ok(args::fail(shell, args, message));
        };
        let shown = if how.long { dir.clone() } else { abbreviate(shell, dir) };
        if how.numbers {
            shell.put(format!("{at:2}  ").as_bytes());
        }
        shell.put(&shown);
        shell.put(b"\n");
        return Ok(0);
    }
    show(shell, &how)
}

impl Shell {
    /// The `n`th directory of the stack, counted from its end if `from_end`: `~+n` and `~-n`.
    pub(crate) fn directory_stack_entry(&self, n: usize, from_end: bool) -> Option<Vec<u8>> {
        let list = stack(self);
        let position = position(if from_end { b'-' } else { b'+' }, n, list.len())?;
        list.get(position).cloned()
    }
}
