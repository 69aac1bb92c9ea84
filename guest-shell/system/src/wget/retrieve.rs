//! Retrieving documents: connections, attempts, redirects.

use super::Log;
use super::answer::{self, Answer, Body, Cut, Lost};
use super::options::Job;
use super::place::{Bad, Place};
use super::progress::{self, Dots};
use super::request::{self, Details};
use super::save::{self, File};
use crate::curl::{self, Jar, date_seconds};
use crate::http::Reader;
use crate::http::head;
use crate::net::{Deadline, Stream, name};
use crate::procps::local_time;
use sandshell_sys::{self as sys, Address, Errno};
use std::net::IpAddr;
use std::time::Duration;

/// Exit statuses.
const FAILED: i32 = 1;
const UNWRITTEN: i32 = 3;
const NO_NETWORK: i32 = 4;
const UNAUTHORIZED: i32 = 6;
const REFUSED: i32 = 8;

/// What all documents share: a connection that is kept, cookies, what is known about hosts.
pub(super) struct Session<'a> {
    job: &'a Job,
    log: &'a Log,
    kept: Option<(Vec<u8>, Reader)>,
    known: Vec<Vec<u8>>,
    /// Whether the document is reached by a redirect.
    has_moved: bool,
    jar: Jar,
    files: u32,
    bytes: u64,
    seconds: f64,
}

/// The state of one document over all its attempts.
struct Document {
    place: Place,
    method: Vec<u8>,
    has_body: bool,
    user: Option<Vec<u8>>,
    /// Whether the name and password are sent.
    authorizes: bool,
    attempt: u32,
    redirects: u32,
    /// The file, and how much of the document it has.
    name: Option<Vec<u8>>,
    from: u64,
    since: Option<i64>,
}

/// What comes after an attempt.
enum Next {
    End(i32),
    /// Try again, because of this.
    Again(i32),
    /// Go on at once with the next request, which is announced, or not.
    Continue,
    Silently,
}

impl<'a> Session<'a> {
    pub(super) fn new(job: &'a Job, log: &'a Log) -> Self {
        let mut jar = Jar::default();
        if job.cookies {
            jar.turn_on();
        }
        if let Some(path) = &job.load_cookies {
            jar.load(path, true, now());
        }
        Self {
            job,
            log,
            kept: None,
            known: Vec::new(),
            has_moved: false,
            jar,
            files: 0,
            bytes: 0,
            seconds: 0.0,
        }
    }

    /// Retrieves a document and returns the exit status.
    pub(super) fn document(&mut self, text: &[u8]) -> i32 {
        let place = match Place::parse(text) {
            Ok(place) => place,
            Err(bad) => return self.bad_url(&bad),
        };
        let job = self.job;
        let user = job
            .user
            .as_ref()
            .map(|user| [user.as_slice(), b":", job.password.as_deref().unwrap_or_default()].concat());
        let body_method = || if job.body.is_some() { b"POST".to_vec() } else { b"GET".to_vec() };
        let method = job.method.clone().unwrap_or_else(body_method);
        let mut document = Document {
            user: place.user.clone().or(user),
            place,
            method: if job.spider { b"HEAD".to_vec() } else { method },
            has_body: job.body.is_some() && !job.spider,
            authorizes: job.auth_at_once,
            attempt: 1,
            redirects: 0,
            name: None,
            from: 0,
            since: None,
        };
        if let Some(code) = self.begin(&mut document) {
            return code;
        }
        loop {
            match self.attempt(&mut document) {
                Next::End(code) => return code,
                Next::Continue | Next::Silently => {}
                Next::Again(code) => {
                    if job.tries != 0 && document.attempt >= job.tries {
                        self.log.put(b"Giving up.\n\n".to_vec());
                        return code;
                    }
                    self.log.more(b"Retrying.\n\n".to_vec());
                    let wait = Duration::from_secs(document.attempt.into()).min(job.longest_wait);
                    let _ = sys::sleep(wait);
                    document.attempt += 1;
                }
            }
        }
    }

