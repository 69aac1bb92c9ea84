//! Simple commands.

use super::redirect;
use crate::builtins::{self as builtins, Kind};
use crate::expand::assignment::without_tildes;
use crate::field::Field;
use crate::options::flag;
use crate::path;
use crate::shell::{Flow, Run, Shell};
use crate::variables::{Name, ScopeKind, Value, attr};
use sandshell_syntax::ast::{
    Assignment, AssignmentValue, Command, Redirect, RedirectFd, RedirectKind, SimpleCommand, Word,
};
use sandshell_sys as sys;
use std::rc::Rc;
use sys::{Errno, Fd, Pid};

/// Why a program was not started.
pub(crate) enum NotStarted {
    /// The error has been reported; this is the status.
    Reported(i32),
    /// The kernel cannot run the file: it may be a script without `#!`.
    Script,
}

/// Which arguments of a command are expanded as assignments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declares {
    Nothing,
    /// Only `name=(...)`: for arguments of `command declare` or `builtin local`.
    Arrays,
    All,
}

/// Whether a redirection has no side effect on the shell, so that it can be applied to the child's descriptors only.
pub(crate) fn plain_redirect(r: &Redirect) -> bool {
    !matches!(r.fd, RedirectFd::Variable(_))
        && !matches!(r.kind, RedirectKind::DuplicateWord { .. })
        && expanded_word(r).is_none_or(|w| crate::expand::command::pure_word(w, 0))
}

// Whether a redirection may change the shell's variables.
fn changes_shell(r: &Redirect) -> bool {
    matches!(r.fd, RedirectFd::Variable(_))
        || expanded_word(r).is_some_and(|w| !w.parts.iter().all(crate::expand::command::pure_or_process))
}

// The part of a redirection that is expanded.
fn expanded_word(r: &Redirect) -> Option<&Word> {
    match &r.kind {
        RedirectKind::Read(w)
        | RedirectKind::Write(w)
        | RedirectKind::Clobber(w)
        | RedirectKind::Append(w)
        | RedirectKind::ReadWrite(w)
        | RedirectKind::WriteBoth(w)
        | RedirectKind::AppendBoth(w)
        | RedirectKind::HereString(w)
        | RedirectKind::DuplicateWord { word: w, .. } => Some(w),
        RedirectKind::HereDoc(d) => d.body.get().filter(|_| !d.quoted),
        RedirectKind::Duplicate { .. } | RedirectKind::Move { .. } | RedirectKind::Close { .. } => None,
    }
}

impl Shell {
    /// Runs the DEBUG trap and sets `BASH_COMMAND`. `false`: the command is skipped.
    #[inline]
    pub(crate) fn before_command(&mut self, command: &Rc<Command>) -> Run<bool> {
        if self.command_text.is_none() {
            self.command = Some(Rc::clone(command));
        }
        if self.traps.any() { self.act_before_command() } else { Ok(true) }
    }

    /// Runs a simple command. `last`: nothing follows it, so a program may replace the shell.
    pub(crate) fn run_simple_command(&mut self, command: &Rc<Command>, s: &SimpleCommand, last: bool) -> Run {
        self.at_line(command.line);
        let leaves_level = std::mem::take(&mut self.leaves_level);
        let words_of_child = std::mem::take(&mut self.words_of_child);
        if !self.before_command(command)? {
            return Ok(());
        }
        self.leaves_level = leaves_level;
        if !words_of_child {
            return self.run_announced_command(command, s, last);
        }
        self.words_of_child = true;
        let result = self.run_announced_command(command, s, last);
        // If the child ends before the command itself begins, it runs the shell's EXIT trap.
        if std::mem::take(&mut self.words_of_child)
            && matches!(result, Err(Flow::Discard | Flow::GiveUp | Flow::Exit))
        {
            self.traps.take_back_exit();
        }
        result
    }

    fn run_announced_command(&mut self, command: &Rc<Command>, s: &SimpleCommand, last: bool) -> Run {
        self.substitution_status = None;
        self.builtin = None;
        self.first_of = self.begins.take();
        if s.words.is_empty() {
            self.first_of = None;
            let keep = self.process_subs.len();
            let result = self.run_assignments(command, s);
            if self.process_subs.len() > keep {
                self.close_process_subs(keep);
            }
            result?;
            return self.answer_signals();
        }
        if self.opts.has(flag::KEYWORD) && s.words.iter().any(|w| w.assignment.is_some()) {
            return self.run_with_keywords(command, s, last);
        }
        let keep = self.process_subs.len();
        let result = self.run_words(command, s, last);
        if self.process_subs.len() > keep {
            self.close_process_subs(keep);
        }
        if self.traps.watching || self.opts.interactive {
            self.answer_signals()?;
        }
        result
    }

