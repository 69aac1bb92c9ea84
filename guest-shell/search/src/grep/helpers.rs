//! Searching the files of a tree in several processes at once.
//!
//! The process that walks the tree gives names to copies of itself, in batches, and writes what they answer in the order of
//! the walk: the output is the same as that of one process. When all helpers have enough to do, it searches a batch itself.

use super::walk::Grep;
use crate::out::{END, Out, frame};
use sandshell_sys as sys;
use std::collections::VecDeque;
use std::time::Duration;

/// How many files are searched without help: to start helpers takes about as long.
const ALONE: u32 = 128;
/// Files in a batch.
const BATCH: usize = 16;
/// The most helpers there are, whatever the number of processors.
const MOST: u32 = 3;
/// Bytes of names that a helper has not answered. This is less than a pipe holds: a helper that waits until its answer is
/// read never keeps this process from giving it more.
const GIVEN: usize = 16 << 10;
/// Bytes of answers that are kept because earlier ones are not complete.
const KEPT: usize = 4 << 20;
/// What answers are read with.
const BLOCK: usize = 64 << 10;

/// The other processes, and what was found in files but is not written yet. By default there are none.
#[derive(Default)]
pub(crate) struct Helpers {
    /// How many files the walk came to.
    files: u32,
    processes: Vec<Helper>,
    batch: Vec<Vec<u8>>,
    /// In the order of the walk.
    answers: VecDeque<HelperOutput>,
    /// Bytes in `answers`.
    kept: usize,
}

struct Helper {
    pid: sys::Pid,
    requests: sys::Fd,
    answers: sys::Fd,
    /// Lengths of the requests that it has not answered.
    given: VecDeque<usize>,
    /// What was read of its answers: a part of a frame.
    partial: Vec<u8>,
}

struct HelperOutput {
    frames: Vec<u8>,
    /// The helper that it comes from, as long as it is not complete.
    from: Option<usize>,
}

