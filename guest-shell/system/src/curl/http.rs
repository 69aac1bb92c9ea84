//! A transfer by HTTP: requests, and where answers lead.

use super::cookies::Place;
use super::job::{Job, Resume};
use super::meter::{Amounts, Meter};
use super::output::Output;
use super::pool::{self, Connection};
use super::receive::{Answer, Lost, Receiver};
use super::report::Report;
use super::request::{self, Custom, Details, Length};
use super::session::{Session, Trace};
use super::upload::Body;
use super::url::{self, Bad, Url};
use super::{Failure, MALFORMED, failure, proxy, relative};
use crate::net::Deadline;
use sandshell_sys::{self as sys, Address, Errno};
use std::time::Duration;

/// The most redirects that are followed without `--max-redirs`.
const MANY: u32 = 50;
/// From this size on, a text waits for the server's consent.
const LARGE: u64 = 1024 * 1024;
/// How long a client waits for that consent.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a transfer works with.
pub(super) struct Work<'a, 'b> {
    pub(super) job: &'a Job,
    pub(super) session: &'a mut Session,
    pub(super) trace: &'a Trace,
    pub(super) report: &'a mut Report,
    pub(super) output: &'a mut Output<'b>,
    pub(super) meter: &'a mut Meter,
    pub(super) until: Deadline,
    pub(super) begun: u64,
    pub(super) now: i64,
}

/// A request of a transfer.
struct Step {
    url: Url,
    method: Vec<u8>,
    /// The name and password for it.
    user: Option<Vec<u8>>,
    referer: Option<Vec<u8>>,
    is_trusted: bool,
    redirects: u32,
}

/// How a transfer ended.
pub(super) struct Done {
    pub(super) modified: Option<i64>,
    pub(super) retry_after: Option<u64>,
}

