//! Write, read, edit and find files without a command, and move whole files in and out.

use sandshell::{
    CreateOptions, EditRequest, FileUpload, GlobRequest, LineRange, LocalOptions, SandboxExt,
    SandboxProvider, WriteMode,
};

pub(crate) async fn run() -> crate::Result {
    let provider = sandshell::local(LocalOptions::default())?;
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;

    sandbox.write("/workspace/notes.md", "# Notes\nbuy milk\n".into(), WriteMode::CreateNew).await?;
    sandbox.edit("/workspace/notes.md", &EditRequest::once("milk", "bread")).await?;
    let read = sandbox.read("/workspace/notes.md", LineRange::ALL).await?;
    println!("{}", read.text().unwrap_or("(not text)"));
    for found in sandbox.glob(&GlobRequest::new("**/*.md", "/workspace")).await?.matches {
        println!("{}", found.path);
    }

    // Batches have an answer for each file: a failure does not stop the others.
    let files = vec![
        FileUpload::new("/workspace/data/a.bin", vec![0, 159, 146]),
        FileUpload::new("not/absolute", ""),
    ];
    let answers = sandbox.upload_files(files).await?;
    assert!(answers[0].result.is_ok());
    assert!(answers[1].result.is_err());
    let downloaded = sandbox.download_files(vec!["/workspace/data/a.bin".to_owned()]).await?;
    assert_eq!(downloaded[0].result.as_deref(), Ok(&[0, 159, 146][..]));
    Ok(())
}
