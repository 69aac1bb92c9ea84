//! Collects a command's output as it arrives.

use std::time::Instant;

use bytes::Bytes;

use crate::{ExecuteRequest, ExecuteResponse, LimitReached, OutputChunk, OutputSender, OutputStream};

/// How many bytes of output are kept if the request has no limit.
const DEFAULT_LIMIT: u64 = 10 << 20;

/// Collects output up to the request's limit and passes it on.
pub(crate) struct OutputBuffer {
    limit: usize,
    timeout: Option<std::time::Duration>,
    sender: Option<OutputSender>,
    started: Instant,
    output: Vec<u8>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    truncated: bool,
}

impl OutputBuffer {
    pub(crate) fn new(request: &ExecuteRequest, sender: Option<OutputSender>) -> Self {
        Self {
            limit: usize::try_from(request.max_output.unwrap_or(DEFAULT_LIMIT)).unwrap_or(usize::MAX),
            timeout: request.timeout,
            sender,
            started: Instant::now(),
            output: Vec::new(),
            stdout: Vec::new(),
            stderr: Vec::new(),
            truncated: false,
        }
    }

    /// Adds a piece of output. Output over the limit is not kept, and the answer is marked as truncated.
    pub(crate) async fn push(&mut self, stream: OutputStream, mut data: Bytes) {
        let room = self.limit.saturating_sub(self.output.len());
        if data.len() > room {
            self.truncated = true;
            data.truncate(room);
        }
        if data.is_empty() {
            return;
        }
        self.output.extend_from_slice(&data);
        match stream {
            OutputStream::Stdout => self.stdout.extend_from_slice(&data),
            OutputStream::Stderr => self.stderr.extend_from_slice(&data),
        }
        if let Some(sender) = &self.sender
            && sender.send(OutputChunk { stream, data }).await.is_err()
        {
            // When the reader goes away, streaming stops but the command goes on.
            self.sender = None;
        }
    }

    /// Adds output that arrived all at once.
    pub(crate) fn whole(&mut self, output: String, stdout: String, stderr: String) {
        let cut = |text: String, room: usize| {
            let mut bytes = text.into_bytes();
            bytes.truncate(room);
            bytes
        };
        self.truncated = output.len() > self.limit;
        self.output = cut(output, self.limit);
        self.stdout = cut(stdout, self.limit);
        self.stderr = cut(stderr, self.limit - self.stdout.len());
    }

    /// The answer of a command that ended.
    pub(crate) fn ended(self, exit_code: Option<i32>) -> ExecuteResponse {
        self.response(exit_code, false)
    }

    /// The answer of a command that ran out of time.
    pub(crate) fn timed_out(self) -> ExecuteResponse {
        self.response(Some(ExecuteResponse::TIMEOUT_EXIT_CODE), true)
    }

    fn response(self, exit_code: Option<i32>, timed_out: bool) -> ExecuteResponse {
        let mut limits = Vec::new();
        if timed_out {
            limits.push(LimitReached::timeout(self.timeout.unwrap_or_default()));
        }
        if self.truncated {
            limits.push(LimitReached::output(self.limit as u64));
        }
        ExecuteResponse {
            exit_code,
            output: self.output.into(),
            stdout: self.stdout.into(),
            stderr: self.stderr.into(),
            truncated: self.truncated,
            timed_out,
            limits,
            duration: self.started.elapsed(),
        }
    }
}
