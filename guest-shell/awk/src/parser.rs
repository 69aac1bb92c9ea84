//! Parses tokens into the tree.

mod expr;
mod lint;
mod names;
mod stmt;

use crate::ast::*;
use crate::diag::{Pos, bytes};
use crate::lexer::{Failure, Key, Lexer, Tok, UNEXPECTED};
use crate::pattern::{Dialect, Pattern};
use crate::source::{self, Files, Seen, Source};
use crate::{diag, number};
use names::Names;
use std::rc::Rc;

/// Options that affect parsing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    pub(crate) dialect: Dialect,
    pub(crate) sandbox: bool,
    pub(crate) lint: Lint,
    /// `--lint-old`.
    pub(crate) lint_old: bool,
    /// `-E`: operands are never assignments.
    pub(crate) exec: bool,
}

/// Which lint warnings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lint {
    #[default]
    Off,
    /// All warnings except those about extensions.
    NoExtensions,
    On,
    /// All warnings, and the first one is fatal.
    Fatal,
}

impl Lint {
    pub(crate) fn is_on(self) -> bool {
        self != Self::Off
    }

    /// The word with which a warning begins.
    pub(crate) fn word(self) -> &'static str {
        if self == Self::Fatal { "fatal: " } else { "warning: " }
    }
}

/// Names of variables that exist before the program is parsed.
pub(crate) type Known<'a> = &'a [Vec<u8>];

/// Parses a program from its sources.
///
/// # Errors
/// The exit status. Messages have been written.
pub(crate) fn parse(
    sources: Vec<Source>,
    files: Files,
    options: Options,
    known: Known<'_>,
) -> Result<Program, i32> {
    let mut sources = sources.into_iter().rev().collect::<Vec<_>>();
    let first = sources.pop().unwrap_or_else(|| Source::text(Vec::new()));
    let mut program = Program { sources: vec![first.name.clone()], ..Program::default() };
    let mut lexer = Lexer::new(first, 0);
    lexer.posix = options.dialect.posix;
    lexer.traditional = options.dialect.traditional;
    let mut p = Parser {
        lexer,
        stack: Vec::new(),
        waiting: sources,
        called: Vec::new(),
        warned: Vec::new(),
        files,
        tok: Tok::Newline,
        pos: Pos::default(),
        names: Names::new(known),
        options,
        program: &mut program,
        ranges: 0,
        no_gt: false,
        no_in: false,
        typed_at: None,
        depth: 0,
        context: Context::Rule,
        loops: 0,
        switches: 0,
        defining: Vec::new(),
        inside: false,
        errors: false,
    };
    let mut result = p.program();
    if result.is_ok() && options.dialect.posix {
        p.check_parameters();
    }
    if result.is_ok() {
        result = p.lint_functions();
    }
    if !p.errors {
        result = result.and_then(|()| p.check_functions());
    }
    if let Err(failure) = result {
        return Err(p.report(failure));
    }
    if p.errors {
        return Err(1);
    }
    let names = std::mem::take(&mut p.names);
    program.globals = names.into_globals();
    Ok(program)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Begin,
    End,
    BeginFile,
    EndFile,
    Rule,
    Function,
}

struct Parser<'a> {
    lexer: Lexer,
    /// Sources that are interrupted by an `@include`.
    stack: Vec<Lexer>,
    /// Sources to be parsed, the next one last.
    waiting: Vec<Source>,
    /// Functions that are called somewhere.
    called: Vec<u32>,
    /// Warnings that are printed only once and have been.
    warned: Vec<Vec<u8>>,
    /// Files that have been read.
    files: Files,
    tok: Tok,
    /// The position of the current token.
    pos: Pos,
    names: Names,
    options: Options,
    program: &'a mut Program,
    ranges: usize,
    /// Whether `>` is a redirection here.
    no_gt: bool,
    no_in: bool,
    /// The position in the source where a regular expression may stand as a value. Elsewhere it is matched against
    /// `$0`.
    typed_at: Option<usize>,
    depth: usize,
    context: Context,
    loops: usize,
    switches: usize,
    /// The function whose body is being parsed.
    defining: Vec<u8>,
    /// Whether a rule or a function is being parsed. It must end in the same source.
    inside: bool,
    /// Whether there were errors after which parsing continued.
    errors: bool,
}

