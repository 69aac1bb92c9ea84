//! Background processes and the job table.

use crate::options::flag;
use crate::shell::{Run, Shell};
use crate::text;
use sandshell_posix::signals;
use sandshell_sys as sys;
use sys::{Errno, Pid, WaitStatus, Waited, signal};

/// With this many jobs, ended ones are collected before another is started.
const MANY: usize = 32;

/// A process of a job.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    /// `None` while it runs.
    pub(crate) status: Option<WaitStatus>,
    /// The process's part of the job's text.
    pub(crate) text: Vec<u8>,
}

/// A job: a pipeline or list that runs in the background or is stopped.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) number: usize,
    pub(crate) processes: Vec<Process>,
    pub(crate) pgid: Option<Pid>,
    pub(crate) text: Vec<u8>,
    pub(crate) notified: bool,
    pub(crate) no_hup: bool,
    pub(crate) background: bool,
    /// Whether `set -o pipefail` was on when it was started.
    pub(crate) pipefail: bool,
}

impl Job {
    pub(crate) fn done(&self) -> bool {
        self.processes
            .iter()
            .all(|p| matches!(p.status, Some(WaitStatus::Exited(_) | WaitStatus::Signaled(_))))
    }

    pub(crate) fn stopped(&self) -> bool {
        self.processes.iter().any(|p| matches!(p.status, Some(WaitStatus::Stopped(_))))
            && self.processes.iter().all(|p| p.status.is_some())
    }

    pub(crate) fn running(&self) -> bool {
        !self.done() && !self.stopped()
    }

    /// The status of the last process; with `pipefail`, that of the last one that failed.
    pub(crate) fn code(&self) -> i32 {
        let mut codes = self.processes.iter().rev().map(|p| p.status.map_or(0, WaitStatus::code));
        if self.pipefail { codes.find(|c| *c != 0).unwrap_or(0) } else { codes.next().unwrap_or(0) }
    }

    pub(crate) fn pid(&self) -> Pid {
        self.processes.last().map_or(0, |p| p.pid)
    }

    pub(crate) fn leader(&self) -> Pid {
        self.pgid.or_else(|| self.processes.first().map(|p| p.pid)).unwrap_or(0)
    }
}

/// The job table, and the statuses of processes without a job.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    pub(crate) list: Vec<Job>,
    /// Ended background processes whose status `wait PID` may still ask for.
    pub(crate) ended: Vec<(Pid, i32)>,
    /// `%%` and `%-`.
    pub(crate) current: Option<usize>,
    pub(crate) previous: Option<usize>,
    /// Processes started outside of jobs (process substitutions).
    pub(crate) others: Vec<Pid>,
    /// Foreground children that ended while another one was waited for.
    early: Vec<Waited>,
    /// The jobs belong to the parent shell: they are shown, but not waited for.
    pub(crate) inherited: bool,
}

impl Jobs {
    pub(crate) fn get(&self, number: usize) -> Option<&Job> {
        self.list.iter().find(|j| j.number == number)
    }

    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut Job> {
        self.list.iter_mut().find(|j| j.number == number)
    }

    pub(crate) fn by_pid(&self, pid: Pid) -> Option<&Job> {
        self.list.iter().find(|j| j.processes.iter().any(|p| p.pid == pid))
    }

    /// Adds a job and makes it current. Returns its number.
    pub(crate) fn add(
        &mut self,
        processes: Vec<Pid>,
        pgid: Option<Pid>,
        text: Vec<u8>,
        background: bool,
    ) -> usize {
        self.forget_notified();
        let number = self.list.last().map_or(0, |j| j.number) + 1;
        let process = |pid| Process { pid, status: None, text: Vec::new() };
        let mut processes: Vec<Process> = processes.into_iter().map(process).collect();
        if let [one] = processes.as_mut_slice() {
            one.text.clone_from(&text);
        }
        let job = Job {
            number,
            processes,
            pgid,
            text,
            notified: false,
            no_hup: false,
            background,
            pipefail: false,
        };
        self.list.push(job);
        if background {
            self.choose_current();
        } else {
            self.make_current(number);
        }
        number
    }

