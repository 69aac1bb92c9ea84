//! Instructions.

use crate::lang::ast::Operator;
use crate::text::Text;
use crate::value::Val;
use std::rc::Rc;

/// A place for a value in the frame of a function.
pub(crate) type Slot = u16;
/// An instruction's number in its function.
pub(crate) type Pc = u32;

/// A compiled program: function 0 is the main one.
pub(crate) struct Code {
    pub(crate) functions: Vec<Rc<Function>>,
}

/// A compiled function.
#[derive(Default)]
pub(crate) struct Function {
    pub(crate) ops: Vec<Op>,
    pub(crate) slots: usize,
}

/// What computes a result without generating: arguments come with the input first.
pub(crate) type Native = fn(&mut [Val]) -> Result<Val, Val>;

/// What computes any number of results, one at a time; arguments as for `Native`.
pub(crate) type Generator = fn(&mut [Val]) -> Result<Results, Val>;
pub(crate) type Results = Box<dyn Iterator<Item = Val>>;

/// What lets values through or not.
pub(crate) type Predicate = fn(&Val) -> bool;

/// An argument of a call.
#[derive(Clone, Copy)]
pub(crate) enum Closure {
    /// A function, closed over the current frame.
    Function(u32),
    /// A parameter of the frame `up` levels out.
    Parameter { up: u16, index: u16 },
}

/// A piece of an interpolated string.
pub(crate) enum Piece {
    Text(Text),
    Slot(Slot),
}

/// An instruction. Most work on the current value, `.`; named slots belong to the current frame.
pub(crate) enum Op {
    Constant(Val),
    /// Copies `.` to a slot.
    Save(Slot),
    /// Moves `.` to a slot.
    Store(Slot),
    /// Copies a slot to `.`.
    Load(Slot),
    /// Moves a slot to `.`.
    Take(Slot),
    Set(Slot, bool),
    Clear(Slot),
    /// Loads a variable of the frame `up` levels out.
    Variable {
        up: u16,
        slot: Slot,
    },
    /// Between these, accesses do not count for paths.
    SubBegin,
    SubEnd,
    /// `.` is indexed by a constant.
    Field {
        key: Val,
        optional: bool,
    },
    /// `.` is indexed by a slot.
    Index {
        key: Slot,
        optional: bool,
    },
    /// `{start: slot, end: slot}`
    Bounds {
        from: Slot,
        to: Slot,
    },
    Each {
        optional: bool,
    },
    Recurse,
    GetPath(Slot),
    /// `.` is the left operand; the right one is moved out of its slot if `take`.
    Binary {
        op: Operator,
        right: Slot,
        take: bool,
    },
    BinaryConstant {
        op: Operator,
        right: Val,
    },
    Negate,
    Not,
    /// True or false for `.`.
    Truth,
    Jump(Pc),
    JumpIfFalsy(Pc),
    JumpIfSet(Slot, Pc),
    JumpUnless(Predicate, Pc),
    Fork(Pc),
    Backtrack,
    BeginArray(Slot),
    Append(Slot),
    BeginObject(Slot),
    /// `to` becomes `from` with one more entry; the value is `.`.
    Insert {
        from: Slot,
        to: Slot,
        key: Slot,
    },
    InsertConstant {
        from: Slot,
        to: Slot,
        key: Text,
    },
    Interpolate(Rc<[Piece]>),
    Format(Text),
    TryBegin(Pc),
    TryEnd,
    /// On an error, goes on there.
    Alternative(Pc),
    Label(Slot),
    Break {
        up: u16,
        slot: Slot,
    },
    /// Remembers the forks there are.
    Mark(Slot),
    /// Forgets those that came since.
    Cut(Slot),
    LimitBegin {
        count: Slot,
        mark: Slot,
    },
    LimitEnd {
        count: Slot,
        mark: Slot,
    },
    PathBegin,
    PathEnd,
    Range {
        from: Slot,
        to: Slot,
    },
    /// The next of the paths in a slot, or on to `end` with the result.
    UpdateNext {
        state: Slot,
        end: Pc,
    },
    /// The update gave `.`.
    UpdateSet {
        state: Slot,
    },
    /// The update gave nothing.
    UpdateDelete {
        state: Slot,
    },
    /// Sets each path of `.`, an array, in `root` to the value.
    AssignAll {
        root: Slot,
        value: Slot,
    },
    /// Of `.` and the slots after `first`; these are needed again if `keep`.
    Native {
        function: Native,
        first: Slot,
        count: u16,
        keep: bool,
    },
    /// Of `.` and the slots after `first`, which are not used up.
    Generate {
        function: Generator,
        first: Slot,
        count: u16,
    },
    /// Goes on only if `.` is such a value.
    Keep(Predicate),
    /// Goes on only if `.` is not what the path began with.
    BelowRoot,
    /// Goes on only when it has come here more often than the number in the slot says.
    Skip(Slot),
    /// Goes on with the value that the events so far make up, when it is complete; the slot holds it until then.
    FromStream(Slot),
    /// A function of `.` alone.
    Simple(fn(Val) -> Result<Val, Val>),
    Special(Special),
    Call {
        function: u32,
        up: u16,
        closures: Rc<[Closure]>,
        tail: bool,
    },
    CallParameter {
        up: u16,
        index: u16,
        tail: bool,
    },
    Return,
    Output,
    Error(Val),
}

/// What needs the machine or the world.
#[derive(Clone, Copy)]
pub(crate) enum Special {
    Error,
    Input,
    /// The next input, and those after it on coming back.
    Inputs,
    Debug,
    Stderr,
    InputFilename,
    ModuleMeta,
    InputLineNumber,
    Halt,
    /// The status is in the slot.
    HaltError(Slot),
}
