//! Prints a list of files in the chosen layout.

use super::color::Colors;
use super::entry::Entry;
use super::options::{Indicator, Layout, Options, Time};
use sandshell_cli::bytes;
use sandshell_cli::out::{self, put};
use sandshell_cli::quote::{STYLES, Style, quote_with};
use sandshell_posix::characters;
use sandshell_posix::mode;
use sandshell_posix::users::Names;
use sandshell_sys as sys;
use sandshell_time::{
    Zone,
    strftime::{self, Moment},
};

/// The state of a whole run.
pub(super) struct Printer<'a> {
    pub(super) options: &'a Options,
    pub(super) colors: Option<Colors>,
    pub(super) names: Names,
    pub(super) zone: Option<Zone>,
    pub(super) now: (i64, u32),
    pub(super) dired: Dired,
    /// The host name for hyperlinks.
    pub(super) host: Vec<u8>,
    /// Whether names are aligned, and some names in the current list are quoted.
    pub(super) some_quoted: bool,
}

/// The positions in the output where names begin and end, for `--dired`.
#[derive(Default)]
pub(super) struct Dired {
    names: Vec<u64>,
    directories: Vec<u64>,
}

impl Dired {
    /// Records the position of a directory's heading, which `put_name` prints.
    pub(super) fn directory(&mut self, put_name: impl FnOnce()) {
        self.directories.push(out::position());
        put_name();
        self.directories.push(out::position());
    }

    /// Prints the lines at the end of the output.
    pub(super) fn report(&self, style: Style) {
        for (title, places) in [("//DIRED//", &self.names), ("//SUBDIRED//", &self.directories)] {
            if !places.is_empty() {
                put(title);
                places.iter().for_each(|place| put(format!(" {place}")));
                put("\n");
            }
        }
        let style = STYLES.iter().find(|s| s.1 == style).map_or("literal", |s| s.0);
        put(format!("//DIRED-OPTIONS// --quoting-style={style}\n"));
    }
}

/// The column widths of a long listing.
#[derive(Default)]
struct Widths {
    inode: usize,
    blocks: usize,
    links: usize,
    owner: usize,
    group: usize,
    author: usize,
    size: usize,
    major: usize,
    minor: usize,
}

