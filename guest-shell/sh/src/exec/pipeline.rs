//! Pipelines of more than one command.

use super::simple::NotStarted;
use crate::builtins;
use crate::expand::command::{SMALL_OUTPUT, pure_word};
use crate::field::Field;
use crate::options::{Shopt, flag};
use crate::shell::{Flow, Run, Shell};
use sandshell_syntax::ast::{Command, CommandKind, Pipeline, SimpleCommand};
use sandshell_sys as sys;
use std::rc::Rc;
use sys::{Fd, Pid, WaitStatus, Waited};

/// The result of starting a stage.
enum Stage {
    Process(Pid),
    /// It has already run, with this status.
    Done(i32),
}

impl Shell {
    /// Starts all stages at once and waits for them.
    pub(crate) fn run_stages(&mut self, p: &Pipeline) -> Run {
        let _ = self.flush();
        let keep = self.process_subs.len();
        let count = p.commands.len();
        let lastpipe = self.opts.shopt(Shopt::lastpipe) && !self.opts.has(flag::MONITOR);
        let monitor = self.opts.has(flag::MONITOR);
        let mut pgid: Option<Pid> = None;
        let mut input: Option<Fd> = None;
        let mut stages = Vec::with_capacity(count);
        let mut last_here = None;
        for (i, command) in p.commands.iter().enumerate() {
            let last = i + 1 == count;
            if last && lastpipe {
                last_here = Some(command);
                break;
            }
            let pipe = if last {
                None
            } else {
                match sys::pipe(true) {
                    Ok(p) => Some(p),
                    Err(e) => {
                        self.error([b"pipe error: ", e.to_string().as_bytes()].concat());
                        stages.push(Stage::Done(1));
                        break;
                    }
                }
            };
            if matches!(command.kind, CommandKind::Simple(_)) && self.traps.any() {
                self.at_line(command.line);
                let _ = self.before_command(command);
            }
            let output = pipe.map(|p| p.1);
            let group = if monitor { Some(pgid.unwrap_or(0)) } else { None };
            let stage = self.start_stage(command, input, output, pipe.map(|p| p.0), group);
            if let Some(fd) = input.take() {
                let _ = sys::close(fd);
            }
            if let Some((r, w)) = pipe {
                let _ = sys::close(w);
                input = Some(r);
            }
            if let Ok(Stage::Process(pid)) = &stage {
                pgid.get_or_insert(*pid);
            }
            match stage {
                Ok(s) => stages.push(s),
                Err(Flow::Discard | Flow::GiveUp) => {
                    stages.push(Stage::Done(if self.status == 0 { 1 } else { self.status }))
                }
                Err(flow) => {
                    if let Some(fd) = input.take() {
                        let _ = sys::close(fd);
                    }
                    self.finish_stages(p, &stages, pgid);
                    return Err(flow);
                }
            }
        }
        let mut result = Ok(());
        let mut here_status = None;
        if let Some(command) = last_here {
            result = self.run_last_here(command, input.take());
            here_status = Some(self.status);
        }
        if let Some(fd) = input {
            let _ = sys::close(fd);
        }
        let mut statuses = self.finish_stages(p, &stages, pgid);
        statuses.extend(here_status);
        self.status = self.pipeline_status(&statuses);
        self.pipestatus = statuses;
        self.close_process_subs(keep);
        if self.traps.watching || self.opts.interactive {
            self.answer_signals()?;
        }
        result
    }

    fn pipeline_status(&self, statuses: &[i32]) -> i32 {
        let last = statuses.last().copied().unwrap_or(0);
        if self.opts.has(flag::PIPEFAIL) {
            statuses.iter().rev().copied().find(|s| *s != 0).unwrap_or(0)
        } else {
            last
        }
    }