    fn bad_url(&self, bad: &Bad) -> i32 {
        self.log.put([bad.0.as_slice(), b": ", &bad.1, b".\n"].concat());
        FAILED
    }

    /// Looks at the file that is there already. `Some` if the document is not wanted then.
    fn begin(&mut self, document: &mut Document) -> Option<i32> {
        let job = self.job;
        let name = save::name(job, &document.place, None);
        let there = sys::stat(&name, true).ok().filter(|status| status.is_file());
        if job.keeps && there.is_some() && !job.spider {
            self.log.more(
                ["File ‘".as_bytes(), &name, "’ already there; not retrieving.\n\n".as_bytes()].concat(),
            );
            return Some(0);
        }
        if let Some(status) = there {
            if job.resumes {
                document.from = status.size;
            }
            if job.timestamps && job.document.is_none() && job.asks_if_modified && !job.resumes {
                document.since = Some(status.mtime);
            }
        }
        None
    }

    fn attempt(&mut self, document: &mut Document) -> Next {
        let job = self.job;
        if job.spider && document.attempt == 1 && document.redirects == 0 {
            self.log.more(b"Spider mode enabled. Check if remote file exists.\n".to_vec());
        }
        let time = local_time(b"%Y-%m-%d %H:%M:%S");
        let tries =
            if document.attempt > 1 { format!("(try:{:2})  ", document.attempt) } else { String::new() };
        let shown = document.place.shown.clone();
        self.log.more([b"--".as_slice(), &time, b"--  ", tries.as_bytes(), &shown, b"\n"].concat());
        if document.place.scheme.starts_with(b"ftp") {
            let name = save::free(&save::name(job, &document.place, None));
            let name = if document.place.path.ends_with(b"/") { b".listing".to_vec() } else { name };
            self.log.more(["           => ‘".as_bytes(), &name, "’\n".as_bytes()].concat());
        }
        loop {
            self.has_moved = document.redirects > 0;
            let (mut reader, is_kept) = match self.connect(&document.place) {
                Ok(found) => found,
                Err(next) => return next,
            };
            let answer = match self.ask(document, &mut reader) {
                Ok(answer) => answer,
                Err(Lost::Nothing) if is_kept => {
                    // The server closed what was kept: a new connection, without counting.
                    self.kept = None;
                    self.log.more(b"\n".to_vec());
                    continue;
                }
                Err(lost) => {
                    let text = match lost {
                        Lost::Nothing => "No data received.\n".to_owned(),
                        Lost::Read(e) => format!("Read error ({e}) in headers.\n"),
                        Lost::Malformed => "Malformed status line.\n".to_owned(),
                    };
                    self.log.more(text.into_bytes());
                    return Next::Again(NO_NETWORK);
                }
            };
            self.show(&answer);
            self.cookies(document, &answer);
            match self.treat(document, answer, reader) {
                Next::Silently => {}
                next => return next,
            }
        }
    }

