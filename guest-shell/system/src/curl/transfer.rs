//! The transfers, one after the other.

use super::http::{Done, Work, unusable};
use super::job::{Job, Retry};
use super::meter::Meter;
use super::output::{self, Output};
use super::report::Report;
use super::session::{Session, Trace};
use super::url::{self, Url};
use super::write_out;
use super::{Failure, file, http};
use crate::base::say;
use crate::net::Deadline;
use sandshell_cli::out;
use sandshell_sys::{self as sys, open_flags};
use std::collections::VecDeque;
use std::time::Duration;

/// The longest time between two attempts.
const LONGEST_DELAY: Duration = Duration::from_secs(600);

/// Runs all transfers of all groups and returns the code of the last one.
pub(super) fn run(jobs: &[Job]) -> i32 {
    let mut session = Session::default();
    let mut run = Run { session: &mut session, number: 0, last: 0 };
    for job in jobs {
        if let Some(path) = &job.stderr
            && path != b"-"
            && let Ok(fd) = sys::open(path, open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC, 0o666)
        {
            let _ = sys::dup2(fd, 2, false);
        }
        run.prepare(job);
        if run.group(job).is_err() {
            break;
        }
    }
    let last = run.last;
    for path in jobs.iter().filter_map(|job| job.cookie_jar.as_ref()) {
        if session.jar.save(path, now()).is_err() {
            say::raw([b"WARNING: failed to save cookies in ", path.as_slice(), b"\n"].concat());
        }
    }
    last
}

fn now() -> i64 {
    i64::try_from(sys::realtime() / 1_000_000_000).unwrap_or(i64::MAX)
}

/// That no further transfer takes place.
struct Stop;

struct Run<'a> {
    session: &'a mut Session,
    number: usize,
    last: i32,
}

