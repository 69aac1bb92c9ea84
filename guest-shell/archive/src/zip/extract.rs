//! Extracts members of a zip file.

use super::directory::Directory;
use super::record::Member;
use super::unzip_options::{Action, Options};
use crate::io::Nowhere;
use sandshell_cli::out;
use sandshell_sys::{self as sys, SetTime, open_flags as o};
use sandshell_time::Zone;
use std::io::{BufReader, ErrorKind, Read, Write};

/// Extracts, prints or tests the members, and returns the exit status.
pub(crate) fn all(options: &Options, directory: &mut Directory, members: &[Member], path: &[u8]) -> i32 {
    let umask = sys::umask(0);
    sys::umask(umask);
    let mut x = Extraction {
        o: options,
        code: 0,
        errors: 0,
        all: options.overwrite,
        none: options.never,
        zone: Zone::system(),
        umask,
        links: Vec::new(),
        dirs: Vec::new(),
        input: Vec::new(),
    };
    if let Some(dir) = &options.dir
        && options.action == Action::Extract
    {
        match sys::mkdir(dir.strip_suffix(b"/").unwrap_or(dir), 0o777) {
            Ok(()) | Err(sys::Errno::EXIST) => {}
            Err(e) => {
                let e = e.to_string();
                let text = [
                    b"checkdir:  cannot create extraction directory: ",
                    &**dir,
                    b"\n           ",
                    e.as_bytes(),
                ];
                x.complain(&text.concat(), 2);
                return x.code;
            }
        }
    }
    for member in members {
        x.member(directory, member);
    }
    x.finish();
    if options.action == Action::Test && options.quiet < 2 {
        if x.errors == 0 {
            let what = if members.len() == directory.members.len() { "compressed data of " } else { "" };
            match what {
                "" => {
                    let n = members.len();
                    let text = format!(
                        "No errors detected in {} for the {n} file{} tested.\n",
                        String::from_utf8_lossy(path),
                        if n == 1 { "" } else { "s" }
                    );
                    out::put(text);
                }
                _ => out::put([b"No errors detected in compressed data of ", path, b".\n"].concat()),
            }
        } else {
            out::put([b"At least one error was detected in ", path, b".\n"].concat());
        }
    }
    x.code
}

struct Extraction<'o> {
    o: &'o Options,
    code: i32,
    errors: u32,
    all: bool,
    none: bool,
    zone: Zone,
    umask: u32,
    links: Vec<(Vec<u8>, Vec<u8>)>,
    dirs: Vec<(Vec<u8>, u32, i64)>,
    input: Vec<u8>,
}