    /// A connection to the host, and whether it was kept.
    fn connect(&mut self, place: &Place) -> Result<(Reader, bool), Next> {
        let job = self.job;
        let key = [place.host.as_slice(), format!(":{}", place.port).as_bytes()].concat();
        if let Some((kept, reader)) = self.kept.take()
            && kept == key
            && !reader.stream.is_stale()
        {
            let shown = [place.bracketed().as_slice(), format!(":{}", place.port).as_bytes()].concat();
            self.log.more([b"Reusing existing connection to ", shown.as_slice(), b".\n"].concat());
            return Ok((reader, true));
        }
        let host = &place.host;
        let is_number = name::numeric(host).is_some();
        let was_known = self.known.contains(host);
        let mut found = name::addresses(host);
        found.retain(|a: &IpAddr| !(job.only_ipv4 && a.is_ipv6() || job.only_ipv6 && a.is_ipv4()));
        if !is_number && (!self.known.contains(host) || found.is_empty()) {
            self.log.more([b"Resolving ".as_slice(), host, b" (", host, b")... "].concat());
            if found.is_empty() {
                self.log.more(b"failed: Name or service not known.\n".to_vec());
                let text =
                    ["wget: unable to resolve host address ‘".as_bytes(), host, "’\n".as_bytes()].concat();
                self.log.put(text);
                return Err(Next::End(NO_NETWORK));
            }
            let all: Vec<String> = found.iter().map(IpAddr::to_string).collect();
            self.log.more(format!("{}\n", all.join(", ")).into_bytes());
            self.known.push(host.clone());
        }
        if job.recursive {
            let text = "wget: -r, -m and -p are not done in a sandbox: name each document\n";
            self.log.put(text.as_bytes().to_vec());
            return Err(Next::End(FAILED));
        }
        let mut last = Errno::CONNREFUSED;
        // Addresses that are remembered from an earlier document may be old: wget looks them up again.
        let again = if was_known && self.has_moved { found.clone() } else { Vec::new() };
        for address in found.iter().chain(&again) {
            let shown = if is_number {
                place.bracketed()
            } else {
                [host.as_slice(), b" (", host, b")|", address.to_string().as_bytes(), b"|"].concat()
            };
            let port = format!(":{}... ", place.port);
            self.log.more([b"Connecting to ".as_slice(), &shown, port.as_bytes()].concat());
            let until = job.connect_timeout.map(Deadline::after).unwrap_or_default();
            match Stream::connect(&Address::ip(*address, place.port), until) {
                Ok(stream) => {
                    self.log.more(b"connected.\n".to_vec());
                    if place.scheme != b"http" {
                        let scheme = String::from_utf8_lossy(&place.scheme).into_owned();
                        let why = if scheme == "https" { "no TLS" } else { "no FTP" };
                        let text = format!(
                            "wget: there is {why} in a sandbox: its servers are reached by http://\n"
                        );
                        self.log.put(text.into_bytes());
                        return Err(Next::End(if scheme == "https" { 5 } else { NO_NETWORK }));
                    }
                    return Ok((Reader::new(stream), false));
                }
                Err(e) => {
                    last = e;
                    self.log.put(format!("failed: {e}.\n").into_bytes());
                }
            }
        }
        let is_final = last == Errno::CONNREFUSED && !job.retries_refused || last == Errno::NETUNREACH;
        Err(if is_final { Next::End(NO_NETWORK) } else { Next::Again(NO_NETWORK) })
    }

    fn ask(&mut self, document: &Document, reader: &mut Reader) -> Result<Answer, Lost> {
        let job = self.job;
        let body = job.body.as_deref().filter(|_| document.has_body);
        let cookies =
            self.jar.header(curl::Place { host: &document.place.host, path: &document.place.path }, now());
        let details = Details {
            place: &document.place,
            method: &document.method,
            body,
            from: document.from,
            since: document.since,
            cookies,
            user: document.user.as_deref().filter(|_| document.authorizes),
        };
        let head = request::head(job, &details);
        let request = [head.as_slice(), body.unwrap_or_default()].concat();
        reader.stream.write_all(&request, self.patience()).map_err(|_| Lost::Nothing)?;
        self.log.more(b"HTTP request sent, awaiting response... ".to_vec());
        answer::read(reader, self.patience())
    }

    fn patience(&self) -> Deadline {
        self.job.read_timeout.map(Deadline::after).unwrap_or_default()
    }

    fn show(&self, answer: &Answer) {
        if self.job.shows_server {
            self.log.more(b"\n".to_vec());
            for line in &answer.lines {
                self.log.put([b"  ", line.as_slice(), b"\n"].concat());
            }
            return;
        }
        let status = [answer.status.code.to_string().as_bytes(), b" ", &reason(answer), b"\n"].concat();
        self.log.more(status);
    }