    // `set -k`: assignments anywhere among the words go to the command's environment.
    fn run_with_keywords(&mut self, command: &Rc<Command>, s: &SimpleCommand, last: bool) -> Run {
        let mut moved = s.clone();
        moved.assignments.extend(s.words.iter().filter_map(|w| w.assignment.as_deref().cloned()));
        moved.words.retain(|w| w.assignment.is_none());
        self.run_words(command, &moved, last)
    }

    fn run_words(&mut self, command: &Rc<Command>, s: &SimpleCommand, last: bool) -> Run {
        let mut fields = Vec::with_capacity(s.words.len());
        match self.declares(s) {
            Declares::Nothing => {}
            declares => return self.run_declaration(command, s, declares),
        }
        let evaluates = s.name.is_some_and(|n| matches!(&*n.bytes(), b"let" | b"eval"));
        let takes_references = s.name.is_some_and(|n| takes_references(&n.bytes()));
        self.references.clear();
        for word in &s.words {
            let expanded = match word.assignment.as_deref() {
                // `let x=(1+2)`, `eval a=(\"\$x\")`
                Some(a) if evaluates && matches!(a.value, AssignmentValue::Array(_)) => {
                    self.expand_key_text(&a.source).map(|text| fields.push(Field::Owned(text)))
                }
                // POSIX mode may have been turned on since the word was parsed.
                Some(_) if word.flags.tilde && self.posix() => {
                    self.expand_word_into(&without_tildes(word), &mut fields)
                }
                _ if takes_references && is_element(&word.source) => {
                    let from = fields.len();
                    let done = self.expand_word_into(word, &mut fields);
                    self.references.extend(fields.get(from..).unwrap_or_default().iter().map(|f| f.to_vec()));
                    done
                }
                _ => self.expand_word_into(word, &mut fields),
            };
            expanded?;
        }
        self.at_line(command.line);
        if fields.is_empty() {
            // No words are left after expansion: only assignments and redirections remain.
            return self.run_assignments(command, s);
        }
        self.run_fields(command, s, fields, last)
    }

    // Decides which arguments of a command are assignments.
    fn declares(&self, s: &SimpleCommand) -> Declares {
        // With a quoted name, the command is an ordinary one.
        let named = |w: &Word| w.literal.is_some() && is_declaration(&w.source);
        if s.name.is_some_and(|n| is_declaration(&n.bytes())) && s.words.first().is_some_and(named) {
            return Declares::All;
        }
        if !s.words.iter().any(|w| w.assignment.is_some()) {
            return Declares::Nothing;
        }
        let prefix = |w: &&Word| matches!(w.literal.as_deref(), Some(b"command" | b"builtin"));
        let prefixes = s.words.iter().take_while(prefix).count();
        match s.words.get(prefixes) {
            Some(w) if prefixes == 0 || !named(w) => Declares::Nothing,
            // POSIX: after `command`, a declaration is still one.
            Some(_) if self.posix() && s.words.iter().take(prefixes).all(|w| &*w.source == b"command") => {
                Declares::All
            }
            Some(_) => Declares::Arrays,
            None => Declares::Nothing,
        }
    }

    /// Handles an error that ends a POSIX shell. The status is 127 for a `-c` text, as for other expansion errors.
    pub(crate) fn end_posix_shell(&mut self) -> Flow {
        self.status = if self.ends_command_string() { 127 } else { 1 };
        if self.opts.interactive { Flow::Discard } else { Flow::Exit }
    }

    fn run_assignments(&mut self, command: &Rc<Command>, s: &SimpleCommand) -> Run {
        for a in &s.assignments {
            if let Err(flow) = self.perform_assignment(a) {
                if flow == Flow::Discard && self.posix() && !self.opts.interactive && !self.in_command_builtin
                {
                    return Err(self.end_posix_shell());
                }
                return Err(flow);
            }
        }
        self.status = self.substitution_status.take().unwrap_or(0);
        self.last_arg = Field::Owned(Vec::new());
        if command.redirects.iter().any(|r| matches!(r.fd, RedirectFd::Variable(_))) {
            // With `{name}>`, descriptors would stay open. A command without words must not leave them behind, so it
            // runs in a child.
            let redirects = command.redirects.clone();
            return self.run_in_child(false, Vec::new, move |sh| {
                let made = sh.redirect(&redirects, &mut Vec::new());
                sh.status = i32::from(!matches!(made, Ok(Ok(()))));
            });
        }
        if !command.redirects.is_empty() {
            let mut undo = Vec::new();
            let done = self.redirect(&command.redirects, &mut undo)?;
            self.undo_redirects(undo);
            if done.is_err() {
                self.status = 1;
            }
        }
        Ok(())
    }

