//! Statements.

use super::{Interp, R, Unwind};
use crate::ast::*;
use crate::value::{Operand, Value};

/// How a statement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Normal,
    Break,
    Continue,
    Return,
}

impl<'p> Interp<'p> {
    pub(super) fn exec_block(&mut self, block: &'p [Stmt]) -> R<Flow> {
        for stmt in block {
            let flow = self.exec(stmt)?;
            if flow != Flow::Normal {
                return Ok(flow);
            }
        }
        Ok(Flow::Normal)
    }

    fn exec(&mut self, stmt: &'p Stmt) -> R<Flow> {
        self.pos = stmt.pos;
        match &stmt.kind {
            StmtKind::Expr(e) => match e {
                Expr::Append(v, parts) => self.append_to(*v, parts)?,
                Expr::Step(place, by, _) => drop(self.step(place, *by, false)?),
                e => drop(self.eval(e)?),
            },
            StmtKind::Print(args, redirect) => self.print(args, redirect.as_deref())?,
            StmtKind::Printf(args, redirect) => self.printf(args, redirect.as_deref())?,
            StmtKind::Block(block) => return self.exec_block(block),
            StmtKind::If(cond, yes, no) => {
                if self.truth(cond)? {
                    return self.exec(yes);
                }
                if let Some(no) = no {
                    return self.exec(no);
                }
            }
            StmtKind::While(cond, body) => {
                while self.truth(cond)? {
                    match self.exec(body)? {
                        Flow::Break => break,
                        Flow::Return => return Ok(Flow::Return),
                        _ => self.pos = stmt.pos,
                    }
                }
            }
            StmtKind::Do(body, cond) => loop {
                match self.exec(body)? {
                    Flow::Break => break,
                    Flow::Return => return Ok(Flow::Return),
                    _ => {}
                }
                if !self.truth(cond)? {
                    break;
                }
            },
            StmtKind::For(init, cond, step, body) => {
                return self.exec_for(init.as_deref(), cond.as_ref(), step.as_deref(), body);
            }
            StmtKind::ForIn(place, array, body) => return self.exec_for_in(place, array, body),
            StmtKind::Switch(value, cases) => return self.switch(value, cases),
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Next => {
                return Err(self.next_or_fatal("next", Unwind::Next));
            }
            StmtKind::NextFile => return Err(self.next_or_fatal("nextfile", Unwind::NextFile)),
            StmtKind::Exit(status) => return self.exec_exit(status.as_ref()),
            StmtKind::Return(value) => return self.exec_return(value.as_ref()),
            StmtKind::Delete(array, index) => self.delete(array, index)?,
            StmtKind::Clear(array) => {
                let array = self.array(array)?;
                array.borrow_mut().clear();
            }
        }
        Ok(Flow::Normal)
    }

    fn next_or_fatal(&mut self, name: &str, how: Unwind) -> Unwind {
        if self.in_rule || (matches!(how, Unwind::NextFile) && self.in_begin_file) {
            return how;
        }
        let place = self.place_name;
        self.fatal(format!("`{name}' cannot be called from a `{place}' rule"))
    }

    #[inline(never)]
    fn exec_for(
        &mut self,
        init: Option<&'p Stmt>,
        cond: Option<&'p Expr>,
        step: Option<&'p Stmt>,
        body: &'p Stmt,
    ) -> R<Flow> {
        if let Some(init) = init {
            self.exec(init)?;
        }
        loop {
            if let Some(cond) = cond
                && !self.truth(cond)?
            {
                break;
            }
            match self.exec(body)? {
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
                _ => {}
            }
            if let Some(step) = step {
                self.exec(step)?;
            }
        }
        Ok(Flow::Normal)
    }

    #[inline(never)]
    fn exec_for_in(&mut self, place: &'p Place, array: &'p ArrayPlace, body: &'p Stmt) -> R<Flow> {
        let array = self.array(array)?;
        for key in self.sorted_keys(&array)? {
            self.store(place, key)?;
            match self.exec(body)? {
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
                _ => {}
            }
        }
        Ok(Flow::Normal)
    }

    #[inline(never)]
    fn exec_exit(&mut self, status: Option<&'p Expr>) -> R<Flow> {
        if let Some(e) = status {
            let n = self.num(e)?;
            self.exit_status = (n as i64 & 0xff) as i32;
        }
        Err(Unwind::Exit)
    }

    #[inline(never)]
    fn exec_return(&mut self, value: Option<&'p Expr>) -> R<Flow> {
        self.returned = match value {
            Some(e) => match self.eval(e)? {
                Value::Untyped => Value::Unassigned,
                v => v,
            },
            None => Value::Unassigned,
        };
        Ok(Flow::Return)
    }

    #[inline(never)]
    fn switch(&mut self, value: &'p Expr, cases: &'p [(Label, Block)]) -> R<Flow> {
        let value = self.eval(value)?;
        let mut start = None;
        for (i, (label, _)) in cases.iter().enumerate() {
            let hit = match label {
                Label::Value(v) => self.same(&value, v),
                Label::Regex(p) => {
                    let text = self.text_of(&value);
                    p.regex(self.ignore_case).is_match(&text)
                }
                Label::Default => false,
            };
            if hit {
                start = Some(i);
                break;
            }
        }
        let start = start.or_else(|| cases.iter().position(|c| matches!(c.0, Label::Default)));
        let Some(start) = start else { return Ok(Flow::Normal) };
        for (_, block) in cases.iter().skip(start) {
            match self.exec_block(block)? {
                Flow::Normal => {}
                Flow::Break => break,
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Normal)
    }

    // A case matches if both kind and value are equal.
    fn same(&self, value: &Value, label: &Value) -> bool {
        if let Value::Index(_) = value {
            return self.order_values(value, label).is_some_and(std::cmp::Ordering::is_eq);
        }
        let (mut s, mut t) = (Vec::new(), Vec::new());
        match (value.operand(&mut s), label.operand(&mut t)) {
            (Operand::Num(a), Operand::Num(b)) => a == b,
            (Operand::Str(a), Operand::Str(b)) => self.order_texts(a, b).is_eq(),
            (Operand::Null, Operand::Str(b)) => b.is_empty(),
            (Operand::Null, Operand::Num(b)) => b == 0.0,
            _ => false,
        }
    }
}
