//! The transfers.

use super::options::Job;
use super::url::{self, Bad, Url};
use super::write_out::{self, Report};
use crate::base::say;
use sandshell_cli::out;
use sandshell_sys::{self as sys, Errno, open_flags};
use sandshell_time::{Local, strftime};
use std::collections::VecDeque;

/// A failure: curl's code and message.
type Failure = (i32, Vec<u8>);

const MALFORMED: (i32, &str) = (3, "URL using bad/illegal format or missing URL");
const WRITE_ERROR: (i32, &str) = (23, "Failure writing output to destination");

fn failure((code, text): (i32, &str)) -> Failure {
    (code, text.as_bytes().to_vec())
}

/// Runs all transfers and returns the code of the last one.
pub(super) fn run(job: &Job) -> i32 {
    if let Some(path) = &job.stderr
        && path != b"-"
        && let Ok(fd) = sys::open(path, open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC, 0o666)
    {
        let _ = sys::dup2(fd, 2, false);
    }
    let mut outputs: VecDeque<Option<Vec<u8>>> = job.outputs.iter().cloned().collect();
    let mut uploads: VecDeque<&Vec<u8>> = job.uploads.iter().collect();
    let mut last = 0;
    let mut number = 0;
    for pattern in &job.urls {
        let output = outputs.pop_front();
        let output = if output.is_none() && job.all_named { Some(None) } else { output };
        let upload = uploads.pop_front();
        let expanded =
            match if job.no_glob { Ok(vec![(pattern.clone(), Vec::new())]) } else { url::expand(pattern) } {
                Ok(expanded) => expanded,
                Err((what, at)) => {
                    if !job.silent || job.show_error {
                        let mark = [b" ".repeat(at.saturating_sub(1)), b"^".to_vec()].concat();
                        let head = format!("curl: (3) {what} in URL position {at}:\n");
                        say::raw([head.as_bytes(), pattern, b"\n", &mark, b"\n"].concat());
                    }
                    return 3;
                }
            };
        for (text, parts) in expanded {
            let mut report = Report {
                url: text.clone(),
                effective: text.clone(),
                number,
                method: job.method.clone().unwrap_or_else(|| {
                    let method: &[u8] = if job.head {
                        b"HEAD"
                    } else if upload.is_some() {
                        b"PUT"
                    } else if job.posts {
                        b"POST"
                    } else {
                        b"GET"
                    };
                    method.to_vec()
                }),
                ..Report::default()
            };
            number += 1;
            let named = output.clone().map(|o| o.map(|name| with_parts(&name, &parts)));
            let done = one(job, &text, named, upload, &mut report);
            last = 0;
            if let Err((code, message)) = done {
                last = code;
                if code == 26 && upload.is_some() {
                    return code;
                }
                report.error.clone_from(&message);
                // Resolving a name is retried, but here without waiting.
                let tries = if code == 6 { job.retries.min(1000) + 1 } else { 1 };
                for _ in 0..tries {
                    if !job.silent || job.show_error {
                        say::raw([format!("curl: ({code}) ").as_bytes(), &message, b"\n"].concat());
                    }
                }
            }
            report.code = last;
            if let Some(format) = &job.write_out {
                write_out::print(format, &report);
            }
            if last != 0 && job.fail_early {
                return last;
            }
        }
    }
    last
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

fn one(
    job: &Job,
    text: &[u8],
    output: Option<Option<Vec<u8>>>,
    upload: Option<&Vec<u8>>,
    report: &mut Report,
) -> Result<(), Failure> {
    if let Some(path) = upload
        && path != b"-"
        && path != b"."
        && sys::stat(path, true).is_err()
    {
        say::raw([b"curl: Can't open '", path.as_slice(), b"'!\n"].concat());
        say::raw("curl: try 'curl --help' or 'curl --manual' for more information\n");
        say::raw("curl: (26) Failed to open/read local data from file/application\n");
        return Err((26, b"Failed to open/read local data from file/application".to_vec()));
    }
    let mut meter = Meter { shown: !job.silent && !job.no_meter && !sys::isatty(1), begun: false };
    let url = url::parse(text).map_err(|bad| match bad {
        Bad::Malformed => failure(MALFORMED),
        Bad::Protocol(name) => {
            (1, [b"Protocol \"", name.as_slice(), b"\" not supported or disabled in libcurl"].concat())
        }
    })?;
    report.effective.clone_from(&url.effective);
    let target = match output {
        None => None,
        Some(Some(name)) if name == b"-" => None,
        Some(name) => Some(target(job, name, &url)?),
    };
    report.file.clone_from(&target);
    if url.scheme != b"file" {
        return network(job, &url, &mut meter);
    }
    report.scheme = Some("FILE".into());
    meter.begin();
    match upload {
        Some(path) => send(path, &url, report, &mut meter),
        None => fetch(job, &url, target.as_deref(), report, &mut meter),
    }
}

/// The name of the output file.
fn target(job: &Job, name: Option<Vec<u8>>, url: &Url) -> Result<Vec<u8>, Failure> {
    let name = match name {
        Some(name) => name,
        None => {
            let path = url.path.split(|b| *b == b'?').next().unwrap_or_default();
            let last = path.rsplit(|b| *b == b'/').next().unwrap_or_default();
            if last.is_empty() {
                return Err((23, b"Failed writing received data to disk/application".to_vec()));
            }
            last.to_vec()
        }
    };
    let path = match &job.output_dir {
        Some(dir) => [dir.as_slice(), b"/", &name].concat(),
        None => name,
    };
    if job.create_dirs {
        for (i, _) in path.iter().enumerate().filter(|(i, b)| **b == b'/' && *i > 0) {
            let _ = sys::mkdir(path.get(..i).unwrap_or_default(), 0o755);
        }
    }
    Ok(path)
}

/// Fails as every network transfer must: the host cannot be resolved or reached.
fn network(job: &Job, url: &Url, meter: &mut Meter) -> Result<(), Failure> {
    let say_more = |text: &[u8]| {
        if job.verbose {
            say::raw([b"* ", text, b"\n"].concat());
        }
    };
    meter.begin();
    if job.form_is_bad {
        return Err((26, b"Failed to open/read local data from file/application".to_vec()));
    }
    if let Some(proxy) = proxy(job, url)
        && let Ok(proxy) = url::parse(&proxy)
        && address(&proxy.host).is_none()
    {
        let text = [b"Could not resolve proxy: ", proxy.host.as_slice()].concat();
        say_more(&text);
        say_more(b"Closing connection 0");
        return Err((5, text));
    }
    let Some(address) = address(&url.host) else {
        let text = [b"Could not resolve host: ", url.host.as_slice()].concat();
        say_more(&text);
        say_more(b"Closing connection 0");
        return Err((6, text));
    };
    let shown = String::from_utf8_lossy(&address).into_owned();
    let (host, port) = (String::from_utf8_lossy(&url.host).into_owned(), url.port);
    let bracketed = if shown.contains(':') { format!("[{shown}]") } else { shown.clone() };
    let text = format!("Failed to connect to {host} port {port} after 0 ms: Couldn't connect to server");
    say_more(format!("  Trying {bracketed}:{port}...").as_bytes());
    say_more(format!("connect to {shown} port {port} failed: Connection refused").as_bytes());
    say_more(text.as_bytes());
    say_more(b"Closing connection 0");
    meter.end(0, 0);
    Err((7, text.into_bytes()))
}

fn proxy(job: &Job, url: &Url) -> Option<Vec<u8>> {
    if job.proxy.is_some() {
        return job.proxy.clone().filter(|p| !p.is_empty());
    }
    let scheme = String::from_utf8_lossy(&url.scheme).into_owned();
    let upper = if scheme == "http" { String::new() } else { format!("{}_PROXY", scheme.to_uppercase()) };
    let names = [format!("{scheme}_proxy"), upper, "all_proxy".into(), "ALL_PROXY".into()];
    let value = names.iter().filter(|n| !n.is_empty()).find_map(std::env::var_os)?.into_encoded_bytes();
    let exempt =
        ["no_proxy", "NO_PROXY"].iter().find_map(std::env::var_os).unwrap_or_default().into_encoded_bytes();
    let host = url.host.as_slice();
    let exempted = exempt.split(|b| *b == b',').map(<[u8]>::trim_ascii).any(|e| {
        let bare = e.strip_prefix(b".").unwrap_or(e);
        e == b"*" || host == bare || host.ends_with(&[b".", bare].concat()) && !bare.is_empty()
    });
    (!value.is_empty() && !exempted).then_some(value)
}

/// The address of a host, if it is an address itself or in `/etc/hosts`.
pub(crate) fn address(host: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(host).ok()?;
    if text.parse::<std::net::IpAddr>().is_ok() {
        return Some(host.to_vec());
    }
    let hosts = sys::read_file(b"/etc/hosts").ok()?;
    hosts.split(|b| *b == b'\n').find_map(|line| {
        let line = line.split(|b| *b == b'#').next()?;
        let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        let address = words.next()?;
        words.any(|w| w.eq_ignore_ascii_case(host)).then(|| address.to_vec())
    })
}

fn fetch(
    job: &Job,
    url: &Url,
    target: Option<&[u8]>,
    report: &mut Report,
    meter: &mut Meter,
) -> Result<(), Failure> {
    let close = || {
        if job.verbose {
            say::raw("* Closing connection 0\n");
        }
    };
    let missing = || (37, [b"Couldn't open file ", url.path.as_slice()].concat());
    let opened = sys::open(&url.path, open_flags::READ, 0).and_then(|fd| Ok((fd, sys::fstat(fd)?)));
    let (fd, status) = match opened {
        Ok((fd, status)) if !status.is_dir() => (fd, status),
        Ok((fd, _)) => {
            let _ = sys::close(fd);
            meter.end(0, 0);
            close();
            // A directory can be opened, but there is nothing to read.
            return Ok(());
        }
        Err(_) => {
            meter.end(0, 0);
            close();
            return Err(missing());
        }
    };
    let mut file = Output::new(job, target);
    let result = (|| {
        if job.head || job.include || job.dump_header.is_some() {
            let headers = headers(&status);
            if let Some(path) = &job.dump_header {
                dump(path, &headers)?;
            }
            if job.head || job.include {
                file.write(&headers)?;
                if job.include && !job.head {
                    file.write(b"\r\n")?;
                }
            }
        }
        if job.head {
            return Ok(0);
        }
        let (from, to) = part(job, status.size)?;
        copy(fd, from, to, &mut file)
    })();
    let _ = sys::close(fd);
    let finished = file.finish();
    close();
    match result {
        Ok(count) => {
            report.downloaded = count;
            meter.end(count, count);
            finished
        }
        Err(e) => {
            meter.end(0, 0);
            Err(e)
        }
    }
}

fn headers(status: &sys::Stat) -> Vec<u8> {
    let local = Local::at_offset(status.mtime, 0, "GMT");
    let moment = strftime::Moment { local: &local, seconds: status.mtime, nanos: 0 };
    let date = strftime::format(b"%a, %d %b %Y %H:%M:%S GMT", &moment);
    let length = format!("Content-Length: {}\r\n", status.size);
    [length.as_bytes(), b"Accept-ranges: bytes\r\nLast-Modified: ", &date, b"\r\n"].concat()
}

fn dump(path: &[u8], headers: &[u8]) -> Result<(), Failure> {
    if path == b"-" {
        out::put([headers, b"\r\n"].concat());
        return Ok(());
    }
    let flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
    let written = sys::open(path, flags, 0o666).and_then(|fd| {
        let done = sys::write_all(fd, headers).and_then(|()| sys::write_all(fd, b"\r\n"));
        let _ = sys::close(fd);
        done
    });
    written.map_err(|_| failure(WRITE_ERROR))
}

/// The range of the file that is asked for: its start and end.
fn part(job: &Job, size: u64) -> Result<(u64, u64), Failure> {
    let refused = || (36, b"failed to resume file:// transfer".to_vec());
    if let Some(from) = job.resume {
        if !job.silent {
            say::raw(format!("** Resuming transfer from byte position {from}\n"));
        }
        return if from > size { Err(refused()) } else { Ok((from, size)) };
    }
    let Some(range) = &job.range else { return Ok((0, size)) };
    let text = std::str::from_utf8(range).unwrap_or_default();
    let Some((from, to)) = text.split_once('-') else { return Ok((0, size)) };
    match (from.parse::<u64>(), to.parse::<u64>()) {
        (Ok(from), _) if from > size => Err(refused()),
        (Ok(from), Ok(to)) => Ok((from, to.saturating_add(1).min(size))),
        (Ok(from), Err(_)) => Ok((from, size)),
        (Err(_), Ok(count)) if from.is_empty() => Ok((size.saturating_sub(count), size)),
        _ => Ok((0, size)),
    }
}

fn copy(fd: sys::Fd, from: u64, to: u64, output: &mut Output<'_>) -> Result<u64, Failure> {
    if from > 0 {
        let offset = i64::try_from(from).unwrap_or(i64::MAX);
        let _ = sys::lseek(fd, offset, 0);
    }
    // Devices and pipes have no size.
    let bounded = to > from;
    let mut left = if bounded { to - from } else { u64::MAX };
    let mut count = 0;
    let mut chunk = vec![0u8; 64 << 10];
    while left > 0 {
        let want = usize::try_from(left).unwrap_or(usize::MAX).min(chunk.len());
        match sys::read(fd, chunk.get_mut(..want).unwrap_or_default()) {
            Ok(0) => break,
            Ok(n) => {
                output.write(chunk.get(..n).unwrap_or_default())?;
                count += n as u64;
                left -= n as u64;
            }
            Err(Errno::INTR) => {}
            Err(_) => return Err((26, b"Failed to open/read local data from file/application".to_vec())),
        }
    }
    Ok(count)
}

/// Copies a local file to a `file:` URL.
fn send(path: &[u8], url: &Url, report: &mut Report, meter: &mut Meter) -> Result<(), Failure> {
    let content = if matches!(path, b"-" | b".") { sys::read_to_end(0) } else { sys::read_file(path) };
    let content =
        content.map_err(|_| (26, b"Failed to open/read local data from file/application".to_vec()))?;
    let flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
    // As in curl's uploads, a directory means a file with the same name in it.
    let target = if url.path.ends_with(b"/") {
        let name = path.rsplit(|b| *b == b'/').next().unwrap_or_default();
        [url.path.as_slice(), name].concat()
    } else {
        url.path.clone()
    };
    let written = sys::open(&target, flags, 0o644).and_then(|fd| {
        let done = sys::write_all(fd, &content);
        let _ = sys::close(fd);
        done
    });
    if written.is_err() {
        meter.end(0, 0);
        return Err((23, [b"Can't open ", target.as_slice(), b" for writing"].concat()));
    }
    report.uploaded = content.len() as u64;
    meter.end(0, report.uploaded);
    Ok(())
}

/// The output of a transfer: standard output, or a file that is created when there is something to write.
struct Output<'a> {
    job: &'a Job,
    path: Option<&'a [u8]>,
    fd: Option<sys::Fd>,
}

