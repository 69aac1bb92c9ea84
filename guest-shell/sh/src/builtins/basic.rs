//! `:`, `true`, `false`, `echo`, `let` and `shift`.

use super::args::{self, Number};
use crate::field::Field;
use crate::options::Shopt;
use crate::shell::{Flow, Run, Shell};
use sandshell_posix::characters;
use std::rc::Rc;

/// `:` and `true`
pub(super) fn succeed(_: &mut Shell, _: &[Field]) -> Run<i32> {
    Ok(0)
}

/// `false`
pub(super) fn fail(_: &mut Shell, _: &[Field]) -> Run<i32> {
    Ok(1)
}

pub(super) fn echo(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let mut newline = true;
    let mut escapes = shell.opts.shopt(Shopt::xpg_echo);
    let mut words = args.get(1..).unwrap_or_default();
    if !(shell.posix() && escapes) {
        while let Some((first, rest)) = words.split_first()
            && let Some(letters) = first.strip_prefix(b"-")
            && !letters.is_empty()
            && letters.iter().all(|l| matches!(l, b'n' | b'e' | b'E'))
        {
            for l in letters {
                match l {
                    b'n' => newline = false,
                    b'e' => escapes = true,
                    _ => escapes = false,
                }
            }
            words = rest;
        }
    }
    for (i, word) in words.iter().enumerate() {
        if i > 0 {
            shell.out.push(b' ');
        }
        if !escapes {
            shell.out.extend_from_slice(word);
        } else if !push_escaped(word, &mut shell.out) {
            return Ok(0);
        }
    }
    if newline {
        shell.out.push(b'\n');
    }
    Ok(0)
}

/// Appends `word` with its escapes decoded. Returns false after `\c`.
fn push_escaped(word: &[u8], out: &mut Vec<u8>) -> bool {
    let mut at = 0;
    while let Some(&byte) = word.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&letter) = word.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        let digits = |from: usize, most: usize, radix: u32| -> (u32, usize) {
            let mut value = 0u32;
            let mut used = 0;
            while used < most
                && let Some(d) = word.get(from + used).and_then(|b| char::from(*b).to_digit(radix))
            {
                value = value.wrapping_mul(radix).wrapping_add(d);
                used += 1;
            }
            (value, used)
        };
        match letter {
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => out.push(characters::escape(letter)),
            b'c' => return false,
            b'e' | b'E' => out.push(27),
            b'\\' => out.push(b'\\'),
            b'0' => {
                let (value, used) = digits(at, 3, 8);
                at += used;
                out.push((value & 0xff) as u8);
            }
            b'x' => match digits(at, 2, 16) {
                (_, 0) => out.extend_from_slice(b"\\x"),
                (value, used) => {
                    at += used;
                    out.push((value & 0xff) as u8);
                }
            },
            b'u' | b'U' => match digits(at, if letter == b'u' { 4 } else { 8 }, 16) {
                (_, 0) => out.extend_from_slice(&[b'\\', letter]),
                (value, used) => {
                    at += used;
                    super::printf::push_code_point(value, out);
                }
            },
            _ => out.extend_from_slice(&[b'\\', letter]),
        }
    }
    true
}

pub(super) fn let_command(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let mut words = args.get(1..).unwrap_or_default();
    if let [first, ..] = words {
        if &**first == b"--help" {
            super::help::print_help(shell, b"let");
            return Ok(2);
        }
        if &**first == b"--" {
            words = words.get(1..).unwrap_or_default();
        }
    }
    if words.is_empty() {
        return Ok(args::fail(shell, args, "expression expected"));
    }
    let mut value = 0;
    for word in words {
        let expression = shell.let_argument(word);
        match shell.arith_evaluate(&expression, Some(b"let")) {
            Ok(n) => value = n,
            Err(Flow::Discard) => return Ok(1),
            Err(flow) => return Err(flow),
        }
    }
    Ok(i32::from(value == 0))
}

pub(super) fn shift(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if args.get(1).is_some_and(|a| &**a == b"--help") {
        super::help::print_help(shell, b"shift");
        return Ok(2);
    }
    let n = match args::number(shell, args, 1) {
        Number::None => 1,
        Number::Some(n) => n,
        Number::Invalid => return Ok(1),
        Number::TooMany => {
            return Err(shell.give_up());
        }
    };
    if n == 0 {
        return Ok(0);
    }
    let count = shell.args.len();
    match usize::try_from(n) {
        Err(_) => {
            let message = format!("{n}: shift count out of range");
            Ok(args::fail(shell, args, message))
        }
        Ok(n) if n > count => {
            if shell.opts.shopt(Shopt::shift_verbose) || shell.posix() {
                let number = if args.len() > 1 { format!("{n}: ") } else { String::new() };
                let message = format!("{number}shift count out of range");
                args::fail(shell, args, message);
            }
            Ok(1)
        }
        Ok(n) => {
            match Rc::get_mut(&mut shell.args) {
                Some(list) => {
                    list.drain(..n);
                }
                None => shell.args = Rc::new(shell.args.get(n..).unwrap_or_default().to_vec()),
            }
            Ok(0)
        }
    }
}
