//! The abstract syntax of bash 5.2. An executor walks it directly.
//!
//! Words are parsed completely. Nothing has to be parsed again at run time, except where bash itself works on text that
//! is known only then (arithmetic that contains expansions, backquotes with errors).
//!
//! `source` fields hold text as `declare -f` and error messages show it: after alias expansion, without line
//! continuations, and with `$(...)` printed as bash prints commands.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::arith::Expr;
pub use crate::bytes::Bytes;
pub use crate::name::Name;
use crate::pattern::Pattern;

/// A sequence of and-or lists: `a; b && c & d`.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// In order of execution.
    pub items: Vec<ListItem>,
}

/// One and-or list and its terminator.
#[derive(Debug, Clone)]
pub struct ListItem {
    /// `a && b || c`
    pub and_or: Rc<AndOr>,
    /// Whether `&` ends it.
    pub background: bool,
    /// Whether a newline ends it, as `$(...)` shows it.
    pub newline: bool,
}

/// Pipelines joined by `&&` and `||`, both left-associative and of equal precedence.
#[derive(Debug, Clone)]
pub struct AndOr {
    /// This one always runs.
    pub first: Pipeline,
    /// These run depending on the status so far.
    pub rest: Vec<(AndOrOp, Pipeline)>,
}

/// The operator before a pipeline of an and-or list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AndOrOp {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`. `a |& b` is `a 2>&1 | b`: the redirection is the last one of `a`.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// Whether there is an odd number of `!`.
    pub negated: bool,
    /// `time` or `time -p`.
    pub time: Option<TimeFormat>,
    /// At least one. After `time` or `!` alone, it is one empty simple command.
    pub commands: Vec<Rc<Command>>,
}

/// The output format of `time`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeFormat {
    /// As `$TIMEFORMAT` says.
    Bash,
    /// `time -p`.
    Posix,
}

/// One element of a pipeline.
#[derive(Debug, Clone)]
pub struct Command {
    /// What it does.
    pub kind: CommandKind,
    /// In order of appearance. Redirections of a function definition are in its body.
    pub redirects: Vec<Redirect>,
    /// 1-based line of the command's first token, for `LINENO` and messages.
    pub line: u32,
}

/// The kinds of commands.
#[derive(Debug, Clone)]
pub enum CommandKind {
    /// Assignments and words.
    Simple(SimpleCommand),
    /// `( list )`
    Subshell(Rc<List>),
    /// `{ list; }`
    Group(Rc<List>),
    /// `if`
    If(IfCommand),
    /// `while` and `until`
    While(WhileCommand),
    /// `for name in words`
    For(ForCommand),
    /// `for (( init; test; step ))`
    ArithFor(ArithForCommand),
    /// `case`
    Case(CaseCommand),
    /// `select name in words`
    Select(ForCommand),
    /// `[[ expression ]]`
    Conditional(Condition),
    /// `(( expression ))`
    Arith(Arith),
    /// A function definition.
    Function(Rc<Function>),
    /// `coproc [NAME] command`
    Coproc(Coproc),
}

/// `a=1 b=2 command argument...`
#[derive(Debug, Clone, Default)]
pub struct SimpleCommand {
    /// Assignments before the first word.
    pub assignments: Vec<Assignment>,
    /// The command and its arguments. Empty if there are only assignments or redirections.
    pub words: Vec<Word>,
    /// The command's name, if the first word is constant.
    pub name: Option<Name>,
    /// Whether all words are constant ([`Word::literal`] is some).
    pub constant: bool,
}

/// `if list; then list; elif list; then list; else list; fi`
#[derive(Debug, Clone)]
pub struct IfCommand {
    /// Each condition with its body: `if`, then every `elif`.
    pub branches: Vec<(Rc<List>, Rc<List>)>,
    /// `else`
    pub otherwise: Option<Rc<List>>,
}

/// `while` or `until`
#[derive(Debug, Clone)]
pub struct WhileCommand {
    /// Whether it is `until`.
    pub until: bool,
    /// Runs before every iteration.
    pub condition: Rc<List>,
    /// Runs while the condition holds.
    pub body: Rc<List>,
}

/// `for` or `select` over words
#[derive(Debug, Clone)]
pub struct ForCommand {
    /// The variable. bash checks only at run time that it is an identifier.
    pub variable: Name,
    /// The words after `in`; `None` without `in`, which means `"$@"`.
    pub words: Option<Vec<Word>>,
    /// The loop's body.
    pub body: Rc<List>,
}