impl<'a> Output<'a> {
    fn new(job: &'a Job, path: Option<&'a [u8]>) -> Self {
        Output { job, path, fd: None }
    }

    fn write(&mut self, data: &[u8]) -> Result<(), Failure> {
        if self.path.is_none() {
            out::put(data);
            return if out::failure().is_some() { Err(failure(WRITE_ERROR)) } else { Ok(()) };
        }
        let fd = self.open()?;
        sys::write_all(fd, data).map_err(|_| failure(WRITE_ERROR))
    }

    fn open(&mut self) -> Result<sys::Fd, Failure> {
        if let Some(fd) = self.fd {
            return Ok(fd);
        }
        let path = self.path.unwrap_or_default();
        let mut flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
        if self.job.no_clobber {
            flags |= open_flags::EXCL;
        }
        if self.job.resume.is_some() {
            flags = open_flags::WRITE | open_flags::CREATE | open_flags::APPEND;
        }
        let mut opened = sys::open(path, flags, 0o644);
        if flags & open_flags::EXCL != 0 {
            // The file that is there stays: its name gets a number.
            for number in 1..=100 {
                if opened != Err(sys::Errno::EXIST) {
                    break;
                }
                opened = sys::open(&[path, format!(".{number}").as_bytes()].concat(), flags, 0o644);
            }
        }
        match opened {
            Ok(fd) => {
                self.fd = Some(fd);
                Ok(fd)
            }
            Err(e) => {
                if !self.job.silent {
                    say::raw(
                        [b"Warning: Failed to open the file ", path, b": ", e.to_string().as_bytes(), b"\n"]
                            .concat(),
                    );
                }
                Err(failure(WRITE_ERROR))
            }
        }
    }

