//! Subshells and background commands: copies of the shell.

use super::list::Place;
use crate::field::Field;
use crate::options::{Shopt, flag};
use crate::shell::{Flow, Frame, FrameKind, Run, Shell};
use sandshell_syntax::ast::{AndOr, Command, CommandKind, List};
use sandshell_sys as sys;
use std::rc::Rc;
use sys::Pid;

impl Shell {
    /// Runs `f` in a copy of the shell and waits for it.
    pub(crate) fn run_in_child(
        &mut self,
        background: bool,
        text: impl FnOnce() -> Vec<u8>,
        f: impl FnOnce(&mut Self),
    ) -> Run {
        let Some(pid) = self.start_child(background, f) else { return Ok(()) };
        self.foreground(pid);
        let w = self.wait_foreground(pid);
        self.foreground_self(Some(w.status));
        self.status = w.status.code();
        match w.status {
            sys::WaitStatus::Stopped(_) => self.note_stopped(&[w], Some(pid), text()),
            _ => self.report_signal(&w, text)?,
        }
        self.answer_signals()
    }

    /// Starts a copy of the shell that runs `f` and exits. `None`, after a message, if no process can be created.
    pub(crate) fn start_child(&mut self, background: bool, f: impl FnOnce(&mut Self)) -> Option<Pid> {
        let _ = self.flush();
        self.make_room();
        let pgid = self.opts.has(flag::MONITOR).then_some(0);
        let quit = self.before_clone(background);
        let gives = !background && self.gives_terminal();
        let child = clone(pgid, gives, || {
            self.become_child(background);
            f(self);
            self.finish_child()
        });
        after_clone(quit);
        match child {
            Ok(pid) => Some(pid),
            Err(e) => {
                self.error([b"fork: ", e.to_string().as_bytes()].concat());
                self.status = 254;
                None
            }
        }
    }

    /// Ignores SIGQUIT before a background child is cloned, because the signal may be sent to the child at once.
    pub(crate) fn before_clone(&self, background: bool) -> Option<sys::Disposition> {
        let quit = sys::signal::SIGQUIT;
        let ignores =
            background && !self.opts.has(flag::MONITOR) && self.traps.get(usize::from(quit)).is_none();
        if ignores { sys::sigaction(quit, sys::Disposition::Ignore).ok() } else { None }
    }

    /// Notes that children of the foreground have stopped: they become a job.
    pub(crate) fn note_stopped(&mut self, processes: &[sys::Waited], group: Option<Pid>, text: Vec<u8>) {
        let pids = processes.iter().map(|w| w.pid).collect();
        let number = self.jobs.add(pids, group, text, false);
        for w in processes {
            self.jobs.note(*w);
        }
        self.report_stopped(number);
    }

    /// Reports that a foreground job has stopped. A script gets no such report.
    pub(crate) fn report_stopped(&mut self, number: usize) {
        if self.opts.interactive || self.opts.command_string {
            let line = self.job_line(number, false);
            self.write_error(&[b"\n", &*line].concat());
        }
    }

    /// `( list )`
    pub(crate) fn run_subshell(&mut self, command: &Rc<Command>, list: &Rc<List>) -> Run {
        if self.command_text.is_none() {
            self.command = Some(Rc::clone(command));
        }
        let list = Rc::clone(list);
        let redirects = command.redirects.clone();
        let shown = Rc::clone(command);
        let text = || sandshell_syntax::print::command(&shown);
        self.run_in_child(false, text, move |sh| sh.subshell_body(&redirects, &list))
    }

    /// Runs in the child of `( list )`.
    pub(crate) fn subshell_body(&mut self, redirects: &[sandshell_syntax::ast::Redirect], list: &Rc<List>) {
        // `break` in a subshell does not affect loops outside.
        self.loops = 0;
        self.in_parentheses = true;
        self.in_pipe = false;
        self.jobs.forget_all();
        let mut undo = Vec::new();
        if let Some(r) = redirects.last() {
            self.at_line(r.line);
        }
        match self.redirect(redirects, &mut undo) {
            Ok(Ok(())) => {
                self.keep_redirects(undo);
                self.input_given |= super::redirect::takes_input(redirects);
                let _ = self.run_last_list(list, Place::Parentheses);
            }
            Ok(Err(())) => self.status = 1,
            Err(_) => {}
        }
    }

