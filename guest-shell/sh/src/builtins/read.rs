//! `read`

use super::args;
use super::reference::{assign_reference, is_reference};
use crate::editor::Typed;
use crate::field::Field;
use crate::shell::{Ifs, Run, Shell};
use crate::text;
use crate::variables::{Name, attr};
use sandshell_syntax::name::is_name;
use sandshell_sys as sys;
use sandshell_terminal::modes::{local, special};
use std::time::Duration;
use sys::{Errno, Fd};

/// How much is read ahead from a seekable file.
const CHUNK: usize = 4096;

/// Reads single bytes of a descriptor, and consumes no more than are used.
pub(super) struct Source {
    fd: Fd,
    seekable: bool,
    buffer: Vec<u8>,
    at: usize,
    deadline: Option<u64>,
}

/// Why there is no further byte.
pub(super) enum End {
    Eof,
    Timeout,
    Signal,
    Error(Errno),
}

impl Source {
    pub(super) fn new(fd: Fd, deadline: Option<u64>) -> Self {
        let seekable = sys::lseek(fd, 0, 1).is_ok() && sys::fstat(fd).is_ok_and(|s| s.is_file());
        Self { fd, seekable, buffer: Vec::new(), at: 0, deadline }
    }

    /// A text that was read already.
    fn of(buffer: Vec<u8>) -> Self {
        Self { fd: -1, seekable: false, buffer, at: 0, deadline: None }
    }

    /// Reads ahead without limit, because the descriptor is read to its end anyway.
    pub(super) fn greedy(fd: Fd) -> Self {
        Self { fd, seekable: false, buffer: Vec::with_capacity(CHUNK), at: 0, deadline: None }
    }

    pub(super) fn next(&mut self, whole: bool) -> Result<u8, End> {
        if let Some(b) = self.buffer.get(self.at) {
            self.at += 1;
            return Ok(*b);
        }
        if self.fd < 0 {
            return Err(End::Eof);
        }
        if let Some(deadline) = self.deadline {
            let now = sys::monotonic();
            let left = Duration::from_nanos(deadline.saturating_sub(now));
            let mut fds = [sys::PollFd { fd: self.fd, read: true, write: false, ready: false }];
            match sys::poll(&mut fds, Some(left)) {
                Ok(0) => return Err(End::Timeout),
                Ok(_) => {}
                Err(Errno::INTR) => return Err(End::Signal),
                Err(e) => return Err(End::Error(e)),
            }
        }
        let size = if self.seekable || whole { CHUNK } else { 1 };
        self.buffer.resize(size, 0);
        self.at = 0;
        match sys::read(self.fd, &mut self.buffer) {
            Ok(0) => {
                self.buffer.clear();
                Err(End::Eof)
            }
            Ok(n) => {
                self.buffer.truncate(n);
                self.at = 1;
                self.buffer.first().copied().ok_or(End::Eof)
            }
            Err(e) => {
                self.buffer.clear();
                Err(if e == Errno::INTR { End::Signal } else { End::Error(e) })
            }
        }
    }

    /// Moves the offset of the descriptor back to the first unused byte.
    pub(super) fn finish(&mut self) {
        if self.seekable && self.at < self.buffer.len() {
            let ahead = i64::try_from(self.buffer.len() - self.at).unwrap_or(0);
            let _ = sys::lseek(self.fd, -ahead, 1);
        }
        self.buffer.clear();
        self.at = 0;
    }
}

/// What the options ask for.
struct Wanted {
    raw: bool,
    array: Option<Vec<u8>>,
    delimiter: u8,
    count: Option<usize>,
    exact: bool,
    prompt: Option<Vec<u8>>,
    silent: bool,
    timeout: Option<Duration>,
    fd: Fd,
    /// The line is edited, and begins with this text.
    edited: Option<Vec<u8>>,
    initial: Vec<u8>,
}

