//! Where commands are read from.

use super::list::Place;
use crate::editor::Typed;
use crate::history_expansion::Expanded;
use crate::options::{Shopt, flag};
use crate::shell::{Flow, Run, Shell};
use sandshell_syntax::ast::{Bytes, List};
use sandshell_syntax::parser::{Host, ParseOptions, Parser, SyntaxError, SyntaxErrorKind, Unfinished};
use sandshell_sys as sys;
use sys::{Errno, Fd};

/// What the parser needs from the shell, for a text that is complete.
pub(crate) struct TextHost<'s> {
    pub(crate) shell: &'s mut Shell,
}

impl Shell {
    pub(crate) fn parse_options(&self) -> ParseOptions {
        ParseOptions {
            posix: self.posix(),
            extglob: self.opts.shopt(Shopt::extglob),
            no_comments: self.opts.interactive && !self.opts.shopt(Shopt::interactive_comments),
            interactive: self.opts.interactive,
        }
    }

    fn alias_value(&self, name: &[u8]) -> Option<Bytes> {
        if !self.aliases.is_empty() && self.opts.shopt(Shopt::expand_aliases) {
            return self.aliases.get(name).cloned();
        }
        None
    }

    fn syntax_warning(&mut self, line: u32, text: &[u8]) {
        let mut out = self.prefix_at(line);
        out.extend_from_slice(b"warning: ");
        out.extend_from_slice(text);
        out.push(b'\n');
        self.write_error(&out);
    }

    /// Prints a syntax error; `label` is `-c: ` for the text of `-c`. Under `set -e` this ends the shell at once.
    pub(crate) fn report_syntax_error(&mut self, e: &SyntaxError, label: &[u8]) -> Run {
        let exits = self.errors_exit();
        for (line, text) in e.lines.iter().take(if exits { 1 } else { usize::MAX }) {
            let mut out = Vec::new();
            if self.opts.interactive {
                out.extend_from_slice(&self.prefix_at(*line));
            } else {
                let prefix = self.prefix_at(*line);
                let at = prefix.windows(7).position(|w| w == b": line ").map_or(0, |i| i + 2);
                out.extend_from_slice(prefix.get(..at).unwrap_or_default());
                out.extend_from_slice(label);
                out.extend_from_slice(prefix.get(at..).unwrap_or_default());
            }
            out.extend_from_slice(text);
            out.push(b'\n');
            self.write_error(&out);
        }
        if exits {
            self.status = 2;
            return Err(Flow::Exit);
        }
        Ok(())
    }
}

impl Host for TextHost<'_> {
    fn next_line(&mut self, _unfinished: Option<Unfinished>) -> Option<Vec<u8>> {
        None
    }
    fn alias(&mut self, name: &[u8]) -> Option<Bytes> {
        self.shell.alias_value(name)
    }
    fn options(&self) -> ParseOptions {
        self.shell.parse_options()
    }
    fn warning(&mut self, line: u32, text: &[u8]) {
        self.shell.syntax_warning(line, text);
    }
}

/// As [`TextHost`], for a text whose commands are run: its lines are added to the history.
pub(crate) struct CommandHost<'s> {
    pub(crate) shell: &'s mut Shell,
}

impl Host for CommandHost<'_> {
    fn next_line(&mut self, _unfinished: Option<Unfinished>) -> Option<Vec<u8>> {
        None
    }
    fn sees_text_lines(&self) -> bool {
        self.shell.record.adding
    }
    fn text_line(&mut self, line: &[u8], number: u32, unfinished: Option<Unfinished>) -> Option<Vec<u8>> {
        if !self.shell.expands_history() || matches!(unfinished, Some(Unfinished::HereDocument { .. })) {
            self.shell.remember_read(line, unfinished);
            return None;
        }
        let quote = if let Some(Unfinished::Quoted(quote)) = unfinished { quote } else { 0 };
        // A line that must not run is replaced by an empty one.
        let expanded = self.shell.expanded_line(line.to_vec(), quote, unfinished.is_some(), number);
        let expanded = expanded.unwrap_or_else(|| b"\n".to_vec());
        self.shell.remember_read(&expanded, unfinished);
        Some(expanded)
    }
    fn alias(&mut self, name: &[u8]) -> Option<Bytes> {
        self.shell.alias_value(name)
    }
    fn options(&self) -> ParseOptions {
        self.shell.parse_options()
    }
    fn warning(&mut self, line: u32, text: &[u8]) {
        self.shell.syntax_warning(line, text);
    }
}