/// `for (( init; test; step ))`
#[derive(Debug, Clone)]
pub struct ArithForCommand {
    /// Evaluated once. Empty text does nothing.
    pub init: Arith,
    /// Evaluated before every iteration. Empty text is true.
    pub test: Arith,
    /// Evaluated after every iteration. Empty text does nothing.
    pub step: Arith,
    /// The loop's body.
    pub body: Rc<List>,
}

/// `case word in ... esac`
#[derive(Debug, Clone)]
pub struct CaseCommand {
    /// The word to match.
    pub word: Word,
    /// In order.
    pub arms: Vec<CaseArm>,
}

/// `pattern | pattern) list ;;`
#[derive(Debug, Clone)]
pub struct CaseArm {
    /// At least one.
    pub patterns: Vec<PatternWord>,
    /// May be empty.
    pub body: Rc<List>,
    /// How the arm ends.
    pub end: CaseEnd,
}

/// The token that ends an arm of `case`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;`, or nothing before `esac`.
    Break,
    /// `;&`: continue with the next arm's list.
    FallThrough,
    /// `;;&`: test the following arms.
    TestNext,
}

/// A word used as a pattern (`case`, `[[ == ]]`, `${x#word}`).
#[derive(Debug, Clone)]
pub struct PatternWord {
    /// The word; its quoted parts match literally.
    pub word: Word,
    /// A cache for the executor: the compiled pattern of a word without expansions.
    pub cache: PatternCache,
}

impl PatternWord {
    /// Wraps a word.
    pub fn new(word: Word) -> PatternWord {
        PatternWord { word, cache: PatternCache::default() }
    }
}

/// Holds the last compiled pattern with the options of its compilation.
#[derive(Debug, Clone, Default)]
pub struct PatternCache(RefCell<Option<(u8, Rc<Pattern>)>>);

impl PatternCache {
    /// The cached pattern for `options`. If there is none, calls `compile` and caches the result.
    pub fn get(&self, options: u8, compile: impl FnOnce() -> Pattern) -> Rc<Pattern> {
        if let Some((with, pattern)) = &*self.0.borrow()
            && *with == options
        {
            return pattern.clone();
        }
        let pattern = Rc::new(compile());
        *self.0.borrow_mut() = Some((options, pattern.clone()));
        pattern
    }
}

/// The expression of `[[ ]]`.
#[derive(Debug, Clone)]
pub enum Condition {
    /// `a && b && ...`
    All(Vec<Condition>),
    /// `a || b || ...`
    Any(Vec<Condition>),
    /// `! a`
    Not(Box<Condition>),
    /// `( a )`
    Group(Box<Condition>),
    /// `-f word` and other unary tests. The byte is the operator's letter.
    Unary(u8, Word),
    /// `word op word`
    Binary(Word, Comparison, PatternWord),
    /// A single word: true if not empty.
    Word(Word),
}

/// The binary operators of `[[ ]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`: like `==`
    Equal,
    /// `==`
    EqualEqual,
    /// `!=`
    NotEqual,
    /// `=~`
    Regex,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `-eq`
    NumEq,
    /// `-ne`
    NumNe,
    /// `-lt`
    NumLt,
    /// `-le`
    NumLe,
    /// `-gt`
    NumGt,
    /// `-ge`
    NumGe,
    /// `-nt`
    NewerThan,
    /// `-ot`
    OlderThan,
    /// `-ef`
    SameFile,
}

impl Comparison {
    const SIGNS: [(&str, Comparison); 15] = [
        ("=", Comparison::Equal),
        ("==", Comparison::EqualEqual),
        ("!=", Comparison::NotEqual),
        ("=~", Comparison::Regex),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
        ("-eq", Comparison::NumEq),
        ("-ne", Comparison::NumNe),
        ("-lt", Comparison::NumLt),
        ("-le", Comparison::NumLe),
        ("-gt", Comparison::NumGt),
        ("-ge", Comparison::NumGe),
        ("-nt", Comparison::NewerThan),
        ("-ot", Comparison::OlderThan),
        ("-ef", Comparison::SameFile),
    ];

    /// The operator that is written as `sign`.
    pub(crate) fn of_sign(sign: &[u8]) -> Option<Comparison> {
        Self::SIGNS.iter().find(|(text, _)| text.as_bytes() == sign).map(|(_, comparison)| *comparison)
    }

    /// How the operator is written.
    #[must_use]
    pub fn sign(self) -> &'static [u8] {
        Self::SIGNS
            .iter()
            .find(|(_, comparison)| *comparison == self)
            .map_or(b"", |(text, _)| text.as_bytes())
    }

    /// Whether the operator compares numbers. Its operands are then arithmetic.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        use Comparison::*;
        matches!(self, NumEq | NumNe | NumLt | NumLe | NumGt | NumGe)
    }
}

