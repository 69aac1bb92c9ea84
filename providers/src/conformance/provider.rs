//! Creating, listing and deleting sandboxes.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;

use super::{CaseResult, Failure, Options, Outcome, Report};
use crate::{
    CreateOptions, ErrorKind, FileError, FileUpload, ListOptions, ProviderCapabilities, Result, Sandbox,
    SandboxExt, SandboxProvider,
};

pub(super) async fn run(provider: &dyn SandboxProvider, options: &Options) -> Report {
    let can = provider.metadata().capabilities;
    let mut run = Run { report: Report::default(), options };
    run.case("metadata", None, metadata(provider)).await;
    run.case("create_and_delete", None, create_and_delete(provider)).await;
    run.case("sandboxes_are_separate", None, separate(provider)).await;
    run.case("delete_is_idempotent", None, delete_is_idempotent(provider)).await;
    run.case("unknown_id_is_not_found", None, unknown_id(provider)).await;
    run.case("reattach", need("reattach", can.reattach), reattach(provider)).await;
    run.case("list_in_pages", need("list", can.list), list(provider)).await;
    run.case("labels", need("list and labels", can.list && can.labels), labels(provider)).await;
    run.case("env", need("env", can.env), env(provider)).await;
    run.case("workdir", need("workdir", can.workdir), workdir(provider)).await;
    run.case("snapshot", need("snapshot", can.snapshot), snapshot(provider)).await;
    run.case("restore", need("snapshot and restore", can.snapshot && can.restore), restore(provider)).await;
    run.case("fork", need("fork", can.fork), fork(provider)).await;
    run.case("pause", need("pause", can.pause), pause(provider)).await;
    run.case("ttl", need("ttl", can.ttl), ttl(provider)).await;
    run.case("undeclared_is_unsupported", None, undeclared(provider, can)).await;
    run.report
}

struct Run<'a> {
    report: Report,
    options: &'a Options,
}

impl Run<'_> {
    async fn case(&mut self, name: &str, missing: Option<&str>, case: impl Future<Output = CaseResult>) {
        let name = format!("provider::{name}");
        if !self.options.selects(&name) {
            return;
        }
        let outcome = match missing {
            Some(capability) => Outcome::Skipped(format!("needs {capability}")),
            None => match tokio::time::timeout(self.options.case_timeout, case).await {
                Ok(Ok(())) => Outcome::Passed,
                Ok(Err(failure)) => Outcome::Failed(failure.to_string()),
                Err(_) => Outcome::Failed(format!("took longer than {:?}", self.options.case_timeout)),
            },
        };
        self.report.push(name, outcome);
    }
}