impl Printer<'_> {
    /// Prints the entries, which are sorted already. Their columns are aligned with those of `others` too.
    pub(super) fn list(&mut self, entries: &mut [Entry], others: &[Entry]) {
        let o = self.options;
        self.quote_names(entries, others);
        let widths = self.widths(entries.iter().chain(others));
        match o.layout {
            Layout::Long => {
                for e in entries.iter() {
                    self.long(e, &widths);
                    put([o.eol]);
                }
            }
            Layout::OnePerLine => {
                for e in entries.iter() {
                    self.short(e, &widths, 0);
                    put([o.eol]);
                }
            }
            Layout::Columns if o.width == 0 => self.commas(entries, &widths, b"  "),
            Layout::Across if o.width == 0 => self.commas(entries, &widths, b"  "),
            Layout::Columns => self.columns(entries, &widths, true),
            Layout::Across => self.columns(entries, &widths, false),
            Layout::Commas => self.commas(entries, &widths, b", "),
        }
    }

    /// Prints `total N`.
    pub(super) fn total(&self, entries: &[Entry]) {
        let blocks: u64 = entries.iter().map(|e| e.stat.blocks * 512).sum();
        if self.options.dired {
            put("  ");
        }
        put(bytes!("total ", self.options.block_unit.format(blocks)));
        put([self.options.eol]);
    }

    fn quote_names(&mut self, entries: &mut [Entry], others: &[Entry]) {
        let o = self.options;
        let variable = matches!(o.quoting, Style::Shell | Style::ShellEscape);
        let aligned = variable
            && (o.layout == Layout::Long
                || (matches!(o.layout, Layout::Columns | Layout::Across) && o.width > 0));
        let quoted = |e: &Entry| {
            let shown = self.quoted(&e.name);
            shown != e.name && starts_quoted(&shown)
        };
        let mut any = aligned && others.iter().any(quoted);
        for e in entries.iter_mut() {
            e.shown = self.quoted(&e.name);
            any |= aligned && e.shown != e.name && starts_quoted(&e.shown);
        }
        self.some_quoted = any;
        for e in entries.iter_mut() {
            if any && !starts_quoted(&e.shown) {
                e.shown.insert(0, b' ');
            }
            e.columns = characters::columns(&e.shown);
        }
    }

    fn quoted(&self, name: &[u8]) -> Vec<u8> {
        let o = self.options;
        let mut also = Vec::new();
        if o.quoting == Style::Escape {
            also.push(b' ');
        }
        match o.indicator {
            Indicator::FileType => also.extend_from_slice(b"*=>@|"),
            Indicator::Classify => also.extend_from_slice(b"=>@|"),
            _ => {}
        }
        self.shown(name, &also)
    }

    /// The quoted name. `also` lists additional bytes that need quotes.
    pub(super) fn shown(&self, name: &[u8], also: &[u8]) -> Vec<u8> {
        let o = self.options;
        let quoted = quote_with(name, o.quoting, also);
        if o.question_marks && matches!(o.quoting, Style::Literal | Style::Shell | Style::ShellAlways) {
            return question_marks(&quoted);
        }
        quoted
    }

    fn widths<'e>(&mut self, entries: impl Iterator<Item = &'e Entry>) -> Widths {
        let o = self.options;
        let mut w = Widths::default();
        let long = o.layout == Layout::Long;
        for e in entries {
            let known = e.has_stat;
            if o.inode {
                w.inode = w.inode.max(self.inode(e).len());
            }
            if o.blocks {
                w.blocks = w.blocks.max(self.blocks(e).len());
            }
            if !long {
                continue;
            }
            w.links = w.links.max(if known { decimal(e.stat.nlink) } else { 1 });
            if o.owner {
                w.owner = w.owner.max(characters::columns(&self.owner(e).0));
            }
            if o.group {
                w.group = w.group.max(characters::columns(&self.group(e).0));
            }
            if o.author {
                w.author = w.author.max(characters::columns(&self.owner(e).0));
            }
            if known && is_device(e) {
                w.major = w.major.max(decimal(major(e.stat.rdev)));
                w.minor = w.minor.max(decimal(minor(e.stat.rdev)));
                w.size = w.size.max(w.major + 2 + w.minor);
            } else {
                w.size = w.size.max(if known { o.size_unit.format(e.stat.size).len() } else { 1 });
            }
        }
        w
    }

    fn inode(&self, e: &Entry) -> String {
        if e.readable && e.stat.ino != 0 { e.stat.ino.to_string() } else { "?".into() }
    }

    fn blocks(&self, e: &Entry) -> String {
        if e.has_stat { self.options.block_unit.format(e.stat.blocks * 512) } else { "?".into() }
    }

    /// The owner's name, and whether it is just a number.
    fn owner(&mut self, e: &Entry) -> (Vec<u8>, bool) {
        if !e.has_stat {
            return (b"?".to_vec(), false);
        }
        match self.names.user(e.stat.uid).filter(|_| !self.options.numeric) {
            Some(n) => (n.to_vec(), false),
            None => (e.stat.uid.to_string().into_bytes(), true),
        }
    }

    fn group(&mut self, e: &Entry) -> (Vec<u8>, bool) {
        if !e.has_stat {
            return (b"?".to_vec(), false);
        }
        match self.names.group(e.stat.gid).filter(|_| !self.options.numeric) {
            Some(n) => (n.to_vec(), false),
            None => (e.stat.gid.to_string().into_bytes(), true),
        }
    }

    fn long(&mut self, e: &Entry, w: &Widths) {
        let o = self.options;
        let mut line = Vec::new();
        if o.dired {
            line.extend_from_slice(b"  ");
        }
        if o.inode {
            line.extend_from_slice(format!("{:>1$} ", self.inode(e), w.inode).as_bytes());
        }
        if o.blocks {
            line.extend_from_slice(format!("{:>1$} ", self.blocks(e), w.blocks).as_bytes());
        }
        if e.has_stat {
            line.extend_from_slice(&mode::columns(e.mode()));
            line.extend_from_slice(format!(" {:>1$} ", e.stat.nlink, w.links).as_bytes());
        } else {
            let kind = mode::columns(e.mode())[0];
            line.push(kind);
            line.extend_from_slice(format!("????????? {:>1$} ", "?", w.links).as_bytes());
        }
        if o.owner {
            let (name, number) = self.owner(e);
            padded(&mut line, &name, number, w.owner);
        }
        if o.group {
            let (name, number) = self.group(e);
            padded(&mut line, &name, number, w.group);
        }
        if o.author {
            let (name, number) = self.owner(e);
            padded(&mut line, &name, number, w.author);
        }
        if o.context {
            line.extend_from_slice(b"? ");
        }
        // GNU ls counts the columns of a line from the end of the owners on.
        let counted = if o.owner || o.group || o.author || o.context { line.len() } else { 0 };
        if !e.has_stat {
            line.extend_from_slice(format!("{:>1$} ", "?", w.size).as_bytes());
        } else if is_device(e) {
            let blanks = w.size - (w.major + 2 + w.minor);
            line.extend_from_slice(
                format!(
                    "{:>mw$}, {:>nw$} ",
                    major(e.stat.rdev),
                    minor(e.stat.rdev),
                    mw = w.major + blanks,
                    nw = w.minor
                )
                .as_bytes(),
            );
        } else {
            line.extend_from_slice(format!("{:>1$} ", o.size_unit.format(e.stat.size), w.size).as_bytes());
        }
        let when = self.time(e);
        line.extend_from_slice(&when);
        line.push(b' ');
        self.normal();
        put(&line);
        // The blank instead of a quote is not part of the name.
        let begin = out::position() + u64::from(self.some_quoted && e.shown.starts_with(b" "));
        let start = line.len() - counted;
        let length = start + self.name(e, start);
        if o.dired {
            self.dired.names.extend([begin, out::position()]);
        }
        if let Some(target) = e.link.clone() {
            put(" -> ");
            let text = self.quoted(&target);
            let color = self.colors.as_ref().and_then(|c| c.of(&target, e, Some(e.link_mode)));
            let color = color.map(<[u8]>::to_vec);
            self.painted(&text, color.as_deref(), e.absolute.as_deref(), length + 4);
            if o.indicator != Indicator::None
                && let Some(m) = e.link_mode
                && let Some(i) = indicator(o.indicator, m)
            {
                put([i]);
            }
        } else if o.indicator != Indicator::None
            && let Some(i) = indicator(o.indicator, e.mode()).filter(|_| e.readable)
        {
            put([i]);
        }
    }

    fn time(&mut self, e: &Entry) -> Vec<u8> {
        let o = self.options;
        let zone = self.zone.get_or_insert_with(Zone::system);
        if !e.has_stat || o.time == Time::Born {
            let local = zone.local(0);
            let blank = strftime::format(&o.time_formats[0], &Moment { local: &local, seconds: 0, nanos: 0 });
            return format!("{:>1$}", "?", characters::columns(&blank)).into_bytes();
        }
        let when = e.time(o.time);
        // Half an average Gregorian year.
        let recent = when > (self.now.0 - 31_556_952 / 2, self.now.1) && when <= self.now;
        let local = zone.local(when.0);
        let moment = Moment { local: &local, seconds: when.0, nanos: when.1 };
        strftime::format(&o.time_formats[usize::from(recent)], &moment)
    }

    /// Prints the name at this column of the line. Returns its length in bytes.
    fn name(&mut self, e: &Entry, start: usize) -> usize {
        let color = self.colors.as_ref().and_then(|c| c.of(&e.name, e, None)).map(<[u8]>::to_vec);
        self.painted(&e.shown, color.as_deref(), e.absolute.as_deref(), start)
    }

    /// Begins text that is not a name.
    fn normal(&mut self) {
        if let Some(colors) = &mut self.colors {
            put(colors.normal());
        }
    }

    fn painted(&mut self, text: &[u8], color: Option<&[u8]>, absolute: Option<&[u8]>, start: usize) -> usize {
        let wide = self.options.width;
        let wraps = wide > 0 && start / wide != (start + text.len()).saturating_sub(1) / wide;
        let (before, behind) = match &mut self.colors {
            Some(colors) => colors.around(color, wraps),
            None => (Vec::new(), Vec::new()),
        };
        // The blank instead of a quote is not coloured.
        let unquoted = text.strip_prefix(b" ").filter(|_| self.some_quoted);
        if unquoted.is_some() {
            put(" ");
        }
        put(before);
        put(self.linked(unquoted.unwrap_or(text), absolute));
        put(behind);
        text.len()
    }

    /// The name as a hyperlink, if hyperlinks are printed. Quotes around aligned names are not part of the link.
    pub(super) fn linked(&self, text: &[u8], absolute: Option<&[u8]>) -> Vec<u8> {
        let Some(file) = absolute else { return text.to_vec() };
        let quoted = self.some_quoted && starts_quoted(text) && text.len() > 1;
        let (first, text, last) = match quoted {
            true => (
                text.get(..1).unwrap_or_default(),
                text.get(1..text.len() - 1).unwrap_or_default(),
                text.get(text.len() - 1..).unwrap_or_default(),
            ),
            false => (&b""[..], text, &b""[..]),
        };
        let slash: &[u8] = if file.starts_with(b"/") { b"" } else { b"/" };
        let (host, file) = (escaped(&self.host, false), escaped(file, true));
        let link = [&b"\x1b]8;;file://"[..], &host, slash, &file, b"\x07", text, b"\x1b]8;;\x07"].concat();
        [first, &link, last].concat()
    }

    /// Prints the name with inode, blocks and indicator, for all layouts except the long one.
    fn short(&mut self, e: &Entry, w: &Widths, start: usize) {
        let o = self.options;
        self.normal();
        let free = o.layout == Layout::Commas;
        if o.inode {
            put(format!("{:>1$} ", self.inode(e), if free { 0 } else { w.inode }));
        }
        if o.blocks {
            put(format!("{:>1$} ", self.blocks(e), if free { 0 } else { w.blocks }));
        }
        if o.context {
            put("? ");
        }
        self.name(e, start);
        if let Some(i) = self.indicator(e) {
            put([i]);
        }
    }

    fn indicator(&self, e: &Entry) -> Option<u8> {
        indicator(self.options.indicator, e.mode())
    }

    /// The number of columns that [`Self::short`] needs.
    fn length(&self, e: &Entry, w: &Widths) -> usize {
        let o = self.options;
        let free = o.layout == Layout::Commas;
        let mut n = e.columns;
        if o.inode {
            n += 1 + if free { self.inode(e).len() } else { w.inode };
        }
        if o.blocks {
            n += 1 + if free { self.blocks(e).len() } else { w.blocks };
        }
        if o.context {
            n += 2;
        }
        n + usize::from(self.indicator(e).is_some())
    }

    fn commas(&mut self, entries: &[Entry], w: &Widths, separator: &[u8]) {
        let line = self.options.width;
        let mut position = 0;
        for (i, e) in entries.iter().enumerate() {
            let len = if line > 0 { self.length(e, w) } else { 0 };
            if i > 0 {
                put(&separator[..1]);
                if line == 0 || position + len + 2 < line {
                    position += 2;
                    put(" ");
                } else {
                    position = 0;
                    put([self.options.eol]);
                }
            }
            self.short(e, w, position);
            position += len;
        }
        if !entries.is_empty() {
            put([self.options.eol]);
        }
    }

    fn columns(&mut self, entries: &[Entry], w: &Widths, down: bool) {
        if entries.is_empty() {
            return;
        }
        let lengths: Vec<usize> = entries.iter().map(|e| self.length(e, w)).collect();
        let widths = fit(&lengths, self.options.width, down);
        let n = entries.len();
        let columns = widths.len();
        let rows = n.div_ceil(columns);
        // Some terminals cannot combine tabs and colours.
        let tab = if self.colors.is_some() { 0 } else { self.options.tab };
        for row in 0..rows {
            let mut position = 0;
            for (column, wide) in widths.iter().enumerate() {
                let at = if down { row + column * rows } else { row * columns + column };
                let Some(e) = entries.get(at) else { break };
                self.short(e, w, position);
                let next = if down { at + rows } else { at + 1 };
                if column + 1 < columns && next < n {
                    indent(position + lengths[at], position + wide, tab);
                }
                position += wide;
            }
            put([self.options.eol]);
        }
    }
}