impl Extraction<'_> {
    fn say(&self, text: &[u8]) {
        if self.o.quiet < 1 && self.o.action != Action::Cat {
            out::put(text);
        }
    }

    fn complain(&mut self, text: &[u8], code: i32) {
        out::flush();
        let _ = sys::write_all(2, &[text, b"\n"].concat());
        self.code = self.code.max(code);
        self.errors += 1;
    }

    fn member(&mut self, directory: &mut Directory, m: &Member) {
        let shown = printable(&m.name);
        if m.flags & 1 != 0 {
            self.complain(&skipping(&shown, "unable to get password"), 82);
            return;
        }
        if m.method != 0 && m.method != 8 {
            let text = format!("unsupported compression method {}", m.method);
            self.complain(&skipping(&shown, &text), 81);
            return;
        }
        match self.o.action {
            Action::Test => self.test(directory, m, &shown),
            Action::Print | Action::Cat => {
                if m.is_dir() {
                    return;
                }
                self.say(&verb(if m.method == 0 { " extracting: " } else { "  inflating: " }, &shown));
                self.say(b"\n");
                out::flush();
                self.data(directory, m, &mut crate::io::FdWriter(1), &shown);
                self.say(b"\n");
            }
            _ => self.file(directory, m),
        }
    }

    fn test(&mut self, directory: &mut Directory, m: &Member, shown: &[u8]) {
        self.say(&[&b"    testing: "[..], &padded(shown, 22), b"  "].concat());
        if self.data(directory, m, &mut Nowhere, shown) {
            self.say(b" OK\n");
        }
    }

    /// Writes the data of a member to `to`. Returns whether the data was correct.
    fn data(&mut self, directory: &mut Directory, m: &Member, to: &mut dyn Write, shown: &[u8]) -> bool {
        if directory.seek(m).is_none() {
            self.complain(
                &[b"file #1:  bad zipfile offset (local header sig):  ", m.offset.to_string().as_bytes()]
                    .concat(),
                3,
            );
            return false;
        }
        let packed = (&mut directory.file).take(m.packed);
        let mut from: Box<dyn Read> = match m.method {
            0 => Box::new(packed),
            _ => Box::new(flate2::bufread::DeflateDecoder::new(BufReader::new(packed))),
        };
        let mut crc = crc32fast::Hasher::new();
        let mut size = 0u64;
        let mut buf = vec![0; 64 * 1024];
        loop {
            match from.read(&mut buf) {
                Ok(0) => break,
                Ok(n) => {
                    let part = buf.get(..n).unwrap_or_default();
                    crc.update(part);
                    size += n as u64;
                    if let Err(e) = to.write_all(part) {
                        let e = crate::io::errno(&e);
                        if e != sys::Errno::PIPE {
                            self.complain(
                                &[shown, b":  write error: ", e.to_string().as_bytes()].concat(),
                                50,
                            );
                        }
                        self.code = 50;
                        return false;
                    }
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    self.damaged(shown);
                    return false;
                }
            }
        }
        let crc = crc.finalize();
        if crc != m.crc {
            let text = format!("bad CRC {crc:08x}  (should be {:08x})", m.crc);
            if self.o.action == Action::Test {
                out::put(format!(" {text}\n"));
                self.code = self.code.max(2);
                self.errors += 1;
            } else {
                self.complain(format!(" {text}").as_bytes(), 2);
            }
            return false;
        }
        if size != m.size {
            self.complain(b"  error:  the member's size is not the one told", 3);
            return false;
        }
        true
    }

    // The message only contains the name if the line before it does not.
    fn damaged(&mut self, shown: &[u8]) {
        let text = b"  error:  invalid compressed data to inflate";
        let named = self.o.quiet > 0 || self.o.action == Action::Cat;
        let line = if named { [text, &b" "[..], shown].concat() } else { [b"\n", &text[..]].concat() };
        if self.o.action == Action::Test {
            out::put([&line[..], b"\n"].concat());
            self.code = self.code.max(2);
            self.errors += 1;
        } else {
            self.complain(&line, 2);
        }
    }

    fn file(&mut self, directory: &mut Directory, m: &Member) {
        let Some(mut path) = self.path(m) else { return };
        if m.is_dir() {
            return self.directory(&path, m);
        }
        let existing = loop {
            let Some(stat) = sys::stat(&path, false).ok() else { break false };
            if (self.o.update || self.o.freshen) && stat.mtime >= m.seconds(&self.zone) {
                return;
            }
            if self.none {
                return;
            }
            if self.all {
                break true;
            }
            match self.ask(&path) {
                OverwriteChoice::Yes => break true,
                OverwriteChoice::No => return,
                // A file with the new name may exist too.
                OverwriteChoice::Rename(name) => path = name,
            }
        };
        if !existing && self.o.freshen {
            return;
        }
        self.parents(&path);
        let shown = printable(&path);
        if m.is_symlink() {
            return self.symlink(directory, m, &path, &shown);
        }
        if existing {
            let _ = sys::unlink(&path);
        }
        let fd = match sys::open(&path, o::WRITE | o::CREATE | o::TRUNC | o::CLOEXEC | o::NOFOLLOW, 0o666) {
            Ok(fd) => fd,
            Err(e) => {
                let text =
                    [b"error:  cannot create ", &shown[..], b"\n        ", e.to_string().as_bytes()].concat();
                return self.complain(&text, 50);
            }
        };
        self.say(&verb(if m.method == 0 { " extracting: " } else { "  inflating: " }, &shown));
        let mut to = crate::io::FdWriter(fd);
        if self.data(directory, m, &mut to, &shown) {
            self.say(b"\n");
        }
        drop(to);
        let time = SetTime::At(m.seconds(&self.zone), 0);
        let _ = sys::utimens(&path, time, time, true);
        let mode = m.mode();
        if mode != 0 {
            let _ = sys::chmod(&path, mode & 0o777);
        }
    }

    fn symlink(&mut self, directory: &mut Directory, m: &Member, path: &[u8], shown: &[u8]) {
        let mut target = Limited(Vec::new());
        if !self.data(directory, m, &mut target, shown) {
            return;
        }
        self.say(
            &[&b"    linking: "[..], &padded(shown, 22), b"  -> ", &printable(&target.0), b" \n"].concat(),
        );
        self.links.push((path.to_vec(), target.0));
    }

    /// The name of the output file; `None` if there is none.
    fn path(&mut self, m: &Member) -> Option<Vec<u8>> {
        let mut name = m.name.clone();
        if self.o.lower {
            name.make_ascii_lowercase();
        }
        if name.starts_with(b"/") {
            let text = [b"warning:  stripped absolute path spec from ", &printable(&m.name)[..]].concat();
            self.complain(&text, 1);
        }
        let mut parts: Vec<&[u8]> =
            name.split(|b| *b == b'/').filter(|p| !p.is_empty() && *p != b".").collect();
        let before = parts.len();
        parts.retain(|p| *p != b"..");
        if parts.len() < before {
            let text = [b"warning:  skipped \"../\" path component(s) in ", &printable(&m.name)[..]].concat();
            self.complain(&text, 2);
        }
        if self.o.junk {
            if m.is_dir() {
                return None;
            }
            parts = parts.split_off(parts.len().saturating_sub(1));
        }
        if parts.is_empty() {
            return None;
        }
        let name = parts.join(&b'/');
        Some(match &self.o.dir {
            Some(dir) => [dir.strip_suffix(b"/").unwrap_or(dir), b"/", &name[..]].concat(),
            None => name,
        })
    }

    fn directory(&mut self, path: &[u8], m: &Member) {
        if self.o.freshen {
            return;
        }
        self.parents(path);
        match sys::mkdir(path, 0o777) {
            Ok(()) => {
                self.say(&[b"   creating: ", &printable(path)[..], b"/\n"].concat());
                let mode = match m.mode() {
                    0 => 0o777 & !self.umask,
                    mode => mode & 0o777,
                };
                self.dirs.push((path.to_vec(), mode, m.seconds(&self.zone)));
            }
            Err(sys::Errno::EXIST) => {}
            Err(e) => {
                let e = e.to_string();
                let text =
                    [b"checkdir error:  cannot create ", path, b"\n                 ", e.as_bytes()].concat();
                self.complain(&text, 2);
            }
        }
    }

    /// Makes the parent directories. They cannot be symbolic links from the archive, as those are made last.
    fn parents(&self, path: &[u8]) {
        for (at, _) in path.iter().enumerate().filter(|(at, b)| **b == b'/' && *at > 0) {
            let _ = sys::mkdir(path.get(..at).unwrap_or_default(), 0o777);
        }
    }

    fn ask(&mut self, path: &[u8]) -> OverwriteChoice {
        loop {
            out::flush();
            let question =
                [b"replace ", &printable(path)[..], b"? [y]es, [n]o, [A]ll, [N]one, [r]ename: "].concat();
            let _ = sys::write_all(2, &question);
            let Some(line) = self.line() else {
                let _ = sys::write_all(2, b" NULL\n(EOF or read error, treating as \"[N]one\" ...)\n");
                self.none = true;
                self.code = self.code.max(1);
                return OverwriteChoice::No;
            };
            match line.first() {
                Some(b'y' | b'Y') => return OverwriteChoice::Yes,
                Some(b'n') => return OverwriteChoice::No,
                Some(b'A') => {
                    self.all = true;
                    return OverwriteChoice::Yes;
                }
                Some(b'N') => {
                    self.none = true;
                    return OverwriteChoice::No;
                }
                Some(b'r') => {
                    // At the end of the input the old name is used again, so that the same question comes again.
                    return OverwriteChoice::Rename(loop {
                        let _ = sys::write_all(2, b"new name: ");
                        match self.line() {
                            Some(name) if name.is_empty() => {}
                            name => break name.unwrap_or_else(|| path.to_vec()),
                        }
                    });
                }
                _ => {
                    let shown = if line.is_empty() { &b"{ENTER}"[..] } else { &line };
                    let text = [b"error:  invalid response [", shown, b"]\n"].concat();
                    let _ = sys::write_all(2, &text);
                }
            }
        }
    }

    fn line(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(end) = self.input.iter().position(|b| *b == b'\n') {
                let rest = self.input.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.input, rest);
                line.pop();
                return Some(line);
            }
            let mut buf = [0; 512];
            match sys::read(0, &mut buf) {
                Ok(n) if n > 0 => self.input.extend_from_slice(buf.get(..n)?),
                _ if self.input.is_empty() => return None,
                _ => return Some(std::mem::take(&mut self.input)),
            }
        }
    }

    /// Makes the symbolic links and sets the times of directories, after everything else is written.
    fn finish(&mut self) {
        if !self.links.is_empty() {
            self.say(b"finishing deferred symbolic links:\n");
        }
        for (path, target) in std::mem::take(&mut self.links) {
            self.say(
                &[&b"  "[..], &padded(&printable(&path), 22), b" -> ", &printable(&target), b"\n"].concat(),
            );
            let _ = sys::unlink(&path);
            if let Err(e) = sys::symlink(&target, &path) {
                self.complain(&[b"symlink error: ", e.to_string().as_bytes()].concat(), 1);
            }
        }
        for (path, mode, mtime) in std::mem::take(&mut self.dirs).iter().rev() {
            let _ = sys::chmod(path, *mode);
            let _ = sys::utimens(path, SetTime::At(*mtime, 0), SetTime::At(*mtime, 0), false);
        }
    }
}

enum OverwriteChoice {
    Yes,
    No,
    Rename(Vec<u8>),
}

/// The target of a symbolic link, up to the longest path allowed.
struct Limited(Vec<u8>);

impl Write for Limited {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + buf.len() > 4096 {
            return Err(sys::Errno::NAMETOOLONG.into());
        }
        self.0.extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn verb(verb: &str, shown: &[u8]) -> Vec<u8> {
    [verb.as_bytes(), &padded(shown, 22), b"  "].concat()
}

fn skipping(shown: &[u8], why: &str) -> Vec<u8> {
    [b"   skipping: ", &padded(shown, 22)[..], b"  ", why.as_bytes()].concat()
}

fn padded(text: &[u8], width: usize) -> Vec<u8> {
    let mut text = text.to_vec();
    text.resize(text.len().max(width), b' ');
    text
}

/// The name with control characters shown as `^X`.
fn printable(name: &[u8]) -> Vec<u8> {
    let mut shown = Vec::new();
    for b in name {
        if *b < 32 {
            shown.extend_from_slice(&[b'^', b + 64]);
        } else {
            shown.push(*b);
        }
    }
    shown
}