    /// Makes a job `%%`. `%-` becomes an older job of the same kind, stopped or running.
    pub(crate) fn make_current(&mut self, number: usize) {
        if self.current != Some(number) {
            self.previous = self.current;
            self.current = Some(number);
        }
        if self.previous != self.current && self.previous.is_some_and(|n| self.is(n, Job::stopped)) {
            return;
        }
        let older = |kind: fn(&Job) -> bool| self.newest(kind, Some(number));
        let stopped = self.is(number, Job::stopped);
        let previous = if stopped { older(Job::stopped) } else { None };
        let running = || {
            if self.is(number, Job::running) { older(Job::running) } else { self.newest(Job::running, None) }
        };
        self.previous = previous.or_else(running).or(self.current);
    }

    // Stopped jobs come before running ones. Ended jobs are neither `%%` nor `%-`.
    fn choose_current(&mut self) {
        let stopped = |n: &usize| self.is(*n, Job::stopped);
        let chosen = self
            .current
            .filter(stopped)
            .or_else(|| self.previous.filter(stopped))
            .or_else(|| self.newest(Job::stopped, None))
            .or_else(|| self.newest(Job::running, None));
        match chosen {
            Some(number) => self.make_current(number),
            None => (self.current, self.previous) = (None, None),
        }
    }

    fn is(&self, number: usize, kind: fn(&Job) -> bool) -> bool {
        self.get(number).is_some_and(kind)
    }

    fn newest(&self, kind: fn(&Job) -> bool, before: Option<usize>) -> Option<usize> {
        let older = |j: &&Job| before.is_none_or(|n| j.number < n);
        self.list.iter().rev().filter(older).find(|j| kind(j)).map(|j| j.number)
    }

    /// Removes a job from the table. `wait PID` still finds its status: 0 if it has not ended.
    pub(crate) fn remove(&mut self, number: usize) {
        if let Some(job) = self.get(number) {
            let (pid, code, background) = (job.pid(), job.code(), job.background);
            if background {
                self.remember(pid, code);
            }
        }
        self.list.retain(|j| j.number != number);
        if self.current == Some(number) || self.previous == Some(number) {
            self.choose_current();
        }
    }

    /// Removes the jobs whose end has been reported to the user.
    pub(crate) fn forget_notified(&mut self) {
        while let Some(number) = self.list.iter().find(|j| j.notified && j.done()).map(|j| j.number) {
            self.remove(number);
        }
    }

    /// Removes all jobs, because a subshell starts without any.
    pub(crate) fn forget_all(&mut self) {
        self.list.clear();
        self.ended.clear();
    }

    /// Marks an ended job as reported, because `wait` has returned its status.
    pub(crate) fn mark_waited(&mut self, number: usize) {
        if let Some(job) = self.get_mut(number).filter(|j| j.done()) {
            job.notified = true;
        }
    }

    pub(crate) fn remember(&mut self, pid: Pid, code: i32) {
        self.ended.retain(|e| e.0 != pid);
        if self.ended.len() > 1024 {
            self.ended.remove(0);
        }
        self.ended.push((pid, code));
    }

    /// Records what the kernel reported about a child.
    pub(crate) fn note(&mut self, w: Waited) {
        for job in &mut self.list {
            for p in &mut job.processes {
                if p.pid == w.pid
                    && !matches!(p.status, Some(WaitStatus::Exited(_) | WaitStatus::Signaled(_)))
                {
                    p.status = if w.status == WaitStatus::Continued { None } else { Some(w.status) };
                    job.notified = false;
                    if job.stopped() {
                        let number = job.number;
                        self.make_current(number);
                    }
                    return;
                }
            }
        }
        if let Some(i) = self.others.iter().position(|p| *p == w.pid) {
            self.others.remove(i);
            if !matches!(w.status, WaitStatus::Stopped(_) | WaitStatus::Continued) {
                self.remember(w.pid, w.status.code());
            }
            return;
        }
        if self.early.len() > 1024 {
            self.early.remove(0);
        }
        self.early.push(w);
    }

