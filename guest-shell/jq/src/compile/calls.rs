//! Calls: of functions in scope, of what is built in, of the library's.

use super::scope::{Binding, Callee, Scope};
use super::{Builder, Compiler, count};
use crate::builtins::{self, Builtin};
use crate::code::{Closure, Op, Special};
use crate::lang::ast::{Ast, Definition, Node, Parameter};
use crate::value::Val;
use std::cell::Cell;
use std::rc::Rc;

impl Compiler<'_> {
    pub(super) fn call(&mut self, name: &str, arguments: &[Node], at: usize, scope: &Scope, tail: bool) {
        if let Some(binding) = scope.function(name, arguments.len()) {
            self.nest += 1;
            self.bound_call(&binding, arguments, scope, tail);
            self.nest -= 1;
            return;
        }
        // The arguments of functions that jq has in C are evaluated in place.
        let nested = usize::from(!builtins::is_plain(name, arguments.len()));
        self.nest += nested;
        self.builtin_call(name, arguments, at, scope, tail, nested);
        self.nest -= nested;
    }

    fn builtin_call(
        &mut self,
        name: &str,
        arguments: &[Node],
        at: usize,
        scope: &Scope,
        tail: bool,
        nested: usize,
    ) {
        if self.special_call(name, arguments, scope, tail) {
            return;
        }
        match builtins::lookup(name, arguments.len()) {
            Some(Builtin::Simple(function)) => {
                self.emit(Op::Simple(function));
            }
            Some(Builtin::Native(function)) => {
                let first = self.slots(arguments.len() + 1);
                self.arguments(arguments, first, scope);
                let keep = !arguments.iter().all(|a| count::is_one(a, scope));
                self.emit(Op::Native { function, first, count: arguments.len() as u16 + 1, keep });
            }
            Some(Builtin::Library(definition)) => self.library_call(&definition, arguments, scope, tail),
            None => {
                let message = format!("jq: error: {name}/{} is not defined", arguments.len());
                self.nest -= nested;
                self.complain(&message, &scope.source, at);
                self.nest += nested;
            }
        }
    }

    /// Evaluates arguments, the last one in the outermost loop, into the slots after `first`, and loads `.` again.
    fn arguments(&mut self, arguments: &[Node], first: u16, scope: &Scope) {
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
            Binding::Inline { node, scope, .. } => self.node(node, scope, tail),
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

    /// Compiles a function's body as soon as it is called for the first time.
    fn function(&mut self, callee: &Callee, binding: &Rc<Binding>) -> u32 {
        if let Some(function) = callee.compiled.get() {
            return function;
        }
        let function = self.reserve();
        callee.compiled.set(Some(function));
        // The body is nested in the function that it was defined in, not in the one that calls it.
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

    /// `def f($a): …` is `def f(a): a as $a | …`.
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

    fn reserve(&mut self) -> u32 {
        self.functions.push(None);
        self.functions.len() as u32 - 1
    }

    fn closure(&mut self, argument: &Node, scope: &Scope) -> Closure {
        // A parameter that is passed on needs no function of its own.
        if let Ast::Call(name, arguments, _) = &**argument
            && arguments.is_empty()
            && let Some(binding) = scope.function(name, 0)
        {
            match &*binding {
                Binding::Parameter { level, index, .. } => {
                    return Closure::Parameter { up: (self.level() - level) as u16, index: *index };
                }
                Binding::Inline { node, scope, .. } => return self.closure(node, scope),
                _ => {}
            }
        }
        let function = self.reserve();
        self.builders.push(Builder::default());
        self.node(argument, scope, true);
        self.emit(Op::Return);
        self.finish(function as usize);
        Closure::Function(function)
    }

    fn library_call(&mut self, definition: &Rc<Definition>, arguments: &[Node], scope: &Scope, tail: bool) {
        let library = Scope::new(Rc::clone(&self.library_source));
        if !builtins::can_inline(definition) {
            let key = (definition.name.clone(), definition.parameters.len());
            // Defined outside of everything, as if in the main program's own frame.
            let binding = self.library.entry(key).or_insert_with(|| {
                Rc::new(Binding::Function(Callee {
                    definition: Rc::clone(definition),
                    scope: library,
                    level: 0,
                    compiled: Cell::new(None),
                }))
            });
            let binding = Rc::clone(binding);
            return self.bound_call(&binding, arguments, scope, tail);
        }
        let mut inner = library;
        for (parameter, argument) in definition.parameters.iter().zip(arguments) {
            inner = inner.with(Binding::Inline {
                name: parameter.name.clone(),
                node: Rc::clone(argument),
                scope: scope.clone(),
            });
        }
        let inner = self.value_parameters(&definition.parameters, inner);
        self.node(&definition.body, &inner, tail);
    }

    /// What is compiled in a way of its own. False if it is no such function.
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
            ("input", []) => {
                self.emit(Op::Special(Special::Input));
            }
            ("debug", []) => {
                self.emit(Op::Special(Special::Debug));
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
            ("range", [to]) => {
                let input = self.slots(2);
                self.sub(to, scope);
                self.emit(Op::Store(input + 1));
                self.emit(Op::Constant(Val::Num(0.0)));
                self.emit(Op::Store(input));
                self.emit(Op::Range { from: input, to: input + 1 });
            }
            ("range", [from, to]) => {
                let (input, first) = (self.slot(), self.slots(2));
                self.emit(Op::Save(input));
                self.sub(from, scope);
                self.emit(Op::Store(first));
                self.reload(input, count::is_one(from, scope));
                self.sub(to, scope);
                self.emit(Op::Store(first + 1));
                self.emit(Op::Range { from: first, to: first + 1 });
            }
            ("first", [f]) => {
                let mark = self.slot();
                self.emit(Op::Mark(mark));
                self.node(f, scope, false);
                self.emit(Op::Cut(mark));
            }
            ("limit", [count, f]) => {
                let (first, mark) = (self.slots(2), self.slot());
                self.arguments(std::slice::from_ref(count), first, scope);
                self.emit(Op::LimitBegin { count: first + 1, mark });
                self.node(f, scope, false);
                self.emit(Op::LimitEnd { count: first + 1, mark });
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
            _ => return self.inline_call(name, arguments, scope, tail),
        }
        true
    }

    /// Functions whose arguments are filters, in terms of others.
    fn inline_call(&mut self, name: &str, arguments: &[Node], scope: &Scope, tail: bool) -> bool {
        let each = |f: &Node| -> Node {
            let all = Rc::new(Ast::Each { term: Rc::new(Ast::Identity), optional: false });
            Rc::new(Ast::Array(Some(Rc::new(Ast::Pipe(all, Rc::clone(f))))))
        };
        match (name, arguments) {
            ("map", [f]) => self.node(&each(f), scope, tail),
            ("select", [f]) => {
                let empty: Node = Rc::new(Ast::Call("empty".to_owned(), Vec::new(), 0));
                let builtin = Scope::new(Rc::clone(&scope.source));
                let input = self.slot();
                self.emit(Op::Save(input));
                self.sub(f, scope);
                let falsy = self.emit(Op::JumpIfFalsy(0));
                self.reload(input, count::is_one(f, scope));
                let end = self.emit(Op::Jump(0));
                self.land(falsy);
                self.node(&empty, &builtin, false);
                self.land(end);
            }
            _ => return false,
        }
        true
    }
}
