//! Let an agent work on a project without changing it; then look at the changes, and apply or discard them.

use sandshell::{CreateOptions, LocalOptions, MountSource, SandboxExt, apply};

pub(crate) async fn run() -> crate::Result {
    let project = tempfile::tempdir()?;
    std::fs::write(project.path().join("greeting.txt"), "hello\n")?;

    let options =
        LocalOptions::default().mount("/workspace", MountSource::Overlay(project.path().to_owned()));
    let provider = sandshell::local(options)?;
    let sandbox = provider.create(CreateOptions::default())?;
    sandbox.run("sed -i s/hello/goodbye/ greeting.txt; echo new > new.txt").await?;

    // Nothing on the host has changed.
    assert_eq!(std::fs::read_to_string(project.path().join("greeting.txt"))?, "hello\n");
    let overlays = sandbox.overlays();
    for overlay in &overlays {
        print!("{}", String::from_utf8_lossy(&overlay.overlay.patch()?));
    }

    // Applies all changes or none. With `apply::user_journals` instead of `None`, this also holds after a crash in
    // the middle.
    let applied = apply::apply(&overlays, None)?;
    println!("{} changes applied", applied.changes);
    assert_eq!(std::fs::read_to_string(project.path().join("greeting.txt"))?, "goodbye\n");
    Ok(())
}
