//! `wasi:io` streams over open file descriptions.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use wasmtime_wasi_io::poll::Pollable;
use wasmtime_wasi_io::streams::{InputStream, OutputStream, StreamError, StreamResult};

use crate::error::{Errno, Result};
use crate::fd::Description;
use crate::io::{note_space, within_file_size};
use crate::kernel::KernelInner;
use crate::process::Process;
use crate::process::signal::SIGPIPE;

/// The most bytes that one read returns and one write takes.
const CHUNK: usize = 64 << 10;

/// The error inside a stream's `error` resource.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("error {}", .0.0)]
pub(super) struct StreamErrno(pub(super) Errno);

fn failed(errno: Errno) -> StreamError {
    StreamError::LastOperationFailed(StreamErrno(errno).into())
}

/// The description of a standard stream. It is looked up when the stream is created, so closing the descriptor later
/// does not affect the stream.
fn description(process: &Process, fd: u32) -> Option<Arc<Description>> {
    process.files.lock().get(fd).ok().map(|descriptor| descriptor.description.clone())
}

/// Reads a description, at its own offset or at the stream's.
pub(super) struct Input {
    process: Arc<Process>,
    description: Option<Arc<Description>>,
    offset: Option<u64>,
}

impl Input {
    /// Reads at the description's offset and moves it. Closed if `fd` is not open.
    pub(super) fn sequential(process: &Arc<Process>, fd: u32) -> Input {
        Input { process: process.clone(), description: description(process, fd), offset: None }
    }

    /// Reads from `offset` on.
    pub(super) fn at(process: &Arc<Process>, description: Arc<Description>, offset: u64) -> Input {
        Input { process: process.clone(), description: Some(description), offset: Some(offset) }
    }
}

impl InputStream for Input {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        let Some(description) = &self.description else { return Err(StreamError::Closed) };
        let mut buf = vec![0; size.min(CHUNK)];
        let read = match &mut self.offset {
            Some(offset) => description.read_at(&mut buf, *offset).inspect(|count| *offset += *count as u64),
            None => match description.poll_read(&mut Context::from_waker(Waker::noop()), &mut buf) {
                Poll::Ready(read) => read,
                Poll::Pending => return Ok(Bytes::new()),
            },
        };
        match read {
            Ok(0) if size > 0 => Err(StreamError::Closed),
            Ok(count) => {
                buf.truncate(count);
                Ok(buf.into())
            }
            Err(errno) => Err(failed(errno)),
        }
    }
}

#[async_trait::async_trait]
impl Pollable for Input {
    async fn ready(&mut self) {
        if let (Some(description), None) = (&self.description, self.offset) {
            let _host_wait = self.process.gate.begin_host_wait();
            poll_fn(|cx| description.poll_readable(cx)).await;
        }
    }
}

/// Where an output stream writes.
enum Target {
    /// At the description's offset.
    Sequential,
    /// At the stream's own offset.
    At(u64),
}

/// Writes a description. What a pipe does not take at once stays pending here, and the component can write again when
/// it has been written.
pub(super) struct Output {
    kernel: Arc<KernelInner>,
    process: Arc<Process>,
    description: Option<Arc<Description>>,
    target: Target,
    pending: Bytes,
}

impl Output {
    /// Writes at the description's offset. Closed if `fd` is not open.
    pub(super) fn sequential(kernel: &Arc<KernelInner>, process: &Arc<Process>, fd: u32) -> Output {
        Output::new(kernel, process, description(process, fd), Target::Sequential)
    }

    /// Writes from `offset` on.
    pub(super) fn at(
        kernel: &Arc<KernelInner>,
        process: &Arc<Process>,
        description: Arc<Description>,
        offset: u64,
    ) -> Output {
        Output::new(kernel, process, Some(description), Target::At(offset))
    }

    /// Appends to a description that was opened for appending.
    pub(super) fn append(
        kernel: &Arc<KernelInner>,
        process: &Arc<Process>,
        description: Arc<Description>,
    ) -> Output {
        Output::new(kernel, process, Some(description), Target::Sequential)
    }

    fn new(
        kernel: &Arc<KernelInner>,
        process: &Arc<Process>,
        description: Option<Arc<Description>>,
        target: Target,
    ) -> Output {
        Output {
            kernel: kernel.clone(),
            process: process.clone(),
            description,
            target,
            pending: Bytes::new(),
        }
    }

    /// Writes as much of the pending bytes as is possible without waiting.
    fn advance(&mut self, cx: &mut Context<'_>) -> StreamResult<()> {
        let Some(description) = &self.description else { return Err(StreamError::Closed) };
        while !self.pending.is_empty() {
            let offset = match &self.target {
                Target::At(offset) => Some(*offset),
                Target::Sequential => None,
            };
            let allowed =
                within_file_size(&self.kernel, &self.process, description, offset, self.pending.len());
            let written: Result<usize> = match (allowed, &mut self.target) {
                (Err(errno), _) => Err(errno),
                (Ok(allowed), Target::At(offset)) => {
                    let written = description.write_at(&self.pending[..allowed], *offset);
                    written.inspect(|count| *offset += *count as u64)
                }
                (Ok(allowed), Target::Sequential) => {
                    match description.poll_write(cx, &self.pending[..allowed]) {
                        Poll::Ready(written) => written,
                        Poll::Pending => return Ok(()),
                    }
                }
            };
            match note_space(&self.process, written) {
                Ok(count) => drop(self.pending.split_to(count.min(self.pending.len()))),
                Err(Errno::PIPE) => {
                    self.pending.clear();
                    self.kernel.deliver(&self.process, SIGPIPE);
                    return Err(StreamError::Closed);
                }
                Err(errno) => {
                    self.pending.clear();
                    return Err(failed(errno));
                }
            }
        }
        Ok(())
    }

    fn advance_at_once(&mut self) -> StreamResult<()> {
        self.advance(&mut Context::from_waker(Waker::noop()))
    }
}

impl OutputStream for Output {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        if !self.pending.is_empty() {
            return Err(StreamError::trap("written to without a permit"));
        }
        self.pending = bytes;
        self.advance_at_once()
    }

    fn flush(&mut self) -> StreamResult<()> {
        self.advance_at_once()
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        self.advance_at_once()?;
        Ok(if self.pending.is_empty() { CHUNK } else { 0 })
    }
}

#[async_trait::async_trait]
impl Pollable for Output {
    async fn ready(&mut self) {
        let process = self.process.clone();
        let _host_wait = process.gate.begin_host_wait();
        poll_fn(|cx| match self.advance(cx) {
            Ok(()) if !self.pending.is_empty() => Poll::Pending,
            // The next call gets the error again and reports it.
            _ => Poll::Ready(()),
        })
        .await;
    }
}
