//! Names of variables, arrays and functions, and the bodies of functions.

use super::code::Code;
use super::mathlib::Builtin;
use std::collections::HashMap;
use std::rc::Rc;

/// How a parameter or a local variable is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar,
    /// An array that is a copy.
    Array,
    /// The caller's array.
    Shared,
}

/// A parameter or a local variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) kind: Kind,
    pub(crate) index: usize,
}

impl Variable {
    /// Whether both have the same name.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.index == other.index && (self.kind == Kind::Scalar) == (other.kind == Kind::Scalar)
    }
}

/// The body of a function.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Undefined,
    Code(Rc<Code>),
    Builtin(Builtin),
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: Vec<u8>,
    pub(crate) void: bool,
    pub(crate) parameters: Rc<[Variable]>,
    pub(crate) autos: Rc<[Variable]>,
    pub(crate) body: Body,
}

/// All names. Variables below 5 are `ibase`, `obase`, `scale`, `last` and `history`.
pub(crate) struct Names {
    variables: HashMap<Vec<u8>, usize>,
    arrays: HashMap<Vec<u8>, usize>,
    /// Array names, by index.
    pub(crate) array_names: Vec<Vec<u8>>,
    by_name: HashMap<Vec<u8>, usize>,
    pub(crate) functions: Vec<Function>,
}

/// The first variable that the program names.
pub(crate) const FIRST_VARIABLE: usize = 5;

impl Names {
    pub(crate) fn new() -> Self {
        Self {
            variables: HashMap::new(),
            arrays: HashMap::new(),
            array_names: vec![Vec::new()],
            by_name: HashMap::new(),
            functions: Vec::new(),
        }
    }

    pub(crate) fn variable(&mut self, name: &[u8]) -> usize {
        let next = self.variables.len() + FIRST_VARIABLE;
        *self.variables.entry(name.to_vec()).or_insert(next)
    }

    /// The name of a variable.
    pub(crate) fn variable_name(&self, index: usize) -> Vec<u8> {
        self.variables.iter().find(|(_, i)| **i == index).map(|(name, _)| name.clone()).unwrap_or_default()
    }

    /// The index of an array, from 1 on.
    pub(crate) fn array(&mut self, name: &[u8]) -> usize {
        if let Some(index) = self.arrays.get(name) {
            return *index;
        }
        self.array_names.push(name.to_vec());
        self.arrays.insert(name.to_vec(), self.array_names.len() - 1);
        self.array_names.len() - 1
    }

    pub(crate) fn function(&mut self, name: &[u8]) -> usize {
        if let Some(index) = self.by_name.get(name) {
            return *index;
        }
        self.functions.push(Function {
            name: name.to_vec(),
            void: false,
            parameters: Rc::new([]),
            autos: Rc::new([]),
            body: Body::Undefined,
        });
        self.by_name.insert(name.to_vec(), self.functions.len() - 1);
        self.functions.len() - 1
    }

    /// Begins a new definition of a function.
    pub(crate) fn undefine(&mut self, function: usize, void: bool) {
        if let Some(f) = self.functions.get_mut(function) {
            f.void = void;
            f.body = Body::Undefined;
        }
    }

    pub(crate) fn define(
        &mut self,
        function: usize,
        parameters: Vec<Variable>,
        autos: Vec<Variable>,
        code: Code,
    ) {
        if let Some(f) = self.functions.get_mut(function) {
            f.parameters = parameters.into();
            f.autos = autos.into();
            f.body = Body::Code(Rc::new(code));
        }
    }

    /// Adds the functions of the mathematical library.
    pub(crate) fn load_library(&mut self) {
        for (name, builtin, count) in super::mathlib::FUNCTIONS {
            let index = self.function(name);
            let parameters = vec![Variable { kind: Kind::Scalar, index: 0 }; *count];
            if let Some(f) = self.functions.get_mut(index) {
                f.parameters = parameters.into();
                f.body = Body::Builtin(*builtin);
            }
        }
    }
}
