//! Finds the next patch in the input and reads what precedes its hunks.

use super::ed;
use super::lines::Lines;
use super::read::{self, Command, Format};
use super::say::Fatal;
use crate::say as error;
use sandshell_posix::characters;
use sandshell_sys as sys;
use sandshell_time::Zone;

/// A patch for one file, without its hunks.
pub(super) struct Patch {
    pub(super) format: Format,
    /// The old name, the new name, and the name in an `Index:` line.
    pub(super) names: [Option<Vec<u8>>; 3],
    /// The text after the old and the new name.
    pub(super) time_texts: [Vec<u8>; 2],
    pub(super) times: [Option<(i64, u32)>; 2],
    /// Whether the old or new file is said not to exist: 0 no, 1 it is at least empty, 2 yes.
    pub(super) nonexistent: [u8; 2],
    pub(super) modes: [u32; 2],
    pub(super) rename: bool,
    pub(super) copy: bool,
    pub(super) binary: bool,
    /// The patch has git's header. All such patches in a run refer to the files as they were before the run.
    pub(super) git: bool,
    /// The name of an `Index:` line that is ignored.
    pub(super) index: Option<Vec<u8>>,
    pub(super) strip_cr: bool,
    /// The text before the hunks.
    pub(super) leading: Vec<u8>,
    /// The number of the line where the hunks begin.
    pub(super) line: usize,
}

impl Patch {
    /// A patch that changes nothing.
    pub(super) fn empty() -> Self {
        Self {
            format: Format::Unified,
            names: Default::default(),
            time_texts: Default::default(),
            times: [None; 2],
            nonexistent: [0; 2],
            modes: [0; 2],
            rename: false,
            copy: false,
            binary: false,
            git: false,
            index: None,
            strip_cr: false,
            leading: Vec::new(),
            line: 0,
        }
    }

    /// Whether the patch is about a symbolic link, whose target is the content.
    pub(super) fn is_link(&self) -> bool {
        self.modes.iter().any(|m| m & sys::S_IFMT == sys::S_IFLNK)
    }
}

/// What to look for.
pub(super) struct Wanted {
    pub(super) format: Option<Form>,
    /// How many leading components to strip from names; `None` strips all but the last.
    pub(super) strip: Option<usize>,
    /// Whether carriage returns are kept.
    pub(super) binary: bool,
    /// Whether the file to patch is given. Only then are formats without names recognised.
    pub(super) has_name: bool,
}

/// The formats that options can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Context,
    Ed,
    Normal,
    Unified,
}

/// Reads up to the first hunk of the next patch; `None` if there is no more patch.
pub(super) fn find(lines: &mut Lines, wanted: &Wanted) -> Result<Option<Patch>, Fatal> {
    let start = lines.mark();
    let mut scan = Scan::new(wanted);
    let accepts = |form| wanted.format.is_none_or(|f| f == form);
    loop {
        let here = lines.mark();
        let Some(line) = lines.next() else {
            return scan.at_end(lines, start, here);
        };
        let format = if line.starts_with(b"@@ -") && accepts(Form::Unified) && scan.is_range(&line) {
            Some(Format::Unified)
        } else if scan.after_stars && line.starts_with(b"*** ") && accepts(Form::Context) {
            Some(Format::Context { modern: line.trim_ascii_end().ends_with(b"****") })
        } else if scan.after_command.is_some()
            && (line.starts_with(b"< ") || line.starts_with(b"> "))
            && accepts(Form::Normal)
        {
            Some(Format::Normal)
        } else {
            None
        };
        if let Some(format) = format.filter(|f| {
            // The normal format has no header, so none is needed if the format was asked for.
            wanted.has_name || scan.seen || *f == Format::Normal && wanted.format.is_some()
        }) {
            // A unified hunk begins at this line, the other two formats one line above.
            let begin = match format {
                Format::Unified => here,
                _ => scan.previous.unwrap_or(here),
            };
            if format == Format::Normal && line.ends_with(b"\r\n") && !wanted.binary {
                scan.strip_cr = true;
            }
            lines.rewind(begin);
            scan.look_at_ranges(format, &line, lines)?;
            return Ok(Some(scan.finish(format, lines, start, begin)));
        }
        if scan.git && line.starts_with(b"GIT binary patch") {
            scan.binary = true;
            return Ok(Some(scan.finish(Format::Unified, lines, start, here)));
        }
        if scan.is_complete_without_hunks(&line) {
            lines.rewind(here);
            return Ok(Some(scan.finish(Format::Unified, lines, start, here)));
        }
        if line == b".\n"
            && let Some(begin) = scan.ed_script()
        {
            lines.rewind(begin);
            return Ok(Some(scan.finish(Format::Ed, lines, start, begin)));
        }
        if scan.ed_at.is_none() && accepts(Form::Ed) && ed::begins(&line) {
            scan.ed_at = Some(here);
        }
        scan.line(&line);
        scan.previous = Some(here);
    }
}

