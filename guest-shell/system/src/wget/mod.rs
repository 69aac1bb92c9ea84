//! `wget` as of version 1.21.3: HTTP to servers in the same sandbox. There is no network and no TLS: no other host can
//! be resolved, and no other address reached.

mod answer;
mod names;
mod options;
mod place;
mod progress;
mod request;
mod retrieve;
mod save;

use crate::base::say;
use options::{Job, Wanted};
use retrieve::Session;
use sandshell_cli::input;
use sandshell_cli::out;
use sandshell_sys::{self as sys, open_flags};

/// Runs `wget` on its arguments (its own name first) and returns the exit status: 1 for an invalid URL, 2 for a usage
/// error, 3 if a file could not be written, 4 for failures of the network, 6 of a name and password, 8 if the server
/// answered with an error.
pub fn wget_main(args: Vec<Vec<u8>>) -> i32 {
    let code = match options::read(&args) {
        Ok(Wanted::Transfers(job)) => run(*job),
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
    let urls = std::mem::take(&mut job.urls);
    let mut session = Session::new(&job, &log);
    let begun = sys::monotonic();
    for url in &urls {
        code = worse(code, session.document(url));
    }
    session.end(urls.len(), begun);
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
