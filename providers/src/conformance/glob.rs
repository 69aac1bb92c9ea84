//! Finding files by name.

use super::check::reason;
use super::transfer::ODD_NAMES;
use super::{CaseResult, Context, Failure};
use crate::{FailureReason, GlobRequest, GlobTruncation, SandboxExt};

pub(super) async fn basename_at_any_depth(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("file1.txt", ""), ("file2.txt", ""), ("file3.py", ""), ("a/b/deep.txt", "")]).await?;
    found(cx, "*.txt", &["a/b/deep.txt", "file1.txt", "file2.txt"]).await?;
    found(cx, "file3.py", &["file3.py"]).await?;
    found(cx, "*", &["a/b/deep.txt", "file1.txt", "file2.txt", "file3.py"]).await
}

pub(super) async fn recursive(cx: &Context<'_>) -> CaseResult {
    cx.files(&[
        ("root.txt", ""),
        ("subdir1/nested1.txt", ""),
        ("subdir2/deep/nested2.txt", ""),
        ("subdir1/x.py", ""),
    ])
    .await?;
    found(cx, "**/*.txt", &["root.txt", "subdir1/nested1.txt", "subdir2/deep/nested2.txt"]).await?;
    found(cx, "subdir2/**", &["subdir2/deep/nested2.txt"]).await?;
    found(cx, "subdir1/*", &["subdir1/nested1.txt", "subdir1/x.py"]).await?;
    found(cx, "*/*.txt", &["subdir1/nested1.txt"]).await
}

pub(super) async fn anchored(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("top.py", ""), ("src/low.py", "")]).await?;
    found(cx, "/*.py", &["top.py"]).await?;
    found(cx, "/src/*.py", &["src/low.py"]).await?;
    found(cx, "./*.py", &[]).await
}

pub(super) async fn no_matches(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("file.txt", "")]).await?;
    found(cx, "*.nonexistent", &[]).await?;
    found(cx, "FILE.TXT", &[]).await
}

pub(super) async fn directories_on_request(cx: &Context<'_>) -> CaseResult {
    cx.sh("mkdir dir1 dir2; echo > file.txt").await?;
    found(cx, "*", &["file.txt"]).await?;
    with_directories(cx, "*", &[("dir1", true), ("dir2", true), ("file.txt", false)]).await?;
    with_directories(cx, "dir*/", &[("dir1", true), ("dir2", true)]).await?;
    found(cx, "dir*/", &[]).await
}

pub(super) async fn hidden_files(cx: &Context<'_>) -> CaseResult {
    cx.files(&[
        (".hidden1", ""),
        (".hidden2", ""),
        ("visible", ""),
        (".dir/f.txt", ""),
        ("d/.dir/f.txt", ""),
    ])
    .await?;
    found(cx, ".*", &[".hidden1", ".hidden2"]).await?;
    found(cx, "*", &[".dir/f.txt", "d/.dir/f.txt", "visible"]).await?;
    found(cx, "**/*.txt", &[]).await?;
    found(cx, ".dir/*", &[".dir/f.txt"]).await?;
    found(cx, "**/.dir/*", &[".dir/f.txt", "d/.dir/f.txt"]).await
}

pub(super) async fn character_class(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("file1.txt", ""), ("file2.txt", ""), ("file3.txt", ""), ("filea.txt", "")]).await?;
    found(cx, "file[1-2].txt", &["file1.txt", "file2.txt"]).await?;
    found(cx, "file[!1-2].txt", &["file3.txt", "filea.txt"]).await?;
    found(cx, "file[^1-2].txt", &["file3.txt", "filea.txt"]).await
}

pub(super) async fn question_mark(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("file1.txt", ""), ("file2.txt", ""), ("file10.txt", ""), ("file世.txt", "")]).await?;
    found(cx, "file?.txt", &["file1.txt", "file2.txt", "file世.txt"]).await
}

pub(super) async fn braces(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("a.ts", ""), ("b.tsx", ""), ("c.js", ""), ("src/d.ts", "")]).await?;
    found(cx, "*.{ts,js}", &["a.ts", "c.js", "src/d.ts"]).await?;
    found(cx, "{src/,}*.t{s,sx}", &["a.ts", "b.tsx", "src/d.ts"]).await
}

pub(super) async fn deeply_nested(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("a/b/c/d/deep.txt", ""), ("a/b/other.txt", "")]).await?;
    found(cx, "a/**/deep.txt", &["a/b/c/d/deep.txt"]).await?;
    found(cx, "**/c/**/*.txt", &["a/b/c/d/deep.txt"]).await?;
    let below = cx.sandbox.glob(&GlobRequest::new("*.txt", cx.path("a//b/"))).await?;
    let paths: Vec<String> = below.matches.into_iter().map(|info| info.path).collect();
    check_eq!(paths, [cx.path("a/b/c/d/deep.txt"), cx.path("a/b/other.txt")]);
    Ok(())
}