    // Runs a builtin that takes assignments as arguments, which it expands itself.
    fn run_declaration(&mut self, command: &Rc<Command>, s: &SimpleCommand, declares: Declares) -> Run {
        let mut fields: Vec<Field> = Vec::with_capacity(s.words.len());
        let mut assignments: Vec<(usize, &Assignment)> = Vec::new();
        for word in &s.words {
            match &word.assignment {
                // After brace expansion, words are no longer assignments.
                Some(a)
                    if !fields.is_empty()
                        && !self.expands_braces(word)
                        && (declares == Declares::All || matches!(a.value, AssignmentValue::Array(_))) =>
                {
                    assignments.push((fields.len(), a));
                    fields.push(self.declaration_argument(word, a)?);
                }
                _ => self.expand_word_into(word, &mut fields)?,
            }
        }
        self.at_line(command.line);
        let arrays: Vec<(usize, Rc<Vec<sandshell_syntax::ast::ArrayElement>>)> = assignments
            .iter()
            .filter_map(|(i, a)| match &a.value {
                AssignmentValue::Array(e) => Some((*i, Rc::clone(e))),
                AssignmentValue::Scalar(_) => None,
            })
            .collect();
        let old = std::mem::replace(&mut self.declared_arrays, arrays);
        // `$_` becomes the array's name.
        let last_array = assignments
            .last()
            .filter(|(i, a)| *i + 1 == fields.len() && matches!(a.value, AssignmentValue::Array(_)));
        let last_arg = last_array.map(|(_, a)| Field::Owned(a.name.bytes().to_vec()));
        let result = self.run_fields(command, s, fields, false);
        self.declared_arrays = old;
        if let Some(last) = last_arg {
            self.last_arg = last;
        }
        result
    }

    fn expands_braces(&self, word: &Word) -> bool {
        word.braces.is_some() && self.opts.has(flag::BRACEEXPAND)
    }

    fn declaration_argument(&mut self, word: &Word, a: &Assignment) -> Run<Field> {
        match &a.value {
            AssignmentValue::Scalar(value) => {
                let mut text = a.name.bytes().to_vec();
                if let Some(sub) = &a.subscript {
                    text.push(b'[');
                    match &**sub {
                        sandshell_syntax::ast::Subscript::At => text.push(b'@'),
                        sandshell_syntax::ast::Subscript::Star => text.push(b'*'),
                        sandshell_syntax::ast::Subscript::Index(i) => {
                            let inner = self.expand_quoted(&i.word.parts)?;
                            text.extend_from_slice(&inner);
                        }
                    }
                    text.push(b']');
                }
                if a.append {
                    text.push(b'+');
                }
                text.push(b'=');
                let value = self.expand_text(value)?;
                text.extend_from_slice(&value);
                Ok(Field::Owned(text))
            }
            AssignmentValue::Array(_) => Ok(Field::Shared(word.source.clone())),
        }
    }

    // Runs a command from its expanded words.
    fn run_fields(
        &mut self,
        command: &Rc<Command>,
        s: &SimpleCommand,
        fields: Vec<Field>,
        last: bool,
    ) -> Run {
        let early = (!command.redirects.is_empty() || self.words_of_child && self.traps.exit_of_shell())
            && s.assignments.iter().any(is_expanded);
        let done = if early || self.tracing() && !s.assignments.is_empty() {
            // Values are expanded before redirections are applied.
            Some(self.expand_assignments(s)?)
        } else {
            None
        };
        if self.tracing() {
            self.trace_words(&fields)?;
        }
        self.run_traced(command, done.as_ref().unwrap_or(s), fields, last)
    }

    // Runs expanded words, which `set -x` has already shown.
    fn run_traced(
        &mut self,
        command: &Rc<Command>,
        s: &SimpleCommand,
        fields: Vec<Field>,
        last: bool,
    ) -> Run {
        self.words_of_child = false;
        let name: &[u8] = &fields[0];
        if name.starts_with(b"%") && !self.plain_child {
            return self.resume_job("fg", fields);
        }
        let interned = match s.name {
            Some(n) => Some(n),
            None => Name::existing(name),
        };
        let builtin = builtins::find(name)
            .filter(|_| self.disabled_builtins.is_empty() || !self.builtin_disabled(name));
        let special = builtin.is_some_and(|b| b.kind == Kind::Special);
        let leaves_level = std::mem::take(&mut self.leaves_level);
        let function = match interned {
            Some(n) if !(special && self.posix()) => self.function(n).cloned(),
            _ => None,
        };
        if let Some(function) = function {
            return self.run_function_command(command, s, function, fields);
        }
        if let Some(builtin) = builtin {
            self.leaves_level = leaves_level && builtin.name == "command";
            let result = self.run_builtin_command(command, s, builtin, fields);
            self.leaves_level = false;
            return result;
        }
        self.leaves_level = leaves_level;
        let result = self.run_program(command, s, fields, last);
        self.leaves_level = false;
        result
    }

