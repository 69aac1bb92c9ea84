//! Searching files for text.

use super::check::{injections, reason};
use super::transfer::ODD_NAMES;
use super::{CaseResult, Context, Failure};
use crate::posix::quote;
use crate::{FailureReason, GrepRequest, SandboxExt};

pub(super) async fn across_files(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("file1.txt", "Hello world\n"), ("file2.txt", "x\nHello there"), ("file3.txt", "Goodbye\n")])
        .await?;
    found(cx, "Hello", &[("file1.txt", 1, "Hello world"), ("file2.txt", 2, "Hello there")]).await
}

pub(super) async fn filter_by_name(cx: &Context<'_>) -> CaseResult {
    cx.files(&[
        ("test.py", "pattern\n"),
        ("test.txt", "pattern\n"),
        ("a/b/deep.py", "pattern\n"),
        (".h.py", "pattern"),
    ])
    .await?;
    filtered(cx, "*.py", &[".h.py", "a/b/deep.py", "test.py"]).await?;
    filtered(cx, "test.*", &["test.py", "test.txt"]).await?;
    filtered(cx, "*.{txt,md}", &["test.txt"]).await
}

pub(super) async fn filter_by_path(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("top.py", "pattern\n"), ("src/a.py", "pattern\n"), ("src/b/c.py", "pattern\n")]).await?;
    filtered(cx, "**/*.py", &["src/a.py", "src/b/c.py", "top.py"]).await?;
    filtered(cx, "src/**/*.py", &["src/a.py", "src/b/c.py"]).await?;
    filtered(cx, "/*.py", &["top.py"]).await?;
    let outside = cx.sandbox.grep(&GrepRequest::new("pattern", &cx.dir).glob("../*.py")).await;
    check_eq!(reason(outside)?, FailureReason::InvalidPattern);
    Ok(())
}

pub(super) async fn no_matches(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("f", "something\n")]).await?;
    found(cx, "nonexistent", &[]).await
}

pub(super) async fn several_in_one_file(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("f", "apple\nbanana\napple pie\norange\napple apple\n")]).await?;
    found(cx, "apple", &[("f", 1, "apple"), ("f", 3, "apple pie"), ("f", 5, "apple apple")]).await
}

pub(super) async fn literal_not_regex(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("f", "test123\ntest.*\ntestxyz\nt[e]st\n")]).await?;
    found(cx, "test.*", &[("f", 2, "test.*")]).await?;
    found(cx, "[e]", &[("f", 4, "t[e]st")]).await?;
    found(cx, "test123", &[("f", 1, "test123")]).await
}

pub(super) async fn special_characters(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("f", "Price: $100\nPath: C:\\dir\nit's \"q\" `c` $(x)\na:b:1:c\n")]).await?;
    found(cx, "$100", &[("f", 1, "Price: $100")]).await?;
    found(cx, "C:\\dir", &[("f", 2, "Path: C:\\dir")]).await?;
    found(cx, "it's \"q\" `c` $(x)", &[("f", 3, "it's \"q\" `c` $(x)")]).await?;
    found(cx, "b:1:", &[("f", 4, "a:b:1:c")]).await
}

pub(super) async fn unicode(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("f", "Hello 世界\nПривет мир\n测试 pattern\n👋\n")]).await?;
    found(cx, "世界", &[("f", 1, "Hello 世界")]).await?;
    found(cx, "👋", &[("f", 4, "👋")]).await
}

pub(super) async fn case_matters(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("f", "Hello\nhello\nHELLO\n")]).await?;
    found(cx, "Hello", &[("f", 1, "Hello")]).await
}

pub(super) async fn empty_directory(cx: &Context<'_>) -> CaseResult {
    found(cx, "anything", &[]).await
}

pub(super) async fn nested_directories(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("root.txt", "target"), ("sub1/a.txt", "target\n"), ("sub1/sub2/b.txt", "x\ntarget\n")])
        .await?;
    found(
        cx,
        "target",
        &[("root.txt", 1, "target"), ("sub1/a.txt", 1, "target"), ("sub1/sub2/b.txt", 2, "target")],
    )
    .await
}

pub(super) async fn line_numbers(cx: &Context<'_>) -> CaseResult {
    let text: String =
        (1..=100).map(|n| if n == 50 { "needle\r\n".into() } else { format!("Line {n}\n\n") }).collect();
    cx.files(&[("f", &text)]).await?;
    found(cx, "needle", &[("f", 99, "needle\r")]).await
}

pub(super) async fn one_file(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("f.txt", "a\nb\na\n").await?;
    let result = cx.sandbox.grep(&GrepRequest::new("a", &path).glob("*.py")).await?;
    let lines: Vec<(String, u64)> =
        result.matches.into_iter().map(|found| (found.path, found.line)).collect();
    check_eq!(lines, [(path.clone(), 1), (path, 3)]);
    Ok(())
}

pub(super) async fn missing_path(cx: &Context<'_>) -> CaseResult {
    let result = cx.sandbox.grep(&GrepRequest::new("a", cx.path("missing"))).await;
    check_eq!(reason(result)?, FailureReason::FileNotFound);
    check_eq!(reason(cx.sandbox.grep(&GrepRequest::new("a", "relative")).await)?, FailureReason::InvalidPath);
    Ok(())
}