struct Scan<'a> {
    wanted: &'a Wanted,
    names: [Option<Vec<u8>>; 3],
    git_names: [Option<Vec<u8>>; 2],
    time_texts: [Vec<u8>; 2],
    times: [Option<(i64, u32)>; 2],
    nonexistent: [u8; 2],
    git: bool,
    extended: bool,
    modes: [u32; 2],
    rename: bool,
    copy: bool,
    binary: bool,
    strip_cr: bool,
    // Whether any header was found.
    seen: bool,
    // The names are those of a context header: the first mark was `***`.
    after_stars: bool,
    after_command: Option<()>,
    // The place where an ed script may have begun.
    ed_at: Option<(usize, usize)>,
    context_header: bool,
    previous: Option<(usize, usize)>,
}

impl<'a> Scan<'a> {
    fn new(wanted: &'a Wanted) -> Self {
        Self {
            wanted,
            names: Default::default(),
            git_names: Default::default(),
            time_texts: Default::default(),
            times: [None; 2],
            nonexistent: [0; 2],
            git: false,
            extended: false,
            modes: [0; 2],
            rename: false,
            copy: false,
            binary: false,
            strip_cr: false,
            seen: false,
            after_stars: false,
            after_command: None,
            ed_at: None,
            context_header: false,
            previous: None,
        }
    }

    // Interprets one line of the leading text.
    fn line(&mut self, line: &[u8]) {
        self.after_stars = line.starts_with(b"********");
        self.after_command = Command::parse(line).map(|_| ());
        if !self.wanted.binary
            && line.ends_with(b"\r\n")
            && [b"*** ".as_slice(), b"--- ", b"+++ ", b"Index:", b"diff "].iter().any(|p| line.starts_with(p))
        {
            self.strip_cr = true;
        }
        if let Some(rest) = line.strip_prefix(b"*** ") {
            self.context_header = true;
            self.name(0, rest);
        } else if let Some(rest) = line.strip_prefix(b"--- ") {
            let f = usize::from(self.context_header);
            self.context_header = false;
            self.name(f, rest);
        } else if let Some(rest) = line.strip_prefix(b"+++ ") {
            self.name(1, rest);
        } else if let Some(rest) = line.strip_prefix(b"Index:") {
            let (name, ..) = file_name(rest, self.wanted.strip);
            self.names[2] = name;
            self.seen = true;
        } else if let Some(rest) = line.strip_prefix(b"diff --git ") {
            let fresh = Self { strip_cr: self.strip_cr, ..Self::new(self.wanted) };
            *self = fresh;
            self.git = true;
            self.seen = true;
            if let Some((a, b)) = git_names(rest) {
                self.git_names = [a, b].map(|n| strip(&n, self.wanted.strip));
            }
        } else if self.git {
            self.git_line(line);
        }
    }

    fn git_line(&mut self, line: &[u8]) {
        let line = line.trim_ascii_end();
        let mode = |text: &[u8]| {
            let text = std::str::from_utf8(text.trim_ascii()).ok()?;
            u32::from_str_radix(text, 8).ok()
        };
        let mut extended = true;
        if let Some(rest) = line.strip_prefix(b"index ") {
            // The hash of an empty file says that the file is empty.
            let ids = rest.split(|b| *b == b' ').next().unwrap_or_default();
            if let Some(dots) = memchr::memmem::find(ids, b"..") {
                let empty = |id: &[u8]| id.len() >= 7 && EMPTY.starts_with(id);
                if empty(&ids[..dots]) && self.nonexistent[0] == 0 {
                    self.nonexistent[0] = 1;
                }
                if empty(&ids[dots + 2..]) && self.nonexistent[1] == 0 {
                    self.nonexistent[1] = 1;
                }
            }
            if let Some(m) = rest.split(|b| *b == b' ').nth(1).and_then(mode) {
                self.modes = [m, m];
            }
        } else if let Some(rest) = line.strip_prefix(b"old mode ") {
            self.modes[0] = mode(rest).unwrap_or(0);
        } else if let Some(rest) = line.strip_prefix(b"new mode ") {
            self.modes[1] = mode(rest).unwrap_or(0);
        } else if let Some(rest) = line.strip_prefix(b"deleted file mode ") {
            self.modes[0] = mode(rest).unwrap_or(0);
            self.nonexistent[1] = 2;
        } else if let Some(rest) = line.strip_prefix(b"new file mode ") {
            self.modes[1] = mode(rest).unwrap_or(0);
            self.nonexistent[0] = 2;
        } else if line.starts_with(b"rename from ") || line.starts_with(b"rename to ") {
            self.rename = true;
        } else if line.starts_with(b"copy from ") || line.starts_with(b"copy to ") {
            self.copy = true;
        } else {
            extended = false;
        }
        self.extended |= extended;
    }