    /// `%1` means `fg %1`, and in the background `bg %1`. Redirections are ignored.
    pub(crate) fn resume_job(&mut self, name: &'static str, mut fields: Vec<Field>) -> Run {
        fields.insert(0, Field::from(name.as_bytes()));
        let outer = self.builtin.replace(name);
        let result = self.run_builtin_named(name.as_bytes(), &fields);
        self.builtin = outer;
        result
    }

    fn run_function_command(
        &mut self,
        command: &Rc<Command>,
        s: &SimpleCommand,
        function: Rc<crate::shell::FunctionEntry>,
        fields: Vec<Field>,
    ) -> Run {
        let mut undo = Vec::new();
        if self.redirect(&command.redirects, &mut undo)?.is_err() {
            self.undo_redirects(undo);
            self.status = 1;
            return Ok(());
        }
        self.at_line(command.line);
        let capture = self.suspend_capture(&undo);
        let result = self.call_function(&function, fields, &s.assignments);
        let _ = self.flush();
        self.restore_capture(capture);
        self.undo_redirects(undo);
        result
    }

    fn run_builtin_command(
        &mut self,
        command: &Rc<Command>,
        s: &SimpleCommand,
        builtin: &'static builtins::Builtin,
        fields: Vec<Field>,
    ) -> Run {
        // Collects children that have ended, so that they no longer count as processes.
        self.reap();
        let special = builtin.kind == Kind::Special;
        // `exec` and `command exec` keep their redirections.
        let is_exec = builtin.name == "exec"
            || (builtin.name == "command" && fields.get(1).is_some_and(|f| &**f == b"exec"));
        let mut undo = Vec::new();
        let mut capture = None;
        if !command.redirects.is_empty() {
            if self.redirect(&command.redirects, &mut undo)?.is_err() {
                self.undo_redirects(undo);
                return redirect::failure(self, special);
            }
            self.at_line(command.line);
            capture = self.suspend_capture(&undo);
        }
        let scoped = !s.assignments.is_empty();
        let lasting = scoped && special && self.posix();
        // `unset` removes the assignment before it, not the variable that the assignment hides.
        let kept = lasting && builtin.name == "unset";
        let persistent = lasting && !kept;
        if scoped && !persistent {
            self.vars.open_scope(ScopeKind::Temporary);
        }
        let mut result = Ok(());
        for a in &s.assignments {
            result = self.temporary_assignment(a, !persistent);
            if result.is_err() {
                if persistent && result == Err(Flow::Discard) {
                    result = Err(self.end_posix_shell());
                }
                break;
            }
        }
        if result.is_ok() {
            let outer = self.builtin.replace(builtin.name);
            let ignored =
                u32::from(self.tested > 0 && matches!(builtin.name, "eval" | "source" | "." | "command"));
            self.errexit_ignored += ignored;
            let own = std::mem::replace(&mut self.own_assignments, scoped && !persistent);
            result = (builtin.run)(self, &fields);
            self.own_assignments = own;
            self.errexit_ignored = self.errexit_ignored.saturating_sub(ignored);
            self.builtin = outer;
            self.finish_builtin(builtin.name.as_bytes());
        }
        if kept {
            result = result.and(self.keep_assignments(s));
        } else if scoped && !persistent {
            self.close_scope();
        }
        self.restore_capture(capture);
        if is_exec && result.is_ok() && self.status == 0 && self.exec_kept {
            self.exec_kept = false;
            self.keep_redirects(undo);
        } else {
            self.undo_redirects(undo);
        }
        if let Some(last) = fields.into_iter().next_back() {
            self.last_arg = last;
        }
        if special && result.is_ok() && self.usage_error && self.posix() && !self.opts.interactive {
            self.usage_error = false;
            return Err(Flow::Exit);
        }
        self.usage_error = false;
        result
    }

    /// Writes a builtin's output, and reports a failure.
    pub(crate) fn finish_builtin(&mut self, name: &[u8]) {
        if let Err(e) = self.flush() {
            self.out.clear();
            self.error_of(name, [b"write error: ", e.to_string().as_bytes()].concat());
            self.status = 1;
        }
    }

    /// Runs a builtin with expanded fields and writes its output.
    pub(crate) fn run_builtin_named(&mut self, name: &[u8], fields: &[Field]) -> Run {
        match builtins::find(name) {
            Some(b) => {
                let result = (b.run)(self, fields);
                self.finish_builtin(name);
                result
            }
            None => Ok(()),
        }
    }

