//! Running recipes.

use crate::node::{NodeId, Outcome, Recipe, Stage};
use crate::say::{Loc, Result, bytes};
use crate::session::Make;
use crate::text::{Text, is_blank, strip, strip_start, words};
use sandshell_posix::{process, signals};
use sandshell_sys as sys;
use std::rc::Rc;
use sys::WaitStatus;

/// A line of a recipe to be run.
#[derive(Debug)]
struct Line {
    text: Text,
    silent: bool,
    ignore: bool,
    /// To be run even with `-n`.
    always: bool,
    loc: Option<Loc>,
}

/// A recipe being run.
#[derive(Debug)]
pub(crate) struct Job {
    node: NodeId,
    lines: Vec<Line>,
    at: usize,
    pid: sys::Pid,
    env: Vec<Text>,
    shell: Text,
    shell_flags: Vec<Text>,
}

impl Make {
    /// Starts a node's recipe; with one job at a time it also ends it.
    pub(crate) fn start_recipe(&mut self, id: NodeId) -> Result<()> {
        let Some(recipe) = self.graph[id].recipe.clone() else { return Ok(()) };
        self.graph[id].stage = Stage::Busy;
        // `-t` touches the others when the walk comes to them.
        let partners = if self.o.touch { Vec::new() } else { self.graph[id].partners.clone() };
        for partner in partners {
            self.graph[partner].time_before = Some(self.time(partner));
            if self.graph[partner].stage != Stage::Open {
                self.graph[partner].stage = Stage::Busy;
                self.graph[partner].goal = self.graph[id].goal;
            }
        }
        if recipe.is_empty() {
            self.settle(id, Outcome::Fine);
            return Ok(());
        }
        let limit = if self.specials.serial { 1 } else { self.o.jobs };
        while limit > 0 && self.jobs.len() >= limit && !self.halted {
            self.reap()?;
        }
        if self.halted {
            return Ok(());
        }
        let loc = self.loc.take();
        let automatic = self.automatic_scope(id, None);
        let job = self.with_scopes_of(id, automatic, |make| make.prepare(id, &recipe));
        self.loc = loc;
        let job = job?;
        if self.o.trace {
            self.trace(id, recipe.loc.as_ref());
        }
        self.run_from(job)?;
        while limit == 1 && self.graph[id].stage == Stage::Busy {
            self.reap()?;
        }
        Ok(())
    }

    /// Whether a node's recipe is not shown.
    pub(crate) fn is_silent(&self, id: NodeId) -> bool {
        self.o.silent || self.specials.silent || self.silent_targets.contains(&self.graph[id].name)
    }

    fn trace(&self, id: NodeId, loc: Option<&Loc>) {
        let scope = self.automatic_scope(id, None);
        let newer = scope.borrow().get(&b"?"[..]).map(|v| v.value.clone()).unwrap_or_default();
        let name = &self.graph[id].name;
        let place = loc.map_or_else(|| b"<builtin>".to_vec(), Loc::text);
        self.plain(&if newer.is_empty() {
            bytes!(place, ": target '", name, "' does not exist")
        } else {
            bytes!(place, ": update target '", name, "' due to: ", newer)
        });
    }

    // Expands all lines of a recipe.
    fn prepare(&mut self, id: NodeId, recipe: &Recipe) -> Result<Job> {
        let all_silent = self.is_silent(id);
        let all_ignored =
            self.o.ignore || self.specials.ignore || self.ignored_targets.contains(&self.graph[id].name);
        let mut lines = Vec::new();
        for (i, raw) in recipe.lines.iter().enumerate() {
            let offset = recipe.offsets.get(i).copied().unwrap_or(i);
            let loc = recipe.loc.as_ref().map(|l| Loc { file: Rc::clone(&l.file), line: l.line + offset });
            self.loc = loc.clone().or_else(|| Some(Loc { file: Rc::from(&b"<builtin>"[..]), line: 0 }));
            let always = [&b"$(MAKE)"[..], b"${MAKE}"].iter().any(|m| raw.windows(m.len()).any(|w| w == *m));
            let (raw_signs, _) = signs(raw);
            let text = self.expand(raw)?;
            // A variable may hold several lines; the signs of the line in the makefile count for all of them.
            let parts = if self.specials.one_script { vec![text.as_slice()] } else { command_lines(&text) };
            for part in parts {
                let (own, rest) = signs(part);
                lines.push(Line {
                    text: rest.to_vec(),
                    silent: own.0 || raw_signs.0 || all_silent,
                    ignore: own.1 || raw_signs.1 || all_ignored,
                    always: own.2 || raw_signs.2 || always,
                    loc: loc.clone(),
                });
            }
        }
        if self.specials.one_script {
            lines = one_script(lines);
        }
        let shell = strip(&self.var_value(b"SHELL")?).to_vec();
        let flags = self.var_value(b".SHELLFLAGS")?;
        let shell_flags = words(&flags).map(<[u8]>::to_vec).collect();
        Ok(Job { node: id, lines, at: 0, pid: 0, env: self.environment(true)?, shell, shell_flags })
    }

