//! The abstract syntax of bash 5.2, made to be walked directly by an executor.
//!
//! Words are parsed completely: nothing here has to be lexed again at run time, except where bash itself
//! works on text that is known only then (arithmetic with expansions in it, backquotes with errors).
//! `source` fields hold text as `declare -f` and error messages show it: after alias expansion, without
//! line continuations, with `$(...)` printed the way bash prints commands.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::arith::Expr;
pub use crate::name::Name;
use crate::pattern::Pattern;

/// Immutable shared bytes.
pub type Bytes = Rc<[u8]>;

/// A sequence of and-or lists: `a; b && c & d`.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// In order of execution.
    pub items: Vec<ListItem>,
}

/// One and-or list and how it is ended.
#[derive(Debug, Clone)]
pub struct ListItem {
    /// `a && b || c`.
    pub and_or: Rc<AndOr>,
    /// Ended by `&`.
    pub background: bool,
    /// Ended by a newline: `$(...)` shows it as such.
    pub newline: bool,
}

/// Pipelines joined by `&&` and `||`, both left-associative and of equal precedence.
#[derive(Debug, Clone)]
pub struct AndOr {
    /// Always run.
    pub first: Pipeline,
    /// Run depending on the status so far.
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
    /// An odd number of `!`.
    pub negated: bool,
    /// `time` or `time -p`.
    pub time: Option<TimeFormat>,
    /// At least one; `time` and `!` alone hold one empty simple command.
    pub commands: Vec<Rc<Command>>,
}

/// How `time` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeFormat {
    /// By `$TIMEFORMAT`.
    Bash,
    /// `time -p`.
    Posix,
}

/// One element of a pipeline.
#[derive(Debug, Clone)]
pub struct Command {
    /// What it does.
    pub kind: CommandKind,
    /// In order of appearance. Of a function definition: those of the body are in the body.
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
    /// A function's definition.
    Function(Rc<Function>),
    /// `coproc [NAME] command`
    Coproc(Coproc),
}

/// `a=1 b=2 command argument...`
#[derive(Debug, Clone, Default)]
pub struct SimpleCommand {
    /// Assignments before the first word.
    pub assignments: Vec<Assignment>,
    /// Command and arguments; empty for assignments or redirections alone.
    pub words: Vec<Word>,
    /// The command's name, if the first word is constant.
    pub name: Option<Name>,
    /// All words are constant ([`Word::literal`] is some).
    pub constant: bool,
}

/// `if list; then list; elif list; then list; else list; fi`
#[derive(Debug, Clone)]
pub struct IfCommand {
    /// Conditions with their bodies: `if`, then every `elif`.
    pub branches: Vec<(Rc<List>, Rc<List>)>,
    /// `else`
    pub otherwise: Option<Rc<List>>,
}

/// `while` or `until`
#[derive(Debug, Clone)]
pub struct WhileCommand {
    /// `until`
    pub until: bool,
    /// Run before every round.
    pub condition: Rc<List>,
    /// Run while it holds.
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
    /// Evaluated before every round. Empty text is true.
    pub test: Arith,
    /// Evaluated after every round. Empty text does nothing.
    pub step: Arith,
    /// The loop's body.
    pub body: Rc<List>,
}

/// `case word in ... esac`
#[derive(Debug, Clone)]
pub struct CaseCommand {
    /// What is matched.
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
    /// `;;` or nothing before `esac`
    Break,
    /// `;&`: go on with the next arm's list
    FallThrough,
    /// `;;&`: test the next arms
    TestNext,
}

/// A word used as a pattern (`case`, `[[ == ]]`, `${x#word}`).
#[derive(Debug, Clone)]
pub struct PatternWord {
    /// The word; its quoted parts match literally.
    pub word: Word,
    /// For the executor: the compiled pattern of a word that has no expansions.
    pub cache: PatternCache,
}

impl PatternWord {
    /// Wraps a word.
    pub fn new(word: Word) -> PatternWord {
        PatternWord { word, cache: PatternCache::default() }
    }
}

/// Remembers the last compiled pattern with the options it was compiled under.
#[derive(Debug, Clone, Default)]
pub struct PatternCache(RefCell<Option<(u8, Rc<Pattern>)>>);

impl PatternCache {
    /// The pattern remembered for `options`, or the one `compile` makes (and remembers it).
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
    /// `-f word` and the like; the byte is the operator's letter.
    Unary(u8, Word),
    /// `word op word`
    Binary(Word, Comparison, PatternWord),
    /// A word alone: true if not empty.
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

    /// The operator that is written like this.
    pub(crate) fn of_sign(sign: &[u8]) -> Option<Comparison> {
        Self::SIGNS.iter().find(|(text, _)| text.as_bytes() == sign).map(|(_, comparison)| *comparison)
    }