pub(super) fn read(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "ersa:d:i:n:p:t:u:N:") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let mut w = Wanted {
        raw: false,
        array: None,
        delimiter: b'\n',
        count: None,
        exact: false,
        prompt: None,
        silent: false,
        timeout: None,
        fd: 0,
        edited: None,
        initial: Vec::new(),
    };
    for o in &options {
        match o.letter {
            b'r' => w.raw = true,
            b's' => w.silent = true,
            b'a' => w.array = Some(o.value.to_vec()),
            b'd' => w.delimiter = o.value.first().copied().unwrap_or(0),
            b'p' => w.prompt = Some(o.value.to_vec()),
            b'n' | b'N' => match text::parse_integer(o.value).and_then(|n| usize::try_from(n).ok()) {
                Some(n) => {
                    w.count = Some(n);
                    w.exact = o.letter == b'N';
                }
                None => return Ok(args::fail(shell, args, [o.value, b": invalid number"].concat())),
            },
            b't' => match parse_timeout(o.value) {
                Some(t) => w.timeout = Some(t),
                None => {
                    return Ok(args::fail(
                        shell,
                        args,
                        [o.value, b": invalid timeout specification"].concat(),
                    ));
                }
            },
            b'u' => {
                match text::parse_integer(o.value).and_then(|n| i32::try_from(n).ok()).filter(|n| *n >= 0) {
                    Some(fd) => {
                        if sys::cloexec(fd).is_err() {
                            let message =
                                [o.value, b": invalid file descriptor: Bad file descriptor"].concat();
                            return Ok(args::fail(shell, args, message));
                        }
                        w.fd = fd;
                    }
                    None => {
                        let message = [o.value, b": invalid file descriptor specification"].concat();
                        return Ok(args::fail(shell, args, message));
                    }
                }
            }
            b'e' => w.edited = Some(Vec::new()),
            // Only lines that are edited can begin with a text.
            b'i' => w.initial = o.value.to_vec(),
            _ => {}
        }
    }
    let names = args.get(at..).unwrap_or_default();
    let first = w.array.as_deref().or(names.first().map(|n| &**n));
    if let Some(name) = first
        && w.array.is_none()
        && !is_reference(shell, name)
    {
        return Ok(args::invalid_identifier(shell, args, name));
    }
    if w.timeout == Some(Duration::ZERO) {
        let mut fds = [sys::PollFd { fd: w.fd, read: true, write: false, ready: false }];
        let ready = sys::poll(&mut fds, Some(Duration::ZERO)).is_ok_and(|n| n > 0);
        return Ok(i32::from(!ready));
    }
    // What ends otherwise than with a line is read as it is typed.
    let line = w.delimiter == b'\n' && w.count.is_none() && w.timeout.is_none() && !w.silent && w.fd == 0;
    if w.edited.is_some() && line && shell.can_edit() {
        let prompt = w.prompt.clone().unwrap_or_default();
        match shell.edit_line(prompt, std::mem::take(&mut w.initial)) {
            Typed::Line(text) => w.edited = Some([&*text, b"\n"].concat()),
            Typed::End => {
                let _ = sys::write_all(2, b"\n");
            }
            Typed::Interrupted => {
                shell.editor.flow.take().map_or_else(|| shell.answer_signals(), Err)?;
                return Ok(128 + i32::from(sys::signal::SIGINT));
            }
        }
    } else {
        w.edited = None;
        if let Some(prompt) = &w.prompt
            && sys::isatty(w.fd)
        {
            shell.write_error(prompt);
        }
    }
    let before = keys(&w);
    let taken = take(shell, args, &w);
    if let Some(before) = before {
        let _ = sys::tcsetattr(w.fd, sys::When::Now, &before);
    }
    let (line, status) = taken?;
    let Some(line) = line else { return Ok(status) };
    store(shell, args, &w, names, line, status)
}

/// Lets a terminal give single keys, or not show them, as the options ask. Returns its settings from before.
fn keys(w: &Wanted) -> Option<sys::Termios> {
    let single = w.count.is_some() || w.delimiter != b'\n';
    if !w.silent && !single {
        return None;
    }
    let before = sys::tcgetattr(w.fd).ok()?;
    let mut modes = before.clone();
    if w.silent {
        modes.lflag &= !(local::ECHO | local::ECHOK | local::ECHONL);
    }
    if single {
        modes.lflag &= !local::ICANON;
        (modes.cc[special::MIN], modes.cc[special::TIME]) = (1, 0);
    }
    sys::tcsetattr(w.fd, sys::When::Now, &modes).ok()?;
    Some(before)
}

fn parse_timeout(value: &[u8]) -> Option<Duration> {
    let t = std::str::from_utf8(value).ok()?;
    let (whole, fraction) = t.split_once('.').unwrap_or((t, ""));
    // An empty text is valid and means 0 seconds.
    if !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) || t == "." {
        return None;
    }
    let seconds: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let micros: u64 = format!("{fraction:0<6}").get(..6)?.parse().ok()?;
    Some(Duration::from_micros(seconds.checked_mul(1_000_000)?.checked_add(micros)?))
}

