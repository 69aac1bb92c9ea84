//! Prepare a sandbox once and start each test from it, with the same bytes everywhere.

use sandshell::{Clock, CreateOptions, LocalOptions, Random, SandboxExt, SandboxProvider, Time};

pub(crate) async fn run() -> crate::Result {
    let options = LocalOptions {
        clock: Clock::Virtual(Time { secs: 1_700_000_000, nanos: 0 }),
        random: Random::Seeded(42),
        ..LocalOptions::default()
    };
    let provider = sandshell::local(options)?;
    let prepared = provider.get_or_create(CreateOptions::default()).await?;
    prepared.run("seq 1000 > numbers").await?;
    let snapshot = provider.snapshot(prepared.id(), Some("with-numbers")).await?;

    let mut answers = Vec::new();
    for _ in 0..2 {
        let sandbox = provider.get_or_create(CreateOptions::default().snapshot(&snapshot.id)).await?;
        answers.push(sandbox.run("date; shuf -n 3 numbers; mktemp -u").await?.output);
        provider.delete(sandbox.id()).await?;
    }
    print!("{}", String::from_utf8_lossy(&answers[0]));
    assert_eq!(answers[0], answers[1]);
    Ok(())
}
