//! Resolves names to places.

use crate::ast::Var;
use crate::diag::Pos;
use crate::special;
use std::collections::HashMap;

/// Global variables, functions, and the parameters of the function being parsed.
#[derive(Default)]
pub(super) struct Names {
    globals: HashMap<Vec<u8>, u32>,
    order: Vec<Vec<u8>>,
    functions: Vec<(Vec<u8>, Pos)>,
    pub(super) params: Vec<Vec<u8>>,
}

impl Names {
    pub(super) fn new(known: &[Vec<u8>]) -> Self {
        let mut names = Self::default();
        for name in special::NAMES {
            names.global(name.as_bytes());
        }
        for name in known {
            names.global(name);
        }
        names
    }

    pub(super) fn is_special(name: &[u8]) -> bool {
        special::NAMES.iter().any(|n| n.as_bytes() == name)
    }

    pub(super) fn is_global(&self, name: &[u8]) -> bool {
        self.globals.contains_key(name)
    }

    pub(super) fn var(&mut self, name: &[u8]) -> Var {
        match self.params.iter().position(|p| p == name) {
            Some(i) => Var::Local(i as u32),
            None => Var::Global(self.global(name)),
        }
    }

    fn global(&mut self, name: &[u8]) -> u32 {
        if let Some(i) = self.globals.get(name) {
            return *i;
        }
        let i = self.order.len() as u32;
        self.order.push(name.to_vec());
        self.globals.insert(name.to_vec(), i);
        i
    }

    pub(super) fn function(&mut self, name: &[u8], pos: Pos) -> u32 {
        let i = self.functions.iter().position(|f| f.0 == name).unwrap_or_else(|| {
            self.functions.push((name.to_vec(), pos));
            self.functions.len() - 1
        });
        i as u32
    }

    pub(super) fn functions(&self) -> &[(Vec<u8>, Pos)] {
        &self.functions
    }

    pub(super) fn into_globals(self) -> Vec<Vec<u8>> {
        self.order
    }
}
