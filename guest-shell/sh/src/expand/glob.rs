//! Pathname expansion.

use crate::field::Field;
use crate::options::Shopt;
use crate::shell::{Run, Shell};
use sandshell_syntax::pattern::{self, Pattern, PatternOptions};
use sandshell_sys as sys;

/// How deeply `**` descends.
const MAX_DEPTH: usize = 256;

#[derive(Clone, Copy)]
struct GlobOptions {
    dot: bool,
    globstar: bool,
    // `.` and `..` are never matched.
    skip_dots: bool,
    // An earlier component had an operator.
    globbed: bool,
    pattern: PatternOptions,
}

impl Shell {
    /// Expands a field whose pattern has an unquoted operator.
    pub(crate) fn expand_pathnames(&mut self, field: Field, text: &[u8], out: &mut Vec<Field>) -> Run {
        let extglob = self.opts.shopt(Shopt::extglob);
        if !pattern::is_glob(text, extglob) {
            out.push(Field::Owned(plain_result(&field, text)));
            return Ok(());
        }
        let mut found = self.glob(text);
        if !self.globignore.is_empty() {
            self.apply_globignore(&mut found);
        }
        if !found.is_empty() {
            out.extend(found.into_iter().map(Field::Owned));
            return Ok(());
        }
        if self.opts.shopt(Shopt::failglob) {
            return Err(self.expansion_error([b"no match: ", &*field].concat()));
        }
        if !self.opts.shopt(Shopt::nullglob) {
            out.push(field);
        }
        Ok(())
    }

    fn apply_globignore(&self, found: &mut Vec<Vec<u8>>) {
        let options = PatternOptions {
            extglob: self.opts.shopt(Shopt::extglob),
            nocase: self.opts.shopt(Shopt::nocaseglob),
        };
        // Operators do not match slashes.
        let components = |path: &[u8]| path.split(|b| *b == b'/').map(<[u8]>::to_vec).collect::<Vec<_>>();
        let patterns: Vec<Vec<Pattern>> = self
            .globignore
            .iter()
            .map(|p| components(p).iter().map(|c| Pattern::new(c, options)).collect())
            .collect();
        let ignored = |names: &[Vec<u8>], pattern: &[Pattern]| {
            names.len() == pattern.len() && pattern.iter().zip(names).all(|(p, n)| p.matches(n))
        };
        found.retain(|f| {
            let names = components(f);
            let dots = names.last().is_some_and(|n| matches!(n.as_slice(), b"." | b".."));
            !dots && !patterns.iter().any(|p| ignored(&names, p))
        });
    }

    /// All paths that a pattern matches, sorted.
    pub(crate) fn glob(&self, text: &[u8]) -> Vec<Vec<u8>> {
        let options = GlobOptions {
            dot: self.opts.shopt(Shopt::dotglob),
            globstar: self.opts.shopt(Shopt::globstar),
            skip_dots: self.opts.shopt(Shopt::globskipdots),
            globbed: false,
            pattern: PatternOptions {
                extglob: self.opts.shopt(Shopt::extglob),
                nocase: self.opts.shopt(Shopt::nocaseglob),
            },
        };
        let mut components = split_components(text);
        // Repeated slashes are kept only before the first operator.
        let globbed = components.iter().position(|(name, _)| pattern::is_glob(name, options.pattern.extglob));
        for (_, slashes) in components.iter_mut().skip(globbed.unwrap_or(usize::MAX)) {
            *slashes = (*slashes).min(1);
        }
        let mut found = Vec::new();
        if has_escaped_slash(text, options.pattern.extglob) {
            return found;
        }
        walk(Vec::new(), &components, options, &mut found, 0);
        found.sort_unstable();
        found
    }
}

// Text without operators stays as it is. Backslashes that came from an expansion are kept.
fn plain_result(field: &Field, _text: &[u8]) -> Vec<u8> {
    field.to_vec()
}

