//! Reading an answer: its head, then its body into the output.

use super::cookies::Place;
use super::job::Job;
use super::output::{self, Output};
use super::pool::Connection;
use super::report::Report;
use super::session::{Session, Trace};
use super::url::Url;
use super::{Failure, WRITE_ERROR, failure};
use crate::http::body::{self, Chunks};
use crate::http::coding::{self, Decoder};
use crate::http::head::{self, Bad, Lines, Status};
use crate::net::Deadline;
use sandshell_cli::out;
use sandshell_sys::{self as sys, Errno};

/// What an answer's head says.
pub(super) struct Answer {
    pub(super) status: Status,
    pub(super) location: Option<Vec<u8>>,
    pub(super) keeps: bool,
    pub(super) modified: Option<i64>,
    framing: Framing,
    codings: Vec<Vec<u8>>,
    ranged: bool,
    disposition: Option<Vec<u8>>,
    retry_after: Option<u64>,
    etag: Option<Vec<u8>>,
    says_close: bool,
    says_keep: bool,
    has_body: bool,
}

/// How the end of a body is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Framing {
    Unknown,
    Length(u64),
    Chunked,
}

impl Answer {
    /// Seconds until the server wants to be asked again.
    pub(super) fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    pub(super) fn is_redirect(&self) -> bool {
        self.location.is_some() && (300..400).contains(&self.status.code)
    }

    /// How long the body is said to be.
    pub(super) fn length(&self) -> Option<u64> {
        match self.framing {
            Framing::Length(size) if self.has_body => Some(size),
            _ => None,
        }
    }
}

/// How reading an answer went wrong.
pub(super) enum Lost {
    /// The connection ended before the first byte.
    Early,
    Failed(Failure),
}

impl From<Failure> for Lost {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Everything that reading needs.
pub(super) struct Receiver<'a, 'b> {
    pub(super) job: &'a Job,
    pub(super) session: &'a mut Session,
    pub(super) url: &'a Url,
    pub(super) trace: &'a Trace,
    pub(super) report: &'a mut Report,
    pub(super) output: &'a mut Output<'b>,
    pub(super) until: Deadline,
    pub(super) begun: u64,
    pub(super) is_head: bool,
    /// Whether the user asked for a part that begins here.
    pub(super) resumes_at: u64,
    pub(super) now: i64,
}

impl Receiver<'_, '_> {
    fn timed_out(&self) -> Failure {
        let after = super::pool::since(self.begun);
        let received = self.report.downloaded;
        let text = match self.report.expected {
            Some(total) => format!(
                "Operation timed out after {after} milliseconds with {received} out of {total} bytes received"
            ),
            None => format!("Operation timed out after {after} milliseconds with {received} bytes received"),
        };
        (28, text.into_bytes())
    }

    fn lost(&self, error: Errno) -> Failure {
        match error {
            Errno::TIMEDOUT => self.timed_out(),
            e => (56, format!("Recv failure: {e}").into_bytes()),
        }
    }

