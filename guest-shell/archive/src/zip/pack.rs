//! Makes and changes zip files. The new file is written beside the old one and replaces it at the end.

use super::arguments::{Options, error};
use super::directory::{Directory, Problem};
use super::record::{self, Member, percent};
use super::unzip_options;
use crate::io::{FdReader, FdWriter};
use flate2::{Compression, write::DeflateEncoder};
use sandshell_cli::out;
use sandshell_posix::pattern;
use sandshell_sys::{self as sys, Errno, Stat, open_flags as o};
use sandshell_time::Zone;
use std::io::{Read, Write};

/// Does what the options ask for and returns the exit status.
pub(crate) fn run(options: &mut Options) -> i32 {
    if options.stdin_names {
        let names = sys::read_to_end(0).unwrap_or_default();
        options.files.extend(names.split(|b| *b == b'\n').filter(|n| !n.is_empty()).map(<[u8]>::to_vec));
    }
    let old = match options.archive.as_slice() {
        b"-" => None,
        path => match Directory::open(path) {
            Ok(directory) => Some(directory),
            Err(Problem::Cannot(Errno::NOENT)) => None,
            Err(Problem::Cannot(e)) => {
                return error(
                    [b"Could not open: ", path, b" (", e.to_string().as_bytes(), b")"].concat(),
                    18,
                );
            }
            Err(_) => {
                let path = String::from_utf8_lossy(path).into_owned();
                return error(format!("Zip file structure invalid ({path})"), 3);
            }
        },
    };
    let files_given = !options.files.is_empty();
    if let (Some(old), false) = (&old, files_given)
        && options.show
    {
        return tell("Archive contains:", old.members.iter().map(|m| (&m.name[..], m.size)));
    }
    if options.show && !files_given {
        out::put("zip I/O error: No such file or directory");
        return error([b"File not found or no read permission (", &options.archive[..], b")"].concat(), 18);
    }
    let changing = files_given || options.delete || options.update || options.freshen || options.comment;
    if options.test && !changing && old.is_some() {
        return test(options);
    }
    let Some(writer) = Writer::new(&options.archive) else {
        return error([b"Could not create output file (", &options.archive[..], b")"].concat(), 15);
    };
    let mut pack = Pack {
        o: options,
        old,
        writer,
        zone: Zone::system(),
        code: 0,
        changed: false,
        read: (0, 0),
        unreadable: (0, 0),
        done: Vec::new(),
    };
    if pack.old.is_none() && (options.update || options.freshen || options.delete) {
        pack.warn(&[&options.archive[..], b" not found or empty"].concat());
    }
    let result = if options.delete { pack.delete() } else { pack.add() };
    match result.and_then(|()| pack.finish()) {
        Ok(code) => code,
        Err(code) => {
            pack.writer.abandon();
            code
        }
    }
}

/// Prints the output of `-sf`.
fn tell<'a>(title: &str, members: impl Iterator<Item = (&'a [u8], u64)>) -> i32 {
    out::put([title, "\n"].concat());
    let (mut count, mut total) = (0, 0);
    for (name, size) in members {
        out::put([b"  ", name, b"\n"].concat());
        count += 1;
        total += size;
    }
    out::put(format!("Total {count} entries ({total} bytes)\n"));
    0
}

/// Does `-T` for an unchanged archive.
fn test(options: &Options) -> i32 {
    let quiet = if options.verbose { 0 } else { 2 };
    let unzip = unzip_options::Options {
        action: unzip_options::Action::Test,
        quiet,
        ..unzip_options::Options::default()
    };
    let code = unzip.run(&options.archive);
    let result: &[u8] = if code == 0 { b" OK\n" } else { b" FAILED\n" };
    if !options.quiet || code != 0 {
        out::put([b"test of ", &options.archive[..], result].concat());
    }
    match code {
        0 => 0,
        _ => error("Zip file invalid, could not spawn unzip, or wrong unzip (original files unmodified)", 8),
    }
}

/// Reads lines of standard input up to a line with a dot.
fn read_comment() -> Vec<u8> {
    let text = sys::read_to_end(0).unwrap_or_default();
    let text = text.strip_suffix(b"\n").unwrap_or(&text);
    let lines: Vec<&[u8]> = text.split(|b| *b == b'\n').take_while(|l| *l != b".").collect();
    lines.join(&b"\r\n"[..])
}

