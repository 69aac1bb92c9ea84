//! Functions and sourced files.

use super::MAX_NESTING;
use crate::field::Field;
use crate::options::{Shopt, flag};
use crate::shell::{Flow, Frame, FrameKind, FunctionEntry, Origin, Run, Shell};
use crate::variables::ScopeKind;
use sandshell_syntax::ast::{Assignment, Bytes, Function};
use sandshell_syntax::parser::Parser;
use sandshell_sys as sys;
use std::cell::Cell;
use std::rc::Rc;

impl Shell {
    /// Defines a function.
    pub(crate) fn define(&mut self, f: &Rc<Function>) -> Run {
        let name = f.name.bytes();
        if self.posix() {
            let problem: Option<&[u8]> = if !sandshell_syntax::name::is_name(&name) {
                Some(b"': not a valid identifier")
            } else if crate::builtins::find(&name).is_some_and(|b| b.kind == crate::builtins::Kind::Special) {
                Some(b"': is a special builtin")
            } else {
                None
            };
            if let Some(problem) = problem {
                self.line = self.line.max(self.base_line);
                self.error([b"`", &*name, problem].concat());
                self.status = 2;
                return if self.opts.interactive { Ok(()) } else { Err(Flow::Exit) };
            }
        }
        if name.iter().any(|b| matches!(b, b'$' | b'"' | b'\'' | b'`' | b'\\')) {
            self.error([b"`", &*name, b"': not a valid identifier"].concat());
            self.status = 1;
            return Ok(());
        }
        let old = self.function(f.name).cloned();
        if old.as_ref().is_some_and(|o| o.readonly.get()) {
            self.line = self.line.max(self.base_line);
            self.error([&*name, b": readonly function"].concat());
            self.status = 1;
            return Ok(());
        }
        let source: Bytes = match self.source_name() {
            Some(s) => Rc::clone(s),
            None if self.opts.command_string => Rc::from(&b"environment"[..]),
            None => Rc::from(&b"main"[..]),
        };
        let entry = FunctionEntry {
            function: Rc::clone(f),
            source,
            line_shift: self.line_shift,
            exported: Cell::new(
                self.opts.has(flag::ALLEXPORT) || old.as_ref().is_some_and(|o| o.exported.get()),
            ),
            readonly: Cell::new(false),
            trace: Cell::new(false),
        };
        self.define_function(f.name, Rc::new(entry));
        self.status = 0;
        Ok(())
    }

    /// Calls a function; `fields[0]` is its name.
    pub(crate) fn call_function(
        &mut self,
        f: &Rc<FunctionEntry>,
        mut fields: Vec<Field>,
        assignments: &[Assignment],
    ) -> Run {
        let name = f.function.name.bytes();
        let limit = self.funcnest;
        let calls = u32::try_from(self.function_depth()).unwrap_or(u32::MAX);
        if (limit > 0 && calls >= limit) || self.depth >= MAX_NESTING {
            let shown = if limit > 0 && calls >= limit { limit } else { MAX_NESTING };
            self.error(
                [&*name, format!(": maximum function nesting level exceeded ({shown})").as_bytes()].concat(),
            );
            self.status = 1;
            return Err(Flow::Discard);
        }
        self.vars.open_scope(ScopeKind::Function);
        for a in assignments {
            if let Err(flow) = self.temporary_assignment(a, true) {
                self.close_scope();
                return Err(flow);
            }
        }
        let last = fields.last().cloned();
        let args: Vec<Field> = fields.drain(1..).collect();
        let saved_args = std::mem::replace(&mut self.args, Rc::new(args));
        let line = self.line;
        self.frames.push(Frame {
            kind: FrameKind::Function,
            name: Rc::clone(&name),
            source: Rc::clone(&f.source),
            line,
        });
        let kept_calls = self.call_args.len();
        if self.opts.shopt(Shopt::extdebug) {
            if kept_calls == 0 {
                self.call_args.push(Rc::clone(&saved_args));
            }
            self.call_args.push(Rc::clone(&self.args));
        }
        let loops = std::mem::take(&mut self.loops);
        let inner_shift = self.shift_in_function(f);
        let line_shift = std::mem::replace(&mut self.line_shift, inner_shift);
        let base_line = std::mem::replace(&mut self.base_line, f.function.line);
        self.depth += 1;
        let hidden = self.hide_traps(f.trace.get());
        let body = Rc::clone(&f.function.body);
        self.begins = Some(Origin::Function);
        let mut result = self.function_body(&body, body.line);
        self.begins = None;
        let returned = matches!(result, Err(Flow::Return));
        if returned {
            result = Ok(());
        }
        if self.traps.any() && result.is_ok() {
            if !returned {
                self.at_line(f.function.line);
            }
            result = self.act_on_return(returned);
        }
        self.depth -= 1;
        self.frames.pop();
        self.show_traps(hidden);
        self.loops = loops;
        self.call_args.truncate(kept_calls);
        self.line_shift = line_shift;
        self.base_line = base_line;
        self.args = saved_args;
        self.line = line;
        if let Some(last) = last {
            self.last_arg = last;
        }
        crate::builtins::declare::end_local_options(self);
        self.close_scope();
        match result {
            Err(Flow::Break(_) | Flow::Continue(_)) => Ok(()),
            other => other,
        }
    }

