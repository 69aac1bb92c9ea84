//! What is at a path, by the sandbox's own `stat`.

use std::time::{Duration, SystemTime};

use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, Result, Sandbox};
use serde_json::{Value, json};

use crate::time::rfc3339;

/// Fields that `stat` prints, each ended by a slash but the name, which comes last.
const FORMAT: &str = r"%F/%s/%f/%A/%U/%G/%Y/%n\0";

/// The entry at `path`; `None` if nothing is there.
pub(super) async fn entry(sandbox: &dyn Sandbox, path: &str) -> Result<Option<Value>> {
    let script = format!("stat --printf={} -- {}", quote(FORMAT), quote(path));
    Ok(entries(sandbox, script).await?.pop())
}

/// The entries below `path` to a depth, sorted by path.
pub(super) async fn below(sandbox: &dyn Sandbox, path: &str, depth: u64) -> Result<Vec<Value>> {
    // The slash at the end enters a link to a directory.
    let script = format!(
        "find {}/ -mindepth 1 -maxdepth {depth} -exec stat --printf={} -- {{}} +",
        quote(path.trim_end_matches('/')),
        quote(FORMAT)
    );
    let mut entries = entries(sandbox, script).await?;
    entries.sort_by(|a, b| a["path"].as_str().cmp(&b["path"].as_str()));
    Ok(entries)
}

async fn entries(sandbox: &dyn Sandbox, script: String) -> Result<Vec<Value>> {
    let answer = sandbox.execute(ExecuteRequest::new(script)).await?;
    let text = String::from_utf8_lossy(&answer.stdout);
    Ok(text.split_terminator('\0').filter_map(parse).collect())
}

fn parse(line: &str) -> Option<Value> {
    let mut fields = line.splitn(8, '/');
    let (kind, size, mode) = (fields.next()?, fields.next()?, fields.next()?);
    let (permissions, owner, group) = (fields.next()?, fields.next()?, fields.next()?);
    let modified = Duration::from_secs(fields.next()?.parse().ok()?);
    // What `find` was started with ends in a slash; a name has one.
    let path = fields.next()?.replace("//", "/");
    let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("/");
    let kind = match kind {
        "directory" => "FILE_TYPE_DIRECTORY",
        "symbolic link" => "FILE_TYPE_SYMLINK",
        _ => "FILE_TYPE_FILE",
    };
    Some(json!({
        "name": name,
        "type": kind,
        "path": path,
        "size": size,
        "mode": u32::from_str_radix(mode, 16).ok()? & 0o7777,
        "permissions": permissions,
        "owner": owner,
        "group": group,
        "modifiedTime": rfc3339(SystemTime::UNIX_EPOCH + modified),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_anything() {
        let entry = parse("regular file/7/81a4/-rw-r--r--/user/user/0//home/user//a/b c\n").expect("an entry");
        assert_eq!((entry["name"].as_str(), entry["mode"].as_u64()), (Some("b c\n"), Some(0o644)));
        assert_eq!(entry["path"], "/home/user/a/b c\n");
        assert_eq!(parse("x/y"), None);
    }
}
