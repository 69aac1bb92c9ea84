//! Renames files.

use super::workspace::Workspace;
use sandshell::Sandbox;

/// Exits with status 3 if the target exists and must not be replaced.
const SCRIPT: &str = r#"if [ -z "$OVERWRITE" ] && { [ -e "$TO" ] || [ -L "$TO" ]; }; then exit 3; fi
mkdir -p -- "${TO%/*}/" && mv -fT -- "$FROM" "$TO""#;

/// Renames a file or directory. Missing directories of the new path are created.
///
/// # Errors
///
/// The message of `mv`, or that the target exists and must not be replaced.
pub(super) async fn rename(
    workspace: &Workspace,
    from: &str,
    to: &str,
    overwrite: bool,
) -> Result<(), String> {
    let mut request = workspace.request(SCRIPT);
    let mut set = |name: &str, value: &str| request.env.push((name.to_owned(), value.to_owned()));
    set("FROM", from);
    set("TO", to);
    set("OVERWRITE", if overwrite { "1" } else { "" });
    let answer = workspace.sandbox.execute(request).await.map_err(|error| error.to_string())?;
    match answer.exit_code {
        Some(0) => Ok(()),
        Some(3) => Err(format!("{to}: is there already; `overwrite` replaces it")),
        _ => Err(String::from_utf8_lossy(&answer.output).trim_end().to_owned()),
    }
}
