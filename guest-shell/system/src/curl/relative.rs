//! Where a redirect leads: references in URLs (RFC 3986, section 5).

use super::url::Url;

/// The URL that a reference means in a document at `base`. What no URL may have in it is escaped.
pub(super) fn resolve(base: &Url, reference: &[u8]) -> Vec<u8> {
    let reference = escaped(reference);
    let scheme_end = reference.iter().position(|b| !b.is_ascii_alphanumeric() && !b"+-.".contains(b));
    let is_absolute = scheme_end
        .is_some_and(|end| end > 0 && reference.get(end..).is_some_and(|rest| rest.starts_with(b"://")));
    if is_absolute {
        return reference;
    }
    if reference.starts_with(b"//") {
        return [base.scheme.as_slice(), b":", &reference].concat();
    }
    let host = if base.host.contains(&b':') {
        [b"[", base.host.as_slice(), b"]"].concat()
    } else {
        base.host.clone()
    };
    let port = if base.port_is_default { Vec::new() } else { format!(":{}", base.port).into_bytes() };
    let origin = [base.scheme.as_slice(), b"://", &host, &port].concat();
    let path = base.path.split(|b| *b == b'?').next().unwrap_or_default();
    let path = match reference.first() {
        Some(b'/') => reference,
        Some(b'?') => [path, &reference].concat(),
        Some(b'#') => [base.path.as_slice(), &reference].concat(),
        _ => {
            let end = path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
            [path.get(..end).unwrap_or_default(), &reference].concat()
        }
    };
    [origin, without_dots(&path)].concat()
}

/// Resolves `.` and `..` in a path; the query stays as it is.
pub(crate) fn without_dots(path: &[u8]) -> Vec<u8> {
    let end = path.iter().position(|b| matches!(b, b'?' | b'#')).unwrap_or(path.len());
    let (path, rest) = path.split_at(end);
    let segments: Vec<&[u8]> = path.strip_prefix(b"/").unwrap_or(path).split(|b| *b == b'/').collect();
    let mut kept: Vec<&[u8]> = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        let lower = segment.to_ascii_lowercase();
        let is_last = at + 1 == segments.len();
        match lower.as_slice() {
            b"." | b"%2e" => {}
            b".." | b".%2e" | b"%2e." | b"%2e%2e" => {
                kept.pop();
            }
            _ => {
                kept.push(segment);
                continue;
            }
        }
        if is_last {
            kept.push(b"");
        }
    }
    [b"/", kept.join(&b'/').as_slice(), rest].concat()
}

fn escaped(reference: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(reference.len());
    let mut in_query = false;
    for b in reference {
        in_query |= *b == b'?';
        match b {
            b' ' if in_query => out.push(b'+'),
            0..=b' ' | 0x7f.. => out.extend_from_slice(format!("%{b:02x}").as_bytes()),
            _ => out.push(*b),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::url;
    use super::*;

    fn is(reference: &str, expected: &str) {
        let Ok(base) = url::parse(b"http://h:81/a/b/c?q=1", false) else { panic!("a URL") };
        let found = resolve(&base, reference.as_bytes());
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{reference}");
    }

    #[test]
    fn references() {
        is("https://x/y", "https://x/y");
        is("//x/y", "http://x/y");
        is("/y", "http://h:81/y");
        is("y?z", "http://h:81/a/b/y?z");
        is("?z", "http://h:81/a/b/c?z");
        is("../../../../y", "http://h:81/y");
        is("./y/./z/..", "http://h:81/a/b/y/");
        is("a b?c d", "http://h:81/a/b/a%20b?c+d");
        is("javascript:x", "http://h:81/a/b/javascript:x");
    }
}