    // Runs the next lines until one has to be waited for, or the recipe is over.
    fn run_from(&mut self, mut job: Job) -> Result<()> {
        while let Some(line) = job.lines.get(job.at) {
            let blank = strip(&line.text).is_empty();
            if self.o.question && !self.o.touch && !line.always && !blank {
                self.settle(job.node, Outcome::Stale);
                return Ok(());
            }
            if blank || (self.o.touch && !line.always) {
                job.at += 1;
                continue;
            }
            if self.o.just_print || self.o.trace || !line.silent {
                self.plain(&line.text);
            }
            self.note_action(job.node);
            if self.o.just_print && !line.always {
                job.at += 1;
                continue;
            }
            match self.spawn_line(&line.text, &job.shell, &job.shell_flags, &job.env, &[]) {
                Ok(pid) => {
                    job.pid = pid;
                    self.jobs.push(job);
                    return Ok(());
                }
                Err(status) if !self.goes_on(&job, WaitStatus::Exited(status)) => {
                    return self.failed(job.node);
                }
                Err(_) => job.at += 1,
            }
        }
        self.settle(job.node, Outcome::Fine);
        Ok(())
    }

    // Tells of a line that failed; true if the recipe goes on.
    fn goes_on(&mut self, job: &Job, status: WaitStatus) -> bool {
        let Some(line) = job.lines.get(job.at) else { return true };
        let what = match status {
            WaitStatus::Exited(n) if n > 0 => format!("Error {n}"),
            WaitStatus::Signaled(n) => signals::describe(n),
            _ => return true,
        };
        let place = line.loc.as_ref().map_or_else(|| b"<builtin>".to_vec(), Loc::text);
        let place = bytes!("[", place, ": ", self.graph[job.node].name, "] ", what);
        if line.ignore {
            if !self.o.silent && !self.specials.silent {
                self.tell_unread(job.node);
                self.warn(None, &bytes!(place, " (ignored)"));
            }
            return true;
        }
        if self.is_optional(job.node) {
            return false;
        }
        self.tell_unread(job.node);
        self.warn(None, &bytes!("*** ", place));
        if matches!(status, WaitStatus::Signaled(_)) || self.specials.delete_failed {
            self.remove_partial(job.node);
        }
        false
    }

    fn failed(&mut self, id: NodeId) -> Result<()> {
        self.settle(id, Outcome::Failed);
        if !self.o.keep_going && !self.halted && !self.is_optional(id) {
            self.halted = true;
            self.wait_for_jobs()?;
        }
        Ok(())
    }

    /// Waits for the jobs that run when nothing more is started.
    pub(crate) fn wait_for_jobs(&mut self) -> Result<()> {
        if !self.jobs.is_empty() {
            self.warn(None, b"*** Waiting for unfinished jobs....");
        }
        while !self.jobs.is_empty() {
            self.reap()?;
        }
        Ok(())
    }

    /// Waits for the end of a child, and goes on with its recipe.
    pub(crate) fn reap(&mut self) -> Result<()> {
        let waited = loop {
            match sys::wait(-1, 0) {
                Ok(Some(waited)) => break waited,
                Ok(None) | Err(sys::Errno::INTR) => {}
                Err(_) => {
                    self.jobs.clear();
                    return Ok(());
                }
            }
        };
        let Some(at) = self.jobs.iter().position(|j| j.pid == waited.pid) else { return Ok(()) };
        let mut job = self.jobs.swap_remove(at);
        if !self.goes_on(&job, waited.status) {
            return self.failed(job.node);
        }
        job.at += 1;
        self.run_from(job)
    }

    // Starts a command line, without the shell if it needs none. The error is the status it is taken to end with.
    fn spawn_line(
        &self,
        text: &[u8],
        shell: &[u8],
        flags: &[Text],
        env: &[Text],
        fds: &[(sys::Fd, Option<sys::Fd>)],
    ) -> std::result::Result<sys::Pid, u8> {
        let default = shell == b"/bin/sh" || shell.is_empty();
        let argv = match simple_words(text) {
            Some(argv) if default && flags.iter().all(|f| f == b"-c" || f == b"-ec") => argv,
            _ => {
                let shell: &[u8] = if shell.is_empty() { b"/bin/sh" } else { shell };
                let mut argv: Vec<Text> = words(shell).map(<[u8]>::to_vec).collect();
                argv.extend(flags.iter().cloned());
                argv.push(strip_start(text).to_vec());
                argv
            }
        };
        let name = argv.first().cloned().unwrap_or_default();
        // The search path is that of the command, not make's own.
        let search = env.iter().find_map(|v| v.strip_prefix(b"PATH=")).unwrap_or(b"/bin:/usr/bin");
        let program = sys::Program { argv: &argv, env, fds, ..sys::Program::default() };
        match process::spawn_from(&program, search) {
            Ok(pid) => Ok(pid),
            Err(e) => {
                self.warn(None, &bytes!(name, ": ", e.to_string()));
                Err(127)
            }
        }
    }

