//! Statements.

use super::{Context, DEPTH_MAX, Parser, Res};
use crate::ast::*;
use crate::diag::bytes;
use crate::lexer::{Failure, Key, Tok};
use crate::special;
use crate::value::Value;

impl Parser<'_> {
    /// Parses `{ … }` and the terminator that may follow it.
    pub(super) fn block(&mut self) -> Res<Block> {
        self.expect("{")?;
        let mut list = Vec::new();
        loop {
            self.separators()?;
            if self.accept("}")? {
                return Ok(list);
            }
            list.push(self.statement()?);
        }
    }

    fn statement(&mut self) -> Res<Stmt> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Failure::Fatal(b"program nested too deeply".to_vec(), true));
        }
        let pos = self.pos;
        let kind = self.statement_kind();
        self.depth -= 1;
        Ok(Stmt { pos, kind: kind? })
    }

    // Parses the end of a simple statement.
    fn end(&mut self) -> Res<()> {
        if self.tok == Tok::Newline || self.is(";") {
            return self.advance();
        }
        if self.is("}") || self.tok == Tok::Eof { Ok(()) } else { Err(self.syntax_error()) }
    }

    fn statement_kind(&mut self) -> Res<StmtKind> {
        if self.is("{") {
            return self.block().map(StmtKind::Block);
        }
        if self.accept(";")? {
            return Ok(StmtKind::Block(Vec::new()));
        }
        let Tok::Key(key) = self.tok else { return self.simple_statement() };
        match key {
            Key::If => {
                self.advance()?;
                let cond = self.condition()?;
                self.newlines()?;
                let yes = Box::new(self.statement()?);
                // `else` may follow after newlines and semicolons, because the statement before it has ended anyway.
                if self.else_follows()? {
                    self.advance()?;
                    self.newlines()?;
                    let no = self.statement()?;
                    return Ok(StmtKind::If(cond, yes, Some(Box::new(no))));
                }
                Ok(StmtKind::If(cond, yes, None))
            }
            Key::While => {
                self.advance()?;
                let cond = self.condition()?;
                if self.accept(";")? {
                    return Ok(StmtKind::While(cond, self.empty()));
                }
                self.newlines()?;
                let body = self.body()?;
                Ok(StmtKind::While(cond, body))
            }
            Key::Do => {
                self.advance()?;
                self.newlines()?;
                let body = self.body()?;
                self.separators()?;
                if !self.is_key(Key::While) {
                    return Err(self.syntax_error());
                }
                self.advance()?;
                let cond = self.condition()?;
                self.end()?;
                Ok(StmtKind::Do(body, cond))
            }
            Key::For => self.for_statement(),
            Key::Switch => self.switch_statement(),
            _ => self.simple_statement(),
        }
    }

    fn empty(&self) -> Box<Stmt> {
        Box::new(Stmt { pos: self.pos, kind: StmtKind::Block(Vec::new()) })
    }

    fn body(&mut self) -> Res<Box<Stmt>> {
        self.loops += 1;
        let body = self.statement();
        self.loops -= 1;
        body.map(Box::new)
    }

    // Skips newlines and semicolons before `else`. If there is none, one newline remains as the terminator.
    fn else_follows(&mut self) -> Res<bool> {
        let mut ended = false;
        while self.tok == Tok::Newline || (self.is(";") && !ended) {
            ended |= self.is(";");
            self.advance()?;
        }
        Ok(self.is_key(Key::Else))
    }

    fn condition(&mut self) -> Res<Expr> {
        self.expect("(")?;
        let (gt, no_in) = (std::mem::take(&mut self.no_gt), std::mem::take(&mut self.no_in));
        let cond = self.expr()?;
        (self.no_gt, self.no_in) = (gt, no_in);
        self.expect(")")?;
        Ok(cond)
    }

    fn for_statement(&mut self) -> Res<StmtKind> {
        self.advance()?;
        self.expect("(")?;
        if let Tok::Name(name) = self.tok.clone()
            && self.lexer_sees_in()
        {
            let saved = (self.lexer.at, self.lexer.line, self.lexer.start, self.pos);
            self.advance()?; // in
            self.advance()?;
            if matches!(self.tok, Tok::Name(_)) {
                let array = self.array_place()?;
                if self.is(")") {
                    self.advance()?;
                    self.newlines()?;
                    let var = self.variable_place(&name)?;
                    let body = if self.accept(";")? { self.empty() } else { self.body()? };
                    return Ok(StmtKind::ForIn(var, array, body));
                }
            }
            (self.lexer.at, self.lexer.line, self.lexer.start, self.pos) = saved;
            self.tok = Tok::Name(name);
        }
        let init = if self.is(";") { None } else { Some(Box::new(self.simple_part()?)) };
        self.expect(";")?;
        self.newlines()?;
        let cond = if self.is(";") { None } else { Some(self.expr()?) };
        self.expect(";")?;
        self.newlines()?;
        let step = if self.is(")") { None } else { Some(Box::new(self.simple_part()?)) };
        self.expect(")")?;
        if self.accept(";")? {
            return Ok(StmtKind::For(init, cond, step, self.empty()));
        }
        self.newlines()?;
        let body = self.body()?;
        Ok(StmtKind::For(init, cond, step, body))
    }

    // Whether `in` is the next token.
    fn lexer_sees_in(&self) -> bool {
        let rest = self.lexer.text.get(self.lexer.at..).unwrap_or_default();
        let rest = rest.trim_ascii_start();
        rest.strip_prefix(b"in")
            .is_some_and(|r| !r.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_'))
    }

    fn switch_statement(&mut self) -> Res<StmtKind> {
        self.advance()?;
        let value = self.condition()?;
        self.newlines()?;
        self.expect("{")?;
        let mut cases: Vec<(Label, Block)> = Vec::new();
        let mut lines = Vec::new();
        self.switches += 1;
        loop {
            self.separators()?;
            if self.accept("}")? {
                break;
            }
            lines.resize(cases.len() + 1, self.pos.line);
            if self.is_key(Key::Case) {
                self.advance()?;
                let label = self.case_label()?;
                self.expect(":")?;
                cases.push((label, Vec::new()));
            } else if self.is_key(Key::Default) {
                self.advance()?;
                self.expect(":")?;
                cases.push((Label::Default, Vec::new()));
            } else {
                if cases.is_empty() {
                    return Err(self.syntax_error());
                }
                let stmt = self.statement()?;
                match cases.last_mut() {
                    Some(c) => c.1.push(stmt),
                    None => return Err(self.syntax_error()),
                }
            }
        }
        self.switches -= 1;
        self.check_labels(&cases, &lines);
        Ok(StmtKind::Switch(value, cases))
    }

    // Reports duplicate labels, from the last one to the first.
    fn check_labels(&mut self, cases: &[(Label, Block)], lines: &[u32]) {
        let all: Vec<_> = cases.iter().map(|c| label_text(&c.0)).collect();
        for (i, (label, _)) in cases.iter().enumerate().rev() {
            let line = lines.get(i).copied().unwrap_or(self.lexer.line);
            let later = all.get(i + 1..).unwrap_or_default();
            if matches!(label, Label::Default) {
                if cases.iter().skip(i + 1).any(|c| matches!(c.0, Label::Default)) {
                    self.recover_at(line, "duplicate `default' detected in switch body");
                }
            } else if let Some(Some(text)) = all.get(i)
                && later.iter().flatten().any(|t| t == text)
            {
                self.recover_at(line, bytes!("duplicate case values in switch body: ", text));
            }
        }
    }

    fn case_label(&mut self) -> Res<Label> {
        let sign = if self.accept("-")? {
            Some(-1.0)
        } else if self.accept("+")? {
            Some(1.0)
        } else {
            None
        };
        let label = match (&self.tok, sign) {
            (Tok::Number(n), _) => Label::Value(Value::Num(n * sign.unwrap_or(1.0))),
            (Tok::Str(s), None) => Label::Value(Value::text(s)),
            (Tok::Op("/" | "/="), None) => {
                let source = self.lexer.regex()?;
                Label::Regex(self.pattern(&source)?)
            }
            (Tok::Op("@"), None) if self.lexer.peek(0) == b'/' => {
                self.advance()?;
                let source = self.lexer.regex()?;
                Label::Regex(self.pattern(&source)?)
            }
            _ => return Err(self.syntax_error()),
        };
        self.advance()?;
        Ok(label)
    }

    // Parses a part of the head of `for`.
    fn simple_part(&mut self) -> Res<Stmt> {
        let pos = self.pos;
        let kind = match self.tok {
            Tok::Key(Key::Print) => self.print(false)?,
            Tok::Key(Key::Printf) => self.print(true)?,
            Tok::Key(Key::Delete) => self.delete()?,
            _ => StmtKind::Expr(self.expr()?),
        };
        Ok(Stmt { pos, kind })
    }

    fn simple_statement(&mut self) -> Res<StmtKind> {
        let kind = match self.tok {
            Tok::Key(Key::Print) => self.print(false)?,
            Tok::Key(Key::Printf) => self.print(true)?,
            Tok::Key(Key::Break) => {
                if self.loops == 0 && self.switches == 0 {
                    return Err(self.said_twice("`break' is not allowed outside a loop or switch"));
                }
                self.advance()?;
                StmtKind::Break
            }
            Tok::Key(Key::Continue) => {
                if self.loops == 0 {
                    return Err(self.said_twice("`continue' is not allowed outside a loop"));
                }
                self.advance()?;
                StmtKind::Continue
            }
            Tok::Key(k @ (Key::Next | Key::NextFile)) => {
                let name = if k == Key::Next { "next" } else { "nextfile" };
                let context = match self.context {
                    Context::Begin => Some("BEGIN"),
                    Context::End => Some("END"),
                    Context::BeginFile if k == Key::Next => Some("BEGINFILE"),
                    Context::EndFile => Some("ENDFILE"),
                    _ => None,
                };
                if let Some(c) = context {
                    self.recover(bytes!("`", name, "' used in ", c, " action"));
                }
                self.advance()?;
                if k == Key::Next { StmtKind::Next } else { StmtKind::NextFile }
            }
            Tok::Key(Key::Exit) => {
                self.advance()?;
                StmtKind::Exit(self.optional_expr()?)
            }
            Tok::Key(Key::Return) => {
                if self.context != Context::Function {
                    return Err(self.error_here("`return' used outside function context"));
                }
                self.advance()?;
                {
                    self.may_be_typed();
                    StmtKind::Return(self.optional_expr()?)
                }
            }
            Tok::Key(Key::Delete) => self.delete()?,
            _ => {
                let pos = self.pos;
                let e = self.expr()?;
                self.lint_effect(pos, &e)?;
                StmtKind::Expr(e)
            }
        };
        self.end()?;
        Ok(kind)
    }

    // gawk reports this error while parsing, and again when it checks the program.
    fn said_twice(&self, text: &str) -> Failure {
        self.report(Failure::Plain(text.into()));
        Failure::Plain(text.into())
    }

    fn optional_expr(&mut self) -> Res<Option<Expr>> {
        if matches!(self.tok, Tok::Newline | Tok::Eof) || self.is(";") || self.is("}") {
            return Ok(None);
        }
        self.expr().map(Some)
    }

    fn delete(&mut self) -> Res<StmtKind> {
        self.advance()?;
        let grouped = self.accept("(")?;
        if !matches!(self.tok, Tok::Name(_)) {
            return Err(self.syntax_error());
        }
        let place = self.array_place()?;
        if grouped {
            self.expect(")")?;
            if !matches!(place, ArrayPlace::Elem(..)) {
                self.lint("`delete(array)' is a non-portable tawk extension")?;
            }
        }
        let table = match &place {
            ArrayPlace::Elem(array, _) => array.as_ref(),
            array => array,
        };
        if let ArrayPlace::Table(g @ (special::SYMTAB | special::FUNCTAB)) = table {
            let name = special::NAMES.get(*g as usize).copied().unwrap_or_default();
            return Err(Failure::Fatal(bytes!("`delete' is not allowed with ", name), true));
        }
        Ok(match place {
            ArrayPlace::Elem(array, index) => StmtKind::Delete(*array, index),
            array => StmtKind::Clear(array),
        })
    }

    fn print(&mut self, formatted: bool) -> Res<StmtKind> {
        self.advance()?;
        let ended = |p: &Self| {
            matches!(p.tok, Tok::Newline | Tok::Eof)
                || [";", "}", ">", ">>", "|", "|&"].iter().any(|o| p.is(o))
        };
        let mut args = Vec::new();
        self.no_gt = true;
        if !ended(self) {
            let first = self.expr_or_list()?;
            match first {
                Expr::List(list) => {
                    args = list;
                    if !ended(self) {
                        return Err(self.syntax_error());
                    }
                }
                first => {
                    args.push(first);
                    while self.accept(",")? {
                        self.newlines()?;
                        args.push(self.expr()?);
                    }
                }
            }
        } else if formatted && !self.options.dialect.posix {
            return Err(Failure::Fatal(b"printf: no arguments".to_vec(), true));
        }
        self.no_gt = false;
        if let [Expr::Group(_)] = args.as_slice()
            && let Some(Expr::Group(inner)) = args.pop()
        {
            args.push(*inner);
        }
        let mode = match self.tok {
            Tok::Op(">") => Some(Mode::Write),
            Tok::Op(">>") => Some(Mode::Append),
            Tok::Op("|") => Some(Mode::Pipe),
            Tok::Op("|&") => Some(Mode::Coprocess),
            _ => None,
        };
        let redirect = match mode {
            Some(mode) => {
                self.advance()?;
                self.no_gt = true;
                let target = self.concatenation(false)?;
                if let Expr::Concat(_) = target {
                    let sign = match mode {
                        Mode::Write => ">",
                        Mode::Append => ">>",
                        Mode::Pipe => "|",
                        Mode::Coprocess => "|&",
                    };
                    self.lint(format!("concatenation as I/O `{sign}' redirection target is ambiguous"))?;
                }
                self.no_gt = false;
                if self.options.sandbox {
                    return Err(Failure::Fatal(b"redirection not allowed in sandbox mode".to_vec(), true));
                }
                Some(Box::new(Redirect { mode, target }))
            }
            None => None,
        };
        if args.is_empty() && !formatted {
            self.lint_print()?;
        }
        Ok(if formatted { StmtKind::Printf(args, redirect) } else { StmtKind::Print(args, redirect) })
    }
}

// The text of a label. A number and a string with the same text are the same label.
fn label_text(label: &Label) -> Option<Vec<u8>> {
    match label {
        Label::Value(Value::Num(n)) => {
            let mut text = Vec::new();
            crate::float::push_g(&mut text, *n, 6);
            Some(text)
        }
        Label::Value(Value::Str(t)) => Some(t.as_bytes().to_vec()),
        _ => None,
    }
}