    /// `list &`
    pub(crate) fn run_background(&mut self, and_or: &Rc<AndOr>) -> Run {
        let text = sandshell_syntax::print::and_or(and_or);
        let first_line = and_or.first.commands.first().map_or(0, |c| c.line);
        self.at_line(first_line);
        let monitor = self.opts.has(flag::MONITOR);
        let list = if and_or.rest.is_empty() && and_or.first.negated {
            // bash does not invert the status of a pipeline in the background.
            let mut plain = AndOr::clone(and_or);
            plain.first.negated = false;
            Rc::new(plain)
        } else {
            Rc::clone(and_or)
        };
        let mut debug_trap_ran = false;
        if let ([], [command]) = (and_or.rest.as_slice(), and_or.first.commands.as_slice())
            && matches!(command.kind, CommandKind::Simple(_))
        {
            if !self.before_command(command)? {
                return Ok(());
            }
            debug_trap_ran = true;
        }
        if let ([], [command]) = (and_or.rest.as_slice(), and_or.first.commands.as_slice())
            && let CommandKind::Simple(s) = &command.kind
            && s.words.first().and_then(|w| w.literal.as_ref()).is_some_and(|l| l.starts_with(b"%"))
        {
            let fields = self.fields_of_words(&s.words)?;
            return self.resume_job("bg", fields);
        }
        if and_or.rest.is_empty() && and_or.first.commands.len() > 1 && and_or.first.time.is_none() {
            return self.run_background_pipeline(&list.first, text);
        }
        // Without job control, a background command does not read the shell's standard input.
        let null_input = !monitor && !self.input_given && !has_stdin_redirect(and_or);
        let child = self.start_child(true, move |sh| {
            sh.in_parentheses = false;
            sh.in_pipe = false;
            if null_input
                && let Ok(fd) = sys::open(b"/dev/null", sys::open_flags::READ, 0)
                && fd != 0
            {
                let _ = sys::dup2(fd, 0, false);
                let _ = sys::close(fd);
            }
            sh.jobs.forget_all();
            sh.debug_trap_ran = debug_trap_ran;
            sh.run_background_body(&list);
        });
        let Some(pid) = child else { return Ok(()) };
        self.last_background = Some(pid);
        let number = self.jobs.add(vec![pid], monitor.then_some(pid), text, true);
        self.tell_job(number, pid);
        self.status = 0;
        self.set_pipestatus_one();
        Ok(())
    }

    /// Tells the user of an interactive shell the number of a job. Subshells have no user.
    fn tell_job(&mut self, number: usize, pid: Pid) {
        if self.opts.interactive && !self.in_child {
            self.write_error(format!("[{number}] {pid}\n").as_bytes());
        }
    }

    // Each stage becomes a process of the job.
    fn run_background_pipeline(&mut self, p: &sandshell_syntax::ast::Pipeline, text: Vec<u8>) -> Run {
        let processes = self.start_background_stages(p);
        let Some(last) = processes.last().map(|s| s.0) else { return Ok(()) };
        let leader = processes.first().map(|s| s.0).filter(|_| self.opts.has(flag::MONITOR));
        self.last_background = Some(last);
        let number = self.jobs.add(processes.iter().map(|s| s.0).collect(), leader, text, true);
        let pipefail = self.opts.has(flag::PIPEFAIL);
        if let Some(job) = self.jobs.get_mut(number) {
            job.pipefail = pipefail;
            for (process, (_, text)) in job.processes.iter_mut().zip(processes) {
                process.text = text;
            }
        }
        self.tell_job(number, last);
        self.status = 0;
        self.set_pipestatus_one();
        Ok(())
    }