    /// How it is written.
    #[must_use]
    pub fn sign(self) -> &'static [u8] {
        Self::SIGNS
            .iter()
            .find(|(_, comparison)| *comparison == self)
            .map_or(b"", |(text, _)| text.as_bytes())
    }

    /// Whether it compares numbers: its operands are arithmetic.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        use Comparison::*;
        matches!(self, NumEq | NumNe | NumLt | NumLe | NumGt | NumGe)
    }
}

/// A function's definition. Cloning the `Rc` is what defining it takes.
#[derive(Debug, Clone)]
pub struct Function {
    /// Any word bash accepts; not always an identifier.
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
    /// What runs.
    pub command: Rc<Command>,
}

/// One redirection.
#[derive(Debug, Clone)]
pub struct Redirect {
    /// What is redirected.
    pub fd: RedirectFd,
    /// How, and to what.
    pub kind: RedirectKind,
    /// 1-based line.
    pub line: u32,
}

/// The descriptor to the left of a redirection operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectFd {
    /// None written: 0 or 1 by the operator (already filled in here).
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
        /// Written `<&`.
        input: bool,
        /// The descriptor copied.
        from: i32,
    },
    /// `<& n-` or `>& n-`
    Move {
        /// Written `<&`.
        input: bool,
        /// The descriptor copied and then closed.
        from: i32,
    },
    /// `<&-` or `>&-`
    Close {
        /// Written `<&`.
        input: bool,
    },
    /// `<& word` or `>& word` with a word known only at run time. If a `>&` without descriptor expands to
    /// neither digits nor `-`, it is `&> word`.
    DuplicateWord {
        /// Written `<&`.
        input: bool,
        /// Expands to digits, digits and `-`, or `-`.
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
    /// Part of the delimiter was quoted: the body is literal.
    pub quoted: bool,
    /// `<<-`: leading tabs are removed (already done).
    pub strip_tabs: bool,
    /// Set when the lines after the command have been read; the text is [`Word::source`].
    pub body: OnceCell<Word>,
}

/// `name=value`, `name+=value`, `name[i]=value`, `name=(...)`
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The variable.
    pub name: Name,
    /// `[subscript]`; `@` and `*` are given as such (an error at run time).
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
    /// Expanded without field splitting, globbing and braces; tildes after `=` and `:` are parts of it.
    Scalar(Word),
    /// `( ... )`
    Array(Rc<Vec<ArrayElement>>),
}

/// One element of `name=( ... )`.
#[derive(Debug, Clone)]
pub enum ArrayElement {
    /// A plain word: expanded to any number of elements.
    Word(Word),
    /// `[subscript]=word` or `[subscript]+=word`
    Keyed {
        /// Between the brackets.
        subscript: Subscript,
        /// `+=`
        append: bool,
        /// Expanded as an assignment's value.
        value: Word,
        /// The element as a plain word: what it means where subscripts are not recognised.
        word: Word,
    },
}

/// What stands between the brackets of `name[...]`.
#[derive(Debug, Clone)]
pub enum Subscript {
    /// `@`
    At,
    /// `*`
    Star,
    /// Arithmetic for an indexed array; for an associative one the expansion of `Arith::word`.
    Index(Arith),
}

/// Arithmetic text: `$((...))`, `((...))`, subscripts, offsets.
#[derive(Debug, Clone)]
pub struct Arith {
    /// The text as written.
    pub source: Bytes,
    /// The text as a word in double quotes: its expansion is what arithmetic then evaluates.
    pub word: Rc<Word>,
    /// How to evaluate without parsing at run time.
    pub plan: ArithPlan,
}

/// How arithmetic text can be evaluated. All plans give what bash's textual evaluation gives.
#[derive(Debug, Clone)]
pub enum ArithPlan {
    /// No expansions, no quotes, no syntax error: evaluate this.
    Tree(Rc<Expr>),
    /// Expansions stand only where operands stand. Expand `parts` in order. If every result is a decimal
    /// integer without sign and without leading zero that fits an i64 ([`crate::arith::plain_integer`]),
    /// evaluate the tree with those as its slots; otherwise substitute the results into the text, as in
    /// [`ArithPlan::Text`] (without expanding again: `pieces[i]` is the text before result `i`, the last
    /// piece follows the last result).
    Slots {
        /// What to expand, as in double quotes.
        parts: Rc<[WordPart]>,
        /// With [`Expr`] slots.
        expr: Rc<Expr>,
        /// The literal text around the parts; one more than there are parts.
        pieces: Rc<[Bytes]>,
    },
    /// Expand `Arith::word` and evaluate the resulting text.
    Text,
}

/// A word: parsed text that expands to fields.
#[derive(Debug, Clone, Default)]
pub struct Word {
    /// In order. Empty for text without quotes and characters.
    pub parts: Vec<WordPart>,
    /// What expansions it needs.
    pub flags: WordFlags,
    /// Set if the word always expands to exactly this one field: no expansions, globs, tildes or braces.
    pub literal: Option<Bytes>,
    /// The text as written.
    pub source: Bytes,
    /// Set if the text contains a brace expansion. With `set -B` (the default, not in POSIX mode) the word
    /// stands for these words instead of `parts`.
    pub braces: Option<Rc<crate::braces::Braces>>,
    /// Set if the word has the form of an assignment: what `declare` and the like make of an argument.
    /// `declare a=(...)` has its meaning only here.
    pub assignment: Option<Rc<Assignment>>,
    /// 1-based line of the word's start.
    pub line: u32,
}

