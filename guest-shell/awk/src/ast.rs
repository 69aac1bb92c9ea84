//! The program as a tree, with names already resolved to their places.

use crate::builtin::Builtin;
use crate::diag::Pos;
use crate::pattern::Pattern;
use crate::value::Value;
use std::rc::Rc;

/// A whole program.
#[derive(Default)]
pub(crate) struct Program {
    pub(crate) begin: Vec<Block>,
    pub(crate) end: Vec<Block>,
    pub(crate) begin_file: Vec<Block>,
    pub(crate) end_file: Vec<Block>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) functions: Vec<Function>,
    /// Names of the global variables.
    pub(crate) globals: Vec<Vec<u8>>,
    /// Whether a string constant of the program is `READ_TIMEOUT`.
    pub(crate) mentions_timeout: bool,
    /// Names of the source files, for messages.
    pub(crate) sources: Vec<Vec<u8>>,
}

pub(crate) type Block = Vec<Stmt>;

pub(crate) struct Rule {
    pub(crate) pattern: Condition,
    /// With `None`, the record is printed.
    pub(crate) action: Option<Block>,
    pub(crate) pos: Pos,
}

pub(crate) enum Condition {
    Always,
    When(Expr),
    /// A range, with the number of the state that tells whether it is open.
    Range(Expr, Expr, usize),
}

pub(crate) struct Function {
    pub(crate) name: Vec<u8>,
    pub(crate) params: Vec<Vec<u8>>,
    pub(crate) body: Block,
    pub(crate) defined: bool,
}

pub(crate) struct Stmt {
    pub(crate) pos: Pos,
    pub(crate) kind: StmtKind,
}

pub(crate) enum StmtKind {
    Expr(Expr),
    Print(Vec<Expr>, Option<Box<Redirect>>),
    Printf(Vec<Expr>, Option<Box<Redirect>>),
    Block(Block),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    Do(Box<Stmt>, Expr),
    For(Option<Box<Stmt>>, Option<Expr>, Option<Box<Stmt>>, Box<Stmt>),
    ForIn(Place, ArrayPlace, Box<Stmt>),
    Switch(Expr, Vec<(Label, Block)>),
    Break,
    Continue,
    Next,
    NextFile,
    Exit(Option<Expr>),
    Return(Option<Expr>),
    Delete(ArrayPlace, Vec<Expr>),
    Clear(ArrayPlace),
}

pub(crate) enum Label {
    Value(Value),
    Regex(Rc<Pattern>),
    Default,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Write,
    Append,
    Pipe,
    Coprocess,
}

pub(crate) struct Redirect {
    pub(crate) mode: Mode,
    pub(crate) target: Expr,
}

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Var {
    Global(u32),
    Local(u32),
}

/// A place that can be assigned to.
pub(crate) enum Place {
    Var(Var),
    /// A variable with a special meaning for gawk.
    Special(u32),
    Field(Box<Expr>),
    Elem(ArrayPlace, Vec<Expr>),
}

/// The place of an array.
pub(crate) enum ArrayPlace {
    Var(Var),
    /// `SYMTAB` or `FUNCTAB`, by its number among the global variables.
    Table(u32),
    Elem(Box<ArrayPlace>, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cmp {
    Lt,
    Le,
    Eq,
    Ne,
    Gt,
    Ge,
}

pub(crate) enum Expr {
    Num(f64),
    Const(Value),
    /// `/…/`: matched against the record, or used as an expression where it is an operand of a match.
    Regex(Rc<Pattern>),
    Var(Var),
    Special(u32),
    Field(Box<Expr>),
    FieldNumber(usize),
    Elem(ArrayPlace, Vec<Expr>),
    /// An expression in parentheses.
    Group(Box<Expr>),
    /// Several expressions in parentheses: the arguments of `print`, or indices before `in`.
    List(Vec<Expr>),
    Assign(Box<Place>, Box<Expr>),
    /// `v = v …`: the other parts are appended to the variable.
    Append(Var, Vec<Expr>),
    Update(Arith, Box<Place>, Box<Expr>),
    /// `++` and `--`: the difference, and whether the value is the one before the change.
    Step(Box<Place>, f64, bool),
    Cond(Box<(Expr, Expr, Expr)>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    Plus(Box<Expr>),
    Arith(Arith, Box<Expr>, Box<Expr>),
    /// `+` with checks of the operands, for `--lint`.
    CheckedSum(Box<Expr>, Box<Expr>),
    Compare(Cmp, Box<Expr>, Box<Expr>),
    Concat(Vec<Expr>),
    /// `~`, or `!~` with `true`.
    Match(bool, Box<Expr>, Box<Expr>),
    In(Vec<Expr>, ArrayPlace),
    Call(u32, Vec<Expr>, Pos),
    /// A call of the function whose name is in a variable.
    Indirect(Var, Vec<u8>, Vec<Expr>, Pos),
    Builtin(Builtin, Vec<Expr>, Pos),
    Getline(Box<Getline>),
}

pub(crate) struct Getline {
    pub(crate) into: Option<Place>,
    pub(crate) from: Input,
}

pub(crate) enum Input {
    Main,
    File(Expr),
    Command(Expr),
    Coprocess(Expr),
}

impl Expr {
    /// Whether evaluation has no side effects, apart from creating uninitialized elements. Comparisons have one: an
    /// index that was compared is a text from then on.
    pub(crate) fn is_simple(&self) -> bool {
        match self {
            Self::Num(_)
            | Self::Const(_)
            | Self::Regex(_)
            | Self::Var(_)
            | Self::Special(_)
            | Self::FieldNumber(_) => true,
            Self::Field(e) | Self::Group(e) | Self::Neg(e) | Self::Plus(e) => e.is_simple(),
            Self::Concat(v) => v.iter().all(Self::is_simple),
            Self::Arith(_, a, b) => a.is_simple() && b.is_simple(),
            Self::Elem(ArrayPlace::Var(_), v) => v.iter().all(Self::is_simple),
            _ => false,
        }
    }
}