/// The bytes that were read, each with a flag for a backslash before it.
pub(super) type Line = Vec<(u8, bool)>;

fn take(shell: &mut Shell, args: &[Field], w: &Wanted) -> Run<(Option<Line>, i32)> {
    let nanos = |d: Duration| u64::try_from(d.as_nanos()).unwrap_or(u64::MAX);
    // TMOUT applies to everything but regular files.
    let default = match w.timeout {
        None if !sys::fstat(w.fd).is_ok_and(|s| s.is_file()) => {
            shell.value(Name::new(b"TMOUT")).and_then(|v| parse_timeout(&v)).filter(|t| !t.is_zero())
        }
        _ => None,
    };
    let deadline = w.timeout.or(default).map(|t| sys::monotonic().saturating_add(nanos(t)));
    let mut source = match &w.edited {
        Some(text) => Source::of(text.clone()),
        None => Source::new(w.fd, deadline),
    };
    let mut line: Line = Vec::new();
    // How many bytes of the present character are missing, and how many characters have been read.
    let mut pending = 0;
    let mut count = 0;
    let mut status = 0;
    let mut escaped = false;
    if w.count == Some(0) {
        return Ok((Some(line), 0));
    }
    loop {
        let byte = match source.next(false) {
            Ok(b) => b,
            Err(End::Eof) => {
                status = 1;
                break;
            }
            Err(End::Timeout) => {
                status = 142;
                break;
            }
            Err(End::Signal) => {
                while let Some(n) = sys::sigtake() {
                    shell.note_signal(n);
                }
                let number = shell.traps.last_signal.take();
                shell.answer_signals()?;
                if let Some(n) = shell.traps.last_signal.or(number)
                    && shell.posix()
                {
                    source.finish();
                    return Ok((None, 128 + i32::from(n)));
                }
                continue;
            }
            Err(End::Error(e)) => {
                source.finish();
                let message = format!("read error: {}: {e}", w.fd);
                args::fail(shell, args, message);
                return Ok((None, 1));
            }
        };
        if escaped {
            escaped = false;
            if byte == b'\n' {
                continue;
            }
            if byte != 0 {
                line.push((byte, true));
            }
        } else if byte == b'\\' && !w.raw {
            escaped = true;
            continue;
        } else if byte == w.delimiter && !w.exact {
            break;
        } else if byte == 0 && w.delimiter != 0 {
            continue;
        } else if byte != 0 {
            line.push((byte, false));
        }
        if let Some(limit) = w.count {
            if pending > 0 && byte & 0xc0 == 0x80 {
                pending -= 1;
            } else {
                pending = match byte {
                    0xc2..=0xdf => 1,
                    0xe0..=0xef => 2,
                    0xf0..=0xf4 => 3,
                    _ => 0,
                };
                count += 1;
            }
            if count >= limit && pending == 0 {
                break;
            }
        }
    }
    source.finish();
    Ok((Some(line), status))
}

fn plain(line: &[(u8, bool)]) -> Vec<u8> {
    line.iter().map(|e| e.0).collect()
}

fn store(
    shell: &mut Shell,
    args: &[Field],
    w: &Wanted,
    names: &[Field],
    line: Line,
    status: i32,
) -> Run<i32> {
    let ifs = shell.ifs.clone();
    let mut rest: &[(u8, bool)] = &line;
    if let Some(array) = &w.array {
        if !is_name(array) {
            args::invalid_identifier(shell, args, array);
            return Ok(1);
        }
        let name = match shell.list_target(Name::new(array)) {
            Ok(name) => name,
            Err(flow) => return args::tolerate(Err(flow)).map(|_| 1),
        };
        if shell.keeps_own_elements(name) && &*name.bytes() != b"PIPESTATUS" {
            return Ok(1);
        }
        if shell.vars.get(name).is_some_and(|v| v.has(attr::READONLY)) {
            args::tolerate(shell.check_writable(name))?;
            return Ok(1);
        }
        if shell.is_assoc(name) {
            let message = [&**array, b": not an indexed array"].concat();
            return Ok(args::fail(shell, args, message));
        }
        let mut values = Vec::new();
        if w.exact {
            values.push(plain(rest));
        } else {
            while let Some(word) = next_word(&mut rest, &ifs) {
                values.push(plain(word));
            }
        }
        return Ok(if args::tolerate(shell.assign_list(name, values))? { status } else { 1 });
    }
    let Some((last, others)) = names.split_last() else {
        let reply = shell.names.reply;
        return Ok(if args::tolerate(shell.assign(reply, &plain(rest), false))? { status } else { 1 });
    };
    let mut ok = true;
    if w.exact {
        // The whole line goes to the first name; the others become empty.
        for (i, name) in names.iter().enumerate() {
            let value = if i == 0 { plain(rest) } else { Vec::new() };
            ok &= assign_reference(shell, args, name, &value)?;
        }
        return Ok(if ok { status } else { 1 });
    }
    while let Some(((b, false), tail)) = rest.split_first().map(|(a, t)| (*a, t))
        && ifs.is_space(b)
    {
        rest = tail;
    }
    for name in others {
        let word = next_word(&mut rest, &ifs).unwrap_or_default();
        if !assign_reference(shell, args, name, &plain(word))? {
            return Ok(1);
        }
    }
    let whole = rest;
    let word = next_word(&mut rest, &ifs).unwrap_or_default();
    let value = if rest.is_empty() {
        word
    } else {
        let mut trimmed = whole;
        while let Some(((b, false), head)) = trimmed.split_last().map(|(a, h)| (*a, h))
            && ifs.is_space(b)
        {
            trimmed = head;
        }
        // With only one name, bash also removes an escaped blank at the end.
        match trimmed.split_last() {
            Some(((b, true), head)) if others.is_empty() && ifs.is_space(*b) => head,
            _ => trimmed,
        }
    };
    ok &= assign_reference(shell, args, last, &plain(value))?;
    Ok(if ok { status } else { 1 })
}

