//! Command and process substitution.

use crate::exec::input::CommandHost;
use crate::exec::list::Place;
use crate::exec::simple::NotStarted;
use crate::field::Field;
use crate::options::{Shopt, flag};
use crate::shell::{Flow, Run, Shell};
use sandshell_syntax::ast::{
    Command, CommandKind, CommandSub, List, Param, ParamOp, ParamTest, ProcessSub, SimpleCommand, Word,
    WordPart,
};
use sandshell_syntax::parser::{Parser, SyntaxErrorKind};
use sandshell_sys as sys;
use std::rc::Rc;
use sys::{Errno, Fd, WaitStatus};

/// The longest output of a builtin in a pipeline that is held in memory, without a process of its own.
pub(crate) const SMALL_OUTPUT: usize = 4096;

impl Shell {
    /// The output of a command substitution, without newlines at its end.
    pub(crate) fn command_substitution(&mut self, c: &CommandSub) -> Run<Vec<u8>> {
        let mut out = self.substitution_output(c)?;
        // `$?` in the rest of the command is this status.
        if let Some(status) = self.substitution_status {
            self.status = status;
        }
        while out.last() == Some(&b'\n') {
            out.pop();
        }
        if out.contains(&0) {
            out.retain(|b| *b != 0);
            self.error("warning: command substitution: ignored null byte in input");
        }
        Ok(out)
    }

    fn substitution_output(&mut self, c: &CommandSub) -> Run<Vec<u8>> {
        if let Some(word) = &c.read_file {
            return self.read_file_substitution(word);
        }
        let Some(body) = &c.body else {
            // For backquotes that do not parse, the substitution reports the error.
            let text = c.text.clone();
            return self.substitute_in_child(|sh| {
                let _ = sh.eval_labelled(&text, sh.line.max(1), b"command substitution: ");
            });
        };
        if body.items.is_empty() {
            self.substitution_status = Some(0);
            return Ok(Vec::new());
        }
        if let Some((command, simple)) = single_simple(body) {
            let line_shift = self.line_shift;
            self.line_shift = self.shift_in_substitution(c.line);
            let done = match self.substitute_builtin(command, simple) {
                Ok(None) => self.substitute_program(command, simple),
                done => done,
            };
            self.line_shift = line_shift;
            if let Some(out) = done? {
                return Ok(out);
            }
        }
        let body = Rc::clone(body);
        let shift = self.shift_in_substitution(c.line);
        self.substitute_in_child(move |sh| {
            sh.line_shift = shift;
            if let Err(Flow::Discard) = sh.run_last_list(&body, Place::Text) {
                sh.status = 1;
            }
        })
    }

    // As `shift_to_here`. In an interactive shell, however, the lines of a command substitution are counted from 1.
    fn shift_in_substitution(&self, first: u32) -> i32 {
        if self.opts.interactive && !self.in_child {
            1i32.saturating_sub_unsigned(first).saturating_add(self.line_shift)
        } else {
            self.shift_to_here(first)
        }
    }

    // The line shift with which line `first` of a source becomes the current line.
    fn shift_to_here(&self, first: u32) -> i32 {
        i32::try_from(i64::from(self.line) - i64::from(first)).unwrap_or(0)
    }

    fn read_file_substitution(&mut self, word: &Word) -> Run<Vec<u8>> {
        let Some(path) = self.expand_redirect_target(word)? else {
            let source = word.source.clone();
            return self.no_file_substitution([&*source, b": ambiguous redirect"].concat());
        };
        match sys::open(&path, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0) {
            Ok(fd) => {
                let data = sys::read_to_end(fd);
                let _ = sys::close(fd);
                self.substitution_status = Some(0);
                Ok(data.unwrap_or_default())
            }
            Err(e) => self.no_file_substitution([&*path, b": ", e.to_string().as_bytes()].concat()),
        }
    }

    // `<(< word)`: copies the file to standard output.
    fn write_file(&mut self, word: &Word) -> Run {
        let Some(path) = self.expand_redirect_target(word)? else {
            self.error([&*word.source, b": ambiguous redirect"].concat());
            self.status = 1;
            return Ok(());
        };
        let copied = sys::open(&path, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0).and_then(|fd| {
            let mut block = [0; 16 * 1024];
            loop {
                match sys::read(fd, &mut block)? {
                    0 => return Ok(()),
                    n => sys::write_all(1, block.get(..n).unwrap_or_default())?,
                }
            }
        });
        self.status = i32::from(copied.is_err());
        if let Err(e) = copied {
            self.error([&*path, b": ", e.to_string().as_bytes()].concat());
        }
        Ok(())
    }