/// Lines of a file, a pipe or a terminal.
#[derive(Debug)]
pub(crate) struct Lines {
    fd: Fd,
    buffer: Vec<u8>,
    at: usize,
    /// The descriptor is seekable: lines are read ahead, and the offset is moved back before a command runs.
    seekable: bool,
    /// Standard input is shared with the commands.
    shared: bool,
    ended: bool,
    /// The number of lines that the parser has received.
    given: u32,
    /// Ctrl-C was typed in place of a line.
    interrupted: bool,
    /// The end of input was typed in place of a further line of a command: only the command ends.
    command_ended: bool,
    /// The lines come from an editor and not from the shell's own input: no prompts and no history expansion.
    edited: bool,
}

impl Lines {
    pub(crate) fn new(fd: Fd, shared: bool) -> Self {
        let seekable = sys::lseek(fd, 0, 1).is_ok() && sys::fstat(fd).is_ok_and(|s| s.is_file());
        Self {
            fd,
            buffer: Vec::new(),
            at: 0,
            seekable,
            shared,
            ended: false,
            given: 0,
            interrupted: false,
            command_ended: false,
            edited: false,
        }
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            if let Some(n) = rest.iter().position(|b| *b == b'\n') {
                line.extend_from_slice(rest.get(..=n).unwrap_or_default());
                self.at += n + 1;
                return Some(line);
            }
            line.extend_from_slice(rest);
            self.buffer.clear();
            self.at = 0;
            if self.ended {
                break;
            }
            // From a pipe that commands read too, only one byte may be read at a time.
            let size = if self.shared && !self.seekable { 1 } else { 8192 };
            let mut chunk = [0u8; 8192];
            let chunk = chunk.get_mut(..size).unwrap_or_default();
            match sys::read(self.fd, chunk) {
                Ok(0) => self.ended = true,
                Ok(n) => self.buffer.extend_from_slice(chunk.get(..n).unwrap_or_default()),
                Err(Errno::INTR) => return (!line.is_empty()).then_some(line),
                Err(_) => self.ended = true,
            }
        }
        (!line.is_empty()).then_some(line)
    }

    // Moves the offset of a shared descriptor back to the end of what was parsed.
    fn give_back(&mut self) {
        if self.shared && self.seekable && self.at < self.buffer.len() {
            let ahead = i64::try_from(self.buffer.len() - self.at).unwrap_or(0);
            let _ = sys::lseek(self.fd, -ahead, 1);
            self.buffer.clear();
            self.at = 0;
        }
    }
}

struct LineHost<'s> {
    shell: &'s mut Shell,
    lines: &'s mut Lines,
}

impl Lines {
    // Whether a user types the lines. Those of a script file have no prompts even in an interactive shell.
    fn typed(&self, shell: &Shell) -> bool {
        shell.opts.interactive && self.shared
    }
}

impl Lines {
    /// Asks the user for a line.
    fn ask(&mut self, shell: &mut Shell, continued: bool) -> Option<Vec<u8>> {
        // Several lines may have been typed at once.
        if self.at < self.buffer.len() && !self.seekable {
            return self.next();
        }
        if !continued {
            shell.notify_jobs();
            shell.run_prompt_command();
            if shell.editor.flow.is_some() {
                self.ended = true;
                return None;
            }
        }
        let edits = self.fd == 0 && shell.edits_lines();
        let prompt = shell.next_prompt(continued, edits);
        if !edits {
            let _ = sys::write_all(2, &prompt);
            let line = self.next();
            self.command_ended = line.is_none() && self.ended && continued && sys::isatty(self.fd);
            return line;
        }
        let text = shell.editor.line.take().unwrap_or_default();
        match shell.edit_command(prompt, text) {
            Typed::Line(text) => {
                self.buffer = [&*text, b"\n"].concat();
                self.at = 0;
                return self.next();
            }
            Typed::End => {
                let _ = sys::write_all(2, b"\n");
                self.command_ended = continued;
            }
            Typed::Interrupted => self.interrupted = true,
        }
        self.ended = true;
        None
    }

    /// Goes on after the end of input.
    fn reopen(&mut self) {
        (self.ended, self.command_ended, self.interrupted) = (false, false, false);
    }
}

