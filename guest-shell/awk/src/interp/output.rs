//! Output: `print`, `printf`, redirections, `close`, `fflush`, `system`.

use super::{Interp, R, Unwind};
use crate::array::Key;
use crate::ast::*;
use crate::diag::bytes;
use crate::printf;
use crate::special;
use crate::streams::{self, Closed, Kind, Stream};
use crate::value::Value;
use sandshell_sys::{self as sys, signal};

impl<'p> Interp<'p> {
    /// Prints the record.
    pub(super) fn print_record(&mut self) -> R<()> {
        self.whole_record();
        self.stdout.buf.extend_from_slice(self.record.text().unwrap_or_default());
        self.stdout.buf.extend_from_slice(&self.ors);
        self.flush_stdout_if_full()
    }

    fn flush_stdout_if_full(&mut self) -> R<()> {
        match self.stdout.flush_if_full() {
            Ok(()) => Ok(()),
            Err(e) => Err(self.stdout_failed(e)),
        }
    }

    fn stdout_failed(&mut self, e: sys::Errno) -> Unwind {
        if e == sys::Errno::PIPE {
            return Unwind::Pipe;
        }
        self.fatal(bytes!("print to \"standard output\" failed: ", e.text()))
    }

    /// Ends like a program that writes to a pipe without a reader.
    pub(super) fn die_of_pipe(&mut self) -> i32 {
        let _ = sys::sigaction(signal::SIGPIPE, sys::Disposition::Default);
        let _ = sys::kill(sys::getpid(), signal::SIGPIPE);
        2
    }

    #[inline(never)]
    pub(super) fn print(&mut self, args: &'p [Expr], redirect: Option<&'p Redirect>) -> R<()> {
        if redirect.is_none() && args.iter().all(Expr::is_simple) {
            // Writes directly into the buffer, which nothing else uses meanwhile.
            let mut out = std::mem::take(&mut self.stdout.buf);
            let begin = out.len();
            self.held = Some(Vec::new());
            let result = self.append_print(args, &mut out);
            if result.is_err() {
                out.truncate(begin);
            }
            let held = self.held.take().unwrap_or_default();
            if !held.is_empty() {
                // Messages come before the line that caused them.
                let line = out.split_off(begin);
                self.stdout.buf = std::mem::replace(&mut out, line);
                let _ = self.stdout.flush();
                held.iter().for_each(|message| crate::diag::say(message));
            }
            self.stdout.buf = out;
            result?;
            return self.flush_stdout_if_full();
        }
        let mut line = self.take_scratch();
        if args.iter().all(Expr::is_simple) {
            self.append_print(args, &mut line)?;
        } else {
            let mut values = Vec::with_capacity(args.len());
            for arg in args {
                values.push(self.eval(arg)?);
            }
            for (i, (value, arg)) in values.iter().zip(args).enumerate() {
                if i > 0 {
                    line.extend_from_slice(&self.ofs);
                }
                self.push_output(value, &mut line);
                self.note_printed(arg, value)?;
            }
            if args.is_empty() {
                self.lint_record()?;
                self.whole_record();
                line.extend_from_slice(self.record.text().unwrap_or_default());
            }
            line.extend_from_slice(&self.ors);
        }
        self.write(&line, redirect, "print")?;
        self.give_scratch(line);
        Ok(())
    }