// Returns `(component, slashes after it)`. As in bash, a slash always separates, even inside brackets or extended
// patterns.
fn split_components(text: &[u8]) -> Vec<(Vec<u8>, usize)> {
    let mut list: Vec<(Vec<u8>, usize)> = Vec::new();
    let mut at = Vec::new();
    let mut i = 0;
    while let Some(&b) = text.get(i) {
        if b == b'/' || (b == b'\\' && text.get(i + 1) == Some(&b'/')) {
            let mut n = 0;
            while text.get(i) == Some(&b'/')
                || (text.get(i) == Some(&b'\\') && text.get(i + 1) == Some(&b'/'))
            {
                i += if text.get(i) == Some(&b'/') { 1 } else { 2 };
                n += 1;
            }
            list.push((std::mem::take(&mut at), n));
            continue;
        }
        at.push(b);
        if b == b'\\'
            && let Some(&next) = text.get(i + 1)
        {
            at.push(next);
            i += 1;
        }
        i += 1;
    }
    if !at.is_empty() {
        list.push((at, 0));
    }
    list
}

// Whether a component with operators ends with a backslash. bash treats the backslash as part of it, so it matches
// nothing.
fn has_escaped_slash(text: &[u8], extglob: bool) -> bool {
    let (mut start, mut at) = (0, 0);
    while let Some(byte) = text.get(at) {
        match (byte, text.get(at + 1)) {
            (b'\\', Some(b'/')) => {
                if text.get(start..at).is_some_and(|component| pattern::is_glob(component, extglob)) {
                    return true;
                }
                start = at + 2;
                at += 1;
            }
            (b'\\', _) => at += 1,
            (b'/', _) => start = at + 1,
            _ => {}
        }
        at += 1;
    }
    false
}

fn exists(path: &[u8], slash: bool) -> bool {
    match sys::stat(path, slash) {
        Ok(s) => !slash || s.is_dir(),
        Err(_) => false,
    }
}

fn dir_of(prefix: &[u8]) -> &[u8] {
    if prefix.is_empty() { b"." } else { prefix }
}

fn walk(prefix: Vec<u8>, rest: &[(Vec<u8>, usize)], o: GlobOptions, found: &mut Vec<Vec<u8>>, depth: usize) {
    let Some(((component, slashes), tail)) = rest.split_first() else {
        found.push(prefix);
        return;
    };
    if depth > MAX_DEPTH {
        return;
    }
    if component.is_empty() {
        // Leading slashes.
        let mut p = prefix;
        p.extend(std::iter::repeat_n(b'/', *slashes));
        walk(p, tail, o, found, depth + 1);
        return;
    }
    let last = tail.is_empty();
    if !pattern::is_glob(component, o.pattern.extglob) {
        let mut p = prefix;
        p.extend_from_slice(&pattern::unescape(component));
        let ok = if last && *slashes == 0 { exists(&p, false) } else { exists(&p, true) };
        if ok {
            p.extend(std::iter::repeat_n(b'/', *slashes));
            walk(p, tail, o, found, depth + 1);
        }
        return;
    }
    if o.globstar && component == b"**" {
        star_star(prefix, *slashes, tail, o, found, depth);
        return;
    }
    let o = GlobOptions { globbed: true, ..o };
    let compiled = Pattern::new(component, o.pattern);
    let [dotted, dots] = [false, true]
        .map(|special| for_dotted(component, special, o).map(|pattern| Pattern::new(&pattern, o.pattern)));
    let Ok(entries) = sys::read_dir(dir_of(&prefix)) else { return };
    let mut names: Vec<(Vec<u8>, u32)> = entries.into_iter().map(|e| (e.name, e.kind)).collect();
    if !o.skip_dots {
        names.extend([b".".as_slice(), b".."].map(|n| (n.to_vec(), sys::S_IFDIR)));
    }
    for (name, kind) in names {
        let pattern = match name.as_slice() {
            b"." | b".." => dots.as_ref(),
            [b'.', ..] => dotted.as_ref(),
            _ => Some(&compiled),
        };
        if !pattern.is_some_and(|pattern| pattern.matches(&name)) {
            continue;
        }
        let mut p = prefix.clone();
        p.extend_from_slice(&name);
        if *slashes > 0 || !last {
            let is_dir = kind == sys::S_IFDIR
                || (kind != sys::S_IFREG && sys::stat(&p, true).is_ok_and(|s| s.is_dir()));
            if !is_dir {
                continue;
            }
            p.extend(std::iter::repeat_n(b'/', *slashes));
        }
        walk(p, tail, o, found, depth + 1);
    }
}

