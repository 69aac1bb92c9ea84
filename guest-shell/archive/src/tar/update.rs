//! Changes archives: `-r`, `-u`, `-A` and `--delete`.

use super::archive::{Opened, Records, cannot_open, cannot_write};
use super::create::Dump;
use super::header::Entry;
use super::list::total_read;
use super::log::{self, Fatal};
use super::members::Members;
use super::names::trim;
use super::options::{Counter, Op, Options};
use super::places::Places;
use super::reader::Archive;
use crate::codec::{Format, Plain};
use crate::io::{FdReader, FdWriter, read_full};
use crate::sink::Sink;
use sandshell_sys::{self as sys, open_flags as o};
use std::collections::HashMap;
use std::io::{Cursor, Read, Write};

pub(crate) fn append(options: &Options) -> Result<(), Fatal> {
    let mut places = Places::of(options)?;
    let mut newest = HashMap::new();
    let end = scan(options, |entry| {
        if options.op == Op::Update {
            newest.insert(trim(&entry.name).to_vec(), entry.mtime);
        }
    })?;
    let (sink, id) = at_end(options, end)?;
    let mut dump = Dump::new(options, sink, id);
    dump.newest = newest;
    dump.operands(&mut places)?;
    dump.finish()
}

/// Appends the other archives as they are, including the blocks at their ends.
pub(crate) fn concatenate(options: &Options) -> Result<(), Fatal> {
    let places = Places::of(options)?;
    let end = scan(options, |_| {})?;
    let (mut sink, _) = at_end(options, end)?;
    for place in &places.names {
        match FdReader::open(&place.name) {
            Ok(from) => copy_file(from, &place.name, &mut sink, options)?,
            Err(e) => {
                let e = e.to_string();
                log::error([&log::colon(&place.name)[..], b": Cannot open: ", e.as_bytes()].concat());
            }
        }
    }
    close(sink, options)
}

fn copy_file(mut from: FdReader, name: &[u8], to: &mut dyn Write, options: &Options) -> Result<(), Fatal> {
    let failed = |e: std::io::Error| cannot_write(&options.file, &e);
    let mut buf = vec![0; 64 * 1024];
    let mut size = 0;
    loop {
        match read_full(&mut from, &mut buf) {
            Ok(0) => break,
            Ok(n) => {
                size += n as u64;
                to.write_all(buf.get(..n).unwrap_or_default()).map_err(failed)?;
            }
            Err(e) => {
                let e = crate::io::errno(&e).to_string();
                return Err(log::fatal([&log::colon(name)[..], b": Cannot read: ", e.as_bytes()].concat()));
            }
        }
    }
    to.write_all(&vec![0; super::reader::padding(size) as usize]).map_err(failed)
}

/// Moves the remaining members towards the start of the file and truncates it.
pub(crate) fn delete(options: &Options) -> Result<(), Fatal> {
    let began = sys::monotonic();
    let mut members = Members::of(options)?;
    let fd = sys::open(&options.file, o::WRITE | o::CREATE | o::CLOEXEC, 0o666)
        .map_err(|_| not_to_change(&options.file))?;
    let mut archive = plain(options)?;
    let to = Box::new(Plain(FdWriter(fd)));
    let mut sink: Box<dyn Sink> =
        Box::new(Records { to, held: Vec::new(), record: options.record, counter: Counter::default() });
    let mut kept = 0;
    let mut found = false;
    while let Some(entry) = archive.next()? {
        match members.place(&entry) {
            Some(_) => found = true,
            None => kept += copy_member(&mut archive, &mut sink, options)?,
        }
    }
    if !found {
        members.report();
        return Ok(());
    }
    let ended = super::writer::end(&mut sink).and_then(|()| sink.finish());
    ended.map_err(|e| cannot_write(&options.file, &e))?;
    let size = (kept + 1024).next_multiple_of(options.record as u64);
    let cut = sys::open(&options.file, o::WRITE | o::CLOEXEC, 0).and_then(|fd| {
        let cut = sys::ftruncate(fd, size);
        let _ = sys::close(fd);
        cut
    });
    cut.map_err(|e| cannot_open(&options.file, e))?;
    members.report();
    let read = total_read(options, &mut archive, began)?;
    if options.totals {
        log::total("written", size, began);
        let text = format!("Total bytes deleted: {}\n", read.saturating_sub(size));
        let _ = sys::write_all(2, text.as_bytes());
    }
    Ok(())
}

