//! Reading: the main input and `getline`.

use super::{Interp, R, Unwind};
use crate::array::Key;
use crate::ast::*;
use crate::diag::{self, bytes};
use crate::reader::{Reader, Terminator};
use crate::special;
use crate::streams::{self, Kind, Stream};
use crate::text::Text;
use crate::value::Value;
use sandshell_sys as sys;

/// The result of reading the main input.
enum Read {
    Record,
    End,
    Failed(sys::Errno),
}

impl<'p> Interp<'p> {
    /// Reads the next record of the main input into `$0`. Returns false at the end.
    #[inline(never)]
    pub(super) fn next_main_record(&mut self) -> R<bool> {
        loop {
            let e = match self.read_main()? {
                Read::Record => return Ok(true),
                Read::End => return Ok(false),
                Read::Failed(e) => e,
            };
            let name = self.file_name();
            self.set_errno(e);
            self.main = None;
            if e != sys::Errno::ISDIR {
                return Err(self.fatal(bytes!("error reading input file `", name, "': ", e.text())));
            }
        }
    }

    fn read_main(&mut self) -> R<Read> {
        loop {
            if self.main.is_none() && !self.open_next_file()? {
                return Ok(Read::End);
            }
            if self.timeouts {
                self.limit_main();
            }
            let Some(reader) = &mut self.main else { return Ok(Read::End) };
            match reader.next(&self.terminator) {
                Ok(Some(found)) => {
                    self.record.set(reader.text(found));
                    let rt = reader.terminator(found);
                    self.globals[special::RT as usize] = Value::text(rt);
                    self.nr += 1.0;
                    self.fnr += 1.0;
                    return Ok(Read::Record);
                }
                Ok(None) => self.end_file()?,
                Err(e) => return Ok(Read::Failed(e)),
            }
        }
    }

    fn limit_main(&mut self) {
        let timeout = self.read_timeout(&self.file_name());
        if let Some(reader) = &mut self.main {
            reader.timeout = timeout;
        }
    }

    fn file_name(&self) -> Vec<u8> {
        self.globals.get(special::FILENAME as usize).map(|v| self.text_of(v)).unwrap_or_default()
    }

    fn end_file(&mut self) -> R<()> {
        if let Some(mut reader) = self.main.take() {
            reader.close();
        }
        self.end_in_place()?;
        self.run_file_blocks(false)
    }

    // Runs BEGINFILE or ENDFILE blocks.
    fn run_file_blocks(&mut self, begin: bool) -> R<()> {
        let program = self.program;
        let blocks = if begin { &program.begin_file } else { &program.end_file };
        if blocks.is_empty() {
            return Ok(());
        }
        let rule = std::mem::replace(&mut self.in_rule, false);
        let outer = std::mem::replace(&mut self.in_begin_file, begin);
        let name = std::mem::replace(&mut self.place_name, if begin { "BEGINFILE" } else { "ENDFILE" });
        let mut result = Ok(());
        for block in blocks {
            if let Err(e) = self.exec_block(block) {
                result = Err(e);
                break;
            }
        }
        self.in_rule = rule;
        self.in_begin_file = outer;
        self.place_name = name;
        result
    }

    /// `nextfile`.
    pub(super) fn skip_file(&mut self) -> R<()> {
        if self.main.is_some() { self.end_file() } else { Ok(()) }
    }

    // Opens the next file among the operands, or standard input if there is none.
    fn open_next_file(&mut self) -> R<bool> {
        loop {
            let argc = self.globals.get(special::ARGC as usize).map_or(0.0, Value::num);
            if self.arg as f64 >= argc {
                if self.file_seen {
                    return Ok(false);
                }
                self.file_seen = true;
                return self.start_file(b"-", 0, false);
            }
            let at = self.arg;
            self.arg += 1;
            let operand = match self.globals.get(special::ARGV as usize) {
                Some(Value::Array(argv)) => match argv.borrow().get(Key::Int(at as i64)) {
                    Some(v) => self.text_of(v),
                    None => continue,
                },
                _ => continue,
            };
            if operand.is_empty() {
                continue;
            }
            if let Some((name, value)) = crate::args::assignment(&operand).filter(|_| !self.options.exec) {
                let (name, value) = (name.to_vec(), value.to_vec());
                if special::NAMES.iter().any(|n| n.as_bytes() == name) || !self.is_keyword(&name) {
                    self.assign_argument(&name, &value)?;
                    continue;
                }
            }
            self.file_seen = true;
            self.globals[special::ARGIND as usize] = Value::Num(at as f64);
            match streams::open_input(&operand) {
                Ok((fd, owned)) => {
                    if self.start_file(&operand, fd, owned)? {
                        return Ok(true);
                    }
                }
                Err(e) => self.cannot_open(&operand, e)?,
            }
        }
    }