    // Closes the scope of the assignments before a command. Their values stay in the shell.
    fn keep_assignments(&mut self, s: &SimpleCommand) -> Run {
        let names: Vec<Name> = s.assignments.iter().map(|a| self.resolve_nameref(a.name).0).collect();
        let kept: Vec<(Name, Vec<u8>)> = names
            .into_iter()
            .filter_map(|name| {
                let v = self.vars.get(name).filter(|v| v.has(attr::TEMPORARY))?;
                Some((name, v.get()?.to_vec()))
            })
            .collect();
        self.close_scope();
        for (name, value) in kept {
            self.assign(name, &value, false)?;
            if let Some(v) = self.vars.get_mut(name) {
                v.attrs |= attr::EXPORT;
                self.vars.touch();
            }
        }
        Ok(())
    }

    // Keeps an assignment before a special builtin of a POSIX shell, and exports it to the programs that follow.
    fn keep_exported(&mut self, name: Name) {
        // A computed variable stays computed.
        let Some(v) = self.vars.get_mut(name) else { return };
        v.attrs |= attr::EXPORT;
        let temporary = v.has(attr::TEMPORARY).then(|| v.value.clone());
        self.vars.touch();
        if let Some(value) = temporary {
            // The value also replaces the variable that the assignment hides, as for an assignment before a function.
            let local = self.vars.begin_global(name);
            self.vars.entry(name).value = value;
            self.vars.end_global(name, local);
        }
    }

    /// Makes an assignment before a command: exported, and in the innermost scope.
    pub(crate) fn temporary_assignment(&mut self, a: &Assignment, scoped: bool) -> Run {
        if !scoped {
            self.perform_assignment(a)?;
            let (name, element) = self.resolve_nameref(a.name);
            if element.is_none() && a.subscript.is_none() {
                self.keep_exported(name);
            }
            return Ok(());
        }
        let AssignmentValue::Scalar(word) = &a.value else {
            // Arrays cannot be exported, so the variable has their text as its value.
            let text = a.source.splitn(2, |b| *b == b'=').nth(1).unwrap_or_default();
            return self.assign_temporary(a.name, text, a.append);
        };
        if a.subscript.is_some() {
            let label = a.source.split(|b| *b == b'=').next().unwrap_or_default();
            let label = label.strip_suffix(b"+").unwrap_or(label);
            self.error([b"`", label, b"': not a valid identifier"].concat());
            return Ok(());
        }
        let value = self.expand_text(word)?;
        self.assign_temporary(a.name, &value, a.append)
    }

    fn assign_temporary(&mut self, name: Name, value: &[u8], append: bool) -> Run {
        let (name, _) = self.resolve_nameref(name);
        if let Err(flow) = self.check_writable(name) {
            if flow != Flow::Discard {
                return Err(flow);
            }
            // The command runs nevertheless, but not in a POSIX shell.
            self.status = 0;
            if self.posix() {
                self.status = 1;
                return Err(Flow::Discard);
            }
            return Ok(());
        }
        let attrs = self.vars.get(name).map_or(0, |v| v.attrs);
        // The variable's attributes matter only when the text is appended to its value.
        let text = if append {
            let old = match attrs & attr::INTEGER {
                0 => self.value(name).map(|v| v.into_owned()).unwrap_or_default(),
                _ => Vec::new(),
            };
            let added = self.convert(attrs, value, Some((name, None)))?;
            [&*old, &*added].concat()
        } else {
            value.to_vec()
        };
        let Some(v) = self.vars.declare_local(name, true) else { return Ok(()) };
        v.value = Value::Str(text);
        v.attrs &= !attr::INVISIBLE;
        v.attrs |= attr::EXPORT | attr::TEMPORARY;
        let hooked = v.has(attr::HOOKED);
        self.vars.touch();
        if hooked {
            self.after_assignment(name);
        }
        Ok(())
    }

    // Finds and starts a program and waits for it.
    fn run_program(
        &mut self,
        command: &Rc<Command>,
        s: &SimpleCommand,
        fields: Vec<Field>,
        last: bool,
    ) -> Run {
        let scoped = !s.assignments.is_empty();
        if scoped {
            self.vars.open_scope(ScopeKind::Temporary);
        }
        let outer = std::mem::replace(&mut self.own_assignments, scoped);
        let result = self.run_program_scoped(command, s, &fields, last);
        self.own_assignments = outer;
        if scoped {
            self.close_scope();
        }
        if let Some(f) = fields.into_iter().next_back() {
            self.last_arg = f;
        }
        result
    }

    // Expands a program's redirections without the assignments before it, which are only for the program.
    fn beside_assignments<T>(&mut self, redirects: &[Redirect], make: impl FnOnce(&mut Self) -> T) -> T {
        let expands = |r: &Redirect| expanded_word(r).is_some_and(|w| w.literal.is_none());
        if !self.own_assignments || !redirects.iter().any(expands) {
            return make(self);
        }
        self.own_assignments = false;
        self.swap_assignments();
        let made = make(self);
        self.swap_assignments();
        self.own_assignments = true;
        made
    }

