//! Instructions.

use crate::lang::ast::Operator;
use crate::text::Text;
use crate::value::Val;
use std::rc::Rc;

/// The index of a value in a function's frame.
pub(crate) type Slot = u16;
/// The index of an instruction in its function.
pub(crate) type Pc = u32;

/// A compiled program. Function 0 is the main program.
pub(crate) struct Code {
    pub(crate) functions: Vec<Rc<Function>>,
}

/// A compiled function.
#[derive(Default)]
pub(crate) struct Function {
    pub(crate) ops: Vec<Op>,
    pub(crate) slots: usize,
}

/// A native function with exactly one result. The first argument is the input.
pub(crate) type Native = fn(&mut [Val]) -> Result<Val, Val>;

/// A native function with any number of results, one at a time. It takes arguments as `Native` does.
pub(crate) type Generator = fn(&mut [Val]) -> Result<Results, Val>;
pub(crate) type Results = Box<dyn Iterator<Item = Val>>;

/// Decides whether a value passes.
pub(crate) type Predicate = fn(&Val) -> bool;

/// An argument of a call.
#[derive(Clone, Copy)]
pub(crate) enum Closure {
    /// A function, closed over the current frame.
    Function(u32),
    /// A parameter of the frame `up` levels out.
    Parameter { up: u16, index: u16 },
}

/// A part of an interpolated string.
pub(crate) enum Piece {
    Text(Text),
    Slot(Slot),
}

/// An instruction. Most instructions work on the current value, `.`. Slots belong to the current frame unless another
/// one is named.
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
    /// Between these two, accesses do not extend the path.
    SubBegin,
    SubEnd,
    /// Indexes `.` by a constant.
    Field {
        key: Val,
        optional: bool,
    },
    /// Indexes `.` by a slot.
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
    /// A binary operation. `.` is the left operand. If `take` is set, the right one is moved out of its slot.
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
    /// Converts `.` to true or false.
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
    /// `to` becomes `from` with an additional entry, whose value is `.`.
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
    /// Marks where to continue after an error.
    Alternative(Pc),
    Label(Slot),
    Break {
        up: u16,
        slot: Slot,
    },
    /// Saves the number of forks.
    Mark(Slot),
    /// Removes all forks since the mark.
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
    /// Takes the next path of an update. After the last one, jumps to `end` with the result.
    UpdateNext {
        state: Slot,
        end: Pc,
    },
    /// Stores `.`, the result of the update.
    UpdateSet {
        state: Slot,
    },
    /// Deletes the path, because the update had no result.
    UpdateDelete {
        state: Slot,
    },
    /// Sets each path in the array `.` to the value, in `root`.
    AssignAll {
        root: Slot,
        value: Slot,
    },
    /// Calls a function with `.` and the slots after `first`. If `keep` is set, the slots are copied and not moved.
    Native {
        function: Native,
        first: Slot,
        count: u16,
        keep: bool,
    },
    /// Calls a generator with copies of `.` and the slots after `first`.
    Generate {
        function: Generator,
        first: Slot,
        count: u16,
    },
    /// Continues only if `.` satisfies the predicate.
    Keep(Predicate),
    /// Continues only if `.` is not the root of the path.
    BelowRoot,
    /// Continues only after this instruction has run more often than the number in the slot says.
    Skip(Slot),
    /// Adds the event `.` to the value in the slot. Continues with the value when it is complete.
    FromStream(Slot),
    /// Calls a function of `.` only.
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

/// Operations that need the machine or its environment.
#[derive(Clone, Copy)]
pub(crate) enum Special {
    Error,
    Input,
    /// The next input, and on backtracking those after it.
    Inputs,
    Debug,
    Stderr,
    InputFilename,
    ModuleMeta,
    InputLineNumber,
    Halt,
    /// Halts with the status in the slot.
    HaltError(Slot),
}
