//! Translates requests for the kernel, and the kernel's results to answers.

use std::time::Duration;

use sandshell_runtime::{Command, Limit, Outcome, Output, Stdin};

use super::options::LocalOptions;
use super::stream::Forward;
use crate::execute::check_variable;
use crate::{
    Error, ErrorKind, ExecuteRequest, ExecuteResponse, LimitKind, LimitReached, OutputSender, Result, names,
};

const DEFAULT_ENV: [(&str, &str); 6] = [
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/home/user"),
    ("USER", "user"),
    ("LOGNAME", "user"),
    ("LANG", "C.UTF-8"),
    ("SHELL", "/bin/bash"),
];

/// A request translated for the kernel, with the limits that apply, which the answer needs.
pub(super) struct Prepared {
    pub(super) command: Command,
    timeout: Option<Duration>,
    max_output: u64,
}

pub(super) fn prepare(
    options: &LocalOptions,
    request: ExecuteRequest,
    stream: Option<OutputSender>,
) -> Result<Prepared> {
    if request.command.contains('\0') {
        return Err(Error::invalid_request("a command cannot contain NUL"));
    }
    let cwd = request.cwd.unwrap_or_else(|| options.workdir.clone());
    if !cwd.starts_with('/') || cwd.contains('\0') {
        return Err(Error::invalid_request(format!("the working directory {cwd:?} is not an absolute path")));
    }
    let mut command =
        Command::new("/usr/bin/bash", vec![b"bash".to_vec(), b"-c".to_vec(), owned(request.command)]);
    let pwd = ("PWD".to_owned(), cwd.clone());
    let defaults = DEFAULT_ENV.map(|(name, value)| (name.to_owned(), value.to_owned()));
    for variable in defaults.into_iter().chain([pwd]).chain(options.env.iter().cloned()).chain(request.env) {
        check_variable(&variable)?;
        let (name, value) = (owned(variable.0), owned(variable.1));
        command.env.retain(|(other, _)| *other != name);
        command.env.push((name, value));
    }
    command.cwd = owned(cwd);
    if let Some(stdin) = request.stdin {
        command.stdin = Stdin::Bytes(stdin);
    }
    let timeout = match request.timeout {
        Some(Duration::ZERO) => None,
        Some(timeout) => Some(timeout),
        None => options.timeout,
    };
    let max_output = request.max_output.unwrap_or(options.max_output);
    command.timeout = timeout;
    command.output = Output {
        limit: max_output,
        capture: true,
        stream: stream
            .map(|sender| Box::new(Forward::new(sender)) as Box<dyn sandshell_runtime::OutputStream>),
    };
    Ok(Prepared { command, timeout, max_output })
}

/// The bytes that a text represents.
fn owned(text: String) -> Vec<u8> {
    if names::is_escaped(&text) { names::bytes(&text).into_owned() } else { text.into_bytes() }
}

/// The parts of [`Prepared`] that are still needed for the answer after the command was started.
pub(super) struct AppliedLimits {
    timeout: Option<Duration>,
    max_output: u64,
}

impl Prepared {
    pub(super) fn split(self) -> (Command, AppliedLimits) {
        (self.command, AppliedLimits { timeout: self.timeout, max_output: self.max_output })
    }
}

impl AppliedLimits {
    /// The answer to a command whose time was up before it could start.
    pub(super) fn timed_out_waiting(&self, at_once: usize, waited: Duration) -> ExecuteResponse {
        let why = format!(
            "the command did not begin: {at_once} commands of a sandbox run at once, the others wait"
        );
        let timeout = LimitReached::timeout(self.timeout.unwrap_or_default());
        ExecuteResponse {
            exit_code: Some(ExecuteResponse::TIMEOUT_EXIT_CODE),
            timed_out: true,
            limits: vec![timeout, LimitReached::new(LimitKind::Processes, why)],
            duration: waited,
            ..ExecuteResponse::default()
        }
    }

