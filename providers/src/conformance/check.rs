//! What the test cases use.

use std::fmt;

use bytes::Bytes;

use crate::posix::quote;
use crate::{
    ExecuteRequest, ExecuteResponse, FailureReason, FileOperationError, FileResult, FileUpload, LineRange,
    Sandbox, SandboxExt, WriteMode,
};

/// Whether a behaviour is correct.
pub type CaseResult<T = ()> = Result<T, Failure>;

/// What was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(String);

/// A sandbox, and a directory for one case.
#[derive(Debug)]
pub struct Context<'a> {
    /// The sandbox under test.
    pub sandbox: &'a dyn Sandbox,
    /// An absolute path; the directory exists and is empty.
    pub dir: String,
}

/// Fails the case unless the condition holds.
macro_rules! check {
    ($condition:expr) => {
        check!($condition, "nothing else to say")
    };
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::conformance::Failure::new(format!(
                "expected {}: {}", stringify!($condition), format_args!($($message)+)
            )));
        }
    };
}

/// Fails the case unless both are equal; the second is what was expected.
macro_rules! check_eq {
    ($actual:expr, $expected:expr) => {
        match (&$actual, &$expected) {
            (actual, expected) => {
                if *actual != *expected {
                    return Err($crate::conformance::Failure::differs(stringify!($actual), actual, expected));
                }
            }
        }
    };
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    pub(crate) fn differs(what: &str, actual: &dyn fmt::Debug, expected: &dyn fmt::Debug) -> Self {
        Self(format!("{what}: expected {}, got {}", shorten(expected), shorten(actual)))
    }
}

fn shorten(value: &dyn fmt::Debug) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(600) {
        Some((end, _)) => format!("{}… ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => text,
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<crate::Error> for Failure {
    fn from(error: crate::Error) -> Self {
        Self(format!("{:?}: {error}", error.kind()))
    }
}

impl From<FileOperationError> for Failure {
    fn from(error: FileOperationError) -> Self {
        Self(error.to_string())
    }
}

impl<'a> Context<'a> {
    pub(crate) fn new(sandbox: &'a dyn Sandbox, dir: String) -> Self {
        Self { sandbox, dir }
    }

    /// Creates the directory; an existing one is replaced.
    pub(crate) async fn prepare(&self) -> CaseResult {
        self.clean_up().await;
        let response = self.run(&format!("mkdir -p {}", quote(&self.dir))).await?;
        check!(response.success(), "mkdir: {}", response.text());
        Ok(())
    }

    /// Removes the directory as far as possible: a case may leave directories without permissions.
    pub(crate) async fn clean_up(&self) {
        let dir = quote(&self.dir);
        let command = format!(
            "if [ -d {dir} ]; then find {dir} -type d -exec chmod u+rwx {{}} \\; ; rm -rf {dir}; fi 2>/dev/null"
        );
        // Files that stay behind do no harm.
        let _ = self.sandbox.run(&command).await;
    }

    /// An absolute path in the directory of the case.
    pub fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.dir)
    }

    /// Runs a command.
    pub async fn run(&self, command: &str) -> CaseResult<ExecuteResponse> {
        Ok(self.sandbox.run(command).await?)
    }

    /// Runs a command in the directory of the case and returns its output. The command must succeed.
    pub async fn sh(&self, command: &str) -> CaseResult<String> {
        let response = self.run(&format!("cd {} && {{ {command}\n}}", quote(&self.dir))).await?;
        check_eq!((response.exit_code, response.text().as_ref()), (Some(0), response.text().as_ref()));
        Ok(response.text().into_owned())
    }

    /// Runs a request.
    pub async fn execute(&self, request: ExecuteRequest) -> CaseResult<ExecuteResponse> {
        Ok(self.sandbox.execute(request).await?)
    }

    /// Uploads files to the directory, which must succeed.
    pub async fn files(&self, files: &[(&str, &str)]) -> CaseResult {
        let uploads = files
            .iter()
            .map(|(name, content)| {
                FileUpload::new(self.path(name), Bytes::copy_from_slice(content.as_bytes()))
            })
            .collect();
        for response in self.sandbox.upload_files(uploads).await? {
            check!(response.result.is_ok(), "{}: {:?}", response.path, response.result);
        }
        Ok(())
    }

    /// Uploads one file to the directory, which must succeed; returns its path.
    pub async fn file(&self, name: &str, content: impl Into<Bytes>) -> CaseResult<String> {
        let path = self.path(name);
        let responses = self.sandbox.upload_files(vec![FileUpload::new(&path, content)]).await?;
        for response in responses {
            check!(response.result.is_ok(), "{}: {:?}", response.path, response.result);
        }
        Ok(path)
    }

    /// The bytes of one file, which must exist.
    pub async fn content(&self, path: &str) -> CaseResult<Bytes> {
        let mut responses = self.sandbox.download_files(vec![path.to_owned()]).await?;
        check_eq!(responses.len(), 1);
        let response = responses.pop().ok_or_else(|| Failure::new("no answer"))?;
        response.result.map_err(|error| Failure::new(format!("{path}: {error}")))
    }

    /// Writes a file with the file operation under test.
    pub async fn write(&self, path: &str, content: &str) -> FileResult<()> {
        self.sandbox.write(path, Bytes::copy_from_slice(content.as_bytes()), WriteMode::Overwrite).await
    }

    /// Reads lines of a file with the file operation under test.
    pub async fn text(&self, path: &str, range: LineRange) -> CaseResult<String> {
        let result = self.sandbox.read(path, range).await?;
        result.text().map(str::to_owned).ok_or_else(|| Failure::new(format!("{path} was read as binary")))
    }
}

/// The reason of a failure; success fails the case.
pub(crate) fn reason<T: fmt::Debug>(result: FileResult<T>) -> CaseResult<FailureReason> {
    match result {
        Err(FileOperationError::Failed { reason, .. }) => Ok(reason),
        Err(FileOperationError::Sandbox(error)) => Err(error.into()),
        Ok(value) => Err(Failure::new(format!("expected a failure, got {}", shorten(&value)))),
    }
}

/// Paths that try to break out of quotes and create the file `target`.
pub(crate) fn injections(target: &str) -> Vec<String> {
    vec![
        format!("/nonexistent'; touch {target}; echo '"),
        format!("/nonexistent\"; touch {target}; echo \""),
        format!("/nonexistent$(touch {target})"),
        format!("/nonexistent`touch {target}`"),
        format!("/nonexistent\ntouch {target}\n"),
        format!("/nonexistent; touch {target}"),
    ]
}