    fn swap_assignments(&mut self) {
        let foreign = std::mem::replace(&mut self.foreign_locale, true);
        for name in self.vars.swap_innermost() {
            self.after_assignment(name);
        }
        self.foreign_locale = foreign;
    }

    fn run_program_scoped(
        &mut self,
        command: &Rc<Command>,
        s: &SimpleCommand,
        fields: &[Field],
        last: bool,
    ) -> Run {
        // The program is searched in the PATH from before the assignments, unless they set it.
        self.foreign_locale = true;
        let assigned = s.assignments.iter().try_for_each(|a| self.temporary_assignment(a, true));
        self.foreign_locale = false;
        assigned?;
        let name: &[u8] = fields.first().map_or(b"", |f| f);
        if self.refuses_program(name) {
            self.status = 1;
            return Ok(());
        }
        let Some(path) = self.find_program(name) else {
            return self.command_not_found(command, fields);
        };
        let _ = self.flush();
        if last && self.capture.is_none() {
            return self.replace_program(command, &path, fields);
        }
        if command.redirects.iter().any(changes_shell) {
            // These redirections are applied in the program's process.
            let shown = Rc::clone(command);
            let (command, fields) = (Rc::clone(command), fields.to_vec());
            let text = || sandshell_syntax::print::command(&shown);
            let plain = !self.in_child || self.plain_child;
            return self.run_in_child(false, text, move |sh| {
                sh.plain_child = plain;
                let _ = sh.replace_program(&command, &path, &fields);
            });
        }
        self.start_and_wait(command, &path, fields, &command.redirects)
    }

    fn start_and_wait(
        &mut self,
        command: &Rc<Command>,
        path: &[u8],
        fields: &[Field],
        redirects: &[Redirect],
    ) -> Run {
        let pgid = self.opts.has(flag::MONITOR).then_some(0);
        if self.capture.is_some() {
            // Captured output belongs to builtins only. A program writes to descriptor 1.
            let _ = self.flush();
        }
        let spawned = match self.spawn_program(path, fields, redirects, &[], pgid) {
            Ok(spawned) => spawned,
            // As if the program's process expanded the redirections: an error in their words ends only that process.
            Err(Flow::Exit | Flow::Discard | Flow::GiveUp)
                if !redirects.is_empty() && !self.opts.interactive =>
            {
                return Ok(());
            }
            Err(flow) => return Err(flow),
        };
        match spawned {
            Ok(pid) => self.wait_for_program(pid, command),
            Err(NotStarted::Reported(status)) => {
                self.status = status;
                Ok(())
            }
            Err(NotStarted::Script) => self.run_as_script(command, path, fields, redirects),
        }
    }

    pub(crate) fn wait_for_program(&mut self, pid: Pid, command: &Rc<Command>) -> Run {
        self.foreground(pid);
        let w = self.wait_foreground(pid);
        self.foreground_self(Some(w.status));
        self.status = w.status.code();
        match w.status {
            sys::WaitStatus::Exited(_) => {}
            sys::WaitStatus::Stopped(_) => {
                self.note_stopped(&[w], Some(pid), sandshell_syntax::print::command(command));
            }
            _ => self.report_signal(&w, || sandshell_syntax::print::command(command))?,
        }
        Ok(())
    }

    /// Starts a program with redirections. An error is reported to the redirected standard error.
    pub(crate) fn spawn_program(
        &mut self,
        path: &[u8],
        fields: &[Field],
        redirects: &[Redirect],
        base: &[(Fd, Fd)],
        pgid: Option<Pid>,
    ) -> Run<Result<Pid, NotStarted>> {
        let mut opened = Vec::new();
        let made = self.beside_assignments(redirects, |sh| sh.redirect_map(redirects, base, &mut opened));
        let map = match made {
            Ok(Ok(map)) => map,
            Ok(Err(())) => {
                close_all(&opened);
                return Ok(Err(NotStarted::Reported(1)));
            }
            Err(flow) => {
                close_all(&opened);
                return Err(flow);
            }
        };
        let argv: Vec<Vec<u8>> = fields.iter().map(|f| f.to_vec()).collect();
        let mut env = self.program_environment(path);
        if std::mem::take(&mut self.leaves_level) && !self.in_pipe {
            self.leave_level(&mut env);
        }
        self.make_room();
        let result = sys::spawn(&sys::Program {
            path,
            argv: &argv,
            env: &env,
            fds: &map,
            cwd: b"",
            pgid,
            foreground: pgid.is_some() && self.gives_terminal(),
            reset_signals: false,
        });
        let result = match result {
            Ok(pid) => Ok(pid),
            Err(Errno::NOEXEC) => Err(NotStarted::Script),
            Err(e) => {
                let ours = map.iter().rev().find(|m| m.0 == 2).map_or(Some(self.error_fd), |m| m.1);
                let error_fd = std::mem::replace(&mut self.error_fd, ours.unwrap_or(-1));
                let name = fields.first().map(|f| f.to_vec()).unwrap_or_default();
                let status = self.report_spawn_error(&name, path, e);
                self.error_fd = error_fd;
                Err(NotStarted::Reported(status))
            }
        };
        close_all(&opened);
        Ok(result)
    }

