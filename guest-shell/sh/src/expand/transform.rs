//! `${x@Q}` and the other transformations.

use super::param::{Fetch, Target};
use crate::shell::{Run, Shell};
use crate::text::{self, needs_ansi, quote_ansi};
use crate::variables::{Value, attr};
use sandshell_posix::characters;
use sandshell_syntax::ast::ParamExpansion;
use sandshell_syntax::print::single_quoted;

impl Shell {
    pub(crate) fn transform(
        &mut self,
        c: u8,
        target: &Target,
        fetch: Fetch,
        p: &ParamExpansion,
    ) -> Run<Fetch> {
        Ok(match c {
            b'Q' => fetch.map_values(quote_single),
            b'K' | b'k' => self.transform_keys(c == b'K', target, fetch),
            b'E' => fetch.map_values(ansi_c),
            b'U' => fetch.map_values(|v| text::to_case(v, true)),
            b'L' => fetch.map_values(|v| text::to_case(v, false)),
            b'u' => fetch.map_values(|v| {
                let n = text::char_len(v);
                let mut out = text::to_case(v.get(..n).unwrap_or_default(), true);
                out.extend_from_slice(v.get(n..).unwrap_or_default());
                out
            }),
            b'P' => match fetch {
                Fetch::Unset => Fetch::Unset,
                Fetch::One(v) => Fetch::One(self.prompt(&v)?),
                Fetch::Many(list, star) => {
                    let mut out = Vec::with_capacity(list.len());
                    for v in list {
                        out.push(self.prompt(&v)?);
                    }
                    Fetch::Many(out, star)
                }
            },
            b'a' => self.transform_attributes(target, fetch),
            b'A' => self.transform_assignment(target, fetch),
            _ if matches!(fetch, Fetch::Unset) => fetch,
            _ => {
                self.error([&*p.source, b": bad substitution"].concat());
                return Err(self.fatal_expansion());
            }
        })
    }

    fn transform_attributes(&mut self, target: &Target, fetch: Fetch) -> Fetch {
        let (Target::Variable(name) | Target::Element(name, _) | Target::Array(name, _)) = target else {
            return fetch.map_values(|_| Vec::new());
        };
        let (base, _) = self.resolve_nameref(*name);
        let Some(v) = self.variable(base).map(|v| v.into_owned()) else { return fetch };
        let flags = v.flags();
        let flags = flags.trim_start_matches('-').as_bytes().to_vec();
        match fetch {
            // For all elements of a variable without attributes, the result is empty.
            _ if flags.is_empty() && matches!(target, Target::Array(..)) => {
                Fetch::Many(Vec::new(), matches!(target, Target::Array(_, true)))
            }
            Fetch::Many(list, star) if !list.is_empty() => {
                Fetch::Many(list.iter().map(|_| flags.clone()).collect(), star)
            }
            Fetch::Many(..) if !v.has(attr::INVISIBLE) => fetch,
            _ => Fetch::One(flags),
        }
    }

    fn transform_assignment(&mut self, target: &Target, fetch: Fetch) -> Fetch {
        match target {
            Target::Special(b'@' | b'*') => {
                let Fetch::Many(list, star) = fetch else { return Fetch::Unset };
                if list.is_empty() {
                    return Fetch::Many(Vec::new(), star);
                }
                let mut out = vec![b"set".to_vec(), b"--".to_vec()];
                out.extend(list.iter().map(|v| quote_single(v)));
                Fetch::Many(out, star)
            }
            Target::Variable(name) | Target::Element(name, _) | Target::Array(name, _) => {
                let (base, _) = self.resolve_nameref(*name);
                let Some(v) = self.variable(base).map(|v| v.into_owned()) else { return fetch };
                let label = base.bytes();
                let flags = v.flags();
                if matches!(target, Target::Array(..)) && v.is_array() {
                    let star = matches!(target, Target::Array(_, true));
                    let mut last = label.to_vec();
                    if !v.has(attr::INVISIBLE) {
                        last.push(b'=');
                        last.extend_from_slice(&crate::builtins::declare::format_value(&v.value));
                    }
                    return Fetch::Many(vec![b"declare".to_vec(), flags.into_bytes(), last], star);
                }
                let value = match &fetch {
                    Fetch::One(v) => Some(quote_single(v)),
                    Fetch::Many(list, _) => list.first().map(|v| quote_single(v)),
                    Fetch::Unset => None,
                };
                let mut out = Vec::new();
                if flags != "--" {
                    out.extend_from_slice(b"declare ");
                    out.extend_from_slice(flags.as_bytes());
                    out.push(b' ');
                }
                match value {
                    Some(value) => {
                        out.extend_from_slice(&label);
                        out.push(b'=');
                        out.extend_from_slice(&value);
                    }
                    None if out.is_empty() => return Fetch::Unset,
                    None => out.extend_from_slice(&label),
                }
                Fetch::One(out)
            }
            _ => Fetch::Unset,
        }
    }