    /// `$(shell COMMAND)`: its output as one line.
    pub(crate) fn shell_output(&mut self, command: &[u8]) -> Result<Text> {
        if strip(command).is_empty() {
            return Ok(Text::new());
        }
        let shell = self.var_value(b"SHELL")?;
        let flags = self.var_value(b".SHELLFLAGS")?;
        let flags: Vec<Text> = words(&flags).map(<[u8]>::to_vec).collect();
        let env: Vec<Text> = self.env.iter().map(|(n, v)| bytes!(n, "=", v)).collect();
        let Ok((read, write)) = sys::pipe(true) else {
            return Err(self.fatal(self.loc.as_ref(), b"pipe: Too many open files"));
        };
        let child = self.spawn_line(command, strip(&shell), &flags, &env, &[(1, Some(write))]);
        let _ = sys::close(write);
        let mut out = match child {
            Ok(_) => sys::read_to_end(read).unwrap_or_default(),
            Err(_) => Text::new(),
        };
        let _ = sys::close(read);
        self.shell_status = Some(match child {
            Err(status) => status.into(),
            Ok(pid) => loop {
                match sys::wait(pid, 0) {
                    Ok(Some(w)) => break w.status.code(),
                    Ok(None) | Err(sys::Errno::INTR) => {}
                    Err(_) => break 127,
                }
            },
        });
        while out.last() == Some(&b'\n') {
            out.pop();
        }
        // Carriage returns before newlines go too.
        let mut text = Text::with_capacity(out.len());
        for (i, b) in out.iter().enumerate() {
            match b {
                b'\r' if out.get(i + 1) == Some(&b'\n') => {}
                b'\n' => text.push(b' '),
                _ => text.push(*b),
            }
        }
        Ok(text)
    }
}

// Splits at newlines that no backslash quotes.
fn command_lines(text: &[u8]) -> Vec<&[u8]> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut slashes = 0;
    for (i, b) in text.iter().enumerate() {
        match b {
            b'\\' => slashes += 1,
            b'\n' if slashes % 2 == 0 => {
                out.push(text.get(start..i).unwrap_or_default());
                start = i + 1;
            }
            _ => slashes = 0,
        }
        if *b == b'\n' {
            slashes = 0;
        }
    }
    out.push(text.get(start..).unwrap_or_default());
    out
}

// Silent, errors ignored, run always; and the line without these signs.
fn signs(line: &[u8]) -> ((bool, bool, bool), &[u8]) {
    let mut flags = (false, false, false);
    let mut at = 0;
    while let Some(b) = line.get(at) {
        match b {
            b'@' => flags.0 = true,
            b'-' => flags.1 = true,
            b'+' => flags.2 = true,
            b if is_blank(*b) => {}
            _ => break,
        }
        at += 1;
    }
    (flags, line.get(at..).unwrap_or_default())
}

// `.ONESHELL`: the lines as one, with the signs of the first.
fn one_script(lines: Vec<Line>) -> Vec<Line> {
    let mut all: Option<Line> = None;
    for line in lines {
        match &mut all {
            None => all = Some(line),
            Some(first) => {
                first.text.push(b'\n');
                first.text.extend_from_slice(&line.text);
                first.always |= line.always;
            }
        }
    }
    all.into_iter().collect()
}

/// Commands that only a shell knows, as far as make hands them to one: those that act on the shell itself, its other
/// built-in ones, and what compound commands begin with.
const SHELL_COMMANDS: [&[&str]; 3] = [
    &[
        ".", ":", "exec", "eval", "exit", "return", "break", "continue", "trap", "set", "shift", "unset",
        "export", "readonly", "times", "cd", "umask",
    ],
    &[
        "alias", "unalias", "bg", "fg", "jobs", "wait", "command", "type", "hash", "fc", "getopts", "read",
        "test", "ulimit", "login", "logout",
    ],
    &["if", "for", "case", "while"],
];

// The words of a line that needs no shell.
fn simple_words(text: &[u8]) -> Option<Vec<Text>> {
    let mut argv: Vec<Text> = Vec::new();
    let mut word: Option<Text> = None;
    let mut bytes = strip_start(text).iter();
    while let Some(b) = bytes.next() {
        match b {
            b' ' | b'\t' => argv.extend(word.take()),
            b'\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match bytes.next()? {
                        b'\'' => break,
                        b'\n' | b'\\' => return None,
                        c => word.push(*c),
                    }
                }
            }
            b'=' if argv.is_empty() => return None,
            b if b"#;\"*?[]&|<>(){}$`^~!\\\n".contains(b) => return None,
            b => word.get_or_insert_default().push(*b),
        }
    }
    argv.extend(word);
    let first = argv.first()?;
    if SHELL_COMMANDS.concat().iter().any(|w| w.as_bytes() == first.as_slice()) {
        return None;
    }
    Some(argv)
}