/// Finds where the members end: at the first block of zeros, or at the end of the file.
fn scan(options: &Options, mut each: impl FnMut(&Entry)) -> Result<u64, Fatal> {
    let size = match sys::stat(&options.file, true) {
        Ok(stat) if stat.is_dir() => return Err(not_to_change(&options.file)),
        Ok(stat) if stat.size > 0 => stat.size,
        Ok(_) | Err(sys::Errno::NOENT) => return Ok(0),
        Err(e) => return Err(cannot_open(&options.file, e)),
    };
    let mut archive = plain(options)?;
    archive.first_zeros = true;
    while let Some(entry) = archive.next()? {
        each(&entry);
    }
    Ok(if archive.zeros { archive.start } else { size })
}

/// Reports that the archive cannot be opened for reading and writing.
fn not_to_change(file: &[u8]) -> Fatal {
    log::warn([&log::colon(file)[..], b": Cannot read: Bad file descriptor"].concat());
    log::set_status(2);
    log::warn("At beginning of tape, quitting now");
    log::warn("Error is not recoverable: exiting now");
    Fatal
}

/// Opens the archive, which must not be compressed.
fn plain(options: &Options) -> Result<Archive<'static>, Fatal> {
    let mut from = FdReader::open(&options.file).map_err(|e| cannot_open(&options.file, e))?;
    let mut start = vec![0; 6];
    let n = read_full(&mut from, &mut start).unwrap_or(0);
    start.truncate(n);
    if Format::detect(&start).is_some() {
        return Err(log::fatal("Cannot update compressed archives"));
    }
    let mut archive = Archive::new(Box::new(Cursor::new(start).chain(from)));
    archive.record = options.record;
    super::label::check(options, &mut archive)?;
    Ok(archive)
}

/// Opens the archive for writing from `end` on, in whole records: aligned to its own records, or after its end.
fn at_end(options: &Options, end: u64) -> Result<Opened, Fatal> {
    let file = &options.file;
    let fd = sys::open(file, o::WRITE | o::CREATE | o::CLOEXEC, 0o666).map_err(|_| not_to_change(file))?;
    let whole = sys::fstat(fd).is_ok_and(|stat| stat.size == end);
    let within = if whole { 0 } else { end % options.record as u64 };
    let mut held = vec![0; within as usize];
    if within > 0 {
        let mut from = FdReader::open(file).map_err(|e| cannot_open(file, e))?;
        sys::lseek(from.0, (end - within) as i64, 0).map_err(|e| cannot_open(file, e))?;
        read_full(&mut from, &mut held).map_err(|e| cannot_write(file, &e))?;
    }
    sys::lseek(fd, (end - within) as i64, 0).map_err(|e| cannot_open(file, e))?;
    let stat = sys::fstat(fd).ok().map(|s| (s.dev, s.ino));
    let to = Box::new(Plain(FdWriter(fd)));
    Ok((Box::new(Records { to, held, record: options.record, counter: Counter::new(options, true) }), stat))
}

/// Copies the current member unchanged and returns its size in bytes.
fn copy_member(from: &mut Archive<'_>, to: &mut dyn Write, options: &Options) -> Result<u64, Fatal> {
    let failed = |e: std::io::Error| cannot_write(&options.file, &e);
    let mut total = from.headers.len() as u64;
    to.write_all(&from.headers).map_err(failed)?;
    let mut buf = vec![0; 32 * 1024];
    let mut size = 0;
    loop {
        let n = from.read(&mut buf)?;
        if n == 0 {
            break;
        }
        size += n as u64;
        to.write_all(buf.get(..n).unwrap_or_default()).map_err(failed)?;
    }
    let padding = super::reader::padding(size);
    to.write_all(&vec![0; padding as usize]).map_err(failed)?;
    total += size + padding;
    Ok(total)
}

fn close(mut sink: Box<dyn Sink>, options: &Options) -> Result<(), Fatal> {
    let ended = super::writer::end(&mut sink).and_then(|()| sink.finish());
    ended.map_err(|e| cannot_write(&options.file, &e))
}