    /// Decrements `SHLVL` in the environment of a program that replaces this shell.
    pub(crate) fn leave_level(&mut self, env: &mut Vec<Vec<u8>>) {
        let level = self.vars.lasting_value(Name::new(b"SHLVL"));
        let level = level.and_then(crate::text::parse_integer).unwrap_or(0);
        let mut level = level.saturating_sub(1).max(0);
        if level >= 1000 {
            let message = format!("warning: shell level ({level}) too high, resetting to 1\n");
            let message = [&*self.prefix(), message.as_bytes()].concat();
            self.write_error(&message);
            level = 1;
        }
        let entry = format!("SHLVL={level}").into_bytes();
        match env.iter_mut().find(|e| e.starts_with(b"SHLVL=")) {
            Some(e) => *e = entry,
            None => env.push(entry),
        }
    }

    // The environment, with `_` set to the program's path.
    fn program_environment(&mut self, path: &[u8]) -> Vec<Vec<u8>> {
        let env = self.environment();
        let mut list: Vec<Vec<u8>> = Vec::with_capacity(env.len() + 1);
        list.extend(env.iter().filter(|e| !e.starts_with(b"_=")).cloned());
        list.push([b"_=", path].concat());
        list
    }

    /// Prints the message for a program that cannot be started. Returns the status.
    pub(crate) fn report_spawn_error(&mut self, name: &[u8], path: &[u8], e: Errno) -> i32 {
        if e == Errno::NOENT {
            if sys::stat(path, true).is_ok() {
                self.error([path, b": cannot execute: required file not found"].concat());
                return 127;
            }
            if name.contains(&b'/') {
                self.error([name, b": No such file or directory"].concat());
            } else {
                self.error([path, b": No such file or directory"].concat());
            }
            return 127;
        }
        if sys::stat(path, true).is_ok_and(|s| s.is_dir()) {
            self.error([path, b": Is a directory"].concat());
            return 126;
        }
        if e == Errno::NOEXEC {
            self.error([path, b": cannot execute binary file: Exec format error"].concat());
            return 126;
        }
        if e == Errno::ACCES
            && path::is_executable(path)
            && let Some(interpreter) = interpreter_of(path)
        {
            self.error(
                [path, b": ", &*interpreter, b": bad interpreter: ", e.to_string().as_bytes()].concat(),
            );
            return 126;
        }
        self.error([path, b": ", e.to_string().as_bytes()].concat());
        126
    }

    fn command_not_found(&mut self, command: &Rc<Command>, fields: &[Field]) -> Run {
        // Without a search path, the name is a path.
        let searched = !self.search_path().is_empty();
        if let Some(handler) = self.function_named(b"command_not_found_handle").filter(|_| searched).cloned()
        {
            let mut args = vec![Field::Owned(b"command_not_found_handle".to_vec())];
            args.extend(fields.iter().cloned());
            let redirects = command.redirects.clone();
            return self.run_in_child(false, Vec::new, move |sh| {
                let mut undo = Vec::new();
                match sh.redirect(&redirects, &mut undo) {
                    Ok(Ok(())) => {
                        let _ = sh.call_function(&handler, args, &[]);
                    }
                    _ => sh.status = 1,
                }
            });
        }
        if command.redirects.iter().any(changes_shell) {
            let (child, name) = (Rc::clone(command), fields.to_vec());
            return self.run_in_child(false, Vec::new, move |sh| {
                let _ = sh.report_not_found(&child, &name);
            });
        }
        self.report_not_found(command, fields)
    }

    fn report_not_found(&mut self, command: &Rc<Command>, fields: &[Field]) -> Run {
        let mut undo = Vec::new();
        let made =
            self.beside_assignments(&command.redirects, |sh| sh.redirect(&command.redirects, &mut undo));
        let ok = made?.is_ok();
        if ok {
            self.at_line(command.line);
            let name = fields.first().map(|f| f.to_vec()).unwrap_or_default();
            // Without a search path, the name is a path.
            let no_path = self.search_path().is_empty();
            let what: &[u8] = if no_path { b": No such file or directory" } else { b": command not found" };
            let shown = crate::builtins::cd::shown_name(&name);
            self.error([&*shown, what].concat());
            self.status = 127;
        } else {
            self.status = 1;
        }
        self.undo_redirects(undo);
        Ok(())
    }

