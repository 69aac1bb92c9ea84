//! Traps.

use crate::options::{Shopt, flag};
use crate::shell::{Flow, FrameKind, Run, Shell};
use sandshell_sys as sys;
use std::rc::Rc;
use sys::signal;

/// Pseudo-signals. They are numbered after the real signals, in the order of `trap -p`.
pub(crate) const EXIT: usize = 0;
pub(crate) const DEBUG: usize = 65;
pub(crate) const ERR: usize = 66;
pub(crate) const RETURN: usize = 67;
const COUNT: usize = 68;

/// Signals that end the shell. If it has an EXIT trap, that runs first.
const TERMINATING: [u8; 6] = [signal::SIGHUP, signal::SIGINT, 10, 12, signal::SIGALRM, signal::SIGTERM];

/// The traps of a shell.
#[derive(Debug, Default)]
pub(crate) struct Traps {
    actions: Vec<Option<Rc<[u8]>>>,
    /// Signals that were ignored when the shell started: they cannot be trapped.
    pub(crate) ignored_at_start: u64,
    /// Some signal has an action, so that arrived signals must be checked.
    pub(crate) watching: bool,
    /// The parent's traps. They are reset in a subshell, but `trap -p` still shows them.
    pub(crate) inherited: Option<Vec<Option<Rc<[u8]>>>>,
    /// The EXIT trap of the parent shell, unless the parent was running it.
    outer_exit: Option<Rc<[u8]>>,
    pub(crate) running: Vec<usize>,
    /// `$?` from before each running action.
    before: Vec<i32>,
    /// The signal whose trap ran last. It interrupts `wait`.
    pub(crate) last_signal: Option<u8>,
    pending: Vec<u8>,
}

impl Traps {
    #[inline]
    pub(crate) fn get(&self, signal: usize) -> Option<&Rc<[u8]>> {
        self.actions.get(signal).and_then(Option::as_ref)
    }

    #[inline]
    pub(crate) fn any(&self) -> bool {
        !self.actions.is_empty()
    }

    /// Whether an action may have to run after the last command, so that a program must not replace the shell.
    pub(crate) fn keep_shell(&self) -> bool {
        self.any()
            && self.actions.iter().enumerate().any(|(signal, action)| {
                action
                    .as_ref()
                    .is_some_and(|a| !a.is_empty() && signal != DEBUG || matches!(signal, EXIT | ERR))
            })
    }

    /// The status of `return` without a number in an action, except for DEBUG: `$?` from before the action.
    pub(crate) fn status_to_return(&self) -> Option<i32> {
        self.before.last().copied().filter(|_| self.running.last() != Some(&DEBUG))
    }

    /// The status of `exit` without a number in the EXIT action: `$?` from before the action.
    pub(crate) fn status_to_exit(&self) -> Option<i32> {
        self.before.last().copied().filter(|_| self.running.last() == Some(&EXIT))
    }

    fn put(&mut self, signal: usize, action: Option<Rc<[u8]>>) {
        if self.actions.is_empty() {
            self.actions.resize(COUNT, None);
        }
        if let Some(slot) = self.actions.get_mut(signal) {
            *slot = action;
        }
        self.watching = (0..DEBUG).any(|s| self.get(s).is_some_and(|a| !a.is_empty()));
        if self.actions.iter().all(Option::is_none) {
            self.actions.clear();
        }
    }

    /// Whether the parent shell has an EXIT trap that has not run yet.
    pub(crate) fn exit_of_shell(&self) -> bool {
        self.outer_exit.is_some()
    }

    /// Adopts the EXIT trap of the parent shell.
    pub(crate) fn take_back_exit(&mut self) {
        if let Some(action) = self.outer_exit.take() {
            self.put(EXIT, Some(action));
        }
    }

    /// Resets the traps for a new shell. Ignored signals stay ignored.
    pub(crate) fn begin_again(&mut self) {
        let ignored = (1..DEBUG)
            .filter(|s| self.get(*s).is_some_and(|action| action.is_empty()))
            .fold(self.ignored_at_start, |set, s| set | bit(s));
        *self = Self { ignored_at_start: ignored, ..Self::default() };
    }