// The part of a pattern that can match names with a leading dot: it must begin with a dot itself. `special` allows `.`
// and `..`.
fn for_dotted(component: &[u8], special: bool, o: GlobOptions) -> Option<Vec<u8>> {
    if let [operator @ (b'@' | b'*' | b'+' | b'?'), b'(', group @ ..] = component
        && o.pattern.extglob
        && let Some((alternatives, rest)) = alternatives(group)
    {
        let matching: Vec<_> = alternatives.iter().filter_map(|a| for_dotted(a, special, o)).collect();
        return match matching.as_slice() {
            [] if matches!(operator, b'*' | b'?') => for_dotted(rest, special, o),
            [] => None,
            _ => Some([&[*operator, b'('], matching.join(&b'|').as_slice(), b")", rest].concat()),
        };
    }
    let explicit = component.starts_with(b".") || component.starts_with(b"\\.");
    (explicit || o.dot && !special).then(|| component.to_vec())
}

// The alternatives of an open group, and the text after it.
fn alternatives(group: &[u8]) -> Option<(Vec<&[u8]>, &[u8])> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut i) = (0, 0usize, 0);
    while let Some(&b) = group.get(i) {
        match b {
            b'\\' => i += 1,
            b'(' => depth += 1,
            b')' | b'|' if depth == 0 => {
                found.push(group.get(start..i).unwrap_or_default());
                start = i + 1;
                if b == b')' {
                    return Some((found, group.get(start..).unwrap_or_default()));
                }
            }
            b')' => depth -= 1,
            _ => {}
        }
        i += 1;
    }
    None
}

fn star_star(
    prefix: Vec<u8>,
    slashes: usize,
    tail: &[(Vec<u8>, usize)],
    o: GlobOptions,
    found: &mut Vec<Vec<u8>>,
    depth: usize,
) {
    // Several consecutive `**/` are the same as one.
    if let Some(((next, _), _)) = tail.split_first()
        && next == b"**"
    {
        walk(prefix, tail, GlobOptions { globbed: true, ..o }, found, depth + 1);
        return;
    }
    let files = tail.is_empty() && slashes == 0;
    let mut dirs = vec![prefix.clone()];
    if tail.is_empty() && !prefix.is_empty() {
        let mut path = prefix.clone();
        while files && o.globbed && path.len() > 1 && path.ends_with(b"/") {
            path.pop();
        }
        found.push(path);
    }
    let o = GlobOptions { globbed: true, ..o };
    if !tail.is_empty() {
        walk(prefix, tail, o, found, depth + 1);
    }
    while let Some(dir) = dirs.pop() {
        if dir.iter().filter(|b| **b == b'/').count() > MAX_DEPTH {
            continue;
        }
        let Ok(entries) = sys::read_dir(dir_of(&dir)) else { continue };
        for e in entries {
            if e.name.starts_with(b".") && !o.dot {
                continue;
            }
            let mut p = dir.clone();
            p.extend_from_slice(&e.name);
            let is_dir =
                e.kind == sys::S_IFDIR || (e.kind == 0 && sys::stat(&p, false).is_ok_and(|s| s.is_dir()));
            if is_dir {
                let mut with = p.clone();
                with.extend(std::iter::repeat_n(b'/', slashes.max(1)));
                if tail.is_empty() {
                    found.push(if files { p } else { with.clone() });
                } else {
                    walk(with.clone(), tail, o, found, depth + 1);
                }
                dirs.push(with);
            } else if files {
                found.push(p);
            } else if tail.is_empty()
                && e.kind == sys::S_IFLNK
                && sys::stat(&p, true).is_ok_and(|s| s.is_dir())
            {
                p.extend(std::iter::repeat_n(b'/', slashes));
                found.push(p);
            }
        }
    }
}
