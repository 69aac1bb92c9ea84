//! Writing files.

use bytes::Bytes;

use super::check::{injections, reason};
use super::{CaseResult, Context};
use crate::posix::quote;
use crate::{FailureReason, SandboxExt, WriteMode};

pub(super) async fn new_file(cx: &Context<'_>) -> CaseResult {
    written(cx, "new.txt", "Hello, sandbox!\nLine 2\nLine 3").await
}

pub(super) async fn creates_parents(cx: &Context<'_>) -> CaseResult {
    written(cx, "deep/nested/dir/f.txt", "Nested file content").await
}

pub(super) async fn overwrites(cx: &Context<'_>) -> CaseResult {
    written(cx, "f", "First content, which is longer").await?;
    written(cx, "f", "Second content").await
}

pub(super) async fn create_new_refuses(cx: &Context<'_>) -> CaseResult {
    let path = cx.path("f");
    cx.sandbox.write(&path, Bytes::from_static(b"first"), WriteMode::CreateNew).await?;
    let again = cx.sandbox.write(&path, Bytes::from_static(b"second"), WriteMode::CreateNew).await;
    check_eq!(reason(again)?, FailureReason::AlreadyExists);
    let directory = cx.sandbox.write(&cx.dir, Bytes::new(), WriteMode::CreateNew).await;
    check_eq!(reason(directory)?, FailureReason::AlreadyExists);
    check_eq!(cx.content(&path).await?.as_ref(), b"first");
    Ok(())
}

pub(super) async fn special_characters(cx: &Context<'_>) -> CaseResult {
    written(
        cx,
        "f",
        "$VAR ${X} `cmd` $(cmd) \"q\" 'q' \\n \\t \\\\ * ? [x] {a,b} ~ ! # & ; | < > %s %%\tTab\r\nCRLF",
    )
    .await?;
    written(cx, "heredoc", "EOF\n'EOF'\n__DELIMITER__\n\\\n").await
}

pub(super) async fn empty(cx: &Context<'_>) -> CaseResult {
    written(cx, "empty", "").await?;
    check_eq!(cx.sh("[ -f empty ] && echo exists || echo missing").await?, "exists\n");
    Ok(())
}

pub(super) async fn spaces_in_the_path(cx: &Context<'_>) -> CaseResult {
    written(cx, "dir with spaces/file name.txt", "Content in file with spaces").await
}

pub(super) async fn unicode(cx: &Context<'_>) -> CaseResult {
    written(cx, "unicode", "Hello 👋 世界 مرحبا Привет 🌍\nLine with émojis: 🎉🎊").await
}

pub(super) async fn repeated_slashes(cx: &Context<'_>) -> CaseResult {
    cx.write(&cx.path("//subdir///./file.txt"), "Content").await?;
    check_eq!(cx.sh("cat subdir/file.txt").await?, "Content");
    Ok(())
}

pub(super) async fn a_thousand_lines(cx: &Context<'_>) -> CaseResult {
    let lines: Vec<String> = (0..1000).map(|i| format!("Line {i} with some content")).collect();
    written(cx, "long", &lines.join("\n")).await?;
    check_eq!(cx.sh("wc -l < long").await?.trim(), "999");
    Ok(())
}

pub(super) async fn only_newlines(cx: &Context<'_>) -> CaseResult {
    written(cx, "newlines", "\n\n\n\n\n").await?;
    check_eq!(cx.sh("wc -l < newlines").await?.trim(), "5");
    Ok(())
}

pub(super) async fn ten_mebibytes_of_text(cx: &Context<'_>) -> CaseResult {
    let text = "A line of text, 世界, of forty-two bytes.\n".repeat(250_000);
    let path = cx.path("large.txt");
    cx.write(&path, &text).await?;
    check_eq!(cx.sh("wc -c < large.txt").await?.trim(), text.len().to_string());
    check!(cx.content(&path).await? == text.as_bytes(), "the text came back changed");
    Ok(())
}

pub(super) async fn onto_a_directory(cx: &Context<'_>) -> CaseResult {
    check_eq!(reason(cx.write(&cx.dir, "x").await)?, FailureReason::IsDirectory);
    cx.file("f", "kept").await?;
    check_eq!(reason(cx.write(&cx.path("f/below"), "x").await)?, FailureReason::InvalidPath);
    Ok(())
}

pub(super) async fn not_allowed(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo kept > f; chmod 444 f; mkdir closed; chmod 555 closed").await?;
    let denied = cx.write(&cx.path("f"), "x").await;
    let Err(error) = &denied else { return reason(denied).map(drop) };
    check_eq!(error.to_string(), format!("Failed to write file '{}': permission_denied", cx.path("f")));
    check_eq!(reason(cx.write(&cx.path("closed/new"), "x").await)?, FailureReason::PermissionDenied);
    check_eq!(cx.sh("cat f; ls -A closed").await?, "kept\n");
    Ok(())
}

pub(super) async fn relative_path(cx: &Context<'_>) -> CaseResult {
    check_eq!(reason(cx.write("relative.txt", "x").await)?, FailureReason::InvalidPath);
    check_eq!(reason(cx.write(&cx.path("a\0b"), "x").await)?, FailureReason::InvalidPath);
    Ok(())
}

pub(super) async fn injection(cx: &Context<'_>) -> CaseResult {
    let target = cx.path("injected");
    for name in injections(&target) {
        // The file is written in the case's own directory, where this is only an unusual name.
        let path = format!("{}{name}", cx.dir);
        cx.write(&path, "x").await?;
        check_eq!(cx.content(&path).await?.as_ref(), b"x");
        check!(!cx.run(&format!("[ -e {} ]", quote(&target))).await?.success(), "{name:?} was run");
    }
    Ok(())
}

async fn written(cx: &Context<'_>, name: &str, content: &str) -> CaseResult {
    let path = cx.path(name);
    cx.write(&path, content).await?;
    let response = cx.run(&format!("cat {}", quote(&path))).await?;
    check_eq!((response.exit_code, response.text().as_ref()), (Some(0), content));
    Ok(())
}
