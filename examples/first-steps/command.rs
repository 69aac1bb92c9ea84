//! Run a shell command and look at its answer.

use sandshell::{CreateOptions, ExecuteRequest, LocalOptions, SandboxProvider};
use std::time::Duration;

pub(crate) async fn run() -> crate::Result {
    let provider = sandshell::local(LocalOptions::default())?;
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;

    let request = ExecuteRequest::new("read line; echo \"$GREETING, $line\"; echo problem >&2; exit 3")
        .env("GREETING", "Hello")
        .stdin("world\n")
        .timeout(Duration::from_secs(10));
    let answer = sandbox.execute(request).await?;

    // A command that fails gives an answer, not an error.
    assert_eq!(answer.exit_code, Some(3));
    assert_eq!(&answer.stdout[..], b"Hello, world\n");
    assert_eq!(&answer.stderr[..], b"problem\n");
    println!("status {:?}, both streams: {:?}", answer.exit_code, String::from_utf8_lossy(&answer.output));
    Ok(())
}