    fn run_last_here(&mut self, command: &Rc<Command>, input: Option<Fd>) -> Run {
        let mut undo = Vec::new();
        self.save_descriptor(0, &mut undo);
        if let Some(fd) = input
            && fd != 0
        {
            let _ = sys::dup2(fd, 0, false);
            let _ = sys::close(fd);
        }
        if input == Some(0) {
            let _ = sys::set_cloexec(0, false);
        }
        self.tested += 1;
        let result = self.run_single(command);
        self.tested -= 1;
        self.undo_redirects(undo);
        result
    }

    fn finish_stages(&mut self, p: &Pipeline, stages: &[Stage], pgid: Option<Pid>) -> Vec<i32> {
        if let Some(g) = pgid {
            self.foreground(g);
        }
        let mut statuses = Vec::with_capacity(stages.len());
        let held = self.hold_interrupt();
        let mut last = None;
        let mut ended: Vec<Waited> = Vec::new();
        for (i, s) in stages.iter().enumerate() {
            match s {
                Stage::Done(n) => {
                    last = None;
                    statuses.push(*n);
                }
                Stage::Process(pid) => {
                    let w = self.wait_held(*pid);
                    last = Some(w.status);
                    statuses.push(w.status.code());
                    ended.push(w);
                    if let WaitStatus::Signaled(_) = w.status
                        && i + 1 == stages.len()
                    {
                        let _ = self.report_signal(&w, || pipeline_text(p));
                    }
                }
            }
        }
        self.foreground_self(last);
        if ended.iter().any(|w| matches!(w.status, WaitStatus::Stopped(_))) {
            self.note_stopped(&ended, pgid, pipeline_text(p));
        }
        self.release_interrupt(held, last);
        statuses
    }

    /// Starts all stages of a pipeline in the background. Returns the processes with their texts.
    pub(crate) fn start_background_stages(&mut self, p: &Pipeline) -> Vec<(Pid, Vec<u8>)> {
        let monitor = self.opts.has(flag::MONITOR);
        let mut started: Vec<(Pid, Vec<u8>)> = Vec::new();
        let mut input = None;
        if !monitor && !self.input_given && !redirects_input(p) {
            input = sys::open(b"/dev/null", sys::open_flags::READ | sys::open_flags::CLOEXEC, 0).ok();
        }
        for (i, command) in p.commands.iter().enumerate() {
            let pipe = if i + 1 == p.commands.len() {
                None
            } else {
                match sys::pipe(true) {
                    Ok(pipe) => Some(pipe),
                    Err(e) => {
                        self.error([b"pipe error: ", e.to_string().as_bytes()].concat());
                        break;
                    }
                }
            };
            let group = monitor.then(|| started.first().map_or(0, |s| s.0));
            let stage = self.clone_stage(command, input, pipe.map(|p| p.1), pipe.map(|p| p.0), group, true);
            if let Some(fd) = input.take() {
                let _ = sys::close(fd);
            }
            if let Some((r, w)) = pipe {
                let _ = sys::close(w);
                input = Some(r);
            }
            match stage {
                Ok(Stage::Process(pid)) => started.push((pid, sandshell_syntax::print::command(command))),
                _ => break,
            }
        }
        if let Some(fd) = input {
            let _ = sys::close(fd);
        }
        started
    }

    // Starts one stage with the given pipe ends. `other` is the read end of its own output, which it must close.
    fn start_stage(
        &mut self,
        command: &Rc<Command>,
        input: Option<Fd>,
        output: Option<Fd>,
        other: Option<Fd>,
        pgid: Option<Pid>,
    ) -> Run<Stage> {
        if let CommandKind::Simple(s) = &command.kind {
            if let Some(stage) = self.try_builtin_stage(command, s, output, pgid)? {
                return Ok(stage);
            }
            if let Some(stage) = self.try_program_stage(command, s, input, output, pgid)? {
                return Ok(stage);
            }
        }
        self.clone_stage(command, input, output, other, pgid, false)
    }