    /// Signals with their actions, as `trap` lists them.
    pub(crate) fn list(&self) -> Vec<(usize, Rc<[u8]>)> {
        let actions = self.inherited.as_ref().unwrap_or(&self.actions);
        let mut list: Vec<(usize, Rc<[u8]>)> =
            actions.iter().enumerate().filter_map(|(i, a)| a.clone().map(|a| (i, a))).collect();
        for signal in (1..DEBUG).filter(|s| self.ignored_at_start & bit(*s) != 0) {
            let at = list.partition_point(|e| e.0 < signal);
            let end = list.partition_point(|e| e.0 <= signal);
            list.splice(at..end, [(signal, Rc::from(&b""[..]))]);
        }
        list
    }
}

// The signal's bit in a set of signals from 1 to 64.
fn bit(signal: usize) -> u64 {
    1 << (signal.saturating_sub(1) & 63)
}

/// The name that `trap -p` shows.
pub(crate) fn name_of_signal(number: usize) -> String {
    match number {
        EXIT => "EXIT".into(),
        DEBUG => "DEBUG".into(),
        ERR => "ERR".into(),
        RETURN => "RETURN".into(),
        n => real_name(n).map_or_else(|| n.to_string(), |name| format!("SIG{name}")),
    }
}

/// The name of a real signal without `SIG`, including real-time signals.
pub(crate) fn real_name(n: usize) -> Option<String> {
    match n {
        34 => Some("RTMIN".into()),
        35..=49 => Some(format!("RTMIN+{}", n - 34)),
        50..=63 => Some(format!("RTMAX-{}", 64 - n)),
        64 => Some("RTMAX".into()),
        _ => u8::try_from(n).ok().and_then(signal::name).map(str::to_string),
    }
}

/// The number of a signal or pseudo-signal that is given by name or number.
pub(crate) fn signal_number(text: &[u8], pseudo: bool) -> Option<usize> {
    let text = std::str::from_utf8(text).ok()?;
    if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() {
        return text.parse().ok().filter(|n| *n <= 64);
    }
    let upper = text.to_ascii_uppercase();
    let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
    if pseudo {
        match bare {
            "EXIT" => return Some(EXIT),
            "DEBUG" => return Some(DEBUG),
            "ERR" => return Some(ERR),
            "RETURN" => return Some(RETURN),
            _ => {}
        }
    }
    (1..=64).find(|n| real_name(*n).is_some_and(|name| name == bare))
}

impl Shell {
    /// Sets the action of a signal: `None` resets it, an empty action ignores the signal.
    pub(crate) fn set_trap(&mut self, number: usize, action: Option<Rc<[u8]>>) {
        self.traps.inherited = None;
        if (1..DEBUG).contains(&number) {
            if self.traps.ignored_at_start & bit(number) != 0 {
                return;
            }
            let disposition = match &action {
                None => self.default_disposition(number),
                Some(a) if a.is_empty() => sys::Disposition::Ignore,
                Some(_) => sys::Disposition::Catch,
            };
            if let Ok(n) = u8::try_from(number)
                && n != signal::SIGKILL
                && n != signal::SIGSTOP
            {
                let old = sys::sigaction(n, disposition);
                if self.traps.get(number).is_none()
                    && !self.opts.interactive
                    && old == Ok(sys::Disposition::Ignore)
                    && !self.in_child
                    && n != signal::SIGCHLD
                {
                    // It was ignored when the shell started, and stays so.
                    let _ = sys::sigaction(n, sys::Disposition::Ignore);
                    self.traps.ignored_at_start |= bit(number);
                    return;
                }
            }
        }
        let exit_trap = number == EXIT;
        self.traps.put(number, action);
        if exit_trap {
            self.watch_terminating_signals();
        }
    }