    fn no_file_substitution(&mut self, message: Vec<u8>) -> Run<Vec<u8>> {
        self.error(message);
        if self.opts.has(flag::ERREXIT) {
            // bash ends the shell here in every context, even in a condition.
            self.status = 1;
            return Err(Flow::Exit);
        }
        self.substitution_status = Some(1);
        Ok(Vec::new())
    }

    // Runs a builtin without side effects in this process and captures its output.
    fn substitute_builtin(&mut self, command: &Command, simple: &SimpleCommand) -> Run<Option<Vec<u8>>> {
        let Some(name) = simple.name else { return Ok(None) };
        let pure = matches!(&*name.bytes(), b"echo" | b"printf" | b"pwd" | b":" | b"true" | b"false");
        if !pure
            || !simple.assignments.is_empty()
            || !command.redirects.is_empty()
            || self.function(name).is_some()
            || self.builtin_disabled(&name.bytes())
            || self.traps.any()
            || self.opts.has(flag::XTRACE)
            || self.opts.has(flag::ERREXIT)
            || !simple.words.iter().all(|w| pure_word(w, 0))
        {
            return Ok(None);
        }
        if &*name.bytes() == b"printf"
            && simple.words.get(1).is_none_or(|w| w.literal.as_ref().is_none_or(|l| l.starts_with(b"-")))
        {
            return Ok(None);
        }
        // For the builtin, this is a subshell.
        self.subshell += 1;
        let fields = self.expand_quietly(&simple.words, command.line);
        self.subshell -= 1;
        let Ok(fields) = fields? else { return Ok(Some(Vec::new())) };
        let out = std::mem::take(&mut self.out);
        let capture = self.capture.replace(Vec::new());
        let status = self.status;
        let result = self.run_builtin_named(&name.bytes(), &fields);
        let _ = self.flush();
        let text = std::mem::replace(&mut self.capture, capture).unwrap_or_default();
        self.out = out;
        let code = self.status;
        self.status = status;
        self.substitution_status = Some(code);
        match result {
            Ok(()) | Err(Flow::Discard | Flow::GiveUp) => Ok(Some(text)),
            Err(flow) => Err(flow),
        }
    }

    // Expands words as in a subshell: an error ends only the substitution.
    fn expand_quietly(&mut self, words: &[Word], line: u32) -> Run<Result<Vec<Field>, ()>> {
        let saved = (self.line, self.in_child);
        self.at_line(line);
        self.in_child = true;
        let result = self.fields_of_words(words);
        (self.line, self.in_child) = saved;
        match result {
            Ok(fields) => Ok(Ok(fields)),
            Err(_) => {
                self.substitution_status = Some(if self.status == 0 { 1 } else { self.status });
                Ok(Err(()))
            }
        }
    }

    // Starts a single program with its output in a pipe, without a copy of the shell.
    fn substitute_program(&mut self, command: &Command, simple: &SimpleCommand) -> Run<Option<Vec<u8>>> {
        let Some(name) = simple.name else { return Ok(None) };
        let bytes = name.bytes();
        if self.function(name).is_some()
            || crate::builtins::find(&bytes).is_some()
            || self.traps.any()
            || self.opts.has(flag::XTRACE)
            || !simple.words.iter().all(|w| pure_word(w, 0))
            || !simple.assignments.is_empty()
            || !command.redirects.iter().all(crate::exec::simple::plain_redirect)
        {
            return Ok(None);
        }
        let Ok(fields) = self.expand_quietly(&simple.words, command.line)? else {
            return Ok(Some(Vec::new()));
        };
        let Some(path) = self.find_program_of_child(&bytes) else {
            return Ok(None);
        };
        let Ok((r, w)) = sys::pipe(true) else { return Ok(None) };
        let line = self.line;
        self.at_line(command.line);
        let leaves_level = std::mem::replace(&mut self.leaves_level, command.redirects.is_empty());
        let started = self.spawn_program(&path, &fields, &command.redirects, &[(1, w)], None);
        self.leaves_level = leaves_level;
        self.line = line;
        let _ = sys::close(w);
        match started {
            Ok(Ok(pid)) => {
                let out = self.read_pipe(r);
                let waited = self.wait_foreground(pid);
                self.end_substitution(waited.status);
                Ok(Some(out))
            }
            Ok(Err(NotStarted::Script)) => {
                let _ = sys::close(r);
                Ok(None)
            }
            Ok(Err(NotStarted::Reported(status))) => {
                // The message may have been written to the pipe.
                let out = self.read_pipe(r);
                self.substitution_status = Some(status);
                Ok(Some(out))
            }
            Err(_) => {
                let _ = sys::close(r);
                self.substitution_status = Some(1);
                Ok(Some(Vec::new()))
            }
        }
    }

