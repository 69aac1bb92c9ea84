//! Replacing text in files.

use super::check::reason;
use super::{CaseResult, Context};
use crate::{EditRequest, FailureReason, SandboxExt};

pub(super) async fn one_occurrence(cx: &Context<'_>) -> CaseResult {
    edited(
        cx,
        "Hello world\nGoodbye world\n",
        EditRequest::once("Goodbye", "Farewell"),
        "Hello world\nFarewell world\n",
        1,
    )
    .await
}

pub(super) async fn several_occurrences_are_refused(cx: &Context<'_>) -> CaseResult {
    let message = "Error: String 'apple' appears multiple times. \
                   Use replace_all=True to replace all occurrences.";
    refused(cx, "apple\nbanana\napple\n", EditRequest::once("apple", "pear"), message).await
}

pub(super) async fn replace_all(cx: &Context<'_>) -> CaseResult {
    edited(cx, "apple\nbanana apple\napple", EditRequest::all("apple", "pear"), "pear\nbanana pear\npear", 3)
        .await?;
    edited(cx, "only one", EditRequest::all("one", "1"), "only 1", 1).await?;
    edited(cx, "aaaa", EditRequest::all("aa", "b"), "bb", 2).await
}

pub(super) async fn text_not_found(cx: &Context<'_>) -> CaseResult {
    refused(cx, "Hello", EditRequest::once("hello", "x"), "Error: String not found in file: 'hello'").await
}

pub(super) async fn missing_file(cx: &Context<'_>) -> CaseResult {
    let path = cx.path("missing");
    let result = cx.sandbox.edit(&path, &EditRequest::once("a", "b")).await;
    let Err(error) = &result else { return reason(result).map(drop) };
    check_eq!(error.to_string(), format!("Error: File '{path}' not found"));
    Ok(())
}

pub(super) async fn directory(cx: &Context<'_>) -> CaseResult {
    let result = cx.sandbox.edit(&cx.dir, &EditRequest::once("a", "b")).await;
    let Err(error) = &result else { return reason(result).map(drop) };
    check_eq!(error.to_string(), format!("Error: '{}' is not a regular file", cx.dir));
    Ok(())
}

pub(super) async fn empty_old_text(cx: &Context<'_>) -> CaseResult {
    let message = "Error: old_string cannot be empty. Provide the exact text to replace.";
    refused(cx, "text", EditRequest::all("", "x"), message).await
}

pub(super) async fn special_characters(cx: &Context<'_>) -> CaseResult {
    let text = "Price: $100.00\nRegex: [a-z]+.*\nPath: C:\\dir\n'q' \"q\" `c` $(x)\n";
    edited(cx, text, EditRequest::once("$100.00", "$200.00"), &text.replace("$100", "$200"), 1).await?;
    edited(cx, text, EditRequest::once("[a-z]+.*", "\\1 & $0"), &text.replace("[a-z]+.*", "\\1 & $0"), 1)
        .await?;
    edited(
        cx,
        text,
        EditRequest::once("'q' \"q\" `c` $(x)", "EOF"),
        &text.replace("'q' \"q\" `c` $(x)", "EOF"),
        1,
    )
    .await
}

pub(super) async fn several_lines(cx: &Context<'_>) -> CaseResult {
    edited(
        cx,
        "Line 1\nLine 2\nLine 3\n",
        EditRequest::once("Line 1\nLine 2", "Combined"),
        "Combined\nLine 3\n",
        1,
    )
    .await
}

pub(super) async fn deletion(cx: &Context<'_>) -> CaseResult {
    edited(
        cx,
        "Keep this\nDelete this\nKeep this too",
        EditRequest::once("Delete this\n", ""),
        "Keep this\nKeep this too",
        1,
    )
    .await?;
    edited(cx, "everything", EditRequest::once("everything", ""), "", 1).await
}

pub(super) async fn equal_texts(cx: &Context<'_>) -> CaseResult {
    edited(cx, "Same text", EditRequest::once("Same text", "Same text"), "Same text", 1).await
}