type Res<T> = Result<T, Failure>;

/// The maximum nesting, because parsing is recursive.
const DEPTH_MAX: usize = 400;

impl Parser<'_> {
    fn advance(&mut self) -> Res<()> {
        self.pos = self.lexer.pos();
        self.tok = self.lexer.next()?;
        if let Tok::Builtin(b) = self.tok
            && self.names.params.iter().any(|p| p == b.name().as_bytes())
        {
            // The name of a parameter.
            let name = b.name().as_bytes().to_vec();
            self.tok = if self.lexer.peek(0) == b'(' { Tok::FuncName(name) } else { Tok::Name(name) };
        }
        if self.tok != Tok::Newline {
            self.pos = self.lexer.pos();
        }
        if self.options.lint.is_on() {
            self.lint_token()?;
        }
        if self.options.lint_old {
            self.lint_old_token();
        }
        while self.tok == Tok::Eof {
            if !self.inside {
                self.lint_end()?;
            }
            if let Some(outer) = self.stack.pop_if(|_| !self.inside) {
                self.lexer = outer;
            } else if self.inside {
                // A rule cannot continue in another source.
                break;
            } else if let Some(next) = self.waiting.pop() {
                self.switch_to(next);
            } else {
                break;
            }
            self.tok = self.lexer.next()?;
            self.pos = self.lexer.pos();
        }
        Ok(())
    }

    fn switch_to(&mut self, source: Source) -> Lexer {
        let number = u16::try_from(self.program.sources.len()).unwrap_or(u16::MAX);
        self.program.sources.push(source.name.clone());
        let mut lexer = Lexer::new(source, number);
        lexer.posix = self.lexer.posix;
        lexer.traditional = self.lexer.traditional;
        std::mem::replace(&mut self.lexer, lexer)
    }

    fn is(&self, op: &str) -> bool {
        matches!(self.tok, Tok::Op(o) if o == op)
    }

    fn is_key(&self, key: Key) -> bool {
        self.tok == Tok::Key(key)
    }

    fn accept(&mut self, op: &str) -> Res<bool> {
        let yes = self.is(op);
        if yes {
            self.advance()?;
        }
        Ok(yes)
    }

    fn expect(&mut self, op: &str) -> Res<()> {
        if self.accept(op)? { Ok(()) } else { Err(self.syntax_error()) }
    }

    fn newlines(&mut self) -> Res<()> {
        while self.tok == Tok::Newline {
            self.advance()?;
        }
        Ok(())
    }

    fn separators(&mut self) -> Res<()> {
        while self.tok == Tok::Newline || self.is(";") {
            self.advance()?;
        }
        Ok(())
    }

    fn syntax_error(&self) -> Failure {
        if matches!(self.tok, Tok::Newline | Tok::Eof)
            && let Some(failure) = self.lexer.early_end()
        {
            return failure;
        }
        // A dot may begin a number.
        if let Tok::Bad(b) = self.tok
            && b != b'.'
        {
            let text = bytes!("invalid char '", [b], "' in expression");
            return Failure::Syntax(self.lexer.start, text);
        }
        let text: &[u8] = match self.tok {
            Tok::Newline | Tok::Eof => UNEXPECTED.as_bytes(),
            _ => b"syntax error",
        };
        Failure::Syntax(self.lexer.start, text.to_vec())
    }

    fn error_here(&self, text: impl AsRef<[u8]>) -> Failure {
        Failure::Syntax(self.lexer.start, text.as_ref().to_vec())
    }

    // Reports an error and continues parsing.
    fn recover(&mut self, text: impl AsRef<[u8]>) {
        self.recover_at(self.lexer.line, text);
    }

    fn recover_at(&mut self, line: u32, text: impl AsRef<[u8]>) {
        self.errors = true;
        diag::say(&bytes!(self.lexer.name, ":", line.to_string(), ": error: ", text));
    }

    // Writes the message. Returns the exit status.
    fn report(&self, failure: Failure) -> i32 {
        let mut line = Vec::new();
        let l = &self.lexer;
        match failure {
            Failure::Said(status) => status,
            Failure::Syntax(at, text) => {
                // If something is missing at the end, the error is shown before the last newline.
                let at = if at >= l.text.len() && l.text.ends_with(b"\n") { l.text.len() - 1 } else { at };
                let at_newline = l.text.get(at).is_none_or(|b| *b == b'\n');
                let (shown, column) = l.line_at(at);
                let number = 1 + l
                    .text
                    .get(..at.min(l.text.len()))
                    .unwrap_or_default()
                    .iter()
                    .filter(|b| **b == b'\n')
                    .count();
                // At the end of a line, gawk has already read the next token and counts one line more.
                number::push_int(
                    &mut line,
                    number as i64 + i64::from(at_newline && self.tok == Tok::Newline),
                );
                let prefix = bytes!(l.name, ":", line, ": ");
                diag::say(&bytes!(prefix, shown));
                let blanks: Vec<u8> =
                    shown.iter().take(column).map(|b| if *b == b'\t' { b'\t' } else { b' ' }).collect();
                diag::say(&bytes!(prefix, blanks, "^ ", text));
                1
            }
            Failure::Bare(text) => {
                number::push_int(&mut line, l.line.into());
                diag::say(&bytes!(l.name, ":", line, ": ", text));
                1
            }
            Failure::EndOfFile(shown, column, text) => {
                let synthetic = self.tok == Tok::Newline && !l.text.ends_with(b"\n");
                number::push_int(&mut line, l.lines() + i64::from(synthetic));
                let prefix = bytes!(l.name, ":", line, ": ");
                diag::say(&bytes!(prefix, shown));
                let blanks = vec![b' '; column];
                diag::say(&bytes!(prefix, blanks, "^ ", text));
                1
            }
            Failure::Plain(text) => {
                number::push_int(&mut line, l.line.into());
                diag::say(&bytes!(l.name, ":", line, ": error: ", text));
                1
            }
            Failure::Fatal(text, with_line) => {
                number::push_int(&mut line, l.line.into());
                let prefix = if with_line { bytes!(l.name, ":", line, ": ") } else { Vec::new() };
                diag::say(&bytes!(prefix, "fatal: ", text));
                2
            }
        }
    }

    // Compiles a literal regular expression.
    fn pattern(&self, source: &[u8]) -> Res<Rc<Pattern>> {
        let mut warnings = Vec::new();
        let pattern = Pattern::new(source, self.options.dialect, &mut warnings);
        for w in warnings {
            self.lexer.warn(&w);
        }
        pattern.map(Rc::new).map_err(|text| {
            // For a literal, the message has no introduction.
            let text = text.strip_prefix(b"invalid regexp: ").unwrap_or(&text).to_vec();
            Failure::Plain(text)
        })
    }

    fn program(&mut self) -> Res<()> {
        self.advance()?;
        self.separators()?;
        while self.tok != Tok::Eof {
            self.item()?;
            self.inside = false;
            self.separators()?;
        }
        Ok(())
    }

    fn item(&mut self) -> Res<()> {
        let pos = self.pos;
        let key = match self.tok {
            Tok::Key(k) => Some(k),
            _ => None,
        };
        let context = match key {
            Some(Key::Begin) => Context::Begin,
            Some(Key::End) => Context::End,
            Some(Key::BeginFile) => Context::BeginFile,
            Some(Key::EndFile) => Context::EndFile,
            Some(Key::Function) => {
                self.inside = true;
                return self.function();
            }
            _ if self.is("@") && self.at_directive()? => return Ok(()),
            _ => Context::Rule,
        };
        self.inside = true;
        if self.options.lint_old {
            let twice = match context {
                Context::Begin => !self.program.begin.is_empty(),
                Context::End => !self.program.end.is_empty(),
                _ => false,
            };
            if twice {
                self.lint_old("old awk does not support multiple `BEGIN' or `END' rules");
            }
        }
        self.context = context;
        if context != Context::Rule {
            self.advance()?;
            if !self.is("{") {
                if matches!(self.tok, Tok::Newline | Tok::Eof) || self.is(";") {
                    let name = match context {
                        Context::Begin => "BEGIN",
                        Context::End => "END",
                        Context::BeginFile => "BEGINFILE",
                        _ => "ENDFILE",
                    };
                    return Err(Failure::Bare(
                        format!("{name} blocks must have an action part").into_bytes(),
                    ));
                }
                return Err(self.syntax_error());
            }
            let block = self.block()?;
            let list = match context {
                Context::Begin => &mut self.program.begin,
                Context::End => &mut self.program.end,
                Context::BeginFile => &mut self.program.begin_file,
                _ => &mut self.program.end_file,
            };
            list.push(block);
            return Ok(());
        }
        let pattern = if self.is("{") {
            Condition::Always
        } else {
            let first = self.expr()?;
            if self.accept(",")? {
                self.newlines()?;
                let last = self.expr()?;
                self.ranges += 1;
                Condition::Range(first, last, self.ranges - 1)
            } else {
                Condition::When(first)
            }
        };
        let action = if self.is("{") { Some(self.block()?) } else { None };
        if action.is_none() && !(matches!(self.tok, Tok::Newline | Tok::Eof) || self.is(";")) {
            return Err(self.syntax_error());
        }
        self.program.rules.push(Rule { pattern, action, pos });
        Ok(())
    }

    // Parses `@include`, `@load` or `@namespace`. Returns false for anything else.
    fn at_directive(&mut self) -> Res<bool> {
        let rest = self.lexer.text.get(self.lexer.at..).unwrap_or_default();
        let word = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        match rest.get(..word).unwrap_or_default() {
            b"include" => {}
            b"load" => {
                return Err(Failure::Fatal(b"load: extensions are not supported".to_vec(), true));
            }
            b"namespace" => {
                self.lexer.at += word;
                self.advance()?;
                self.namespace()?;
                return Ok(true);
            }
            _ => return Ok(false),
        }
        self.lexer.at += word;
        self.advance()?;
        let Tok::Str(name) = self.tok.clone() else { return Err(self.syntax_error()) };
        let rest = self.lexer.text.get(self.lexer.at..).unwrap_or_default();
        let next = rest.iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r'));
        if !matches!(next, None | Some(b'\n' | b';' | b'#')) {
            self.advance()?;
            return Err(self.syntax_error());
        }
        let source = Source::read(&name, true).map_err(|e| {
            Failure::Plain(bytes!("cannot open source file `", name, "' for reading: ", e.text()))
        })?;
        self.lint_extension("`include' is")?;
        match source::note(&mut self.files, &source) {
            Seen::New => {
                let outer = self.switch_to(source);
                self.stack.push(outer);
            }
            Seen::Again => self.lint(&bytes!("already included source file `", name, "'"))?,
            Seen::Both => {
                // gawk has already advanced to the next line.
                self.lexer.line = self.pos.line + 1;
                return Err(Failure::Fatal(
                    bytes!("cannot include `", name, "' and use it as a program file"),
                    true,
                ));
            }
        }
        self.advance()?;
        Ok(true)
    }

    // Parses the name after `@namespace`.
    fn namespace(&mut self) -> Res<()> {
        let Tok::Str(name) = self.tok.clone() else { return Err(self.syntax_error()) };
        let good = name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let error = if !good {
            bytes!("namespace name `", name, "' must meet identifier naming rules")
        } else if crate::lexer::is_reserved(&name) {
            bytes!("using reserved identifier `", name, "' as a namespace is not allowed")
        } else {
            self.lexer.namespace = if name == b"awk" { Vec::new() } else { name };
            return self.advance();
        };
        self.recover(error);
        self.advance()
    }

    fn function(&mut self) -> Res<()> {
        self.context = Context::Function;
        self.advance()?;
        let name = match &self.tok {
            Tok::Name(n) | Tok::FuncName(n) => n.clone(),
            Tok::Builtin(b) => {
                let name = b.name();
                return Err(
                    self.error_here(format!("`{name}' is a built-in function, it cannot be redefined"))
                );
            }
            _ => return Err(self.syntax_error()),
        };
        self.advance()?;
        if !self.is("(") {
            return Err(self.syntax_error());
        }
        self.advance()?;
        let mut params: Vec<Vec<u8>> = Vec::new();
        while !self.is(")") {
            self.newlines()?;
            let param = match &self.tok {
                Tok::Name(param) => param.clone(),
                Tok::Builtin(b) if b.is_extension() => b.name().as_bytes().to_vec(),
                _ => return Err(self.syntax_error()),
            };
            if param == name {
                return Err(Failure::Plain(bytes!(
                    "function `",
                    name,
                    "': cannot use function name as parameter name"
                )));
            }
            if let Some(i) = params.iter().position(|p| *p == param) {
                let text = format!("', duplicates parameter #{}", i + 1);
                let number = (params.len() + 1).to_string();
                self.recover(bytes!("function `", name, "': parameter #", number, ", `", param, text));
            }
            if Names::is_special(&param) {
                return Err(Failure::Plain(bytes!(
                    "function `",
                    name,
                    "': cannot use special variable `",
                    param,
                    "' as a function parameter"
                )));
            }
            params.push(param);
            self.advance()?;
            let more = self.accept(",")?;
            if more == self.is(")") {
                return Err(self.syntax_error());
            }
        }
        let id = self.names.function(&name, self.pos);
        if self.program.functions.get(id as usize).is_some_and(|f| f.defined) || self.names.is_global(&name) {
            return Err(Failure::Plain(bytes!("function name `", name, "' previously defined")));
        }
        self.advance()?;
        self.newlines()?;
        self.names.params = params.clone();
        self.defining = name.clone();
        let body = self.block()?;
        self.defining.clear();
        self.names.params.clear();
        while self.program.functions.len() <= id as usize {
            self.program.functions.push(Function {
                name: Vec::new(),
                params: Vec::new(),
                body: Vec::new(),
                defined: false,
            });
        }
        self.program.functions[id as usize] = Function { name, params, body, defined: true };
        Ok(())
    }

    // In POSIX mode, parameters must not have the names of functions.
    fn check_parameters(&mut self) {
        let functions = &self.program.functions;
        let is_function = |name: &Vec<u8>| functions.iter().any(|f| f.defined && f.name == *name);
        for f in functions {
            for param in f.params.iter().filter(|p| is_function(p)) {
                self.errors = true;
                diag::say(&bytes!(
                    "error: function `",
                    f.name,
                    "': cannot use function `",
                    param,
                    "' as a parameter name"
                ));
            }
        }
    }

    // Adds functions that are called but not defined. A call of one is fatal.
    fn check_functions(&mut self) -> Res<()> {
        for (id, (name, _)) in self.names.functions().iter().enumerate() {
            let undefined =
                Function { name: name.clone(), params: Vec::new(), body: Vec::new(), defined: false };
            match self.program.functions.get_mut(id) {
                Some(f) if f.defined => {
                    if self.names.is_global(name) {
                        return Err(Failure::Plain(bytes!(
                            "function name `",
                            name,
                            "' used as variable name"
                        )));
                    }
                }
                Some(f) => *f = undefined,
                None => self.program.functions.push(undefined),
            }
        }
        Ok(())
    }
}