pub(super) async fn max_count(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("a", "x\nx\nx\n"), ("b", "x\nx\n")]).await?;
    for (limit, expected, truncated) in
        [(0, 0, true), (1, 1, true), (4, 4, true), (5, 5, false), (6, 5, false)]
    {
        let result = cx.sandbox.grep(&GrepRequest::new("x", &cx.dir).max_count(limit)).await?;
        check_eq!((limit, result.matches.len(), result.truncated), (limit, expected, truncated));
    }
    let result = cx.sandbox.grep(&GrepRequest::new("y", &cx.dir).max_count(0)).await?;
    check!(!result.truncated);
    Ok(())
}

pub(super) async fn git_is_skipped(cx: &Context<'_>) -> CaseResult {
    cx.files(&[(".git/config", "x"), ("a/.git/config", "x"), ("b/.git", "x"), ("c.git/f", "x")]).await?;
    found(cx, "x", &[("b/.git", 1, "x"), ("c.git/f", 1, "x")]).await?;
    let inside = cx.sandbox.grep(&GrepRequest::new("x", cx.path(".git"))).await?;
    check_eq!(inside.matches.len(), 1);
    Ok(())
}

pub(super) async fn hidden_files(cx: &Context<'_>) -> CaseResult {
    cx.files(&[(".env", "x"), (".github/f", "x")]).await?;
    found(cx, "x", &[(".env", 1, "x"), (".github/f", 1, "x")]).await
}

pub(super) async fn binary_files_are_skipped(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("binary", "needle\0\n"), ("text", "needle\n")]).await?;
    cx.file("latin1", &b"needle \xe9\n"[..]).await?;
    found(cx, "needle", &[("latin1", 1, "needle \u{fffd}"), ("text", 1, "needle")]).await
}

pub(super) async fn odd_names(cx: &Context<'_>) -> CaseResult {
    let mut expected: Vec<String> = ODD_NAMES.iter().map(|name| format!("{name}/{name}")).collect();
    expected.sort();
    let files: Vec<(&str, &str)> = expected.iter().map(|name| (name.as_str(), "needle")).collect();
    cx.files(&files).await?;
    let matches: Vec<(&str, u64, &str)> = expected.iter().map(|name| (name.as_str(), 1, "needle")).collect();
    found(cx, "needle", &matches).await
}

pub(super) async fn links_are_not_followed(cx: &Context<'_>) -> CaseResult {
    cx.sh("mkdir d; echo x > d/f; ln -s d/f link; ln -s d dirlink; ln -s .. d/up; ln -s nowhere dangling")
        .await?;
    found(cx, "x", &[("d/f", 1, "x")]).await?;
    let from_link = cx.sandbox.grep(&GrepRequest::new("x", cx.path("dirlink"))).await?;
    let paths: Vec<String> = from_link.matches.into_iter().map(|found| found.path).collect();
    check_eq!(paths, [cx.path("dirlink/f")]);
    Ok(())
}

pub(super) async fn leading_dash(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("f", "-e x\n--help\nplain\n")]).await?;
    found(cx, "-e", &[("f", 1, "-e x")]).await?;
    found(cx, "--help", &[("f", 2, "--help")]).await
}

pub(super) async fn newline_separates_alternatives(cx: &Context<'_>) -> CaseResult {
    cx.files(&[("f", "one\ntwo\nthree\n")]).await?;
    found(cx, "three\none", &[("f", 1, "one"), ("f", 3, "three")]).await?;
    found(cx, "two\n", &[("f", 2, "two")]).await?;
    found(cx, "", &[("f", 1, "one"), ("f", 2, "two"), ("f", 3, "three")]).await
}

pub(super) async fn injection(cx: &Context<'_>) -> CaseResult {
    let target = cx.path("injected");
    cx.files(&[("f", "text\n")]).await?;
    for text in injections(&target) {
        check_eq!(cx.sandbox.grep(&GrepRequest::new(&text, &cx.dir)).await?.matches, []);
        check_eq!(reason(cx.sandbox.grep(&GrepRequest::new("x", &text)).await)?, FailureReason::FileNotFound);
        check!(!cx.run(&format!("[ -e {} ]", quote(&target))).await?.success(), "{text:?} was run");
    }
    Ok(())
}

async fn found(cx: &Context<'_>, pattern: &str, expected: &[(&str, u64, &str)]) -> CaseResult {
    let result = cx.sandbox.grep(&GrepRequest::new(pattern, &cx.dir)).await?;
    let actual: Vec<(String, u64, String)> =
        result.matches.into_iter().map(|found| (found.path, found.line, found.text)).collect();
    let expected: Vec<(String, u64, String)> =
        expected.iter().map(|(name, line, text)| (cx.path(name), *line, (*text).to_owned())).collect();
    check_eq!((pattern, actual, result.truncated), (pattern, expected, false));
    Ok(())
}

async fn filtered(cx: &Context<'_>, glob: &str, expected: &[&str]) -> CaseResult {
    let result = cx.sandbox.grep(&GrepRequest::new("pattern", &cx.dir).glob(glob)).await?;
    let start = format!("{}/", cx.dir);
    let actual: Vec<String> = result
        .matches
        .into_iter()
        .map(|found| {
            found
                .path
                .strip_prefix(&start)
                .map(str::to_owned)
                .ok_or_else(|| Failure::new(format!("{found:?}")))
        })
        .collect::<CaseResult<_>>()?;
    check_eq!((glob, actual), (glob, expected.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()));
    Ok(())
}