impl Grep<'_> {
    /// Searches a file of the tree, at once or later.
    pub(super) fn come_to(&mut self, path: &[u8]) {
        self.helpers.files = self.helpers.files.saturating_add(1);
        if self.helpers.files == ALONE && self.is_divisible() {
            self.start_helpers();
        }
        if self.helpers.processes.is_empty() {
            return self.read(path);
        }
        self.helpers.batch.push(path.to_vec());
        if self.helpers.batch.len() == BATCH {
            self.hand_out();
            self.write_answers(false);
        }
    }

    /// Writes all that was found in files that the walk came to.
    pub(super) fn await_helpers(&mut self) {
        if !self.helpers.processes.is_empty() {
            self.hand_out();
            self.write_answers(true);
        }
    }

    /// Ends the helpers.
    pub(super) fn dismiss_helpers(&mut self) {
        for helper in std::mem::take(&mut self.helpers.processes) {
            let _ = sys::close(helper.requests);
            let _ = sys::close(helper.answers);
            let _ = sys::wait(helper.pid, 0);
        }
    }

    // Whether what is written for a file depends on no other file.
    fn is_divisible(&self) -> bool {
        let context = self.o.before.is_some() || self.o.after.is_some();
        !(self.o.quiet || self.o.line_buffered || context)
    }

    fn start_helpers(&mut self) {
        // What is in the buffer would be copied.
        self.scan.p.out.flush();
        for _ in 1..sys::nproc().min(MOST + 1) {
            // Without help it only takes longer.
            let Ok(helper) = self.start_helper() else { return };
            self.helpers.processes.push(helper);
        }
    }

    fn start_helper(&mut self) -> sys::Result<Helper> {
        let (to_read, requests) = sys::pipe(true)?;
        let (answers, to_write) = sys::pipe(true).inspect_err(|_| close(&[to_read, requests]))?;
        let started = sys::clone(None, || {
            close(&[requests, answers]);
            for other in std::mem::take(&mut self.helpers).processes {
                close(&[other.requests, other.answers]);
            }
            self.help(to_read, to_write)
        });
        close(&[to_read, to_write]);
        let pid = started.inspect_err(|_| close(&[requests, answers]))?;
        Ok(Helper { pid, requests, answers, given: VecDeque::new(), partial: Vec::new() })
    }

    // What a helper does: answers requests until there are no more.
    fn help(&mut self, requests: sys::Fd, answers: sys::Fd) -> u8 {
        while let Ok(paths) = read_request(requests) {
            self.found = false;
            self.failed = false;
            self.scan.p.out = Out::framed(answers);
            for path in &paths {
                self.read(path);
            }
            self.scan.p.out.flush();
            let outcome = [u8::from(self.found), u8::from(self.failed || self.scan.failed)];
            if sys::write_all(answers, &frame(END, &outcome)).is_err() {
                return 2;
            }
        }
        0
    }

    fn hand_out(&mut self) {
        let paths = std::mem::take(&mut self.helpers.batch);
        if paths.is_empty() {
            return;
        }
        let request = request(&paths);
        let room = |helper: &Helper| {
            let given: usize = helper.given.iter().sum();
            given == 0 || given + request.len() <= GIVEN
        };
        let free = self.helpers.processes.iter().enumerate().filter(|(_, helper)| room(helper));
        // Two requests keep a helper busy.
        let free = free.map(|(i, helper)| (helper.given.len(), i)).min().filter(|(given, _)| *given < 2);
        if let Some((_, i)) = free
            && let Some(helper) = self.helpers.processes.get_mut(i)
            && sys::write_all(helper.requests, &request).is_ok()
        {
            helper.given.push_back(request.len());
            self.helpers.answers.push_back(HelperOutput { frames: Vec::new(), from: Some(i) });
            return;
        }
        for path in paths {
            self.search_here(&path);
        }
    }

    // Searches a file in this process, whose output follows that of others.
    fn search_here(&mut self, path: &[u8]) {
        let size = sys::stat(path, true).map_or(0, |s| if s.is_file() { s.size } else { u64::MAX });
        if size > KEPT as u64 / 4 {
            // What is found in it may be too much to keep.
            self.write_answers(true);
        }
        let helpers = std::mem::take(&mut self.helpers);
        if helpers.answers.is_empty() {
            self.read(path);
            self.helpers = helpers;
            return;
        }
        let out = std::mem::replace(&mut self.scan.p.out, Out::kept());
        self.read(path);
        let frames = std::mem::replace(&mut self.scan.p.out, out).into_frames();
        self.helpers = helpers;
        self.helpers.kept += frames.len();
        self.helpers.answers.push_back(HelperOutput { frames, from: None });
    }

    // Writes the answers that are complete, or all.
    fn write_answers(&mut self, all: bool) {
        loop {
            let Some(first) = self.write_first() else { return };
            if all || self.helpers.kept > KEPT {
                self.receive(first);
                continue;
            }
            let ready = self.helpers.ready();
            if ready.is_empty() {
                return;
            }
            for helper in ready {
                self.receive(helper);
            }
        }
    }

    // Writes what comes first, up to an answer that is not complete; the helper that it comes from.
    fn write_first(&mut self) -> Option<usize> {
        while let Some(answer) = self.helpers.answers.front_mut() {
            let frames = std::mem::take(&mut answer.frames);
            let from = answer.from;
            self.helpers.kept -= frames.len();
            let mut at = 0;
            while let Some((_, length)) = self.scan.p.out.replay(frames.get(at..).unwrap_or_default()) {
                at += length;
            }
            if from.is_some() {
                return from;
            }
            self.helpers.answers.pop_front();
        }
        None
    }

    // Takes what a helper has answered, waiting for it.
    fn receive(&mut self, from: usize) {
        let Some(helper) = self.helpers.processes.get_mut(from) else { return };
        let start = helper.partial.len();
        helper.partial.resize(start + BLOCK, 0);
        let got = sys::read(helper.answers, helper.partial.get_mut(start..).unwrap_or_default());
        helper.partial.truncate(start + *got.as_ref().unwrap_or(&0));
        if got == Err(sys::Errno::INTR) {
            return;
        }
        if !got.is_ok_and(|length| length > 0) {
            return self.lose(from);
        }
        let received = std::mem::take(&mut helper.partial);
        let mut rest = &received[..];
        while let Some((kind, whole, tail)) = split_frame(rest) {
            rest = tail;
            let Some(answer) = self.helpers.answers.iter_mut().find(|answer| answer.from == Some(from))
            else {
                break;
            };
            if kind == END {
                answer.from = None;
                self.found |= whole.get(whole.len() - 2) == Some(&1);
                self.failed |= whole.last() == Some(&1);
                if let Some(helper) = self.helpers.processes.get_mut(from) {
                    helper.given.pop_front();
                }
            } else {
                answer.frames.extend_from_slice(whole);
                self.helpers.kept += whole.len();
            }
        }
        if let Some(helper) = self.helpers.processes.get_mut(from) {
            helper.partial = rest.to_vec();
        }
    }

    // A helper has gone, as when somebody kills it: what it had to search is not searched.
    fn lose(&mut self, helper: usize) {
        self.failed = true;
        self.scan.p.out.message("grep", b"a process that searched some of the files has ended");
        for answer in &mut self.helpers.answers {
            answer.from = answer.from.filter(|from| *from != helper);
        }
        if let Some(helper) = self.helpers.processes.get_mut(helper) {
            // It gets no more.
            helper.given = VecDeque::from([0, 0]);
        }
    }
}

