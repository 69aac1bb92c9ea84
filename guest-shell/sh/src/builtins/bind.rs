//! `bind`: keys and variables of the line editor.

use super::args;
use crate::editor::{Bound, Function, Part, functions, sequence};
use crate::field::Field;
use crate::options::flag;
use crate::shell::{Run, Shell};

/// So many keys of a function are named.
const NAMED: usize = 5;

pub(super) fn bind(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if !shell.opts.has(flag::EMACS) && !shell.opts.has(flag::VI) {
        args::fail(shell, args, "warning: line editing not enabled");
    }
    if args.get(1).is_some_and(|word| &**word == b"--help") {
        return Ok(args::usage(shell, args));
    }
    let (options, at) = match args::parse(shell, args, "lvpVPsSXf:q:u:m:r:x:") {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let has = |letter: u8| options.iter().any(|o| o.letter == letter);
    let value = |letter: u8| options.iter().rev().find(|o| o.letter == letter).map(|o| o.value);
    let before = shell.editor_config().part;
    if let Some(name) = value(b'm') {
        match Part::named(name) {
            Some(part) => shell.editor_config().part = part,
            None => {
                let message = [b"`", name, b"': invalid keymap name"].concat();
                return Ok(args::fail(shell, args, message));
            }
        }
    }
    let mut status = 0;
    if has(b'l') {
        for (name, _) in functions::names() {
            shell.put(format!("{name}\n").as_bytes());
        }
    }
    for (letter, list) in LISTS {
        if has(*letter) {
            let text = list(shell);
            shell.put(&text);
        }
    }
    if let Some(file) = value(b'f').filter(|file| !file.is_empty())
        && let Err(e) = shell.read_inputrc(file)
    {
        let message = [file, b": cannot read: ", e.to_string().as_bytes()].concat();
        status = args::fail(shell, args, message);
    }
    if let Some(name) = value(b'q') {
        status = match named(shell, args, name) {
            Some(function) => query(shell, name, function),
            None => 1,
        };
    }
    if let Some(name) = value(b'u') {
        status = match named(shell, args, name) {
            Some(function) => {
                let after = shell.editor_config().part.after;
                shell.editor_config().map_mut().unbind(after, function);
                0
            }
            None => 1,
        };
    }
    if let Some(keys) = value(b'r') {
        shell.editor_config().bind(&sequence::parse(keys), None);
    }
    if let Some(text) = value(b'x') {
        status = bind_command(shell, args, text);
    }
    if has(b'X') {
        let text = commands(shell);
        shell.put(&text);
    }
    for line in args.get(at..).unwrap_or_default() {
        shell.bind_line(line);
    }
    if has(b'm') {
        shell.editor_config().part = before;
    }
    Ok(status)
}

fn named(shell: &mut Shell, args: &[Field], name: &[u8]) -> Option<Function> {
    let function = Function::named(name);
    if function.is_none() {
        args::fail(shell, args, [b"`", name, b"': unknown function name"].concat());
    }
    function
}

/// Says with which keys a function is called. Returns the status.
fn query(shell: &mut Shell, name: &[u8], function: Function) -> i32 {
    let config = shell.editor_config();
    let keys: Vec<Vec<u8>> = keys_of(&config.map().listed(config.part.after), function);
    let text = match keys.as_slice() {
        [] => b" is not bound to any keys.\n".to_vec(),
        keys => [b" can be invoked via ", &*enumerated(keys), b".\n"].concat(),
    };
    // Where there are more, the sentence does not end.
    let text = if keys.len() > NAMED {
        [text.get(..text.len() - 2).unwrap_or_default(), b"\n"].concat()
    } else {
        text
    };
    shell.put(&[name, &text].concat());
    i32::from(keys.is_empty())
}

fn keys_of(listed: &[(Vec<u8>, &Bound)], function: Function) -> Vec<Vec<u8>> {
    let bound = Bound::Function(function);
    listed.iter().filter(|(_, what)| **what == bound).map(|(keys, _)| keys.clone()).collect()
}

/// `"a", "b"`, with dots after some.
fn enumerated(keys: &[Vec<u8>]) -> Vec<u8> {
    let quoted = keys.iter().take(NAMED).map(|keys| [b"\"", &**keys, b"\""].concat());
    let mut all: Vec<Vec<u8>> = quoted.collect();
    if keys.len() > NAMED {
        all.push(b"...".to_vec());
    }
    all.join(&b", "[..])
}

type List = fn(&mut Shell) -> Vec<u8>;

/// What the options list, in their order.
const LISTS: &[(u8, List)] = &[
    (b'p', |shell| functions_listed(shell, false)),
    (b'P', |shell| functions_listed(shell, true)),
    (b's', |shell| macros(shell, false)),
    (b'S', |shell| macros(shell, true)),
    (b'v', |shell| variables(shell, false)),
    (b'V', |shell| variables(shell, true)),
];

/// All functions with their keys, for people or as input.
pub(crate) fn functions_listed(shell: &mut Shell, readable: bool) -> Vec<u8> {
    let config = shell.editor_config();
    let listed = config.map().listed(config.part.after);
    let mut out = b"\n".to_vec();
    for (name, function) in functions::names() {
        let keys = keys_of(&listed, function);
        let name = name.as_bytes();
        if readable && keys.is_empty() {
            out.extend([name, b" is not bound to any keys\n"].concat());
        } else if readable {
            let end: &[u8] = if keys.len() > NAMED { b"\n" } else { b".\n" };
            out.extend([name, b" can be found on ", &enumerated(&keys), end].concat());
        } else if keys.is_empty() {
            out.extend([b"# ", name, b" (not bound)\n"].concat());
        } else {
            for keys in keys {
                out.extend([b"\"", &*keys, b"\": ", name, b"\n"].concat());
            }
        }
    }
    out
}

/// All macros with their keys, for people or as input.
pub(crate) fn macros(shell: &mut Shell, readable: bool) -> Vec<u8> {
    let config = shell.editor_config();
    let mut out = Vec::new();
    for (keys, bound) in config.map().listed(config.part.after) {
        let Bound::Macro(text) = bound else { continue };
        let text = sequence::shown_macro(text);
        out.extend(match readable {
            true => [&*keys, b" outputs ", &*text, b"\n"].concat(),
            false => [b"\"", &*keys, b"\": \"", &*text, b"\"\n"].concat(),
        });
    }
    out
}

/// All variables with their values, for people or as input.
pub(crate) fn variables(shell: &mut Shell, readable: bool) -> Vec<u8> {
    let config = shell.editor_config();
    let mut out = Vec::new();
    for (name, value) in config.settings.all() {
        let value = config.shown(name, value);
        out.extend(match readable {
            true => [name.as_bytes(), b" is set to `", &*value, b"'\n"].concat(),
            false => [b"set ", name.as_bytes(), b" ", &*value, b"\n"].concat(),
        });
    }
    out
}

/// The keys that run commands.
fn commands(shell: &mut Shell) -> Vec<u8> {
    let config = shell.editor_config();
    let mut out = Vec::new();
    for (keys, bound) in config.map().listed(config.part.after) {
        let Bound::Command(command) = bound else { continue };
        let mut shown = Vec::new();
        for byte in command.iter() {
            if matches!(byte, b'"' | b'\\') {
                shown.push(b'\\');
            }
            shown.push(*byte);
        }
        out.extend([b"\"", &*keys, b"\": \"", &*shown, b"\"\n"].concat());
    }
    out
}

/// `bind -x`. Returns the status.
fn bind_command(shell: &mut Shell, args: &[Field], text: &[u8]) -> i32 {
    let trimmed = text.trim_ascii_start();
    let Some(quoted) = trimmed.strip_prefix(b"\"") else {
        let message = [trimmed, b": first non-whitespace character is not `\"'"].concat();
        return args::fail(shell, args, message);
    };
    let Some(end) = closing(quoted) else {
        return args::fail(shell, args, [b"no closing `\"' in ", trimmed].concat());
    };
    let (keys, rest) = quoted.split_at(end);
    let rest = rest.get(1..).unwrap_or_default().trim_ascii_start();
    let Some(command) = rest.strip_prefix(b":") else {
        return args::fail(shell, args, [trimmed, b": missing colon separator"].concat());
    };
    let command = command.trim_ascii_start();
    let command = match command.split_first() {
        Some((quote @ (b'"' | b'\''), inner)) => {
            let end = if *quote == b'"' { closing(inner) } else { inner.iter().position(|b| *b == b'\'') };
            inner.get(..end.unwrap_or(inner.len())).unwrap_or_default()
        }
        _ => command,
    };
    shell.editor_config().bind(&sequence::parse(keys), Some(Bound::Command(command.into())));
    0
}

/// Where the quote stands that ends a text.
fn closing(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}