/// Which expansions a word needs; all false for a constant word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WordFlags {
    /// Contains a parameter, command, arithmetic or process expansion, quoted or not.
    pub expands: bool,
    /// Contains such an expansion outside quotes: field splitting applies, and globbing to its results.
    pub splits: bool,
    /// An unquoted literal part has one of `*?[` or an extended glob's `(`.
    pub globs: bool,
    /// Contains a tilde prefix.
    pub tilde: bool,
    /// Any part is quoted: the word does not vanish when empty.
    pub quoted: bool,
}

/// A piece of a word.
#[derive(Debug, Clone)]
pub enum WordPart {
    /// Text outside quotes, or (inside [`WordPart::DoubleQuoted`]) text with its backslashes resolved.
    Literal(Bytes),
    /// `\c`, `'...'` or `$'...'` (decoded): literal, never a pattern or split. Can be empty.
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
    /// Whether it is written in quotes or behind a backslash.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        matches!(self, Self::Quoted(_) | Self::DoubleQuoted(_))
    }
}

/// A parameter expansion.
#[derive(Debug, Clone)]
pub struct ParamExpansion {
    /// Which parameter. Meaningless for [`ParamOp::NamesWithPrefix`] and for what cannot be expanded.
    pub param: Param,
    /// `${!param...}`: the parameter is the one named by this parameter's value.
    pub indirect: bool,
    /// What is done with the value.
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
    /// `1`, `${12}`; never 0. Numbers too large are `u32::MAX`: never set.
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
    /// `${!x[@]}` and `${!x[*]}` (`param` is the element; `indirect` is false)
    Keys,
    /// `${!prefix*}` and `${!prefix@}`
    NamesWithPrefix {
        /// What the names begin with.
        prefix: Bytes,
        /// `*`: one field in quotes; else `@`.
        star: bool,
    },
    /// `${x-w}`, `${x:-w}` and the like
    Test {
        /// Which of the four.
        test: ParamTest,
        /// An empty value counts as unset.
        colon: bool,
        /// The word.
        word: Word,
    },
    /// `${x#w}`, `${x##w}`
    RemovePrefix {
        /// `##`
        longest: bool,
        /// What to remove.
        pattern: PatternWord,
    },
    /// `${x%w}`, `${x%%w}`
    RemoveSuffix {
        /// `%%`
        longest: bool,
        /// What to remove.
        pattern: PatternWord,
    },
    /// `${x/p/r}` and variants
    Replace {
        /// Where the pattern matches.
        mode: ReplaceMode,
        /// What is replaced. Empty: nothing is, except with `#` and `%`, which then insert.
        pattern: PatternWord,
        /// By what; empty if absent. Unquoted `&` stands for the match with `shopt patsub_replacement`.
        replacement: Word,
    },
    /// `${x^p}` and variants
    Case {
        /// To which case.
        mode: CaseMode,
        /// Every matching character, not only the first.
        all: bool,
        /// Matches the characters changed; `None` matches all.
        pattern: Option<PatternWord>,
    },
    /// `${x:offset}`, `${x:offset:length}`
    Slice {
        /// Evaluated first.
        offset: Arith,
        /// Evaluated then.
        length: Option<Arith>,
    },
    /// `${x@Q}`; one of `Q E P A K a u U L k`
    Transform(u8),
    /// `${...}` that bash calls a bad substitution when it is expanded.
    Bad,
    /// An expansion in a here-document that lacks this byte at its end: a bad substitution too.
    Unclosed(u8),
    /// A `$(...)` in a here-document whose commands do not parse: an error when it is expanded, its lines.
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
    /// The commands. `None`: backquotes whose text does not parse; parse `text` at run time for the error.
    pub body: Option<Rc<List>>,
    /// `$(< word)` and nothing else: the file's content is the result.
    pub read_file: Option<Word>,
    /// The commands' text: normalised for `$(...)`, with backslashes resolved for backquotes.
    pub text: Bytes,
    /// Written with backquotes.
    pub backquoted: bool,
    /// 1-based line of its start.
    pub line: u32,
}

/// `<(...)` or `>(...)`
#[derive(Debug)]
pub struct ProcessSub {
    /// `>(...)`: the commands read what is written to the path.
    pub write: bool,
    /// The commands.
    pub body: Rc<List>,
    /// `<(< word)` and nothing else: the path has the file's content.
    pub read_file: Option<Word>,
    /// The commands' text.
    pub text: Bytes,
    /// 1-based line of its start.
    pub line: u32,
}
