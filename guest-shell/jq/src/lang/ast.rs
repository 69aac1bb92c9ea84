//! The syntax tree.

use crate::text::Text;
use crate::value::Val;
use std::rc::Rc;

/// A node of the tree.
pub(crate) type Node = Rc<Ast>;

/// An expression. Positions are offsets in the program text, for messages.
pub(crate) enum Ast {
    Identity,
    /// `..`
    Recurse,
    Literal(Val),
    /// A string, with the format for its interpolations.
    String(Option<String>, Vec<Part>),
    /// A single `@name`.
    Format(String),
    /// `term[key]`. With `?`, errors of the access are suppressed.
    Index {
        term: Node,
        key: Node,
        optional: bool,
    },
    /// `term[from:to]`
    Slice {
        term: Node,
        from: Option<Node>,
        to: Option<Node>,
        optional: bool,
    },
    /// `term[]`
    Each {
        term: Node,
        optional: bool,
    },
    Array(Option<Node>),
    Object(Vec<(Node, Node)>),
    Negate(Node),
    Pipe(Node, Node),
    Comma(Node, Node),
    Binary(Operator, Node, Node),
    And(Node, Node),
    Or(Node, Node),
    /// `a // b`
    Alternative(Node, Node),
    /// `paths = value`
    Assign(Node, Node),
    /// `paths |= update`
    Update(Node, Node),
    /// `paths += value` and similar.
    UpdateWith(Updater, Node, Node),
    If {
        condition: Node,
        then: Node,
        otherwise: Option<Node>,
    },
    Try(Node, Option<Node>),
    Reduce {
        source: Node,
        patterns: Vec<Pattern>,
        init: Node,
        update: Node,
    },
    Foreach {
        source: Node,
        patterns: Vec<Pattern>,
        init: Node,
        update: Node,
        extract: Option<Node>,
    },
    As {
        source: Node,
        patterns: Vec<Pattern>,
        body: Node,
    },
    Define(Rc<Definition>, Node),
    Label(String, Node),
    Break(String, usize),
    Call(String, Vec<Node>, usize),
    Variable(String, usize),
}

/// A part of a string.
pub(crate) enum Part {
    Text(Text),
    Interpolation(Node),
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The operator before `=` in an update.
#[derive(Clone, Copy)]
pub(crate) enum Updater {
    Arithmetic(Operator),
    Alternative,
}

/// A pattern of `as`.
pub(crate) enum Pattern {
    Variable(String),
    Array(Vec<Pattern>),
    /// Keys with patterns for their values. A key `$name` also binds the value itself.
    Object(Vec<(PatternKey, Option<Pattern>)>),
}

/// A key in an object pattern.
pub(crate) enum PatternKey {
    Variable(String),
    Expression(Node),
}

/// `def name(parameters): body;`
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Node,
}

/// A parameter: `$name` for values, `name` for a filter.
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) is_value: bool,
}

/// A file of definitions, or the main program.
pub(crate) struct Module {
    /// The value in `module {...};`.
    pub(crate) metadata: Option<Val>,
    pub(crate) imports: Vec<Import>,
    pub(crate) definitions: Vec<Rc<Definition>>,
    pub(crate) main: Option<Node>,
}

/// `import "path" as name;`, `import "path" as $name;`, `include "path";`
pub(crate) struct Import {
    pub(crate) path: Text,
    /// `None` for `include`.
    pub(crate) name: Option<String>,
    pub(crate) is_data: bool,
    pub(crate) metadata: Option<Val>,
}
