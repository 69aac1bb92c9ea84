//! Searches the files of a tree in several processes.
//!
//! The process that walks the tree gives batches of names to copies of itself, and writes their answers in the order of
//! the walk, so the output is the same as that of a single process. When all helpers have enough to do, it searches a
//! batch itself.

use super::walk::{FoundFile, Grep};
use crate::out::{END, Out, frame};
use sandshell_posix::place::Place;
use sandshell_sys as sys;
use std::collections::VecDeque;
use std::time::Duration;
use sys::open_flags as f;

/// How many files are searched before helpers are started. Searching them takes about as long as starting the helpers.
const FILES_WITHOUT_HELPERS: u32 = 128;
/// The number of files in a batch.
const BATCH: usize = 16;
/// The largest number of helpers, however many processors there are.
const MAX_HELPERS: u32 = 3;
/// The most bytes of names that a helper may have without having answered. As this is less than a pipe's capacity,
/// writing names to a helper never blocks while the helper waits for its answer to be read.
const MAX_UNANSWERED: usize = 16 << 10;
/// How many requests a helper may have. With these it is busy while this process searches a batch itself.
const MAX_REQUESTS: usize = 4;
/// How many bytes of answers are kept while earlier ones are incomplete.
const MAX_KEPT: usize = 4 << 20;
/// The size of the buffer for reading answers.
const BLOCK: usize = 64 << 10;

/// The helper processes, and results that cannot be written yet. There are none by default.
#[derive(Default)]
pub(crate) struct Helpers {
    /// How many files the walk has found.
    files: u32,
    processes: Vec<Helper>,
    batch: Vec<FoundFile>,
    /// In the order of the walk.
    answers: VecDeque<HelperOutput>,
    /// The number of bytes in `answers`.
    kept: usize,
}

struct Helper {
    pid: sys::Pid,
    requests: sys::Fd,
    answers: sys::Fd,
    /// The lengths of the requests that it has not answered yet.
    given: VecDeque<usize>,
    /// An incomplete frame at the end of what was read of its answers.
    partial: Vec<u8>,
}

struct HelperOutput {
    frames: Vec<u8>,
    /// The helper that it comes from; `None` when it is complete.
    from: Option<usize>,
}

