//! The table, the list of process IDs, or the fields.

use super::files::{OpenFile, Place};
use super::options::Request;
use super::sockets::Socket;
use crate::procps::Process;
use sandshell_cli::out;
use sandshell_posix::users::Names;
use sandshell_sys::{self as sys, Stat};

pub(super) struct Report<'a> {
    request: &'a Request,
    names: Names,
    found: Vec<(Process, Vec<OpenFile>)>,
}

impl<'a> Report<'a> {
    pub(super) fn new(request: &'a Request) -> Self {
        Self { request, names: Names::default(), found: Vec::new() }
    }

    pub(super) fn add(&mut self, process: Process, files: Vec<OpenFile>) {
        self.found.push((process, files));
    }

    pub(super) fn print(&self) {
        if self.found.is_empty() {
            return;
        }
        if self.request.terse {
            for (process, _) in &self.found {
                out::put(format!("{}\n", process.pid));
            }
            return;
        }
        match &self.request.fields {
            Some(letters) => self.print_fields(letters),
            None => self.print_table(),
        }
    }

    fn print_table(&self) {
        let columns = self.columns();
        let mut rows = vec![columns.iter().map(|column| column.0.as_bytes().to_vec()).collect::<Vec<_>>()];
        for (process, files) in &self.found {
            rows.extend(
                files.iter().map(|file| columns.iter().map(|(_, cell)| cell(self, process, file)).collect()),
            );
        }
        let last = columns.len() - 1;
        let width =
            |column: usize| rows.iter().map(|row: &Vec<Vec<u8>>| length(&row[column])).max().unwrap_or(0);
        let widths: Vec<usize> = (0..last).map(width).collect();
        for row in &rows {
            let mut line = Vec::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let padding = vec![b' '; width.saturating_sub(length(cell))];
                match column {
                    0 => line.extend([cell.as_slice(), &padding].concat()),
                    _ => line.extend([b" ", padding.as_slice(), cell.as_slice()].concat()),
                }
            }
            line.push(b' ');
            line.extend_from_slice(&row[last]);
            line.push(b'\n');
            out::put(line);
        }
    }

    fn columns(&self) -> Vec<(&'static str, Cell)> {
        let mut columns: Vec<(&'static str, Cell)> =
            vec![("COMMAND", command), ("PID", |_, process, _| number(process.pid))];
        if self.request.groups_shown {
            columns.push(("PGID", |_, process, _| number(process.group)));
        }
        if self.request.parents {
            columns.push(("PPID", |_, process, _| number(process.parent)));
        }
        columns.push(("USER", |report, process, _| report.user(process)));
        columns.push(("  FD  ", |_, _, file| {
            format!("{:>4}{} ", file.fd.name(), char::from(file.access)).into_bytes()
        }));
        columns.push(("TYPE", |_, _, file| match &file.place {
            Place::Known(status) => kind(file, status).into(),
            Place::Unknown(typed) => if *typed { "unknown" } else { "" }.into(),
        }));
        columns.push(("DEVICE", |_, _, file| {
            known(file, |status| {
                match file.socket {
                    Some(Socket::Internet(_)) => return number(status.ino),
                    Some(Socket::Unix(..)) => return POINTER.into(),
                    None => {}
                }
                let (major, minor) = device(status);
                format!("{major},{minor}").into_bytes()
            })
        }));
        if self.request.sizes {
            columns.push(("SIZE", |_, _, file| known(file, |status| size(status).unwrap_or_default())));
        } else {
            columns.push(("SIZE/OFF", |_, _, file| {
                known(file, |status| size(status).unwrap_or_else(|| b"0t0".to_vec()))
            }));
        }
        if self.request.links_shown {
            columns.push(("NLINK", |_, _, file| known(file, |status| number(status.nlink))));
        }
        columns.push(("NODE", |_, _, file| match &file.socket {
            Some(Socket::Internet(socket)) => socket.protocol.into(),
            _ => known(file, |status| number(status.ino)),
        }));
        columns.push(("NAME", |_, _, file| {
            let after = file.socket.as_ref().map(Socket::after_name).unwrap_or_default();
            [shown(&file.name, false), after.into_bytes()].concat()
        }));
        columns
    }

    fn print_fields(&self, letters: &[u8]) {
        let zero = letters.contains(&b'0');
        let asked = |letter: u8| letters.contains(&letter);
        for (process, files) in &self.found {
            let mut line = Line { zero, text: Vec::new() };
            line.field(b'p', number(process.pid));
            let of_process = [
                (b'g', number(process.group)),
                (b'R', number(process.parent)),
                (b'c', shown(&process.name, true)),
                (b'u', number(process.uid)),
                (b'L', self.names.user(process.uid).map(<[u8]>::to_vec).unwrap_or_default()),
            ];
            of_process
                .into_iter()
                .filter(|(letter, _)| asked(*letter))
                .for_each(|(letter, text)| line.field(letter, text));
            line.end();
            for file in files {
                let mut line = Line { zero, text: Vec::new() };
                for (letter, text) in fields(file) {
                    if asked(letter) && !(letter == b'o' && self.request.sizes) {
                        line.field(letter, text);
                    }
                }
                line.end();
            }
        }
    }

    fn user(&self, process: &Process) -> Vec<u8> {
        if self.request.numbers {
            return format!("{:>8}", process.uid).into_bytes();
        }
        self.names.user(process.uid).map_or_else(|| number(process.uid), <[u8]>::to_vec)
    }
}

