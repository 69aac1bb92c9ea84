//! Recording: the same script in the machine's own bash, as the user and in the folder that a sandbox has.

use crate::case::{Answer, Case};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const WORKSPACE: &str = "/workspace";

/// Runs the case's script and returns what it did. Needs root: it empties and uses `/workspace` and user 1000.
pub(crate) fn run(case: &Case) -> std::io::Result<Answer> {
    let workspace = Path::new(WORKSPACE);
    if workspace.exists() {
        fs::remove_dir_all(workspace)?;
    }
    fs::create_dir(workspace)?;
    for (path, content) in &case.files {
        let path = workspace.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, content)?;
    }
    run_quiet(Command::new("chown").args(["-R", "1000:1000", WORKSPACE]))?;
    run_quiet(Command::new("mkdir").args(["-p", "/home/user"]))?;
    run_quiet(Command::new("chown").args(["1000:1000", "/home/user"]))?;
    let mut child = Command::new("setpriv")
        .args(["--reuid=1000", "--regid=1000", "--clear-groups", "bash", "-c", &case.script])
        .current_dir(workspace)
        .env_clear()
        .envs(crate::ENVIRONMENT)
        .env("PWD", WORKSPACE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
    let input = case.stdin.clone();
    // A script that does not read its input closes the pipe: no error of the recording.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output()?;
    let _ = writer.join();
    let status = std::os::unix::process::ExitStatusExt::signal(&output.status)
        .map_or_else(|| output.status.code().unwrap_or(-1), |s| 128 + s);
    Ok(Answer { stdout: output.stdout, stderr: output.stderr, status })
}

fn run_quiet(command: &mut Command) -> std::io::Result<()> {
    if command.status()?.success() {
        Ok(())
    } else {
        Err(std::io::Error::other(format!("{command:?} failed")))
    }
}