impl Host for LineHost<'_> {
    fn next_line(&mut self, unfinished: Option<Unfinished>) -> Option<Vec<u8>> {
        let line = loop {
            let line = if self.lines.typed(self.shell) {
                self.lines.ask(self.shell, unfinished.is_some())?
            } else {
                self.lines.next()?
            };
            if self.shell.opts.has(flag::VERBOSE) {
                self.shell.write_error(&line);
            }
            let quote = match unfinished {
                Some(Unfinished::HereDocument { .. }) => break line,
                Some(Unfinished::Quoted(quote)) => quote,
                _ => 0,
            };
            if !self.shell.expands_history() || self.lines.edited {
                break line;
            }
            // Lines that are not run are not counted.
            if let Some(line) =
                self.shell.expanded_line(line, quote, unfinished.is_some(), self.lines.given + 1)
            {
                break line;
            }
        };
        self.lines.given += 1;
        self.shell.remember_read(&line, unfinished);
        Some(line)
    }
    fn alias(&mut self, name: &[u8]) -> Option<Bytes> {
        self.shell.alias_value(name)
    }
    fn options(&self) -> ParseOptions {
        self.shell.parse_options()
    }
    fn warning(&mut self, line: u32, text: &[u8]) {
        if !self.lines.interrupted {
            self.shell.syntax_warning(line, text);
        }
    }
}

impl Shell {
    /// Applies history expansion to a line, and shows the result if it differs. Returns `None` if the line must not
    /// run: its expansion failed, or was only to be shown.
    fn expanded_line(&mut self, line: Vec<u8>, quote: u8, rest: bool, number: u32) -> Option<Vec<u8>> {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let (mut expanded, runs) = match self.expand_history(text, quote, rest) {
            Ok(Expanded::Same) => return Some(line),
            // The user sees it first.
            Ok(Expanded::Changed(text)) if self.opts.shopt(Shopt::histverify) && self.edits_lines() => {
                self.editor.line = Some(text);
                return None;
            }
            Ok(Expanded::Changed(text)) => (text, true),
            Ok(Expanded::Shown(text)) => (text, false),
            Err(why) => {
                let mut message = self.prefix_at(number);
                message.extend([&*why, b"\n"].concat());
                self.write_error(&message);
                if self.opts.shopt(Shopt::histreedit) && self.edits_lines() {
                    self.editor.line = Some(text.to_vec());
                }
                return None;
            }
        };
        expanded.push(b'\n');
        self.write_error(&expanded);
        if runs {
            return Some(expanded);
        }
        expanded.pop();
        self.remember(&expanded);
        None
    }

    fn next_prompt(&mut self, continued: bool, edits: bool) -> Vec<u8> {
        let name: &[u8] = if continued { b"PS2" } else { b"PS1" };
        let text =
            self.value(sandshell_syntax::name::Name::new(name)).map(|v| v.into_owned()).unwrap_or_default();
        let status = self.status;
        (self.at_prompt, self.edits_prompt) = (true, edits);
        let prompt = self.prompt(&text).unwrap_or_default();
        (self.at_prompt, self.edits_prompt) = (false, false);
        self.status = status;
        prompt
    }

    // Runs `PROMPT_COMMAND`; each element of an array is one command.
    fn run_prompt_command(&mut self) {
        let name = sandshell_syntax::name::Name::new(b"PROMPT_COMMAND");
        let commands: Vec<Vec<u8>> = match self.vars.get(name).map(|v| &v.value) {
            Some(crate::variables::Value::Str(text)) => vec![text.clone()],
            Some(crate::variables::Value::Indexed(list)) => list.values().map(<[u8]>::to_vec).collect(),
            _ => return,
        };
        let (status, line) = (self.status, self.line);
        for command in commands {
            self.status = status;
            let done = self.eval_text(&command, line.max(1), false);
            let _ = self.flush();
            if done == Err(Flow::Exit) {
                self.editor.flow = Some(Flow::Exit);
                return;
            }
        }
        (self.status, self.line) = (status, line);
    }

    /// Whether Ctrl-C was typed.
    fn gives_up(&mut self) -> bool {
        match self.editor.flow.take() {
            Some(Flow::Exit) => {
                self.editor.flow = Some(Flow::Exit);
                false
            }
            Some(_) => true,
            None => self.answer_signals() == Err(Flow::GiveUp),
        }
    }