impl Grep<'_> {
    /// Searches a file of the tree, now or later.
    pub(super) fn search_in_tree(&mut self, found: FoundFile) {
        self.helpers.files = self.helpers.files.saturating_add(1);
        if self.helpers.files == FILES_WITHOUT_HELPERS && self.is_divisible() {
            self.start_helpers();
        }
        if self.helpers.processes.is_empty() {
            return self.read(&found.place);
        }
        self.helpers.batch.push(found);
        if self.helpers.batch.len() == BATCH {
            self.hand_out();
            self.write_answers(false);
        }
    }

    /// Waits for the helpers and writes all their results.
    pub(super) fn await_helpers(&mut self) {
        if !self.helpers.processes.is_empty() {
            self.hand_out();
            self.write_answers(true);
        }
    }

    /// Ends the helper processes.
    pub(super) fn dismiss_helpers(&mut self) {
        for helper in std::mem::take(&mut self.helpers.processes) {
            let _ = sys::close(helper.requests);
            let _ = sys::close(helper.answers);
            let _ = sys::wait(helper.pid, 0);
        }
    }

    // Whether the output for a file is independent of all other files.
    fn is_divisible(&self) -> bool {
        let context = self.o.before.is_some() || self.o.after.is_some();
        !(self.o.quiet || self.o.line_buffered || context)
    }

    fn start_helpers(&mut self) {
        // Otherwise each helper would have a copy of the buffered output.
        self.scan.p.out.flush();
        for _ in 1..sys::nproc().min(MAX_HELPERS + 1) {
            // Without helpers the search is only slower.
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

    // The main loop of a helper: answers requests until there are no more.
    fn help(&mut self, requests: sys::Fd, answers: sys::Fd) -> u8 {
        while let Ok(paths) = read_request(requests) {
            self.found = false;
            self.failed = false;
            self.scan.p.out = Out::framed(answers);
            for path in paths {
                // The directories of the walk are another process's.
                self.read(&Place::start(path));
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
        let batch = std::mem::take(&mut self.helpers.batch);
        if batch.is_empty() {
            return;
        }
        let request = request(&batch);
        let room = |helper: &Helper| {
            let given: usize = helper.given.iter().sum();
            given == 0 || given + request.len() <= MAX_UNANSWERED
        };
        let free = self.helpers.processes.iter().enumerate().filter(|(_, helper)| room(helper));
        let free =
            free.map(|(i, helper)| (helper.given.len(), i)).min().filter(|(given, _)| *given < MAX_REQUESTS);
        if let Some((_, i)) = free
            && let Some(helper) = self.helpers.processes.get_mut(i)
            && sys::write_all(helper.requests, &request).is_ok()
        {
            helper.given.push_back(request.len());
            self.helpers.answers.push_back(HelperOutput { frames: Vec::new(), from: Some(i) });
            return;
        }
        for found in batch {
            self.search_here(&found);
        }
    }

    // Searches a file in this process. Its output must come after that of earlier files.
    fn search_here(&mut self, found: &FoundFile) {
        let path = &found.place.path;
        let opened = found.place.open(f::READ | f::CLOEXEC);
        // The output of a large file may be too large to keep, and another kind of file may let this process wait.
        if opened.is_ok_and(|fd| !found.regular || self.scan.read_ahead(fd)) {
            self.write_answers(true);
        }
        let helpers = std::mem::take(&mut self.helpers);
        if helpers.answers.is_empty() {
            self.read_opened(opened, path);
            self.helpers = helpers;
            return;
        }
        let out = std::mem::replace(&mut self.scan.p.out, Out::buffered());
        self.read_opened(opened, path);
        let frames = std::mem::replace(&mut self.scan.p.out, out).into_frames();
        self.helpers = helpers;
        self.helpers.kept += frames.len();
        self.helpers.answers.push_back(HelperOutput { frames, from: None });
    }

    // Writes the complete answers, or waits and writes all of them.
    fn write_answers(&mut self, all: bool) {
        loop {
            let Some(first) = self.write_first() else { return };
            if all || self.helpers.kept > MAX_KEPT {
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

    // Writes answers from the front, up to an incomplete one. Returns the helper that this one comes from.
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

    // Reads what a helper has answered, waiting if necessary.
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
            return self.helper_ended(from);
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

    // Handles the end of a helper, for example because somebody killed it. Its unanswered files are not searched.
    fn helper_ended(&mut self, helper: usize) {
        self.failed = true;
        self.scan.p.out.message("grep", b"a process that searched some of the files has ended");
        for answer in &mut self.helpers.answers {
            answer.from = answer.from.filter(|from| *from != helper);
        }
        if let Some(helper) = self.helpers.processes.get_mut(helper) {
            // This makes it look busy, so that it gets no more requests.
            helper.given = VecDeque::from([0, 0]);
        }
    }
}

impl Helpers {
    // The helpers whose answers can be read without waiting.
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

/// Builds a request: its length, then each name preceded by its length.
fn request(batch: &[FoundFile]) -> Vec<u8> {
    let mut names = Vec::new();
    for FoundFile { place: Place { path, .. }, .. } in batch {
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

/// Fills the buffer. Fails with `EPIPE` at the end of the input.
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

/// Splits off the first frame: its kind, the frame with its header, and the bytes after it.
fn split_frame(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&kind, rest) = bytes.split_first()?;
    let (length, _) = rest.split_first_chunk::<4>()?;
    let (frame, rest) = bytes.split_at_checked(crate::out::HEAD + u32::from_le_bytes(*length) as usize)?;
    Some((kind, frame, rest))
}