    fn is_keyword(&self, name: &[u8]) -> bool {
        std::str::from_utf8(name).is_ok_and(|n| crate::builtin::Builtin::find(n, false).is_some())
    }

    // Starts reading a file. Returns false if BEGINFILE skipped it.
    fn start_file(&mut self, name: &[u8], fd: sys::Fd, owned: bool) -> R<bool> {
        self.globals[special::FILENAME as usize] = Value::Input(Text::new(name));
        self.fnr = 0.0;
        self.globals[special::ERRNO as usize] = Value::text(b"");
        self.main = Some(Reader::new(fd, owned));
        self.begin_in_place(name)?;
        if self.program.begin_file.is_empty() {
            return Ok(true);
        }
        self.record.set(b"");
        self.record.unset();
        match self.run_file_blocks(true) {
            Ok(()) => Ok(true),
            Err(Unwind::NextFile) => {
                self.end_file()?;
                Ok(false)
            }
            Err(e) => Err(e),
        }
    }

    // Handles a file that cannot be opened. BEGINFILE may skip it.
    fn cannot_open(&mut self, name: &[u8], e: sys::Errno) -> R<()> {
        if !self.program.begin_file.is_empty() {
            self.globals[special::FILENAME as usize] = Value::Input(Text::new(name));
            self.fnr = 0.0;
            self.set_errno(e);
            match self.run_file_blocks(true) {
                Err(Unwind::NextFile) => return Ok(()),
                Ok(()) => {}
                Err(e) => return Err(e),
            }
            if e == sys::Errno::ISDIR {
                return Ok(());
            }
            return Err(self.fatal(bytes!("cannot open file `", name, "' for reading: ", e.text())));
        }
        let _ = self.stdout.flush();
        self.set_errno(e);
        if e == sys::Errno::ISDIR {
            diag::say(&bytes!("warning: command line argument `", name, "' is a directory: skipped"));
            return Ok(());
        }
        let text = bytes!("cannot open file `", name, "' for reading: ", e.text());
        self.fnr = 0.0;
        diag::say(&bytes!(self.place(), "fatal: ", text));
        Err(Unwind::Fatal)
    }

    #[inline(never)]
    pub(super) fn getline(&mut self, g: &'p Getline) -> R<Value> {
        match &g.from {
            Input::Main => self.getline_main(g.into.as_ref()),
            Input::File(name) => {
                let name = self.text(name)?;
                self.getline_stream(g.into.as_ref(), &name, Kind::File)
            }
            Input::Command(name) => {
                let name = self.text(name)?;
                self.getline_stream(g.into.as_ref(), &name, Kind::Command)
            }
            Input::Coprocess(name) => {
                let name = self.text(name)?;
                self.getline_stream(g.into.as_ref(), &name, Kind::Out(Mode::Coprocess))
            }
        }
    }

    #[inline(never)]
    fn getline_main(&mut self, into: Option<&'p Place>) -> R<Value> {
        if matches!(self.place_name, "BEGINFILE" | "ENDFILE") {
            let rule = self.place_name;
            return Err(self.fatal(format!("non-redirected `getline' invalid inside `{rule}' rule")));
        }
        let Some(place) = into else {
            return Ok(match self.read_main()? {
                Read::Record => Value::Num(1.0),
                Read::End => Value::Num(0.0),
                Read::Failed(e) => {
                    let name = self.file_name();
                    self.failed_read(&name, e)
                }
            });
        };
        // Reads into a variable, without changing the current record.
        loop {
            if self.main.is_none() && !self.open_next_file()? {
                return Ok(Value::Num(0.0));
            }
            if self.timeouts {
                self.limit_main();
            }
            let Some(reader) = &mut self.main else { return Ok(Value::Num(0.0)) };
            match reader.next(&self.terminator) {
                Ok(Some(found)) => {
                    let text = Text::new(reader.text(found));
                    let rt = Value::text(reader.terminator(found));
                    self.globals[special::RT as usize] = rt;
                    self.nr += 1.0;
                    self.fnr += 1.0;
                    self.store(place, Value::Input(text))?;
                    return Ok(Value::Num(1.0));
                }
                Ok(None) => self.end_file()?,
                Err(e) => {
                    let name = self.file_name();
                    return Ok(self.failed_read(&name, e));
                }
            }
        }
    }