    pub(super) fn response(&self, outcome: Outcome) -> ExecuteResponse {
        let mut limits = Vec::new();
        if outcome.timed_out {
            limits.push(LimitReached::timeout(self.timeout.unwrap_or_default()));
        }
        limits.extend(outcome.limit.as_ref().and_then(limit_reached));
        if outcome.truncated {
            limits.push(LimitReached::output(self.max_output));
        }
        let exit_code =
            if outcome.timed_out { ExecuteResponse::TIMEOUT_EXIT_CODE } else { outcome.status.code() };
        ExecuteResponse {
            exit_code: Some(exit_code),
            output: outcome.output.into(),
            stdout: outcome.stdout.into(),
            stderr: outcome.stderr.into(),
            truncated: outcome.truncated,
            timed_out: outcome.timed_out,
            limits,
            duration: outcome.duration,
        }
    }
}

/// A limit of the kernel, unless it is one that the answer names anyway.
pub(super) fn limit_reached(limit: &Limit) -> Option<LimitReached> {
    let named = matches!(limit, Limit::WallTime(_) | Limit::Output(_));
    (!named).then(|| LimitReached::new(kind(limit), limit.to_string()))
}

pub(super) fn error(error: sandshell_runtime::Error) -> Error {
    use sandshell_runtime::Error as E;
    let kind = match &error {
        E::WorkingDirectory { .. } => ErrorKind::InvalidRequest,
        E::ShutDown => ErrorKind::SandboxEnded,
        E::Limit(_) => ErrorKind::QuotaExceeded,
        E::Busy(_) => ErrorKind::Conflict,
        _ => ErrorKind::Unexpected,
    };
    Error::new(kind, error.to_string()).with_source(error)
}

fn kind(limit: &Limit) -> LimitKind {
    match limit {
        Limit::WallTime(_) => LimitKind::WallTime,
        Limit::Fuel(_) | Limit::BackgroundCpu(_) | Limit::CompileTime(_) => LimitKind::CpuTime,
        Limit::ProcessMemory(_) | Limit::SandboxMemory(_) | Limit::Stack(_) | Limit::Pool => {
            LimitKind::Memory
        }
        Limit::Processes(_) | Limit::AllProcesses(_) | Limit::BackgroundProcesses(_) => LimitKind::Processes,
        Limit::Descriptors(_) | Limit::Pipes(_) | Limit::Sockets(_) | Limit::HostDescriptors => {
            LimitKind::OpenFiles
        }
        Limit::Output(_) => LimitKind::Output,
        Limit::DiskBytes | Limit::DiskQuota => LimitKind::Disk,
        _ => LimitKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(prepared: &Prepared, name: &str) -> Vec<String> {
        let values = prepared.command.env.iter().filter(|(other, _)| other == name.as_bytes());
        values.map(|(_, value)| String::from_utf8_lossy(value).into_owned()).collect()
    }

    #[test]
    fn the_request_wins_over_the_sandbox_and_that_over_the_defaults() {
        let mut options = LocalOptions::default().env("A", "sandbox").env("HOME", "/elsewhere");
        options.timeout = Some(Duration::from_secs(9));
        let request = ExecuteRequest::new("x").env("A", "request").cwd("/tmp").max_output(7);
        let prepared = prepare(&options, request, None).expect("fine");
        assert_eq!(env(&prepared, "A"), ["request"]);
        assert_eq!(env(&prepared, "HOME"), ["/elsewhere"]);
        assert_eq!(env(&prepared, "PWD"), ["/tmp"]);
        assert_eq!(env(&prepared, "USER"), ["user"]);
        assert_eq!((prepared.command.output.limit, prepared.command.timeout), (7, options.timeout));
        let lifted = prepare(&options, ExecuteRequest::new("x").timeout(Duration::ZERO), None).expect("fine");
        assert_eq!((lifted.command.timeout, lifted.command.output.limit), (None, 10 << 20));
    }
}