    // Runs a builtin that prints little without a process: its output fits into the pipe before anybody reads it.
    fn try_builtin_stage(
        &mut self,
        command: &Rc<Command>,
        s: &SimpleCommand,
        output: Option<Fd>,
        pgid: Option<Pid>,
    ) -> Run<Option<Stage>> {
        let (Some(output), Some(name)) = (output, s.name) else { return Ok(None) };
        if pgid.is_some()
            || !matches!(&*name.bytes(), b"echo" | b"printf" | b"true" | b":" | b"pwd")
            || !command.redirects.is_empty()
            || !s.assignments.is_empty()
            || self.function(name).is_some()
            || self.builtin_disabled(&name.bytes())
            || self.traps.any()
            || self.opts.has(flag::XTRACE)
            || !s.words.iter().all(|w| pure_word(w, 0))
        {
            return Ok(None);
        }
        if &*name.bytes() == b"printf"
            && s.words.get(1).is_none_or(|w| w.literal.as_ref().is_none_or(|l| l.starts_with(b"-")))
        {
            return Ok(None);
        }
        // Words with command substitutions start programs. They must run beside the other stages, not before them.
        if s.words.iter().any(|w| has_command(&w.parts)) {
            return Ok(None);
        }
        let saved = (self.status, self.line);
        self.at_line(command.line);
        let fields = match self.fields_of_words(&s.words) {
            Ok(f) => f,
            Err(_) => {
                let code = if self.status == 0 { 1 } else { self.status };
                (self.status, self.line) = saved;
                return Ok(Some(Stage::Done(code)));
            }
        };
        let capture = self.capture.replace(Vec::new());
        let _ = self.run_builtin_named(&name.bytes(), &fields);
        let _ = self.flush();
        let text = std::mem::replace(&mut self.capture, capture).unwrap_or_default();
        let code = self.status;
        (self.status, self.line) = saved;
        if text.len() <= SMALL_OUTPUT {
            let _ = sys::write_all(output, &text);
            return Ok(Some(Stage::Done(code)));
        }
        // The output will not fit into the pipe, so a child writes what there is already.
        let child = sys::clone(pgid, || {
            self.become_child(false);
            let _ = sys::dup2(output, 1, false);
            self.put(&text);
            self.finish_builtin(&name.bytes());
            if self.status == 0 || code != 0 { (code & 0xff) as u8 } else { 1 }
        });
        Ok(child.ok().map(Stage::Process))
    }

    // A plain program is started directly.
    fn try_program_stage(
        &mut self,
        command: &Rc<Command>,
        s: &SimpleCommand,
        input: Option<Fd>,
        output: Option<Fd>,
        pgid: Option<Pid>,
    ) -> Run<Option<Stage>> {
        let Some(name) = s.name else { return Ok(None) };
        let bytes = name.bytes();
        if self.function(name).is_some()
            || (builtins::find(&bytes).is_some() && !self.builtin_disabled(&bytes))
            || self.traps.any()
            || self.opts.has(flag::XTRACE)
            || self.opts.restricted
            || !s.assignments.is_empty()
            || !s.words.iter().all(|w| pure_word(w, 0) && !has_command(&w.parts))
            || !command.redirects.iter().all(super::simple::plain_redirect)
        {
            return Ok(None);
        }
        let Some(path) = self.find_program_of_child(&bytes) else { return Ok(None) };
        let saved = (self.status, self.line);
        self.at_line(command.line);
        let fields: Vec<Field> = match self.fields_of_words(&s.words) {
            Ok(f) => f,
            Err(_) => {
                let code = if self.status == 0 { 1 } else { self.status };
                (self.status, self.line) = saved;
                return Ok(Some(Stage::Done(code)));
            }
        };
        let mut base = Vec::with_capacity(2);
        if let Some(fd) = input {
            base.push((0, fd));
        }
        if let Some(fd) = output {
            base.push((1, fd));
        }
        let started = self.spawn_program(&path, &fields, &command.redirects, &base, pgid)?;
        let stage = match started {
            Ok(pid) => Some(Stage::Process(pid)),
            Err(NotStarted::Reported(status)) => Some(Stage::Done(status)),
            Err(NotStarted::Script) => None,
        };
        (self.status, self.line) = saved;
        Ok(stage)
    }