    /// Marks a stopped job as running in the background.
    pub(crate) fn set_running(&mut self, number: usize) {
        let Some(job) = self.get_mut(number) else { return };
        for p in job.processes.iter_mut().filter(|p| matches!(p.status, Some(WaitStatus::Stopped(_)))) {
            p.status = None;
        }
        job.background = true;
        job.notified = true;
    }

    /// Whether there are children other than those of the foreground.
    fn any_running(&self) -> bool {
        !self.inherited && (!self.others.is_empty() || self.list.iter().any(|j| !j.done()))
    }
}

/// The result of looking up a job argument (`%1`).
pub(crate) enum JobSpec {
    Found(usize),
    Missing,
    Ambiguous,
}

impl Shell {
    /// Collects children that have ended, without waiting.
    pub(crate) fn reap(&mut self) {
        if self.jobs.list.iter().rev().all(Job::done) && self.jobs.others.is_empty() {
            return;
        }
        while let Ok(Some(w)) = sys::wait(-1, sys::WNOHANG | sys::WUNTRACED | sys::WCONTINUED) {
            self.jobs.note(w);
            self.child_ended();
        }
    }

    /// Collects ended children if there are many jobs, because uncollected ones count against the limit of processes.
    pub(crate) fn make_room(&mut self) {
        if self.jobs.list.len() >= MANY {
            self.reap();
        }
    }

    /// Notes the end of a child. The CHLD trap runs once for each, but not for children that end while the trap runs.
    pub(crate) fn child_ended(&mut self) {
        let number = usize::from(signal::SIGCHLD);
        if !self.traps.running.contains(&number)
            && self.traps.watching
            && self.traps.get(number).is_some_and(|a| !a.is_empty())
        {
            self.note_signal(signal::SIGCHLD);
        }
    }

    /// Waits for a foreground child. Returns what happened to it.
    pub(crate) fn wait_foreground(&mut self, pid: Pid) -> Waited {
        let held = self.hold_interrupt();
        let waited = self.wait_held(pid);
        self.release_interrupt(held, Some(waited.status));
        waited
    }

    /// Holds SIGINT back while a script waits for the foreground, because it is meant for the foreground first. Returns
    /// the former action if the signal is held.
    pub(crate) fn hold_interrupt(&mut self) -> Option<sys::Disposition> {
        self.interrupted = false;
        if !self.holds_interrupt() {
            return None;
        }
        let old = sys::sigaction(signal::SIGINT, sys::Disposition::Catch).ok()?;
        if old == sys::Disposition::Ignore {
            let _ = sys::sigaction(signal::SIGINT, old);
            return None;
        }
        Some(old)
    }

    /// Ends the wait that [`hold_interrupt`](Self::hold_interrupt) began. A SIGINT that arrived meanwhile ends the
    /// shell if it also killed the last process.
    pub(crate) fn release_interrupt(&mut self, held: Option<sys::Disposition>, last: Option<WaitStatus>) {
        let Some(old) = held else { return };
        self.take_held();
        let _ = sys::sigaction(signal::SIGINT, old);
        if std::mem::take(&mut self.interrupted) && last == Some(WaitStatus::Signaled(signal::SIGINT)) {
            self.end_by_signal(signal::SIGINT);
        }
    }

    fn holds_interrupt(&self) -> bool {
        let answers = self.opts.interactive && !self.in_child;
        !answers && !self.opts.has(flag::MONITOR) && self.traps.get(usize::from(signal::SIGINT)).is_none()
    }

    // Takes the signals that arrived while `hold_interrupt` was in effect. Their traps run after the command.
    fn take_held(&mut self) {
        while let Some(n) = sys::sigtake() {
            match n {
                signal::SIGCHLD => {}
                signal::SIGINT if self.holds_interrupt() => self.interrupted = true,
                n if n != signal::SIGINT && self.is_terminating(n) => {
                    self.end_by_signal(n);
                }
                n => self.note_signal(n),
            }
        }
    }