    /// Finds the signals that were ignored when the shell started.
    pub(crate) fn find_ignored(&mut self) {
        if self.in_child || self.opts.interactive {
            return;
        }
        for n in 1..=64 {
            let number = usize::from(n);
            if matches!(n, signal::SIGKILL | signal::SIGSTOP | signal::SIGCHLD)
                || self.traps.get(number).is_some()
                || real_name(number).is_none()
            {
                continue;
            }
            match sys::sigaction(n, sys::Disposition::Ignore) {
                Ok(sys::Disposition::Ignore) => self.traps.ignored_at_start |= bit(number),
                Ok(old) => {
                    let _ = sys::sigaction(n, old);
                }
                Err(_) => {}
            }
        }
    }

    // If there is an EXIT trap, catches the signals that end the shell, so that the trap can run first.
    fn watch_terminating_signals(&mut self) {
        let watch = self.traps.get(EXIT).is_some_and(|a| !a.is_empty());
        for n in TERMINATING {
            let number = usize::from(n);
            if self.traps.get(number).is_some() || self.traps.ignored_at_start & bit(number) != 0 {
                continue;
            }
            let disposition = if watch { sys::Disposition::Catch } else { self.default_disposition(number) };
            if let Ok(sys::Disposition::Ignore) = sys::sigaction(n, disposition) {
                let _ = sys::sigaction(n, sys::Disposition::Ignore);
            }
        }
    }

    /// Whether a signal has no trap of its own but ends the shell after its EXIT trap.
    pub(crate) fn is_terminating(&self, signal: u8) -> bool {
        TERMINATING.contains(&signal)
            && self.traps.get(usize::from(signal)).is_none()
            && self.traps.get(EXIT).is_some_and(|a| !a.is_empty())
            && !(self.opts.interactive && !self.in_child && signal == signal::SIGINT)
    }

    /// Ends the shell as the signal would have, after the EXIT trap. There, `$?` is the status of the last command.
    pub(crate) fn end_by_signal(&mut self, signal: u8) -> Flow {
        self.act_on_exit();
        self.status = 128 + i32::from(signal);
        let _ = self.flush();
        let _ = sys::sigaction(signal, sys::Disposition::Default);
        let _ = sys::kill(sys::getpid(), signal);
        Flow::Exit
    }

    fn default_disposition(&self, number: usize) -> sys::Disposition {
        let interactive = self.opts.interactive && !self.in_child;
        match u8::try_from(number) {
            Ok(signal::SIGINT) if interactive => sys::Disposition::Catch,
            Ok(signal::SIGTERM) if interactive => sys::Disposition::IgnoreHere,
            Ok(signal::SIGQUIT) if !self.in_child => sys::Disposition::IgnoreHere,
            Ok(n) if TERMINATING.contains(&n) && self.traps.get(EXIT).is_some_and(|a| !a.is_empty()) => {
                sys::Disposition::Catch
            }
            _ => sys::Disposition::Default,
        }
    }

    /// Resets the traps that a subshell does not inherit.
    pub(crate) fn reset_traps_in_child(&mut self) {
        self.traps.outer_exit = self.traps.get(EXIT).filter(|_| !self.exiting).cloned();
        if !self.traps.any() {
            return;
        }
        let before = self.traps.actions.clone();
        for number in 0..COUNT {
            let Some(action) = self.traps.get(number) else { continue };
            let keep = match number {
                EXIT => {
                    for n in TERMINATING {
                        if self.traps.get(usize::from(n)).is_none()
                            && self.traps.ignored_at_start & bit(usize::from(n)) == 0
                            && let Ok(sys::Disposition::Ignore) = sys::sigaction(n, sys::Disposition::Default)
                        {
                            let _ = sys::sigaction(n, sys::Disposition::Ignore);
                        }
                    }
                    false
                }
                DEBUG | RETURN => self.opts.has(flag::FUNCTRACE),
                ERR => self.opts.has(flag::ERRTRACE),
                _ => action.is_empty(),
            };
            if !keep {
                if (1..DEBUG).contains(&number)
                    && let Ok(n) = u8::try_from(number)
                {
                    let _ = sys::sigaction(n, sys::Disposition::Default);
                }
                self.traps.put(number, None);
            }
        }
        self.traps.pending.clear();
        self.traps.before.clear();
        self.traps.inherited = Some(before);
        // Commands of a DEBUG trap must not run the DEBUG trap again.
        self.traps.running.retain(|n| *n >= DEBUG);
    }

