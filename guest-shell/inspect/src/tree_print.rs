//! The output of `tree`: as a drawing, JSON or XML.

use crate::tree_entry::{Entry, OPEN_ERROR};
use crate::tree_options::{Form, Graphics, Options};
use sandshell_cli::bytes;
use sandshell_cli::out;
use sandshell_posix::characters;
use sandshell_posix::mode;
use sandshell_posix::users::Names;
use sandshell_sys::{self as sys, Stat};
use sandshell_time::{Zone, strftime};

/// Prints trees and counts files and directories.
pub(crate) struct Printer<'a> {
    o: &'a Options,
    names: Names,
    zone: Zone,
    colors: Option<Colors>,
    directories: u64,
    files: u64,
    /// The size of everything shown, for `--du`.
    bytes: u64,
    /// Whether a JSON object was already printed at this place.
    began: bool,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(o: &'a Options) -> Self {
        let colors = o.color.then(Colors::new);
        match o.form {
            Form::Text => {}
            Form::Json => out::put(if o.indent { "[\n" } else { "[" }),
            Form::Xml => out::put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tree>\n"),
        }
        Self {
            o,
            names: Names::default(),
            zone: Zone::system(),
            colors,
            directories: 0,
            files: 0,
            bytes: 0,
            began: false,
        }
    }

    /// Prints the tree of an operand.
    pub(crate) fn root(&mut self, entry: &Entry) {
        let there = entry.stat.is_some();
        if self.o.from_file && entry.note.is_none() {
            self.directories += 1;
        } else if there && entry.note.as_deref() == Some(OPEN_ERROR) {
            self.files += 1;
        } else if entry.is_dir() {
            // A root without entries is not counted.
            self.directories += u64::from(!entry.entries.is_empty() || entry.note.is_some());
        } else if there {
            self.files += 1;
        }
        match self.o.form {
            Form::Text => {
                let mut text = self.info(entry);
                text.extend_from_slice(&self.shown(entry, &entry.name));
                if let Some(note) = &entry.note {
                    text.extend_from_slice(format!("  [{note}]").as_bytes());
                }
                text.push(b'\n');
                out::put(text);
                self.draw(&entry.entries, b"");
            }
            Form::Json => {
                if std::mem::replace(&mut self.began, true) {
                    out::put(bytes!(",", self.newline()));
                }
                self.json(entry, 1);
            }
            Form::Xml => self.xml(entry, 1, true),
        }
    }

    /// Prints the summary line.
    pub(crate) fn finish(&self) {
        let (directories, files) = (self.directories, self.files);
        let with_files = !self.o.only_dirs;
        match self.o.form {
            Form::Text if self.o.report => {
                let plural =
                    |n: u64, one: &str, many: &str| if n == 1 { one.to_owned() } else { many.to_owned() };
                let mut text = String::from("\n");
                if self.o.du {
                    let unit = if self.o.human.is_some() { "" } else { " bytes" };
                    text += &format!("{}{unit} used in ", self.size_column(self.bytes));
                }
                text += &format!("{directories} {}", plural(directories, "directory", "directories"));
                if with_files {
                    text += &format!(", {files} {}", plural(files, "file", "files"));
                }
                out::put(text + "\n");
            }
            Form::Text => {}
            Form::Json => {
                let newline = self.newline();
                out::put(newline);
                if self.o.report {
                    let indent = if self.o.indent { "  " } else { "" };
                    out::put(bytes!(",", newline, indent));
                    out::put("{\"type\":\"report\"");
                    if self.o.du {
                        out::put(format!(",\"size\":{}", self.bytes));
                    }
                    out::put(format!(",\"directories\":{directories}"));
                    if with_files {
                        out::put(format!(",\"files\":{files}"));
                    }
                    out::put("}");
                }
                out::put(bytes!(newline, "]\n"));
            }
            Form::Xml => {
                if self.o.report {
                    out::put("  <report>\n");
                    if self.o.du {
                        out::put(format!("    <size>{}</size>\n", self.report_size()));
                    }
                    out::put(format!("    <directories>{directories}</directories>\n"));
                    if with_files {
                        out::put(format!("    <files>{files}</files>\n"));
                    }
                    out::put("  </report>\n");
                }
                out::put("</tree>\n");
            }
        }
    }

    /// The newline after each line of JSON; with `-i` there is none.
    fn newline(&self) -> &'static str {
        if self.o.indent { "\n" } else { "" }
    }

    fn count(&mut self, entry: &Entry) {
        self.bytes = self.bytes.saturating_add(entry.stat.map_or(0, |s| s.size));
        if entry.is_dir() {
            self.directories += 1;
        } else {
            self.files += 1;
        }
    }

    fn draw(&mut self, entries: &[Entry], before: &[u8]) {
        let (branch, end, line): (&[u8], &[u8], &[u8]) = match self.o.graphics {
            Graphics::Utf8 => ("├── ".as_bytes(), "└── ".as_bytes(), "│\u{a0}\u{a0} ".as_bytes()),
            Graphics::Ascii => (b"|-- ", b"`-- ", b"|   "),
            Graphics::Vt100 => (b"tqq ", b"mqq ", b"x   "),
            Graphics::Cp437 => (b"\xc3\xc4\xc4 ", b"\xc0\xc4\xc4 ", b"\xb3   "),
        };
        let (on, off) = if self.o.graphics == Graphics::Vt100 { ("\x1b(0", "\x1b(B") } else { ("", "") };
        for (i, entry) in entries.iter().enumerate() {
            self.count(entry);
            let last = i + 1 == entries.len();
            let mut text = Vec::new();
            if self.o.meta_first {
                text.extend_from_slice(&self.info(entry));
            }
            if self.o.indent {
                text.extend_from_slice(&bytes!(on, before, if last { end } else { branch }, off));
            }
            if !self.o.meta_first {
                text.extend_from_slice(&self.info(entry));
            }
            let name = if self.o.full_path { &entry.path } else { &entry.name };
            text.extend_from_slice(&self.shown(entry, name));
            if let Some(target) = &entry.target {
                text.extend_from_slice(b" -> ");
                text.extend_from_slice(&self.shown_target(entry, target));
            }
            if let Some(note) = &entry.note {
                text.extend_from_slice(format!("  [{note}]").as_bytes());
            }
            text.push(b'\n');
            out::put(text);
            if out::failure().is_some() {
                return;
            }
            let below = [before, if last { b"    " } else { line }].concat();
            self.draw(&entry.entries, &below);
        }
    }

    fn shown(&self, entry: &Entry, name: &[u8]) -> Vec<u8> {
        let name = self.escaped(name);
        let mut text = match &self.colors {
            Some(colors) => colors.paint(colors.of(entry), &name),
            None => name,
        };
        if self.o.classify
            && let Some(stat) = entry.stat.filter(|_| !entry.is_link())
            && let Some(mark) = mark(&stat)
        {
            text.push(mark);
        }
        text
    }

    fn shown_target(&self, entry: &Entry, target: &[u8]) -> Vec<u8> {
        let name = self.escaped(target);
        let mut text = match &self.colors {
            Some(colors) => colors.paint(colors.of_target(entry), &name),
            None => name,
        };
        if self.o.classify
            && let Some(mark) = entry.target_stat.as_ref().and_then(mark)
        {
            text.push(mark);
        }
        text
    }

    fn escaped(&self, name: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        if self.o.quote {
            text.push(b'"');
        }
        let valid = std::str::from_utf8(name).is_ok();
        for (bytes, c) in characters::characters(name) {
            let printable = c.is_some_and(characters::is_printable) && (valid || bytes.len() == 1);
            if self.o.raw_names || printable {
                text.extend_from_slice(bytes);
                continue;
            }
            match c.filter(|_| valid) {
                Some(_) if self.o.question => text.push(b'?'),
                Some(c) => text.extend_from_slice(format!("\\{:03o}", c as u32).as_bytes()),
                None => {
                    for b in bytes {
                        match b {
                            7..=13 => text.extend_from_slice(&[b'\\', b"abtnvfr"[usize::from(b - 7)]]),
                            _ if self.o.question && *b > 127 => text.push(*b),
                            _ if self.o.question => text.push(b'?'),
                            _ => text.extend_from_slice(format!("\\{b:03o}").as_bytes()),
                        }
                    }
                }
            }
        }
        if self.o.quote {
            text.push(b'"');
        }
        text
    }

    /// The text in brackets before a name.
    fn info(&mut self, entry: &Entry) -> Vec<u8> {
        let o = self.o;
        let Some(stat) = entry.stat else { return Vec::new() };
        let mut text = Vec::new();
        if o.inodes {
            text.extend_from_slice(format!(" {:7}", stat.ino).as_bytes());
        }
        if o.device {
            text.extend_from_slice(format!(" {:3}", stat.dev).as_bytes());
        }
        if o.mode {
            text.push(b' ');
            text.extend_from_slice(&mode::columns(stat.mode));
        }
        if o.user {
            text.push(b' ');
            text.extend_from_slice(&padded(self.user(stat.uid), 8));
        }
        if o.group {
            text.push(b' ');
            text.extend_from_slice(&padded(self.group(stat.gid), 8));
        }
        if o.size {
            text.extend_from_slice(self.size_column(stat.size).as_bytes());
        }
        if o.date {
            text.push(b' ');
            text.extend_from_slice(&self.date(&stat));
        }
        if let Some(first) = text.first_mut() {
            *first = b'[';
            text.extend_from_slice(b"]  ");
        }
        text
    }

    fn user(&mut self, uid: u32) -> Vec<u8> {
        self.names.user(uid).map_or_else(|| uid.to_string().into_bytes(), <[u8]>::to_vec)
    }

    fn group(&mut self, gid: u32) -> Vec<u8> {
        self.names.group(gid).map_or_else(|| gid.to_string().into_bytes(), <[u8]>::to_vec)
    }

    fn size_column(&self, size: u64) -> String {
        match self.o.human {
            Some(_) => format!(" {:>4}", self.size(size)),
            None => format!(" {size:>11}"),
        }
    }

    fn report_size(&self) -> String {
        self.size(self.bytes).trim_start().to_owned()
    }

    /// A size as `-h` or `--si` shows it, or in bytes.
    fn size(&self, size: u64) -> String {
        let Some(unit) = self.o.human else { return size.to_string() };
        let letters = if unit == 1024 { b"BKMGTPEZY" } else { b"dkMGTPEZY" };
        let mut index = usize::from(size >= unit);
        let mut size = size;
        while size >= unit * unit {
            size /= unit;
            index += 1;
        }
        if index == 0 {
            return size.to_string();
        }
        let value = size as f32 / unit as f32;
        let letter = char::from(letters[index.min(8)]);
        if size / unit >= 10 { format!("{value:3.0}{letter}") } else { format!("{value:3.1}{letter}") }
    }

    fn date(&self, stat: &Stat) -> Vec<u8> {
        let seconds = if self.o.changed { stat.ctime } else { stat.mtime };
        let now = (sys::realtime() / 1_000_000_000) as i64;
        let default: &[u8] =
            if seconds > now || seconds + 6 * 31 * 24 * 3600 < now { b"%b %e  %Y" } else { b"%b %e %R" };
        let format = self.o.time_format.as_deref().unwrap_or(default);
        let local = self.zone.local(seconds);
        strftime::format(format, &strftime::Moment { local: &local, seconds, nanos: 0 })
    }

    /// Names and values of the other attributes in JSON and XML.
    fn attributes(&mut self, entry: &Entry) -> Vec<(&'static str, Vec<u8>)> {
        let o = self.o;
        let mut list = Vec::new();
        let Some(stat) = entry.stat else { return list };
        if o.inodes {
            list.push(("inode", bytes!(stat.ino)));
        }
        if o.device {
            list.push(("dev", bytes!(stat.dev)));
        }
        if o.mode {
            list.push(("mode", format!("{:04o}", stat.mode & 0o7777).into_bytes()));
            list.push(("prot", mode::columns(stat.mode).to_vec()));
        }
        if o.user {
            list.push(("user", self.user(stat.uid)));
        }
        if o.group {
            list.push(("group", self.group(stat.gid)));
        }
        if o.size {
            list.push(("size", self.size(stat.size).trim_start().as_bytes().to_vec()));
        }
        if o.date {
            list.push(("time", self.date(&stat)));
        }
        list
    }

    fn name_of<'e>(&self, entry: &'e Entry, level: usize) -> &'e [u8] {
        if self.o.full_path && level > 1 { &entry.path } else { &entry.name }
    }

    /// Prints an object of JSON, without a newline after it.
    fn json(&mut self, entry: &Entry, level: usize) {
        let newline = self.newline();
        let mut text = Vec::new();
        if entry.stat.is_none() {
            text.extend_from_slice(b",\"name\":");
            json_string(&mut text, &entry.name);
            let indent = if self.o.indent { "  " } else { "" };
            text.extend_from_slice(&bytes!(",\"contents\":[{\"error\": \"", OPEN_ERROR, "\"}"));
            text.extend_from_slice(&bytes!(newline, newline, indent, "]}"));
            out::put(text);
            return;
        }
        let indent = vec![b' '; if self.o.indent { 2 * level } else { 0 }];
        text.extend_from_slice(&indent);
        text.extend_from_slice(&bytes!("{\"type\":\"", kind(entry), "\",\"name\":"));
        json_string(&mut text, self.name_of(entry, level));
        if let Some(target) = &entry.target {
            text.extend_from_slice(b",\"target\":");
            json_string(&mut text, target);
        }
        for (name, value) in self.attributes(entry) {
            let number = matches!(name, "inode" | "dev") || name == "size" && self.o.human.is_none();
            text.extend_from_slice(&bytes!(",\"", name, "\":"));
            if number {
                text.extend_from_slice(&value);
            } else {
                json_string(&mut text, &value);
            }
        }
        if let Some(note) = &entry.note {
            if entry.is_link() {
                text.extend_from_slice(&bytes!("}{\"error\": \"", note, "\"}\n"));
            } else {
                text.extend_from_slice(&bytes!(
                    ",\"contents\":[{\"error\": \"",
                    note,
                    "\"}",
                    newline,
                    if level == 1 { newline } else { "" },
                    // Unlike all other lines, this one is not indented by its level.
                    if self.o.indent { "  " } else { "" },
                    "]}"
                ));
            }
            out::put(text);
            return;
        }
        if entry.entries.is_empty() {
            text.push(b'}');
            out::put(text);
            return;
        }
        text.extend_from_slice(&bytes!(",\"contents\":[", newline));
        out::put(&text);
        for (i, child) in entry.entries.iter().enumerate() {
            self.count(child);
            self.json(child, level + 1);
            let comma = if i + 1 < entry.entries.len() { "," } else { "" };
            out::put(bytes!(comma, newline));
        }
        out::put(indent);
        out::put("]}");
    }

    fn xml(&mut self, entry: &Entry, level: usize, root: bool) {
        let indent = vec![b' '; if self.o.indent { 2 * level } else { 0 }];
        let mut text = Vec::new();
        if entry.stat.is_none() {
            text.extend_from_slice(b" name=\"");
            xml_string(&mut text, &entry.name);
            text.extend_from_slice(b"\"><error>error opening dir</error>\n  </unknown>\n");
            out::put(text);
            return;
        }
        let kind = kind(entry);
        text.extend_from_slice(&bytes!(&indent, "<", kind, " name=\""));
        xml_string(&mut text, self.name_of(entry, level));
        text.push(b'"');
        if let Some(target) = &entry.target {
            text.extend_from_slice(b" target=\"");
            xml_string(&mut text, target);
            text.push(b'"');
        }
        for (name, value) in self.attributes(entry) {
            text.extend_from_slice(&bytes!(" ", name, "=\""));
            xml_string(&mut text, &value);
            text.push(b'"');
        }
        text.push(b'>');
        if let Some(note) = &entry.note {
            text.extend_from_slice(&bytes!("<error>", note, "</error>"));
        }
        if !entry.entries.is_empty() || root && entry.note.is_none() {
            text.push(b'\n');
            out::put(&text);
            text.clear();
            for child in &entry.entries {
                self.count(child);
                self.xml(child, level + 1, false);
            }
            text.extend_from_slice(&indent);
        }
        text.extend_from_slice(&bytes!("</", kind, ">\n"));
        out::put(text);
    }
}

