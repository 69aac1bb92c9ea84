//! `SYMTAB` and `FUNCTAB`: tables of the program's names.

use super::{Interp, R};
use crate::array::Key;
use crate::ast::*;
use crate::diag::bytes;
use crate::special;
use crate::value::{ArrayRef, Value};

impl<'p> Interp<'p> {
    /// The table `SYMTAB` or `FUNCTAB`. `SYMTAB` gets the current values of all variables. Arrays are shared with their
    /// variables.
    #[inline(never)]
    pub(super) fn table(&mut self, g: u32) -> R<ArrayRef> {
        let Some(Value::Array(table)) = self.globals.get(g as usize).cloned() else {
            return Ok(Value::new_array());
        };
        if g == special::SYMTAB {
            for (g, name) in self.program.variables() {
                let value = match self.variable_value(g)? {
                    Value::Untyped => Value::Unassigned,
                    v => v,
                };
                *table.borrow_mut().slot(Key::of_text(name)) = value;
            }
        }
        Ok(table)
    }

    /// Refuses a table as an array that a function fills.
    pub(super) fn refuse_table(&mut self, e: &'p Expr, function: &str, which: &str) -> R<()> {
        let name = match e {
            Expr::Special(special::SYMTAB) => "SYMTAB",
            Expr::Var(Var::Global(special::FUNCTAB)) => "FUNCTAB",
            _ => return Ok(()),
        };
        Err(self.fatal(format!("{function}: cannot use {name} as {which} argument")))
    }

    /// The value of a global variable, even if it is stored elsewhere.
    pub(super) fn variable_value(&mut self, g: u32) -> R<Value> {
        if special::is_hooked(g) {
            return self.special(g);
        }
        Ok(self.globals.get(g as usize).cloned().unwrap_or(Value::Untyped))
    }

    /// The value of an element. It must exist, except in `ARGV`.
    #[inline(never)]
    pub(super) fn table_elem(&mut self, g: u32, index: &'p [Expr]) -> R<Value> {
        let mut buf = self.take_scratch();
        let subscript = self.subscript(index, &mut buf)?;
        let table = self.table(g)?;
        let found = table.borrow().get(subscript.key(&buf)).cloned();
        let text = self.subscript_text(&subscript, &buf);
        self.give_scratch(buf);
        let name = table_name(g);
        match found {
            Some(Value::Array(_)) => Err(self.fatal(bytes!(
                "attempt to use array `",
                name,
                "[\"",
                text,
                "\"]' in a scalar context"
            ))),
            Some(value) => Ok(value),
            None if g == special::ARGV => Ok(Value::Unassigned),
            None => Err(self.fatal(bytes!(
                "reference to uninitialized element `",
                name,
                "[\"",
                text,
                "\"] is not allowed'"
            ))),
        }
    }

    /// Assigns to the variable for an element of `SYMTAB`.
    #[inline(never)]
    pub(super) fn store_table(&mut self, g: u32, index: &'p [Expr], value: Value) -> R<()> {
        if g == special::FUNCTAB {
            return Err(self.fatal("cannot assign to elements of FUNCTAB"));
        }
        if g == special::ARGV {
            return self.store_argument(index, value);
        }
        let mut buf = self.take_scratch();
        let subscript = self.subscript(index, &mut buf)?;
        let name = self.subscript_text(&subscript, &buf);
        self.give_scratch(buf);
        let found = self.program.variables().find(|v| v.1 == name.as_slice());
        let Some((g, _)) = found else {
            return Err(self.fatal("cannot assign to arbitrary elements of SYMTAB"));
        };
        if special::is_hooked(g) {
            // An assignment through SYMTAB does not have the side effects of one to the variable itself.
            if !matches!(g, special::NF | special::NR | special::FNR) {
                self.globals[g as usize] = value;
            }
            return Ok(());
        }
        if let Some(Value::Array(_)) = self.globals.get(g as usize) {
            return Err(self.fatal(bytes!(
                "attempt to use array `SYMTAB[\"",
                name,
                "\"]' in a scalar context"
            )));
        }
        self.set_var(Var::Global(g), value)
    }

    // Assigns to an element of `ARGV` in sandbox mode. Only files that were operands may be read.
    fn store_argument(&mut self, index: &'p [Expr], value: Value) -> R<()> {
        let text = self.text_of(&value);
        let given = || std::env::args_os().any(|arg| arg.as_encoded_bytes() == text);
        let is_number = matches!(value, Value::Num(_));
        if !text.is_empty() && !is_number && crate::args::assignment(&text).is_none() && !given() {
            return Err(self.fatal(bytes!("cannot add a new file (", text, ") to ARGV in sandbox mode")));
        }
        let mut buf = self.take_scratch();
        let subscript = self.subscript(index, &mut buf)?;
        if let Some(Value::Array(argv)) = self.globals.get(special::ARGV as usize) {
            *argv.borrow_mut().slot(subscript.key(&buf)) = value;
        }
        self.give_scratch(buf);
        Ok(())
    }

    /// `PROCINFO["identifiers"]`: the kinds of all names. Variables set with `-v` are scalars.
    pub(crate) fn list_identifiers(&mut self, set: &[Vec<u8>]) {
        let all = Value::new_array();
        let put = |name: &[u8], kind: &str| {
            *all.borrow_mut().slot(Key::of_text(name)) = Value::text(kind.as_bytes());
        };
        for name in crate::builtin::names() {
            put(name.as_bytes(), "builtin");
        }
        for f in self.program.functions.iter().filter(|f| f.defined) {
            put(&f.name, "user");
        }
        for (g, name) in self.program.globals.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let kind = match self.globals.get(g) {
                Some(Value::Array(_)) => "array",
                _ if g < special::COUNT as usize || set.contains(name) => "scalar",
                _ => "untyped",
            };
            put(name, kind);
        }
        if let Some(Value::Array(info)) = self.globals.get(special::PROCINFO as usize) {
            *info.borrow_mut().slot(Key::Text(b"identifiers")) = Value::Array(all);
        }
    }
}

impl Program {
    /// Numbers and names of the variables in `SYMTAB`, in the order in which gawk creates them.
    pub(super) fn variables(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let own = self.globals.iter().enumerate().skip(special::COUNT as usize);
        let own = own.map(|(g, name)| (g as u32, name.as_slice())).filter(|(_, name)| !name.is_empty());
        MADE.iter().map(|g| (*g, special::NAMES[*g as usize].as_bytes())).chain(own)
    }
}

const MADE: &[u32] = {
    use special::*;
    &[
        ARGIND,
        BINMODE,
        CONVFMT,
        ERRNO,
        FIELDWIDTHS,
        FILENAME,
        FNR,
        FPAT,
        FS,
        IGNORECASE,
        LINT,
        NF,
        NR,
        OFMT,
        OFS,
        ORS,
        PREC,
        RLENGTH,
        ROUNDMODE,
        RS,
        RSTART,
        RT,
        SUBSEP,
        TEXTDOMAIN,
        ENVIRON,
        PROCINFO,
        ARGC,
        ARGV,
    ]
};

fn table_name(g: u32) -> &'static str {
    special::NAMES.get(g as usize).copied().unwrap_or_default()
}
