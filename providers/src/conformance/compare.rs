//! Compares two implementations of the file operations.

use std::fmt::Debug;

use super::transfer::ODD_NAMES;
use super::{CaseResult, Context, Failure, Options, Outcome, Report};
use crate::{EditRequest, FileUpload, GlobRequest, GrepRequest, LineRange, Sandbox, SandboxExt};

pub(super) async fn run(one: &dyn Sandbox, other: &dyn Sandbox, options: &Options) -> Report {
    let mut report = Report::default();
    let cx = Context::new(one, format!("{}/compare", options.root));
    let outcome = match compare(&cx, other).await {
        Ok(()) => Outcome::Passed,
        Err(failure) => Outcome::Failed(failure.to_string()),
    };
    cx.clean_up().await;
    report.push("compare::same_answers", outcome);
    report
}

async fn compare(cx: &Context<'_>, other: &dyn Sandbox) -> CaseResult {
    cx.prepare().await?;
    let uploads = ODD_NAMES
        .iter()
        .flat_map(|name| [(*name).to_owned(), format!("tree/{name}/{name}.txt"), format!(".hidden/{name}")])
        .map(|name| FileUpload::new(cx.path(&name), format!("line one\r\nneedle {name}\n")))
        .collect();
    for response in cx.sandbox.upload_files(uploads).await? {
        check!(response.result.is_ok(), "{response:?}");
    }
    cx.sh(
        "mkdir empty closed; printf '\\377\\376' > binary; : > nothing; printf 'x\\0y' > nul.png; \
         ln -s tree treelink; ln -s nowhere dangling; ln -s loop loop; mkfifo fifo 2>/dev/null; echo secret > unreadable; \
         touch -d '1960-01-01 UTC' old",
    )
    .await?;
    if cx.sandbox.capabilities().enforces_permissions {
        cx.sh("chmod 000 unreadable closed").await?;
    }
    let one = cx.sandbox;
    for name in [
        "", "tree", "treelink", "empty", "closed", "nothing", "missing", "loop", "fifo", "closed/x",
        "tree/..", "-dash",
    ] {
        let path = cx.path(name);
        same(&path, one.ls(&path).await, other.ls(&path).await)?;
        for pattern in ["*", "**", "**/*.txt", ".*", "*/", "tree/*/*", "{*.png,*.txt}", "[!a-m]*", "../x"] {
            let request = GlobRequest::new(pattern, &path);
            same(&path, one.glob(&request).await, other.glob(&request).await)?;
            let request = request.with_directories();
            same(&path, one.glob(&request).await, other.glob(&request).await)?;
        }
        for request in [
            GrepRequest::new("needle", &path),
            GrepRequest::new("needle", &path).glob("*.txt"),
            GrepRequest::new("needle\none", &path).glob("tree/**").max_count(7),
        ] {
            same(&path, one.grep(&request).await, other.grep(&request).await)?;
        }
    }
    for name in ODD_NAMES.iter().chain(&[
        "",
        "binary",
        "nothing",
        "nul.png",
        "dangling",
        "loop",
        "fifo",
        "unreadable",
        "closed/x",
        "tree",
        "missing",
        "nothing/below",
        "old",
    ]) {
        let path = cx.path(name);
        for range in [LineRange::default(), LineRange::new(1, 1), LineRange::new(5, 1), LineRange::new(0, 0)]
        {
            same(&path, one.read(&path, range).await, other.read(&path, range).await)?;
        }
        for edit in [
            EditRequest::once("absent", "x"),
            EditRequest::once("needle", "needle"),
            EditRequest::once("e", "x"),
        ] {
            same(&path, one.edit(&path, &edit).await, other.edit(&path, &edit).await)?;
        }
    }
    for name in ["missing", "closed/x", "nothing/below", "missing/below"] {
        let path = cx.path(name);
        same(&path, one.delete(&path).await, other.delete(&path).await)?;
    }
    Ok(())
}

fn same<T: Debug, E: Debug>(path: &str, one: Result<T, E>, other: Result<T, E>) -> CaseResult {
    let (one, other) = (format!("{one:?}"), format!("{other:?}"));
    if one == other {
        return Ok(());
    }
    let equal = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let from = one.floor_char_boundary(equal.saturating_sub(100));
    let different = |text: &str| text.get(from..).unwrap_or_default().chars().take(300).collect::<String>();
    Err(Failure::new(format!(
        "{path:?}: one answers …{}…, the other …{}…",
        different(&one),
        different(&other)
    )))
}
