//! Commands for services that accept only a shell command line.

use std::fmt::Write as _;

use crate::posix::quote;
use crate::{ExecuteRequest, FileUpload, Result, Sandbox};

/// The request as one line for a POSIX shell. It starts bash in a subshell with the requested directory and
/// variables, and with `stdin` as its standard input.
pub(crate) fn wrap(request: &ExecuteRequest, workdir: Option<&str>, stdin: Option<&str>) -> String {
    let mut line = match stdin {
        Some(file) => format!("(exec < {0} && rm -f {0}", quote(file)),
        None => String::from("(exec < /dev/null"),
    };
    // Writing to a string cannot fail.
    if let Some(cwd) = request.cwd.as_deref().or(workdir) {
        let _ = write!(line, " && cd -- {}", quote(cwd));
    }
    line.push_str(" && exec ");
    if !request.env.is_empty() {
        line.push_str("env ");
        for (name, value) in &request.env {
            let _ = write!(line, "{} ", quote(&format!("{name}={value}")));
        }
    }
    let _ = write!(line, "bash -c {})", quote(&request.command));
    line
}

/// For services that start programs: bash with the command as its argument and `stdin` as its standard input.
pub(crate) fn argv(command: &str, stdin: Option<&str>) -> [String; 5] {
    let script = match stdin {
        Some(file) => format!("exec < {0} && rm -f {0} && exec bash -c \"$1\"", quote(file)),
        None => "exec < /dev/null && exec bash -c \"$1\"".to_owned(),
    };
    ["bash".to_owned(), "-c".to_owned(), script, "bash".to_owned(), command.to_owned()]
}

/// Uploads standard input to a file from which [`wrap`] reads it, and returns its path.
pub(crate) async fn place_stdin(sandbox: &dyn Sandbox, request: &ExecuteRequest) -> Result<Option<String>> {
    let Some(stdin) = &request.stdin else { return Ok(None) };
    let path = format!("/tmp/.sandshell-stdin-{}", unique());
    for response in sandbox.upload_files(vec![FileUpload::new(path.clone(), stdin.clone())]).await? {
        response.result.map_err(|why| {
            crate::Error::new(
                crate::ErrorKind::Unexpected,
                format!("standard input could not be sent: {why}"),
            )
        })?;
    }
    Ok(Some(path))
}

/// A unique name.
pub(crate) fn unique() -> String {
    let number = [getrandom::u64(), getrandom::u64()].map(std::result::Result::unwrap_or_default);
    format!("{:016x}{:016x}", number[0], number[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_quoted() {
        let request = ExecuteRequest::new("echo 'x'").cwd("/a b").env("A", "it's");
        assert_eq!(
            wrap(&request, None, None),
            "(exec < /dev/null && cd -- '/a b' && exec env 'A=it'\\''s' bash -c 'echo '\\''x'\\''')"
        );
        assert_eq!(
            wrap(&ExecuteRequest::new("ls"), Some("/w"), Some("/f")),
            "(exec < '/f' && rm -f '/f' && cd -- '/w' && exec bash -c 'ls')"
        );
    }
}