fn padded(mut text: Vec<u8>, width: usize) -> Vec<u8> {
    text.truncate(32);
    let fill = width.saturating_sub(text.len());
    text.resize(text.len() + fill, b' ');
    text
}

fn mark(stat: &Stat) -> Option<u8> {
    match stat.mode & sys::S_IFMT {
        sys::S_IFDIR => Some(b'/'),
        sys::S_IFSOCK => Some(b'='),
        sys::S_IFIFO => Some(b'|'),
        sys::S_IFREG if stat.mode & 0o111 != 0 => Some(b'*'),
        _ => None,
    }
}

fn kind(entry: &Entry) -> &'static str {
    if entry.is_link() {
        return "link";
    }
    match entry.stat.unwrap_or_default().mode & sys::S_IFMT {
        sys::S_IFDIR => "directory",
        sys::S_IFREG => "file",
        sys::S_IFIFO => "fifo",
        sys::S_IFSOCK => "socket",
        sys::S_IFCHR => "char",
        sys::S_IFBLK => "block",
        _ => "unknown",
    }
}

fn json_string(to: &mut Vec<u8>, text: &[u8]) {
    to.push(b'"');
    for b in text {
        match b {
            b'"' | b'\\' => to.extend_from_slice(&[b'\\', *b]),
            8 => to.extend_from_slice(b"\\b"),
            9 => to.extend_from_slice(b"\\t"),
            10 => to.extend_from_slice(b"\\n"),
            12 => to.extend_from_slice(b"\\f"),
            13 => to.extend_from_slice(b"\\r"),
            0..0x20 => to.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
            _ => to.push(*b),
        }
    }
    to.push(b'"');
}

