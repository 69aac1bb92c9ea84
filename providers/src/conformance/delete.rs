//! Removing files and directories.

use super::check::{injections, reason};
use super::transfer::ODD_NAMES;
use super::{CaseResult, Context};
use crate::posix::quote;
use crate::{FailureReason, SandboxExt};

pub(super) async fn file(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("f", "x").await?;
    cx.sandbox.delete(&path).await?;
    check_eq!(cx.sh("ls -A").await?, "");
    check_eq!(reason(cx.sandbox.delete(&path).await)?, FailureReason::FileNotFound);
    Ok(())
}

pub(super) async fn directory(cx: &Context<'_>) -> CaseResult {
    cx.sh("mkdir -p d/a/b d/.hidden; echo > d/a/b/f; echo > kept; ln -s ../kept d/link; chmod 444 d/a/b/f")
        .await?;
    cx.sandbox.delete(&cx.path("d/")).await?;
    check_eq!(cx.sh("ls -A").await?, "kept\n");
    Ok(())
}

pub(super) async fn link_not_target(cx: &Context<'_>) -> CaseResult {
    cx.sh("mkdir d; echo > d/f; ln -s d link; echo > g; ln -s g filelink").await?;
    cx.sandbox.delete(&cx.path("link")).await?;
    cx.sandbox.delete(&cx.path("filelink")).await?;
    check_eq!(cx.sh("ls -A . d").await?, ".:\nd\ng\n\nd:\nf\n");
    Ok(())
}

pub(super) async fn dangling_link(cx: &Context<'_>) -> CaseResult {
    cx.sh("ln -s nowhere link").await?;
    cx.sandbox.delete(&cx.path("link")).await?;
    check_eq!(cx.sh("ls -A").await?, "");
    Ok(())
}

pub(super) async fn missing(cx: &Context<'_>) -> CaseResult {
    let target = cx.path("injected");
    let mut paths = vec![cx.path("missing"), cx.path("missing/below")];
    paths.extend(injections(&target));
    for path in paths {
        let result = cx.sandbox.delete(&path).await;
        let Err(error) = &result else { return reason(result).map(drop) };
        check_eq!(error.to_string(), format!("Error: '{path}' not found"));
        check!(!cx.run(&format!("[ -e {} ]", quote(&target))).await?.success(), "{path:?} was run");
    }
    Ok(())
}

pub(super) async fn odd_names(cx: &Context<'_>) -> CaseResult {
    for name in ODD_NAMES {
        let path = cx.file(&format!("{name}/{name}"), "x").await?;
        cx.sandbox.delete(&path).await?;
        cx.sandbox.delete(&cx.path(name)).await?;
    }
    check_eq!(cx.sh("ls -A").await?, "");
    Ok(())
}

pub(super) async fn root_is_refused(cx: &Context<'_>) -> CaseResult {
    for path in ["/", "//", "/.", "", "relative"] {
        check_eq!((path, reason(cx.sandbox.delete(path).await)?), (path, FailureReason::InvalidPath));
    }
    Ok(())
}

pub(super) async fn not_allowed(cx: &Context<'_>) -> CaseResult {
    cx.sh("mkdir closed; echo > closed/f; chmod 555 closed; mkdir dark; echo > dark/f; chmod 000 dark")
        .await?;
    for name in ["closed/f", "closed", "dark/f"] {
        let result = cx.sandbox.delete(&cx.path(name)).await;
        check_eq!((name, reason(result)?), (name, FailureReason::PermissionDenied));
    }
    check_eq!(cx.sh("ls -A closed").await?, "f\n");
    Ok(())
}
