//! The workspace's files as resources: `sandbox:///workspace/notes.txt`.

use super::globs;
use super::workspace::Workspace;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use sandshell::{GlobRequest, Sandbox, SandboxExt};

const SCHEME: &str = "sandbox://";

/// How many resources a page of the list has.
const PAGE: usize = 500;

/// The files of the workspace by path. A cursor is the last path of the page before.
pub(super) async fn list(
    workspace: &Workspace,
    cursor: Option<String>,
) -> Result<ListResourcesResult, ErrorData> {
    let request = GlobRequest::new("**", workspace.workdir());
    let found = workspace.sandbox.glob(&request).await;
    let found = found.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let after = |path: &str| cursor.as_deref().is_none_or(|cursor| path.as_bytes() > cursor.as_bytes());
    let listed = |path: &str| !globs::is_internal(path, workspace.workdir(), "");
    let mut rest =
        found.matches.into_iter().filter(|file| listed(&file.path) && after(&file.path)).peekable();
    let page: Vec<_> = rest.by_ref().take(PAGE).collect();
    let next = page.last().filter(|_| rest.peek().is_some()).map(|file| file.path.clone());
    let below = format!("{}/", workspace.workdir());
    let resources = page.into_iter().map(|file| {
        let name = file.path.strip_prefix(&below).unwrap_or(&file.path).to_owned();
        Resource::new(uri(&file.path), name).with_size(file.size)
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect());
    result.next_cursor = next;
    Ok(result)
}

pub(super) fn templates() -> ListResourceTemplatesResult {
    let any = ResourceTemplate::new(format!("{SCHEME}{{+path}}"), "file")
        .with_description("Any file of the sandbox, by its absolute path");
    ListResourceTemplatesResult::with_all_items(vec![any])
}

pub(super) async fn read(workspace: &Workspace, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let path = path(uri).ok_or_else(|| unknown(uri, "it does not begin with sandbox:///"))?;
    contents(workspace, &path)
        .await
        .map(|(contents, _)| ReadResourceResult::new(vec![contents]))
        .map_err(|why| unknown(uri, &why))
}

/// A whole file, as text if it is UTF-8, and its size in bytes.
pub(super) async fn contents(workspace: &Workspace, path: &str) -> Result<(ResourceContents, usize), String> {
    let answers = workspace.sandbox.download_files(vec![path.to_owned()]).await;
    let answer = answers.map_err(|error| error.to_string())?.pop().ok_or("no answer")?;
    let content = answer.result.map_err(|error| format!("{path}: {error}"))?;
    let (uri, size) = (uri(path), content.len());
    let contents = match std::str::from_utf8(&content) {
        Ok(text) => ResourceContents::text(text, uri),
        Err(_) => ResourceContents::blob(STANDARD.encode(&content), uri),
    };
    Ok((contents, size))
}

fn uri(path: &str) -> String {
    let mut uri = SCHEME.to_owned();
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn path(uri: &str) -> Option<String> {
    let text = uri.strip_prefix(SCHEME).filter(|path| path.starts_with('/'))?;
    let mut path = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            path.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
        path.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(path).ok()
}

fn unknown(uri: &str, why: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("{uri}: {why}"), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back() {
        for name in ["/workspace/a.txt", "/a b/ü%?#", "/"] {
            assert_eq!(path(&uri(name)).as_deref(), Some(name));
        }
        assert_eq!(uri("/a b"), "sandbox:///a%20b");
        assert_eq!(path("sandbox://a"), None);
        assert_eq!(path("sandbox:///%f"), None);
        assert_eq!(path("file:///a"), None);
    }
}