    /// Reads one head; also those of status 1xx are heads.
    pub(super) fn head(&mut self, connection: &mut Connection) -> Result<Answer, Lost> {
        let mut lines = Lines::default();
        let mut answer: Option<Answer> = None;
        let mut any = false;
        self.session.jar.begin_answer();
        self.report.headers.clear();
        loop {
            while connection.reader.there().is_empty() {
                match connection.reader.fill(self.until) {
                    Ok(0) if !any => return Err(Lost::Early),
                    Ok(0) if answer.is_none() => {
                        return Err(self.without_head(lines.begun()).into());
                    }
                    // A head without its end is taken as it is, and so is that there is nothing more.
                    Ok(0) => return self.complete(answer, connection, true),
                    Ok(_) => {}
                    Err(Errno::CONNRESET | Errno::PIPE) if !any => return Err(Lost::Early),
                    Err(e) => return Err(self.lost(e).into()),
                }
            }
            if !any {
                any = true;
                self.report.times.first_byte = sys::monotonic();
            }
            let there = connection.reader.there();
            if answer.is_none() && lines.begun().is_empty() && !head::may_begin(there) {
                return self.headless(connection);
            }
            let (taken, line) = lines.feed(there).map_err(|bad| self.bad(&bad))?;
            connection.reader.consume(taken);
            let Some(line) = line else { continue };
            let is_end = matches!(line.as_slice(), b"\n" | b"\r\n");
            match &mut answer {
                None => answer = Some(self.status_line(&line, connection)?),
                Some(_) if is_end => {
                    let answer = self.complete(answer, connection, false)?;
                    let code = answer.status.code;
                    if code >= 400 && self.job.fail {
                        return Err(
                            (22, format!("The requested URL returned error: {code}").into_bytes()).into()
                        );
                    }
                    self.deliver_head(&line)?;
                    return Ok(answer);
                }
                Some(answer) => self.field(answer, &line, connection)?,
            }
            self.deliver_head(&line)?;
            lines.check().map_err(|bad| self.bad(&bad))?;
        }
    }

    /// What does not begin as a head is HTTP/0.9: a body and nothing else.
    fn headless(&mut self, connection: &mut Connection) -> Result<Answer, Lost> {
        if !self.job.request.http09 {
            return Err(self.without_head(b"").into());
        }
        connection.is_old = true;
        let status = Status { version: (0, 9), code: 0, reason: Vec::new() };
        Ok(Answer { has_body: true, ..empty(status) })
    }

    fn without_head(&self, _begun: &[u8]) -> Failure {
        (1, b"Received HTTP/0.9 when not allowed".to_vec())
    }

    fn bad(&self, bad: &Bad) -> Failure {
        let text = match bad {
            Bad::NotHttp => return self.without_head(b""),
            Bad::NoVersion => return (1, b"Unsupported HTTP version in response".to_vec()),
            Bad::Version(major, minor) => {
                return (1, format!("Unsupported HTTP version ({major}.{minor}) in response").into_bytes());
            }
            Bad::Nul => "Nul byte in header",
            Bad::NoColon => "Header without colon",
            Bad::Length => "Invalid Content-Length: value",
            Bad::LongLine => return (27, b"Out of memory".to_vec()),
            Bad::TooMuch(size) => {
                let text = format!("Too large response headers: {size} > {}", head::LONGEST_HEAD);
                return (56, text.into_bytes());
            }
        };
        (8, text.as_bytes().to_vec())
    }

    fn status_line(&mut self, line: &[u8], connection: &mut Connection) -> Result<Answer, Failure> {
        let status = head::status(line).map_err(|bad| self.bad(&bad))?;
        self.report.code_of_answer = status.code;
        self.report.version = status.version;
        if status.version == (1, 0) {
            self.trace.note("HTTP 1.0, assume close after body");
        }
        connection.is_old = status.version == (1, 0);
        Ok(empty(status))
    }