pub(super) async fn unicode(cx: &Context<'_>) -> CaseResult {
    edited(cx, "Hello 👋 世界", EditRequest::once("👋", "🌍"), "Hello 🌍 世界", 1).await
}

pub(super) async fn whitespace(cx: &Context<'_>) -> CaseResult {
    edited(cx, "Line1    Line2", EditRequest::once("    ", " "), "Line1 Line2", 1).await?;
    edited(cx, "a\tb\n", EditRequest::once("\t", "  "), "a  b\n", 1).await
}

pub(super) async fn long_texts(cx: &Context<'_>) -> CaseResult {
    let (old, new) = ("x".repeat(60_000), "y".repeat(120_000));
    edited(cx, &format!("Start {old} End"), EditRequest::once(&old, &new), &format!("Start {new} End"), 1)
        .await
}

pub(super) async fn line_ends_are_kept(cx: &Context<'_>) -> CaseResult {
    let crlf = "Line 1\r\nLine 2\r\nLine 3\r\n";
    edited(cx, crlf, EditRequest::once("Line 1\nLine 2", "One\nTwo"), "One\r\nTwo\r\nLine 3\r\n", 1).await?;
    edited(cx, "a\nb\n", EditRequest::once("a\r\nb", "c\r\nd"), "c\nd\n", 1).await?;
    edited(cx, "a\nb\na\r\nb\r\n", EditRequest::all("a\nb", "z"), "z\na\r\nb\r\n", 1).await
}

pub(super) async fn within_a_line(cx: &Context<'_>) -> CaseResult {
    edited(cx, "The quick brown fox", EditRequest::once("brown fox", "red cat"), "The quick red cat", 1).await
}

pub(super) async fn not_text(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("binary", &[b'a', 0xff, 0xfe][..]).await?;
    let result = cx.sandbox.edit(&path, &EditRequest::once("a", "b")).await;
    let Err(error) = &result else { return reason(result).map(drop) };
    check_eq!(error.to_string(), format!("Error: File '{path}' is not a text file"));
    check_eq!(cx.content(&path).await?.as_ref(), [b'a', 0xff, 0xfe]);
    Ok(())
}

pub(super) async fn not_allowed(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo text > f; chmod 444 f; echo text > g; chmod 000 g").await?;
    for name in ["f", "g"] {
        let path = cx.path(name);
        let result = cx.sandbox.edit(&path, &EditRequest::once("text", "other")).await;
        let Err(error) = &result else { return reason(result).map(drop) };
        check_eq!(error.to_string(), format!("Error: Permission denied editing file '{path}'"));
        check_eq!(reason(result)?, FailureReason::PermissionDenied);
    }
    check_eq!(cx.sh("cat f").await?, "text\n");
    Ok(())
}

pub(super) async fn mode_is_kept(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo 'echo old' > script; chmod 755 script").await?;
    cx.sandbox.edit(&cx.path("script"), &EditRequest::once("old", "new")).await?;
    check_eq!(cx.sh("stat -c %a script; cat script").await?, "755\necho new\n");
    Ok(())
}

async fn edited(
    cx: &Context<'_>,
    before: &str,
    edit: EditRequest,
    after: &str,
    occurrences: u64,
) -> CaseResult {
    let path = cx.file("edited file.txt", before.to_owned()).await?;
    let outcome = cx.sandbox.edit(&path, &edit).await?;
    check_eq!(outcome.occurrences, occurrences);
    let content = cx.content(&path).await?;
    check_eq!(String::from_utf8_lossy(&content), after);
    Ok(())
}

async fn refused(cx: &Context<'_>, content: &str, edit: EditRequest, message: &str) -> CaseResult {
    let path = cx.file("refused.txt", content.to_owned()).await?;
    let result = cx.sandbox.edit(&path, &edit).await;
    let Err(error) = &result else { return reason(result).map(drop) };
    check_eq!(error.to_string(), message);
    check_eq!(cx.content(&path).await?.as_ref(), content.as_bytes());
    Ok(())
}
