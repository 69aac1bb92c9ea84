//! Calls of functions in scope and of built-in functions.
//!
//! Built-in functions that take filters are compiled in place. `conditions`, `loops`, `search` and `values` each
//! contain a part of them.

use super::scope::{Binding, Callee, Scope};
use super::{Builder, Compiler, count};
use crate::builtins::{self, Builtin};
use crate::code::{Closure, Native, Op, Slot, Special};
use crate::lang::ast::{Ast, Node, Operator, Parameter};
use crate::value::Val;
use std::rc::Rc;

impl Compiler<'_> {
    pub(super) fn call(&mut self, name: &str, arguments: &[Node], at: usize, scope: &Scope, tail: bool) {
        if let Some(binding) = scope.function(name, arguments.len()) {
            self.nest.push(at);
            self.bound_call(&binding, arguments, scope, tail);
            self.nest.pop();
            return;
        }
        if !builtins::is_known(name, arguments.len()) {
            let message = format!("jq: error: {name}/{} is not defined", arguments.len());
            return self.complain(&message, &scope.source, at);
        }
        // For functions that jq implements in C, the arguments belong to the enclosing function.
        if builtins::is_plain(name, arguments.len()) {
            self.builtin_call(name, arguments, scope, tail);
        } else {
            self.nest.push(at);
            self.builtin_call(name, arguments, scope, tail);
            self.nest.pop();
        }
    }

    fn builtin_call(&mut self, name: &str, arguments: &[Node], scope: &Scope, tail: bool) {
        if self.special_call(name, arguments, scope, tail) {
            return;
        }
        match builtins::lookup(name, arguments.len()) {
            Some(Builtin::Simple(function)) => {
                self.emit(Op::Simple(function));
            }
            Some(Builtin::Native(function)) => self.native_call(function, arguments, scope),
            None => {}
        }
    }

    pub(super) fn native_call(&mut self, function: Native, arguments: &[Node], scope: &Scope) {
        let first = self.slots(arguments.len() + 1);
        self.arguments(arguments, first, scope);
        let keep = !arguments.iter().all(|a| count::is_one(a, scope));
        self.emit(Op::Native { function, first, count: arguments.len() as u16 + 1, keep });
    }

    /// Evaluates arguments into the slots after `first` and reloads `.`. The last argument is the outermost loop.
    pub(super) fn arguments(&mut self, arguments: &[Node], first: u16, scope: &Scope) {
        self.emit(Op::Save(first));
        for (i, argument) in arguments.iter().enumerate().rev() {
            if i + 1 < arguments.len() {
                self.emit(Op::Load(first));
            }
            self.sub(argument, scope);
            self.emit(Op::Store(first + 1 + i as u16));
        }
        let last = arguments.iter().all(|a| count::is_one(a, scope));
        self.reload(first, last);
    }

    fn bound_call(&mut self, binding: &Rc<Binding>, arguments: &[Node], scope: &Scope, tail: bool) {
        match &**binding {
            Binding::Parameter { level, index, .. } => {
                let up = (self.level() - level) as u16;
                self.emit(Op::CallParameter { up, index: *index, tail });
            }
            Binding::Function(callee) => self.function_call(callee, binding, arguments, scope, tail),
            _ => {}
        }
    }

    fn function_call(
        &mut self,
        callee: &Callee,
        binding: &Rc<Binding>,
        arguments: &[Node],
        scope: &Scope,
        tail: bool,
    ) {
        let function = self.function(callee, binding);
        let up = (self.level() - callee.level) as u16;
        let closures: Vec<Closure> = arguments.iter().map(|a| self.closure(a, scope)).collect();
        self.emit(Op::Call { function, up, closures: closures.into(), tail });
    }

    /// Compiles the body of a function when it is first called.
    fn function(&mut self, callee: &Callee, binding: &Rc<Binding>) -> u32 {
        if let Some(function) = callee.compiled.get() {
            return function;
        }
        let function = self.reserve();
        callee.compiled.set(Some(function));
        // The body belongs to the level at which the function was defined, not to that of its caller.
        let callers = self.builders.split_off(callee.level + 1);
        self.builders.push(Builder::default());
        let level = self.level();
        let mut inner = callee.scope.with_binding(binding);
        for (i, Parameter { name, .. }) in callee.definition.parameters.iter().enumerate() {
            inner = inner.with(Binding::Parameter { name: name.clone(), level, index: i as u16 });
        }
        let inner = self.value_parameters(&callee.definition.parameters, inner);
        self.node(&callee.definition.body, &inner, true);
        self.emit(Op::Return);
        self.finish(function as usize);
        self.builders.extend(callers);
        function
    }

    /// `def f($a): …` means `def f(a): a as $a | …`.
    fn value_parameters(&mut self, parameters: &[Parameter], mut scope: Scope) -> Scope {
        if !parameters.iter().any(|p| p.is_value) {
            return scope;
        }
        let input = self.slot();
        self.emit(Op::Save(input));
        for parameter in parameters.iter().filter(|p| p.is_value) {
            let slot = self.slot();
            let node = Ast::Call(parameter.name.clone(), Vec::new(), 0);
            self.sub(&node, &scope);
            self.emit(Op::Store(slot));
            self.emit(Op::Load(input));
            scope = scope.with(Binding::Variable { name: parameter.name.clone(), level: self.level(), slot });
        }
        scope
    }

    pub(super) fn reserve(&mut self) -> u32 {
        self.functions.push(None);
        self.functions.len() as u32 - 1
    }

    fn closure(&mut self, argument: &Node, scope: &Scope) -> Closure {
        // A parameter that is passed on needs no new function.
        if let Ast::Call(name, arguments, _) = &**argument
            && arguments.is_empty()
            && let Some(binding) = scope.function(name, 0)
            && let Binding::Parameter { level, index, .. } = &*binding
        {
            return Closure::Parameter { up: (self.level() - level) as u16, index: *index };
        }
        let function = self.reserve();
        self.builders.push(Builder::default());
        self.node(argument, scope, true);
        self.emit(Op::Return);
        self.finish(function as usize);
        Closure::Function(function)
    }

    /// Compiles a call of a function with special treatment. Returns false for other functions.
    fn special_call(&mut self, name: &str, arguments: &[Node], scope: &Scope, tail: bool) -> bool {
        match (name, arguments) {
            ("empty", []) => {
                self.emit(Op::Backtrack);
            }
            ("not", []) => {
                self.emit(Op::Not);
            }
            ("recurse", []) => {
                self.emit(Op::Recurse);
            }
            ("error", []) => {
                self.emit(Op::Special(Special::Error));
            }
            ("error", [message]) => {
                self.sub(message, scope);
                self.emit(Op::Special(Special::Error));
            }
            ("input", []) => {
                self.emit(Op::Special(Special::Input));
            }
            ("debug", []) => {
                self.emit(Op::Special(Special::Debug));
            }
            ("debug", [messages]) => {
                let end = self.emit(Op::Fork(0));
                self.sub(messages, scope);
                self.emit(Op::Special(Special::Debug));
                self.emit(Op::Backtrack);
                self.land(end);
            }
            ("stderr", []) => {
                self.emit(Op::Special(Special::Stderr));
            }
            ("input_filename", []) => {
                self.emit(Op::Special(Special::InputFilename));
            }
            ("input_line_number", []) => {
                self.emit(Op::Special(Special::InputLineNumber));
            }
            ("halt", []) => {
                self.emit(Op::Special(Special::Halt));
            }
            ("halt_error", []) => {
                let status = self.slot();
                self.constant(status, Val::Num(5.0));
                self.emit(Op::Special(Special::HaltError(status)));
            }
            ("halt_error", [status]) => {
                let first = self.slots(2);
                self.arguments(std::slice::from_ref(status), first, scope);
                self.emit(Op::Special(Special::HaltError(first + 1)));
            }
            ("path", [paths]) => {
                self.emit(Op::PathBegin);
                self.node(paths, scope, false);
                self.emit(Op::PathEnd);
            }
            ("getpath", [path]) => {
                let first = self.slots(2);
                self.arguments(std::slice::from_ref(path), first, scope);
                self.emit(Op::GetPath(first + 1));
            }
            ("builtins", []) => {
                self.emit(Op::Constant(builtins::names()));
            }
            ("get_search_list", []) => {
                let list = self.search_list.clone();
                self.emit(Op::Constant(list));
            }
            ("get_prog_origin" | "get_jq_origin", []) => {
                let origin = self.origin.clone();
                self.emit(Op::Constant(origin));
            }
            ("have_decnum" | "have_literal_numbers", []) => {
                self.emit(Op::Constant(Val::Bool(true)));
            }
            ("modulemeta", []) => {
                self.emit(Op::Special(Special::ModuleMeta));
            }
            ("dateadd", [_, seconds]) => self.binary(Operator::Add, &Ast::Identity, seconds, scope),
            ("datesub", [_, seconds]) => self.binary(Operator::Subtract, &Ast::Identity, seconds, scope),
            _ => {
                return self.condition(name, arguments, scope)
                    || self.loop_call(name, arguments, scope, tail)
                    || self.search(name, arguments, scope)
                    || self.values(name, arguments, scope, tail);
            }
        }
        true
    }

    /// Stores a constant in a slot. `.` does not change.
    pub(super) fn constant(&mut self, slot: Slot, v: Val) {
        let input = self.slot();
        self.emit(Op::Store(input));
        self.emit(Op::Constant(v));
        self.emit(Op::Store(slot));
        self.emit(Op::Take(input));
    }

    /// Evaluates an argument into a slot. `.` does not change.
    pub(super) fn argument(&mut self, argument: &Ast, slot: Slot, scope: &Scope) {
        let input = self.slot();
        self.emit(Op::Save(input));
        self.sub(argument, scope);
        self.emit(Op::Store(slot));
        self.reload(input, count::is_one(argument, scope));
    }

    /// Collects the values of `.` at the end of `each` in an array, which becomes `.`.
    pub(super) fn collected(&mut self, each: impl FnOnce(&mut Self)) {
        let elements = self.slot();
        self.emit(Op::BeginArray(elements));
        self.exhausted(|c| {
            each(c);
            c.emit(Op::Append(elements));
        });
        self.emit(Op::Take(elements));
    }

    /// Runs `each` until it has no more results. Then `.` has its former value.
    pub(super) fn exhausted(&mut self, each: impl FnOnce(&mut Self)) {
        let done = self.emit(Op::Fork(0));
        each(self);
        self.emit(Op::Backtrack);
        self.land(done);
    }
}

/// `.[]`
pub(super) fn elements() -> Node {
    Rc::new(Ast::Each { term: Rc::new(Ast::Identity), optional: false })
}