    // Appends what `print` writes, for arguments without side effects.
    #[inline(never)]
    fn append_print(&mut self, args: &'p [Expr], out: &mut Vec<u8>) -> R<()> {
        if args.is_empty() {
            self.lint_record()?;
            self.whole_record();
            out.extend_from_slice(self.record.text().unwrap_or_default());
        }
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                out.extend_from_slice(&self.ofs);
            }
            match arg {
                Expr::FieldNumber(n) if !self.lints() => {
                    self.find_field(*n);
                    match self.field_slice(*n) {
                        Some(t) => out.extend_from_slice(t),
                        None => {
                            let v = self.field(*n)?;
                            self.push_output(&v, out);
                        }
                    }
                }
                Expr::Const(Value::Str(t)) => out.extend_from_slice(t.as_bytes()),
                Expr::Concat(_) => self.append(arg, out)?,
                Expr::Var(_) => {
                    let v = self.eval(arg)?;
                    self.push_output(&v, out);
                }
                _ => {
                    let v = self.eval(arg)?;
                    self.push_output(&v, out);
                    self.note_printed(arg, &v)?;
                }
            }
        }
        out.extend_from_slice(&self.ors);
        Ok(())
    }

    // An element without a value becomes a string when it is printed.
    fn note_printed(&mut self, arg: &'p Expr, value: &Value) -> R<()> {
        if matches!((arg, value), (Expr::Elem(..), Value::Untyped)) && arg.is_simple() {
            return self.store_expr(arg, Value::text(b""));
        }
        Ok(())
    }

    // Appends a value as `print` shows it: numbers by OFMT.
    fn push_output(&self, value: &Value, out: &mut Vec<u8>) {
        match value {
            Value::Num(n) => self.ofmt.push(out, *n),
            v => self.push_value(v, out),
        }
    }

    #[inline(never)]
    pub(super) fn printf(&mut self, args: &'p [Expr], redirect: Option<&'p Redirect>) -> R<()> {
        let text = self.sprintf(args)?;
        if redirect.is_none() {
            self.stdout.buf.extend_from_slice(&text);
            self.give_scratch(text);
            return self.flush_stdout_if_full();
        }
        self.write(&text, redirect, "printf")?;
        self.give_scratch(text);
        Ok(())
    }

    #[inline(never)]
    pub(super) fn sprintf(&mut self, args: &'p [Expr]) -> R<Vec<u8>> {
        let mut format = self.take_scratch();
        let mut values = Vec::with_capacity(args.len().saturating_sub(1));
        if let Some((first, rest)) = args.split_first() {
            self.lint_string("printf/sprintf", first, "format string argument")?;
            self.append(first, &mut format)?;
            for e in rest {
                values.push(self.eval(e)?);
            }
        }
        let mut out = self.take_scratch();
        let notes = std::cell::RefCell::default();
        let result = {
            let cx = printf::Context {
                push: &|v, out| self.push_value(v, out),
                bytes: self.options.dialect.bytes,
                posix: self.options.dialect.posix,
                notes: self.options.lint.is_on().then_some(&notes),
            };
            printf::format(&mut out, &format, &values, &cx)
        };
        self.give_scratch(format);
        self.lint_all(notes.into_inner())?;
        match result {
            Ok(()) => Ok(out),
            Err(text) => Err(self.fatal(text)),
        }
    }

    #[inline(never)]
    fn write(&mut self, line: &[u8], redirect: Option<&'p Redirect>, what: &str) -> R<()> {
        let Some(redirect) = redirect else {
            self.stdout.buf.extend_from_slice(line);
            return self.flush_stdout_if_full();
        };
        let mut name = self.take_scratch();
        self.append(&redirect.target, &mut name)?;
        let Some(at) = self.output(&name, redirect.mode)? else { return Ok(()) };
        let stream = &mut self.streams[at];
        if stream.is_stdout {
            self.stdout.buf.extend_from_slice(line);
            self.give_scratch(name);
            return self.flush_stdout_if_full();
        }
        let Some(out) = &mut stream.output else {
            if self.is_nonfatal(&name) {
                self.set_errno(sys::Errno::BADF);
                return Ok(());
            }
            // The command must end before the message is printed.
            let _ = self.streams.remove(at).close();
            let text = bytes!(what, ": attempt to write to closed write end of two-way pipe");
            return Err(self.fatal(text));
        };
        out.buf.extend_from_slice(line);
        let written = out.flush_if_full();
        if let Err(e) = written {
            return Err(self.fatal(bytes!("print to \"", name, "\" failed: ", e.text())));
        }
        self.give_scratch(name);
        Ok(())
    }

    // The stream of a redirection, which is opened if necessary. `None` if that fails and the program wants to
    // continue.
    fn output(&mut self, name: &[u8], mode: Mode) -> R<Option<usize>> {
        // `>` and `>>` to the same file share one stream.
        let same = |kind: Kind| {
            kind == Kind::Out(mode)
                || (matches!(mode, Mode::Write | Mode::Append)
                    && matches!(kind, Kind::Out(Mode::Write | Mode::Append)))
        };
        if let Some(at) = self.streams.iter().rposition(|s| same(s.kind) && s.name == name) {
            if self.lints() && self.streams[at].kind != Kind::Out(mode) {
                self.lint(bytes!("unnecessary mixing of `>' and `>>' for file `", name, "'"))?;
            }
            return Ok(Some(at));
        }
        if name.is_empty() {
            let what = match mode {
                Mode::Write => ">",
                Mode::Append => ">>",
                Mode::Pipe => "|",
                Mode::Coprocess => "|&",
            };
            return Err(self.fatal(format!("expression for `{what}' redirection has null string value")));
        }
        self.lint_streams(name, Kind::Out(mode))?;
        let opened = match mode {
            Mode::Write | Mode::Append => Stream::create(name, mode),
            Mode::Pipe | Mode::Coprocess => {
                self.flush_all()?;
                Stream::command(name, &self.child_environment(), Kind::Out(mode))
            }
        };
        match opened {
            Ok(stream) => self.streams.push(stream),
            Err(e) => {
                self.set_errno(e);
                if self.is_nonfatal(name) {
                    return Ok(None);
                }
                let text = match mode {
                    Mode::Pipe => bytes!("cannot open pipe `", name, "' for output: ", e.text()),
                    Mode::Coprocess => {
                        bytes!("cannot open two way pipe `", name, "' for input/output: ", e.text())
                    }
                    _ => bytes!("cannot redirect to `", name, "': ", e.text()),
                };
                return Err(self.fatal(text));
            }
        }
        Ok(Some(self.streams.len() - 1))
    }

    // Whether `PROCINFO` says that errors of this redirection are not fatal.
    fn is_nonfatal(&self, name: &[u8]) -> bool {
        let Some(Value::Array(info)) = self.globals.get(special::PROCINFO as usize) else { return false };
        let subsep = self.globals.get(special::SUBSEP as usize).cloned().unwrap_or(Value::Unassigned);
        let mut own = name.to_vec();
        self.push_value(&subsep, &mut own);
        own.extend_from_slice(b"NONFATAL");
        let info = info.borrow();
        info.get(Key::of_text(b"NONFATAL")).is_some() || info.get(Key::of_text(&own)).is_some()
    }

    /// Flushes all output.
    pub(super) fn flush_all(&mut self) -> R<()> {
        match self.stdout.flush() {
            Ok(()) => {}
            Err(sys::Errno::PIPE) => return Err(Unwind::Pipe),
            Err(e) => {
                return Err(self.fatal(bytes!("fflush: cannot flush standard output: ", e.text())));
            }
        }
        for stream in &mut self.streams {
            if let Some(out) = &mut stream.output {
                let _ = out.flush();
            }
        }
        Ok(())
    }

    /// Closes all streams at the end.
    pub(super) fn close_all(&mut self) -> R<()> {
        // Streams are closed in reverse order of opening. Commands end before remaining output is written.
        self.pos = crate::diag::Pos::default();
        while let Some(stream) = self.streams.pop() {
            let name = stream.name.clone();
            if self.lints() && !stream.is_stdout {
                self.lint_open(&name, stream.kind)?;
            }
            let is_file = matches!(stream.kind, Kind::Out(Mode::Write | Mode::Append));
            if let Closed::Failed(e) = stream.close()
                && is_file
            {
                return Err(self.fatal(bytes!("flush to \"", name, "\" failed: ", e.text())));
            }
        }
        match self.stdout.flush() {
            Ok(()) => Ok(()),
            Err(sys::Errno::PIPE) => {
                self.die_of_pipe();
                Err(Unwind::Fatal)
            }
            Err(e) => {
                self.warn(bytes!("error writing standard output: ", e.text()));
                self.exit_status = 1;
                Ok(())
            }
        }
    }

    /// `close(name [, "to" | "from"])`.
    #[inline(never)]
    pub(super) fn close(&mut self, name: &[u8], how: Option<&[u8]>) -> R<f64> {
        if let Some(how) = how
            && how != b"to"
            && how != b"from"
        {
            return Err(self.fatal("close: second argument must be `to' or `from'"));
        }
        let Some(at) = self.streams.iter().rposition(|s| s.name == name) else {
            self.lint(bytes!("close: `", name, "' is not an open file, pipe or co-process"))?;
            self.set_errno_text("close of redirection that was never opened");
            return Ok(-1.0);
        };
        if let Some(how) = how {
            let stream = &mut self.streams[at];
            if stream.kind == Kind::Out(Mode::Coprocess) {
                stream.close_half(how == b"to");
                if stream.output.is_some() || stream.reader.is_some() {
                    return Ok(0.0);
                }
            }
        }
        let flushed = self.stdout.flush();
        if let Err(e) = flushed {
            return Err(self.stdout_failed(e));
        }
        let stream = self.streams.remove(at);
        let name = stream.name.clone();
        let writes = stream.output.is_some();
        Ok(match stream.close() {
            Closed::Failed(e) if writes && e == sys::Errno::PIPE => {
                return Err(self.fatal(bytes!("print to \"", name, "\" failed: ", e.text())));
            }
            // In POSIX mode, the result is 0 for each stream that could be closed.
            Closed::Status(_) if self.options.dialect.posix => 0.0,
            Closed::Status(n) => n,
            Closed::Failed(e) if writes => {
                return Err(self.fatal(bytes!("flush to \"", name, "\" failed: ", e.text())));
            }
            Closed::Failed(e) => {
                self.set_errno(e);
                -1.0
            }
        })
    }

    #[inline(never)]
    pub(super) fn fflush(&mut self, name: Option<&[u8]>) -> R<f64> {
        let Some(name) = name else {
            self.flush_all()?;
            return Ok(0.0);
        };
        if name.is_empty() {
            self.flush_all()?;
            return Ok(0.0);
        }
        match self.streams.iter_mut().rev().find(|s| s.name == name) {
            Some(stream) if stream.is_stdout => {
                self.flush_all()?;
                Ok(0.0)
            }
            Some(stream) => match &mut stream.output {
                Some(out) => match out.flush() {
                    Ok(()) => Ok(0.0),
                    Err(e) => Err(self.fatal(bytes!("fflush: cannot flush file `", name, "': ", e.text()))),
                },
                None if stream.kind == Kind::Out(Mode::Coprocess) => {
                    self.warn(bytes!("fflush: cannot flush: two-way pipe `", name, "' has closed write end"));
                    Ok(-1.0)
                }
                None => {
                    self.warn(bytes!(
                        "fflush: cannot flush: file `",
                        name,
                        "' opened for reading, not writing"
                    ));
                    Ok(-1.0)
                }
            },
            None if name == b"/dev/stdout" => {
                self.flush_all()?;
                Ok(0.0)
            }
            None if name == b"/dev/stderr" => Ok(0.0),
            None => {
                self.warn(bytes!("fflush: `", name, "' is not an open file, pipe or co-process"));
                Ok(-1.0)
            }
        }
    }

    #[inline(never)]
    pub(super) fn system(&mut self, command: &[u8]) -> R<f64> {
        self.flush_all()?;
        if command.is_empty() {
            return Ok(0.0);
        }
        match streams::shell(command, &self.child_environment(), &[]) {
            Ok(pid) => Ok(self.system_value(streams::wait(pid))),
            Err(_) => Ok(127.0),
        }
    }

    /// The result of `system`: the status itself in POSIX mode, the status divided by 256 in traditional mode.
    fn system_value(&self, status: sys::WaitStatus) -> f64 {
        let dialect = self.options.dialect;
        match status {
            sys::WaitStatus::Exited(n) if dialect.posix => f64::from(n) * 256.0,
            sys::WaitStatus::Signaled(n) if dialect.posix => n.into(),
            sys::WaitStatus::Signaled(n) if dialect.traditional => f64::from(n) / 256.0,
            status => streams::status_value(status),
        }
    }
}