    // Replaces this process with the program.
    fn replace_program(&mut self, command: &Rc<Command>, path: &[u8], fields: &[Field]) -> Run {
        let mut undo = Vec::new();
        let made =
            self.beside_assignments(&command.redirects, |sh| sh.redirect(&command.redirects, &mut undo));
        if made?.is_err() {
            self.undo_redirects(undo);
            self.status = 1;
            return Ok(());
        }
        self.at_line(command.line);
        let argv: Vec<Vec<u8>> = fields.iter().map(|f| f.to_vec()).collect();
        let mut env = self.program_environment(path);
        if std::mem::take(&mut self.leaves_level) && !self.in_pipe {
            self.leave_level(&mut env);
        }
        let e = sys::exec(&sys::Program { path, argv: &argv, env: &env, ..sys::Program::default() });
        if e == Errno::NOEXEC {
            let result = self.run_as_script(command, path, fields, &[]);
            self.undo_redirects(undo);
            return result;
        }
        let name = fields.first().map(|f| f.to_vec()).unwrap_or_default();
        self.status = self.report_spawn_error(&name, path, e);
        self.undo_redirects(undo);
        Ok(())
    }

    // Runs a file that the kernel cannot execute as a script, unless it is binary.
    fn run_as_script(
        &mut self,
        command: &Rc<Command>,
        path: &[u8],
        fields: &[Field],
        redirects: &[Redirect],
    ) -> Run {
        let Ok(fd) = sys::open(path, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0) else {
            self.error([path, b": Permission denied"].concat());
            self.status = 126;
            return Ok(());
        };
        let mut head = [0u8; 80];
        let n = sys::read(fd, &mut head).unwrap_or(0);
        let head = head.get(..n).unwrap_or_default();
        let line = head.split(|b| *b == b'\n').next().unwrap_or_default();
        if line.contains(&0) || head.starts_with(b"\x7fELF") {
            let _ = sys::close(fd);
            self.error([path, b": cannot execute binary file: Exec format error"].concat());
            self.status = 126;
            return Ok(());
        }
        let _ = sys::lseek(fd, 0, 0);
        let path = path.to_vec();
        let args: Vec<Field> = fields.get(1..).unwrap_or_default().to_vec();
        let redirects = redirects.to_vec();
        let shown = Rc::clone(command);
        let result = self.run_in_child(
            false,
            || sandshell_syntax::print::command(&shown),
            move |sh| {
                let mut undo = Vec::new();
                let made = sh.beside_assignments(&redirects, |sh| sh.redirect(&redirects, &mut undo));
                if !matches!(made, Ok(Ok(()))) {
                    sh.status = 1;
                    return;
                }
                sh.run_script_in_child(fd, &path, args);
            },
        );
        let _ = sys::close(fd);
        result
    }

    pub(crate) fn builtin_disabled(&self, name: &[u8]) -> bool {
        self.disabled_builtins.iter().any(|d| d.as_bytes() == name)
    }
}

// Whether the assignment has a value that must be expanded.
fn is_expanded(a: &Assignment) -> bool {
    matches!(&a.value, AssignmentValue::Scalar(word) if word.literal.is_none())
}

fn close_all(fds: &[Fd]) {
    for fd in fds {
        let _ = sys::close(*fd);
    }
}

// Whether the builtin takes array elements as arguments.
fn takes_references(name: &[u8]) -> bool {
    matches!(name, b"unset" | b"read" | b"printf" | b"wait" | b"mapfile" | b"readarray")
}

/// Whether a word is written as an array element: an unquoted name and a subscript.
fn is_element(source: &[u8]) -> bool {
    let open = source.iter().position(|b| *b == b'[').unwrap_or(0);
    source.ends_with(b"]") && sandshell_syntax::name::is_name(source.get(..open).unwrap_or_default())
}

/// Whether the builtin's arguments can be assignments.
pub(crate) fn is_declaration(name: &[u8]) -> bool {
    matches!(name, b"declare" | b"typeset" | b"local" | b"export" | b"readonly")
}

fn interpreter_of(path: &[u8]) -> Option<Vec<u8>> {
    let fd = sys::open(path, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0).ok()?;
    let mut head = [0u8; 128];
    let n = sys::read(fd, &mut head).unwrap_or(0);
    let _ = sys::close(fd);
    let line = head.get(..n)?.split(|b| *b == b'\n').next()?;
    let rest = line.strip_prefix(b"#!")?;
    rest.split(|b| matches!(b, b' ' | b'\t')).find(|w| !w.is_empty()).map(<[u8]>::to_vec)
}