    // In an interactive shell, the lines of a function are counted from its opening brace, unless a file is being
    // sourced.
    fn shift_in_function(&self, f: &FunctionEntry) -> i32 {
        let body = &f.function.body;
        let counts_own = self.opts.interactive
            && matches!(body.kind, sandshell_syntax::ast::CommandKind::Group(_))
            && !self.frames.iter().any(|f| f.kind == FrameKind::Source);
        if counts_own { 1i32.saturating_sub_unsigned(body.line) } else { f.line_shift }
    }

    fn function_body(&mut self, body: &Rc<sandshell_syntax::ast::Command>, line: u32) -> Run {
        if self.traps.any() {
            self.at_line(line);
            // `BASH_COMMAND` still shows the call.
            if !self.act_before_command()? {
                return Ok(());
            }
        }
        let result = self.run_compound(body);
        // For `set -e`, a subshell that is the whole body is a command of its own.
        match (&body.kind, result) {
            (sandshell_syntax::ast::CommandKind::Subshell(_), Ok(())) => self.after_command(),
            (_, r) => r,
        }
    }

    /// Runs a file in this shell. `args` replace the positional parameters if there are any.
    pub(crate) fn source_file(
        &mut self,
        path: &[u8],
        shown: &[u8],
        args: Option<Vec<Field>>,
        quiet: bool,
    ) -> Run {
        if self.depth >= MAX_NESTING {
            self.error([shown, b": maximum source nesting level exceeded"].concat());
            self.status = 1;
            return Err(Flow::Discard);
        }
        let data = match sys::open(path, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0) {
            Ok(fd) => {
                let data = if sys::fstat(fd).is_ok_and(|s| s.is_dir()) {
                    Err(sys::Errno::ISDIR)
                } else {
                    sys::read_to_end(fd)
                };
                let _ = sys::close(fd);
                data
            }
            Err(e) => Err(e),
        };
        let data = match data {
            Ok(d) => d,
            Err(e) => {
                if !quiet {
                    let text =
                        if e == sys::Errno::ISDIR { "is a directory".to_string() } else { e.to_string() };
                    if e == sys::Errno::ISDIR {
                        self.error([b".: ", shown, b": ", text.as_bytes()].concat());
                    } else {
                        self.error([shown, b": ", text.as_bytes()].concat());
                    }
                }
                self.status = 1;
                return if quiet { Ok(()) } else { self.act_on_return(false) };
            }
        };
        let mut data = data;
        data.retain(|b| *b != 0);
        let replaced = args.is_some();
        let saved_args = args.map(|a| std::mem::replace(&mut self.args, Rc::new(a)));
        let args_set = if replaced { std::mem::take(&mut self.args_set) } else { false };
        let line = self.line;
        self.frames.push(Frame {
            kind: FrameKind::Source,
            name: Rc::from(&b"source"[..]),
            source: Rc::from(shown),
            line,
        });
        let loops = self.loops;
        self.depth += 1;
        let mut parser = Parser::from_text(&data, 1);
        self.trace_depth += 1;
        let line_shift = std::mem::take(&mut self.line_shift);
        let base_line = self.base_line;
        let debug_trap = self.hide_debug_trap();
        let command = self.command.clone();
        let mut result = self.run_parser(&mut parser, b"");
        self.command = command;
        self.base_line = base_line;
        self.line_shift = line_shift;
        self.trace_depth = self.trace_depth.saturating_sub(1);
        let returned = matches!(result, Err(Flow::Return));
        if returned {
            result = Ok(());
        }
        self.depth -= 1;
        self.frames.pop();
        self.loops = loops;
        self.line = line;
        if self.traps.any() && result.is_ok() {
            result = self.act_on_return(returned);
        }
        self.show_traps(debug_trap);
        if let Some(saved) = saved_args {
            // Parameters that the file has set stay in effect, except inside a function.
            if !self.args_set || self.vars.in_function() {
                self.args = saved;
            }
            self.args_set |= args_set;
        }
        result
    }
}