    fn cookies(&mut self, document: &Document, answer: &Answer) {
        self.jar.begin_answer();
        let place = curl::Place { host: &document.place.host, path: &document.place.path };
        for value in answer.values("Set-Cookie") {
            self.jar.set(value, place, now());
        }
    }

    /// Does what an answer asks for.
    fn treat(&mut self, document: &mut Document, answer: Answer, reader: Reader) -> Next {
        let job = self.job;
        let code = answer.status.code;
        match code {
            401 if document.user.is_some() && !document.authorizes && offers_basic(&answer) => {
                let offered = answer.value("WWW-Authenticate").unwrap_or_default();
                self.log.more([b"Authentication selected: ", offered, b"\n"].concat());
                self.pass_over(&document.method, answer, reader, &document.place);
                document.authorizes = true;
                return Next::Silently;
            }
            401 => {
                self.pass_over(&document.method, answer, reader, &document.place);
                self.log.put(b"\nUsername/Password Authentication Failed.\n".to_vec());
                return Next::End(UNAUTHORIZED);
            }
            301..=303 | 307 | 308 if answer.value("Location").is_some_and(|l| !l.is_empty()) => {
                return self.redirect(document, answer, reader);
            }
            304 if document.since.is_some() => {
                let name = save::name(job, &document.place, None);
                self.pass_over(&document.method, answer, reader, &document.place);
                let text = [
                    "File ‘".as_bytes(),
                    &name,
                    "’ not modified on server. Omitting download.\n\n".as_bytes(),
                ];
                self.log.more(text.concat());
                return Next::End(0);
            }
            416 if document.from > 0 => {
                self.pass_over(&document.method, answer, reader, &document.place);
                self.log.more(b"\n    The file is already fully retrieved; nothing to do.\n\n".to_vec());
                return Next::End(0);
            }
            405 | 501 if job.spider && document.method == b"HEAD" => {
                // A server that knows no HEAD is asked for the document itself, which is not read.
                self.log.more(b"\n".to_vec());
                document.method = b"GET".to_vec();
                return Next::Continue;
            }
            200..=299 => {}
            _ => {
                let retried = job.retried.contains(&code);
                let reason = reason(&answer);
                if job.content_on_error && !job.spider {
                    let _ = self.save(document, answer, reader);
                } else {
                    self.pass_over(&document.method, answer, reader, &document.place);
                }
                if job.spider && matches!(code, 404 | 410) {
                    self.log.more(b"Remote file does not exist -- broken link!!!\n\n".to_vec());
                    return Next::End(REFUSED);
                }
                let time = local_time(b"%Y-%m-%d %H:%M:%S");
                if job.brief {
                    self.log.put([document.place.shown.as_slice(), b":\n"].concat());
                }
                if retried {
                    return Next::Again(REFUSED);
                }
                let text = format!(" ERROR {code}: ");
                let blank: &[u8] = if job.brief { b"" } else { b"\n" };
                self.log.put([time.as_slice(), text.as_bytes(), &reason, b".\n", blank].concat());
                return Next::End(REFUSED);
            }
        }
        if job.spider {
            self.length(&answer, 0);
            let is_html = answer.value("Content-Type").is_some_and(|kind| kind.starts_with(b"text/html"));
            self.log.more(match is_html {
                true => b"Remote file exists and could contain further links,\nbut recursion is disabled -- not retrieving.\n\n".to_vec(),
                false => b"Remote file exists.\n\n".to_vec(),
            });
            if job.brief {
                self.log.put(
                    [
                        local_time(b"%Y-%m-%d %H:%M:%S").as_slice(),
                        b" URL: ",
                        &document.place.shown,
                        b" 200 OK\n",
                    ]
                    .concat(),
                );
            }
            return Next::End(0);
        }
        if let Some(since) = document.since {
            let modified = answer.value("Last-Modified").and_then(date_seconds);
            if modified.is_some_and(|time| time <= since) {
                let name = save::name(job, &document.place, None);
                self.log.more(
                    [
                        "Server ignored If-Modified-Since header for file ‘".as_bytes(),
                        &name,
                        "’.\nYou might want to add --no-if-modified-since option.\n\n".as_bytes(),
                    ]
                    .concat(),
                );
                return Next::End(0);
            }
        }
        self.save(document, answer, reader)
    }