impl Run<'_> {
    fn prepare(&mut self, job: &Job) {
        for cookie in job.cookies.iter().filter(|c| !c.contains(&b'=')) {
            self.session.jar.load(cookie, !job.forget_session, now());
        }
        if job.cookie_jar.is_some() && !self.session.jar.is_on() {
            self.session.jar.turn_on();
        }
    }

    fn group(&mut self, job: &Job) -> Result<(), Stop> {
        let mut outputs: VecDeque<Option<Vec<u8>>> = job.outputs.iter().cloned().collect();
        let mut uploads: VecDeque<&Vec<u8>> = job.uploads.iter().collect();
        for pattern in &job.urls {
            let output = outputs.pop_front();
            let output = if output.is_none() && job.all_named { Some(None) } else { output };
            let upload = uploads.pop_front();
            let expanded =
                if job.no_glob { Ok(vec![(pattern.clone(), Vec::new())]) } else { url::expand(pattern) };
            let expanded = match expanded {
                Ok(expanded) => expanded,
                Err((what, at)) => {
                    if !job.silent || job.show_error {
                        let mark = [b" ".repeat(at.saturating_sub(1)), b"^".to_vec()].concat();
                        let head = format!("curl: (3) {what} in URL position {at}:\n");
                        say::raw([head.as_bytes(), pattern, b"\n", &mark, b"\n"].concat());
                    }
                    self.last = 3;
                    return Err(Stop);
                }
            };
            for (text, parts) in expanded {
                let named = output.clone().map(|o| o.map(|name| with_parts(&name, &parts)));
                self.one(job, &text, named, upload.map(Vec::as_slice))?;
            }
        }
        Ok(())
    }

    fn one(
        &mut self,
        job: &Job,
        text: &[u8],
        output: Option<Option<Vec<u8>>>,
        upload: Option<&[u8]>,
    ) -> Result<(), Stop> {
        let begun = sys::monotonic();
        let mut report =
            Report { url: text.to_vec(), effective: text.to_vec(), number: self.number, ..Report::default() };
        report.method = method(job, upload.is_some());
        report.times.begun = begun;
        self.number += 1;
        let done = self.attempts(job, text, output, upload, &mut report);
        report.times.ended = sys::monotonic();
        self.last = 0;
        if let Err((code, message)) = done {
            self.last = code;
            if code == 26 && upload.is_some() && report.scheme.is_none() {
                return Err(Stop);
            }
            report.error.clone_from(&message);
            complain(job, code, &message);
        }
        report.code = self.last;
        if let Some(format) = &job.write_out {
            write_out::print(format, &report);
        }
        out::flush();
        if self.last != 0 && job.fail_early { Err(Stop) } else { Ok(()) }
    }

    /// Tries a transfer as often as `--retry` says. Failures but the last are reported.
    fn attempts(
        &mut self,
        job: &Job,
        text: &[u8],
        output: Option<Option<Vec<u8>>>,
        upload: Option<&[u8]>,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let begun = sys::monotonic();
        if let Some(path) = upload
            && path != b"-"
            && path != b"."
            && sys::stat(path, true).is_err()
        {
            say::raw([b"curl: Can't open '", path, b"'!\n"].concat());
            say::raw("curl: try 'curl --help' or 'curl --manual' for more information\n");
            let message = b"Failed to open/read local data from file/application".to_vec();
            say::raw([b"curl: (26) ", message.as_slice(), b"\n"].concat());
            return Err((26, message));
        }
        let url = url::parse(&with_query(job, text), job.request.path_as_is).map_err(unusable)?;
        let url = into_directory(url, upload);
        report.effective.clone_from(&url.effective);
        report.is_named_by_url = matches!(output, Some(None));
        let target = match output {
            None => None,
            Some(Some(name)) if name == b"-" => None,
            Some(name) => Some(output::target(job, name, &url.path)?),
        };
        report.file.clone_from(&target);
        let to_terminal = sys::isatty(1) && target.is_none();
        if url.scheme == b"file" {
            return local(job, &url, target.as_deref(), upload, report);
        }
        let mut file = Output::new(job, target.as_deref());
        let trace = Trace::new(job, file.is_terminal());
        let mut left = job.retry.times.min(1000);
        let mut delay = Duration::from_secs(1);
        loop {
            let started = sys::monotonic();
            let mut meter = Meter::new(job, to_terminal);
            meter.begin();
            let mut work = Work {
                job,
                session: self.session,
                trace: &trace,
                report,
                output: &mut file,
                meter: &mut meter,
                until: job.limits.total.map(Deadline::after).unwrap_or_default(),
                begun: started,
                now: now(),
            };
            let done = if http::speaks(&url) {
                work.run(url.clone(), upload)
            } else {
                http::unreachable(&mut work, &url)
            };
            let Some(why) = transient(&job.retry, &done, report).filter(|_| left > 0) else {
                let modified = done.as_ref().ok().and_then(|done| done.modified);
                let finished = file.finish(done.is_ok(), modified);
                return done.map(drop).and(finished);
            };
            if let Err((code, message)) = &done {
                complain(job, *code, message);
            }
            left -= 1;
            let asked = done.as_ref().ok().and_then(|done| done.retry_after).map(Duration::from_secs);
            let wait = job.retry.delay.or(asked).unwrap_or(delay);
            delay = (delay * 2).min(LONGEST_DELAY);
            // Resolving a name is tried again without waiting: here it cannot begin to work.
            let wait = if matches!(&done, Err((6, _))) { Duration::ZERO } else { wait };
            let most = job.retry.most.map(|m| u64::try_from(m.as_nanos()).unwrap_or(u64::MAX));
            let ends = sys::monotonic() + u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
            if most.is_some_and(|most| ends.saturating_sub(begun) > most) {
                let finished = file.finish(done.is_ok(), None);
                return done.map(drop).and(finished);
            }
            if !matches!(&done, Err((6, _))) {
                warn_retry(job, why, wait, left + 1);
            }
            let _ = sys::sleep(wait);
            file.begin_again();
            report.begin_again();
        }
    }
}

fn complain(job: &Job, code: i32, message: &[u8]) {
    if (!job.silent || job.show_error) && !(code == 26 && message.is_empty()) {
        say::beside([format!("curl: ({code}) ").as_bytes(), message, b"\n"].concat());
    }
}

/// The method of a transfer's first request.
fn method(job: &Job, uploads: bool) -> Vec<u8> {
    let method: &[u8] = match &job.method {
        Some(method) => method,
        None if job.head => b"HEAD",
        None if uploads => b"PUT",
        None if job.posts && !job.get => b"POST",
        None => b"GET",
    };
    method.to_vec()
}