/// The new file. Members are appended, and headers are patched when sizes are known.
struct Writer {
    to: FdWriter,
    path: Vec<u8>,
    at: u64,
    members: Vec<Member>,
}

impl Writer {
    fn new(archive: &[u8]) -> Option<Self> {
        let dir: Vec<u8> = match archive.iter().rposition(|b| *b == b'/') {
            Some(at) => archive.get(..=at)?.to_vec(),
            None if archive == b"-" => b"/tmp/".to_vec(),
            None => Vec::new(),
        };
        for _ in 0..100 {
            let mut random = [0; 6];
            sys::random(&mut random);
            let letters: Vec<u8> = random.iter().map(|b| b'a' + b % 26).collect();
            let path = [&dir[..], b"zi", &letters].concat();
            match sys::open(&path, o::READ | o::WRITE | o::CREATE | o::EXCL | o::CLOEXEC, 0o666) {
                Ok(fd) => return Some(Self { to: FdWriter(fd), path, at: 0, members: Vec::new() }),
                Err(Errno::EXIST) => {}
                Err(_) => return None,
            }
        }
        None
    }

    fn write(&mut self, data: &[u8]) -> Result<(), i32> {
        self.at += data.len() as u64;
        self.to
            .write_all(data)
            .map_err(|e| error(format!("Output file write failure ({})", crate::io::errno(&e)), 14))
    }

    /// Goes back to `at` and drops everything after it.
    fn back(&mut self, at: u64) -> Result<(), i32> {
        let done = sys::lseek(self.to.0, at as i64, 0).and_then(|_| sys::ftruncate(self.to.0, at));
        self.at = at;
        done.map_err(|e| error(format!("Output file write failure ({e})"), 14))
    }

    fn patch(&mut self, at: u64, data: &[u8]) -> Result<(), i32> {
        let end = self.at;
        let done = sys::lseek(self.to.0, at as i64, 0)
            .and_then(|_| sys::write_all(self.to.0, data))
            .and_then(|()| sys::lseek(self.to.0, end as i64, 0));
        done.map(|_| ()).map_err(|e| error(format!("Output file write failure ({e})"), 14))
    }

    fn abandon(&self) {
        let _ = sys::unlink(&self.path);
    }
}

struct Pack<'o> {
    o: &'o Options,
    old: Option<Directory>,
    writer: Writer,
    zone: Zone,
    code: i32,
    changed: bool,
    /// How many files were read, and their total size.
    read: (u64, u64),
    /// How many files could not be read, and their total size.
    unreadable: (u64, u64),
    /// The files that are in the archive already.
    done: Vec<(Vec<u8>, bool)>,
}

/// A file to add to the archive.
struct Source {
    path: Vec<u8>,
    name: Vec<u8>,
    stat: Stat,
}

