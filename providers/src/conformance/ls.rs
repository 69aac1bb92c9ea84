//! Listing directories.

use std::time::{Duration, SystemTime};

use super::check::{injections, reason};
use super::transfer::ODD_NAMES;
use super::{CaseResult, Context, Failure};
use crate::posix::quote;
use crate::{FailureReason, FileInfo, SandboxExt};

pub(super) async fn files_and_directories(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo 1 > file1.txt; echo 2 > file2.txt; mkdir subdir; echo 3 > subdir/nested.txt").await?;
    let entries: Vec<(String, bool)> =
        list(cx, &cx.dir).await?.into_iter().map(|info| (info.path, info.is_dir)).collect();
    let expected = [("file1.txt", false), ("file2.txt", false), ("subdir", true)];
    check_eq!(entries, expected.map(|(name, is_dir)| (cx.path(name), is_dir)));
    Ok(())
}

pub(super) async fn absolute_paths_without_slash(cx: &Context<'_>) -> CaseResult {
    cx.sh("mkdir -p a/b; echo > a/f").await?;
    let paths: Vec<String> = list(cx, &cx.path("a")).await?.into_iter().map(|info| info.path).collect();
    check_eq!(paths, [cx.path("a/b"), cx.path("a/f")]);
    Ok(())
}

pub(super) async fn sizes_and_times(cx: &Context<'_>) -> CaseResult {
    cx.sh("printf 12345 > f; touch -d '2001-02-03 04:05:06 UTC' f").await?;
    let info = only(list(cx, &cx.dir).await?)?;
    let expected = SystemTime::UNIX_EPOCH + Duration::from_secs(981_173_106);
    check_eq!((info.size, info.modified_at, info.is_symlink), (5, Some(expected), false));
    Ok(())
}

pub(super) async fn empty_directory(cx: &Context<'_>) -> CaseResult {
    check_eq!(list(cx, &cx.dir).await?, []);
    Ok(())
}

pub(super) async fn missing_directory(cx: &Context<'_>) -> CaseResult {
    let path = cx.path("missing/dir");
    let result = cx.sandbox.ls(&path).await;
    let Err(error) = &result else { return reason(result).map(drop) };
    check_eq!(error.to_string(), format!("Path '{path}': path_not_found"));
    Ok(())
}

pub(super) async fn file(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("f", "x").await?;
    let result = cx.sandbox.ls(&path).await;
    let Err(error) = &result else { return reason(result).map(drop) };
    check_eq!(error.to_string(), format!("Path '{path}': not_a_directory"));
    Ok(())
}

pub(super) async fn hidden_files(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo > .hidden; echo > visible.txt; mkdir .dir").await?;
    check_eq!(names(cx).await?, [".dir", ".hidden", "visible.txt"]);
    Ok(())
}

pub(super) async fn links(cx: &Context<'_>) -> CaseResult {
    cx.sh(
        "mkdir d; printf 123 > f; ln -s d todir; ln -s f tofile; ln -s nowhere todangling; ln -s loop loop",
    )
    .await?;
    let kinds: Vec<(String, bool, bool, u64)> = list(cx, &cx.dir)
        .await?
        .into_iter()
        .filter(|info| info.is_symlink)
        .map(|info| {
            let name = info.path.rsplit('/').next().unwrap_or_default().to_owned();
            (name, info.is_dir, info.is_symlink, if info.is_dir { 0 } else { info.size })
        })
        .collect();
    let expected = [("loop", false, 4), ("todangling", false, 7), ("todir", true, 0), ("tofile", false, 3)];
    check_eq!(kinds, expected.map(|(name, is_dir, size)| (name.to_owned(), is_dir, true, size)));
    check_eq!(list(cx, &cx.path("todir")).await?, []);
    Ok(())
}

pub(super) async fn spaces(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo > 'file with spaces.txt'; mkdir 'dir with spaces'; echo > 'dir with spaces/f'").await?;
    check_eq!(names(cx).await?, ["dir with spaces", "file with spaces.txt"]);
    check_eq!(only(list(cx, &cx.path("dir with spaces")).await?)?.path, cx.path("dir with spaces/f"));
    Ok(())
}

pub(super) async fn unicode(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("测试文件.txt", "1"), ("файл.txt", "2"), ("👋", "3")]).await?;
    check_eq!(names(cx).await?, ["файл.txt", "测试文件.txt", "👋"]);
    Ok(())
}

pub(super) async fn newlines_and_shell_characters(cx: &Context<'_>) -> CaseResult {
    let mut expected: Vec<&str> = ODD_NAMES.to_vec();
    expected.extend(["81a4 0 1 ", "\n", "\n\n", "a\n81a4 0 1 ", "trailing\n"]);
    expected.sort_unstable();
    let files: Vec<(&str, &str)> = expected.iter().map(|name| (*name, "x")).collect();
    cx.files(&files).await?;
    check_eq!(names(cx).await?, expected);
    Ok(())
}

pub(super) async fn large_directory(cx: &Context<'_>) -> CaseResult {
    cx.sh("for i in $(seq 0 49); do echo content > file_$(printf '%03d' $i).txt; done").await?;
    let expected: Vec<String> = (0..50).map(|i| format!("file_{i:03}.txt")).collect();
    check_eq!(names(cx).await?, expected);
    Ok(())
}

pub(super) async fn trailing_slash(cx: &Context<'_>) -> CaseResult {
    cx.file("f", "x").await?;
    let plain = list(cx, &cx.dir).await?;
    check_eq!(list(cx, &format!("{}/", cx.dir)).await?, plain);
    check_eq!(list(cx, &format!("/{}/.//", cx.dir)).await?, plain);
    Ok(())
}

pub(super) async fn root_directory(cx: &Context<'_>) -> CaseResult {
    let paths: Vec<String> = list(cx, "/").await?.into_iter().map(|info| info.path).collect();
    check!(paths.contains(&"/tmp".to_owned()), "{paths:?}");
    check!(paths.is_sorted() && paths.iter().all(|path| path.rfind('/') == Some(0)), "{paths:?}");
    Ok(())
}

pub(super) async fn not_allowed(cx: &Context<'_>) -> CaseResult {
    cx.sh("for m in 000 300 400; do mkdir d$m; echo > d$m/f; chmod $m d$m; done").await?;
    for name in ["d000", "d300", "d400", "d000/below"] {
        let result = cx.sandbox.ls(&cx.path(name)).await;
        check_eq!((name, reason(result)?), (name, FailureReason::PermissionDenied));
    }
    Ok(())
}

pub(super) async fn injection(cx: &Context<'_>) -> CaseResult {
    let target = cx.path("injected");
    for path in injections(&target) {
        check_eq!(reason(cx.sandbox.ls(&path).await)?, FailureReason::FileNotFound);
        check!(!cx.run(&format!("[ -e {} ]", quote(&target))).await?.success(), "{path:?} was run");
    }
    Ok(())
}

async fn list(cx: &Context<'_>, path: &str) -> CaseResult<Vec<FileInfo>> {
    Ok(cx.sandbox.ls(path).await?)
}

async fn names(cx: &Context<'_>) -> CaseResult<Vec<String>> {
    let start = format!("{}/", cx.dir);
    let entries = list(cx, &cx.dir).await?;
    entries
        .into_iter()
        .map(|info| {
            info.path.strip_prefix(&start).map(str::to_owned).ok_or_else(|| Failure::new(format!("{info:?}")))
        })
        .collect()
}

fn only(mut entries: Vec<FileInfo>) -> CaseResult<FileInfo> {
    check_eq!(entries.len(), 1);
    Ok(entries.remove(0))
}