    fn transform_keys(&mut self, quoted: bool, target: &Target, fetch: Fetch) -> Fetch {
        let Target::Array(name, star) = target else { return fetch.map_values(quote_single) };
        let (base, _) = self.resolve_nameref(*name);
        let Some(v) = self.variable(base).map(|v| v.into_owned()) else { return fetch };
        let pairs: Vec<(Vec<u8>, Vec<u8>)> = match &v.value {
            Value::Str(_) => return fetch.map_values(quote_single),
            Value::Indexed(a) => a.iter().map(|(i, v)| (i.to_string().into_bytes(), v.to_vec())).collect(),
            Value::Assoc(a) => a.iter().map(|(k, v)| (k.to_vec(), v.to_vec())).collect(),
        };
        if quoted && !pairs.is_empty() {
            let mut out = Vec::new();
            for (i, (k, val)) in pairs.iter().enumerate() {
                if i > 0 {
                    out.push(b' ');
                }
                if v.is_assoc() {
                    out.extend_from_slice(&quote_key(k));
                } else {
                    out.extend_from_slice(k);
                }
                out.push(b' ');
                out.extend_from_slice(&quote_double(val));
                if v.is_assoc() && i + 1 == pairs.len() {
                    out.push(b' ');
                }
            }
            return Fetch::One(out);
        }
        Fetch::Many(pairs.into_iter().flat_map(|(k, v)| [k, v]).collect(), *star)
    }
}

impl Fetch {
    fn map_values(self, mut f: impl FnMut(&[u8]) -> Vec<u8>) -> Self {
        match self {
            Self::Unset => Self::Unset,
            Self::One(v) => Self::One(f(&v)),
            Self::Many(list, star) => Self::Many(list.iter().map(|v| f(v)).collect(), star),
        }
    }
}

/// Quotes as `'...'`, or as `$'...'` if there are control characters. Never leaves text unquoted.
pub(crate) fn quote_single(text: &[u8]) -> Vec<u8> {
    if needs_ansi(text) { quote_ansi(text) } else { quote_plainly(text) }
}

/// Quotes as `'...'`, whatever the characters.
pub(crate) fn quote_plainly(text: &[u8]) -> Vec<u8> {
    if text == b"'" {
        return b"\\'".to_vec();
    }
    single_quoted(text)
}

/// Quotes as `set` and traces do: only where needed, and an empty text as `''`.
pub(crate) fn quote_if_needed(text: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        return b"''".to_vec();
    }
    if needs_ansi(text) {
        return quote_ansi(text);
    }
    if needs_quotes(text) {
        return quote_single(text);
    }
    text.to_vec()
}

/// Whether a text contains a character that is special to the shell.
pub(crate) fn needs_quotes(text: &[u8]) -> bool {
    for (i, &b) in text.iter().enumerate() {
        match b {
            b' ' | b'\t' | b'\n' | b'\'' | b'"' | b'\\' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>'
            | b'!' | b'{' | b'}' | b'*' | b'[' | b'?' | b']' | b'^' | b'$' | b'`' => return true,
            b'~' if i == 0 || matches!(text.get(i - 1), Some(b'=' | b':')) => return true,
            b'#' if i == 0 => return true,
            _ => {}
        }
    }
    false
}

/// Quotes as `"..."`, as `declare -p` writes values.
pub(crate) fn quote_double(text: &[u8]) -> Vec<u8> {
    if needs_ansi(text) {
        return quote_ansi(text);
    }
    let mut out = Vec::with_capacity(text.len() + 2);
    out.push(b'"');
    for &b in text {
        if matches!(b, b'"' | b'$' | b'\\' | b'`') {
            out.push(b'\\');
        }
        out.push(b);
    }
    out.push(b'"');
    out
}

/// Quotes a key between brackets, only where needed.
pub(crate) fn quote_key(key: &[u8]) -> Vec<u8> {
    if needs_ansi(key) {
        quote_ansi(key)
    } else if key.is_empty() || needs_quotes(key) || matches!(key, b"@" | b"*") {
        quote_double(key)
    } else {
        key.to_vec()
    }
}

/// Decodes backslash escapes as in `$'...'`.
pub(crate) fn ansi_c(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut i = 0;
    let at = |i: usize| text.get(i).copied();
    while let Some(b) = at(i) {
        i += 1;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        let Some(c) = at(i) else {
            out.push(b'\\');
            break;
        };
        i += 1;
        let number = |start: usize, max: usize, radix: u32| -> (u32, usize) {
            let mut n = 0u32;
            let mut used = 0;
            while used < max
                && let Some(d) = at(start + used).and_then(|b| char::from(b).to_digit(radix))
            {
                n = n.wrapping_mul(radix).wrapping_add(d);
                used += 1;
            }
            (n, used)
        };
        match c {
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => out.push(characters::escape(c)),
            b'e' | b'E' => out.push(27),
            b'\\' | b'\'' | b'"' | b'?' => out.push(c),
            b'0'..=b'7' => {
                let (n, used) = number(i - 1, 3, 8);
                i += used - 1;
                out.push((n & 0xff) as u8);
            }
            b'x' => {
                let (n, used) = number(i, 2, 16);
                if used == 0 {
                    out.extend_from_slice(b"\\x");
                } else {
                    i += used;
                    out.push((n & 0xff) as u8);
                }
            }
            b'u' | b'U' => {
                let (n, used) = number(i, if c == b'u' { 4 } else { 8 }, 16);
                if used == 0 {
                    out.extend_from_slice(&[b'\\', c]);
                } else {
                    i += used;
                    push_code_point(n, &mut out);
                }
            }
            b'c' => {
                if let Some(x) = at(i) {
                    i += 1;
                    out.push(x & 0x1f);
                }
            }
            _ => out.extend_from_slice(&[b'\\', c]),
        }
    }
    out
}

fn push_code_point(n: u32, out: &mut Vec<u8>) {
    match char::from_u32(n) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice("\u{fffd}".as_bytes()),
    }
}