    // A signal that interrupted a substitution also interrupts the shell.
    fn end_substitution(&mut self, status: WaitStatus) {
        self.substitution_status = Some(status.code());
        if status == WaitStatus::Signaled(sys::signal::SIGINT) {
            let _ = sys::kill(sys::getpid(), sys::signal::SIGINT);
        }
    }

    fn read_pipe(&mut self, r: Fd) -> Vec<u8> {
        let mut out = Vec::new();
        let mut chunk = [0u8; 4096];
        loop {
            match sys::read(r, &mut chunk) {
                Ok(0) => break,
                Ok(n) => out.extend_from_slice(chunk.get(..n).unwrap_or_default()),
                Err(Errno::INTR) => {
                    while let Some(n) = sys::sigtake() {
                        if self.is_terminating(n) {
                            self.end_by_signal(n);
                        }
                        if n != sys::signal::SIGCHLD {
                            self.note_signal(n);
                        }
                    }
                }
                Err(_) => break,
            }
        }
        let _ = sys::close(r);
        out
    }

    fn substitute_in_child(&mut self, f: impl FnOnce(&mut Self)) -> Run<Vec<u8>> {
        let Ok((r, w)) = sys::pipe(true) else {
            self.error("cannot make pipe for command substitution: Too many open files");
            self.status = 1;
            return Err(Flow::Discard);
        };
        let _ = self.flush();
        let child = sys::clone(None, || {
            let _ = sys::close(r);
            if w == 1 {
                let _ = sys::set_cloexec(1, false);
            } else {
                let _ = sys::dup2(w, 1, false);
                let _ = sys::close(w);
            }
            self.become_child(false);
            self.trace_depth += 1;
            if !self.opts.shopt(Shopt::inherit_errexit) && !self.posix() {
                self.opts.set(flag::ERREXIT, false);
            }
            f(self);
            self.finish_child()
        });
        let _ = sys::close(w);
        match child {
            Ok(pid) => {
                let out = self.read_pipe(r);
                let waited = self.wait_foreground(pid);
                if let WaitStatus::Signaled(n) = waited.status
                    && n != sys::signal::SIGPIPE
                {
                    self.traps.last_signal = None;
                }
                self.end_substitution(waited.status);
                Ok(out)
            }
            Err(e) => {
                let _ = sys::close(r);
                self.error([b"fork: retry: ", e.to_string().as_bytes()].concat());
                self.status = 254;
                Err(Flow::Discard)
            }
        }
    }

    /// Starts a process substitution. Returns the path of its pipe.
    pub(crate) fn process_substitution(&mut self, p: &ProcessSub) -> Run<Vec<u8>> {
        let Ok((r, w)) = sys::pipe(true) else {
            self.error("cannot make pipe for process substitution: Too many open files");
            self.status = 1;
            return Err(Flow::Discard);
        };
        let _ = self.flush();
        let (ours, theirs, target) = if p.write { (w, r, 0) } else { (r, w, 1) };
        let body = Rc::clone(&p.body);
        let file = p.read_file.clone();
        let shift = self.shift_to_here(p.line);
        let child = sys::clone_substitution(|| {
            let _ = sys::close(ours);
            let _ = sys::dup2(theirs, target, false);
            if theirs != target {
                let _ = sys::close(theirs);
            }
            for fd in std::mem::take(&mut self.process_subs) {
                let _ = sys::close(fd);
            }
            self.become_child(false);
            let quit = sys::signal::SIGQUIT;
            if !self.opts.has(flag::MONITOR) && self.traps.get(usize::from(quit)).is_none() {
                let _ = sys::sigaction(quit, sys::Disposition::Ignore);
            }
            // Here, `trap` does not even show the inherited traps.
            self.traps.inherited = None;
            self.trace_depth += 1;
            self.line_shift = shift;
            let _ = match &file {
                Some(word) => self.write_file(word),
                None => self.run_last_list(&body, Place::ProcessSubstitution),
            };
            self.finish_child()
        });
        let _ = sys::close(theirs);
        // A high number. Programs inherit it and open it by its path.
        let fd =
            (0..64).rev().find(|n| sys::cloexec(*n).is_err()).and_then(|n| sys::dup(ours, n, false).ok());
        let fd = match fd {
            Some(fd) => {
                let _ = sys::close(ours);
                fd
            }
            None => {
                let _ = sys::set_cloexec(ours, false);
                ours
            }
        };
        match child {
            Ok(pid) => {
                self.jobs.others.push(pid);
                self.last_background = Some(pid);
            }
            Err(e) => self
                .error([b"cannot make child for process substitution: ", e.to_string().as_bytes()].concat()),
        }
        self.process_subs.push(fd);
        Ok(format!("/dev/fd/{fd}").into_bytes())
    }