/// A function definition. To define the function, an executor clones the `Rc`.
#[derive(Debug, Clone)]
pub struct Function {
    /// Any word that bash accepts. It need not be an identifier.
    pub name: Name,
    /// A compound command with the definition's redirections.
    pub body: Rc<Command>,
    /// 1-based line of the definition's start.
    pub line: u32,
}

/// `coproc [NAME] command`
#[derive(Debug, Clone)]
pub struct Coproc {
    /// `COPROC` if none is given.
    pub name: Name,
    /// The command that runs.
    pub command: Rc<Command>,
}

/// One redirection.
#[derive(Debug, Clone)]
pub struct Redirect {
    /// The redirected descriptor.
    pub fd: RedirectFd,
    /// The kind of redirection and its target.
    pub kind: RedirectKind,
    /// 1-based line.
    pub line: u32,
}

/// The descriptor to the left of a redirection operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectFd {
    /// Not written: 0 or 1, depending on the operator.
    Default(i32),
    /// `3>`
    Number(i32),
    /// `{name}>` or `{name[subscript]}>`
    Variable(Name),
}

/// What a redirection does.
#[derive(Debug, Clone)]
pub enum RedirectKind {
    /// `< word`
    Read(Word),
    /// `> word`
    Write(Word),
    /// `>| word`
    Clobber(Word),
    /// `>> word`
    Append(Word),
    /// `<> word`
    ReadWrite(Word),
    /// `&> word`
    WriteBoth(Word),
    /// `&>> word`
    AppendBoth(Word),
    /// `<& n` (`input`) or `>& n`
    Duplicate {
        /// Whether the operator is `<&`.
        input: bool,
        /// The descriptor to copy.
        from: i32,
    },
    /// `<& n-` or `>& n-`
    Move {
        /// Whether the operator is `<&`.
        input: bool,
        /// The descriptor to copy and then close.
        from: i32,
    },
    /// `<&-` or `>&-`
    Close {
        /// Whether the operator is `<&`.
        input: bool,
    },
    /// `<& word` or `>& word`, where the word is known only at run time. If `>&` without a descriptor expands to
    /// neither digits nor `-`, it means `&> word`.
    DuplicateWord {
        /// Whether the operator is `<&`.
        input: bool,
        /// Expands to digits, to digits and `-`, or to `-`.
        word: Word,
    },
    /// `<< word` or `<<- word`
    HereDoc(Rc<HereDoc>),
    /// `<<< word`
    HereString(Word),
}

/// A here-document.
#[derive(Debug)]
pub struct HereDoc {
    /// The delimiter without quotes.
    pub delimiter: Bytes,
    /// The delimiter as written.
    pub delimiter_source: Bytes,
    /// Whether a part of the delimiter was quoted. The body is then literal.
    pub quoted: bool,
    /// `<<-`: leading tabs are removed. The parser has done that already.
    pub strip_tabs: bool,
    /// Set after the lines of the body have been read. The text is [`Word::source`].
    pub body: OnceCell<Word>,
}

/// `name=value`, `name+=value`, `name[i]=value`, `name=(...)`
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The variable.
    pub name: Name,
    /// `[subscript]`. The parser accepts `@` and `*`, which are errors at run time.
    pub subscript: Option<Box<Subscript>>,
    /// `+=`
    pub append: bool,
    /// The right side.
    pub value: AssignmentValue,
    /// The whole text.
    pub source: Bytes,
}

/// The right side of an assignment.
#[derive(Debug, Clone)]
pub enum AssignmentValue {
    /// Expanded without field splitting, pathname and brace expansion. Tildes after `=` and `:` are separate parts.
    Scalar(Word),
    /// `( ... )`
    Array(Rc<Vec<ArrayElement>>),
}

/// One element of `name=( ... )`.
#[derive(Debug, Clone)]
pub enum ArrayElement {
    /// A plain word, which expands to any number of elements.
    Word(Word),
    /// `[subscript]=word` or `[subscript]+=word`
    Keyed {
        /// Between the brackets.
        subscript: Subscript,
        /// `+=`
        append: bool,
        /// Expanded like the value of an assignment.
        value: Word,
        /// The whole element as a plain word, for arrays in which subscripts are not recognised.
        word: Word,
    },
}

