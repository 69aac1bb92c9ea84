//! Operations on paths as text.

/// The last component, as from GNU's `basename(3)`: without trailing slashes; `/` for the root.
pub fn base_name(path: &[u8]) -> &[u8] {
    let trimmed = trim_slashes(path);
    if trimmed == b"/" {
        return trimmed;
    }
    trimmed.rsplit(|b| *b == b'/').next().unwrap_or_default()
}

/// Everything before the last component. `.` if there is nothing.
pub fn dir_name(path: &[u8]) -> &[u8] {
    let trimmed = trim_slashes(path);
    match trimmed.iter().rposition(|b| *b == b'/') {
        Some(i) => {
            let dir = trim_slashes(&trimmed[..=i]);
            if dir.is_empty() { b"/" } else { dir }
        }
        None => b".",
    }
}

/// The path without trailing slashes, except that the root stays.
pub fn trim_slashes(path: &[u8]) -> &[u8] {
    let mut p = path;
    while p.len() > 1 && p.ends_with(b"/") {
        p = &p[..p.len() - 1];
    }
    p
}

/// The path with at most one trailing slash, which is the form in which a tree walk begins.
pub fn trim_repeated_slashes(path: &[u8]) -> &[u8] {
    let trimmed = trim_slashes(path);
    let one = path.len().min(trimmed.len() + usize::from(trimmed != b"/"));
    path.get(..one).unwrap_or(path)
}

/// `dir/name` with a single slash between.
pub fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(dir.len() + 1 + name.len());
    out.extend_from_slice(dir);
    if !out.is_empty() && !out.ends_with(b"/") {
        out.push(b'/');
    }
    let mut name = name;
    while !out.is_empty() && name.starts_with(b"/") {
        name = &name[1..];
    }
    out.extend_from_slice(name);
    out
}
