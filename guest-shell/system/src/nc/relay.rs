//! Copying between a socket and standard input and output, in both directions at once.

use super::options::Job;
use crate::net::Stream;
use sandshell_cli::out;
use sandshell_sys::{self as sys, Errno, Fd, Half, PollFd, message_flags::NOSIGNAL};
use std::time::Duration;

/// As much as waits in one direction.
const ROOM: usize = 16 * 1024;

/// A socket, which is closed when it is dropped.
pub(super) enum Peer {
    Stream(Stream),
    Messages(Fd),
}

impl Peer {
    pub(super) fn fd(&self) -> Fd {
        match self {
            Self::Stream(stream) => stream.fd(),
            Self::Messages(fd) => *fd,
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if let Self::Messages(fd) = self {
            let _ = sys::close(*fd);
        }
    }
}

/// The state of both directions.
struct Relay<'a> {
    job: &'a Job,
    fd: Fd,
    /// What was read from standard input and is not sent.
    pending: Vec<u8>,
    /// Whether the last byte read was a carriage return.
    after_return: bool,
    input_ended: bool,
    peer_ended: bool,
    /// Whether the end of the input was passed on.
    told: bool,
    packets: u64,
}

/// Copies until both sides have ended, or the job's options say so. `first` was received already.
pub(super) fn run(job: &Job, peer: &Peer, first: Option<&[u8]>) {
    let mut relay = Relay {
        job,
        fd: peer.fd(),
        pending: Vec::new(),
        after_return: false,
        input_ended: job.no_input,
        peer_ended: false,
        told: job.no_input,
        packets: 0,
    };
    if let Some(first) = first
        && !relay.show(first)
    {
        return;
    }
    relay.copy();
}

impl Relay<'_> {
    fn copy(&mut self) {
        let mut ends: Option<u64> = None;
        loop {
            if self.input_ended && self.pending.is_empty() {
                if self.job.ends && !self.told {
                    let _ = sys::shutdown(self.fd, Half::Write);
                    self.told = true;
                }
                if let Some(after) = self.job.quits.filter(|_| !self.job.no_input) {
                    let after = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
                    ends.get_or_insert_with(|| sys::monotonic().saturating_add(after));
                }
                if self.peer_ended {
                    return;
                }
            }
            // Who listens does not wait for more input when the peer has gone.
            let waits_for_input = !self.job.no_input && !self.job.listens;
            if self.peer_ended && self.pending.is_empty() && !waits_for_input {
                return;
            }
            let left = ends.map(|at| Duration::from_nanos(at.saturating_sub(sys::monotonic())));
            if left == Some(Duration::ZERO) {
                return;
            }
            let timeout = match (left, self.job.timeout) {
                (Some(left), Some(idle)) => Some(left.min(idle)),
                (left, idle) => left.or(idle),
            };
            let entry = |fd, read, write| PollFd { fd, read, write, ready: false };
            let reads = !self.input_ended && self.pending.is_empty();
            let sends = !self.pending.is_empty();
            let wanted = [(0, reads, false), (self.fd, !self.peer_ended, false), (self.fd, false, sends)];
            // What is not wanted is not asked for: a closed pipe would be ready at once.
            let mut entries: Vec<PollFd> =
                wanted.iter().filter(|w| w.1 || w.2).map(|w| entry(w.0, w.1, w.2)).collect();
            match sys::poll(&mut entries, timeout) {
                // Nothing happened for as long as `-w` or `-q` waits.
                Ok(0) => return,
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return,
            }
            let is_ready = |fd, read| entries.iter().any(|e| e.ready && e.fd == fd && e.read == read);
            let (input, received, room) =
                (is_ready(0, true), is_ready(self.fd, true), is_ready(self.fd, false));
            if received && !self.peer_ended && !self.receive() {
                return;
            }
            if room && !self.pending.is_empty() && !self.send() {
                return;
            }
            if input && reads {
                self.read();
                if !self.pending.is_empty() && !self.send() {
                    return;
                }
            }
        }
    }

    fn read(&mut self) {
        let mut buffer = vec![0; ROOM];
        match sys::read(0, &mut buffer) {
            Ok(0) => self.input_ended = true,
            Ok(count) => {
                let read = buffer.get(..count).unwrap_or_default();
                for byte in read {
                    if self.job.crlf && *byte == b'\n' && !self.after_return {
                        self.pending.push(b'\r');
                    }
                    self.after_return = *byte == b'\r';
                    self.pending.push(*byte);
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.input_ended = true,
        }
    }

    /// Sends what is pending: all of it, or a line if there is a wait after each. False if nobody takes it.
    fn send(&mut self) -> bool {
        let line = memchr::memchr(b'\n', &self.pending).map_or(self.pending.len(), |at| at + 1);
        let end = if self.job.interval.is_some() { line } else { self.pending.len() };
        match sys::send(self.fd, self.pending.get(..end).unwrap_or_default(), NOSIGNAL, None) {
            Ok(count) => {
                self.pending.drain(..count.min(self.pending.len()));
                if let Some(interval) = self.job.interval {
                    let _ = sys::sleep(interval);
                }
                true
            }
            Err(Errno::AGAIN | Errno::INTR) => true,
            // A message that nobody took is lost, as messages are.
            Err(_) if self.job.udp => {
                self.pending.clear();
                true
            }
            Err(_) => false,
        }
    }

    /// Shows what the peer sent. False if that was the last of it.
    fn receive(&mut self) -> bool {
        let mut buffer = vec![0; ROOM];
        match sys::recv(self.fd, &mut buffer, 0) {
            Ok(0) if self.job.udp => true,
            Ok(0) => {
                self.peer_ended = true;
                true
            }
            Ok(count) => self.show(buffer.get(..count).unwrap_or_default()),
            Err(Errno::AGAIN | Errno::INTR) => true,
            Err(_) if self.job.udp => true,
            Err(_) => false,
        }
    }

    fn show(&mut self, data: &[u8]) -> bool {
        out::put(data);
        out::flush();
        self.packets += 1;
        out::failure().is_none() && self.job.packets.is_none_or(|most| self.packets < most)
    }
}