    fn name(&mut self, f: usize, text: &[u8]) {
        let (name, time_text, time) = file_name(text, self.wanted.strip);
        self.seen = true;
        self.names[f] = name;
        self.time_texts[f] = time_text;
        self.times[f] = time;
    }

    // Whether a git patch is complete because the next one begins. Such a patch has no hunks.
    fn is_complete_without_hunks(&self, line: &[u8]) -> bool {
        self.git && self.extended && line.starts_with(b"diff --git ")
    }

    fn at_end(
        self,
        lines: &mut Lines,
        start: (usize, usize),
        here: (usize, usize),
    ) -> Result<Option<Patch>, Fatal> {
        if self.git && self.extended {
            return Ok(Some(self.finish(Format::Unified, lines, start, here)));
        }
        // This can be an ed script that only deletes.
        if let Some(begin) = self.ed_script() {
            lines.rewind(begin);
            return Ok(Some(self.finish(Format::Ed, lines, start, begin)));
        }
        Ok(None)
    }

    // The place where an ed script begins, if there is one and its file is known.
    fn ed_script(&self) -> Option<(usize, usize)> {
        let told = self.wanted.has_name || self.wanted.format.is_some();
        self.ed_at.filter(|_| told || self.names.iter().any(Option::is_some))
    }

    fn is_range(&self, line: &[u8]) -> bool {
        line.get(4).is_some_and(u8::is_ascii_digit)
    }

    // An empty range in the first hunk says that a file is empty. With a time of zero it says that the file does not
    // exist.
    fn look_at_ranges(&mut self, format: Format, line: &[u8], lines: &mut Lines) -> Result<(), Fatal> {
        let zero = |text: &[u8]| {
            let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
            digits > 0 && text[..digits].iter().all(|b| *b == b'0')
        };
        let mut empty = [false, false];
        match format {
            Format::Unified => {
                empty[0] = zero(line.get(4..).unwrap_or_default());
                let plus = memchr::memchr(b'+', line).and_then(|i| line.get(i + 1..));
                empty[1] = plus.is_some_and(zero);
            }
            Format::Context { .. } => {
                let mark = lines.mark();
                if let Some(hunk) = read::hunk(lines, format, self.strip_cr)? {
                    empty = [&hunk.old, &hunk.new].map(|s| s.lines.is_empty() && s.first == 1);
                }
                lines.rewind(mark);
            }
            Format::Normal | Format::Ed => {}
        }
        for f in [0, 1] {
            if empty[f] && self.nonexistent[f] == 0 {
                self.nonexistent[f] = 1 + u8::from(self.times[f] == Some((0, 0)));
            }
        }
        Ok(())
    }

    fn finish(
        mut self,
        format: Format,
        lines: &Lines,
        start: (usize, usize),
        begin: (usize, usize),
    ) -> Patch {
        if self.git {
            for f in [0, 1] {
                // A name of `/dev/null` stays `None`. A name that the headers lack is taken from the `diff --git` line.
                if self.names[f].is_none() && self.times[f] != Some((0, 0)) {
                    self.names[f] = self.git_names[f].clone();
                }
            }
            if self.nonexistent[0] == 2 && self.names[0].is_some() && self.names[1].is_some() {
                self.names[0] = None;
            }
            if self.nonexistent[1] == 2 && self.names[0].is_some() && self.names[1].is_some() {
                self.names[1] = None;
            }
        }
        let named = self.names[0].is_some() || self.names[1].is_some();
        let index = self.names[2].take_if(|_| named);
        let hunk_is_crlf = lines.peek().is_some_and(|l| l.ends_with(b"\r\n"));
        Patch {
            git: self.git,
            index,
            format,
            names: self.names,
            time_texts: self.time_texts,
            times: self.times,
            nonexistent: self.nonexistent,
            modes: self.modes,
            rename: self.rename,
            copy: self.copy,
            binary: self.binary,
            strip_cr: self.strip_cr && (hunk_is_crlf || lines.is_at_end()),
            leading: lines.between(start, begin).to_vec(),
            line: begin.1 + 1,
        }
    }
}

