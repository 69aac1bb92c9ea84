//! Compound commands.

use crate::field::Field;
use crate::shell::{Flow, Run, Shell};
use crate::variables::Name;
use sandshell_syntax::ast::{
    ArithForCommand, CaseCommand, CaseEnd, Command, CommandKind, ForCommand, IfCommand, WhileCommand,
};
use sandshell_syntax::name::is_name;
use std::rc::Rc;

impl Shell {
    /// Runs a compound command with its redirections.
    pub(crate) fn run_compound(&mut self, command: &Rc<Command>) -> Run {
        let before = self.line;
        self.at_line(command.line);
        if let CommandKind::Subshell(list) = &command.kind {
            return self.run_subshell(command, list);
        }
        if command.redirects.is_empty() || matches!(command.kind, CommandKind::Function(_)) {
            return self.run_kind(command);
        }
        let keep = self.process_subs.len();
        let mut undo = Vec::new();
        // `for ((` sets its line itself.
        if self.base_line > 0 && !matches!(command.kind, CommandKind::ArithFor(_)) {
            self.line = self.base_line;
        }
        if self.redirect(&command.redirects, &mut undo)?.is_err() {
            self.undo_redirects(undo);
            self.status = 1;
            // The ERR trap still sees the line of the command before.
            self.line = before;
            return self.after_command();
        }
        let capture = self.suspend_capture(&undo);
        let input_given = self.input_given;
        self.input_given |= super::redirect::takes_input(&command.redirects);
        let result = self.run_kind(command);
        self.input_given = input_given;
        let _ = self.flush();
        self.restore_capture(capture);
        self.undo_redirects(undo);
        self.close_process_subs(keep);
        result
    }

    // Runs a command whose own line is in effect until a simple command inside sets another.
    fn on_own_line(&mut self, command: &Rc<Command>, run: impl FnOnce(&mut Self) -> Run) -> Run {
        self.at_line(command.line);
        let base_line = std::mem::replace(&mut self.base_line, self.line);
        self.outer_line = base_line;
        let result = run(self);
        self.base_line = base_line;
        result
    }

    fn run_kind(&mut self, command: &Rc<Command>) -> Run {
        match &command.kind {
            CommandKind::Group(list) => self.run_list(list),
            CommandKind::If(c) => self.run_if(c),
            CommandKind::While(c) => self.run_while(c),
            CommandKind::For(c) => self.on_own_line(command, |sh| sh.run_for(c, command)),
            CommandKind::ArithFor(c) => self.on_own_line(command, |sh| sh.run_arith_for(c, command)),
            CommandKind::Case(c) => self.on_own_line(command, |sh| sh.run_case(c, command)),
            CommandKind::Select(c) => self.on_own_line(command, |sh| sh.run_select(c, command)),
            CommandKind::Conditional(e) => {
                self.at_line(command.line);
                self.run_conditional(e, command)?;
                self.set_pipestatus_one();
                self.after_command()
            }
            CommandKind::Arith(a) => {
                self.at_line(command.line);
                if !self.before_command(command)? {
                    return Ok(());
                }
                let n = self.arith_traced(a);
                match n {
                    Ok(n) => self.status = i32::from(n == 0),
                    Err(Flow::Discard) => self.status = 1,
                    Err(flow) => return Err(flow),
                }
                self.set_pipestatus_one();
                self.after_command()
            }
            CommandKind::Function(f) => self.define(f),
            CommandKind::Coproc(c) => self.run_coproc(c),
            CommandKind::Subshell(list) => self.run_subshell(command, list),
            CommandKind::Simple(s) => self.run_simple_command(command, s, false),
        }
    }

    fn run_if(&mut self, c: &IfCommand) -> Run {
        for (condition, body) in &c.branches {
            if self.run_condition(condition)? {
                return self.run_list(body);
            }
        }
        match &c.otherwise {
            Some(body) => self.run_list(body),
            None => {
                self.status = 0;
                Ok(())
            }
        }
    }

    // Handles the way in which a loop's body was left. `Some` ends the loop with that result.
    fn loop_flow(&mut self, result: Run) -> Option<Run> {
        match result {
            Ok(()) => None,
            Err(Flow::Break(n)) => Some(if n > 1 { Err(Flow::Break(n - 1)) } else { Ok(()) }),
            Err(Flow::Continue(n)) if n > 1 => Some(Err(Flow::Continue(n - 1))),
            Err(Flow::Continue(_)) => None,
            Err(flow) => Some(Err(flow)),
        }
    }

    fn run_while(&mut self, c: &WhileCommand) -> Run {
        self.loops += 1;
        let mut status = 0;
        let result = loop {
            let condition = self.run_condition(&c.condition);
            match condition {
                Ok(holds) => {
                    if holds == c.until {
                        self.status = status;
                        break Ok(());
                    }
                }
                // The status of the condition that `continue` interrupts still counts.
                Err(Flow::Continue(1)) if (self.status == 0) == c.until => {
                    self.status = status;
                    break Ok(());
                }
                Err(flow) => match self.loop_flow(Err(flow)) {
                    Some(r) => break r,
                    None => continue,
                },
            }
            let body = self.run_list(&c.body);
            if let Some(r) = self.loop_flow(body) {
                break r;
            }
            status = self.status;
            if let Err(flow) = self.answer_signals() {
                break Err(flow);
            }
        };
        self.loops -= 1;
        result
    }

