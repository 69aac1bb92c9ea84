//! Lists and and-or lists.

use crate::options::flag;
use crate::shell::{Flow, Run, Shell};
use sandshell_syntax::ast::{AndOr, AndOrOp, Command, CommandKind, List, Pipeline};
use std::rc::Rc;

/// Where the last list of a shell stands. In these places bash replaces the shell by its last program, which then has
/// the shell's own level (`SHLVL`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The last command of a `-c` text, or a command substitution.
    Text,
    ProcessSubstitution,
    Parentheses,
    Background,
}

impl Shell {
    /// Runs a list in this process.
    pub(crate) fn run_list(&mut self, list: &List) -> Run {
        for item in &list.items {
            if self.opts.has(flag::NOEXEC) && !self.opts.interactive {
                return Ok(());
            }
            if item.background {
                self.run_background(&item.and_or)?;
            } else {
                self.run_and_or(&item.and_or)?;
            }
        }
        Ok(())
    }

    /// Runs a list after which the shell ends: its last command may replace the process.
    pub(crate) fn run_last_list(&mut self, list: &List, place: Place) -> Run {
        let Some((last, first)) = list.items.split_last() else { return Ok(()) };
        for item in first {
            if self.opts.has(flag::NOEXEC) && !self.opts.interactive {
                return Ok(());
            }
            if item.background {
                self.run_background(&item.and_or)?;
            } else {
                self.run_and_or(&item.and_or)?;
            }
        }
        if self.opts.has(flag::NOEXEC) && !self.opts.interactive {
            return Ok(());
        }
        if last.background {
            return self.run_background(&last.and_or);
        }
        if last.and_or.rest.is_empty()
            && !last.and_or.first.negated
            && last.and_or.first.time.is_none()
            && let [command] = last.and_or.first.commands.as_slice()
            && let CommandKind::Simple(simple) = &command.kind
            && self.may_replace()
        {
            self.leaves_level = match (place, first.last()) {
                (Place::Background, _) => self.plain_child,
                (Place::Parentheses, None) => true,
                (Place::ProcessSubstitution, _) => true,
                (_, before) => command.redirects.is_empty() && before.is_none_or(|i| !i.background),
            };
            return self.run_simple_command(command, simple, true);
        }
        self.run_last_and_or(&last.and_or, first.is_empty() && place != Place::Background)
    }

    // As `run_and_or`. With `optimizing`, the command after the last `&&` or `||` may replace the shell, by bash's
    // rules.
    fn run_last_and_or(&mut self, a: &AndOr, optimizing: bool) -> Run {
        if optimizing
            && let Some(((op, last), before)) = a.rest.split_last()
            && !last.negated
            && last.time.is_none()
            && let [command] = last.commands.as_slice()
            && command.redirects.is_empty()
            && let CommandKind::Simple(simple) = &command.kind
        {
            let before = AndOr { first: a.first.clone(), rest: before.to_vec() };
            self.tested += 1;
            let result = self.run_and_or(&before);
            self.tested -= 1;
            result?;
            if (self.status == 0) != (*op == AndOrOp::And) {
                return Ok(());
            }
            if !self.may_replace() {
                return self.run_pipeline(last);
            }
            self.leaves_level = true;
            return self.run_simple_command(command, simple, true);
        }
        self.run_and_or(a)
    }

    // Whether the shell has nothing to do after the last command but to exit.
    pub(crate) fn may_replace(&self) -> bool {
        !self.traps.keep_shell()
            && self.jobs.list.is_empty()
            && self.jobs.others.is_empty()
            && self.process_subs.is_empty()
            && !self.opts.interactive
            && !self.opts.has(flag::MONITOR)
    }

    #[inline]
    pub(crate) fn run_and_or(&mut self, a: &AndOr) -> Run {
        if a.rest.is_empty() {
            return self.run_pipeline(&a.first);
        }
        self.run_and_or_rest(a)
    }

    fn run_and_or_rest(&mut self, a: &AndOr) -> Run {
        let last = a.rest.len() - 1;
        self.tested += 1;
        let result = self.run_pipeline(&a.first);
        self.tested -= 1;
        result?;
        for (i, (op, pipeline)) in a.rest.iter().enumerate() {
            if (self.status == 0) != (*op == AndOrOp::And) {
                continue;
            }
            if i == last {
                self.run_pipeline(pipeline)?;
            } else {
                self.tested += 1;
                let result = self.run_pipeline(pipeline);
                self.tested -= 1;
                result?;
            }
        }
        Ok(())
    }