    /// Reads and runs commands from lines until their end.
    pub(crate) fn run_lines(&mut self, fd: Fd, shared: bool) -> Run {
        self.run_all(Lines::new(fd, shared))
    }

    /// As [`run_lines`](Self::run_lines), for a file from which `seen` has been read already.
    pub(crate) fn run_lines_after(&mut self, fd: Fd, seen: Vec<u8>) -> Run {
        let mut lines = Lines::new(fd, false);
        lines.buffer = seen;
        self.run_all(lines)
    }

    /// Runs the commands that an editor left in a file for `fc`. They are added to the history, but do not count as
    /// typed.
    pub(crate) fn run_edited(&mut self, fd: Fd) -> Run {
        let mut lines = Lines::new(fd, false);
        lines.edited = true;
        self.run_all(lines)
    }

    /// Runs a text whose lines are added to the history. What gives up one of its commands, such as an interrupt or a
    /// wrong syntax, gives up the rest of the text.
    pub(crate) fn run_session_text(&mut self, text: Vec<u8>) -> Run {
        // There is nothing to read but what is there.
        let mut lines = Lines {
            fd: 0,
            buffer: text,
            at: 0,
            seekable: false,
            shared: false,
            ended: true,
            given: 0,
            interrupted: false,
            command_ended: false,
            edited: false,
        };
        let mut parser = Parser::from_lines(1);
        loop {
            let parsed = {
                let mut host = LineHost { shell: self, lines: &mut lines };
                parser.next_command(&mut host)
            };
            let list = match parsed {
                Ok(Some(list)) => list,
                Ok(None) => return self.answer_signals(),
                Err(e) => {
                    self.report_syntax_error(&e, b"")?;
                    self.status = 2;
                    return Ok(());
                }
            };
            self.commands_read += 1;
            self.base_line = parser.line().saturating_sub(1);
            let done = self.run_list(&list);
            self.after_top_level();
            match done {
                Err(flow @ (Flow::Exit | Flow::Discard | Flow::GiveUp)) => {
                    self.set_pipestatus_one();
                    return Err(flow);
                }
                Ok(()) | Err(Flow::Break(_) | Flow::Continue(_) | Flow::Return) => {}
            }
            self.answer_signals()?;
            if self.opts.has(flag::ONECMD) {
                return Err(Flow::Exit);
            }
        }
    }

