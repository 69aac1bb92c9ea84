//! `exec --json`.

use super::changes::letter;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
#[cfg(unix)]
use sandshell::SessionResponse;
use sandshell::runtime::{ExitStatus, Limit, Outcome};
use sandshell::vfs::Change;
use sandshell::{ExecuteResponse, LimitReached};
use serde::Serialize;

/// What is printed. In text that is not UTF-8, U+FFFD replaces invalid bytes, and `*_base64` has the original
/// bytes.
#[derive(Serialize)]
pub(crate) struct Report {
    /// The same as the program's exit status: the command's own, 128 + n after signal n, 124 after a timeout.
    status: i32,
    /// The signal that ended the command.
    signal: Option<u8>,
    timed_out: bool,
    stdout: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_base64: Option<String>,
    stderr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_base64: Option<String>,
    /// Both streams, interleaved as they were written.
    output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_base64: Option<String>,
    /// Whether output was discarded.
    truncated: bool,
    /// The limit that was hit, if one was.
    limit: Option<Reached>,
    duration_ms: f64,
    /// Only if the provider reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ms: Option<f64>,
    /// Instructions executed; absent if they are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    fuel: Option<u64>,
    /// With `--session`: what jobs wrote before the command, and whether its shell was started anew or has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<InSession>,
    /// With `--diff` or `--apply`: what the overlays changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<Vec<Changed>>,
    /// With `--diff=patch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) patch: Option<String>,
    /// With `--apply`: whether the changes were written back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) applied: Option<bool>,
}

#[derive(Serialize)]
#[cfg_attr(not(unix), allow(dead_code, reason = "sessions from one `exec` to the next need Unix sockets"))]
struct InSession {
    background: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    background_base64: Option<String>,
    restarted: Option<String>,
    ended: bool,
}

#[derive(Serialize)]
struct Reached {
    kind: &'static str,
    message: String,
}

#[derive(Serialize)]
pub(crate) struct Changed {
    mount: String,
    path: String,
    /// A, M or D.
    change: char,
    mode: String,
    /// Only for a changed file: its former state.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_mode: Option<String>,
}

impl Report {
    pub(crate) fn new(outcome: &Outcome, status: u8) -> Report {
        let (stdout, stdout_base64) = encode(&outcome.stdout);
        let (stderr, stderr_base64) = encode(&outcome.stderr);
        let (output, output_base64) = encode(&outcome.output);
        Report {
            status: i32::from(status),
            signal: match outcome.status {
                ExitStatus::Signaled(signal) => Some(signal),
                ExitStatus::Exited(_) => None,
            },
            timed_out: outcome.timed_out,
            stdout,
            stdout_base64,
            stderr,
            stderr_base64,
            output,
            output_base64,
            truncated: outcome.truncated,
            limit: outcome
                .limit
                .as_ref()
                .map(|limit| Reached { kind: kind(limit), message: limit.to_string() }),
            duration_ms: outcome.duration.as_secs_f64() * 1e3,
            cpu_ms: Some(outcome.cpu_time.as_secs_f64() * 1e3),
            fuel: outcome.fuel,
            session: None,
            changes: None,
            patch: None,
            applied: None,
        }
    }

    /// What a provider answered.
    pub(crate) fn of_response(response: &ExecuteResponse, status: u8) -> Report {
        let (stdout, stdout_base64) = encode(&response.stdout);
        let (stderr, stderr_base64) = encode(&response.stderr);
        let (output, output_base64) = encode(&response.output);
        let limit =
            |limit: &LimitReached| Reached { kind: limit.kind.name(), message: limit.message.clone() };
        Report {
            status: i32::from(status),
            signal: None,
            timed_out: response.timed_out,
            stdout,
            stdout_base64,
            stderr,
            stderr_base64,
            output,
            output_base64,
            truncated: response.truncated,
            limit: response.limits.first().map(limit),
            duration_ms: response.duration.as_secs_f64() * 1e3,
            cpu_ms: None,
            fuel: None,
            session: None,
            changes: None,
            patch: None,
            applied: None,
        }
    }

    /// What a shell that lives answered.
    #[cfg(unix)]
    pub(crate) fn of_session(answer: &SessionResponse, status: u8) -> Report {
        let (background, background_base64) = encode(&answer.background);
        let session = InSession {
            background,
            background_base64,
            restarted: answer.restarted.clone(),
            ended: answer.ended,
        };
        Report { session: Some(session), ..Report::of_response(&answer.response, status) }
    }

    pub(crate) fn text(&self) -> Result<String, String> {
        serde_json::to_string(self).map(|text| text + "\n").map_err(|error| error.to_string())
    }
}

impl Changed {
    pub(crate) fn new((mount, change): &(&str, Change)) -> Changed {
        Changed {
            mount: (*mount).to_owned(),
            path: String::from_utf8_lossy(&change.path).into_owned(),
            change: letter(change.change),
            mode: format!("{:04o}", change.mode),
            old_mode: change.old_mode.map(|mode| format!("{mode:04o}")),
        }
    }
}

fn encode(bytes: &[u8]) -> (String, Option<String>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), Some(STANDARD.encode(bytes))),
    }
}

fn kind(limit: &Limit) -> &'static str {
    match limit {
        Limit::WallTime(_) => "wall_time",
        Limit::Fuel(_) => "fuel",
        Limit::ProcessMemory(_) => "process_memory",
        Limit::SandboxMemory(_) => "sandbox_memory",
        Limit::Stack(_) => "stack",
        Limit::Processes(_) => "processes",
        Limit::AllProcesses(_) => "all_processes",
        Limit::Pool => "pool",
        Limit::HostDescriptors => "host_descriptors",
        Limit::BackgroundProcesses(_) => "background_processes",
        Limit::BackgroundCpu(_) => "background_cpu",
        Limit::Descriptors(_) => "descriptors",
        Limit::Pipes(_) => "pipes",
        Limit::Sockets(_) => "sockets",
        Limit::Modules(_) => "modules",
        Limit::CompileTime(_) => "compile_time",
        Limit::Output(_) => "output",
        Limit::DiskBytes => "disk",
        Limit::DiskQuota => "disk_quota",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_kept() {
        assert_eq!(encode(b"a\xff"), ("a\u{fffd}".to_owned(), Some("Yf8=".to_owned())));
        assert_eq!(encode("ü".as_bytes()), ("ü".to_owned(), None));
    }
}