impl Pack<'_> {
    /// Prints a warning, unless `-q` was given. It goes to standard output, unless the archive goes there.
    fn warn(&self, text: &[u8]) {
        if !self.o.quiet {
            self.warn_always(text);
        }
    }

    fn warn_always(&self, text: &[u8]) {
        let line = [b"\tzip warning: ", text, b"\n"].concat();
        match self.o.archive.as_slice() {
            b"-" => {
                let _ = sys::write_all(2, &line);
            }
            _ => out::put(line),
        }
    }

    fn say(&self, text: &[u8]) {
        if !self.o.quiet {
            match self.o.archive.as_slice() {
                b"-" => {
                    let _ = sys::write_all(2, text);
                }
                _ => out::put(text),
            }
        }
    }

    fn nothing(&self) -> i32 {
        // With `-u` and `-f` there is no message.
        if self.o.update || self.o.freshen {
            return 12;
        }
        let archive = &self.o.archive[..];
        let hint = if self.o.recursive && !self.o.delete {
            let flags: &[u8] = if self.o.quiet { b"-qr" } else { b"-r" };
            let names = self.o.files.join(&b' ');
            [b"try: zip ", flags, b" ", archive, b" . -i ", &names[..]].concat()
        } else {
            archive.to_vec()
        };
        error([b"Nothing to do! (", &hint[..], b")"].concat(), 12)
    }

    fn delete(&mut self) -> Result<(), i32> {
        let members = self.old.as_ref().map(|d| d.members.clone()).unwrap_or_default();
        let mut found = vec![false; self.o.files.len()];
        for member in &members {
            for (pattern, found) in self.o.files.iter().zip(&mut found) {
                *found |= pattern::matches(pattern, &member.name);
            }
        }
        for (pattern, found) in self.o.files.iter().zip(&found) {
            // Without an archive, the files themselves are looked for.
            if !found && (self.old.is_some() || sys::stat(pattern, true).is_err()) {
                self.warn(&[b"name not matched: ", &pattern[..]].concat());
            }
        }
        let matched = |m: &Member| self.o.files.iter().any(|p| pattern::matches(p, &m.name));
        if self.o.show {
            let deleted = members.iter().filter(|m| matched(m));
            return Err(tell("Would Delete:", deleted.map(|m| (&m.name[..], m.size))));
        }
        for member in &members {
            if self.o.files.iter().any(|p| pattern::matches(p, &member.name)) {
                self.say(&[b"deleting: ", &member.name[..], b"\n"].concat());
                self.changed = true;
            } else {
                self.keep(member)?;
            }
        }
        if !self.changed {
            return Err(self.nothing());
        }
        if self.writer.members.is_empty() {
            self.warn(b"zip file empty");
        }
        Ok(())
    }

    fn add(&mut self) -> Result<(), i32> {
        let mut sources = Vec::new();
        let mut matched = false;
        let files = match (self.o.files.is_empty(), &self.old) {
            (true, Some(old)) if self.o.freshen || self.o.update => {
                old.members.iter().map(|m| m.name.clone()).collect()
            }
            _ => self.o.files.clone(),
        };
        for file in &files {
            matched |= self.collect(file, true, &mut sources);
        }
        let only_comment = self.o.comment && self.old.is_some() && files.is_empty();
        if !matched && sources.is_empty() && !only_comment {
            return Err(self.nothing());
        }
        let old = self.old.as_ref().map(|d| d.members.clone()).unwrap_or_default();
        if self.o.show {
            let changes = sources.iter().filter(|s| match old.iter().find(|m| m.name == s.name) {
                Some(member) if self.o.update || self.o.freshen => s.stat.mtime > member.seconds(&self.zone),
                found => found.is_some() || !self.o.freshen,
            });
            let size = |s: &Source| if s.stat.is_dir() { 0 } else { s.stat.size };
            return Err(tell("Would Add/Update:", changes.map(|s| (&s.name[..], size(s)))));
        }
        self.changed |= only_comment;
        for member in &old {
            let at = sources.iter().position(|s| s.name == member.name);
            match at.map(|at| sources.remove(at)) {
                None => self.keep(member)?,
                Some(source) => {
                    let newer = source.stat.mtime > member.seconds(&self.zone);
                    if (self.o.update || self.o.freshen) && !newer {
                        self.keep(member)?;
                        self.done.push((source.path, source.stat.is_dir()));
                    } else {
                        let verb = if self.o.freshen { "freshening: " } else { "updating: " };
                        self.put(&source, verb)?;
                    }
                }
            }
        }
        if !self.o.freshen {
            for source in sources {
                self.put(&source, "  adding: ")?;
            }
        }
        if self.unreadable.0 > 0 {
            self.changed = true;
            self.code = 18;
            self.tell_unreadable();
        }
        if self.writer.members.is_empty() && self.unreadable.0 > 0 {
            self.warn(b"zip file empty");
            return Ok(());
        }
        if self.writer.members.is_empty() {
            if self.old.is_none() && self.o.freshen {
                return Err(12);
            }
            self.warn(b"zip file empty");
            self.writer.abandon();
            return Err(0);
        }
        Ok(())
    }

    fn tell_unreadable(&self) {
        let (skipped, skipped_bytes) = self.unreadable;
        let (read, bytes) = self.read;
        let text = format!(
            "\nzip warning: Not all files were readable\n  files/entries read:  {read} ({bytes} bytes)  \
             skipped:  {skipped} ({skipped_bytes} bytes)\n"
        );
        self.say(text.as_bytes());
    }

    /// Finds the files of an operand. Returns whether it names anything.
    fn collect(&self, path: &[u8], top: bool, sources: &mut Vec<Source>) -> bool {
        if top && path == b"-" {
            if let (Ok(mut stat), false) = (sys::fstat(0), sources.iter().any(|s| s.name == b"-")) {
                stat.mtime = (sys::realtime() / 1_000_000_000) as i64;
                sources.push(Source { path: b"-".to_vec(), name: b"-".to_vec(), stat });
            }
            return true;
        }
        let plain = if path.len() > 1 { path.strip_suffix(b"/").unwrap_or(path) } else { path };
        let stat = match sys::stat(plain, !self.o.symlinks) {
            Ok(stat) => stat,
            Err(_) => {
                // This is also reported for a broken link below a directory.
                self.warn(&[b"name not matched: ", path].concat());
                return false;
            }
        };
        let mut name = plain;
        while let Some(shorter) = name.strip_prefix(b"./").or_else(|| name.strip_prefix(b"/")) {
            name = shorter;
        }
        let name = match self.o.junk {
            true => name.rsplit(|b| *b == b'/').next().unwrap_or_default(),
            false => name,
        };
        let mut name = name.to_vec();
        if stat.is_dir() {
            name.push(b'/');
        }
        let selected = (self.o.only.is_empty() || self.o.only.iter().any(|p| pattern::matches(p, &name)))
            && !self.o.but.iter().any(|p| pattern::matches(p, &name));
        if stat.is_dir() {
            let itself = name != b"./" && name != b"/" && !self.o.junk && !self.o.no_dirs;
            if itself && selected {
                sources.push(Source { path: plain.to_vec(), name, stat });
            }
            if self.o.recursive {
                for file in crate::single::entries(plain).unwrap_or_default() {
                    // Names in the current directory are told without it.
                    let file = if plain == b"." { file.strip_prefix(b"./").unwrap_or(&file) } else { &file };
                    self.collect(file, false, sources);
                }
            }
            return true;
        }
        // A socket is found when it is opened.
        if !matches!(stat.mode & sys::S_IFMT, sys::S_IFREG | sys::S_IFLNK | sys::S_IFSOCK) {
            if !selected {
                return true;
            }
            let what: &[u8] = if stat.mode & sys::S_IFMT == sys::S_IFIFO {
                b"ignoring FIFO (Named Pipe) - use -FI to read: "
            } else {
                b"ignoring special file: "
            };
            self.warn(&[what, path].concat());
            return false;
        }
        let archive = sys::stat(&self.o.archive, true).is_ok_and(|a| (a.dev, a.ino) == (stat.dev, stat.ino));
        let ours = sys::fstat(self.writer.to.0).is_ok_and(|a| (a.dev, a.ino) == (stat.dev, stat.ino));
        if selected && !archive && !ours && !sources.iter().any(|s| s.name == name) {
            sources.push(Source { path: plain.to_vec(), name, stat });
        }
        true
    }

    /// Copies a member of the old archive.
    fn keep(&mut self, member: &Member) -> Result<(), i32> {
        let damaged = |name: &[u8]| error([b"Zip file structure invalid (", name, b")"].concat(), 3);
        let Some(old) = &mut self.old else { return Ok(()) };
        let header = old.seek(member).ok_or_else(|| damaged(&member.name))?;
        let offset = self.writer.at;
        self.writer.write(&header)?;
        // The sizes follow the data if the header does not contain them.
        let descriptor = if member.flags & 8 != 0 { 16 } else { 0 };
        let mut left = member.packed + descriptor;
        let mut buf = vec![0; 64 * 1024];
        while left > 0 {
            let n = left.min(buf.len() as u64) as usize;
            let part = buf.get_mut(..n).unwrap_or_default();
            let got = old.file.read(part).unwrap_or(0);
            if got == 0 {
                return Err(damaged(&member.name));
            }
            self.writer.write(part.get(..got).unwrap_or_default())?;
            left -= got as u64;
        }
        self.writer.members.push(Member { offset, ..member.clone() });
        Ok(())
    }

    fn put(&mut self, source: &Source, verb: &str) -> Result<(), i32> {
        let stat = &source.stat;
        let stdin = source.path == b"-";
        let no_extra = self.o.no_extra || stdin;
        let local_extra = match no_extra {
            true => Vec::new(),
            false => record::unix_extra(stat.mtime, Some(stat.atime), stat.uid, stat.gid),
        };
        let ascii = source.name.is_ascii();
        let mut m = Member {
            name: source.name.clone(),
            made_by: 0x031e,
            needed: 10,
            flags: if ascii { 0 } else { 0x800 },
            stamp: record::stamp(stat.mtime, &self.zone),
            attributes: stat.mode << 16 | if stat.is_dir() { 0x10 } else { 0 },
            offset: self.writer.at,
            extra: if no_extra {
                Vec::new()
            } else {
                record::unix_extra(stat.mtime, None, stat.uid, stat.gid)
            },
            ..Member::default()
        };
        if stat.size > u64::from(u32::MAX) {
            return Err(error([b"Entry too big to be stored (", &source.path[..], b")"].concat(), 6));
        }
        let start = self.writer.at;
        self.writer.write(&record::local(&m, &local_extra))?;
        if stat.is_symlink() {
            let target = sys::readlink(&source.path).unwrap_or_default();
            m.crc = crc32fast::hash(&target);
            m.size = target.len() as u64;
            m.packed = m.size;
            self.writer.write(&target)?;
        } else if stdin {
            let all = sys::read_to_end(0).unwrap_or_default();
            let mut from = std::io::Cursor::new(&all);
            self.data(&mut from, |from| from.set_position(0), all.len() as u64, &mut m)?;
        } else if !stat.is_dir() {
            let mut from = match FdReader::open(&source.path) {
                Ok(from) => from,
                Err(e) => {
                    self.say(&[verb.as_bytes(), &m.name, b"\n"].concat());
                    let _ = sys::write_all(2, format!("zip warning: {e}\n").as_bytes());
                    self.warn(&[b"could not open for reading: ", &source.path[..]].concat());
                    self.unreadable.0 += 1;
                    self.unreadable.1 += stat.size;
                    return self.writer.back(start);
                }
            };
            let again = |from: &mut FdReader| {
                let _ = sys::lseek(from.0, 0, 0);
            };
            self.data(&mut from, again, stat.size, &mut m)?;
        }
        self.writer.patch(start, &record::local(&m, &local_extra))?;
        let how = if m.method == 8 { "deflated" } else { "stored" };
        let share = percent(m.size, m.packed);
        let detail = match self.o.verbose {
            true => format!("\t(in={}) (out={}) ({how} {share}%)\n", m.size, m.packed),
            false => format!(" ({how} {share}%)\n"),
        };
        self.say(&[verb.as_bytes(), &m.name, detail.as_bytes()].concat());
        self.done.push((source.path.clone(), stat.is_dir()));
        self.read.0 += 1;
        self.read.1 += m.size;
        self.writer.members.push(m);
        self.changed = true;
        Ok(())
    }

    /// Writes a file's data, uncompressed if compression does not make it smaller.
    fn data<R: Read>(
        &mut self,
        from: &mut R,
        again: impl FnOnce(&mut R),
        size: u64,
        m: &mut Member,
    ) -> Result<(), i32> {
        let start = self.writer.at;
        // If the header cannot be patched later, the data is always deflated.
        let stream = self.o.archive == b"-" && !sys::fstat(1).is_ok_and(|s| s.is_file());
        let fixed = stream && self.o.level > 0 && (size > 0 || m.name == b"-");
        if self.o.level > 0 && (size > 0 || fixed) {
            self.deflate(from, m)?;
        }
        if m.method == 0 || (m.packed >= m.size && !fixed) {
            self.writer.back(start)?;
            again(from);
            (m.method, m.needed) = (0, 10);
            self.store(from, m)?;
        }
        Ok(())
    }

    fn deflate(&mut self, from: &mut impl Read, m: &mut Member) -> Result<(), i32> {
        let start = self.writer.at;
        let mut encoder = DeflateEncoder::new(Sink(&mut self.writer), Compression::new(self.o.level));
        let failed =
            |e: std::io::Error| error(format!("Output file write failure ({})", crate::io::errno(&e)), 14);
        read_data(from, m, |part| encoder.write_all(part).map_err(failed))?;
        encoder.finish().map_err(failed)?;
        m.packed = self.writer.at - start;
        (m.method, m.needed) = (8, 20);
        m.flags |= match self.o.level {
            8 | 9 => 2,
            2 => 4,
            1 => 6,
            _ => 0,
        };
        Ok(())
    }

    fn store(&mut self, from: &mut impl Read, m: &mut Member) -> Result<(), i32> {
        m.size = 0;
        m.flags &= 0x800;
        read_data(from, m, |part| self.writer.write(part))?;
        m.packed = m.size;
        Ok(())
    }

    /// Writes the central directory and replaces the old archive.
    fn finish(&mut self) -> Result<i32, i32> {
        if !self.changed {
            self.writer.abandon();
            return Err(12);
        }
        if self.writer.members.len() > 0xffff || self.writer.at > u64::from(u32::MAX) {
            return Err(error("Entry too big to be stored (archive)", 6));
        }
        let start = self.writer.at;
        for member in std::mem::take(&mut self.writer.members) {
            self.writer.write(&record::central(&member))?;
            self.writer.members.push(member);
        }
        let mut comment = self.old.as_ref().map(|d| d.comment.clone()).unwrap_or_default();
        if self.o.comment {
            if !comment.is_empty() {
                self.say(&[b"current zip file comment is:\n", &comment[..], b"\n"].concat());
            }
            self.say(b"enter new zip file comment (end with .):\n");
            comment = read_comment();
            comment.truncate(0xffff);
        }
        let size = self.writer.at - start;
        self.writer.write(&record::end(self.writer.members.len(), size, start, &comment))?;
        if self.o.verbose {
            let total: u64 = self.writer.members.iter().map(|m| m.size).sum();
            let packed: u64 = self.writer.members.iter().map(|m| m.packed).sum();
            let share = percent(total, packed);
            self.say(format!("total bytes={total}, compressed={packed} -> {share}% savings\n").as_bytes());
        }
        if self.o.archive == b"-" {
            self.write_to_stdout()?;
        } else {
            if let Some(stat) = sys::stat(&self.o.archive, true).ok().filter(|_| self.old.is_some()) {
                let _ = sys::chmod(&self.writer.path, stat.mode & 0o777);
            }
            sys::rename(&self.writer.path, &self.o.archive)
                .map_err(|e| error(format!("Could not create output file ({e})"), 15))?;
        }
        if self.o.test {
            self.say(&[b"test of ", &self.o.archive[..], b" OK\n"].concat());
        }
        if self.o.remove {
            for (path, dir) in self.done.iter().rev() {
                let _ = if *dir { sys::rmdir(path) } else { sys::unlink(path) };
            }
        }
        Ok(self.code)
    }

    fn write_to_stdout(&mut self) -> Result<(), i32> {
        out::flush();
        let failed = |e: Errno| error(format!("Output file write failure ({e})"), 14);
        sys::lseek(self.writer.to.0, 0, 0).map_err(failed)?;
        let mut buf = vec![0; 64 * 1024];
        loop {
            let n = sys::read(self.writer.to.0, &mut buf).map_err(failed)?;
            if n == 0 {
                break;
            }
            sys::write_all(1, buf.get(..n).unwrap_or_default()).map_err(failed)?;
        }
        self.writer.abandon();
        Ok(())
    }
}