    fn run_all(&mut self, mut lines: Lines) -> Run {
        let mut parser = Parser::from_lines(1);
        self.prepare_dump(&mut parser);
        loop {
            let parsed = {
                let mut host = LineHost { shell: self, lines: &mut lines };
                parser.next_command(&mut host)
            };
            self.dump_strings(&mut parser);
            if lines.interrupted {
                let flow = self.editor.flow.take().map_or_else(|| self.answer_signals(), Err);
                if flow == Err(Flow::Exit) {
                    return flow;
                }
                let _ = sys::write_all(2, b"\n");
                lines.reopen();
                // The old parser has seen the end of its input.
                parser = Parser::from_lines(parser.line());
                continue;
            }
            let command_ended = lines.command_ended;
            match parsed {
                Ok(Some(list)) => {
                    lines.give_back();
                    self.commands_read += usize::from(!lines.edited);
                    if self.opts.has(flag::NOEXEC) && !self.opts.interactive {
                        continue;
                    }
                    self.base_line = parser.line().saturating_sub(1);
                    match self.run_list(&list) {
                        Err(Flow::Exit) => return Err(Flow::Exit),
                        Err(Flow::Discard | Flow::GiveUp) => self.count_on(&mut parser, &list),
                        Ok(()) | Err(Flow::Break(_) | Flow::Continue(_) | Flow::Return) => {}
                    }
                    self.after_top_level();
                    if command_ended && self.opts.interactive {
                        lines.reopen();
                        parser = Parser::from_lines(parser.line());
                    }
                    if self.opts.has(flag::ONECMD) {
                        return Ok(());
                    }
                    match self.answer_signals() {
                        // Ctrl-C right after a command: nothing is left to interrupt.
                        Err(Flow::GiveUp) if self.opts.interactive => {
                            let _ = sys::write_all(2, b"\n");
                        }
                        done => done?,
                    }
                }
                Ok(None) => {
                    if self.opts.interactive {
                        let ended = self.editor.flow.take().map_or(Ok(()), Err);
                        match ended.and_then(|()| self.answer_signals()) {
                            Err(Flow::GiveUp | Flow::Discard) => {
                                let _ = sys::write_all(2, b"\n");
                                lines.ended = false;
                                // The old parser has seen the end of its input.
                                parser = Parser::from_lines(parser.line());
                                continue;
                            }
                            Err(flow) => return Err(flow),
                            Ok(()) => {}
                        }
                    }
                    if lines.typed(self) && !self.in_child {
                        if self.stays_at_end() {
                            lines.reopen();
                            parser = Parser::from_lines(parser.line());
                            continue;
                        }
                        self.say_goodbye();
                        if self.stays_for_jobs() {
                            lines.reopen();
                            parser = Parser::from_lines(parser.line());
                            continue;
                        }
                    }
                    return Ok(());
                }
                // Ctrl-C in the middle of a command that takes several lines.
                Err(_) if self.opts.interactive && self.gives_up() => {
                    let _ = sys::write_all(2, b"\n");
                    lines.ended = false;
                    parser = Parser::from_lines(parser.line());
                }
                Err(e) => {
                    let unterminated = e.kind == SyntaxErrorKind::Unterminated && self.status != 0;
                    self.report_syntax_error(&e, b"")?;
                    if self.opts.interactive {
                        self.status = 2;
                        if command_ended && e.kind == SyntaxErrorKind::Unterminated {
                            lines.reopen();
                            parser = Parser::from_lines(parser.line());
                        }
                        continue;
                    }
                    match e.kind {
                        SyntaxErrorKind::Conditional => {}
                        // Only the rest of the line is dropped.
                        SyntaxErrorKind::Array if !e.incomplete && !self.posix() => {
                            self.status = 1;
                            continue;
                        }
                        SyntaxErrorKind::Array => self.status = 1,
                        _ if unterminated => {}
                        _ => self.status = 2,
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Runs a list from a text that is read here. An error abandons only this list, and the text continues.
    pub(crate) fn run_contained(&mut self, parser: &mut Parser, list: &List) -> Run {
        let (loops, tested) = (self.loops, self.tested);
        match self.run_list(list) {
            // A subshell ends instead.
            Err(Flow::Discard) if self.in_child => {
                self.status = 1;
                Err(Flow::Exit)
            }
            Err(Flow::Discard) => {
                self.status = 1;
                (self.loops, self.tested) = (loops, tested);
                self.count_on(parser, list);
                Ok(())
            }
            other => other,
        }
    }

    /// How an error propagates that abandons more than the enclosing text: a script continues with its next command,
    /// and a `-c` text ends.
    pub(crate) fn give_up(&mut self) -> Flow {
        self.status = 1;
        if self.opts.command_string && !self.opts.interactive {
            return Flow::Exit;
        }
        Flow::GiveUp
    }

    // After an error, bash continues to count lines from the command that failed, not from the last line read.
    fn count_on(&mut self, parser: &mut Parser, list: &List) {
        self.set_pipestatus_one();
        let first = list.items.first().and_then(|i| i.and_or.first.commands.first()).map_or(0, |c| c.line);
        let line = self.line.saturating_add_signed(self.line_shift.saturating_neg());
        parser.set_line(line.max(first).saturating_add(1));
    }

    /// With `set -v`: the text that a parser has not read yet.
    pub(crate) fn before_reading(&self, parser: &Parser) -> Option<Vec<u8>> {
        self.opts.has(flag::VERBOSE).then(|| parser.rest().to_vec())
    }

    /// Prints the lines that were read since [`before_reading`](Self::before_reading).
    pub(crate) fn show_read(&mut self, parser: &Parser, unread: Option<Vec<u8>>) {
        let Some(mut lines) = unread else { return };
        lines.truncate(lines.len().saturating_sub(parser.rest().len()));
        if !lines.is_empty() && !lines.ends_with(b"\n") {
            lines.push(b'\n');
        }
        self.write_error(&lines);
    }

    /// Runs the text of `-c`. Its lines are added to the history after the text itself has run `set -o history`.
    pub(crate) fn run_command_string(&mut self, text: &[u8]) -> Run {
        self.record.enter_text();
        let mut parser = Parser::from_text(text, 1);
        self.prepare_dump(&mut parser);
        loop {
            let unread = self.before_reading(&parser);
            let parsed = {
                let mut host = CommandHost { shell: self };
                parser.next_command(&mut host)
            };
            self.show_read(&parser, unread);
            self.dump_strings(&mut parser);
            match parsed {
                Ok(Some(list)) => {
                    if self.opts.has(flag::NOEXEC) {
                        continue;
                    }
                    self.base_line = parser.line().saturating_sub(1);
                    let last = parser.at_end();
                    match if last { self.run_last_list(&list, Place::Text) } else { self.run_list(&list) } {
                        Err(Flow::Exit) => return Err(Flow::Exit),
                        Err(Flow::Discard | Flow::GiveUp) => {
                            self.status = 1;
                            self.count_on(&mut parser, &list);
                        }
                        Ok(()) | Err(Flow::Break(_) | Flow::Continue(_) | Flow::Return) => {}
                    }
                    self.after_top_level();
                }
                Ok(None) => return Ok(()),
                Err(e) => {
                    self.report_syntax_error(&e, b"-c: ")?;
                    if e.kind == SyntaxErrorKind::Array && !e.incomplete && !self.posix() {
                        self.status = 1;
                        continue;
                    }
                    self.status = match e.kind {
                        SyntaxErrorKind::Conditional => self.status,
                        SyntaxErrorKind::Substitution => 127,
                        SyntaxErrorKind::Array => 1,
                        SyntaxErrorKind::Unterminated if self.status != 0 => self.status,
                        _ => 2,
                    };
                    return Ok(());
                }
            }
        }
    }

    // Resets state that a discarded command may have left.
    fn after_top_level(&mut self) {
        self.loops = 0;
        self.tested = 0;
        self.close_process_subs(0);
        self.reap_quietly();
    }

    /// Takes note of ended jobs, as before each line of commands.
    pub(crate) fn reap_quietly(&mut self) {
        if self.opts.interactive || self.jobs.list.is_empty() && self.jobs.others.is_empty() {
            return;
        }
        self.reap();
        self.tidy_jobs();
    }

    /// Reports ended jobs, and removes those that have been reported.
    pub(crate) fn tidy_jobs(&mut self) {
        if !self.opts.interactive {
            self.report_jobs();
            self.jobs.forget_notified();
        }
    }

    /// Reports jobs in a shell that is not interactive: those that a signal killed, and under `set -m` in a `-c` text
    /// all that ended or stopped. In a `-c` text, other ended jobs count as reported after it has waited for something;
    /// a script has to ask for them.
    pub(crate) fn report_jobs(&mut self) {
        if self.jobs.inherited || self.opts.interactive {
            return;
        }
        let tells = self.opts.has(flag::MONITOR) && self.opts.command_string;
        let changed: Vec<usize> = self
            .jobs
            .list
            .iter()
            .filter(|j| !j.notified && (j.done() || j.stopped() && tells))
            .map(|j| j.number)
            .collect();
        for n in changed {
            let Some(job) = self.jobs.get(n) else { continue };
            let killed = match job.processes.last().and_then(|p| p.status) {
                Some(sys::WaitStatus::Signaled(s)) if job.done() => Some(s),
                _ => None,
            };
            if killed.is_none() && !self.opts.command_string {
                continue;
            }
            self.report_job(n, killed, tells);
            if let Some(job) = self.jobs.get_mut(n) {
                job.notified = true;
            }
        }
    }

    fn report_job(&mut self, number: usize, killed: Option<u8>, tells: bool) {
        let Some(job) = self.jobs.get(number) else { return };
        let loud = killed.filter(|s| {
            !matches!(*s, sys::signal::SIGINT | sys::signal::SIGTERM | sys::signal::SIGPIPE)
                && self.traps.get(usize::from(*s)).is_none()
        });
        if let Some(signal) = loud {
            let mut line = self.prefix();
            let what = sandshell_posix::signals::describe(signal);
            line.extend_from_slice(format!("{:>5} {what:<24}", job.pid()).as_bytes());
            line.extend_from_slice(&job.text);
            line.push(b'\n');
            self.write_error(&line);
        } else if tells || self.opts.has(flag::MONITOR) && killed.is_some() {
            let mut line = self.job_line(number, false);
            if !job.done() {
                line.insert(0, b'\n');
            }
            self.write_error(&line);
        }
    }
}