/// The widths of as many columns as fit in the line.
fn fit(lengths: &[usize], line: usize, down: bool) -> Vec<usize> {
    const NARROWEST: usize = 3;
    let n = lengths.len();
    let most = line.div_ceil(NARROWEST).min(n).max(1);
    for columns in (2..=most).rev() {
        let mut widths = vec![NARROWEST; columns];
        let mut total = columns * NARROWEST;
        let rows = n.div_ceil(columns);
        let fits = lengths.iter().enumerate().all(|(i, len)| {
            let column = if down { i / rows } else { i % columns };
            let real = len + if column + 1 == columns { 0 } else { 2 };
            if widths[column] >= real {
                return true;
            }
            total += real - widths[column];
            widths[column] = real;
            total < line
        });
        if fits {
            return widths;
        }
    }
    vec![lengths.iter().copied().max().unwrap_or(0)]
}

fn indent(mut from: usize, to: usize, tab: usize) {
    while from < to {
        if tab != 0 && to / tab > (from + 1) / tab {
            put("\t");
            from += tab - from % tab;
        } else {
            put(" ");
            from += 1;
        }
    }
}

/// Escapes a part of a URL (RFC 3986).
fn escaped(text: &[u8], path: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for b in text {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(*b),
            b'/' if path => out.push(b'/'),
            b => out.extend_from_slice(format!("%{b:02x}").as_bytes()),
        }
    }
    out
}

