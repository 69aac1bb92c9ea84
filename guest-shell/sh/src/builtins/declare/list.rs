//! How `declare`, `export`, `readonly` and `set` list variables and functions.

use super::Wanted;
use crate::expand::transform::{needs_quotes, quote_double, quote_key, quote_plainly};
use crate::field::Field;
use crate::options::Shopt;
use crate::shell::{FunctionEntry, Run, Shell};
use crate::text::{needs_ansi, quote_ansi};
use crate::variables::dynamic::DYNAMIC;
use crate::variables::{IndexedArray, Name, Value, Variable, attr};
use std::rc::Rc;

/// The value as `declare -p` writes it after `=`.
pub(crate) fn format_value(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    match value {
        Value::Str(s) => return quote_double(s),
        Value::Indexed(a) => {
            out.push(b'(');
            for (i, (index, v)) in a.iter().enumerate() {
                if i > 0 {
                    out.push(b' ');
                }
                out.extend_from_slice(format!("[{index}]=").as_bytes());
                out.extend_from_slice(&quote_double(v));
            }
            out.push(b')');
        }
        Value::Assoc(a) => {
            out.push(b'(');
            for (key, v) in a.iter() {
                out.push(b'[');
                out.extend_from_slice(&quote_key(key));
                out.extend_from_slice(b"]=");
                out.extend_from_slice(&quote_double(v));
                out.push(b' ');
            }
            out.push(b')');
        }
    }
    out
}

/// `declare -x name="value"`
pub(crate) fn declaration(name: &[u8], v: &Variable) -> Vec<u8> {
    let mut out = [b"declare ", v.flags().as_bytes(), b" ", name].concat();
    if !v.has(attr::INVISIBLE) {
        out.push(b'=');
        out.extend_from_slice(&format_value(&v.value));
    }
    out.push(b'\n');
    out
}

// The variable as a listing shows it: a computed one has no value before its first use.
fn listed(shell: &mut Shell, name: Name) -> Option<Variable> {
    if let Some(v) = shell.vars.get(name) {
        return Some(v.clone());
    }
    let unseen =
        |attrs: u16| Some(Variable { attrs: attrs | attr::INVISIBLE, ..Variable::scalar(Vec::new()) });
    match &*name.bytes() {
        b"BASHPID" | b"HISTCMD" | b"RANDOM" | b"SRANDOM" => unseen(attr::INTEGER),
        b"BASH_ARGV0" | b"BASH_COMMAND" | b"BASH_SUBSHELL" | b"COMP_WORDBREAKS" | b"EPOCHREALTIME"
        | b"EPOCHSECONDS" | b"LINENO" | b"SECONDS" => unseen(0),
        b"BASH_ARGC" | b"BASH_ARGV" if shell.function_depth() == 0 => {
            Some(Variable { value: Value::Indexed(IndexedArray::default()), attrs: 0, scope: 0 })
        }
        b"DIRSTACK" | b"GROUPS" => {
            Some(Variable { value: Value::Indexed(IndexedArray::default()), attrs: 0, scope: 0 })
        }
        b"FUNCNAME" => shell.dynamic(name).or_else(|| {
            Some(Variable {
                value: Value::Indexed(IndexedArray::default()),
                attrs: attr::INVISIBLE,
                scope: 0,
            })
        }),
        b"OPTIND" => shell.dynamic(name).map(|mut v| {
            v.attrs |= attr::INTEGER;
            v
        }),
        _ => shell.dynamic(name),
    }
}

// All names that are set or computed, in order.
fn all_names(shell: &mut Shell) -> Vec<(Rc<[u8]>, Name)> {
    let mut names = shell.vars.sorted();
    for text in DYNAMIC {
        let name = Name::new(text);
        if shell.vars.get(name).is_none() && !shell.dead.contains(&name) && listed(shell, name).is_some() {
            names.push((name.bytes(), name));
        }
    }
    names.sort();
    names.retain(|n| sandshell_syntax::name::is_name(&n.0));
    names
}

/// Prints all variables, as `set` without arguments does.
pub(crate) fn set_listing(shell: &mut Shell) {
    for (text, name) in all_names(shell) {
        let Some(v) = listed(shell, name) else { continue };
        if v.has(attr::INVISIBLE) {
            continue;
        }
        let value = match &v.value {
            Value::Str(s) if needs_ansi(s) && !shell.posix() => quote_ansi(s),
            Value::Str(s) if needs_quotes(s) => quote_plainly(s),
            Value::Str(s) => s.clone(),
            other => format_value(other),
        };
        let line = [&*text, b"=", &value, b"\n"].concat();
        shell.put(&line);
    }
}