    /// As [`wait_foreground`](Self::wait_foreground), between `hold_interrupt` and `release_interrupt`.
    pub(crate) fn wait_held(&mut self, pid: Pid) -> Waited {
        let flags = if self.opts.has(flag::MONITOR) { sys::WUNTRACED } else { 0 };
        loop {
            if let Some(i) = self.jobs.early.iter().position(|w| w.pid == pid) {
                return self.jobs.early.remove(i);
            }
            // Background children are collected as soon as they end.
            let whom = if self.jobs.any_running() { -1 } else { pid };
            match sys::wait(whom, flags) {
                Ok(Some(w)) if w.pid != pid => {
                    self.jobs.note(w);
                    self.child_ended();
                    self.report_jobs();
                    self.tell_at_once();
                }
                Ok(Some(w)) => {
                    self.child_ended();
                    if !self.jobs.list.is_empty() {
                        self.reap();
                        self.tidy_jobs();
                    }
                    return w;
                }
                Ok(None) => {}
                Err(Errno::INTR) => self.take_held(),
                Err(_) => {
                    return Waited { pid, status: WaitStatus::Exited(127), utime: 0, stime: 0 };
                }
            }
        }
    }

    /// Waits until a job has ended or stopped. `Err` is the signal whose trap was run.
    pub(crate) fn wait_job(&mut self, number: usize) -> Result<i32, u8> {
        if self.jobs.get(number).is_some_and(Job::stopped) {
            self.reap();
        }
        loop {
            let Some(job) = self.jobs.get(number) else { return Ok(127) };
            if job.done() {
                return Ok(job.code());
            }
            if job.stopped() && self.opts.has(flag::MONITOR) {
                let (code, background) = (job.code(), job.background);
                if background {
                    self.report_jobs();
                }
                return Ok(code);
            }
            let Some(pid) = job.processes.iter().find(|p| p.status.is_none()).map(|p| p.pid) else {
                return Ok(job.code());
            };
            match sys::wait(-1, sys::WUNTRACED) {
                Ok(Some(w)) => {
                    self.jobs.note(w);
                    self.child_ended();
                }
                Ok(None) => {}
                Err(Errno::INTR) => {
                    if let Some(n) = self.take_trapped() {
                        return Err(n);
                    }
                }
                Err(_) => {
                    self.jobs.note(Waited { pid, status: WaitStatus::Exited(127), utime: 0, stime: 0 });
                }
            }
        }
    }

    /// Takes the signals that have arrived. Returns one that has a trap.
    pub(crate) fn take_trapped(&mut self) -> Option<u8> {
        let mut found = None;
        while let Some(n) = sys::sigtake() {
            if n == signal::SIGCHLD {
                continue;
            }
            self.note_signal(n);
            if self.traps.get(usize::from(n)).is_some() || self.is_terminating(n) || self.opts.interactive {
                found = Some(n);
            }
        }
        found
    }

    /// Looks up a job specification `%…`.
    pub(crate) fn find_job(&self, spec: &[u8]) -> JobSpec {
        let name = spec.strip_prefix(b"%").unwrap_or(spec);
        let found = |n: Option<usize>| match n.filter(|n| self.jobs.get(*n).is_some()) {
            Some(n) => JobSpec::Found(n),
            None => JobSpec::Missing,
        };
        match name {
            b"" | b"%" | b"+" => found(self.jobs.current),
            b"-" => found(self.jobs.previous),
            n if text::is_digits(n) => found(text::parse_integer(n).and_then(|n| usize::try_from(n).ok())),
            n => {
                let (wanted, inside) = match n.strip_prefix(b"?") {
                    Some(rest) => (rest, true),
                    None => (n, false),
                };
                let mut matches = self.jobs.list.iter().filter(|j| {
                    if inside {
                        j.text.windows(wanted.len().max(1)).any(|w| w == wanted)
                    } else {
                        j.text.starts_with(wanted)
                    }
                });
                match (matches.next(), matches.next()) {
                    (Some(j), None) => JobSpec::Found(j.number),
                    (Some(_), Some(_)) => JobSpec::Ambiguous,
                    _ => JobSpec::Missing,
                }
            }
        }
    }

    /// `Running`, `Done`, `Exit 3`, `Terminated`…
    pub(crate) fn job_state(job: &Job) -> String {
        if !job.done() && !job.stopped() {
            return "Running".into();
        }
        if job.stopped() {
            return "Stopped".into();
        }
        Self::process_state(job.processes.last().and_then(|p| p.status))
    }