    #[inline(never)]
    fn getline_stream(&mut self, into: Option<&'p Place>, name: &[u8], kind: Kind) -> R<Value> {
        if name.is_empty() {
            let what = match kind {
                Kind::File => "<",
                Kind::Command => "|",
                Kind::Out(_) => "|&",
            };
            return Err(self.fatal(format!("expression for `{what}' redirection has null string value")));
        }
        let at = match self.streams.iter().rposition(|s| s.name == name && s.kind == kind) {
            Some(at) => at,
            None => {
                self.lint_streams(name, kind)?;
                let opened = if kind == Kind::File {
                    Stream::open(name)
                } else {
                    self.flush_all()?;
                    Stream::command(name, &self.child_environment(), kind)
                };
                match opened {
                    Ok(stream) => {
                        self.streams.push(stream);
                        self.streams.len() - 1
                    }
                    Err(e) => {
                        self.touch_place(into)?;
                        self.set_errno(e);
                        return Ok(Value::Num(-1.0));
                    }
                }
            }
        };
        if let Some(out) = self.streams.get_mut(at).and_then(|s| s.output.as_mut()) {
            let _ = out.flush();
        }
        let timeout = if self.timeouts { self.read_timeout(name) } else { None };
        let terminator: &Terminator = &self.terminator;
        let Some(reader) = self.streams.get_mut(at).and_then(|s| s.reader.as_mut()) else {
            return Err(self.fatal("getline: attempt to read from closed read end of two-way pipe"));
        };
        reader.timeout = timeout;
        match reader.next(terminator) {
            Ok(Some(found)) => {
                let rt = Value::text(reader.terminator(found));
                self.globals[special::RT as usize] = rt;
                match into {
                    Some(place) => {
                        let text = Text::new(reader.text(found));
                        self.store(place, Value::Input(text))?;
                    }
                    None => self.record.set(reader.text(found)),
                }
                Ok(Value::Num(1.0))
            }
            Ok(None) => {
                self.touch_place(into)?;
                Ok(Value::Num(0.0))
            }
            Err(e) => {
                self.touch_place(into)?;
                Ok(self.failed_read(name, e))
            }
        }
    }

    // Creates the element to read into, even if nothing was read.
    fn touch_place(&mut self, into: Option<&'p Place>) -> R<()> {
        let Some(Place::Elem(array, index)) = into else { return Ok(()) };
        let mut buf = self.take_scratch();
        let subscript = self.subscript(index, &mut buf)?;
        let array = self.array(array)?;
        let _ = array.borrow_mut().slot(subscript.key(&buf));
        self.give_scratch(buf);
        Ok(())
    }

    /// The environment of child processes: the contents of `ENVIRON`.
    pub(super) fn child_environment(&self) -> Vec<Vec<u8>> {
        let Some(Value::Array(environ)) = self.globals.get(special::ENVIRON as usize) else {
            return self.environment.clone();
        };
        let mut all = Vec::new();
        environ.borrow().each(&mut |key, value| {
            let mut entry = match key {
                Key::Int(n) => crate::array::int_text(n).as_bytes().to_vec(),
                Key::Text(t) => t.to_vec(),
            };
            let name = entry.clone();
            entry.push(b'=');
            self.push_value(value, &mut entry);
            let made = special::PATHS.iter().any(|p| p.0 == name && entry.ends_with(p.1));
            if !made || self.environment.contains(&entry) {
                all.push(entry);
            }
        });
        all
    }
}
