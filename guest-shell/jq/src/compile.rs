//! Compiles the syntax tree to instructions.
//!
//! Built-in functions are compiled in place of their calls. The program's own functions are called, with closures as
//! arguments.

mod calls;
mod conditions;
mod count;
mod loops;
pub(crate) mod scope;
mod search;
mod values;

use crate::code::{Code, Function, Op, Pc, Piece, Slot};
use crate::lang::ast::{Ast, Node, Operator, Part, Pattern, PatternKey, Updater};
use crate::lang::parser;
use crate::object::Object;
use crate::text::Text;
use crate::value::Val;
use scope::{Binding, Scope, Source};
use std::rc::Rc;

/// Compiles a program to code.
pub(crate) struct Compiler<'a> {
    pub(crate) functions: Vec<Option<Rc<Function>>>,
    builders: Vec<Builder>,
    complaints: Vec<Complaint>,
    /// The calls that enclose the expression being compiled, by their positions.
    nest: Vec<usize>,
    /// Variables from the command line.
    globals: &'a Object,
    environment: Option<Val>,
    pub(crate) search_list: Val,
    pub(crate) origin: Val,
}

/// An error, its position, and the enclosing calls.
struct Complaint {
    nest: Vec<usize>,
    at: usize,
    message: String,
}

/// The function being compiled.
#[derive(Default)]
struct Builder {
    ops: Vec<Op>,
    slots: usize,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(globals: &'a Object) -> Self {
        Self {
            functions: Vec::new(),
            builders: Vec::new(),
            complaints: Vec::new(),
            nest: Vec::new(),
            globals,
            environment: None,
            search_list: Val::Null,
            origin: Val::Null,
        }
    }

    /// Compiles the main program.
    pub(crate) fn program(mut self, main: &Ast, scope: &Scope) -> Result<Code, Vec<String>> {
        self.functions.push(None);
        self.builders.push(Builder::default());
        self.node(main, scope, false);
        self.emit(Op::Output);
        self.finish(0);
        if self.complaints.is_empty() {
            Ok(Code { functions: self.functions.into_iter().map(Option::unwrap_or_default).collect() })
        } else {
            Err(self.messages())
        }
    }

    /// The messages in jq's order. The errors of a function come before those in its arguments. If there are any, the
    /// arguments are not checked.
    fn messages(self) -> Vec<String> {
        let mut all = self.complaints;
        all.sort_by(|a, b| (&a.nest, a.at).cmp(&(&b.nest, b.at)));
        let mut told: Vec<Complaint> = Vec::new();
        for complaint in all {
            let inside = |outer: &Complaint| {
                outer.nest.len() < complaint.nest.len() && complaint.nest.starts_with(&outer.nest)
            };
            if !told.iter().any(inside) {
                told.push(complaint);
            }
        }
        told.into_iter().map(|c| c.message).collect()
    }

    fn finish(&mut self, function: usize) {
        if let Some(builder) = self.builders.pop()
            && let Some(place) = self.functions.get_mut(function)
        {
            *place = Some(Rc::new(Function { ops: builder.ops, slots: builder.slots }));
        }
    }

    /// The nesting level of the function being compiled.
    fn level(&self) -> usize {
        self.builders.len() - 1
    }

    fn emit(&mut self, op: Op) -> usize {
        match self.builders.last_mut() {
            Some(b) => {
                b.ops.push(op);
                b.ops.len() - 1
            }
            None => 0,
        }
    }

    fn here(&self) -> Pc {
        self.builders.last().map_or(0, |b| b.ops.len() as Pc)
    }