fn xml_string(to: &mut Vec<u8>, text: &[u8]) {
    for b in text {
        match b {
            b'<' => to.extend_from_slice(b"&lt;"),
            b'>' => to.extend_from_slice(b"&gt;"),
            b'&' => to.extend_from_slice(b"&amp;"),
            b'"' => to.extend_from_slice(b"&quot;"),
            _ => to.push(*b),
        }
    }
}

/// Colours by file type and by suffix, from `TREE_COLORS`, `LS_COLORS` or built in.
struct Colors {
    kinds: Vec<(Vec<u8>, Vec<u8>)>,
}

/// The default colours of file types, by their two letters.
const KINDS: &[(&str, &str)] = &[
    ("ex", "01;32"),
    ("di", "01;34"),
    ("so", "01;35"),
    ("ln", "01;36"),
    ("pi", "40;33"),
    ("or", "40;31;01"),
    ("bd", "40;33;01"),
    ("cd", "40;33;01"),
    ("no", "00"),
    ("fi", "00"),
    ("rs", "0"),
];
/// The default colours of suffixes: DOS programs, archives, pictures and sounds. Suffixes of the first list also match
/// in capitals.
const ENDINGS: &[(&str, &str, &str)] = &[
    ("01;32", "bat btm cmd com dll exe", ""),
    ("01;31", "z zip", "arj bz2 deb gz lzh rpm tar taz tb2 tbz tbz2 tgz tz2 zoo"),
    (
        "01;35",
        "asf avi bmp flac gif jpeg jpg m2v mov mp3 mpeg mpg ogg rm tga tif wav wmv",
        "m2a M2a ppm xbm xpm",
    ),
];

