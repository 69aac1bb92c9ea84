//! `coproc`.

use super::redirect::FIRST_PRIVATE;
use crate::builtins::args;
use crate::shell::{Run, Shell};
use crate::text;
use crate::variables::Name;
use crate::variables::access::Key;
use sandshell_syntax::ast::{CommandKind, Coproc};
use sandshell_sys as sys;
use std::rc::Rc;
use sys::{Fd, Pid};

/// A coprocess that has not been waited for yet.
#[derive(Clone, Debug)]
pub(crate) struct RunningCoproc {
    pub(crate) name: Name,
    pub(crate) pid: Pid,
    pub(crate) fds: [Fd; 2],
}

impl Shell {
    pub(crate) fn run_coproc(&mut self, c: &Coproc) -> Run {
        if !sandshell_syntax::name::is_name(&c.name.bytes()) {
            self.error([b"`", &*c.name.bytes(), b"': not a valid identifier"].concat());
            self.status = 1;
            return Ok(());
        }
        self.reap();
        self.end_coprocs();
        if let Some(running) = self.coprocs.first() {
            let (pid, name) = (running.pid, running.name.bytes());
            let text = format!("warning: execute_coproc: coproc [{pid}:");
            self.error([text.as_bytes(), &*name, b"] still exists"].concat());
        }
        let (Ok((from, child_out)), Ok((child_in, to))) = (sys::pipe(true), sys::pipe(true)) else {
            self.error("cannot make pipe for coproc: Too many open files");
            self.status = 1;
            return Ok(());
        };
        // As in bash, all descriptors get high numbers.
        let high = |fd: Fd| match (FIRST_PRIVATE..64).rev().find(|n| sys::cloexec(*n).is_err()) {
            Some(n) => match sys::dup(fd, n, true) {
                Ok(moved) => {
                    let _ = sys::close(fd);
                    moved
                }
                Err(_) => fd,
            },
            None => fd,
        };
        let (from, child_out) = (high(from), high(child_out));
        let (child_in, to) = (high(child_in), high(to));
        let command = Rc::clone(&c.command);
        let child = self.start_child(true, move |sh| {
            sh.loops = 0;
            let _ = sys::dup2(child_in, 0, false);
            let _ = sys::dup2(child_out, 1, false);
            for fd in [child_in, child_out, from, to] {
                let _ = sys::close(fd);
            }
            let _ = match &command.kind {
                CommandKind::Simple(s) if sh.traps.get(crate::traps::ERR).is_none() => {
                    sh.in_parentheses = false;
                    sh.in_pipe = false;
                    sh.leaves_level = true;
                    sh.run_simple_command(&command, s, true)
                }
                _ => sh.run_single(&command),
            };
        });
        let _ = sys::close(child_in);
        let _ = sys::close(child_out);
        let Some(pid) = child else { return Ok(()) };
        self.last_background = Some(pid);
        let mut print = b"coproc ".to_vec();
        print.extend_from_slice(&c.name.bytes());
        print.push(b' ');
        print.extend_from_slice(&sandshell_syntax::print::command(&c.command));
        self.jobs.add(vec![pid], None, print, true);
        self.coprocs.push(RunningCoproc { name: c.name, pid, fds: [from, to] });
        // A failed assignment of these variables is not fatal.
        let ends = vec![text::number(from.into()), text::number(to.into())];
        args::tolerate(self.assign_list(c.name, ends))?;
        let pid_name = Name::new(&[&*c.name.bytes(), b"_PID"].concat());
        if !self.check_readonly(pid_name) {
            args::tolerate(self.assign(pid_name, &text::number(pid.into()), false))?;
        }
        self.status = 0;
        Ok(())
    }

    /// Updates the variable of a coprocess whose descriptor has been moved.
    pub(super) fn note_moved_coproc(&mut self, fd: Fd) {
        let Some(c) = self.coprocs.iter_mut().find(|c| c.fds.contains(&fd)) else { return };
        let name = c.name;
        let at = i64::from(c.fds[1] == fd);
        if let Some(end) = c.fds.iter_mut().find(|end| **end == fd) {
            *end = -1;
        }
        let _ = self.assign_element(name, &Key::Index(at), b"-1", false);
    }

    /// Drops coprocesses that have ended, with their descriptors and variables.
    pub(crate) fn end_coprocs(&mut self) {
        let running = std::mem::take(&mut self.coprocs);
        for c in running {
            if self.jobs.by_pid(c.pid).is_some_and(|j| !j.done()) {
                self.coprocs.push(c);
                continue;
            }
            for fd in c.fds {
                let _ = sys::close(fd);
            }
            let (name, _) = self.resolve_nameref(c.name);
            if self.check_readonly(name) {
                self.error([&*name.bytes(), b": cannot unset: readonly variable"].concat());
            } else {
                self.unset_variable(name);
            }
            self.unset_variable(Name::new(&[&*c.name.bytes(), b"_PID"].concat()));
        }
    }
}