/// The kernel tells no addresses in its memory.
const POINTER: &str = "0x0000000000000000";

type Cell = fn(&Report<'_>, &Process, &OpenFile) -> Vec<u8>;

/// The fields of one process or one file.
struct Line {
    zero: bool,
    text: Vec<u8>,
}

impl Line {
    fn field(&mut self, letter: u8, text: Vec<u8>) {
        self.text.push(letter);
        self.text.extend(text);
        self.text.push(if self.zero { 0 } else { b'\n' });
    }

    fn end(mut self) {
        if self.zero && !self.text.is_empty() {
            self.text.push(b'\n');
        }
        out::put(self.text);
    }
}

fn fields(file: &OpenFile) -> Vec<(u8, Vec<u8>)> {
    let mut fields =
        vec![(b'f', file.fd.name().into_bytes()), (b'a', vec![file.access]), (b'l', b" ".to_vec())];
    if let Some(status) = file.status() {
        let device = if is_device(status) { status.rdev } else { status.dev };
        fields.push((b't', kind(file, status).into()));
        fields.push(match &file.socket {
            Some(Socket::Internet(_)) => (b'd', number(status.ino)),
            Some(Socket::Unix(..)) => (b'd', POINTER.into()),
            None => (b'D', format!("0x{device:x}").into_bytes()),
        });
        fields.push(match size(status) {
            Some(size) => (b's', size),
            None => (b'o', b"0t0".to_vec()),
        });
        match &file.socket {
            Some(Socket::Internet(socket)) => fields.push((b'P', socket.protocol.into())),
            Some(Socket::Unix(..)) => fields.push((b'i', number(status.ino))),
            None => {
                fields.push((b'i', number(status.ino)));
                fields.push((b'k', number(status.nlink)));
            }
        }
    }
    fields.push((b'n', shown(&file.name, false)));
    if let Some(Socket::Internet(socket)) = &file.socket {
        if !socket.state.is_empty() {
            fields.push((b'T', format!("ST={}", socket.state).into_bytes()));
        }
        fields.push((b'T', format!("QR={}", socket.waiting).into_bytes()));
        fields.push((b'T', b"QS=0".to_vec()));
    }
    fields
}

fn command(report: &Report<'_>, process: &Process, _: &OpenFile) -> Vec<u8> {
    let name = shown(&process.name, true);
    match report.request.command_width {
        0 => name,
        width => {
            let text = String::from_utf8_lossy(&name);
            text.chars().take(width.max("COMMAND".len())).collect::<String>().into_bytes()
        }
    }
}

fn number(number: impl ToString) -> Vec<u8> {
    number.to_string().into_bytes()
}

fn length(cell: &[u8]) -> usize {
    String::from_utf8_lossy(cell).chars().count()
}

fn kind(file: &OpenFile, status: &Stat) -> &'static str {
    match (&file.socket, status.mode & sys::S_IFMT) {
        (Some(Socket::Internet(socket)), _) => return if socket.six { "IPv6" } else { "IPv4" },
        // The kernel does not know it in its lists: it has no address, or its name is a file.
        (None, sys::S_IFSOCK) if file.name == b"can't identify protocol" => return "sock",
        _ => {}
    }
    match status.mode & sys::S_IFMT {
        sys::S_IFDIR => "DIR",
        sys::S_IFREG => "REG",
        sys::S_IFCHR => "CHR",
        sys::S_IFBLK => "BLK",
        sys::S_IFIFO => "FIFO",
        sys::S_IFSOCK => "unix",
        sys::S_IFLNK => "LINK",
        _ => "unknown",
    }
}

fn is_device(status: &Stat) -> bool {
    matches!(status.mode & sys::S_IFMT, sys::S_IFCHR | sys::S_IFBLK)
}

/// The size, for files that have one.
fn size(status: &Stat) -> Option<Vec<u8>> {
    matches!(status.mode & sys::S_IFMT, sys::S_IFREG | sys::S_IFDIR).then(|| number(status.size))
}

/// What a cell shows of a file that may be seen.
fn known(file: &OpenFile, cell: impl FnOnce(&Stat) -> Vec<u8>) -> Vec<u8> {
    file.status().map(cell).unwrap_or_default()
}

/// Major and minor number of the device itself, or of what the file is on.
fn device(status: &Stat) -> (u64, u64) {
    let number = if is_device(status) { status.rdev } else { status.dev };
    (number >> 8 & 0xfff, number & 0xff | number >> 12 & 0xf_ff00)
}

/// Text without what would change a terminal.
fn shown(text: &[u8], command: bool) -> Vec<u8> {
    let mut shown = Vec::new();
    for piece in text.utf8_chunks() {
        for c in piece.valid().chars() {
            match c {
                ' ' if command => shown.extend_from_slice(b"\\x20"),
                '\u{8}' => shown.extend_from_slice(b"\\b"),
                '\u{c}' => shown.extend_from_slice(b"\\f"),
                '\n' => shown.extend_from_slice(b"\\n"),
                '\r' => shown.extend_from_slice(b"\\r"),
                '\t' => shown.extend_from_slice(b"\\t"),
                '\0'..='\u{1f}' => shown.extend_from_slice(&[b'^', c as u8 + b'@']),
                '\u{7f}'..='\u{9f}' => {
                    let mut bytes = [0; 4];
                    for byte in c.encode_utf8(&mut bytes).bytes() {
                        shown.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
                    }
                }
                c => shown.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        for byte in piece.invalid() {
            shown.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
        }
    }
    shown
}