    fn process_state(status: Option<WaitStatus>) -> String {
        match status {
            Some(WaitStatus::Exited(0)) => "Done".into(),
            Some(WaitStatus::Exited(n)) => format!("Exit {n}"),
            Some(WaitStatus::Signaled(n)) => signals::describe(n),
            Some(WaitStatus::Stopped(_)) => "Stopped".into(),
            _ => "Running".into(),
        }
    }

    /// Prints changed jobs at the prompt of an interactive shell. In other shells, ended jobs are silently removed.
    pub(crate) fn notify_jobs(&mut self) {
        if self.jobs.list.is_empty() {
            return;
        }
        self.reap();
        let lines = self.ended_jobs();
        let _ = sys::write_all(2, &lines);
    }

    /// Lines for the jobs of an interactive shell that have ended, which are then forgotten.
    pub(crate) fn ended_jobs(&mut self) -> Vec<u8> {
        let mut lines = Vec::new();
        let ended = |job: &&Job| job.done() && !job.notified;
        let numbers: Vec<usize> = self.jobs.list.iter().filter(ended).map(|job| job.number).collect();
        for number in numbers.into_iter().filter(|_| self.opts.interactive) {
            lines.extend(self.job_line(number, false));
            self.jobs.remove(number);
        }
        lines
    }

    /// `set -b`: says at once which jobs have ended.
    fn tell_at_once(&mut self) {
        if self.opts.has(flag::NOTIFY) && !self.in_child {
            let lines = self.ended_jobs();
            let _ = sys::write_all(2, &lines);
        }
    }

    /// A line of `jobs`.
    pub(crate) fn job_line(&self, number: usize, long: bool) -> Vec<u8> {
        let Some(job) = self.jobs.get(number) else { return Vec::new() };
        let mark = if self.jobs.current == Some(number) {
            '+'
        } else if self.jobs.previous == Some(number) {
            '-'
        } else {
            ' '
        };
        let stop = job.processes.iter().find_map(|p| match p.status {
            Some(WaitStatus::Stopped(n)) => Some(n),
            _ => None,
        });
        let state = match stop {
            Some(n) if long && !job.done() => signals::describe(n),
            _ => Self::job_state(job),
        };
        let mut out = format!("[{number}]{mark}  ").into_bytes();
        if long {
            out.truncate(out.len() - 2);
            out.extend_from_slice(format!(" {:>5} ", job.leader()).as_bytes());
        }
        out.extend_from_slice(format!("{state:<24}").as_bytes());
        match job.processes.split_first() {
            // Each process has its own line.
            Some((first, rest)) if long && !rest.is_empty() => {
                out.extend_from_slice(&first.text);
                for (i, p) in rest.iter().enumerate() {
                    let before = job.processes.get(i).and_then(|p| p.status);
                    let state =
                        if p.status == before { String::new() } else { Self::process_state(p.status) };
                    let start = format!("\n     {:>5} {state:<22}| ", p.pid);
                    out.extend_from_slice(start.as_bytes());
                    out.extend_from_slice(&p.text);
                }
            }
            _ => out.extend_from_slice(&job.text),
        }
        if !job.done() && !job.stopped() && job.background {
            out.extend_from_slice(b" &");
        }
        out.push(b'\n');
        out
    }

    /// Reports that a signal killed a foreground child, as bash does in a script.
    pub(crate) fn report_signal(&mut self, w: &Waited, text: impl FnOnce() -> Vec<u8>) -> Run {
        if let WaitStatus::Signaled(n) = w.status
            && n != signal::SIGPIPE
            && n != signal::SIGINT
        {
            if self.opts.interactive || n == signal::SIGTERM || self.traps.get(usize::from(n)).is_some() {
                let line = format!("{}\n", signals::describe(n));
                self.write_error(line.as_bytes());
            } else {
                let mut line = self.prefix_at(if self.base_line > 0 { self.base_line } else { self.line });
                line.extend_from_slice(format!("{:>5} {:<24}", w.pid, signals::describe(n)).as_bytes());
                line.extend_from_slice(&text());
                line.push(b'\n');
                self.write_error(&line);
            }
        }
        Ok(())
    }
}
