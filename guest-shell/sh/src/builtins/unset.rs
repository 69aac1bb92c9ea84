//! `unset`

use super::args;
use super::reference::subscript_end;
use crate::field::Field;
use crate::shell::{Run, Shell};
use crate::variables::access::Key;
use crate::variables::{Name, Value, Variable, attr};
use sandshell_syntax::name::is_name;

pub(crate) fn unset(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "fnv") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let (functions, variables, reference) = (has(b'f'), has(b'v'), has(b'n'));
    if functions && variables {
        return Ok(args::fail(shell, args, "cannot simultaneously unset a function and a variable"));
    }
    let mut status = 0;
    for word in args.get(at..).unwrap_or_default() {
        if functions && !reference {
            status |= unset_function(shell, args, word);
            continue;
        }
        if let Some(open) = word.iter().position(|b| *b == b'[')
            && (subscript_end(shell, word, open) == Some(word.len() - 1)
                || shell.references.iter().any(|r| r[..] == word[..]) && word.ends_with(b"]"))
            && is_name(word.get(..open).unwrap_or_default())
        {
            let base = word.get(..open).unwrap_or_default();
            let subscript = word.get(open + 1..word.len() - 1).unwrap_or_default();
            status |= unset_element(shell, args, base, subscript)?;
            continue;
        }
        if !is_name(word) {
            if variables || shell.function_named(word).is_none() {
                if variables {
                    status |= args::invalid_identifier(shell, args, word);
                }
            } else {
                status |= unset_function(shell, args, word);
            }
            continue;
        }
        let name = Name::new(word);
        let known = shell.variable(name).is_some() || crate::variables::dynamic::is_dynamic(word);
        if !known && !variables && !reference {
            status |= unset_function(shell, args, word);
            continue;
        }
        status |= unset_variable(shell, args, name, reference)?;
    }
    Ok(status)
}

fn unset_function(shell: &mut Shell, args: &[Field], name: &[u8]) -> i32 {
    let Some(f) = shell.function_named(name) else { return 0 };
    if f.readonly.get() {
        return args::fail(shell, args, [name, b": cannot unset: readonly function"].concat());
    }
    let name = f.function.name;
    shell.undefine_function(name);
    0
}

fn unset_variable(shell: &mut Shell, args: &[Field], name: Name, reference: bool) -> Run<i32> {
    let mut name = name;
    if reference {
        if shell.vars.get(name).is_none_or(|v| v.attrs & (attr::NAMEREF | attr::READONLY) == 0) {
            return Ok(0);
        }
    } else {
        let (target, subscript) = shell.resolve_nameref(name);
        if let Some(subscript) = subscript {
            let scalar = shell.variable(target).is_some_and(|v| !v.is_array());
            // A scalar has only the element 0. Others are ignored without a message.
            if scalar && !matches!(shell.key_from_text(target, &subscript)?, Key::Index(0)) {
                return Ok(0);
            }
            return unset_element(shell, args, &target.bytes(), &subscript);
        }
        name = target;
    }
    let attrs = match shell.vars.get(name) {
        Some(v) => v.attrs,
        None if shell.is_readonly_dynamic(name) => attr::READONLY,
        None => 0,
    };
    let bytes = name.bytes();
    if attrs & attr::READONLY != 0 {
        return Ok(args::fail(shell, args, [&*bytes, b": cannot unset: readonly variable"].concat()));
    }
    let calls = matches!(&*bytes, b"BASH_SOURCE" | b"BASH_LINENO" | b"BASH_ARGC" | b"BASH_ARGV");
    if attrs & attr::NO_UNSET != 0 || calls && shell.keeps_own_elements(name) {
        return Ok(args::fail(shell, args, [&*bytes, b": cannot unset"].concat()));
    }
    shell.unset_variable(name);
    Ok(0)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scalar,
    Indexed,
    Assoc,
}

fn unset_element(shell: &mut Shell, args: &[Field], base: &[u8], subscript: &[u8]) -> Run<i32> {
    let (name, _) = shell.resolve_nameref(Name::new(base));
    let kind = |v: &Variable| match v.value {
        Value::Str(_) => Kind::Scalar,
        Value::Indexed(_) => Kind::Indexed,
        Value::Assoc(_) => Kind::Assoc,
    };
    let Some((kind, readonly)) = shell.variable(name).map(|v| (kind(&v), v.has(attr::READONLY))) else {
        return Ok(0);
    };
    let bytes = name.bytes();
    if readonly {
        return Ok(args::fail(shell, args, [&*bytes, b": cannot unset: readonly variable"].concat()));
    }
    if matches!(subscript, b"@" | b"*") {
        if kind != Kind::Scalar && shell.compatibility <= 51 {
            shell.unset_variable(name);
            return Ok(0);
        }
        match kind {
            Kind::Indexed => {
                if let Some(v) = shell.vars.get_mut(name)
                    && let Value::Indexed(a) = &mut v.value
                {
                    a.clear();
                }
                return Ok(0);
            }
            Kind::Scalar => {
                return Ok(args::fail(shell, args, [&*bytes, b": not an array variable"].concat()));
            }
            Kind::Assoc => {}
        }
    }
    if kind == Kind::Scalar {
        let key = shell.key_from_text(name, subscript)?;
        if matches!(key, Key::Index(0)) {
            shell.unset_variable(name);
            return Ok(0);
        }
        return Ok(args::fail(shell, args, [&*bytes, b": not an array variable"].concat()));
    }
    match &*bytes {
        // The elements stay, because bash removes them only from a copy.
        b"BASH_ALIASES" | b"BASH_CMDS" => return Ok(0),
        _ => {}
    }
    // As arithmetic, the subscript is expanded once more.
    let key = match kind == Kind::Assoc {
        true => shell.reference_key(name, &[base, b"[", subscript, b"]"].concat(), subscript)?,
        false => Key::Index(shell.arith_expanded(subscript)?),
    };
    if !subscript.is_empty() && matches!(&key, Key::Text(text) if text.is_empty()) {
        return Ok(args::fail(shell, args, [b"[", subscript, b"]: bad array subscript"].concat()));
    }
    let Some(v) = shell.vars.get_mut(name) else { return Ok(0) };
    let missing = match (&mut v.value, &key) {
        (Value::Indexed(a), Key::Index(i)) => match a.resolve(*i) {
            Some(i) => {
                a.remove(i);
                false
            }
            None => true,
        },
        (Value::Assoc(a), Key::Text(k)) => {
            a.remove(k);
            false
        }
        _ => false,
    };
    if missing {
        return Ok(args::fail(shell, args, [b"[", subscript, b"]: bad array subscript"].concat()));
    }
    Ok(0)
}
