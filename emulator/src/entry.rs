//! Finds out what is at a path, with the sandbox's own `stat`.

use std::time::{Duration, SystemTime};

use sandshell_providers::posix::quote;
use sandshell_providers::{Error, ErrorKind, ExecuteRequest, Result, Sandbox};

use crate::time::since_1970;

/// The fields that `stat` prints. Each ends with a slash, except the last, which is the name.
const FORMAT: &str = r"%F/%s/%f/%A/%U/%G/%Y/%n\0";

/// The most bytes of a listing that are read.
const LONGEST_LISTING: u64 = 64 << 20;

/// An entry of a directory. Symbolic links are not followed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    /// The permission bits, including set-user-ID and similar.
    pub(crate) mode: u32,
    /// The permissions in the form of `ls -l`.
    pub(crate) permissions: String,
    pub(crate) owner: String,
    pub(crate) group: String,
    pub(crate) modified: SystemTime,
    pub(crate) path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Directory,
    Link,
    /// A regular file, or anything else that is not listed here.
    File,
}

impl Entry {
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("/")
    }
}

/// The entry at `path`; `None` if it does not exist.
pub(crate) async fn entry(sandbox: &dyn Sandbox, path: &str) -> Result<Option<Entry>> {
    let script = format!("stat --printf={} -- {}", quote(FORMAT), quote(path));
    Ok(entries(sandbox, script).await?.pop())
}

/// The entries below `path` down to this depth, sorted by path.
pub(crate) async fn below(sandbox: &dyn Sandbox, path: &str, depth: u64) -> Result<Vec<Entry>> {
    // The trailing slash makes `find` enter a link to a directory.
    let script = format!(
        "find {}/ -mindepth 1 -maxdepth {depth} -exec stat --printf={} -- {{}} +",
        quote(path.trim_end_matches('/')),
        quote(FORMAT)
    );
    let mut entries = entries(sandbox, script).await?;
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

/// The entries at those of these paths that exist, in the same order.
pub(crate) async fn of(sandbox: &dyn Sandbox, paths: &[String]) -> Result<Vec<Entry>> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let script = format!("xargs -0 stat --printf={} --", quote(FORMAT));
    looked(sandbox, ExecuteRequest::new(script).stdin(paths.join("\0"))).await
}

async fn entries(sandbox: &dyn Sandbox, script: String) -> Result<Vec<Entry>> {
    looked(sandbox, ExecuteRequest::new(script)).await
}

async fn looked(sandbox: &dyn Sandbox, request: ExecuteRequest) -> Result<Vec<Entry>> {
    let answer = sandbox.execute(request.max_output(LONGEST_LISTING)).await?;
    if answer.truncated {
        let why = format!("a listing of more than {LONGEST_LISTING} bytes");
        return Err(Error::new(ErrorKind::QuotaExceeded, why));
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    Ok(text.split_terminator('\0').filter_map(parse).collect())
}

fn parse(line: &str) -> Option<Entry> {
    let mut fields = line.splitn(8, '/');
    let kind = match fields.next()? {
        "directory" => Kind::Directory,
        "symbolic link" => Kind::Link,
        _ => Kind::File,
    };
    Some(Entry {
        kind,
        size: fields.next()?.parse().ok()?,
        mode: u32::from_str_radix(fields.next()?, 16).ok()? & 0o7777,
        permissions: fields.next()?.to_owned(),
        owner: fields.next()?.to_owned(),
        group: fields.next()?.to_owned(),
        modified: since_1970(Duration::from_secs(fields.next()?.parse().ok()?)),
        // The start of the search ends in a slash, and `find` may add another one before the name.
        path: fields.next()?.replace("//", "/"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_anything() {
        let entry =
            parse("regular file/7/81a4/-rw-r--r--/user/user/0//home/user//a/b c\n").expect("an entry");
        assert_eq!((entry.name(), entry.mode, entry.size), ("b c\n", 0o644, 7));
        assert_eq!(entry.path, "/home/user/a/b c\n");
        assert_eq!(parse("x/y"), None);
    }
}
