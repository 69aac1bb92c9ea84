//! `wget` as of version 1.21.3, without a network: no host can be resolved, and no address reached.

mod names;
mod options;

use crate::base::say;
use crate::curl::address;
use crate::procps::local_time;
use options::{Job, Wanted};
use sandshell_cli::input;
use sandshell_cli::out;
use sandshell_sys::{self as sys, open_flags};

/// Runs `wget` on its arguments (its own name first) and returns the exit status: 1 for an invalid URL, 2 for a usage
/// error, 3 if a file could not be written, 4 for everything that needs a network.
pub fn wget_main(args: Vec<Vec<u8>>) -> i32 {
    let code = match options::read(&args) {
        Ok(Wanted::Transfers(job)) => run(job),
        Ok(Wanted::Text(text)) => {
            out::put(text);
            0
        }
        Err(code) => code,
    };
    out::finish("wget", code, 3)
}

/// Combines two failures. The lowest status wins, except that 1 is the least specific and loses against all others.
fn worse(one: i32, other: i32) -> i32 {
    match (one, other) {
        (0 | 1, n) if n != 0 => n,
        (n, 0 | 1) => n,
        (a, b) => a.min(b),
    }
}

fn run(mut job: Job) -> i32 {
    let mut code = 0;
    let log = Log::new(&job);
    if let Some(list) = job.input.take() {
        let content = input::contents(&list);
        let mut found = 0;
        match content {
            Ok(content) => {
                let lines = content.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
                let urls: Vec<Vec<u8>> =
                    lines.filter(|l| !l.is_empty() && !l.starts_with(b"#")).map(<[u8]>::to_vec).collect();
                found = urls.len();
                job.urls.extend(urls);
            }
            Err(e) => {
                log.put([&list, b": ".as_slice(), e.to_string().as_bytes(), b"\n"].concat());
            }
        }
        if found == 0 {
            log.put([b"No URLs found in ".as_slice(), &list, b".\n"].concat());
        }
    }
    if job.timestamps && job.document.is_some() {
        log.put(
            b"WARNING: timestamping does nothing in combination with -O. See the manual\nfor details.\n\n"
                .to_vec(),
        );
    }
    if let Some(path) = &job.document
        && path != b"-"
    {
        let mode = open_flags::WRITE
            | open_flags::CREATE
            | if job.resumes { open_flags::APPEND } else { open_flags::TRUNC };
        match sys::open(path, mode, 0o666) {
            Ok(fd) => {
                let _ = sys::close(fd);
            }
            Err(e) => {
                say::raw([path, b": ".as_slice(), e.to_string().as_bytes(), b"\n"].concat());
                return 1;
            }
        }
    }
    for url in &job.urls {
        code = worse(code, transfer(&job, url, &log));
    }
    code
}

/// The destination of messages.
struct Log {
    fd: sys::Fd,
    quiet: bool,
    brief: bool,
}

impl Log {
    fn new(job: &Job) -> Log {
        let mut fd = 2;
        if let Some((path, appends)) = &job.log {
            let mode = open_flags::WRITE
                | open_flags::CREATE
                | if *appends { open_flags::APPEND } else { open_flags::TRUNC };
            if path == b"-" {
                fd = 1;
            } else if let Ok(opened) = sys::open(path, mode, 0o666) {
                fd = opened;
            }
        }
        Log { fd, quiet: job.quiet, brief: job.brief }
    }

    /// Prints a message, unless `-q` was given.
    fn put(&self, text: Vec<u8>) {
        if !self.quiet {
            out::flush();
            let _ = sys::write_all(self.fd, &text);
        }
    }

    /// Prints a message, unless `-q` or `-nv` was given.
    fn more(&self, text: Vec<u8>) {
        if !self.brief {
            self.put(text);
        }
    }
}

