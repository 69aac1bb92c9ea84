//! A "sandbox" without isolation: the machine's own `/bin/sh`. It is only for tests of code on top of the trait.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use sandshell_providers::{
    Capabilities, Error, ErrorKind, ExecuteRequest, ExecuteResponse, FileDownloadResponse, FileError,
    FileUpload, FileUploadResponse, LimitReached, OutputChunk, OutputSender, OutputStream, Result, Sandbox,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// `nobody`, so that mode bits mean something when the tests run as root.
const NOBODY: u32 = 65534;

/// How long to wait for output of background processes after the command has ended.
const GRACE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct HostShell {
    root: String,
    drop_rights: bool,
}

impl HostShell {
    /// A shell whose working directory is `directory`.
    pub(crate) fn new(directory: &Path) -> Self {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let is_root = directory.metadata().expect("metadata").uid() == 0;
        std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o777)).expect("permissions");
        Self { root: directory.to_str().expect("UTF-8").to_owned(), drop_rights: is_root }
    }

    /// The working directory.
    pub(crate) fn root(&self) -> String {
        self.root.clone()
    }

    fn command(&self, script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(script).env_clear().env("PATH", "/usr/bin:/bin").current_dir(&self.root);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command.kill_on_drop(true);
        if self.drop_rights {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Runs a fixed script with one argument; returns its status and output.
    async fn script(&self, script: &str, argument: &str, input: &[u8]) -> Result<(i32, Vec<u8>)> {
        let mut child = self.command(script).arg("sh").arg(argument).spawn().map_err(unexpected)?;
        let mut stdin = child.stdin.take().expect("piped");
        // A script that ends early need not read all of its input.
        let feed = async move { drop(stdin.write_all(input).await) };
        let ((), output) = tokio::join!(feed, child.wait_with_output());
        let output = output.map_err(unexpected)?;
        Ok((output.status.code().unwrap_or(-1), output.stdout))
    }

    async fn upload(&self, path: &str, content: &[u8]) -> Result<Result<(), FileError>> {
        const SCRIPT: &str = r#"p=$1
[ ! -d "$p" ] || exit 21
d=${p%/*}
mkdir -p -- "$d/" 2>/dev/null || {
  while [ -n "$d" ] && [ ! -e "$d" ]; do d=${d%/*}; done
  [ -d "${d:-/}" ] || exit 22
  exit 23
}
cat 2>/dev/null > "$p" || exit 23"#;
        Ok(match self.script(SCRIPT, path, content).await?.0 {
            0 => Ok(()),
            21 => Err(FileError::IsDirectory),
            22 => Err(FileError::InvalidPath),
            _ => Err(FileError::PermissionDenied),
        })
    }

    async fn download(&self, path: &str) -> Result<Result<Bytes, FileError>> {
        const SCRIPT: &str = r#"p=$1
[ ! -d "$p" ] || exit 21
if [ ! -e "$p" ]; then
  while p=${p%/*}; [ -n "$p" ] && [ ! -e "$p" ]; do :; done
  if [ -d "$p" ] && [ ! -x "$p" ]; then exit 23; fi
  exit 22
fi
[ -r "$p" ] || exit 23
cat < "$p""#;
        let (status, content) = self.script(SCRIPT, path, b"").await?;
        Ok(match status {
            0 => Ok(content.into()),
            21 => Err(FileError::IsDirectory),
            22 => Err(FileError::FileNotFound),
            _ => Err(FileError::PermissionDenied),
        })
    }

    async fn start(&self, request: ExecuteRequest, sender: Option<OutputSender>) -> Result<ExecuteResponse> {
        if request.cwd.as_ref().is_some_and(|cwd| !cwd.starts_with('/')) {
            return Err(Error::invalid_request("the working directory is relative"));
        }
        if request.env.iter().any(|(name, _)| name.is_empty() || name.contains(['=', '\0'])) {
            return Err(Error::invalid_request("a variable has an impossible name"));
        }
        let started = Instant::now();
        let mut command = self.command(&request.command);
        if let Some(cwd) = &request.cwd {
            command.current_dir(cwd);
        }
        let mut child = command.envs(request.env.iter().cloned()).spawn().map_err(unexpected)?;
        let group = child.id().expect("not yet waited for");
        let mut stdin = child.stdin.take().expect("piped");
        if let Some(input) = request.stdin {
            tokio::spawn(async move { drop(stdin.write_all(&input).await) });
        } else {
            drop(stdin);
        }
        let (chunks, mut incoming) = tokio::sync::mpsc::channel(16);
        forward(OutputStream::Stdout, child.stdout.take().expect("piped"), chunks.clone());
        forward(OutputStream::Stderr, child.stderr.take().expect("piped"), chunks);

        let timeout = request.timeout.filter(|timeout| !timeout.is_zero());
        let deadline = tokio::time::sleep(timeout.unwrap_or(Duration::from_secs(600)));
        tokio::pin!(deadline);
        let keep = request.max_output.unwrap_or(10 << 20) as usize;
        let mut response = ExecuteResponse::default();
        let (mut output, mut stdout, mut stderr) = (Vec::new(), Vec::new(), Vec::new());
        let mut status = None;
        let mut grace = None;
        loop {
            let ended = async {
                match grace {
                    Some(until) => tokio::time::sleep_until(until).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                chunk = incoming.recv() => match chunk {
                    Some((stream, data)) => {
                        let room = keep - output.len();
                        response.truncated |= data.len() > room;
                        let data: Bytes = data.slice(..room.min(data.len()));
                        output.extend_from_slice(&data);
                        if stream == OutputStream::Stdout { &mut stdout } else { &mut stderr }.extend_from_slice(&data);
                        if let Some(sender) = &sender {
                            drop(sender.send(OutputChunk { stream, data }).await);
                        }
                    }
                    None if status.is_some() => break,
                    None => status = Some(child.wait().await.map_err(unexpected)?),
                },
                ended = child.wait(), if status.is_none() => {
                    status = Some(ended.map_err(unexpected)?);
                    grace = Some(tokio::time::Instant::now() + GRACE);
                }
                () = ended => break,
                () = &mut deadline, if status.is_none() => {
                    response.timed_out = true;
                    let killed = Command::new("/bin/kill").args(["-KILL", "--", &format!("-{group}")]).status().await;
                    killed.map_err(unexpected)?;
                    status = Some(child.wait().await.map_err(unexpected)?);
                    grace = Some(tokio::time::Instant::now() + GRACE);
                }
            }
        }
        response.exit_code = status.map(shell_status);
        if response.timed_out {
            response.exit_code = Some(ExecuteResponse::TIMEOUT_EXIT_CODE);
            response.limits.push(LimitReached::timeout(timeout.unwrap_or_default()));
        }
        if response.truncated {
            response.limits.push(LimitReached::output(keep as u64));
        }
        (response.output, response.stdout, response.stderr) = (output.into(), stdout.into(), stderr.into());
        response.duration = started.elapsed();
        Ok(response)
    }
}

#[async_trait]
impl Sandbox for HostShell {
    fn id(&self) -> &str {
        "host-shell"
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.separate_streams = true;
        capabilities.streaming = true;
        capabilities.stdin = true;
        capabilities.cwd = true;
        capabilities.env = true;
        capabilities.timeout = true;
        capabilities.partial_output = true;
        capabilities.max_output = true;
        capabilities.background_processes = true;
        capabilities.concurrent_execute = true;
        capabilities.enforces_permissions = true;
        capabilities
    }

    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse> {
        self.start(request, None).await
    }

    async fn execute_streaming(
        &self,
        request: ExecuteRequest,
        output: OutputSender,
    ) -> Result<ExecuteResponse> {
        self.start(request, Some(output)).await
    }

    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        let mut responses = Vec::new();
        for FileUpload { path, content, .. } in files {
            let result =
                if usable(&path) { self.upload(&path, &content).await? } else { Err(FileError::InvalidPath) };
            responses.push(FileUploadResponse { path, result });
        }
        Ok(responses)
    }

    async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        let mut responses = Vec::new();
        for path in paths {
            let result =
                if usable(&path) { self.download(&path).await? } else { Err(FileError::InvalidPath) };
            responses.push(FileDownloadResponse { path, result });
        }
        Ok(responses)
    }
}

fn usable(path: &str) -> bool {
    path.starts_with('/') && !path.contains('\0')
}

fn shell_status(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

fn forward(
    stream: OutputStream,
    mut from: impl AsyncRead + Unpin + Send + 'static,
    to: tokio::sync::mpsc::Sender<(OutputStream, Bytes)>,
) {
    tokio::spawn(async move {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            if to.send((stream, Bytes::copy_from_slice(&buffer[..length]))).await.is_err() {
                break;
            }
        }
    });
}

fn unexpected(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Unexpected, "the shell could not be run").with_source(error)
}

/// Runs commands in the machine's shell, and accesses files through a virtual filesystem that shows the same
/// directory. This tests the native file operations without any guest.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct HostFiles {
    shell: HostShell,
    files: sandshell_providers::local::NamespaceFiles,
    is_root: bool,
}

#[cfg(target_os = "linux")]
impl HostFiles {
    /// A shell whose working directory is `directory`. The file operations of `user` see only this directory.
    pub(crate) fn new(directory: &Path, user: sandshell_vfs::Context) -> Self {
        use sandshell_vfs::{
            HostAccess, HostClock, HostDir, MountOptions, Namespace, StandardTree, device_tree, standard_tree,
        };
        use std::sync::Arc;
        let time = Arc::new(HostClock);
        let tree = StandardTree { commands: &[], hostname: "sandbox" };
        let root = standard_tree(&tree, time.clone()).expect("a tree");
        let namespace = Namespace::new(Arc::new(root), MountOptions::default());
        let mount = |at: &str, fs: Arc<dyn sandshell_vfs::FileSystem>| {
            namespace.mount(at.as_bytes(), fs, MountOptions::default()).expect("a mount");
        };
        mount("/dev", Arc::new(device_tree(time).expect("devices")));
        let host = HostDir::open(directory, HostAccess::ReadWrite).expect("the directory");
        mount(directory.to_str().expect("UTF-8"), Arc::new(host));
        let mut shell = HostShell::new(directory);
        shell.drop_rights = false;
        let files = sandshell_providers::local::NamespaceFiles::new(namespace, user);
        Self { shell, files, is_root: user.uid == 0 }
    }
}

#[cfg(target_os = "linux")]
#[async_trait]
impl Sandbox for HostFiles {
    fn id(&self) -> &str {
        "host-files"
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.shell.capabilities();
        capabilities.enforces_permissions = !self.is_root;
        capabilities
    }

    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse> {
        self.shell.execute(request).await
    }

    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        Ok(self.files.upload(files))
    }

    async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        Ok(self.files.download(paths))
    }

    fn file_operations(&self) -> Option<&dyn sandshell_providers::FileOperations> {
        Some(&self.files)
    }
}