    /// Closes the pipes of all process substitutions except the first `keep`.
    pub(crate) fn close_process_subs(&mut self, keep: usize) {
        while self.process_subs.len() > keep {
            if let Some(fd) = self.process_subs.pop() {
                let _ = sys::close(fd);
            }
        }
    }

    /// Every child of `clone` calls this first.
    pub(crate) fn become_child(&mut self, background: bool) {
        self.in_child = true;
        self.plain_child = false;
        self.words_of_child = false;
        self.leaves_level = false;
        self.child_fds.clear();
        self.subshell += 1;
        self.capture = None;
        self.out.clear();
        self.random.reseed();
        self.reset_traps_in_child();
        self.exiting = false;
        if self.opts.interactive {
            let _ = sys::sigaction(sys::signal::SIGINT, sys::Disposition::Default);
        }
        if background && !self.opts.has(flag::MONITOR) {
            for n in [sys::signal::SIGINT, sys::signal::SIGQUIT] {
                if self.traps.get(usize::from(n)).is_none() {
                    let _ = sys::sigaction(n, sys::Disposition::Ignore);
                }
            }
        }
        self.opts.drop_job_control();
        self.jobs.forget_notified();
        self.jobs.others.clear();
        self.jobs.inherited = true;
    }

    /// Ends a child: runs the EXIT trap and writes its output. Returns the status.
    pub(crate) fn finish_child(&mut self) -> u8 {
        let status = self.act_on_exit();
        let _ = self.flush();
        (status & 0xff) as u8
    }

    /// Parses and runs text in this shell (`eval`, traps).
    ///
    /// # Errors
    /// The flow of the commands. A syntax error only sets the status.
    pub(crate) fn eval_text(&mut self, text: &[u8], first_line: u32, trap: bool) -> Run {
        let label: &[u8] = match self.traps.running.last() {
            _ if !trap => b"eval: ",
            Some(&crate::traps::EXIT) => b"exit trap: ",
            Some(&crate::traps::DEBUG) => b"debug trap: ",
            Some(&crate::traps::ERR) => b"error trap: ",
            Some(&crate::traps::RETURN) => b"return trap: ",
            _ => b"trap: ",
        };
        let exit_trap = trap && self.traps.running.last() == Some(&crate::traps::EXIT);
        let trace_depth = self.trace_depth;
        if !exit_trap {
            self.trace_depth += 1;
        }
        let result = self.eval_labelled(text, first_line, label);
        self.trace_depth = trace_depth;
        result
    }

    // `label` precedes messages about the syntax.
    fn eval_labelled(&mut self, text: &[u8], first_line: u32, label: &[u8]) -> Run {
        if self.depth >= crate::exec::MAX_NESTING {
            self.error("eval: maximum eval nesting level exceeded");
            self.status = 1;
            return Err(Flow::Discard);
        }
        self.depth += 1;
        let line_shift = self.line_shift;
        // In a function of an interactive shell, all lines are counted from the function's brace, also those of this
        // text.
        if !self.opts.interactive || line_shift >= 0 || !self.vars.in_function() {
            self.line_shift = 0;
        }
        let mut parser = Parser::from_text(text, first_line);
        let base_line = self.base_line;
        let command = self.command.clone();
        let result = self.run_parser(&mut parser, label);
        self.command = command;
        self.base_line = base_line;
        self.line_shift = line_shift;
        self.depth -= 1;
        result
    }

    /// Runs the commands of a text. `label` precedes messages about its syntax.
    pub(crate) fn run_parser(&mut self, parser: &mut Parser, label: &[u8]) -> Run {
        let outside = self.record.enter_text();
        let result = self.run_text(parser, label);
        self.record.leave_text(outside, self.opts.has(crate::options::flag::HISTORY));
        result
    }