    fn redirect(&mut self, document: &mut Document, answer: Answer, reader: Reader) -> Next {
        let location = answer.value("Location").unwrap_or_default().to_vec();
        let code = answer.status.code;
        self.log.more([b"Location: ", location.as_slice(), b" [following]\n"].concat());
        self.pass_over(&document.method, answer, reader, &document.place);
        if document.redirects >= self.job.redirects {
            self.log.put(format!("{} redirections exceeded.\n", self.job.redirects).into_bytes());
            return Next::End(REFUSED);
        }
        document.redirects += 1;
        let former = document.place.clone();
        document.place = match Place::parse(&former.resolve(&location)) {
            Ok(place) => place,
            Err(bad) => {
                self.log.put([bad.0.as_slice(), b": ", &bad.1, b".\n"].concat());
                return Next::End(FAILED);
            }
        };
        // The file keeps the name of the URL that was given, unless the server may choose.
        if document.name.is_none() && !self.job.trusts_names {
            document.name = Some(save::name(self.job, &former, None));
        }
        if former.host != document.place.host || former.port != document.place.port {
            document.authorizes = false;
            document.user = None;
        }
        if code < 304 && document.method == b"POST" {
            (document.method, document.has_body) = (b"GET".to_vec(), false);
        }
        Next::Continue
    }