fn built_in() -> String {
    let mut list: Vec<String> = KINDS.iter().map(|(kind, color)| format!("{kind}={color}")).collect();
    for (color, both, exact) in ENDINGS {
        for end in both.split(' ') {
            list.push(format!("*.{end}={color}"));
            list.push(format!("*.{}={color}", end.to_uppercase()));
        }
        list.extend(exact.split_whitespace().map(|end| format!("*.{end}={color}")));
    }
    list.join(":")
}

impl Colors {
    fn new() -> Self {
        let given = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
        let list = given("TREE_COLORS").or_else(|| given("LS_COLORS")).unwrap_or_else(built_in);
        let kinds = list.split(':').filter_map(|pair| pair.split_once('='));
        Self { kinds: kinds.map(|(k, v)| (k.as_bytes().to_vec(), v.as_bytes().to_vec())).collect() }
    }

    fn paint(&self, color: Option<&[u8]>, name: &[u8]) -> Vec<u8> {
        match color {
            Some(color) => bytes!("\x1b[", color, "m", name, "\x1b[0m"),
            None => name.to_vec(),
        }
    }

    fn get(&self, kind: &[u8]) -> Option<&[u8]> {
        self.kinds.iter().rfind(|(k, _)| k == kind).map(|(_, v)| v.as_slice())
    }