    fn field(&mut self, answer: &mut Answer, line: &[u8], connection: &Connection) -> Result<(), Failure> {
        let (name, value) = head::field(line).map_err(|bad| self.bad(&bad))?;
        if name.is_empty() {
            return Ok(());
        }
        self.report.headers.push((name.to_vec(), value.to_vec()));
        match name.to_ascii_lowercase().as_slice() {
            b"content-length" if answer.framing == Framing::Chunked || self.job.request.any_length => {}
            b"content-length" => match head::content_length(value).map_err(|bad| self.bad(&bad))? {
                Some(size) => answer.framing = Framing::Length(size),
                None => {
                    self.trace.note("Overflow Content-Length: value");
                    answer.framing = Framing::Unknown;
                    answer.says_close = true;
                }
            },
            b"transfer-encoding" if head::lists(value, "chunked") => answer.framing = Framing::Chunked,
            b"connection" | b"proxy-connection" => {
                if head::lists(value, "close") {
                    answer.says_close = true;
                } else if connection.is_old && head::lists(value, "keep-alive") {
                    answer.says_keep = true;
                    self.trace.note("HTTP/1.0 connection set to keep alive");
                }
            }
            b"content-encoding" if self.job.request.compressed => {
                let codings = value.split(|b| *b == b',').map(<[u8]>::trim_ascii).filter(|c| !c.is_empty());
                answer.codings.extend(codings.take(5).map(<[u8]>::to_vec));
            }
            b"content-type" => self.report.kind = Some(value.to_vec()),
            b"content-range" => answer.ranged = true,
            b"location" if !value.is_empty() => answer.location = Some(value.to_vec()),
            b"last-modified" => answer.modified = super::date::seconds(value),
            b"content-disposition" => answer.disposition = Some(value.to_vec()),
            b"retry-after" => {
                answer.retry_after = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
            }
            b"etag" => answer.etag = Some(value.to_vec()),
            b"set-cookie" => {
                let place = Place { host: &self.url.host, path: &self.url.path };
                if let Some(said) = self.session.jar.set(value, place, self.now) {
                    self.trace.note(said);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Decides what follows the head.
    fn complete(
        &mut self,
        answer: Option<Answer>,
        connection: &Connection,
        cut: bool,
    ) -> Result<Answer, Lost> {
        let Some(mut answer) = answer else { return Err(Lost::Early) };
        let code = answer.status.code;
        answer.has_body = !(cut || self.is_head || matches!(code, 100..=199 | 204 | 304));
        let has_end = answer.framing != Framing::Unknown;
        if answer.has_body && !has_end && !answer.says_close && !connection.is_old {
            self.trace.note("no chunk, no close, no size. Assume close to signal end");
        }
        let stays = if connection.is_old { answer.says_keep } else { !answer.says_close };
        answer.keeps = stays && (has_end || !answer.has_body) && !cut;
        if cut {
            answer.keeps = true;
        }
        if let (Some(path), Some(tag)) = (&self.job.etag_save, &answer.etag) {
            let text = [tag.as_slice(), b"\n"].concat();
            let saved = self.session.dump(path).and_then(|fd| sys::write_all(fd, &text));
            saved.map_err(|_| failure(WRITE_ERROR))?;
        }
        Ok(answer)
    }

    /// A line of a head, for `-v`, `-i` and `-D`.
    fn deliver_head(&mut self, line: &[u8]) -> Result<(), Failure> {
        self.report.header_bytes += line.len() as u64;
        if !matches!(line, b"\n" | b"\r\n") || self.report.code_of_answer >= 200 {
            self.trace.answer(line);
        }
        self.keep_head(line)
    }

    fn keep_head(&mut self, line: &[u8]) -> Result<(), Failure> {
        if let Some(path) = &self.job.dump_header {
            if path == b"-" {
                out::put(line);
            } else {
                let written = self.session.dump(path).and_then(|fd| sys::write_all(fd, line));
                written.map_err(|_| failure(WRITE_ERROR))?;
            }
        }
        if self.job.include || self.job.head {
            self.output.write(line)?;
        }
        Ok(())
    }

    /// Takes the name of the file that the server gives, without a directory.
    fn name(&mut self, answer: &Answer) {
        let Some(value) = answer.disposition.as_ref().filter(|_| self.job.header_names) else { return };
        let Some(name) = file_name(value) else { return };
        if self.output.path().is_some() && (self.report.is_named_by_url) {
            self.output.rename(output::in_directory(self.job, &name));
            self.report.file = Some(output::in_directory(self.job, &name));
        }
    }

    /// Reads the body, into the output unless it is only to be passed over.
    pub(super) fn body(
        &mut self,
        answer: &mut Answer,
        connection: &mut Connection,
        ignored: bool,
    ) -> Result<(), Failure> {
        if !answer.has_body {
            return Ok(());
        }
        self.report.expected = answer.length();
        if ignored {
            self.trace.note("Ignoring the response-body");
        } else {
            self.name(answer);
            if self.resumes_at > 0 && !answer.ranged && answer.status.code == 200 {
                let text: &[u8] = b"HTTP server doesn't seem to support byte ranges. Cannot resume.";
                return Err((33, text.to_vec()));
            }
            if answer.length().is_some_and(|size| self.job.limits.size.is_some_and(|most| size > most)) {
                return Err((63, b"Maximum file size exceeded".to_vec()));
            }
        }
        let mut decoders = Vec::new();
        // The last coding was applied last.
        for coding in answer.codings.iter().rev().filter(|c| !c.eq_ignore_ascii_case(b"identity")) {
            decoders.push(Decoder::named(coding));
        }
        let mut sink = Sink { output: &mut *self.output, decoders, ignored };
        let mut chunks = (answer.framing == Framing::Chunked).then(Chunks::new);
        let mut left = answer.length();
        loop {
            if left == Some(0) || chunks.as_ref().is_some_and(Chunks::is_done) {
                break;
            }
            if connection.reader.there().is_empty() {
                match connection.reader.fill(self.until) {
                    Ok(0) => return self.ended(answer, left, chunks.is_some()),
                    Ok(_) => {}
                    Err(Errno::TIMEDOUT) => return Err(self.timed_out()),
                    Err(e) => return Err((56, format!("Recv failure: {e}").into_bytes())),
                }
            }
            let there = connection.reader.there();
            self.trace.received(there.len());
            let (taken, content) = match (&mut chunks, left) {
                (Some(chunks), _) => {
                    let (taken, range) = chunks.feed(there).map_err(bad_chunk)?;
                    (taken, if self.job.request.raw { 0..taken } else { range })
                }
                (None, Some(size)) => {
                    let take = usize::try_from(size).unwrap_or(usize::MAX).min(there.len());
                    (take, 0..take)
                }
                (None, None) => (there.len(), 0..there.len()),
            };
            let content = there.get(content).unwrap_or_default();
            if !ignored {
                self.report.downloaded += content.len() as u64;
            }
            sink.put(content)?;
            left = left.map(|left| left - taken as u64);
            connection.reader.consume(taken);
        }
        let excess = connection.reader.there().len();
        if excess > 0 {
            if let Some(size) = answer.length() {
                self.trace.note(format!("Excess found in a read: excess = {excess}, size = {size}, maxdownload = {size}, bytecount = 0"));
            }
            answer.keeps = false;
        }
        if let Some(chunks) = &chunks {
            let trailers: Vec<Vec<u8>> = chunks.trailers().map(<[u8]>::to_vec).collect();
            for line in trailers.iter().filter(|_| !self.job.request.raw) {
                self.report.header_bytes += line.len() as u64;
                self.keep_head(line)?;
            }
        }
        Ok(())
    }

    /// The connection ended within the body, or so the body does.
    fn ended(&mut self, answer: &mut Answer, left: Option<u64>, chunked: bool) -> Result<(), Failure> {
        answer.keeps = false;
        match left {
            Some(left) => {
                Err((18, format!("transfer closed with {left} bytes remaining to read").into_bytes()))
            }
            None if chunked => Err((18, b"transfer closed with outstanding read data remaining".to_vec())),
            None => Ok(()),
        }
    }
}

fn empty(status: Status) -> Answer {
    Answer {
        status,
        location: None,
        keeps: false,
        modified: None,
        framing: Framing::Unknown,
        codings: Vec::new(),
        ranged: false,
        disposition: None,
        retry_after: None,
        etag: None,
        says_close: false,
        says_keep: false,
        has_body: false,
    }
}

fn bad_chunk(bad: body::Bad) -> Failure {
    let text = match bad {
        body::Bad::NoSize => "Illegal or missing hexadecimal sequence in chunked-encoding",
        body::Bad::LongSize => "Too long hexadecimal number in chunked-encoding",
        body::Bad::NoEnd | body::Bad::TooMuch => "Malformed encoding found in chunked-encoding",
    };
    (56, text.as_bytes().to_vec())
}

/// The output, behind the decoders of the codings.
struct Sink<'a, 'b> {
    output: &'a mut Output<'b>,
    decoders: Vec<Option<Decoder>>,
    ignored: bool,
}

impl Sink<'_, '_> {
    fn put(&mut self, data: &[u8]) -> Result<(), Failure> {
        if self.ignored || data.is_empty() {
            return Ok(());
        }
        if self.decoders.iter().any(Option::is_none) {
            let text: &[u8] =
                b"Unrecognized content encoding type. libcurl understands deflate, gzip content encodings.";
            return Err((61, text.to_vec()));
        }
        // There is one coding nearly always; a second one is decoded from what the first one made of this piece.
        match self.decoders.as_mut_slice() {
            [] => self.output.write(data),
            [Some(only)] => {
                let output = &mut *self.output;
                only.feed(data, |piece| output.write(piece).map_err(Undecoded::Written))
                    .map_err(Failure::from)
            }
            [Some(first), Some(second)] => {
                let output = &mut *self.output;
                let through = |piece: &[u8]| {
                    second.feed(piece, |piece| output.write(piece).map_err(Undecoded::Written))
                };
                first.feed(data, through).map_err(Failure::from)
            }
            _ => Err((61, b"Reject response due to more than 2 content encodings".to_vec())),
        }
    }
}

/// Why decoded data could not be passed on.
enum Undecoded {
    Bad(coding::Bad),
    Written(Failure),
}

impl From<coding::Bad> for Undecoded {
    fn from(bad: coding::Bad) -> Self {
        Self::Bad(bad)
    }
}

impl From<Undecoded> for Failure {
    fn from(undecoded: Undecoded) -> Self {
        let what = match undecoded {
            Undecoded::Written(failure) => return failure,
            Undecoded::Bad(coding::Bad::Head) => "incorrect header check",
            Undecoded::Bad(coding::Bad::Data) => "invalid data",
        };
        (61, format!("Error while processing content unencoding: {what}").into_bytes())
    }
}

/// The last part of the name in `Content-Disposition`: no server chooses a directory.
pub(crate) fn file_name(value: &[u8]) -> Option<Vec<u8>> {
    let at = value.to_ascii_lowercase().windows(9).position(|w| w == b"filename=")?;
    let rest = value.get(at + 9..)?;
    let name = match rest.strip_prefix(b"\"") {
        Some(quoted) => quoted.split(|b| *b == b'"').next()?,
        None => rest.split(|b| *b == b';').next()?.trim_ascii(),
    };
    let name = name.rsplit(|b| matches!(b, b'/' | b'\\')).next()?;
    let is_name = !name.is_empty() && name != b"." && name != b".." && !name.iter().any(u8::is_ascii_control);
    is_name.then(|| name.to_vec())
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn servers_choose_no_directory() {
        let name = |text: &str| file_name(text.as_bytes()).map(|n| String::from_utf8(n).unwrap());
        assert_eq!(name("attachment; filename=\"a b.txt\"; x=y").as_deref(), Some("a b.txt"));
        assert_eq!(name("attachment; filename=a.txt;q").as_deref(), Some("a.txt"));
        assert_eq!(name("attachment; FileName=\"../../etc/passwd\"").as_deref(), Some("passwd"));
        assert_eq!(name("attachment; filename=\"..\\evil\"").as_deref(), Some("evil"));
        for none in ["attachment", "filename=\"..\"", "filename=\"a/\"", "filename=\"a\x01\"", "filename=."] {
            assert_eq!(name(none), None, "{none}");
        }
    }
}
