//! `file:` URLs.

use super::job::{Job, Resume};
use super::meter::{Amounts, Meter};
use super::output::Output;
use super::report::Report;
use super::url::Url;
use super::{Failure, WRITE_ERROR, failure};
use crate::base::say;
use sandshell_cli::out;
use sandshell_sys::{self as sys, Errno, open_flags};
use sandshell_time::{Local, strftime};

/// Copies a local file to the output.
pub(super) fn fetch(
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
            meter.end(Amounts::default());
            close();
            // A directory can be opened, but there is nothing to read.
            return Ok(());
        }
        Err(_) => {
            meter.end(Amounts::default());
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
    let finished = file.finish(true, None);
    close();
    match result {
        Ok(count) => {
            report.downloaded = count;
            meter.end(Amounts { received: count, to_receive: count, ..Amounts::default() });
            finished
        }
        Err(e) => {
            meter.end(Amounts::default());
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
    if let Some(Resume::At(from)) = job.resume {
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
pub(super) fn send(path: &[u8], url: &Url, report: &mut Report, meter: &mut Meter) -> Result<(), Failure> {
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
        meter.end(Amounts::default());
        return Err((23, [b"Can't open ", target.as_slice(), b" for writing"].concat()));
    }
    report.uploaded = content.len() as u64;
    meter.end(Amounts { sent: report.uploaded, to_send: report.uploaded, ..Amounts::default() });
    Ok(())
}
