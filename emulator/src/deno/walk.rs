//! Walks through directories, and expands patterns of paths.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sandshell_providers::{GlobRequest, SandboxExt as _};
use serde_json::{Value, json};

use super::HOME;
use super::connection::{Connection, Failure, text};
use super::files::{absolute, thrown};
use crate::entry::{self, Entry, Kind};

/// The depth of a walk that names none.
const DEEPEST: u64 = 100_000;

/// Answers a walk or a pattern. JavaScript's SDK expects a stream of entries, Python's expects all of them at once.
pub(super) async fn call(connection: &Arc<Connection>, id: &Value, method: &str, parameters: &Value) {
    let found = match method {
        "walk" => walk(connection, parameters).await,
        _ => expand(connection, parameters).await,
    };
    let entries = match found {
        Ok(entries) => entries,
        Err(failure) => return connection.answer(id, Err(failure)).await,
    };
    if connection.late {
        let shown =
            entries.iter().map(|entry| if method == "walk" { shown(entry, true) } else { json!(entry.path) });
        return connection.answer(id, Ok(shown.collect())).await;
    }
    let stream = connection.stream();
    connection.answer(id, Ok(json!({"streamId": stream}))).await;
    connection.notify("$sandbox.stream.start", json!({"streamId": stream})).await;
    for entry in &entries {
        // The client parses each piece separately.
        let data = BASE64_STANDARD.encode(shown(entry, false).to_string());
        connection.notify("$sandbox.stream.enqueue", json!({"streamId": stream, "data": data})).await;
    }
    connection.notify("$sandbox.stream.end", json!({"streamId": stream})).await;
}

/// An option. The two SDKs send options in different places.
fn option<'a>(parameters: &'a Value, name: &str) -> &'a Value {
    match &parameters["options"][name] {
        Value::Null => &parameters[name],
        given => given,
    }
}

fn is_wanted(entry: &Entry, parameters: &Value) -> bool {
    let name = match entry.kind {
        Kind::File => "includeFiles",
        Kind::Directory => "includeDirs",
        Kind::Link => "includeSymlinks",
    };
    *option(parameters, name) != json!(false)
}

/// The directory and everything below it, each directory before its entries.
async fn walk(connection: &Connection, parameters: &Value) -> Result<Vec<Entry>, Failure> {
    let sandbox = &*connection.machine.sandbox;
    let path = absolute(text(parameters, "path")?);
    let root = entry::entry(sandbox, &path).await.map_err(|error| Failure::of(&error))?;
    let root = root.ok_or_else(|| thrown(&format!("{path}: No such file or directory")))?;
    if root.kind == Kind::File {
        return Err(thrown(&format!("{path}: Not a directory")));
    }
    let depth = option(parameters, "maxDepth").as_u64().unwrap_or(DEEPEST).min(DEEPEST);
    let mut entries = vec![root];
    if depth > 0 {
        entries.extend(entry::below(sandbox, &path, depth).await.map_err(|error| Failure::of(&error))?);
    }
    let endings: Option<Vec<String>> = option(parameters, "exts").as_array().map(|endings| {
        let endings = endings.iter().filter_map(Value::as_str);
        endings.map(|ending| format!(".{}", ending.trim_start_matches('.'))).collect()
    });
    let ends = |entry: &Entry| {
        endings.as_ref().is_none_or(|endings| endings.iter().any(|ending| entry.path.ends_with(ending)))
    };
    entries.retain(|entry| is_wanted(entry, parameters) && ends(entry));
    Ok(entries)
}

/// The entries that match a pattern, without those that are excluded and everything below them.
async fn expand(connection: &Connection, parameters: &Value) -> Result<Vec<Entry>, Failure> {
    let root = option(parameters, "root").as_str().map_or_else(|| HOME.to_owned(), absolute);
    let mut paths = matches(connection, &root, text(parameters, "glob")?).await?;
    for excluded in option(parameters, "exclude").as_array().into_iter().flatten().filter_map(Value::as_str) {
        let excluded = matches(connection, &root, excluded).await?;
        let is_below = |path: &str, above: &String| {
            path.strip_prefix(above.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        paths.retain(|path| !excluded.iter().any(|above| is_below(path.as_str(), above)));
    }
    let entries = entry::of(&*connection.machine.sandbox, &paths).await;
    let mut entries = entries.map_err(|error| Failure::of(&error))?;
    entries.retain(|entry| is_wanted(entry, parameters));
    Ok(entries)
}

async fn matches(connection: &Connection, root: &str, pattern: &str) -> Result<Vec<String>, Failure> {
    let (root, pattern) = split(root, pattern);
    let request = GlobRequest::new(pattern, root).with_directories();
    let found = connection.machine.sandbox.glob(&request).await;
    let found = found.map_err(|why| Failure::Thrown("Error", None, why.to_string()))?;
    if found.truncation.is_some() {
        return Err(Failure::Thrown("Error", None, "the pattern stands for too many paths".to_owned()));
    }
    Ok(found.matches.into_iter().map(|info| info.path).collect())
}

/// Splits a pattern into the directory that its leading literal parts name, and the rest.
fn split(root: &str, pattern: &str) -> (String, String) {
    let whole = match pattern.strip_prefix('/') {
        Some(_) => pattern.to_owned(),
        None => format!("{}/{}", root.trim_end_matches('/'), pattern.trim_start_matches("./")),
    };
    let parts: Vec<&str> = whole.split('/').collect();
    let plain = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '{', '(', '\\'])).count();
    let (root, pattern) = parts.split_at(plain.min(parts.len().saturating_sub(1)));
    let root = root.join("/");
    // A pattern without a slash would match at any depth.
    (if root.is_empty() { "/".to_owned() } else { root }, format!("/{}", pattern.join("/")))
}

/// An entry as JSON. Python's SDK expects the members' names in Python's style.
fn shown(entry: &Entry, for_python: bool) -> Value {
    let (file, directory, link) =
        (entry.kind == Kind::File, entry.kind == Kind::Directory, entry.kind == Kind::Link);
    let mut shown = json!({
        "path": entry.path,
        "name": entry.name(),
        "isFile": file,
        "isDirectory": directory,
        "isSymlink": link,
    });
    if for_python {
        shown["is_file"] = json!(file);
        shown["is_directory"] = json!(directory);
        shown["is_symlink"] = json!(link);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_begin_where_they_can() {
        for (pattern, root, rest) in [
            ("*.json", "/home/app", "/*.json"),
            ("./d/e/*.json", "/home/app/d/e", "/*.json"),
            ("/tmp/w/**/*.json", "/tmp/w", "/**/*.json"),
            ("/*", "/", "/*"),
            ("/tmp/file", "/tmp", "/file"),
            ("{a,b}/c", "/home/app", "/{a,b}/c"),
        ] {
            assert_eq!(split("/home/app", pattern), (root.to_owned(), rest.to_owned()), "{pattern}");
        }
    }
}