    fn loop_words(&mut self, c: &ForCommand) -> Run<Vec<Field>> {
        match &c.words {
            None => Ok(self.args.to_vec()),
            Some(words) => {
                let mut out = Vec::new();
                for w in words {
                    self.expand_word_into(w, &mut out)?;
                }
                Ok(out)
            }
        }
    }

    fn refuse_loop_variable(&mut self, name: Name) -> Run {
        if self.outer_line > 0 {
            self.line = self.outer_line;
        }
        self.error([b"`", &*name.bytes(), b"': not a valid identifier"].concat());
        self.status = if self.posix() { 2 } else { 1 };
        if self.posix() { Err(Flow::Exit) } else { Ok(()) }
    }

    fn run_for(&mut self, c: &ForCommand, command: &Rc<Command>) -> Run {
        let name = c.variable;
        if !is_name(&name.bytes()) {
            return self.refuse_loop_variable(name);
        }
        let keep = self.process_subs.len();
        let words = self.loop_words(c)?;
        if words.is_empty() {
            self.status = 0;
        }
        self.loops += 1;
        let mut result = Ok(());
        for word in words {
            self.at_line(command.line);
            self.trace_heading(command);
            match self.before_command(command) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(flow) => {
                    result = Err(flow);
                    break;
                }
            }
            match self.assign_loop_variable(name, &word) {
                Ok(()) => {}
                Err(Flow::Discard) if self.posix() => {
                    result = Err(self.end_posix_shell());
                    break;
                }
                Err(Flow::Discard) => {
                    // A variable that cannot be set ends only the loop, not the script.
                    self.status = 1;
                    break;
                }
                Err(flow) => {
                    result = Err(flow);
                    break;
                }
            }
            let body = self.run_list(&c.body);
            if let Some(r) = self.loop_flow(body) {
                result = r;
                break;
            }
            if let Err(flow) = self.answer_signals() {
                result = Err(flow);
                break;
            }
        }
        self.loops -= 1;
        self.close_process_subs(keep);
        result
    }

    fn assign_loop_variable(&mut self, name: crate::variables::Name, word: &[u8]) -> Run {
        // A loop variable that is a nameref refers to each word in turn.
        if self.vars.get(name).is_some_and(|v| v.has(crate::variables::attr::NAMEREF)) {
            self.check_writable(name)?;
            if !crate::variables::access::valid_nameref_target(word) {
                self.error([b"`", word, b"': not a valid identifier"].concat());
                self.status = 1;
                return Err(Flow::Discard);
            }
            *self.vars.entry(name).scalar_mut() = word.to_vec();
            return Ok(());
        }
        self.assign(name, word, false)
    }

    fn arith_traced(&mut self, a: &sandshell_syntax::ast::Arith) -> Run<i64> {
        if !self.tracing() {
            return self.arith_in(a, Some(b"(("));
        }
        let text =
            if a.word.literal.is_some() { a.source.to_vec() } else { self.expand_quoted(&a.word.parts)? };
        self.trace_arith(&text);
        self.arith_evaluate(&text, Some(b"(("))
    }

    fn run_arith_for(&mut self, c: &ArithForCommand, command: &Rc<Command>) -> Run {
        let evaluate = |sh: &mut Self, a: &sandshell_syntax::ast::Arith| -> Run<i64> {
            sh.at_line(command.line);
            if a.source.iter().all(|b| matches!(b, b' ' | b'\t' | b'\n')) {
                return Ok(1);
            }
            if sh.traps.any() {
                let shown = Command {
                    kind: CommandKind::Arith(a.clone()),
                    redirects: Vec::new(),
                    line: command.line,
                };
                if !sh.before_command(&Rc::new(shown))? {
                    return Ok(0);
                }
            }
            sh.arith_traced(a)
        };
        match evaluate(self, &c.init) {
            Ok(_) => {}
            Err(Flow::Discard) => {
                self.status = 1;
                return Ok(());
            }
            Err(flow) => return Err(flow),
        }
        self.loops += 1;
        let mut status = 0;
        let result = loop {
            match evaluate(self, &c.test) {
                Ok(0) => {
                    self.status = status;
                    break Ok(());
                }
                Ok(_) => {}
                Err(Flow::Discard) => {
                    self.status = 1;
                    break Ok(());
                }
                Err(flow) => break Err(flow),
            }
            let body = self.run_list(&c.body);
            if let Some(r) = self.loop_flow(body) {
                break r;
            }
            status = self.status;
            if let Err(flow) = self.answer_signals() {
                break Err(flow);
            }
            match evaluate(self, &c.step) {
                Ok(_) => {}
                Err(Flow::Discard) => {
                    self.status = 1;
                    break Ok(());
                }
                Err(flow) => break Err(flow),
            }
        };
        self.loops -= 1;
        result
    }

    fn run_case(&mut self, c: &CaseCommand, command: &Rc<Command>) -> Run {
        self.trace_heading(command);
        if !self.before_command(command)? {
            return Ok(());
        }
        let word = self.expand_text(&c.word)?;
        let nocase = self.opts.shopt(crate::options::Shopt::nocasematch);
        let mut arms = c.arms.iter();
        let mut any = false;
        while let Some(arm) = arms.next() {
            let mut matched = false;
            for p in &arm.patterns {
                if self.pattern(p, nocase)?.matches(&word) {
                    matched = true;
                    break;
                }
            }
            if !matched {
                continue;
            }
            any = true;
            if arm.body.items.is_empty() {
                self.status = 0;
            }
            self.run_list(&arm.body)?;
            let mut end = arm.end;
            while end == CaseEnd::FallThrough {
                let Some(next) = arms.next() else { return Ok(()) };
                self.run_list(&next.body)?;
                end = next.end;
            }
            if end == CaseEnd::Break {
                return Ok(());
            }
        }
        if !any {
            self.status = 0;
        }
        Ok(())
    }

    fn run_select(&mut self, c: &ForCommand, command: &Rc<Command>) -> Run {
        if !is_name(&c.variable.bytes()) {
            return self.refuse_loop_variable(c.variable);
        }
        if !self.before_command(command)? {
            return Ok(());
        }
        self.trace_heading(command);
        let words = self.loop_words(c)?;
        if words.is_empty() {
            self.status = 0;
            return Ok(());
        }
        self.loops += 1;
        let mut show = true;
        let result = loop {
            if show {
                let columns = self.value(crate::variables::Name::new(b"COLUMNS")).map(|v| v.into_owned());
                let columns = columns.as_deref().and_then(crate::text::parse_integer);
                let width = columns.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0).unwrap_or(80);
                let menu = select_menu(&words, width);
                self.write_error(&menu);
            }
            let ps3 = self.value(crate::variables::Name::new(b"PS3")).map(|v| v.into_owned());
            let prompt = ps3.unwrap_or_else(|| b"#? ".to_vec());
            self.write_error(&prompt);
            let Some(line) = self.read_reply()? else {
                self.put(b"\n");
                let _ = self.flush();
                self.status = 1;
                break Ok(());
            };
            let reply = self.names.reply;
            if let Err(flow) = self.assign(reply, &line, false) {
                break Err(flow);
            }
            if line.is_empty() {
                show = true;
                continue;
            }
            let chosen = crate::text::parse_integer(&line)
                .and_then(|n| usize::try_from(n).ok())
                .and_then(|n| n.checked_sub(1))
                .and_then(|n| words.get(n));
            let value = chosen.map(|w| w.to_vec()).unwrap_or_default();
            match self.assign(c.variable, &value, false) {
                Ok(()) => {}
                Err(Flow::Discard) => {
                    self.status = 1;
                    break Ok(());
                }
                Err(flow) => break Err(flow),
            }
            let body = self.run_list(&c.body);
            if let Some(r) = self.loop_flow(body) {
                break r;
            }
            // The menu is shown again only after an empty line, or if REPLY was emptied.
            show = self.value(reply).is_none_or(|v| v.is_empty());
        };
        self.loops -= 1;
        result
    }
}

