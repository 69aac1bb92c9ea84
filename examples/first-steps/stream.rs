//! See output while a command runs, and stop it.

use sandshell::{CreateOptions, ExecuteRequest, LocalOptions, SandboxProvider};
use std::time::Duration;

pub(crate) async fn run() -> crate::Result {
    let provider = sandshell::local(LocalOptions::default())?;
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;

    let (sender, mut chunks) = tokio::sync::mpsc::channel(16);
    let command = ExecuteRequest::new("for i in 1 2 3; do echo $i; done; while :; do :; done");
    let (answer, seen) =
        tokio::join!(sandbox.execute_streaming(command.timeout(Duration::from_millis(500)), sender), async {
            let mut seen = Vec::new();
            while let Some(chunk) = chunks.recv().await {
                seen.extend_from_slice(&chunk.data);
            }
            seen
        });

    let answer = answer?;
    assert!(answer.timed_out);
    assert_eq!(seen, b"1\n2\n3\n");
    for limit in &answer.limits {
        println!("{}", limit.message);
    }
    Ok(())
}
