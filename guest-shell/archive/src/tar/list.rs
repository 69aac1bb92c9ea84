//! `-t`, and the lines that `-v` prints.

use super::archive;
use super::header::Entry;
use super::links::Prefixes;
use super::log::{self, Fatal};
use super::members::{self, Members};
use super::options::{Op, Options};
use super::reader::Archive;
use super::transform::Of;
use sandshell_cli::out;
use sandshell_posix::mode;
use sandshell_sys as sys;
use sandshell_time::Zone;

/// Finishes reading an archive and prints `--totals`. An incomplete record counts as a whole one.
pub(crate) fn total_read(options: &Options, archive: &mut Archive<'_>, began: u64) -> Result<u64, Fatal> {
    let bytes = archive.offset.next_multiple_of(options.record as u64);
    out::flush();
    archive.finish()?;
    if options.totals {
        log::total("read", bytes, began);
    }
    Ok(bytes)
}

pub(crate) fn list(options: &Options) -> Result<(), Fatal> {
    let began = sys::monotonic();
    let mut members = Members::of(options)?;
    let mut archive = archive::open(options, &options.file)?;
    let mut lines = Lines::new(options, options.verbose + 1, 1);
    let mut prefixes = Prefixes::default();
    while let Some(entry) = archive.next()? {
        if members.place(&entry).is_some() {
            let block = archive.start / 512;
            let mut shown = entry;
            let name = members::changed(options, &shown.name, Of::Member);
            let name = name.map(|name| prefixes.safe(options, &name, false));
            prefixes.safe_target(options, &shown);
            if options.show_transformed {
                shown.name = name.unwrap_or(shown.name);
            }
            lines.show(&shown, block);
            if members.all_found() {
                break;
            }
        }
    }
    if options.block_numbers && archive.zeros {
        out::put(format!("block {}: ** Block of NULs **\n", archive.start / 512));
    }
    members.report();
    total_read(options, &mut archive, began)?;
    Ok(())
}

/// Prints lines about members.
pub(crate) struct Lines<'o> {
    options: &'o Options,
    level: u32,
    fd: sys::Fd,
    width: usize,
    zone: Zone,
}

impl<'o> Lines<'o> {
    /// Level 1 prints names, level 2 and above prints everything.
    pub(crate) fn new(options: &'o Options, level: u32, fd: sys::Fd) -> Self {
        Self { options, level, fd, width: 19, zone: if options.utc { Zone::utc() } else { Zone::system() } }
    }

    pub(crate) fn show(&mut self, entry: &Entry, block: u64) {
        if self.level == 0 {
            return;
        }
        let mut line = Vec::new();
        if self.options.block_numbers {
            line.extend_from_slice(format!("block {block}: ").as_bytes());
        }
        if self.level > 1 {
            self.details(entry, &mut line);
        }
        line.extend_from_slice(&log::shown(&entry.name));
        if self.level > 1 {
            match entry.kind {
                b'2' => line.extend_from_slice(&[b" -> ", log::shown(&entry.link).as_slice()].concat()),
                b'1' => line.extend_from_slice(&[b" link to ", log::shown(&entry.link).as_slice()].concat()),
                b'0' | 0 | b'3'..=b'7' | b'S' | b'D' => {}
                b'V' => line.extend_from_slice(b"--Volume Header--"),
                other => {
                    line.extend_from_slice(format!(" unknown file type '{}'", char::from(other)).as_bytes());
                }
            }
        }
        line.push(b'\n');
        match self.fd {
            1 => out::put(&line),
            fd => {
                let _ = sys::write_all(fd, &line);
            }
        }
    }

    fn details(&mut self, e: &Entry, line: &mut Vec<u8>) {
        let bits = match e.kind {
            _ if e.is_dir() => sys::S_IFDIR,
            b'2' => sys::S_IFLNK,
            b'3' => sys::S_IFCHR,
            b'4' => sys::S_IFBLK,
            b'6' => sys::S_IFIFO,
            _ => sys::S_IFREG,
        };
        let mut modes = mode::columns(e.mode | bits);
        let first = match e.kind {
            b'1' => Some(b'h'),
            b'7' => Some(b'C'),
            b'V' => Some(b'V'),
            b'M' => Some(b'M'),
            _ => None,
        };
        if let (Some(letter), Some(to)) = (first, modes.first_mut()) {
            *to = letter;
        }
        line.extend_from_slice(&modes);
        line.push(b' ');
        let numeric = self.options.numeric;
        let id = |name: &[u8], id: u64| match name.is_empty() || numeric {
            true => id.to_string().into_bytes(),
            false => name.to_vec(),
        };
        let (user, group) = (id(&e.user, e.uid), id(&e.group, e.gid));
        let size = match e.kind {
            b'3' | b'4' => format!("{},{}", e.device.0, e.device.1),
            b'1' => "0".into(),
            _ => e.size.to_string(),
        };
        let used = user.len() + 1 + group.len() + 1 + size.len();
        self.width = self.width.max(used);
        line.extend_from_slice(&[&user[..], b"/", &group].concat());
        let pad = self.width - used + size.len() + 1;
        line.extend_from_slice(format!("{size:>pad$} {} ", self.time(e.mtime)).as_bytes());
    }

    fn time(&self, (seconds, nanos): (i64, u32)) -> String {
        // A time whose year does not fit is printed as a number.
        if !(-67_768_040_609_740_800..=67_768_036_191_676_799).contains(&seconds) {
            let width = if self.options.full_time { 19 } else { 16 };
            return format!("{seconds:>width$}");
        }
        let t = self.zone.local(seconds);
        let minutes = format!("{:04}-{:02}-{:02} {:02}:{:02}", t.year, t.month, t.day, t.hour, t.minute);
        match (self.options.full_time, nanos) {
            (false, _) => minutes,
            (true, 0) => format!("{minutes}:{:02}", t.second),
            (true, n) => {
                let fraction = format!("{n:09}");
                format!("{minutes}:{:02}.{}", t.second, fraction.trim_end_matches('0'))
            }
        }
    }
}

/// Where `-v` prints: never into the archive.
pub(crate) fn verbose_fd(options: &Options) -> sys::Fd {
    match options.op {
        Op::Create if options.file == b"-" => 2,
        Op::Extract if options.to_stdout => 2,
        _ => 1,
    }
}