    /// Notes a signal for the next point where traps run.
    pub(crate) fn note_signal(&mut self, number: u8) {
        // A trap runs once even if its signal arrived several times. Only SIGCHLD counts each time.
        if number == signal::SIGCHLD || !self.traps.pending.contains(&number) {
            self.traps.pending.push(number);
        }
    }

    /// Takes the ends of children out of the signals that have arrived: how many they are.
    pub(crate) fn take_ended_children(&mut self) -> usize {
        let before = self.traps.pending.len();
        self.traps.pending.retain(|number| *number != signal::SIGCHLD);
        before - self.traps.pending.len()
    }

    /// Runs the traps of signals that have arrived.
    #[inline]
    pub(crate) fn answer_signals(&mut self) -> Run {
        if self.traps.watching || self.opts.interactive { self.run_pending() } else { Ok(()) }
    }

    fn run_pending(&mut self) -> Run {
        while let Some(n) = sys::sigtake() {
            if n != signal::SIGCHLD {
                self.note_signal(n);
            }
        }
        // The lowest signal number comes first.
        while let Some(n) = self.traps.pending.iter().min().copied() {
            if let Some(at) = self.traps.pending.iter().position(|p| *p == n) {
                self.traps.pending.remove(at);
            }
            let number = usize::from(n);
            match self.traps.get(number).cloned() {
                Some(action) => {
                    self.traps.last_signal = Some(n);
                    self.run_trap(number, &action)?;
                }
                None if n == signal::SIGINT && self.opts.interactive && !self.in_child => {
                    self.status = 130;
                    return Err(Flow::GiveUp);
                }
                None if self.is_terminating(n) => return Err(self.end_by_signal(n)),
                None => {}
            }
        }
        Ok(())
    }

    /// Runs an action; `$?` is kept.
    pub(crate) fn run_trap(&mut self, number: usize, action: &[u8]) -> Run {
        if action.is_empty() {
            return Ok(());
        }
        let (status, pipestatus, line) = (self.status, self.pipestatus.clone(), self.line);
        let command_text = self.command_text.clone();
        if command_text.is_none() && self.command.is_some() {
            self.command_text = Some(self.bash_command());
        }
        let saved_tested = self.tested;
        let out = std::mem::take(&mut self.out);
        let last_arg = self.last_arg.clone();
        self.traps.running.push(number);
        self.traps.before.push(status);
        // Lines are counted from the interrupted line in DEBUG, ERR and RETURN, and from 1 in EXIT and signal traps.
        let first = if matches!(number, DEBUG | ERR | RETURN) { self.line } else { 1 };
        let result = self.eval_text(action, first.max(1), true);
        self.traps.running.pop();
        self.traps.before.pop();
        self.out = out;
        self.tested = saved_tested;
        self.line = line;
        self.command_text = command_text;
        self.last_arg = last_arg;
        match result {
            Ok(()) => {
                self.status = status;
                self.pipestatus = pipestatus;
                Ok(())
            }
            // `return` or `exit` without argument in a trap uses the status from before the trap.
            Err(flow) => Err(flow),
        }
    }

    /// Removes the traps that a function does not inherit: ERR without `errtrace`, and DEBUG and RETURN without
    /// `functrace`.
    pub(crate) fn hide_traps(&mut self, traced: bool) -> Vec<(usize, Rc<[u8]>)> {
        if !self.traps.any() {
            return Vec::new();
        }
        let traced = traced || self.opts.has(flag::FUNCTRACE);
        let hidden = [(DEBUG, traced), (ERR, self.opts.has(flag::ERRTRACE)), (RETURN, traced)];
        self.take_traps(hidden.into_iter().filter(|(_, inherited)| !inherited).map(|(n, _)| n))
    }

    /// Removes the DEBUG trap, which a sourced file does not inherit.
    pub(crate) fn hide_debug_trap(&mut self) -> Vec<(usize, Rc<[u8]>)> {
        let inherited = self.opts.has(flag::FUNCTRACE);
        self.take_traps((!inherited).then_some(DEBUG).into_iter())
    }