    fn clone_stage(
        &mut self,
        command: &Rc<Command>,
        input: Option<Fd>,
        output: Option<Fd>,
        other: Option<Fd>,
        pgid: Option<Pid>,
        background: bool,
    ) -> Run<Stage> {
        let command = Rc::clone(command);
        self.make_room();
        let quit = self.before_clone(background);
        let gives = !background && self.gives_terminal();
        let child = super::child::clone(pgid, gives, || {
            if let Some(fd) = input {
                let _ = sys::dup2(fd, 0, false);
                if fd != 0 {
                    let _ = sys::close(fd);
                }
            }
            if let Some(fd) = output {
                let _ = sys::dup2(fd, 1, false);
                if fd != 1 {
                    let _ = sys::close(fd);
                }
            }
            if let Some(fd) = other {
                let _ = sys::close(fd);
            }
            self.become_child(background);
            self.input_given |= input.is_some() && !background;
            if background || !shows_jobs(&command) {
                self.jobs.forget_all();
            }
            if matches!(command.kind, CommandKind::Simple(_)) && !background {
                self.subshell = self.subshell.saturating_sub(1);
                // The shell has run the DEBUG trap for this command.
                self.debug_trap_ran = self.traps.any();
            }
            self.run_stage_body(&command);
            self.finish_child()
        });
        super::child::after_clone(quit);
        match child {
            Ok(pid) => Ok(Stage::Process(pid)),
            Err(e) => {
                self.error([b"fork: ", e.to_string().as_bytes()].concat());
                self.status = 254;
                Err(Flow::Discard)
            }
        }
    }

    fn run_stage_body(&mut self, command: &Rc<Command>) {
        self.plain_child = matches!(command.kind, CommandKind::Simple(_));
        self.words_of_child = self.plain_child;
        self.in_parentheses = false;
        self.in_pipe = true;
        let _ = match &command.kind {
            CommandKind::Simple(s) => self.run_simple_command(command, s, !self.traps.any()),
            CommandKind::Subshell(list) => {
                self.subshell_body(&command.redirects, list);
                Ok(())
            }
            _ => {
                // `break` in the stage does not affect loops outside.
                self.loops = 0;
                self.run_compound(command)
            }
        };
    }
}

// In a pipeline, `jobs` shows those of the shell.
fn shows_jobs(command: &Command) -> bool {
    let CommandKind::Simple(s) = &command.kind else { return false };
    let is = |w: &&sandshell_syntax::ast::Word, name: &[u8]| w.literal.as_deref() == Some(name);
    s.words.iter().find(|w| !is(w, b"command")).is_some_and(|w| is(&w, b"jobs"))
}

fn has_command(parts: &[sandshell_syntax::ast::WordPart]) -> bool {
    use sandshell_syntax::ast::WordPart;
    parts.iter().any(|p| match p {
        WordPart::Command(c) => c.read_file.is_none(),
        WordPart::DoubleQuoted(inner) => has_command(inner),
        WordPart::Param(p) => p.source.windows(2).any(|w| w == b"$(") || p.source.contains(&b'`'),
        WordPart::Arith(a) => a.source.windows(2).any(|w| w == b"$(") || a.source.contains(&b'`'),
        _ => false,
    })
}

fn redirects_input(p: &Pipeline) -> bool {
    p.commands.first().is_some_and(|c| super::redirect::takes_input(&c.redirects))
}

fn pipeline_text(p: &Pipeline) -> Vec<u8> {
    let list: Vec<Vec<u8>> = p.commands.iter().map(|c| sandshell_syntax::print::command(c)).collect();
    list.join(&b" | "[..])
}
