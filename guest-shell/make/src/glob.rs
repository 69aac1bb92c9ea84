//! Wildcards in names.

use crate::text::Text;
use sandshell_posix::pattern;
use sandshell_sys as sys;

/// Whether a name has wildcards.
pub(crate) fn has_wildcards(name: &[u8]) -> bool {
    name.iter().any(|b| b"*?[".contains(b))
}

/// The files that match, sorted; the name itself without wildcards if the file exists.
pub(crate) fn existing(name: &[u8]) -> Vec<Text> {
    let name = tilde(name);
    if !has_wildcards(&name) {
        return if sys::stat(&name, false).is_ok() { vec![name] } else { Vec::new() };
    }
    matching(&name)
}

/// The files that match, sorted, or the name itself if there is none.
pub(crate) fn or_name(name: &[u8]) -> Vec<Text> {
    let name = tilde(name);
    if !has_wildcards(&name) {
        return vec![name];
    }
    let found = matching(&name);
    if found.is_empty() { vec![name] } else { found }
}

fn tilde(name: &[u8]) -> Text {
    match name.strip_prefix(b"~") {
        Some(rest) if rest.is_empty() || rest.starts_with(b"/") => match std::env::var_os("HOME") {
            Some(home) => [home.into_encoded_bytes().as_slice(), rest].concat(),
            None => name.to_vec(),
        },
        _ => name.to_vec(),
    }
}

fn matching(pattern: &[u8]) -> Vec<Text> {
    let mut found: Vec<Text> = vec![if pattern.starts_with(b"/") { b"/".to_vec() } else { Text::new() }];
    let parts: Vec<&[u8]> = pattern.split(|b| *b == b'/').collect();
    let last = parts.len() - 1;
    for (i, part) in parts.iter().enumerate() {
        if part.is_empty() && i < last {
            continue;
        }
        let mut next = Vec::new();
        for base in &found {
            if part.is_empty() {
                if sys::stat(base, true).is_ok_and(|s| s.is_dir()) {
                    next.push(base.clone());
                }
            } else if has_wildcards(part) {
                let dir: &[u8] = if base.is_empty() { b"." } else { base };
                for entry in sys::read_dir(dir).unwrap_or_default() {
                    let hidden = entry.name.starts_with(b".") && !part.starts_with(b".");
                    if !hidden && pattern::matches(part, &entry.name) {
                        next.push([base.as_slice(), &entry.name].concat());
                    }
                }
            } else {
                let name = [base.as_slice(), part].concat();
                if sys::stat(&name, false).is_ok() {
                    next.push(name);
                }
            }
        }
        if i < last {
            next.retain(|n| sys::stat(n, true).is_ok_and(|s| s.is_dir()));
            for name in &mut next {
                if !name.ends_with(b"/") {
                    name.push(b'/');
                }
            }
        }
        found = next;
    }
    found.sort();
    found
}