    /// Reads a body that nobody wants, if it is short, and keeps the connection.
    fn pass_over(&mut self, method: &[u8], answer: Answer, mut reader: Reader, place: &Place) {
        const LONGEST: u64 = 64 * 1024;
        if !answer.keeps || !self.job.keeps_alive {
            return;
        }
        if answer.has_body(method) {
            if answer.length().is_none_or(|size| size > LONGEST) {
                return;
            }
            let until = self.patience();
            let mut body = Body::of(&answer);
            loop {
                match body.next(&mut reader, until, |_| Ok(())) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(_) => return,
                }
            }
        }
        self.keep(place, reader);
    }

    fn keep(&mut self, place: &Place, reader: Reader) {
        if reader.there().is_empty() {
            let key = [place.host.as_slice(), format!(":{}", place.port).as_bytes()].concat();
            self.kept = Some((key, reader));
        }
    }

    fn length(&self, answer: &Answer, from: u64) {
        let with_size = |bytes: u64| match bytes {
            0..1024 => bytes.to_string(),
            _ => format!("{bytes} ({})", progress::size(bytes)),
        };
        let mut text = match answer.length() {
            Some(rest) if from > 0 => {
                format!("Length: {}, {} remaining", with_size(from + rest), with_size(rest))
            }
            Some(size) => format!("Length: {}", with_size(size)),
            None => "Length: unspecified".to_owned(),
        }
        .into_bytes();
        if let Some(kind) = answer.value("Content-Type") {
            let kind = kind.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
            text.extend_from_slice(&[b" [", kind, b"]"].concat());
        }
        text.push(b'\n');
        self.log.more(text);
    }

    fn save(&mut self, document: &mut Document, answer: Answer, mut reader: Reader) -> Next {
        let job = self.job;
        let is_part = answer.status.code == 206
            && answer.value("Content-Range").is_some_and(|range| begins_at(range) == Some(document.from));
        if document.from > 0 && !is_part && answer.length() == Some(document.from) && job.resumes {
            self.log.more(b"\n    The file is already fully retrieved; nothing to do.\n\n".to_vec());
            return Next::End(0);
        }
        let from = if is_part { document.from } else { 0 };
        let given = answer.value("Content-Disposition").filter(|_| job.server_names).and_then(save::given);
        let base = match (&given, &document.name) {
            (None, Some(name)) => name.clone(),
            (given, _) => save::name(job, &document.place, given.clone()),
        };
        let replaces =
            job.document.is_some() || is_part || job.resumes || job.timestamps || document.attempt > 1;
        let name = if replaces { base } else { save::free(&base) };
        document.name = Some(name.clone());
        let has_body = answer.has_body(&document.method);
        let opened =
            if has_body { File::open(job, name.clone(), is_part) } else { Ok(File::none(name.clone())) };
        let file = match opened {
            Ok(file) => file,
            Err(e) => {
                self.log.put([name.as_slice(), b": ", e.to_string().as_bytes(), b"\n"].concat());
                let why = e.to_string();
                let text = [
                    b"\nCannot write to \xe2\x80\x98",
                    name.as_slice(),
                    b"\xe2\x80\x99 (",
                    why.as_bytes(),
                    b").\n",
                ];
                self.log.more(text.concat());
                return Next::End(UNWRITTEN);
            }
        };
        if has_body {
            self.length(&answer, from);
            let shown: &[u8] = if file.is_stdout { b"STDOUT" } else { &file.name };
            self.log.more(["Saving to: ‘".as_bytes(), shown, "’\n".as_bytes()].concat());
        }
        if job.saves_headers {
            let mut head = answer.lines.join(&b"\r\n"[..]);
            head.extend_from_slice(b"\r\n\r\n");
            let _ = file.write(&head);
        }
        let total = answer.length().map(|rest| from + rest);
        let mut dots = Dots::new(total, from);
        let mut body = Body::of(&answer);
        let until = || job.read_timeout.map(Deadline::after).unwrap_or_default();
        let mut written = Ok(());
        let result = loop {
            if !has_body {
                break Ok(());
            }
            let mut count = 0;
            let step = body.next(&mut reader, until(), |piece| {
                count = piece.len() as u64;
                written = file.write(piece);
                written
            });
            let text = dots.advance(count);
            if !text.is_empty() {
                self.progress(text);
            }
            match step {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(cut) => break Err(cut),
            }
        };
        if has_body {
            let end = dots.end();
            self.progress(end);
        }
        self.finished(document, &answer, file, reader, &dots, total, written, result)
    }

    fn progress(&self, text: String) {
        if self.job.quiet && self.job.shows_progress {
            sandshell_cli::out::flush();
            let _ = sys::write_all(2, text.as_bytes());
        } else {
            self.log.more(text.into_bytes());
        }
    }

    #[allow(clippy::too_many_arguments, reason = "what saving leaves behind, used once")]
    fn finished(
        &mut self,
        document: &mut Document,
        answer: &Answer,
        file: File,
        reader: Reader,
        dots: &Dots,
        total: Option<u64>,
        written: sys::Result<()>,
        result: Result<(), Cut>,
    ) -> Next {
        let job = self.job;
        let time = local_time(b"%Y-%m-%d %H:%M:%S");
        let have = total.map_or(dots.received(), |total| total.min(document.from + dots.received()));
        let have = if answer.status.code == 206 { have } else { dots.received() };
        let speed = dots.speed();
        if let Err(e) = written {
            let name = if file.is_stdout { b"-".to_vec() } else { file.name.clone() };
            let why = e.to_string();
            let text = [
                "Cannot write to ‘".as_bytes(),
                &name,
                "’ (".as_bytes(),
                why.as_bytes(),
                b").
",
            ];
            self.log.put(text.concat());
            return Next::End(UNWRITTEN);
        }
        if let Err(cut) = result {
            let what = match cut {
                Cut::Closed => format!("Connection closed at byte {have}. "),
                Cut::Failed(e) => match total {
                    Some(total) => format!("Read error at byte {have}/{total} ({e}). "),
                    None => format!("Read error at byte {have} ({e}). "),
                },
            };
            self.log.more([time.as_slice(), format!(" ({speed}) - {what}").as_bytes()].concat());
            // The next attempt goes on where this one ended, if the file can be gone on with.
            document.from = if file.is_stdout { 0 } else { have };
            file.close(None);
            return Next::Again(NO_NETWORK);
        }
        self.files += 1;
        self.bytes += dots.received();
        self.seconds += dots.time();
        let amount = match total {
            Some(total) => format!("[{have}/{total}]"),
            None => format!("[{have}]"),
        };
        let code = answer.status.code;
        if code < 400 {
            if job.brief {
                let text = format!(" {amount} -> \"");
                let shown = [time.as_slice(), b" URL:", &document.place.shown, text.as_bytes(), &file.name];
                self.log.put(
                    [shown.concat().as_slice(), format!("\" [{}]\n", document.attempt).as_bytes()].concat(),
                );
            } else if file.is_stdout {
                let text = format!(" ({speed}) - written to stdout {amount}\n\n");
                self.log.more([time.as_slice(), text.as_bytes()].concat());
            } else {
                let text = format!(" ({speed}) - ‘");
                let end = format!("’ saved {amount}\n\n");
                self.log.more([time.as_slice(), text.as_bytes(), &file.name, end.as_bytes()].concat());
            }
        }
        let modified = answer.value("Last-Modified").and_then(date_seconds).filter(|_| job.sets_times);
        file.close(modified);
        if answer.keeps && job.keeps_alive {
            self.keep(&document.place, reader);
        }
        Next::End(0)
    }

    /// Says what was retrieved in all, if there were several URLs, and saves cookies.
    pub(super) fn end(&mut self, urls: usize, begun: u64) {
        if urls > 1 && self.files > 0 {
            let time = local_time(b"%Y-%m-%d %H:%M:%S");
            let wall = sys::monotonic().saturating_sub(begun) as f64 / 1e9;
            let took = progress::duration(wall);
            let spent = progress::duration(self.seconds);
            let speed = progress::speed(self.bytes, self.seconds);
            let bytes = if self.bytes < 1024 { self.bytes.to_string() } else { progress::size(self.bytes) };
            let files = if self.files == 1 { "file" } else { "files" };
            let text = format!(
                "Total wall clock time: {took}\nDownloaded: {} {files}, {bytes} in {spent} ({speed})\n",
                self.files
            );
            self.log.put([b"FINISHED --", time.as_slice(), b"--\n", text.as_bytes()].concat());
        }
        if let Some(path) = &self.job.save_cookies {
            let time = local_time(b"%Y-%m-%d %H:%M:%S");
            let time = String::from_utf8_lossy(&time).into_owned();
            let head =
                format!("# HTTP Cookie File\n# Generated by Wget on {time}.\n# Edit at your own risk.\n\n");
            let _ = self.jar.save_with(path, head.as_bytes(), self.job.session_cookies, now());
        }
    }
}

fn now() -> i64 {
    i64::try_from(sys::realtime() / 1_000_000_000).unwrap_or(i64::MAX)
}

fn reason(answer: &Answer) -> Vec<u8> {
    let reason = answer.status.reason.trim_ascii();
    if reason.is_empty() { b"(no description)".to_vec() } else { reason.to_vec() }
}

fn offers_basic(answer: &Answer) -> bool {
    answer.values("WWW-Authenticate").any(|value| {
        value.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"basic")) || head::lists(value, "basic")
    })
}

/// Where a part begins: `bytes 5-20/21`.
fn begins_at(range: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(range).ok()?;
    let rest = text.strip_prefix("bytes")?.trim_start_matches([' ', ':', '=']);
    rest.split('-').next()?.trim().parse().ok()
}