pub(super) async fn odd_names(cx: &Context<'_>) -> CaseResult {
    let mut expected: Vec<String> = ODD_NAMES.iter().map(|name| format!("d/{name}")).collect();
    expected.retain(|name| !name.starts_with("d/."));
    expected.push("d/a\n81a4 0 1 ".to_owned());
    expected.sort();
    let files: Vec<(&str, &str)> = expected.iter().map(|name| (name.as_str(), "")).collect();
    cx.files(&files).await?;
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    found(cx, "d/*", &expected).await?;
    found(cx, "new?line", &["d/new\nline"]).await?;
    found(cx, "star[*]*", &["d/star*[x]?{a,b}"]).await
}

pub(super) async fn links(cx: &Context<'_>) -> CaseResult {
    cx.sh(
        "mkdir d; echo > d/f.txt; ln -s d/f.txt l.txt; ln -s d dl; ln -s nowhere dangling.txt; ln -s .. d/up",
    )
    .await?;
    found(cx, "*.txt", &["d/f.txt", "l.txt"]).await?;
    with_directories(
        cx,
        "*",
        &[("d", true), ("d/f.txt", false), ("d/up", true), ("dl", true), ("l.txt", false)],
    )
    .await?;
    let from_link = cx.sandbox.glob(&GlobRequest::new("*.txt", cx.path("dl"))).await?;
    let paths: Vec<String> = from_link.matches.into_iter().map(|info| info.path).collect();
    check_eq!(paths, [cx.path("dl/f.txt")]);
    Ok(())
}

pub(super) async fn parent_segments_are_refused(cx: &Context<'_>) -> CaseResult {
    for pattern in ["../*", "a/../b", "..", ""] {
        let result = cx.sandbox.glob(&GlobRequest::new(pattern, &cx.dir)).await;
        check_eq!((pattern, reason(result)?), (pattern, FailureReason::InvalidPattern));
    }
    Ok(())
}

pub(super) async fn too_many_alternatives(cx: &Context<'_>) -> CaseResult {
    let result = cx.sandbox.glob(&GlobRequest::new("{a,b}".repeat(30), &cx.dir)).await;
    check_eq!(reason(result)?, FailureReason::PatternTooBroad);
    Ok(())
}

pub(super) async fn missing_directory(cx: &Context<'_>) -> CaseResult {
    let path = cx.path("missing");
    let result = cx.sandbox.glob(&GlobRequest::new("*", &path)).await;
    let Err(error) = &result else { return reason(result).map(drop) };
    check_eq!(error.to_string(), format!("Path '{path}': path_not_found"));
    Ok(())
}

pub(super) async fn file_as_root(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("f", "x").await?;
    check_eq!(reason(cx.sandbox.glob(&GlobRequest::new("*", &path)).await)?, FailureReason::NotADirectory);
    Ok(())
}

pub(super) async fn unreadable_directory_is_told(cx: &Context<'_>) -> CaseResult {
    cx.sh("mkdir closed open; echo > closed/f; echo > open/f; chmod 000 closed").await?;
    let result = cx.sandbox.glob(&GlobRequest::new("f", &cx.dir)).await?;
    let paths: Vec<String> = result.matches.into_iter().map(|info| info.path).collect();
    check_eq!((paths, result.truncation), (vec![cx.path("open/f")], Some(GlobTruncation::Unreadable)));
    let root = cx.sandbox.glob(&GlobRequest::new("f", cx.path("closed"))).await;
    check_eq!(reason(root)?, FailureReason::PermissionDenied);
    Ok(())
}

async fn found(cx: &Context<'_>, pattern: &str, expected: &[&str]) -> CaseResult {
    let actual = matches(cx, GlobRequest::new(pattern, &cx.dir)).await?;
    let actual: Vec<&str> = actual.iter().map(|(name, _)| name.as_str()).collect();
    check_eq!((pattern, actual.as_slice()), (pattern, expected));
    Ok(())
}

async fn with_directories(cx: &Context<'_>, pattern: &str, expected: &[(&str, bool)]) -> CaseResult {
    let actual = matches(cx, GlobRequest::new(pattern, &cx.dir).with_directories()).await?;
    let actual: Vec<(&str, bool)> = actual.iter().map(|(name, is_dir)| (name.as_str(), *is_dir)).collect();
    check_eq!((pattern, actual.as_slice()), (pattern, expected));
    Ok(())
}

async fn matches(cx: &Context<'_>, request: GlobRequest) -> CaseResult<Vec<(String, bool)>> {
    let result = cx.sandbox.glob(&request).await?;
    check_eq!(result.truncation, None);
    let start = format!("{}/", cx.dir);
    let below = |path: &str| path.strip_prefix(&start).map(str::to_owned);
    result
        .matches
        .iter()
        .map(|info| Some((below(&info.path)?, info.is_dir)))
        .collect::<Option<_>>()
        .ok_or_else(|| Failure::new(format!("a path outside {start}: {:?}", result.matches)))
}