    /// Closes the file. An empty transfer creates an empty file.
    fn finish(mut self) -> Result<(), Failure> {
        if self.path.is_some() {
            let fd = self.open()?;
            let _ = sys::close(fd);
        }
        Ok(())
    }
}

/// The progress meter on standard error.
struct Meter {
    shown: bool,
    begun: bool,
}

impl Meter {
    fn begin(&mut self) {
        if self.shown && !self.begun {
            say::raw(
                "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0",
            );
        }
        self.begun = true;
    }

    /// Times are not measured, as every transfer is immediate.
    fn end(&mut self, received: u64, total: u64) {
        if !self.shown {
            return;
        }
        let short = |n: u64| if n < 100_000 { n.to_string() } else { format!("{}k", n / 1024) };
        let (sent, percent) = (total - received.min(total), if total > 0 { 100 } else { 0 });
        let part = |n: u64| if n > 0 { percent } else { 0 };
        say::raw(format!(
            "\r{percent:3} {:>5}  {:3} {:>5}  {:3} {:>5}  {:>5}  {:>5} --:--:-- --:--:-- --:--:-- {:>5}\n",
            short(total),
            part(received),
            short(received),
            part(sent),
            short(sent),
            short(received),
            short(sent),
            short(received)
        ));
    }
}