    /// Sets the target of a jump to the current position.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        if let Some(
            Op::Jump(pc)
            | Op::JumpIfFalsy(pc)
            | Op::JumpIfSet(_, pc)
            | Op::JumpUnless(_, pc)
            | Op::Fork(pc)
            | Op::TryBegin(pc)
            | Op::Alternative(pc)
            | Op::UpdateNext { end: pc, .. },
        ) = self.builders.last_mut().and_then(|b| b.ops.get_mut(jump))
        {
            *pc = here;
        }
    }

    fn slot(&mut self) -> Slot {
        self.slots(1)
    }

    fn slots(&mut self, count: usize) -> Slot {
        let Some(builder) = self.builders.last_mut() else { return 0 };
        let first = builder.slots;
        builder.slots += count;
        if builder.slots > usize::from(Slot::MAX) {
            builder.slots = first;
            if self.complaints.is_empty() {
                let message = "jq: error: too many variables in one function".to_owned();
                self.complaints.push(Complaint { nest: Vec::new(), at: 0, message });
            }
            return 0;
        }
        first as Slot
    }

    pub(crate) fn complain(&mut self, message: &str, source: &Source, at: usize) {
        let message = source.locate(message, at);
        self.complaints.push(Complaint { nest: self.nest.clone(), at, message });
    }

    /// Compiles a subexpression. Accesses in it do not extend the path.
    fn sub(&mut self, node: &Ast, scope: &Scope) {
        if count::touches_paths(node) {
            self.emit(Op::SubBegin);
            self.node(node, scope, false);
            self.emit(Op::SubEnd);
        } else {
            self.node(node, scope, false);
        }
    }

    /// Reloads the input of an expression. `last`: the slot is not needed again, because there is no backtracking to
    /// before this point.
    fn reload(&mut self, slot: Slot, last: bool) {
        self.emit(if last { Op::Take(slot) } else { Op::Load(slot) });
    }

    /// Compiles an expression. `tail`: the function returns after it.
    fn node(&mut self, node: &Ast, scope: &Scope, tail: bool) {
        match node {
            Ast::Identity => {}
            Ast::Recurse => {
                self.emit(Op::Recurse);
            }
            Ast::Literal(v) => {
                self.emit(Op::Constant(v.clone()));
            }
            Ast::String(format, parts) => self.string(format.as_deref(), parts, scope),
            Ast::Format(name) => {
                self.emit(Op::Format(Text::from(name.as_str())));
            }
            Ast::Index { term, key, optional } => self.index(term, key, *optional, scope),
            Ast::Slice { term, from, to, optional } => {
                self.slice(term, from.as_ref(), to.as_ref(), *optional, scope);
            }
            Ast::Each { term, optional } => {
                self.node(term, scope, false);
                self.emit(Op::Each { optional: *optional });
            }
            Ast::Array(inner) => self.array(inner.as_ref(), scope),
            Ast::Object(pairs) => self.object(node, pairs, scope),
            Ast::Negate(inner) => {
                self.sub(inner, scope);
                self.emit(Op::Negate);
            }
            Ast::Pipe(a, b) => {
                self.node(a, scope, false);
                self.node(b, scope, tail);
            }
            Ast::Comma(a, b) => {
                let fork = self.emit(Op::Fork(0));
                self.node(a, scope, tail);
                let jump = self.emit(Op::Jump(0));
                self.land(fork);
                self.node(b, scope, tail);
                self.land(jump);
            }
            Ast::Binary(op, a, b) => self.binary(*op, a, b, scope),
            Ast::And(a, b) => self.logic(a, b, scope, false),
            Ast::Or(a, b) => self.logic(a, b, scope, true),
            Ast::Alternative(a, b) => self.alternative(a, b, scope, tail),
            Ast::Assign(paths, value) => self.assign(paths, value, scope),
            Ast::Update(paths, update) => self.update(paths, scope, |c| c.node(update, scope, false)),
            Ast::UpdateWith(updater, paths, value) => self.update_with(*updater, paths, value, scope),
            Ast::If { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise.as_ref(), scope, tail);
            }
            Ast::Try(body, handler) => {
                let begin = self.emit(Op::TryBegin(0));
                self.node(body, scope, false);
                self.emit(Op::TryEnd);
                let jump = self.emit(Op::Jump(0));
                self.land(begin);
                match handler {
                    Some(handler) => self.node(handler, scope, tail),
                    None => {
                        self.emit(Op::Backtrack);
                    }
                }
                self.land(jump);
            }
            Ast::Reduce { source, patterns, init, update } => {
                self.reduce(source, patterns, init, update, scope)
            }
            Ast::Foreach { source, patterns, init, update, extract } => {
                let (input, state) = (self.slot(), self.slot());
                self.emit(Op::Save(input));
                self.node(init, scope, false);
                self.emit(Op::Store(state));
                self.emit(Op::Load(input));
                self.node(source, scope, false);
                let inner = self.bind(patterns, scope);
                self.emit(Op::Take(state));
                self.node(update, &inner, false);
                self.emit(Op::Save(state));
                if let Some(extract) = extract {
                    self.node(extract, &inner, tail);
                }
            }
            Ast::As { source, patterns, body } => {
                let input = self.slot();
                self.emit(Op::Save(input));
                self.sub(source, scope);
                let inner = self.bind(patterns, scope);
                let last = patterns.len() == 1 && count::is_one(source, scope) && simple_pattern(patterns);
                self.reload(input, last);
                self.node(body, &inner, tail);
            }
            Ast::Define(definition, rest) => {
                let inner = scope.define(definition, self.level());
                self.node(rest, &inner, tail);
            }
            Ast::Label(name, body) => {
                let slot = self.slot();
                self.emit(Op::Label(slot));
                let inner = scope.with(Binding::Label { name: name.clone(), level: self.level(), slot });
                self.node(body, &inner, tail);
            }
            Ast::Break(name, at) => match scope.label(name) {
                Some((level, slot)) => {
                    let up = (self.level() - level) as u16;
                    self.emit(Op::Break { up, slot });
                }
                None => {
                    self.complain(&format!("jq: error: $*label-{name} is not defined"), &scope.source, *at);
                }
            },
            Ast::Call(name, arguments, at) => self.call(name, arguments, *at, scope, tail),
            Ast::Variable(name, at) => self.variable(name, *at, scope),
        }
    }

    fn variable(&mut self, name: &str, at: usize, scope: &Scope) {
        if let Some((level, slot)) = scope.variable(name) {
            let up = self.level() - level;
            self.emit(if up == 0 { Op::Load(slot) } else { Op::Variable { up: up as u16, slot } });
        } else if let Some(v) = scope.data(name) {
            self.emit(Op::Constant(v));
        } else if name == "ENV" {
            let v = self.environment.get_or_insert_with(crate::builtins::environment).clone();
            self.emit(Op::Constant(v));
        } else if let Some(v) = self.globals.get(&Text::from(name)) {
            let v = v.clone();
            self.emit(Op::Constant(v));
        } else {
            self.complain(&format!("jq: error: ${name} is not defined"), &scope.source, at);
        }
    }

    fn string(&mut self, format: Option<&str>, parts: &[Part], scope: &Scope) {
        let input = self.slot();
        self.emit(Op::Save(input));
        let mut pieces = Vec::new();
        let mut first = true;
        for part in parts.iter().rev() {
            match part {
                Part::Text(text) => pieces.push(Piece::Text(text.clone())),
                Part::Interpolation(node) => {
                    if !first {
                        self.emit(Op::Load(input));
                    }
                    first = false;
                    let slot = self.slot();
                    self.sub(node, scope);
                    if let Some(format) = format {
                        self.emit(Op::Format(Text::from(format)));
                    }
                    self.emit(Op::Store(slot));
                    pieces.push(Piece::Slot(slot));
                }
            }
        }
        pieces.reverse();
        self.emit(Op::Interpolate(pieces.into()));
    }

    fn index(&mut self, term: &Ast, key: &Ast, optional: bool, scope: &Scope) {
        if let Some(key) = parser::constant(key) {
            self.node(term, scope, false);
            self.emit(Op::Field { key, optional });
            return;
        }
        let (input, slot) = (self.slot(), self.slot());
        self.emit(Op::Save(input));
        self.sub(key, scope);
        self.emit(Op::Store(slot));
        self.reload(input, count::is_one(key, scope));
        self.node(term, scope, false);
        self.emit(Op::Index { key: slot, optional });
    }

    fn slice(&mut self, term: &Ast, from: Option<&Node>, to: Option<&Node>, optional: bool, scope: &Scope) {
        let (input, from_slot, to_slot, key) = (self.slot(), self.slot(), self.slot(), self.slot());
        self.emit(Op::Save(input));
        match from {
            Some(from) => {
                self.sub(from, scope);
                self.emit(Op::Store(from_slot));
                self.emit(Op::Load(input));
            }
            None => {
                self.emit(Op::Clear(from_slot));
            }
        }
        match to {
            Some(to) => {
                self.sub(to, scope);
                self.emit(Op::Store(to_slot));
            }
            None => {
                self.emit(Op::Clear(to_slot));
            }
        }
        self.emit(Op::Bounds { from: from_slot, to: to_slot });
        self.emit(Op::Store(key));
        self.emit(Op::Load(input));
        self.node(term, scope, false);
        self.emit(Op::Index { key, optional });
    }

    fn array(&mut self, inner: Option<&Node>, scope: &Scope) {
        let Some(inner) = inner else {
            self.emit(Op::Constant(Val::arr(Vec::new())));
            return;
        };
        let elements = self.slot();
        self.emit(Op::BeginArray(elements));
        let mut parts: Vec<&Ast> = Vec::new();
        flatten(inner, &mut parts);
        if parts.iter().all(|p| count::is_one(p, scope)) {
            let input = self.slot();
            if parts.len() > 1 {
                self.emit(Op::Save(input));
            }
            let count = parts.len();
            for (i, part) in parts.into_iter().enumerate() {
                if i > 0 {
                    self.reload(input, i + 1 == count);
                }
                self.node(part, scope, false);
                self.emit(Op::Append(elements));
            }
        } else {
            let fork = self.emit(Op::Fork(0));
            self.node(inner, scope, false);
            self.emit(Op::Append(elements));
            self.emit(Op::Backtrack);
            self.land(fork);
        }
        self.emit(Op::Take(elements));
    }

    fn object(&mut self, whole: &Ast, pairs: &[(Node, Node)], scope: &Scope) {
        if let Some(v) = parser::constant(whole) {
            self.emit(Op::Constant(v));
            return;
        }
        let one = pairs.iter().all(|(k, v)| count::is_one(k, scope) && count::is_one(v, scope));
        let (input, key_slot) = (self.slot(), self.slot());
        let mut from = self.slot();
        self.emit(Op::BeginObject(from));
        self.emit(Op::Save(input));
        for (i, (k, v)) in pairs.iter().enumerate() {
            let to = if one { from } else { self.slot() };
            if i > 0 {
                self.emit(Op::Load(input));
            }
            if let Ast::Literal(Val::Str(key)) = &**k {
                self.sub(v, scope);
                self.emit(Op::InsertConstant { from, to, key: key.clone() });
            } else {
                let key = if one { key_slot } else { self.slot() };
                self.sub(k, scope);
                self.emit(Op::Store(key));
                // With `{"key"}`, the value is the input's value for the same key.
                if !Rc::ptr_eq(k, v) {
                    self.emit(Op::Load(input));
                    self.sub(v, scope);
                } else {
                    self.emit(Op::Load(key));
                }
                self.emit(Op::Insert { from, to, key });
            }
            from = to;
        }
        self.emit(if one { Op::Take(from) } else { Op::Load(from) });
    }

    fn binary(&mut self, op: Operator, a: &Ast, b: &Ast, scope: &Scope) {
        if let Some(right) = parser::constant(b) {
            if let Some(left) = parser::constant(a) {
                self.emit(match crate::builtins::operators::binary(op, left, right) {
                    Ok(v) => Op::Constant(v),
                    Err(e) => Op::Error(e),
                });
                return;
            }
            self.sub(a, scope);
            self.emit(Op::BinaryConstant { op, right });
            return;
        }
        let (input, right) = (self.slot(), self.slot());
        self.emit(Op::Save(input));
        self.sub(b, scope);
        self.emit(Op::Store(right));
        self.reload(input, count::is_one(b, scope));
        self.sub(a, scope);
        let take = count::is_one(a, scope);
        self.emit(Op::Binary { op, right, take });
    }

    fn logic(&mut self, a: &Ast, b: &Ast, scope: &Scope, or: bool) {
        let input = self.slot();
        self.emit(Op::Save(input));
        self.sub(a, scope);
        let falsy = self.emit(Op::JumpIfFalsy(0));
        let last = count::is_one(a, scope);
        if or {
            self.emit(Op::Constant(Val::Bool(true)));
            let end = self.emit(Op::Jump(0));
            self.land(falsy);
            self.reload(input, last);
            self.sub(b, scope);
            self.emit(Op::Truth);
            self.land(end);
        } else {
            self.reload(input, last);
            self.sub(b, scope);
            self.emit(Op::Truth);
            let end = self.emit(Op::Jump(0));
            self.land(falsy);
            self.emit(Op::Constant(Val::Bool(false)));
            self.land(end);
        }
    }

    fn alternative(&mut self, a: &Ast, b: &Ast, scope: &Scope, tail: bool) {
        let found = self.slot();
        self.emit(Op::Set(found, false));
        let none = self.emit(Op::Fork(0));
        self.node(a, scope, false);
        let falsy = self.emit(Op::JumpIfFalsy(0));
        self.emit(Op::Set(found, true));
        let end = self.emit(Op::Jump(0));
        self.land(falsy);
        let backtrack = self.emit(Op::Backtrack);
        self.land(none);
        self.emit(Op::JumpIfSet(found, backtrack as Pc));
        self.node(b, scope, tail);
        self.land(end);
    }

    fn conditional(
        &mut self,
        condition: &Ast,
        then: &Ast,
        otherwise: Option<&Node>,
        scope: &Scope,
        tail: bool,
    ) {
        let input = self.slot();
        self.emit(Op::Save(input));
        self.sub(condition, scope);
        let falsy = self.emit(Op::JumpIfFalsy(0));
        let last = count::is_one(condition, scope);
        self.reload(input, last);
        self.node(then, scope, tail);
        let end = self.emit(Op::Jump(0));
        self.land(falsy);
        self.reload(input, last);
        if let Some(otherwise) = otherwise {
            self.node(otherwise, scope, tail);
        }
        self.land(end);
    }

    fn reduce(&mut self, source: &Ast, patterns: &[Pattern], init: &Ast, update: &Ast, scope: &Scope) {
        let (input, state) = (self.slot(), self.slot());
        self.emit(Op::Save(input));
        self.node(init, scope, false);
        self.emit(Op::Store(state));
        self.reload(input, count::is_one(init, scope));
        let fork = self.emit(Op::Fork(0));
        self.node(source, scope, false);
        let inner = self.bind(patterns, scope);
        self.emit(Op::Take(state));
        self.node(update, &inner, false);
        self.emit(Op::Store(state));
        self.emit(Op::Backtrack);
        self.land(fork);
        self.emit(Op::Take(state));
    }

    /// Binds `.` to patterns. Returns the scope with their variables.
    fn bind(&mut self, patterns: &[Pattern], scope: &Scope) -> Scope {
        if let [Pattern::Variable(name)] = patterns {
            let slot = self.slot();
            self.emit(Op::Store(slot));
            return scope.with(Binding::Variable { name: name.clone(), level: self.level(), slot });
        }
        let value = self.slot();
        self.emit(Op::Store(value));
        let mut names = Vec::new();
        patterns.iter().for_each(|p| names_of(p, &mut names));
        let level = self.level();
        let variables: Vec<(String, Slot)> = names.into_iter().map(|n| (n, self.slot())).collect();
        let mut inner = scope.clone();
        for (name, slot) in &variables {
            inner = inner.with(Binding::Variable { name: name.clone(), level, slot: *slot });
        }
        let count = patterns.len();
        let mut ends = Vec::new();
        for (i, pattern) in patterns.iter().enumerate() {
            let last = i + 1 == count;
            let mut next = None;
            if count > 1 {
                for (_, slot) in &variables {
                    self.emit(Op::Clear(*slot));
                }
            }
            if !last {
                next = Some(self.emit(Op::Alternative(0)));
            }
            self.emit(Op::Load(value));
            self.destructure(pattern, &variables, scope);
            if let Some(next) = next {
                ends.push(self.emit(Op::Jump(0)));
                self.land(next);
            }
        }
        for end in ends {
            self.land(end);
        }
        inner
    }

    fn destructure(&mut self, pattern: &Pattern, variables: &[(String, Slot)], scope: &Scope) {
        let place = |name: &str| variables.iter().rev().find(|(n, _)| n == name).map_or(0, |v| v.1);
        match pattern {
            Pattern::Variable(name) => {
                self.emit(Op::Store(place(name)));
            }
            Pattern::Array(elements) => {
                let value = self.slot();
                self.emit(Op::Store(value));
                for (i, element) in elements.iter().enumerate() {
                    self.emit(Op::Load(value));
                    self.emit(Op::SubBegin);
                    self.emit(Op::Field { key: Val::Num(i as f64), optional: false });
                    self.emit(Op::SubEnd);
                    self.destructure(element, variables, scope);
                }
            }
            Pattern::Object(entries) => {
                let value = self.slot();
                self.emit(Op::Store(value));
                for (key, nested) in entries {
                    self.emit(Op::Load(value));
                    self.emit(Op::SubBegin);
                    match key {
                        PatternKey::Variable(name) => {
                            self.emit(Op::Field { key: Val::str(name), optional: false });
                            self.emit(Op::SubEnd);
                            if nested.is_some() {
                                self.emit(Op::Save(place(name)));
                            } else {
                                self.emit(Op::Store(place(name)));
                            }
                        }
                        PatternKey::Expression(node) => {
                            self.index(&Ast::Identity, node, false, scope);
                            self.emit(Op::SubEnd);
                        }
                    }
                    if let Some(nested) = nested {
                        self.destructure(nested, variables, scope);
                    }
                }
            }
        }
    }

    /// Collects the paths of an expression in a slot. Afterwards, `.` is in `root`.
    fn collect_paths(&mut self, paths: &Ast, scope: &Scope, list: Slot, root: Slot) {
        self.nest.push(0);
        self.emit(Op::Save(root));
        self.emit(Op::BeginArray(list));
        let fork = self.emit(Op::Fork(0));
        self.emit(Op::PathBegin);
        self.node(paths, scope, false);
        self.emit(Op::PathEnd);
        self.emit(Op::Append(list));
        self.emit(Op::Backtrack);
        self.land(fork);
        self.emit(Op::Clear(list + 1));
        self.emit(Op::Take(list));
        self.nest.pop();
    }

    fn assign(&mut self, paths: &Ast, value: &Ast, scope: &Scope) {
        let (input, value_slot) = (self.slot(), self.slot());
        let list = self.slots(2);
        let root = self.slot();
        self.emit(Op::Save(input));
        self.sub(value, scope);
        self.emit(Op::Store(value_slot));
        self.reload(input, count::is_one(value, scope));
        self.collect_paths(paths, scope, list, root);
        self.emit(Op::AssignAll { root, value: value_slot });
    }

    fn update(&mut self, paths: &Ast, scope: &Scope, update: impl FnOnce(&mut Self)) {
        let state = self.slots(4);
        let mark = self.slot();
        self.collect_paths(paths, scope, state, state + 2);
        self.emit(Op::Store(state));
        self.emit(Op::Clear(state + 3));
        let start = self.here();
        let next = self.emit(Op::UpdateNext { state, end: 0 });
        self.emit(Op::Mark(mark));
        let none = self.emit(Op::Fork(0));
        self.emit(Op::SubBegin);
        self.nest.push(0);
        update(self);
        self.nest.pop();
        self.emit(Op::SubEnd);
        self.emit(Op::Cut(mark));
        self.emit(Op::UpdateSet { state });
        self.emit(Op::Jump(start));
        self.land(none);
        self.emit(Op::UpdateDelete { state });
        self.emit(Op::Jump(start));
        self.land(next);
    }

    fn update_with(&mut self, updater: Updater, paths: &Ast, value: &Ast, scope: &Scope) {
        let (input, right) = (self.slot(), self.slot());
        self.emit(Op::Save(input));
        self.sub(value, scope);
        self.emit(Op::Store(right));
        self.reload(input, count::is_one(value, scope));
        self.update(paths, scope, |c| match updater {
            Updater::Arithmetic(op) => {
                c.emit(Op::Binary { op, right, take: false });
            }
            Updater::Alternative => {
                let falsy = c.emit(Op::JumpIfFalsy(0));
                let end = c.emit(Op::Jump(0));
                c.land(falsy);
                c.emit(Op::Load(right));
                c.land(end);
            }
        });
    }
}

/// Collects the elements of `a, b, c`.
fn flatten<'n>(node: &'n Ast, parts: &mut Vec<&'n Ast>) {
    match node {
        Ast::Comma(a, b) => {
            flatten(a, parts);
            flatten(b, parts);
        }
        other => parts.push(other),
    }
}

fn simple_pattern(patterns: &[Pattern]) -> bool {
    matches!(patterns, [Pattern::Variable(_)])
}

fn names_of(pattern: &Pattern, names: &mut Vec<String>) {
    let mut add = |name: &String| {
        if !names.contains(name) {
            names.push(name.clone());
        }
    };
    match pattern {
        Pattern::Variable(name) => add(name),
        Pattern::Array(elements) => elements.iter().for_each(|p| names_of(p, names)),
        Pattern::Object(entries) => {
            for (key, nested) in entries {
                if let PatternKey::Variable(name) = key
                    && !names.contains(name)
                {
                    names.push(name.clone());
                }
                if let Some(nested) = nested {
                    names_of(nested, names);
                }
            }
        }
    }
}