fn need(capability: &'static str, has: bool) -> Option<&'static str> {
    (!has).then_some(capability)
}

async fn metadata(provider: &dyn SandboxProvider) -> CaseResult {
    let metadata = provider.metadata();
    check!(!metadata.name.is_empty());
    check!(metadata.working_dir.starts_with('/'), "{metadata:?}");
    check_eq!(provider.metadata(), metadata);
    Ok(())
}

async fn create_and_delete(provider: &dyn SandboxProvider) -> CaseResult {
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;
    let checked = async {
        check!(!sandbox.id().is_empty());
        let pwd = sandbox.run("pwd").await?;
        check_eq!(pwd.text().trim_end(), provider.metadata().working_dir);
        check!(sandbox.run("echo x > in-the-working-directory").await?.success());
        Ok(())
    }
    .await;
    provider.delete(sandbox.id()).await?;
    checked
}

async fn separate(provider: &dyn SandboxProvider) -> CaseResult {
    let one = provider.get_or_create(CreateOptions::default()).await?;
    let other = provider.get_or_create(CreateOptions::default()).await?;
    let checked = async {
        check!(one.id() != other.id(), "{}", one.id());
        put(&*one, "one").await?;
        check_eq!(mark(&*other).await?, "");
        Ok(())
    }
    .await;
    provider.delete(one.id()).await?;
    provider.delete(other.id()).await?;
    checked
}

async fn delete_is_idempotent(provider: &dyn SandboxProvider) -> CaseResult {
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;
    let id = sandbox.id().to_owned();
    provider.delete(&id).await?;
    provider.delete(&id).await?;
    let kind = sandbox.run("true").await.err().map(|error| error.kind());
    check!(matches!(kind, Some(ErrorKind::SandboxEnded | ErrorKind::NotFound)), "{kind:?}");
    Ok(())
}

async fn unknown_id(provider: &dyn SandboxProvider) -> CaseResult {
    let result = provider.get_or_create(CreateOptions::existing("sandshell-no-such-sandbox")).await;
    check!(
        matches!(
            kind(&result),
            Some(ErrorKind::NotFound | ErrorKind::Unsupported | ErrorKind::InvalidRequest)
        ),
        "{result:?}"
    );
    Ok(())
}

async fn reattach(provider: &dyn SandboxProvider) -> CaseResult {
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;
    let checked = async {
        put(&*sandbox, "kept").await?;
        let again = provider.get_or_create(CreateOptions::existing(sandbox.id())).await?;
        check_eq!(again.id(), sandbox.id());
        check_eq!(mark(&*again).await?, "kept");
        let both = provider.get_or_create(CreateOptions::existing(sandbox.id()).snapshot("x")).await;
        check_eq!(kind(&both), Some(ErrorKind::InvalidRequest));
        Ok(())
    }
    .await;
    provider.delete(sandbox.id()).await?;
    checked
}

async fn list(provider: &dyn SandboxProvider) -> CaseResult {
    let mut sandboxes = Vec::new();
    for _ in 0..3 {
        sandboxes.push(provider.get_or_create(CreateOptions::default()).await?);
    }
    let checked = async {
        let (mut seen, mut options) = (BTreeSet::new(), ListOptions::default().limit(2));
        loop {
            let page = provider.list(options.clone()).await?;
            for info in page.sandboxes {
                check!(seen.insert(info.id.clone()), "{} is listed twice", info.id);
            }
            let Some(cursor) = page.next_cursor else { break };
            options = options.cursor(cursor);
        }
        for sandbox in &sandboxes {
            check!(seen.contains(sandbox.id()), "{} is not listed", sandbox.id());
        }
        Ok(())
    }
    .await;
    for sandbox in &sandboxes {
        provider.delete(sandbox.id()).await?;
    }
    let after = provider.list(ListOptions::default()).await?;
    for sandbox in &sandboxes {
        check!(
            after.sandboxes.iter().all(|info| info.id != sandbox.id()),
            "{} is listed still",
            sandbox.id()
        );
    }
    checked
}

async fn labels(provider: &dyn SandboxProvider) -> CaseResult {
    let labelled = provider.get_or_create(CreateOptions::default().label("suite", "conformance")).await?;
    let plain = provider.get_or_create(CreateOptions::default()).await?;
    let checked = async {
        let page = provider.list(ListOptions::default().label("suite", "conformance")).await?;
        let ids: Vec<&str> = page.sandboxes.iter().map(|info| info.id.as_str()).collect();
        check!(ids.contains(&labelled.id()) && !ids.contains(&plain.id()), "{ids:?}");
        Ok(())
    }
    .await;
    provider.delete(labelled.id()).await?;
    provider.delete(plain.id()).await?;
    checked
}

async fn env(provider: &dyn SandboxProvider) -> CaseResult {
    let sandbox = provider.get_or_create(CreateOptions::default().env("CONFORMANCE", "it's $set")).await?;
    let output = sandbox.run("echo \"$CONFORMANCE\"").await;
    provider.delete(sandbox.id()).await?;
    check_eq!(output?.text().as_ref(), "it's $set\n");
    Ok(())
}

async fn workdir(provider: &dyn SandboxProvider) -> CaseResult {
    let sandbox = provider.get_or_create(CreateOptions::default().workdir("/tmp/work here")).await?;
    let output = sandbox.run("pwd; echo > f && echo writable").await;
    provider.delete(sandbox.id()).await?;
    check_eq!(output?.text().as_ref(), "/tmp/work here\nwritable\n");
    Ok(())
}

async fn snapshot(provider: &dyn SandboxProvider) -> CaseResult {
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;
    put(&*sandbox, "before").await?;
    let snapshot = provider.snapshot(sandbox.id(), Some("conformance")).await?;
    put(&*sandbox, "after").await?;
    // The snapshot must outlive the sandbox.
    provider.delete(sandbox.id()).await?;
    let copy = provider.get_or_create(CreateOptions::default().snapshot(&snapshot.id)).await?;
    let content = mark(&*copy).await;
    provider.delete(copy.id()).await?;
    provider.delete_snapshot(&snapshot.id).await?;
    provider.delete_snapshot(&snapshot.id).await?;
    check_eq!(content?, "before");
    let gone = provider.get_or_create(CreateOptions::default().snapshot(&snapshot.id)).await;
    check_eq!(kind(&gone), Some(ErrorKind::NotFound));
    Ok(())
}

async fn restore(provider: &dyn SandboxProvider) -> CaseResult {
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;
    put(&*sandbox, "before").await?;
    let snapshot = provider.snapshot(sandbox.id(), None).await?;
    put(&*sandbox, "after").await?;
    provider.restore(sandbox.id(), &snapshot.id).await?;
    let content = mark(&*sandbox).await;
    provider.delete(sandbox.id()).await?;
    provider.delete_snapshot(&snapshot.id).await?;
    check_eq!(content?, "before");
    Ok(())
}

async fn fork(provider: &dyn SandboxProvider) -> CaseResult {
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;
    put(&*sandbox, "shared").await?;
    let fork = provider.fork(sandbox.id()).await?;
    let checked = async {
        check!(fork.id() != sandbox.id());
        check_eq!(mark(&*fork).await?, "shared");
        put(&*fork, "fork").await?;
        check_eq!(mark(&*sandbox).await?, "shared");
        put(&*sandbox, "original").await?;
        check_eq!(mark(&*fork).await?, "fork");
        Ok(())
    }
    .await;
    provider.delete(sandbox.id()).await?;
    provider.delete(fork.id()).await?;
    checked
}

async fn pause(provider: &dyn SandboxProvider) -> CaseResult {
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;
    put(&*sandbox, "kept").await?;
    provider.pause(sandbox.id()).await?;
    provider.resume(sandbox.id()).await?;
    provider.resume(sandbox.id()).await?;
    let content = mark(&*sandbox).await;
    provider.delete(sandbox.id()).await?;
    check_eq!(content?, "kept");
    Ok(())
}

async fn ttl(provider: &dyn SandboxProvider) -> CaseResult {
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;
    provider.set_ttl(sandbox.id(), Some(Duration::from_secs(3600))).await?;
    let alive = sandbox.run("true").await;
    provider.delete(sandbox.id()).await?;
    check!(alive?.success());
    Ok(())
}

async fn undeclared(provider: &dyn SandboxProvider, can: ProviderCapabilities) -> CaseResult {
    let mut answers = Vec::new();
    if !can.list {
        answers.push(("list", kind(&provider.list(ListOptions::default()).await)));
    }
    if !can.snapshot {
        answers.push(("snapshot", kind(&provider.snapshot("x", None).await)));
    }
    if !can.restore {
        answers.push(("restore", kind(&provider.restore("x", "y").await)));
    }
    if !can.fork {
        answers.push(("fork", kind(&provider.fork("x").await)));
    }
    if !can.pause {
        answers.push(("pause", kind(&provider.pause("x").await)));
        answers.push(("resume", kind(&provider.resume("x").await)));
    }
    if !can.ttl {
        answers.push(("set_ttl", kind(&provider.set_ttl("x", None).await)));
    }
    if !can.ttl && !can.create_ttl {
        let created = provider.get_or_create(CreateOptions::default().ttl(Duration::from_secs(60))).await;
        answers.push(("ttl", kind(&created)));
    }
    for answer in answers {
        check_eq!(answer, (answer.0, Some(ErrorKind::Unsupported)));
    }
    Ok(())
}

fn kind<T>(result: &Result<T>) -> Option<ErrorKind> {
    result.as_ref().err().map(crate::Error::kind)
}

const MARK: &str = "/tmp/sandshell-conformance-mark";

async fn put(sandbox: &dyn Sandbox, text: &str) -> CaseResult {
    for response in sandbox.upload_files(vec![FileUpload::new(MARK, text.to_owned())]).await? {
        response.result.map_err(|error| Failure::new(error.to_string()))?;
    }
    Ok(())
}

/// The text of the mark; empty if there is none.
async fn mark(sandbox: &dyn Sandbox) -> CaseResult<String> {
    let mut responses = sandbox.download_files(vec![MARK.to_owned()]).await?;
    match responses.pop().map(|response| response.result) {
        Some(Ok(content)) => Ok(String::from_utf8_lossy(&content).into_owned()),
        Some(Err(FileError::FileNotFound)) => Ok(String::new()),
        other => Err(Failure::new(format!("{MARK}: {other:?}"))),
    }
}