    fn of(&self, entry: &Entry) -> Option<&[u8]> {
        if entry.is_link() {
            let orphan = if entry.target_stat.is_none() { self.get(b"or") } else { None };
            return orphan.or_else(|| match self.get(b"ln") {
                Some(b"target") => self.of_target(entry),
                other => other,
            });
        }
        self.of_stat(&entry.stat?, &entry.name)
    }

    fn of_target(&self, entry: &Entry) -> Option<&[u8]> {
        let target = entry.target.as_deref().unwrap_or_default();
        match &entry.target_stat {
            Some(stat) => self.of_stat(stat, target),
            None => self.get(b"mi").or_else(|| self.get(b"fi")),
        }
    }

    fn of_stat(&self, stat: &Stat, name: &[u8]) -> Option<&[u8]> {
        let kind: &[u8] = match stat.mode & sys::S_IFMT {
            sys::S_IFDIR => b"di",
            sys::S_IFIFO => b"pi",
            sys::S_IFSOCK => b"so",
            sys::S_IFBLK => b"bd",
            sys::S_IFCHR => b"cd",
            _ => {
                if stat.mode & 0o111 != 0
                    && let Some(color) = self.get(b"ex")
                {
                    return Some(color);
                }
                let by_name = self
                    .kinds
                    .iter()
                    .find(|(k, _)| k.strip_prefix(b"*").is_some_and(|end| name.ends_with(end)));
                return by_name.map(|(_, v)| v.as_slice()).or_else(|| self.get(b"fi"));
            }
        };
        self.get(kind)
    }
}