const EMPTY: &[u8] = b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

type Named = (Option<Vec<u8>>, Vec<u8>, Option<(i64, u32)>);

// Reads the name at the start of a header's text, the text after it, and the time in that text.
fn file_name(text: &[u8], strip_count: Option<usize>) -> Named {
    let text = text.trim_ascii_end();
    let text = text.trim_ascii_start();
    let (name, rest) = if text.starts_with(b"\"") {
        match unquote(text) {
            Some((name, used)) => (name, &text[used..]),
            None => {
                error::error([b"ignoring malformed filename ".as_slice(), text].concat());
                return (None, Vec::new(), None);
            }
        }
    } else {
        // A name may only contain spaces if a tab follows it.
        let end = memchr::memchr(b'\t', text).or_else(|| memchr::memchr(b' ', text));
        let end = end.unwrap_or(text.len());
        (text[..end].to_vec(), &text[end..])
    };
    if name == b"/dev/null" {
        return (None, rest.to_vec(), Some((0, 0)));
    }
    let time = date(rest.trim_ascii());
    (strip(&name, strip_count), rest.to_vec(), time)
}

// Reads a date that begins with digits or a day of the week.
fn date(text: &[u8]) -> Option<(i64, u32)> {
    let looks = text.len() >= 8 && (text[0].is_ascii_digit() || text.get(3) == Some(&b' '));
    if !looks {
        return None;
    }
    sandshell_time::parse(text, (0, 0), &Zone::system())
}

// Strips leading components; without a count, all but the last. `None` if there are not that many.
fn strip(name: &[u8], count: Option<usize>) -> Option<Vec<u8>> {
    let Some(mut left) = count else {
        let base = name.rsplit(|b| *b == b'/').next().unwrap_or_default();
        return (!base.is_empty()).then(|| base.to_vec());
    };
    let mut rest = name;
    while left > 0 {
        let slash = memchr::memchr(b'/', rest)?;
        let slashes = rest[slash..].iter().take_while(|b| **b == b'/').count();
        rest = &rest[slash + slashes..];
        left -= 1;
    }
    (!rest.is_empty()).then(|| rest.to_vec())
}

// Reads the two names after `diff --git`.
fn git_names(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let text = text.trim_ascii_end();
    if text.starts_with(b"\"") {
        let (a, used) = unquote(text)?;
        let rest = text[used..].strip_prefix(b" ")?;
        let b = if rest.starts_with(b"\"") { unquote(rest)?.0 } else { rest.to_vec() };
        return Some((a, b));
    }
    // If names contain spaces, the two must be equal after their first components.
    let tail = |n: &[u8]| n.iter().position(|b| *b == b'/').map(|i| n[i..].to_vec());
    let spaces = text.iter().enumerate().filter(|(_, b)| **b == b' ').map(|(i, _)| i);
    let splits: Vec<usize> = spaces.collect();
    let alike = splits.iter().find(|i| tail(&text[..**i]) == tail(&text[**i + 1..]));
    let at = *alike.or(splits.first())?;
    let second = &text[at + 1..];
    let b = if second.starts_with(b"\"") { unquote(second)?.0 } else { second.to_vec() };
    Some((text[..at].to_vec(), b))
}

// Reads a quoted name, escaped as in C. Returns the name and the length of what was read.
fn unquote(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut name = Vec::new();
    let mut i = 1;
    loop {
        match text.get(i)? {
            b'"' => return Some((name, i + 1)),
            b'\\' => {
                let c = *text.get(i + 1)?;
                i += 2;
                match c {
                    b'0'..=b'3' => {
                        let digits = text.get(i - 1..i + 2)?;
                        if !digits.iter().all(|d| (b'0'..=b'7').contains(d)) {
                            return None;
                        }
                        name.push(digits.iter().fold(0u8, |n, d| n.wrapping_mul(8).wrapping_add(d - b'0')));
                        i += 2;
                    }
                    _ => name.push(match c {
                        b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => characters::escape(c),
                        b'"' | b'\\' => c,
                        _ => return None,
                    }),
                }
            }
            c => {
                name.push(*c);
                i += 1;
            }
        }
    }
}