/// The text between the brackets of `name[...]`.
#[derive(Debug, Clone)]
pub enum Subscript {
    /// `@`
    At,
    /// `*`
    Star,
    /// For an indexed array, arithmetic; for an associative one, `Arith::word` is expanded to the key.
    Index(Arith),
}

/// Arithmetic text: `$((...))`, `((...))`, subscripts, offsets.
#[derive(Debug, Clone)]
pub struct Arith {
    /// The text as written.
    pub source: Bytes,
    /// The text as a word in double quotes. Arithmetic evaluates its expansion.
    pub word: Rc<Word>,
    /// How to evaluate it, if possible without parsing at run time.
    pub plan: ArithPlan,
}

/// How arithmetic text can be evaluated. All plans give the same results as bash, which evaluates text.
#[derive(Debug, Clone)]
pub enum ArithPlan {
    /// There are no expansions, no quotes and no syntax error: evaluate this.
    Tree(Rc<Expr>),
    /// Expansions stand only in place of operands. Expand `parts` in order. If every result is a plain integer
    /// ([`crate::arith::plain_integer`]), evaluate the tree with the results as its slots. Otherwise substitute the
    /// results into the text and evaluate it as for [`ArithPlan::Text`], but without expanding it again: `pieces[i]` is
    /// the text before result `i`, and the last piece follows the last result.
    Slots {
        /// What to expand, as in double quotes.
        parts: Rc<[WordPart]>,
        /// The expression with slots in place of the parts.
        expr: Rc<Expr>,
        /// The literal text around the parts. There is one piece more than parts.
        pieces: Rc<[Bytes]>,
    },
    /// Expand `Arith::word` and evaluate the resulting text.
    Text,
}

/// A word: parsed text that expands to fields.
#[derive(Debug, Clone, Default)]
pub struct Word {
    /// The parts in order. Empty if the text has neither quotes nor characters.
    pub parts: Vec<WordPart>,
    /// Which expansions the word needs.
    pub flags: WordFlags,
    /// Set if the word always expands to exactly this field: without expansions, pattern operators, tildes and braces.
    pub literal: Option<Bytes>,
    /// The text as written.
    pub source: Bytes,
    /// Set if the text contains a brace expansion. With `set -B` (the default outside POSIX mode), the words of this
    /// expansion replace `parts`.
    pub braces: Option<Rc<crate::braces::Braces>>,
    /// Set if the word has the form of an assignment, as arguments of `declare` can have. `declare a=(...)` has its
    /// meaning only here.
    pub assignment: Option<Rc<Assignment>>,
    /// 1-based line of the word's start.
    pub line: u32,
}

/// Which expansions a word needs; all false for a constant word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WordFlags {
    /// Whether it contains a parameter, command, arithmetic or process expansion, quoted or not.
    pub expands: bool,
    /// Whether it contains such an expansion outside quotes. The results are then split, and pathname expansion applies
    /// to them.
    pub splits: bool,
    /// Whether an unquoted literal part contains one of `*?[` or the parenthesis of an extended pattern.
    pub globs: bool,
    /// Whether it contains a tilde prefix.
    pub tilde: bool,
    /// Whether any part is quoted. The word then remains a field even if it is empty.
    pub quoted: bool,
}

/// A part of a word.
#[derive(Debug, Clone)]
pub enum WordPart {
    /// Text outside quotes. Inside [`WordPart::DoubleQuoted`]: text after removal of backslashes.
    Literal(Bytes),
    /// `\c`, `'...'` or `$'...'` (decoded): literal, never split and never a pattern. Can be empty.
    Quoted(Bytes),
    /// `"..."` or `$"..."`. Can be empty.
    DoubleQuoted(Vec<WordPart>),
    /// `$name` and `${...}`
    Param(Box<ParamExpansion>),
    /// `$(...)` and backquotes
    Command(Rc<CommandSub>),
    /// `$((...))` and `$[...]`
    Arith(Box<Arith>),
    /// `<(...)` and `>(...)`
    Process(Rc<ProcessSub>),
    /// `~`, `~user`, `~+`, `~-`, `~1`: the text after the tilde.
    Tilde(Bytes),
}

impl WordPart {
    /// Whether it is written in quotes or after a backslash.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        matches!(self, Self::Quoted(_) | Self::DoubleQuoted(_))
    }
}

/// A parameter expansion.
#[derive(Debug, Clone)]
pub struct ParamExpansion {
    /// The parameter. It has no meaning for [`ParamOp::NamesWithPrefix`] and for expansions that are errors.
    pub param: Param,
    /// `${!param...}`: the value of this parameter is the name of the parameter to expand.
    pub indirect: bool,
    /// The operation on the value.
    pub op: ParamOp,
    /// The whole text, `$name` or `${...}`.
    pub source: Bytes,
}