    fn run_background_body(&mut self, and_or: &Rc<AndOr>) {
        // `( list ) &` is one process, not two.
        if and_or.rest.is_empty()
            && !and_or.first.negated
            && and_or.first.time.is_none()
            && let [command] = and_or.first.commands.as_slice()
            && let CommandKind::Subshell(list) = &command.kind
        {
            self.at_line(command.line);
            self.subshell_body(&command.redirects, list);
            return;
        }
        if let ([], None, [command]) =
            (and_or.rest.as_slice(), and_or.first.time, and_or.first.commands.as_slice())
            && let CommandKind::Simple(simple) = &command.kind
        {
            // The child is the command itself, so no ERR trap runs after it.
            self.plain_child = true;
            self.words_of_child = true;
            let last = self.may_replace();
            self.leaves_level = last;
            let _ = self.run_simple_command(command, simple, last);
            return;
        }
        self.plain_child = and_or.rest.is_empty()
            && matches!(and_or.first.commands.as_slice(), [c] if matches!(c.kind, CommandKind::Simple(_)));
        if !self.plain_child {
            // `break` in the list does not affect loops outside.
            self.loops = 0;
        }
        let item =
            sandshell_syntax::ast::ListItem { and_or: Rc::clone(and_or), background: false, newline: false };
        let list = List { items: vec![item] };
        let _ = self.run_last_list(&list, Place::Background);
    }

    /// Runs a script file from an open descriptor, in a child that was cloned from this shell.
    pub(crate) fn run_script_in_child(&mut self, fd: sys::Fd, path: &[u8], args: Vec<Field>) {
        self.reset_for_script(path, args);
        self.reading_from = Some(fd);
        match self.run_lines(fd, false) {
            Ok(())
            | Err(
                Flow::Exit | Flow::Discard | Flow::GiveUp | Flow::Break(_) | Flow::Continue(_) | Flow::Return,
            ) => {}
        }
    }

    // Resets everything that a newly started shell would not inherit.
    fn reset_for_script(&mut self, path: &[u8], args: Vec<Field>) {
        let names: Vec<_> = self.vars.sorted();
        for (_, name) in names {
            if self.vars.get(name).is_some_and(|v| !v.has(crate::variables::attr::EXPORT)) {
                self.vars.take(name);
            }
        }
        self.ifs = crate::shell::Ifs::new(None);
        for (_, f) in self.all_functions() {
            if !f.exported.get() {
                self.undefine_function(f.function.name);
            }
        }
        self.aliases.clear();
        // bash does not reset this one option.
        let skips_dots = self.opts.shopt(Shopt::globskipdots);
        self.opts = crate::options::Options::default();
        self.opts.set_shopt(Shopt::globskipdots, skips_dots);
        self.frames.clear();
        self.frames.push(Frame {
            kind: FrameKind::Script,
            name: Rc::from(&b"main"[..]),
            source: Rc::from(path),
            line: 0,
        });
        self.arg0 = path.to_vec();
        self.args = Rc::new(args);
        self.loops = 0;
        self.tested = 0;
        self.depth = 0;
        self.subshell = 0;
        self.pid = sys::getpid();
        self.parent = sys::getppid();
        self.dir_stack.clear();
        self.jobs = crate::jobs::Jobs::default();
        self.last_background = None;
        self.in_child = false;
        self.traps.begin_again();
        crate::args::ignore_here(sys::signal::SIGQUIT);
    }
}

/// Restores the action of SIGQUIT that [`Shell::before_clone`] returned.
pub(crate) fn after_clone(before: Option<sys::Disposition>) {
    if let Some(disposition) = before {
        let _ = sys::sigaction(sys::signal::SIGQUIT, disposition);
    }
}

fn has_stdin_redirect(a: &AndOr) -> bool {
    a.first.commands.first().is_some_and(|c| super::redirect::takes_input(&c.redirects))
        && a.first.commands.len() == 1
        && matches!(a.first.commands.first().map(|c| &c.kind), Some(CommandKind::Simple(_)))
        && a.rest.is_empty()
}

/// A copy of this process in a process group, which gets the terminal if `gives`.
pub(super) fn clone<'a>(pgid: Option<Pid>, gives: bool, f: impl FnOnce() -> u8 + 'a) -> sys::Result<Pid> {
    match pgid {
        Some(pgid) if gives => sys::clone_foreground(pgid, f),
        _ => sys::clone(pgid, f),
    }
}