// Formats the menu of `select` in columns, as bash does.
fn select_menu(words: &[Field], width: usize) -> Vec<u8> {
    let count = words.len();
    let digits = count.to_string().len();
    let longest = words.iter().map(|w| crate::text::char_count(w)).max().unwrap_or(0) + digits + 2;
    let max_len = longest + 2;
    let mut cols = (width / max_len.max(1)).max(1);
    let mut rows = count.div_ceil(cols);
    cols = count.div_ceil(rows.max(1));
    if rows == 1 {
        rows = cols;
        cols = 1;
    }
    let mut out = Vec::new();
    for row in 0..rows {
        let mut position = 0;
        for col in 0..cols {
            let index = col * rows + row;
            let Some(word) = words.get(index) else { break };
            // In the first column, numbers are only as wide as needed there.
            let digits = if col == 0 { rows.to_string().len() } else { digits };
            let entry = format!("{:>digits$}) ", index + 1);
            out.extend_from_slice(entry.as_bytes());
            out.extend_from_slice(word);
            let len = digits + 2 + crate::text::char_count(word);
            if words.get(index + rows).is_some() && col + 1 < cols {
                // The gap between columns is filled with tabs, then with blanks.
                let mut at = position + len;
                let target = position + max_len;
                while at < target {
                    if target / 8 > at / 8 {
                        out.push(b'\t');
                        at = (at / 8 + 1) * 8;
                    } else {
                        out.push(b' ');
                        at += 1;
                    }
                }
                position = target;
            }
        }
        out.push(b'\n');
    }
    out
}