    fn run_text(&mut self, parser: &mut Parser, label: &[u8]) -> Run {
        let mut ran = false;
        loop {
            self.reap_quietly();
            let unread = self.before_reading(parser);
            let parsed = {
                let mut host = CommandHost { shell: self };
                parser.next_command(&mut host)
            };
            self.show_read(parser, unread);
            match parsed {
                Ok(Some(list)) => {
                    ran = true;
                    self.base_line = parser.line().saturating_sub(1);
                    self.run_contained(parser, &list)?;
                }
                Ok(None) => {
                    if !ran {
                        self.status = 0;
                    }
                    return Ok(());
                }
                Err(e) => {
                    self.report_syntax_error(&e, label)?;
                    self.status = if e.kind == SyntaxErrorKind::Array { 1 } else { 2 };
                    if e.kind == SyntaxErrorKind::Array && !e.incomplete && !self.posix() {
                        // Only the rest of the line is dropped.
                        ran = true;
                        continue;
                    }
                    // In a special builtin, this ends a POSIX shell.
                    self.usage_error = true;
                    return Ok(());
                }
            }
        }
    }
}

/// The only command of the list, if it is a simple one in the foreground.
pub(crate) fn single_simple(list: &List) -> Option<(&Rc<Command>, &SimpleCommand)> {
    let [item] = list.items.as_slice() else { return None };
    let pipeline = &item.and_or.first;
    if item.background || !item.and_or.rest.is_empty() || pipeline.negated || pipeline.time.is_some() {
        return None;
    }
    let [command] = pipeline.commands.as_slice() else { return None };
    match &command.kind {
        CommandKind::Simple(s) if !s.words.is_empty() => Some((command, s)),
        _ => None,
    }
}

/// Whether expanding a word changes nothing in the shell, so that no child is needed for it.
pub(crate) fn pure_word(word: &Word, depth: u32) -> bool {
    word.literal.is_some()
        || (depth < 8 && word.parts.iter().all(|p| pure_part(p, depth + 1)) && word.braces.is_none())
}

/// Whether expanding a part of a word changes no variable. It may start a process.
pub(crate) fn pure_or_process(part: &WordPart) -> bool {
    matches!(part, WordPart::Process(_)) || pure_part(part, 1)
}

fn pure_part(part: &WordPart, depth: u32) -> bool {
    match part {
        WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => true,
        WordPart::DoubleQuoted(parts) => parts.iter().all(|p| pure_part(p, depth)),
        WordPart::Param(p) => {
            let plain_param = match &p.param {
                Param::Variable(name) => !matches!(&*name.bytes(), b"BASHPID" | b"RANDOM" | b"BASH_COMMAND"),
                Param::Positional(_) | Param::Special(_) => true,
                Param::Element(_, s) => match &**s {
                    sandshell_syntax::ast::Subscript::Index(a) => pure_arith(a),
                    _ => true,
                },
            };
            plain_param
                && !p.indirect
                && match &p.op {
                    ParamOp::Value | ParamOp::Length | ParamOp::Keys | ParamOp::NamesWithPrefix { .. } => {
                        true
                    }
                    ParamOp::Test { test: ParamTest::Default | ParamTest::Alternate, word, .. } => {
                        pure_word(word, depth)
                    }
                    ParamOp::RemovePrefix { pattern, .. } | ParamOp::RemoveSuffix { pattern, .. } => {
                        pure_word(&pattern.word, depth)
                    }
                    ParamOp::Replace { pattern, replacement, .. } => {
                        pure_word(&pattern.word, depth) && pure_word(replacement, depth)
                    }
                    ParamOp::Case { pattern, .. } => {
                        pattern.as_ref().is_none_or(|p| pure_word(&p.word, depth))
                    }
                    ParamOp::Slice { offset, length } => {
                        pure_arith(offset) && length.as_ref().is_none_or(pure_arith)
                    }
                    _ => false,
                }
        }
        WordPart::Command(_) => true,
        WordPart::Arith(a) => pure_arith(a),
        WordPart::Process(_) => false,
    }
}

// Whether arithmetic has no assignment, no increment, and no expansion that contains one.
fn pure_arith(a: &sandshell_syntax::ast::Arith) -> bool {
    let s = &a.source;
    !s.windows(2).any(|w| w == b"++" || w == b"--")
        && !s.contains(&b'[')
        && !s.contains(&b'{')
        && !s.iter().enumerate().any(|(i, b)| {
            *b == b'='
                && s.get(i + 1) != Some(&b'=')
                && !matches!(i.checked_sub(1).and_then(|j| s.get(j)), Some(b'=' | b'!' | b'<' | b'>'))
        })
        && !s.windows(3).any(|w| w == b"<<=" || w == b">>=")
        && !s.windows(6).any(|w| w == b"RANDOM")
}