impl<'b> Work<'_, 'b> {
    /// Transfers a document, following redirects if that is wanted.
    pub(super) fn run(&mut self, url: Url, upload: Option<&[u8]>) -> Result<Done, Failure> {
        let job = self.job;
        let mut body = Body::of(job, upload)?;
        let mut step = Step {
            user: url.user.clone().or_else(|| job.request.user.clone()),
            method: self.report.method.clone(),
            referer: job.request.referer.clone(),
            is_trusted: true,
            redirects: 0,
            url,
        };
        let first = step.url.clone();
        pool::note_given(job, self.trace);
        loop {
            let (answer, connection) = self.exchange(&step, &mut body)?;
            let host = step.url.host.clone();
            let Some(location) = answer.location.clone().filter(|_| answer.is_redirect()) else {
                return self.finish(answer, connection, &host);
            };
            let next = relative::resolve(&step.url, &location);
            if !job.follow.on {
                self.report.redirect_url = Some(next);
                return self.finish(answer, connection, &host);
            }
            let most = job.follow.most.unwrap_or(Some(MANY));
            self.session.pool.give(connection, answer.keeps, &host, self.trace);
            if most.is_some_and(|most| step.redirects >= most) {
                self.report.redirect_url = Some(next);
                let text = format!("Maximum ({}) redirects followed", step.redirects);
                self.trace.note(&text);
                return Err((47, text.into_bytes()));
            }
            step.redirects += 1;
            self.report.redirects = step.redirects;
            self.report.times.redirect = sys::monotonic();
            if job.request.refers_itself {
                step.referer = Some(step.url.effective.clone());
            }
            self.follow(&mut step, &mut body, &first, &next, answer.status.code)?;
        }
    }

    /// Goes on to where a redirect leads.
    fn follow(
        &mut self,
        step: &mut Step,
        body: &mut Body,
        first: &Url,
        next: &[u8],
        code: u16,
    ) -> Result<(), Failure> {
        let next = url::parse(next, self.job.request.path_as_is).map_err(|bad| {
            let what = match bad {
                Bad::Protocol(_) => "Unsupported URL scheme",
                Bad::Malformed => "Malformed input to a URL function",
            };
            let text = format!("The redirect target URL could not be parsed: {what}");
            self.trace.note(&text);
            (if what.starts_with('U') { 1 } else { 3 }, text.into_bytes())
        })?;
        let same = next.host == first.host && next.port == first.port && next.scheme == first.scheme;
        if !same && !self.job.follow.trusted {
            if next.port != step.url.port {
                self.trace
                    .note(format!("Clear auth, redirects to port from {} to {}", step.url.port, next.port));
            }
            step.is_trusted = false;
            step.user = None;
        } else {
            step.is_trusted = true;
            step.user = first.user.clone().or_else(|| self.job.request.user.clone());
        }
        if next.user.is_some() {
            step.user.clone_from(&next.user);
        }
        step.url = next;
        self.report.effective.clone_from(&step.url.effective);
        self.trace
            .note([b"Issue another request to this URL: '", step.url.effective.as_slice(), b"'"].concat());
        if !matches!(step.url.scheme.as_slice(), b"http" | b"https") {
            let text =
                [b"Protocol \"", step.url.scheme.as_slice(), b"\" not supported or disabled in libcurl"]
                    .concat();
            self.trace.note(&text);
            self.trace.note("Closing connection -1");
            return Err((1, text));
        }
        let rules = &self.job.follow;
        let posts = body.length != Length::None && !self.job.uploads_files();
        let drops = match code {
            301 => posts && !rules.keeps_301,
            302 => posts && !rules.keeps_302,
            303 => {
                !rules.keeps_303 && (body.length != Length::None || step.method != b"GET" && !self.job.head)
            }
            _ => false,
        };
        if drops {
            self.trace.note(if code == 303 { "Switch to GET" } else { "Switch from POST to GET" });
            *body = Body::none();
            if self.job.method.is_none() {
                step.method = if self.job.head { b"HEAD".to_vec() } else { b"GET".to_vec() };
            }
        }
        body.rewind()
    }

    fn finish(&mut self, answer: Answer, connection: Connection, host: &[u8]) -> Result<Done, Failure> {
        self.end_meter();
        self.session.pool.give(connection, answer.keeps, host, self.trace);
        let done = Done { modified: answer.modified, retry_after: answer.retry_after() };
        if self.job.fail_with_body && answer.status.code >= 400 {
            let text = format!("The requested URL returned error: {}", answer.status.code);
            return Err((22, text.into_bytes()));
        }
        Ok(done)
    }

    fn end_meter(&mut self) {
        let report = &self.report;
        self.meter.end(Amounts {
            received: report.downloaded,
            to_receive: report.expected.unwrap_or(report.downloaded),
            sent: report.uploaded,
            to_send: report.to_upload,
        });
    }

    /// Says why a transfer failed, as `-v` and the meter do at its end.
    fn give_up(&mut self, number: i64, why: Failure) -> Failure {
        self.trace.note(&why.1);
        // Without an address, nothing was begun that could be measured.
        if !matches!(why.0, 5 | 6) {
            self.end_meter();
        }
        self.trace.note(format!("Closing connection {number}"));
        why
    }

    /// Sends a request and reads its answer. A connection that was kept and has ended meanwhile is replaced once.
    fn exchange(&mut self, step: &Step, body: &mut Body) -> Result<(Answer, Connection), Failure> {
        let mut fresh = false;
        loop {
            let number = self.session.pool.next_number();
            let mut times = pool::Times::default();
            let url = &step.url;
            let taken = self.session.pool.take(self.job, url, self.until, fresh, self.trace, &mut times);
            let mut connection = match taken {
                Ok(connection) => connection,
                Err(why) => return Err(self.give_up(number, why)),
            };
            self.report.scheme = Some(if url.scheme == b"https" { "HTTPS" } else { "HTTP" }.to_owned());
            if connection.is_new {
                self.report.connects += 1;
                if times.resolved > 0 {
                    self.report.times.resolved = times.resolved;
                }
                self.report.times.connected = times.connected;
            }
            if let (Address::Ip(own), Address::Ip(peer)) = (&connection.own, &connection.peer) {
                self.report.own = Some(*own);
                self.report.peer = Some(*peer);
            }
            let number = connection.number;
            if url.scheme != b"http" {
                let text: &[u8] = b"There is no TLS in a sandbox: its own servers are reached by http://";
                return Err(self.give_up(number, (35, text.to_vec())));
            }
            match self.ask(step, body, &mut connection) {
                Ok(answer) => return Ok((answer, connection)),
                Err(Lost::Early) if !connection.is_new && !fresh => {
                    self.trace.note("Connection died, retrying a fresh connect (retry count: 1)");
                    self.trace.note(format!("Closing connection {number}"));
                    self.trace.note(
                        [b"Issue another request to this URL: '", url.effective.as_slice(), b"'"].concat(),
                    );
                    body.rewind()?;
                    fresh = true;
                }
                Err(Lost::Early) => {
                    return Err(self.give_up(number, (52, b"Empty reply from server".to_vec())));
                }
                Err(Lost::Failed(why)) => return Err(self.give_up(number, why)),
            }
        }
    }

    fn ask(&mut self, step: &Step, body: &mut Body, connection: &mut Connection) -> Result<Answer, Lost> {
        let job = self.job;
        let http10 = job.request.http10 || connection.is_old;
        let custom = Custom { headers: &job.request.headers, is_trusted: step.is_trusted };
        let wanted = custom.value("Expect").map(<[u8]>::to_vec);
        let chunks_asked =
            custom.value("Transfer-Encoding").is_some_and(|v| v.eq_ignore_ascii_case(b"chunked"));
        let length = match body.length {
            Length::Known(_) if chunks_asked => Length::Chunked,
            Length::Chunked if http10 => {
                return Err((25, b"Chunky upload is not supported by HTTP 1.0".to_vec()).into());
            }
            other => other,
        };
        let is_large = match body.length {
            Length::Known(size) if body.is_text() => size > LARGE,
            Length::Known(size) => size > 0,
            Length::Chunked => true,
            Length::None => false,
        };
        let by_itself = is_large && !http10 && wanted.is_none();
        let mut expects = by_itself
            || length != Length::None && wanted.is_some_and(|v| v.eq_ignore_ascii_case(b"100-continue"));
        let resumes_at = match job.resume {
            Some(Resume::At(from)) if body.length == Length::None => from,
            Some(Resume::Size) if body.length == Length::None => {
                self.output.path().and_then(|path| sys::stat(path, true).ok()).map_or(0, |s| s.size)
            }
            _ => 0,
        };
        let place = Place { host: &step.url.host, path: &step.url.path };
        let cookies = self.session.jar.header(place, self.now);
        let given = job.cookies.iter().filter(|c| c.contains(&b'='));
        let given: Vec<&[u8]> = given.map(Vec::as_slice).collect();
        let cookies = match (cookies, given.join(&b';')) {
            (None, given) if given.is_empty() => None,
            (None, given) => Some(given),
            (Some(kept), given) if given.is_empty() => Some(kept),
            (Some(kept), given) => Some([kept.as_slice(), b"; ", &given].concat()),
        };
        if let Some(user) = &step.user
            && (job.request.bearer.is_none())
        {
            let name = user.split(|b| *b == b':').next().unwrap_or_default();
            self.trace.note([b"Server auth using Basic with user '", name, b"'"].concat());
        }
        let details = Details {
            url: &step.url,
            method: &step.method,
            length,
            kind: body.kind.as_deref(),
            range: range(job, body, resumes_at),
            cookies,
            referer: step.referer.as_deref(),
            user: step.user.as_deref(),
            is_trusted: step.is_trusted,
            expects: by_itself,
            by_proxy: proxy::of(job, &step.url).is_some(),
            http10,
        };
        let head = request::head(job, &details);
        self.report.request_bytes += head.len() as u64;
        self.report.times.requested = sys::monotonic();
        self.report.referer.clone_from(&step.referer);
        self.report.to_upload = body.size();
        self.trace.request(&head);
        let mut pending = head;
        let mut small = 0;
        if body.is_text() && !expects && length != Length::Chunked {
            // What is short travels with the head.
            let piece = body.next()?;
            small = piece.len();
            self.report.uploaded += small as u64;
            pending.extend_from_slice(&piece);
        }
        self.send(connection, &pending)?;
        self.trace.sent(small);
        let mut answer = None;
        if expects {
            answer = self.await_consent(step, connection)?;
            expects = answer.is_some();
        }
        let mut stopped = expects;
        if !stopped && length != Length::None {
            stopped = self.upload(connection, body, length, small)?;
        }
        let mut answer = match answer {
            Some(answer) => answer,
            None => self.last_head(step, connection, resumes_at)?,
        };
        if stopped {
            self.trace.note("HTTP error before end of send, stop sending");
            answer.keeps = false;
        }
        let ignored = answer.is_redirect() && job.follow.on;
        self.receiver(step, resumes_at).body(&mut answer, connection, ignored)?;
        Ok(answer)
    }

    fn receiver<'r>(&'r mut self, step: &'r Step, resumes_at: u64) -> Receiver<'r, 'b> {
        Receiver {
            job: self.job,
            session: &mut *self.session,
            url: &step.url,
            trace: self.trace,
            report: &mut *self.report,
            output: &mut *self.output,
            until: self.until,
            begun: self.begun,
            is_head: step.method == b"HEAD" || self.job.head,
            resumes_at,
            now: self.now,
        }
    }

    /// The head that is no interim one.
    fn last_head(
        &mut self,
        step: &Step,
        connection: &mut Connection,
        resumes_at: u64,
    ) -> Result<Answer, Lost> {
        loop {
            let answer = self.receiver(step, resumes_at).head(connection)?;
            if !(100..200).contains(&answer.status.code) {
                return Ok(answer);
            }
            if answer.status.code == 101 {
                return Err((43, b"The server switched to a protocol that was not asked for".to_vec()).into());
            }
            // Each of them is bounded, but their number is not.
            self.report.interim += 1;
            if self.report.interim > 100 {
                return Err((56, b"Too many interim responses".to_vec()).into());
            }
        }
    }

    fn send(&self, connection: &Connection, data: &[u8]) -> Result<(), Lost> {
        connection.reader.stream.write_all(data, self.until).map_err(|e| self.unsent(e, connection))
    }

    fn unsent(&self, error: Errno, connection: &Connection) -> Lost {
        match error {
            Errno::TIMEDOUT => {
                let after = pool::since(self.begun);
                Lost::Failed((
                    28,
                    format!("Operation timed out after {after} milliseconds with 0 bytes received")
                        .into_bytes(),
                ))
            }
            Errno::PIPE | Errno::CONNRESET if !connection.is_new => Lost::Early,
            e => Lost::Failed((55, format!("Send failure: {e}").into_bytes())),
        }
    }

    /// Waits a moment for `100 Continue`. Returns the answer if it is another one.
    fn await_consent(&mut self, step: &Step, connection: &mut Connection) -> Result<Option<Answer>, Lost> {
        let patience = Deadline::after(self.job.limits.expect.unwrap_or(PATIENCE));
        if connection.reader.there().is_empty() {
            let until = self.until.earlier(patience);
            if connection.reader.stream.wait(true, false, until).is_err() {
                self.trace.note("Done waiting for 100-continue");
                return Ok(None);
            }
        }
        let answer = self.receiver(step, 0).head(connection)?;
        Ok((!(100..200).contains(&answer.status.code)).then_some(answer))
    }

    /// Sends the body, of which `sent` bytes are sent already. True if the server answered with an error before its end.
    fn upload(
        &mut self,
        connection: &mut Connection,
        body: &mut Body,
        length: Length,
        sent: usize,
    ) -> Result<bool, Lost> {
        let is_short =
            body.is_text() && !body.is_form() && sent as u64 == body.size() && length != Length::Chunked;
        if is_short {
            return Ok(false);
        }
        loop {
            let piece = body.next()?;
            if piece.is_empty() {
                break;
            }
            self.report.uploaded += piece.len() as u64;
            let framed = match length {
                Length::Chunked => [format!("{:x}\r\n", piece.len()).as_bytes(), &piece, b"\r\n"].concat(),
                _ => piece,
            };
            self.trace.sent(framed.len());
            if self.send_while_listening(connection, &framed)? {
                return Ok(true);
            }
        }
        if length == Length::Chunked {
            self.trace.note("Signaling end of chunked upload via terminating chunk.");
            self.send(connection, b"0\r\n\r\n")?;
            self.trace.sent(5);
        } else {
            self.trace.note("We are completely uploaded and fine");
        }
        Ok(false)
    }

    /// Sends data while looking out for an answer that comes too early. True if it is an error.
    fn send_while_listening(&self, connection: &mut Connection, mut data: &[u8]) -> Result<bool, Lost> {
        while !data.is_empty() {
            let count = connection.reader.stream.write_now(data).map_err(|e| self.unsent(e, connection))?;
            data = data.get(count..).unwrap_or_default();
            if count > 0 {
                continue;
            }
            let listens = connection.reader.there().is_empty();
            let (readable, _) = connection
                .reader
                .stream
                .wait(listens, true, self.until)
                .map_err(|e| self.unsent(e, connection))?;
            if readable {
                connection.reader.fill(self.until).map_err(|e| self.unsent(e, connection))?;
                let there = connection.reader.there();
                let is_error = there.starts_with(b"HTTP/") && matches!(there.get(9), Some(b'4' | b'5'));
                if is_error || there.is_empty() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

impl Job {
    fn uploads_files(&self) -> bool {
        !self.uploads.is_empty()
    }
}

fn range(job: &Job, body: &Body, resumes_at: u64) -> Option<Vec<u8>> {
    if body.length != Length::None {
        if let Some((from, size)) = body.part {
            return Some(format!("bytes {from}-{}/{size}", size.saturating_sub(1)).into_bytes());
        }
        let range = job.range.as_ref()?;
        return Some([b"bytes ", range.as_slice(), format!("/{}", body.size()).as_bytes()].concat());
    }
    if resumes_at > 0 {
        return Some(format!("bytes={resumes_at}-").into_bytes());
    }
    job.range.as_ref().map(|range| [b"bytes=", range.as_slice()].concat())
}

/// A URL that cannot be used.
pub(super) fn unusable(bad: Bad) -> Failure {
    match bad {
        Bad::Malformed => failure(MALFORMED),
        Bad::Protocol(name) => {
            (1, [b"Protocol \"", name.as_slice(), b"\" not supported or disabled in libcurl"].concat())
        }
    }
}

/// Whether a URL's protocol is one that is spoken, or would be if there were TLS.
pub(super) fn speaks(url: &Url) -> bool {
    matches!(url.scheme.as_slice(), b"http" | b"https")
}

/// Fails as every transfer by another protocol does: its host is not found, or nobody listens.
pub(super) fn unreachable(work: &mut Work<'_, '_>, url: &Url) -> Result<Done, Failure> {
    let number = work.session.pool.next_number();
    let mut times = pool::Times::default();
    match work.session.pool.take(work.job, url, work.until, true, work.trace, &mut times) {
        Ok(_) => {
            let scheme = String::from_utf8_lossy(&url.scheme);
            let text = format!("There are only servers of HTTP in a sandbox, none of {scheme}");
            Err(work.give_up(number, (1, text.into_bytes())))
        }
        Err(why) => Err(work.give_up(number, why)),
    }
}