// Takes a word and the separators after it from the text. Returns `None` if only blanks are left.
fn next_word<'l>(rest: &mut &'l [(u8, bool)], ifs: &Ifs) -> Option<&'l [(u8, bool)]> {
    let blank = |e: &(u8, bool)| !e.1 && ifs.is_space(e.0);
    let skip = |list: &mut &'l [(u8, bool)]| {
        while let Some((first, tail)) = list.split_first()
            && blank(first)
        {
            *list = tail;
        }
    };
    skip(rest);
    if rest.is_empty() {
        return None;
    }
    let mut end = 0;
    while end < rest.len() && separator(rest.get(end..).unwrap_or_default(), ifs) == 0 {
        end += 1;
    }
    let (word, mut tail) = rest.split_at(end);
    let length = separator(tail, ifs);
    if length > 0 {
        let is_blank = tail.first().is_some_and(blank);
        tail = tail.get(length..).unwrap_or_default();
        skip(&mut tail);
        // Blanks and the separator after them count as one separator.
        let next = separator(tail, ifs);
        if is_blank && next > 0 {
            tail = tail.get(next..).unwrap_or_default();
            skip(&mut tail);
        }
    }
    *rest = tail;
    Some(word)
}

// The length of the separator at the start of the text, 0 if there is none.
fn separator(text: &[(u8, bool)], ifs: &Ifs) -> usize {
    match text.first() {
        Some((b, false)) if ifs.is(*b) => 1,
        Some((b, false)) if ifs.may_split(*b) => {
            let unescaped = text.iter().take(4).take_while(|e| !e.1).map(|e| e.0);
            ifs.separator(&unescaped.collect::<Vec<u8>>())
        }
        _ => 0,
    }
}

impl Shell {
    /// Reads a line of standard input for `select`, without its newline. `None` at the end of input.
    pub(crate) fn read_reply(&mut self) -> Run<Option<Vec<u8>>> {
        let mut source = Source::new(0, None);
        let mut line = Vec::new();
        loop {
            match source.next(false) {
                Ok(b'\n') => break,
                Ok(b) => line.push(b),
                Err(End::Signal) => {
                    while let Some(n) = sys::sigtake() {
                        self.note_signal(n);
                    }
                    self.answer_signals()?;
                }
                Err(_) if line.is_empty() => {
                    source.finish();
                    return Ok(None);
                }
                Err(_) => break,
            }
        }
        source.finish();
        // As in `read`: blanks around the line are removed; backslashes quote and join lines.
        let mut out = Vec::new();
        let mut bytes = line.iter().copied();
        while let Some(b) = bytes.next() {
            if b == b'\\' {
                out.extend(bytes.next());
            } else {
                out.push(b);
            }
        }
        let start = out.iter().position(|b| !self.ifs.is_space(*b)).unwrap_or(out.len());
        let end = out.iter().rposition(|b| !self.ifs.is_space(*b)).map_or(start, |i| i + 1);
        Ok(Some(out.get(start..end).unwrap_or_default().to_vec()))
    }
}
