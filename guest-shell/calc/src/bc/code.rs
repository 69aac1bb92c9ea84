//! The code that the machine runs.
//!
//! Messages at run time contain addresses in GNU bc's byte code. Each instruction therefore has the address at which it
//! would end there.

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Number(Vec<u8>),
    Zero,
    One,
    Load(usize),
    LoadElement(usize),
    Store(usize),
    StoreElement(usize),
    Increment(usize),
    Decrement(usize),
    IncrementElement(usize),
    DecrementElement(usize),
    Duplicate,
    Exchange,
    Pop,
    Negate,
    Not,
    /// `+ - * / % ^`, or a comparison: `= # < > { }`.
    Binary(u8),
    Jump(usize),
    JumpIfZero(usize),
    JumpUnlessZero(usize),
    Call(usize, Vec<Argument>),
    Return,
    Length,
    ScaleOf,
    Sqrt,
    Read,
    Random,
    /// Prints a number and a newline.
    WriteLine,
    Write,
    /// Prints a string as it is.
    Text(Vec<u8>),
    /// Prints a string with its escapes replaced.
    Print(Vec<u8>),
    Halt,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    Value,
    Array,
}

/// A sequence of instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    /// The address after each instruction.
    pub(crate) ends: Vec<usize>,
    labels: Vec<usize>,
}

impl Code {
    pub(crate) fn push(&mut self, op: Op) {
        let start = self.ends.last().copied().unwrap_or(0);
        self.ends.push(start + size(&op));
        self.ops.push(op);
    }

    pub(crate) fn new_label(&mut self) -> usize {
        self.labels.push(usize::MAX);
        self.labels.len() - 1
    }

    /// Sets a label to this position.
    pub(crate) fn place(&mut self, label: usize) {
        if let Some(l) = self.labels.get_mut(label) {
            *l = self.ops.len();
        }
    }

    /// The index of the instruction at a label.
    pub(crate) fn target(&self, label: usize) -> usize {
        self.labels.get(label).copied().unwrap_or(usize::MAX)
    }
}

fn size(op: &Op) -> usize {
    let name = |n: &usize| if *n < 128 { 1 } else { 2 };
    match op {
        Op::Number(digits) => digits.len() + 2,
        Op::Load(n)
        | Op::LoadElement(n)
        | Op::Store(n)
        | Op::StoreElement(n)
        | Op::Increment(n)
        | Op::Decrement(n)
        | Op::IncrementElement(n)
        | Op::DecrementElement(n) => 1 + name(n),
        Op::Jump(_) | Op::JumpIfZero(_) | Op::JumpUnlessZero(_) => 3,
        Op::Call(n, args) => 1 + name(n) + args.len() + 1,
        Op::Length | Op::ScaleOf | Op::Sqrt | Op::Read | Op::Random => 2,
        Op::Text(text) | Op::Print(text) => text.len() + 2,
        _ => 1,
    }
}