fn starts_quoted(shown: &[u8]) -> bool {
    // If a name begins with a quote itself, its quoted form has other quotes around it.
    matches!(shown.first(), Some(b'\'' | b'"'))
}

fn question_marks(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (bytes, c) in characters::characters(text) {
        if c.is_some_and(characters::is_printable) { out.extend_from_slice(bytes) } else { out.push(b'?') }
    }
    out
}

fn padded(line: &mut Vec<u8>, text: &[u8], right: bool, to: usize) {
    let blanks = std::iter::repeat_n(b' ', to.saturating_sub(characters::columns(text)));
    if right {
        line.extend(blanks);
        line.extend_from_slice(text);
    } else {
        line.extend_from_slice(text);
        line.extend(blanks);
    }
    line.push(b' ');
}

fn indicator(style: Indicator, mode: u32) -> Option<u8> {
    if style == Indicator::None {
        return None;
    }
    match mode & sys::S_IFMT {
        sys::S_IFDIR => Some(b'/'),
        _ if style == Indicator::Slash => None,
        sys::S_IFREG if style == Indicator::Classify && mode & 0o111 != 0 => Some(b'*'),
        sys::S_IFLNK => Some(b'@'),
        sys::S_IFIFO => Some(b'|'),
        sys::S_IFSOCK => Some(b'='),
        _ => None,
    }
}

fn is_device(e: &Entry) -> bool {
    matches!(e.mode() & sys::S_IFMT, sys::S_IFCHR | sys::S_IFBLK)
}

fn decimal(n: u64) -> usize {
    n.checked_ilog10().unwrap_or(0) as usize + 1
}

/// The major number of a Linux device number.
pub(super) fn major(rdev: u64) -> u64 {
    rdev >> 8 & 0xfff | rdev >> 32 & !0xfff
}

/// The minor number of a Linux device number.
pub(super) fn minor(rdev: u64) -> u64 {
    rdev & 0xff | rdev >> 12 & !0xff
}