impl Helpers {
    // The helpers with answers that can be read without waiting.
    fn ready(&self) -> Vec<usize> {
        let asked = |helper: &&Helper| helper.given.front().is_some_and(|length| *length > 0);
        let mut fds: Vec<_> = self
            .processes
            .iter()
            .filter(asked)
            .map(|helper| sys::PollFd { fd: helper.answers, read: true, write: false, ready: false })
            .collect();
        if fds.is_empty() || sys::poll(&mut fds, Some(Duration::ZERO)).is_err() {
            return Vec::new();
        }
        let is_ready = |helper: &Helper| fds.iter().any(|fd| fd.ready && fd.fd == helper.answers);
        (0..self.processes.len()).filter(|i| self.processes.get(*i).is_some_and(is_ready)).collect()
    }
}

fn close(fds: &[sys::Fd]) {
    for fd in fds {
        let _ = sys::close(*fd);
    }
}

/// The length of a request, then each name after its length.
fn request(paths: &[Vec<u8>]) -> Vec<u8> {
    let mut names = Vec::new();
    for path in paths {
        names.extend_from_slice(&length(path.len()));
        names.extend_from_slice(path);
    }
    [&length(names.len())[..], &names].concat()
}

fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

fn read_request(fd: sys::Fd) -> sys::Result<Vec<Vec<u8>>> {
    let mut head = [0; 4];
    read_exact(fd, &mut head)?;
    let mut names = vec![0; u32::from_le_bytes(head) as usize];
    read_exact(fd, &mut names)?;
    let mut paths = Vec::new();
    let mut rest = &names[..];
    while let Some((head, tail)) = rest.split_first_chunk::<4>() {
        let (path, tail) =
            tail.split_at_checked(u32::from_le_bytes(*head) as usize).ok_or(sys::Errno::INVAL)?;
        paths.push(path.to_vec());
        rest = tail;
    }
    Ok(paths)
}

/// Fails with `EPIPE` if there is less to read.
fn read_exact(fd: sys::Fd, mut buf: &mut [u8]) -> sys::Result<()> {
    while !buf.is_empty() {
        match sys::read(fd, buf) {
            Ok(0) => return Err(sys::Errno::PIPE),
            Ok(got) => buf = buf.get_mut(got..).unwrap_or_default(),
            Err(sys::Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The kind of the first frame, the frame with its head, and what follows it.
fn split_frame(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&kind, rest) = bytes.split_first()?;
    let (length, _) = rest.split_first_chunk::<4>()?;
    let (frame, rest) = bytes.split_at_checked(crate::out::HEAD + u32::from_le_bytes(*length) as usize)?;
    Some((kind, frame, rest))
}