/// The URL with what `-G` and `--url-query` add to it.
fn with_query(job: &Job, text: &[u8]) -> Vec<u8> {
    let mut added: Vec<&[u8]> = Vec::new();
    if !job.query.is_empty() {
        added.push(&job.query);
    }
    if let Some(data) = job.data.as_ref().filter(|data| job.get && !data.is_empty()) {
        added.push(data);
    }
    if added.is_empty() {
        return text.to_vec();
    }
    let end = text.iter().position(|b| *b == b'#').unwrap_or(text.len());
    let (bare, fragment) = text.split_at(end);
    // Without a path, the query would belong to the host.
    let after_scheme = bare.windows(3).position(|w| w == b"://").map_or(0, |at| at + 3);
    let has_path = bare.get(after_scheme..).is_some_and(|rest| rest.iter().any(|b| matches!(b, b'/' | b'?')));
    let slash: &[u8] = if has_path { b"" } else { b"/" };
    let sign: &[u8] = if bare.contains(&b'?') { b"&" } else { b"?" };
    [bare, slash, sign, &added.join(&b'&'), fragment].concat()
}

/// An upload to a directory is a file of the same name in it.
fn into_directory(mut url: Url, upload: Option<&[u8]>) -> Url {
    let Some(path) = upload.filter(|path| !matches!(*path, b"-" | b".")) else { return url };
    if url.scheme == b"file" || !url.path.ends_with(b"/") {
        return url;
    }
    let name = path.rsplit(|b| *b == b'/').next().unwrap_or_default();
    for b in name {
        let byte = if b.is_ascii_alphanumeric() || b"-._~".contains(b) {
            vec![*b]
        } else {
            format!("%{b:02X}").into_bytes()
        };
        url.path.extend_from_slice(&byte);
        url.effective.extend_from_slice(&byte);
    }
    url
}

fn local(
    job: &Job,
    url: &Url,
    target: Option<&[u8]>,
    upload: Option<&[u8]>,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut meter = Meter::new(job, sys::isatty(1) && target.is_none());
    report.scheme = Some("FILE".into());
    meter.begin();
    match upload {
        Some(path) => file::send(path, url, report, &mut meter),
        None => file::fetch(job, url, target, report, &mut meter),
    }
}

/// Why a transfer is worth another attempt.
fn transient(retry: &Retry, done: &Result<Done, Failure>, report: &Report) -> Option<&'static str> {
    match done {
        Err((28, _)) => Some("timeout"),
        Err((6, _)) => Some("DNS"),
        Err((7, _)) if retry.refused => Some("connection refused"),
        Ok(_) | Err((22, _)) if matches!(report.code_of_answer, 408 | 429 | 500 | 502 | 503 | 504) => {
            Some("HTTP error")
        }
        Err(_) if retry.all_errors => Some("(retrying all errors)"),
        _ => None,
    }
}

fn warn_retry(job: &Job, why: &str, wait: Duration, left: u32) {
    if job.silent {
        return;
    }
    let seconds = wait.as_secs_f64();
    let text = format!("Problem : {why}. Will retry in {seconds} seconds. {left} retries left.");
    say::beside(wrapped(&text));
}

/// A warning in lines of 79 columns.
fn wrapped(text: &str) -> String {
    const ROOM: usize = 69;
    let (mut rest, mut out) = (text, String::new());
    while rest.len() > ROOM {
        let Some(at) = rest.get(..=ROOM).and_then(|line| line.rfind(' ')) else { break };
        let (line, more) = rest.split_at(at + 1);
        out += &format!("Warning: {line}\n");
        rest = more;
    }
    out + &format!("Warning: {rest}\n")
}

/// Replaces `#1` by the string chosen from the first set or range, and so on.
fn with_parts(name: &[u8], parts: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(b) = name.get(at) {
        let digits = name.get(at + 1..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
        let number = name
            .get(at + 1..at + 1 + digits)
            .and_then(|d| std::str::from_utf8(d).ok()?.parse::<usize>().ok());
        match number.filter(|_| *b == b'#').and_then(|n| parts.get(n.checked_sub(1)?)) {
            Some(part) => {
                out.extend_from_slice(part);
                at += 1 + digits;
            }
            None => {
                out.push(*b);
                at += 1;
            }
        }
    }
    out
}