fn transfer(job: &Job, text: &[u8], log: &Log) -> i32 {
    let refused = |what: &[u8]| {
        log.put([text, b": ", what, b".\n"].concat());
        1
    };
    let (scheme, rest) = match memchr::memmem::find(text, b"://") {
        Some(at) => {
            (text.get(..at).unwrap_or_default().to_ascii_lowercase(), text.get(at + 3..).unwrap_or_default())
        }
        None if text.is_empty() => {
            log.put(b"http://: Invalid host name.\n".to_vec());
            return 1;
        }
        None => {
            // `host:path` is an FTP URL, unless a port follows the colon.
            let colon =
                text.iter().position(|b| matches!(b, b':' | b'/')).filter(|i| text.get(*i) == Some(&b':'));
            let after = colon.and_then(|i| text.get(i + 1..)).unwrap_or_default();
            let port = after.split(|b| *b == b'/').next().unwrap_or_default();
            match colon {
                Some(i) if !port.iter().all(u8::is_ascii_digit) => {
                    let url = [b"ftp://", text.get(..i).unwrap_or_default(), b"/", after].concat();
                    return transfer(job, &url, log);
                }
                _ => (b"http".to_vec(), text),
            }
        }
    };
    let default_port = match scheme.as_slice() {
        b"http" => 80,
        b"https" => 443,
        b"ftp" => 21,
        b"ftps" => 990,
        other => return refused(&["Unsupported scheme ‘".as_bytes(), other, "’".as_bytes()].concat()),
    };
    let text = if text.len() == rest.len() { [b"http://", text].concat() } else { text.to_vec() };
    let refused = |what: &[u8]| {
        log.put([text.as_slice(), b": ", what, b".\n"].concat());
        1
    };
    let end = rest.iter().position(|b| matches!(b, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host_part = authority.rsplit(|b| *b == b'@').next().unwrap_or_default();
    let (host, port) = match host_part.strip_prefix(b"[") {
        Some(v6) => match v6.iter().position(|b| *b == b']') {
            Some(i) => {
                (v6.get(..i).unwrap_or_default(), v6.get(i + 1..).unwrap_or_default().strip_prefix(b":"))
            }
            None => return refused(b"Unterminated IPv6 numeric address"),
        },
        None => match host_part.iter().position(|b| *b == b':') {
            Some(i) => (host_part.get(..i).unwrap_or_default(), host_part.get(i + 1..)),
            None => (host_part, None),
        },
    };
    if host.is_empty() {
        return refused(b"Invalid host name");
    }
    let port: u16 = match port.filter(|p| !p.is_empty()) {
        None => default_port,
        Some(p) => match std::str::from_utf8(p).ok().and_then(|p| p.parse().ok()).filter(|p| *p > 0) {
            Some(port) => port,
            None => return refused(b"Bad port number"),
        },
    };
    let host = host.to_ascii_lowercase();
    let path = path.split(|b| *b == b'#').next().unwrap_or_default();
    let path = if path.starts_with(b"/") { path.to_vec() } else { [b"/", path].concat() };
    if job.spider {
        log.more(b"Spider mode enabled. Check if remote file exists.\n".to_vec());
    }
    let bracketed = if host.contains(&b':') { [b"[".as_slice(), &host, b"]"].concat() } else { host.clone() };
    let shown_port = if port == default_port { Vec::new() } else { format!(":{port}").into_bytes() };
    let shown = [scheme.as_slice(), b"://", &escaped(&bracketed), &shown_port, &escaped(&path)].concat();
    let time = local_time(b"%Y-%m-%d %H:%M:%S");
    log.more([b"--".as_slice(), &time, b"--  ", &shown, b"\n"].concat());
    if scheme.starts_with(b"ftp") {
        log.more(["           => ‘".as_bytes(), &ftp_target(job, &path), "’\n".as_bytes()].concat());
    }
    let is_address = std::str::from_utf8(&host).is_ok_and(|h| h.parse::<std::net::IpAddr>().is_ok());
    let place = if is_address {
        bracketed
    } else {
        log.more([b"Resolving ".as_slice(), &host, b" (", &host, b")... "].concat());
        match address(&host) {
            Some(found) => {
                log.more([found.as_slice(), b"\n"].concat());
                [host.as_slice(), b" (", &host, b")|", &found, b"|"].concat()
            }
            None => {
                log.more(b"failed: Name or service not known.\n".to_vec());
                let text =
                    ["wget: unable to resolve host address ‘".as_bytes(), &host, "’\n".as_bytes()].concat();
                log.put(text);
                return 4;
            }
        }
    };
    log.more([b"Connecting to ".as_slice(), &place, format!(":{port}... ").as_bytes()].concat());
    log.put(b"failed: Connection refused.\n".to_vec());
    4
}

/// Escapes blanks and non-ASCII bytes as `%XX`.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for b in text {
        if *b <= b' ' || *b >= 0x7f || b"\"<>".contains(b) {
            out.extend_from_slice(format!("%{b:02X}").as_bytes());
        } else {
            out.push(*b);
        }
    }
    out
}

fn ftp_target(job: &Job, path: &[u8]) -> Vec<u8> {
    if let Some(document) = &job.document {
        return document.clone();
    }
    let name = path.rsplit(|b| *b == b'/').next().filter(|n| !n.is_empty()).unwrap_or(b".listing");
    let base = match &job.prefix {
        Some(dir) => [dir.as_slice(), b"/", name].concat(),
        None => name.to_vec(),
    };
    let exists = |path: &[u8]| sys::stat(path, true).is_ok();
    if job.keeps || !exists(&base) {
        return base;
    }
    (1..10_000u32)
        .map(|n| [base.as_slice(), format!(".{n}").as_bytes()].concat())
        .find(|p| !exists(p))
        .unwrap_or(base)
}