/// Prints a function's text or only its name.
pub(super) fn function(shell: &mut Shell, f: &Rc<FunctionEntry>, name_only: bool, all: bool) {
    let name = f.function.name.bytes();
    if name_only && !all {
        let line = if shell.opts.shopt(Shopt::extdebug) {
            [&*name, format!(" {} ", f.function.line).as_bytes(), &f.source].concat()
        } else {
            name.to_vec()
        };
        shell.put(&line);
        shell.put(b"\n");
        return;
    }
    if !name_only {
        let text = sandshell_syntax::print::function(&f.function);
        shell.put(&text);
        shell.put(b"\n");
    }
    let flags = function_flags(f);
    if name_only || flags != "-f" {
        let line = [b"declare ", flags.as_bytes(), b" ", &*name, b"\n"].concat();
        shell.put(&line);
    }
}

fn function_flags(f: &FunctionEntry) -> String {
    let mut flags = String::from("-f");
    if f.readonly.get() {
        flags.push('r');
    }
    if f.trace.get() {
        flags.push('t');
    }
    if f.exported.get() {
        flags.push('x');
    }
    flags
}

/// `declare` with options but without names.
pub(super) fn without_names(shell: &mut Shell, w: &Wanted) -> Run<i32> {
    if w.functions {
        for (_, f) in shell.all_functions() {
            let matches = (w.on & attr::EXPORT == 0 || f.exported.get())
                && (w.on & attr::READONLY == 0 || f.readonly.get())
                && (w.on & attr::TRACE == 0 || f.trace.get());
            if matches {
                function(shell, &f, w.names_only, true);
            }
        }
        return Ok(0);
    }
    if w.local {
        for (text, name) in shell.vars.local_names() {
            if &*text == super::SAVED_OPTIONS {
                shell.put(b"local -\n");
            }
            if let Some(v) = shell.vars.get(name)
                && sandshell_syntax::name::is_name(&text)
                && (w.on == 0 || v.attrs & w.on != 0)
            {
                let line = declaration(&text, v);
                shell.put(&line);
            }
        }
        return Ok(0);
    }
    if !w.print && w.on == 0 && !w.indexed && !w.assoc {
        set_listing(shell);
        if !shell.posix() {
            for (_, f) in shell.all_functions() {
                function_only(shell, &f);
            }
        }
        return Ok(0);
    }
    for (text, name) in all_names(shell) {
        let Some(v) = listed(shell, name) else { continue };
        let kind = !(w.indexed || w.assoc)
            || w.indexed && matches!(v.value, Value::Indexed(_))
            || w.assoc && v.is_assoc();
        if kind && (w.on == 0 || v.attrs & w.on != 0) {
            shell.put(&declaration(&text, &v));
        }
    }
    Ok(0)
}

/// Prints only the text of a function.
pub(crate) fn function_only(shell: &mut Shell, f: &Rc<FunctionEntry>) {
    let text = sandshell_syntax::print::function(&f.function);
    shell.put(&text);
    shell.put(b"\n");
}

/// `declare -p name…`
pub(super) fn with_names(shell: &mut Shell, args: &[Field], words: &[Field], w: &Wanted) -> Run<i32> {
    let mut status = 0;
    for word in words {
        if w.functions {
            match shell.function_named(word).cloned() {
                Some(f) => function(shell, &f, w.names_only, true),
                None => {
                    super::args::fail(shell, args, [word, b": not found".as_slice()].concat());
                    status = 1;
                }
            }
            continue;
        }
        let name = Name::new(word);
        let found = if w.local && !shell.vars.is_local_here(name) {
            None
        } else {
            shell.variable(name).map(|v| v.into_owned())
        };
        match found {
            Some(v) => shell.put(&declaration(word, &v)),
            None => {
                super::args::fail(shell, args, [word, b": not found".as_slice()].concat());
                status = 1;
            }
        }
    }
    Ok(status)
}

/// `export` and `readonly` without names or with `-p`.
pub(super) fn with_attribute(shell: &mut Shell, w: &Wanted, command: &[u8]) -> Run<i32> {
    if w.functions {
        for (_, f) in shell.all_functions() {
            let has = if w.on & attr::EXPORT != 0 { f.exported.get() } else { f.readonly.get() };
            if has {
                function(shell, &f, false, true);
            }
        }
        return Ok(0);
    }
    for (text, name) in all_names(shell) {
        let Some(v) = listed(shell, name) else { continue };
        let kind = !(w.indexed || w.assoc)
            || w.indexed && matches!(v.value, Value::Indexed(_))
            || w.assoc && v.is_assoc();
        if v.attrs & w.on == 0 || !kind {
            continue;
        }
        if shell.posix() {
            // All attributes except those that the command itself stands for.
            let flags: String = v.flags().chars().filter(|c| !"-rx".contains(*c)).collect();
            let mut line = match flags.as_str() {
                "" => [command, b" ", &*text].concat(),
                flags => [command, b" -", flags.as_bytes(), b" ", &*text].concat(),
            };
            if !v.has(attr::INVISIBLE) {
                line.push(b'=');
                line.extend_from_slice(&format_value(&v.value));
            }
            line.push(b'\n');
            shell.put(&line);
        } else {
            shell.put(&declaration(&text, &v));
        }
    }
    Ok(0)
}