/// A parameter.
#[derive(Debug, Clone)]
pub enum Param {
    /// `name`
    Variable(Name),
    /// `name[subscript]`
    Element(Name, Box<Subscript>),
    /// `1`, `${12}`; never 0. Numbers that are too large become `u32::MAX`, which is never set.
    Positional(u32),
    /// One of `@ * # ? - $ ! 0`
    Special(u8),
}

/// The operator of a parameter expansion.
#[derive(Debug, Clone)]
pub enum ParamOp {
    /// `$x`, `${x}`
    Value,
    /// `${#x}`
    Length,
    /// `${!x[@]}` and `${!x[*]}`. `param` is the element, and `indirect` is false.
    Keys,
    /// `${!prefix*}` and `${!prefix@}`
    NamesWithPrefix {
        /// The prefix of the names.
        prefix: Bytes,
        /// Whether it is `*`, which makes one field in quotes; otherwise it is `@`.
        star: bool,
    },
    /// `${x-w}`, `${x:-w}` and the other tests
    Test {
        /// Which of the four tests.
        test: ParamTest,
        /// Whether an empty value counts as unset.
        colon: bool,
        /// The word.
        word: Word,
    },
    /// `${x#w}`, `${x##w}`
    RemovePrefix {
        /// Whether it is `##`.
        longest: bool,
        /// What to remove.
        pattern: PatternWord,
    },
    /// `${x%w}`, `${x%%w}`
    RemoveSuffix {
        /// Whether it is `%%`.
        longest: bool,
        /// What to remove.
        pattern: PatternWord,
    },
    /// `${x/p/r}` and variants
    Replace {
        /// Where the pattern matches.
        mode: ReplaceMode,
        /// The text to replace. If empty, nothing is replaced, except that `#` and `%` insert.
        pattern: PatternWord,
        /// The replacement, empty if absent. An unquoted `&` stands for the match under `shopt patsub_replacement`.
        replacement: Word,
    },
    /// `${x^p}` and variants
    Case {
        /// The new case.
        mode: CaseMode,
        /// Whether all matching characters change, not only the first.
        all: bool,
        /// Matches the characters to change; `None` matches all.
        pattern: Option<PatternWord>,
    },
    /// `${x:offset}`, `${x:offset:length}`
    Slice {
        /// Evaluated first.
        offset: Arith,
        /// Evaluated second.
        length: Option<Arith>,
    },
    /// `${x@Q}`; one of `Q E P A K a u U L k`
    Transform(u8),
    /// A `${...}` that is a bad substitution: an error at run time.
    Bad,
    /// An expansion in a here-document that lacks this closing byte: also a bad substitution.
    Unclosed(u8),
    /// A `$(...)` in a here-document with commands that do not parse. The lines of the error are printed at run time.
    BadCommands(Rc<[(u32, Vec<u8>)]>),
}

/// The four tests of POSIX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamTest {
    /// `-`
    Default,
    /// `=`
    Assign,
    /// `?`
    Error,
    /// `+`
    Alternate,
}

/// The forms of `${x/p/r}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceMode {
    /// `/`: the first match
    First,
    /// `//`: all
    All,
    /// `/#`: at the start only
    Prefix,
    /// `/%`: at the end only
    Suffix,
}

/// Case modification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseMode {
    /// `^`
    Upper,
    /// `,`
    Lower,
    /// `~`
    Toggle,
}

/// `$(...)` or a backquoted command.
#[derive(Debug)]
pub struct CommandSub {
    /// The commands. `None` for backquotes that do not parse: parsing `text` at run time gives the error.
    pub body: Option<Rc<List>>,
    /// Set for `$(< word)`: the result is the content of the file.
    pub read_file: Option<Word>,
    /// The commands as text: normalised for `$(...)`, and for backquotes after removal of backslashes.
    pub text: Bytes,
    /// Whether it is written with backquotes.
    pub backquoted: bool,
    /// 1-based line of its start.
    pub line: u32,
}

/// `<(...)` or `>(...)`
#[derive(Debug)]
pub struct ProcessSub {
    /// Whether it is `>(...)`: the commands read what is written to the path.
    pub write: bool,
    /// The commands.
    pub body: Rc<List>,
    /// Set for `<(< word)`: the path has the content of the file.
    pub read_file: Option<Word>,
    /// The commands' text.
    pub text: Bytes,
    /// 1-based line of its start.
    pub line: u32,
}
