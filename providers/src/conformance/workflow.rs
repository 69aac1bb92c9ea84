//! Several operations, one after another and at the same time.

use bytes::Bytes;

use super::check::reason;
use super::{CaseResult, Context};
use crate::{
    EditRequest, FailureReason, FileUpload, GlobRequest, GrepRequest, LineRange, SandboxExt, WriteMode,
};

pub(super) async fn write_read_edit_read(cx: &Context<'_>) -> CaseResult {
    let path = cx.path("workflow.txt");
    cx.write(&path, "Original content\n").await?;
    check_eq!(cx.text(&path, LineRange::default()).await?, "Original content");
    cx.sandbox.edit(&path, &EditRequest::once("Original", "Modified")).await?;
    check_eq!(cx.text(&path, LineRange::default()).await?, "Modified content");
    cx.sandbox.delete(&path).await?;
    check_eq!(reason(cx.sandbox.read(&path, LineRange::default()).await)?, FailureReason::FileNotFound);
    Ok(())
}

pub(super) async fn files_from_every_side(cx: &Context<'_>) -> CaseResult {
    let path = cx.path("f");
    cx.write(&path, "written").await?;
    check_eq!(cx.sh("cat f; echo command > f").await?, "written");
    check_eq!(cx.text(&path, LineRange::default()).await?, "command");
    cx.file("f", "uploaded").await?;
    check_eq!(cx.sh("cat f").await?, "uploaded");
    cx.sandbox.edit(&path, &EditRequest::once("up", "down")).await?;
    check_eq!(cx.content(&path).await?.as_ref(), b"downloaded");
    cx.sh("rm f").await?;
    check_eq!(cx.sandbox.ls(&cx.dir).await?, []);
    Ok(())
}

pub(super) async fn directory_tree(cx: &Context<'_>) -> CaseResult {
    for name in ["root.txt", "subdir1/a.txt", "subdir1/b.py", "subdir2/c.txt"] {
        cx.write(&cx.path(name), "needle\n").await?;
    }
    check_eq!(cx.sandbox.ls(&cx.dir).await?.len(), 3);
    check_eq!(cx.sandbox.glob(&GlobRequest::new("**/*.txt", &cx.dir)).await?.matches.len(), 3);
    check_eq!(cx.sandbox.grep(&GrepRequest::new("needle", &cx.dir)).await?.matches.len(), 4);
    cx.sandbox.delete(&cx.path("subdir1")).await?;
    check_eq!(cx.sandbox.grep(&GrepRequest::new("needle", &cx.dir)).await?.matches.len(), 2);
    Ok(())
}

pub(super) async fn large_text_with_escapes(cx: &Context<'_>) -> CaseResult {
    let line = "row\t\\n \\\\ \"quoted\" 'single' $HOME `id` %s 世界 👋 \u{1b}[31m";
    let text = vec![line; 20_000].join("\n");
    let path = cx.path("large.txt");
    cx.write(&path, &text).await?;
    check!(cx.content(&path).await? == text.as_bytes(), "the download differs");
    let mut lines = Vec::new();
    let mut offset = Some(0);
    while let Some(from) = offset {
        let result = cx.sandbox.read(&path, LineRange::new(from, 4000)).await?;
        let page = result.page().cloned();
        let Some(page) = page else { break };
        lines.extend(page.text.split('\n').map(str::to_owned));
        offset = page.next_offset;
    }
    check!(lines.join("\n") == text, "the pages differ: {} lines", lines.len());
    Ok(())
}

pub(super) async fn concurrent_file_operations(cx: &Context<'_>) -> CaseResult {
    let one = async |name: &str| -> CaseResult {
        let path = cx.path(&format!("{name}/f"));
        for round in 0..5 {
            let text = format!("{name} {round}");
            cx.sandbox.write(&path, Bytes::from(text.clone()), WriteMode::Overwrite).await?;
            check_eq!(cx.text(&path, LineRange::default()).await?, text);
            cx.sandbox.edit(&path, &EditRequest::once(name, "edited")).await?;
            check_eq!(cx.content(&path).await?, format!("edited {round}"));
        }
        Ok(())
    };
    let (a, b, c, d) = tokio::join!(one("a"), one("b"), one("c"), one("d"));
    a.and(b).and(c).and(d)
}

pub(super) async fn top_level_directories(cx: &Context<'_>) -> CaseResult {
    // Agent frameworks keep long results and histories directly below the root.
    for path in ["/large_tool_results/sandshell-conformance", "/conversation_history/sandshell-conformance"] {
        let responses = cx.sandbox.upload_files(vec![FileUpload::new(path, "kept")]).await?;
        if responses.iter().any(|response| response.result.is_err()) {
            // A sandbox whose root is not writable can still serve everything else.
            continue;
        }
        check_eq!(cx.text(path, LineRange::default()).await?, "kept");
        cx.sandbox.delete(path).await?;
    }
    Ok(())
}
