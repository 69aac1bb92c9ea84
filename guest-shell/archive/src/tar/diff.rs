//! `-d`: compares members with files.

use super::archive;
use super::header::Entry;
use super::links::Prefixes;
use super::list::{Lines, total_read};
use super::log::{self, Fatal};
use super::members::{Members, changed};
use super::names::trim;
use super::options::Options;
use super::reader::Archive;
use super::transform::Of;
use crate::io::{FdReader, read_full};
use sandshell_cli::{out, quote::quote};
use sandshell_sys as sys;

pub(crate) fn diff(options: &Options) -> Result<(), Fatal> {
    let began = sys::monotonic();
    let mut members = Members::of(options)?;
    let mut archive = archive::open(options, &options.file)?;
    let mut lines = Lines::new(options, options.verbose, 1);
    let mut prefixes = Prefixes::default();
    while let Some(entry) = archive.next()? {
        let Some(dir) = members.place(&entry) else { continue };
        members.places.enter(dir)?;
        let name = changed(options, &entry.name, Of::Member);
        let name = name.map(|name| prefixes.safe(options, &name, false));
        let target = prefixes.safe_target(options, &entry);
        lines.show(&entry, archive.start / 512);
        if entry.kind == b'V' {
            continue;
        }
        let Some(name) = name else { continue };
        compare(trim(&name), &entry, &mut archive, target)?;
    }
    members.report();
    total_read(options, &mut archive, began)?;
    Ok(())
}

fn report(path: &[u8], text: &str) {
    out::put([&log::colon(path)[..], b": ", text.as_bytes(), b"\n"].concat());
    log::set_status(1);
}

// Stats a file; reports an error.
fn status(path: &[u8]) -> Option<sys::Stat> {
    let stat = sys::stat(path, false);
    if let Err(e) = &stat {
        log::warn([&log::colon(path)[..], format!(": Warning: Cannot stat: {e}").as_bytes()].concat());
        log::set_status(1);
    }
    stat.ok()
}

fn compare(
    path: &[u8],
    entry: &Entry,
    archive: &mut Archive<'_>,
    target: Option<Vec<u8>>,
) -> Result<(), Fatal> {
    let Some(stat) = status(path) else { return Ok(()) };
    if let Some(target) = target {
        let Some(other) = status(&target) else { return Ok(()) };
        if (other.dev, other.ino) != (stat.dev, stat.ino) {
            let text = format!("Not linked to {}", String::from_utf8_lossy(&quote(&target)));
            report(path, &text);
        }
        return Ok(());
    }
    let kind = match entry.kind {
        _ if entry.is_dir() => sys::S_IFDIR,
        b'2' => sys::S_IFLNK,
        b'6' => sys::S_IFIFO,
        b'3' => sys::S_IFCHR,
        b'4' => sys::S_IFBLK,
        _ => sys::S_IFREG,
    };
    if stat.mode & sys::S_IFMT != kind {
        report(path, "File type differs");
        return Ok(());
    }
    if kind == sys::S_IFLNK {
        if sys::readlink(path).is_ok_and(|t| t != entry.link) {
            report(path, "Symlink differs");
        }
        return Ok(());
    }
    if stat.mode & 0o7777 != entry.mode {
        report(path, "Mode differs");
    }
    if kind != sys::S_IFREG {
        return Ok(());
    }
    if u64::from(stat.uid) != entry.uid {
        report(path, "Uid differs");
    }
    if u64::from(stat.gid) != entry.gid {
        report(path, "Gid differs");
    }
    if stat.mtime != entry.mtime.0 || (entry.mtime.1 != 0 && stat.mtime_nsec != entry.mtime.1) {
        report(path, "Mod time differs");
    }
    if stat.size != entry.size {
        report(path, "Size differs");
        return Ok(());
    }
    contents(path, entry, archive)
}

fn contents(path: &[u8], entry: &Entry, archive: &mut Archive<'_>) -> Result<(), Fatal> {
    if entry.sparse.is_some() {
        log::warn([&log::colon(path)[..], b": contents of sparse members are not compared"].concat());
        return Ok(());
    }
    let mut file = match FdReader::open(path) {
        Ok(file) => file,
        Err(e) => {
            log::error([&log::colon(path)[..], format!(": Cannot open: {e}").as_bytes()].concat());
            return Ok(());
        }
    };
    let (mut theirs, mut ours) = (vec![0; 32 * 1024], vec![0; 32 * 1024]);
    loop {
        let n = archive.read(&mut theirs)?;
        if n == 0 {
            return Ok(());
        }
        let part = ours.get_mut(..n).unwrap_or_default();
        let got = read_full(&mut file, part).unwrap_or(0);
        if got < n || theirs.get(..n) != Some(&*part) {
            report(path, "Contents differ");
            return Ok(());
        }
    }
}