    /// Runs a condition. Its failure is a result, not an error.
    pub(crate) fn run_condition(&mut self, list: &List) -> Run<bool> {
        self.tested += 1;
        let result = self.run_list(list);
        self.tested -= 1;
        result?;
        Ok(self.status == 0)
    }

    #[inline]
    pub(crate) fn run_pipeline(&mut self, p: &Pipeline) -> Run {
        if let [command] = p.commands.as_slice()
            && !p.negated
            && p.time.is_none()
        {
            return self.run_single(command);
        }
        self.run_pipeline_slow(p)
    }

    fn run_pipeline_slow(&mut self, p: &Pipeline) -> Run {
        if let Some(format) = p.time {
            return self.run_timed(p, format);
        }
        if p.negated {
            // Without `set -e`, commands inside a negated one still run the ERR trap.
            let tested = u32::from(self.opts.has(flag::ERREXIT));
            self.tested += tested;
            let result = match p.commands.as_slice() {
                [command] => match &command.kind {
                    CommandKind::Simple(simple) => {
                        let result = self.run_simple_command(command, simple, false);
                        self.set_pipestatus_one();
                        result
                    }
                    CommandKind::Conditional(_) | CommandKind::Arith(_) => {
                        self.tested += 1;
                        let result = self.run_compound(command);
                        self.tested -= 1;
                        result
                    }
                    kind => {
                        let result = self.run_compound(command);
                        if matches!(kind, CommandKind::Subshell(_)) {
                            self.set_pipestatus_one();
                        }
                        result
                    }
                },
                _ => self.run_stages(p),
            };
            self.tested -= tested;
            if matches!(result, Ok(()) | Err(Flow::Break(_) | Flow::Continue(_))) {
                self.status = i32::from(self.status == 0);
            }
            return result;
        }
        self.run_stages(p)?;
        if let Some(last) = p.commands.last()
            && matches!(last.kind, CommandKind::Subshell(_))
            && self.traps.any()
            && self.status != 0
            && self.tested == 0
        {
            // As in bash, the trap runs once for the subshell and once for the pipeline.
            if self.command_text.is_none() {
                self.command = Some(Rc::clone(last));
            }
            self.act_on_failure()?;
        }
        self.after_command()
    }

    /// Runs one command that is not part of a longer pipeline.
    #[inline]
    pub(crate) fn run_single(&mut self, command: &Rc<Command>) -> Run {
        match &command.kind {
            CommandKind::Simple(simple) => {
                let trapped = self.traps.any() && self.traps.get(crate::traps::ERR).is_some();
                self.run_simple_command(command, simple, false)?;
                self.set_pipestatus_one();
                if self.status != 0 { self.after_simple_command(trapped) } else { Ok(()) }
            }
            _ => {
                self.run_compound(command)?;
                match &command.kind {
                    CommandKind::Subshell(_) => {
                        self.set_pipestatus_one();
                        self.after_command()
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    #[inline]
    pub(crate) fn set_pipestatus_one(&mut self) {
        if let [one] = self.pipestatus.as_mut_slice() {
            *one = self.status;
        } else {
            self.pipestatus.clear();
            self.pipestatus.push(self.status);
        }
    }

    /// The ERR trap and `set -e`, after a command that may have failed.
    #[inline]
    pub(crate) fn after_command(&mut self) -> Run {
        self.after_simple_command(true)
    }

    // `trapped`: an ERR trap was set before the command. A command that sets one does not run it for its own status.
    #[inline]
    fn after_simple_command(&mut self, trapped: bool) -> Run {
        if self.status == 0 || self.tested > 0 {
            return Ok(());
        }
        if trapped && self.traps.any() {
            self.act_on_failure()?;
        }
        if self.opts.has(flag::ERREXIT) {
            if !self.in_child {
                // The EXIT trap must not see local variables of the functions that end.
                while self.vars.in_function() {
                    self.close_scope();
                }
            }
            self.act_where_left();
            return Err(Flow::Exit);
        }
        Ok(())
    }
}
