//! `mapfile` and `readarray`

use super::args;
use super::read::{End, Source};
use crate::field::Field;
use crate::shell::{Run, Shell};
use crate::text;
use crate::variables::access::Key;
use crate::variables::{Name, Value};
use sandshell_syntax::name::is_name;
use sandshell_sys as sys;

/// What the options say.
struct Request {
    delimiter: u8,
    fd: sys::Fd,
    /// How many lines to read; 0 for all.
    count: usize,
    origin: Option<usize>,
    skip: usize,
    strip: bool,
    callback: Option<Vec<u8>>,
    /// The callback is called for each of so many lines.
    quantum: usize,
}

pub(super) fn mapfile(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "d:u:n:O:tC:c:s:") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let request = match Request::new(&options) {
        Ok(request) => request,
        Err(message) => return Ok(args::fail(shell, args, message)),
    };
    let array = args.get(at).map_or(&b"MAPFILE"[..], |a| a);
    if array.is_empty() {
        args::fail(shell, args, "empty array variable name");
        return Ok(2);
    }
    if !is_name(array) {
        return Ok(args::invalid_identifier(shell, args, array));
    }
    let name = match shell.list_target(Name::new(array)) {
        Ok(name) => name,
        Err(flow) => return args::tolerate(Err(flow)).map(|_| 1),
    };
    shell.end_unbound_nameref(name);
    if !args::tolerate(shell.check_writable(name))? {
        return Ok(1);
    }
    if shell.keeps_own_elements(name) {
        return Ok(1);
    }
    if shell.is_assoc(name) {
        return Ok(args::fail(shell, args, [array, b": not an indexed array"].concat()));
    }
    shell.make_array(name, false)?;
    if request.origin.is_none() {
        // Keeps the attributes and removes the elements.
        let v = shell.vars.entry(name);
        if let Value::Indexed(a) = &mut v.value {
            a.clear();
        }
        v.attrs &= !crate::variables::attr::INVISIBLE;
    }
    request.read(shell, name)
}

impl Request {
    /// `Err` is a message.
    fn new(options: &[args::Opt<'_>]) -> Result<Self, Vec<u8>> {
        let mut request = Self {
            delimiter: b'\n',
            fd: 0,
            count: 0,
            origin: None,
            skip: 0,
            strip: false,
            callback: None,
            quantum: 5000,
        };
        for o in options {
            let number = text::parse_integer(o.value).and_then(|n| usize::try_from(n).ok());
            let complaint: &[u8] = match (o.letter, number) {
                (b't', _) => {
                    request.strip = true;
                    continue;
                }
                (b'd', _) => {
                    request.delimiter = o.value.first().copied().unwrap_or(0);
                    continue;
                }
                (b'C', _) => {
                    request.callback = Some(o.value.to_vec());
                    continue;
                }
                (b'u', Some(n)) => {
                    request.fd = i32::try_from(n).unwrap_or(i32::MAX);
                    if sys::cloexec(request.fd).is_ok() {
                        continue;
                    }
                    b": invalid file descriptor: Bad file descriptor"
                }
                (b'n', Some(n)) => {
                    request.count = n;
                    continue;
                }
                (b'O', Some(n)) => {
                    request.origin = Some(n);
                    continue;
                }
                (b's', Some(n)) => {
                    request.skip = n;
                    continue;
                }
                (b'c', Some(n)) if n > 0 => {
                    request.quantum = n;
                    continue;
                }
                (b'u', _) => b": invalid file descriptor specification",
                (b'O', _) => b": invalid array origin",
                (b'c', _) => b": invalid callback quantum",
                _ => b": invalid line count",
            };
            return Err([o.value, complaint].concat());
        }
        Ok(request)
    }

    /// Reads lines into the array.
    fn read(&self, shell: &mut Shell, name: Name) -> Run<i32> {
        // Only a limited read must leave the rest of a pipe to other readers.
        let whole = self.count == 0;
        let mut source = if whole { Source::greedy(self.fd) } else { Source::new(self.fd, None) };
        let mut index = self.origin.unwrap_or(0);
        let mut lines = 0usize;
        let mut skipped = 0usize;
        while whole || lines < self.count {
            let Some(mut line) = next_line(shell, &mut source, self.delimiter, whole)? else { break };
            if skipped < self.skip {
                skipped += 1;
                continue;
            }
            if self.strip && line.last() == Some(&self.delimiter) {
                line.pop();
            }
            // As in bash, a NUL byte ends a line.
            if let Some(end) = line.iter().position(|b| *b == 0) {
                line.truncate(end);
            }
            lines += 1;
            if let Some(callback) = &self.callback
                && lines.is_multiple_of(self.quantum)
            {
                let quoted = crate::expand::transform::quote_single(&line);
                let command = [&**callback, b" ", index.to_string().as_bytes(), b" ", &quoted].concat();
                let _ = shell.flush();
                let line_number = shell.line.max(1);
                shell.eval_text(&command, line_number, false)?;
            }
            let key = Key::Index(i64::try_from(index).unwrap_or(i64::MAX));
            if !args::tolerate(shell.assign_element(name, &key, &line, false))? {
                source.finish();
                return Ok(1);
            }
            index = index.saturating_add(1);
        }
        source.finish();
        Ok(0)
    }
}

fn next_line(shell: &mut Shell, source: &mut Source, delimiter: u8, whole: bool) -> Run<Option<Vec<u8>>> {
    let mut line = Vec::new();
    loop {
        match source.next(whole) {
            Ok(b) => {
                line.push(b);
                if b == delimiter {
                    return Ok(Some(line));
                }
            }
            Err(End::Signal) => {
                while let Some(n) = sys::sigtake() {
                    shell.note_signal(n);
                }
                shell.answer_signals()?;
            }
            Err(End::Eof | End::Timeout | End::Error(_)) => return Ok((!line.is_empty()).then_some(line)),
        }
    }
}
