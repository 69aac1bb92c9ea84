//! `--sandbox-setup`.

use super::args::SetupArgs;
use super::failure::{Failure, note, reason};
use sandshell::Sandbox;
use sandshell::setup::{Allowed, dotenv, run};
use std::env::VarError;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A setup script and the variables that it may use.
#[derive(Debug)]
pub(crate) struct Setup {
    path: PathBuf,
    script: String,
    allowed: Allowed,
}

impl Setup {
    /// Reads the files that the options name; `None` if there is no script.
    pub(crate) fn read(args: &SetupArgs) -> Result<Option<Setup>, Failure> {
        let Some(path) = &args.script else { return Ok(None) };
        let script = text(path)?;
        let mut allowed = Allowed::new();
        if let Some(file) = &args.setup_env_file {
            let variables = dotenv(&text(file)?)
                .map_err(|line| Failure::about(file.display(), format!("line {line} is not NAME=value")))?;
            for (name, value) in variables {
                allowed = allowed.with(name, value);
            }
        }
        for name in &args.setup_env {
            if !is_name(name) {
                return Err(Failure::about(format!("--setup-env {name:?}"), "not the name of a variable"));
            }
            match std::env::var(name) {
                Ok(value) => allowed = allowed.with(name, value),
                Err(_) if allowed.has(name) => {}
                Err(VarError::NotPresent) => {
                    note(&format!(
                        "warning: --setup-env {name}: it is not set here, so the script does not get it"
                    ));
                }
                Err(VarError::NotUnicode(_)) => {
                    return Err(Failure::about(format!("--setup-env {name}"), "its value is not UTF-8"));
                }
            }
        }
        Ok(Some(Setup { path: path.clone(), script, allowed }))
    }

    /// Runs the script. If it fails, its output is shown and the error names its status.
    pub(crate) async fn run(&self, sandbox: &dyn Sandbox) -> Result<(), Failure> {
        let answer = run(sandbox, &self.script, &self.allowed).await?;
        if answer.success() {
            return Ok(());
        }
        let mut output = answer.text().into_owned();
        if !output.is_empty() && !output.ends_with('\n') {
            output.push('\n');
        }
        // If standard error cannot be written, there is nowhere to show it.
        drop(std::io::stderr().write_all(output.as_bytes()));
        let status =
            answer.exit_code.map_or_else(|| "an unknown status".to_owned(), |code| format!("status {code}"));
        Err(Failure::about(self.path.display(), format!("the setup script failed with {status}")))
    }
}

fn text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::about(path.display(), reason(&error)))
}

fn is_name(name: &str) -> bool {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()) && name.bytes().all(fine)
}