    /// Restores hidden traps, unless others have been set meanwhile.
    pub(crate) fn show_traps(&mut self, hidden: Vec<(usize, Rc<[u8]>)>) {
        for (number, action) in hidden {
            if self.traps.get(number).is_none() {
                self.traps.put(number, Some(action));
            }
        }
    }

    fn take_traps(&mut self, numbers: impl Iterator<Item = usize>) -> Vec<(usize, Rc<[u8]>)> {
        let mut taken = Vec::new();
        for number in numbers {
            if let Some(action) = self.traps.get(number).cloned() {
                self.traps.put(number, None);
                taken.push((number, action));
            }
        }
        taken
    }

    /// Runs the ERR trap after a failed command.
    pub(crate) fn act_on_failure(&mut self) -> Run {
        match self.traps.get(ERR).cloned() {
            Some(action) if !self.traps.running.contains(&ERR) => self.run_trap(ERR, &action),
            _ => Ok(()),
        }
    }

    /// The number of functions and sourced files being run.
    pub(crate) fn function_depth(&self) -> usize {
        self.frames.iter().filter(|f| f.kind == FrameKind::Function).count()
    }

    /// Runs the DEBUG trap before a command. With `extdebug`, a status other than 0 skips the command (`Ok(false)`).
    pub(crate) fn act_before_command(&mut self) -> Run<bool> {
        let Some(action) = self.traps.get(DEBUG).cloned() else { return Ok(true) };
        if std::mem::take(&mut self.debug_trap_ran) {
            return Ok(true);
        }
        if self.traps.running.contains(&DEBUG) || action.is_empty() {
            return Ok(true);
        }
        let status = self.status;
        let pipestatus = self.pipestatus.clone();
        self.run_trap_status(DEBUG, &action)?;
        let code = std::mem::replace(&mut self.status, status);
        self.pipestatus = pipestatus;
        if self.opts.shopt(Shopt::extdebug) {
            if code == 2 && self.vars.in_function() {
                return Err(Flow::Return);
            }
            return Ok(code == 0);
        }
        Ok(true)
    }

    // As `run_trap`, but `$?` becomes the status of the action.
    fn run_trap_status(&mut self, number: usize, action: &[u8]) -> Run {
        let line = self.line;
        let command_text = self.command_text.clone();
        let out = std::mem::take(&mut self.out);
        let last_arg = self.last_arg.clone();
        self.traps.running.push(number);
        if command_text.is_none() {
            self.command_text = Some(self.bash_command());
        }
        let result = self.eval_text(action, line.max(1), true);
        self.command_text = command_text;
        self.traps.running.pop();
        self.out = out;
        self.line = line;
        self.last_arg = last_arg;
        result
    }

    /// Runs the RETURN trap at the end of a function or sourced file. In it, `$?` is the status of the last command
    /// before `return`.
    pub(crate) fn act_on_return(&mut self, returned: bool) -> Run {
        match self.traps.get(RETURN).cloned() {
            // The DEBUG trap's action does not trigger another trap.
            Some(action) if !self.traps.running.iter().any(|n| matches!(*n, RETURN | DEBUG)) => {
                let status = self.status;
                if returned {
                    self.status = self.before_return;
                }
                let result = self.run_trap(RETURN, &action);
                if result.is_ok() {
                    self.status = status;
                }
                result
            }
            _ => Ok(()),
        }
    }

    /// Called where `exit` or `set -e` ends the shell. In functions and subshells, the EXIT trap runs at once, before
    /// redirections are undone.
    pub(crate) fn act_where_left(&mut self) {
        if self.traps.get(EXIT).is_some() && (self.in_child || self.function_depth() > 0) {
            self.act_on_exit();
        }
    }

    /// Runs the EXIT trap. Returns the exit status.
    pub(crate) fn act_on_exit(&mut self) -> i32 {
        if self.exiting {
            return self.status;
        }
        self.exiting = true;
        // The trap is still listed, but does not run again, because the shell is ending.
        let Some(action) = self.traps.get(EXIT).cloned() else { return self.status };
        self.line = 1;
        // `exit` in the action sets the status; otherwise the status is kept.
        let _ = self.run_trap(EXIT, &action);
        self.status
    }
}