struct Sink<'w>(&'w mut Writer);

impl Write for Sink<'_> {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.0.at += buf.len() as u64;
        self.0.to.write(buf)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Whether data looks like text: it has some characters, and no control characters that text does not contain.
#[derive(Default)]
struct Text {
    characters: bool,
    controls: bool,
}

impl Text {
    fn look(&mut self, data: &[u8]) {
        self.characters |= data.iter().any(|b| matches!(b, 9 | 10 | 13 | 32..));
        self.controls |= data.iter().any(|b| matches!(b, 0..=6 | 14..=25 | 28..=31));
    }

    fn is_text(&self) -> bool {
        self.characters && !self.controls
    }
}

/// Reads a file's data in pieces, which `write` gets. Adds their size to the member's, and notes their checksum and
/// whether they are text.
fn read_data(
    from: &mut impl Read,
    m: &mut Member,
    mut write: impl FnMut(&[u8]) -> Result<(), i32>,
) -> Result<(), i32> {
    let mut crc = crc32fast::Hasher::new();
    let mut text = Text::default();
    let mut buf = vec![0; 64 * 1024];
    loop {
        let n = from.read(&mut buf).map_err(|_| error("Input file read failure", 11))?;
        let part = buf.get(..n).unwrap_or_default();
        if part.is_empty() {
            break;
        }
        crc.update(part);
        text.look(part);
        m.size += n as u64;
        write(part)?;
    }
    m.crc = crc.finalize();
    m.text = text.is_text();
    Ok(())
}
