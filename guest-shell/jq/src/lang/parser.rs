//! Parses tokens to the syntax tree by recursive descent. The messages are those of jq's generated parser.

use super::ast::{
    Ast, Definition, Import, Module, Node, Operator, Parameter, Part, Pattern, PatternKey, Updater,
};
use super::lexer::{self, KEYWORDS, Kind, Token};
use crate::dump;
use crate::object::Object;
use crate::text::Text;
use crate::value::Val;
use std::rc::Rc;

/// A message and its offset in the text.
pub(crate) type Complaint = (String, usize);

/// Parses a program or a module.
pub(crate) fn parse(text: &[u8]) -> Result<Module, Vec<Complaint>> {
    let mut parser = Parser {
        tokens: lexer::tokens(text),
        at: 0,
        complaints: Vec::new(),
        depth: 0,
        text,
        in_key: false,
        bare: None,
        colon: 0,
    };
    match parser.module() {
        Ok(module) if parser.complaints.is_empty() => Ok(module),
        _ => Err(parser.complaints),
    }
}

/// An error, which has already been added to the messages.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// The maximum nesting of expressions, which keeps the stack small. This limit is not jq's.
const MAX_DEPTH: usize = 500;

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    complaints: Vec<Complaint>,
    depth: usize,
    text: &'a [u8],
    /// Whether the position is in an object, before the `:` of a pair.
    in_key: bool,
    /// The token after the last single `.`.
    bare: Option<usize>,
    /// The position of the colon in the last slice.
    colon: usize,
}

const END: &str = ", expecting end of file";

impl Parser<'_> {
    fn module(&mut self) -> Parsed<Module> {
        let start = self.start();
        let metadata = if self.take("module") {
            let value = self.pipe()?;
            self.expect(";", "")?;
            let value = self.constant(&value, start, "Module metadata must be constant");
            Some(self.metadata(value, start))
        } else {
            None
        };
        let mut imports = Vec::new();
        while self.is("import") || self.is("include") {
            imports.push(self.import()?);
        }
        let mut definitions = Vec::new();
        while self.is("def") {
            definitions.push(self.definition()?);
        }
        let mut main = None;
        if *self.peek() != Kind::End {
            if !self.begins_expression() {
                return self.unexpected(END);
            }
            main = Some(self.pipe()?);
            if *self.peek() != Kind::End {
                return self.unexpected(END);
            }
        }
        Ok(Module { metadata, imports, definitions, main })
    }

    fn import(&mut self) -> Parsed<Import> {
        let begin = self.start();
        let include = self.take("include");
        if !include {
            self.advance();
        }
        let start = self.start();
        if !matches!(self.peek(), Kind::StringStart | Kind::Format(_)) {
            return self.unexpected(", expecting FORMAT or QQSTRING_START");
        }
        let path = self.string()?;
        let path = match self.constant(&path, start, "Import path must be constant") {
            Val::Str(path) => path,
            _ => Text::from(""),
        };
        let (mut name, mut is_data) = (None, false);
        if !include {
            self.expect("as", "as")?;
            match self.peek().clone() {
                Kind::Ident(n) => name = Some(n),
                Kind::Binding(n) => {
                    name = Some(n);
                    is_data = true;
                }
                _ => return self.unexpected(", expecting IDENT or BINDING"),
            }
            self.advance();
        }
        let mut metadata = None;
        if !self.is(";") {
            let value = self.pipe()?;
            let value = self.constant(&value, begin, "Module metadata must be constant");
            metadata = Some(self.metadata(value, begin));
        }
        self.expect(";", "")?;
        Ok(Import { path, name, is_data, metadata })
    }

    fn metadata(&mut self, value: Val, start: usize) -> Val {
        if !matches!(value, Val::Obj(_)) && self.complaints.is_empty() {
            self.complaints.push(("Module metadata must be an object".to_owned(), start));
        }
        value
    }

    fn constant(&mut self, node: &Ast, start: usize, complaint: &str) -> Val {
        constant(node).unwrap_or_else(|| {
            self.complaints.push((complaint.to_owned(), start));
            Val::Null
        })
    }

    fn definition(&mut self) -> Parsed<Rc<Definition>> {
        self.advance();
        let name = match self.peek().clone() {
            Kind::Ident(name) => name,
            _ => return self.unexpected(", expecting IDENT"),
        };
        self.advance();
        let mut parameters = Vec::new();
        if self.take("(") {
            loop {
                let (name, is_value) = match self.peek().clone() {
                    Kind::Ident(name) => (name, false),
                    Kind::Binding(name) => (name, true),
                    _ => return self.unexpected(", expecting IDENT or BINDING"),
                };
                self.advance();
                parameters.push(Parameter { name, is_value });
                if self.take(")") {
                    break;
                }
                self.expect(";", "';' or ')'")?;
            }
            self.expect(":", "':'")?;
        } else {
            self.expect(":", "'(' or ':'")?;
        }
        let body = self.pipe()?;
        self.expect(";", "")?;
        Ok(Rc::new(Definition { name, parameters, body }))
    }

    /// Parses an expression of any precedence.
    fn pipe(&mut self) -> Parsed<Node> {
        self.nested(|p| {
            if p.is("def") {
                let definition = p.definition()?;
                let rest = p.pipe()?;
                return Ok(Rc::new(Ast::Define(definition, rest)));
            }
            let mut stages = vec![p.binary(1)?];
            while p.take("|") {
                // The body of a definition extends as far as possible.
                stages.push(if p.is("def") { p.pipe()? } else { p.binary(1)? });
            }
            Ok(balanced(stages, Ast::Pipe))
        })
    }

    fn nested(&mut self, f: impl FnOnce(&mut Self) -> Parsed<Node>) -> Parsed<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.too_deep();
        }
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// The position of a single `.` before the current token, if that token cannot follow it.
    fn bare_dot(&self) -> Option<usize> {
        let before = self.tokens.get(self.at.checked_sub(1)?)?;
        // Tokens that can begin a term get another message.
        let ends = match self.peek() {
            Kind::Op(op) => !matches!(
                *op,
                "if" | "reduce"
                    | "foreach"
                    | "try"
                    | "label"
                    | "break"
                    | "def"
                    | "import"
                    | "include"
                    | "module"
                    | "$__loc__"
                    | "$"
                    | "?//"
                    | ".."
                    | "{"
            ),
            kind => matches!(kind, Kind::End | Kind::InterpolationEnd),
        };
        (self.bare == Some(self.at) && before.kind == Kind::Op(".") && !ends).then_some(before.start)
    }

    fn too_deep<T>(&mut self) -> Parsed<T> {
        self.complaints.push(("memory exhausted".to_owned(), self.start()));
        Err(Failed)
    }

    fn binary(&mut self, least: u8) -> Parsed<Node> {
        let mut left = self.operand()?;
        let mut chain = 0;
        loop {
            let Kind::Op(op) = *self.peek() else { return Ok(left) };
            let Some((level, right_level, nonassociative)) = precedence(op) else { return Ok(left) };
            if level < least {
                return Ok(left);
            }
            self.advance();
            if op == "," {
                let mut parts = vec![left, self.nested(|p| p.binary(right_level))?];
                while self.take(",") {
                    parts.push(self.nested(|p| p.binary(right_level))?);
                }
                left = balanced(parts, Ast::Comma);
                continue;
            }
            chain += 1;
            if chain > MAX_DEPTH {
                return self.too_deep();
            }
            let right = self.nested(|p| p.binary(right_level))?;
            left = Rc::new(combine(op, left, right));
            if nonassociative
                && let Kind::Op(next) = *self.peek()
                && precedence(next).is_some_and(|(l, ..)| l == level)
            {
                return self.unexpected("");
            }
        }
    }

    fn operand(&mut self) -> Parsed<Node> {
        let node = match *self.peek() {
            Kind::Op("-") => {
                self.advance();
                let operand = self.nested(|p| p.binary(9))?;
                return Ok(Rc::new(Ast::Negate(operand)));
            }
            Kind::Op("def") => return self.pipe(),
            Kind::Op("label") => {
                self.advance();
                let Kind::Binding(name) = self.peek().clone() else {
                    return self.unexpected(", expecting BINDING");
                };
                self.advance();
                self.expect("|", "'|'")?;
                let body = self.pipe()?;
                return Ok(Rc::new(Ast::Label(name, body)));
            }
            Kind::Op("try") => {
                let start = self.start();
                self.advance();
                let body = self.nested(Self::tight)?;
                let handler = if self.take("catch") {
                    let handler = self.nested(Self::tight);
                    Some(self.with_hint(handler, "Possibly unterminated 'try' statement", start)?)
                } else {
                    None
                };
                return Ok(Rc::new(Ast::Try(body, handler)));
            }
            _ => self.tight()?,
        };
        Ok(node)
    }

    /// Parses a term with its postfixes, or an expression that can stand in its place.
    fn tight(&mut self) -> Parsed<Node> {
        let node = match *self.peek() {
            Kind::Op("reduce") => self.reduce()?,
            Kind::Op("foreach") => self.foreach()?,
            Kind::Op("if") => self.conditional()?,
            Kind::Op("try" | "-" | "label" | "def") => return self.operand(),
            _ => {
                let term = self.term()?;
                if self.take("as") {
                    let patterns = self.patterns()?;
                    self.expect("|", "'|'")?;
                    let body = self.pipe()?;
                    return Ok(Rc::new(Ast::As { source: term, patterns, body }));
                }
                term
            }
        };
        let mut node = self.postfixes(node)?;
        while self.take("?") {
            node = Rc::new(Ast::Try(node, None));
        }
        Ok(node)
    }

    /// What `reduce` and `foreach` have in common: the source, its patterns, where they begin and what they do.
    fn fold(&mut self) -> Parsed<(Node, Vec<Pattern>, Node, Node)> {
        self.advance();
        let source = self.term()?;
        self.expect("as", "FIELD or as or '.' or '['")?;
        let patterns = self.patterns()?;
        self.expect("(", "'('")?;
        let init = self.pipe()?;
        self.expect(";", "")?;
        Ok((source, patterns, init, self.pipe()?))
    }

    fn reduce(&mut self) -> Parsed<Node> {
        let (source, patterns, init, update) = self.fold()?;
        self.expect(")", "")?;
        Ok(Rc::new(Ast::Reduce { source, patterns, init, update }))
    }

    fn foreach(&mut self) -> Parsed<Node> {
        let (source, patterns, init, update) = self.fold()?;
        let extract = if self.take(";") { Some(self.pipe()?) } else { None };
        self.expect(")", "")?;
        Ok(Rc::new(Ast::Foreach { source, patterns, init, update, extract }))
    }

    fn conditional(&mut self) -> Parsed<Node> {
        let start = self.start();
        self.advance();
        let condition = self.pipe()?;
        self.expect("then", "")?;
        let result = self.branches(condition);
        self.with_hint(result, "Possibly unterminated 'if' statement", start)
    }

    /// Adds a hint to a syntax error.
    fn with_hint<T>(&mut self, result: Parsed<T>, hint: &str, start: usize) -> Parsed<T> {
        if result.is_err() && self.complaints.last().is_some_and(|c| c.0.starts_with("syntax error")) {
            self.complaints.push((hint.to_owned(), start));
        }
        result
    }

    fn branches(&mut self, condition: Node) -> Parsed<Node> {
        let then = self.pipe()?;
        let otherwise = if self.take("elif") {
            let condition = self.pipe()?;
            self.expect("then", "")?;
            Some(self.branches(condition)?)
        } else if self.take("else") {
            let otherwise = self.pipe()?;
            self.expect("end", "")?;
            Some(otherwise)
        } else {
            self.expect("end", "")?;
            None
        };
        Ok(Rc::new(Ast::If { condition, then, otherwise }))
    }

    /// Parses a term with its postfixes.
    fn term(&mut self) -> Parsed<Node> {
        let start = self.start();
        let kind = self.peek().clone();
        let node = match kind {
            Kind::Op(".") => {
                self.advance();
                match self.peek() {
                    Kind::StringStart | Kind::Format(_) => {
                        let key = self.string()?;
                        self.index(Rc::new(Ast::Identity), key)
                    }
                    Kind::Op("[") => self.brackets(Rc::new(Ast::Identity))?,
                    Kind::Ident(_) => {
                        self.advance();
                        return self.dot_misused(start);
                    }
                    _ => {
                        self.bare = Some(self.at);
                        Rc::new(Ast::Identity)
                    }
                }
            }
            Kind::Op("..") => {
                self.advance();
                Rc::new(Ast::Recurse)
            }
            Kind::Op("break") => {
                self.advance();
                match self.peek().clone() {
                    Kind::Binding(name) => {
                        self.advance();
                        Rc::new(Ast::Break(name, start))
                    }
                    _ => {
                        let failed = self.unexpected(", expecting BINDING");
                        let message = "break requires a label to break to".to_owned();
                        self.complaints.push((message, start));
                        return failed;
                    }
                }
            }
            Kind::Field(name) => {
                self.advance();
                self.index(Rc::new(Ast::Identity), literal(Val::from_string(name)))
            }
            Kind::Literal(constant) => {
                self.advance();
                literal(self.checked(constant.0, start))
            }
            Kind::StringStart => self.string()?,
            Kind::Format(name) => {
                if matches!(self.tokens.get(self.at + 1), Some(t) if t.kind == Kind::StringStart) {
                    self.string()?
                } else {
                    self.advance();
                    Rc::new(Ast::Format(name))
                }
            }
            Kind::Op("(") => {
                self.advance();
                let inner = self.pipe()?;
                self.expect(")", "")?;
                inner
            }
            Kind::Op("[") => {
                self.advance();
                if self.take("]") {
                    Rc::new(Ast::Array(None))
                } else {
                    let inner = self.pipe()?;
                    self.expect("]", "")?;
                    Rc::new(Ast::Array(Some(inner)))
                }
            }
            Kind::Op("{") => self.object()?,
            Kind::Op("$__loc__") => {
                self.advance();
                literal(self.location(start))
            }
            Kind::Binding(name) => {
                self.advance();
                Rc::new(Ast::Variable(name, start))
            }
            Kind::Ident(name) => {
                self.advance();
                self.call(name, start)?
            }
            _ => return self.unexpected(""),
        };
        self.postfixes(node)
    }

    fn call(&mut self, name: String, start: usize) -> Parsed<Node> {
        let mut arguments = Vec::new();
        if self.take("(") {
            loop {
                arguments.push(self.pipe()?);
                if self.take(")") {
                    break;
                }
                self.expect(";", "';' or ')'")?;
            }
        } else {
            match name.as_str() {
                "true" => return Ok(literal(Val::Bool(true))),
                "false" => return Ok(literal(Val::Bool(false))),
                "null" => return Ok(literal(Val::Null)),
                _ => {}
            }
        }
        Ok(Rc::new(Ast::Call(name, arguments, start)))
    }

    fn postfixes(&mut self, mut node: Node) -> Parsed<Node> {
        loop {
            node = match self.peek().clone() {
                Kind::Field(name) => {
                    self.advance();
                    self.index(node, literal(Val::from_string(name)))
                }
                Kind::Op(".") => {
                    self.advance();
                    match self.peek() {
                        Kind::StringStart | Kind::Format(_) => {
                            let key = self.string()?;
                            self.index(node, key)
                        }
                        Kind::Op("[") => {
                            let node = self.brackets(node)?;
                            if let Ast::Slice { .. } = *node {
                                self.at = self.colon;
                                return self.unexpected("");
                            }
                            node
                        }
                        _ => return self.unexpected(", expecting FORMAT or QQSTRING_START or '['"),
                    }
                }
                Kind::Op("[") => self.brackets(node)?,
                _ => return Ok(node),
            }
        }
    }

    fn index(&mut self, term: Node, key: Node) -> Node {
        let optional = self.take("?");
        Rc::new(Ast::Index { term, key, optional })
    }

    fn brackets(&mut self, term: Node) -> Parsed<Node> {
        self.advance();
        if self.take("]") {
            let optional = self.take("?");
            return Ok(Rc::new(Ast::Each { term, optional }));
        }
        let from = if self.is(":") { None } else { Some(self.pipe()?) };
        self.colon = self.at;
        if self.take(":") {
            let to = if from.is_some() && self.is("]") { None } else { Some(self.pipe()?) };
            self.expect("]", "")?;
            let optional = self.take("?");
            return Ok(Rc::new(Ast::Slice { term, from, to, optional }));
        }
        self.expect("]", "")?;
        match from {
            Some(key) => Ok(self.index(term, key)),
            None => Ok(term),
        }
    }

    /// Parses a string with an optional format before it.
    fn string(&mut self) -> Parsed<Node> {
        let format = match self.peek().clone() {
            Kind::Format(name) => {
                self.advance();
                Some(name)
            }
            _ => None,
        };
        if *self.peek() != Kind::StringStart {
            return self.unexpected(", expecting QQSTRING_START");
        }
        self.advance();
        let mut parts = Vec::new();
        loop {
            let start = self.start();
            match self.peek().clone() {
                Kind::StringText(constant) => {
                    self.advance();
                    if let Val::Str(text) = self.checked(constant.0, start) {
                        parts.push(Part::Text(text));
                    }
                }
                Kind::InterpolationStart => {
                    self.advance();
                    let inner = self.pipe()?;
                    if *self.peek() != Kind::InterpolationEnd {
                        return self.unexpected("");
                    }
                    self.advance();
                    parts.push(Part::Interpolation(inner));
                }
                Kind::StringEnd => {
                    self.advance();
                    return Ok(whole(format, parts));
                }
                _ => {
                    return self
                        .unexpected(", expecting QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END");
                }
            }
        }
    }

    fn object(&mut self) -> Parsed<Node> {
        self.advance();
        let mut pairs = Vec::new();
        if self.take("}") {
            return Ok(Rc::new(Ast::Object(pairs)));
        }
        loop {
            let before = self.at;
            self.in_key = true;
            match self.pair() {
                Ok(pair) => pairs.push(pair),
                Err(failed) => {
                    self.hint_at_key(before);
                    return Err(failed);
                }
            }
            if self.take("}") {
                return Ok(Rc::new(Ast::Object(pairs)));
            }
            self.expect(",", "'}'")?;
            if self.take("}") {
                return Ok(Rc::new(Ast::Object(pairs)));
            }
        }
    }

    /// Adds a hint if a `:` follows an invalid key: the key may need parentheses.
    fn hint_at_key(&mut self, before: usize) {
        let start = self.tokens.get(before).map_or(0, |t| t.start);
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let next = rest.iter().find(|t| matches!(t.kind, Kind::Op(":" | ",")));
        if self.in_key && self.complaints.len() == 1 && next.is_some_and(|t| t.kind == Kind::Op(":")) {
            let message = "May need parentheses around object key expression";
            self.complaints.push((message.to_owned(), start));
        }
    }

    fn pair(&mut self) -> Parsed<(Node, Node)> {
        let start = self.start();
        let own = |key: Node| Rc::new(Ast::Index { term: Rc::new(Ast::Identity), key, optional: false });
        let (key, short) = match self.peek().clone() {
            Kind::Ident(name) => {
                self.advance();
                let key = literal(Val::from_string(name));
                (key.clone(), own(key))
            }
            Kind::Op(word) if KEYWORDS.contains(&word) => {
                self.advance();
                let key = literal(Val::str(word));
                (key.clone(), own(key))
            }
            Kind::Binding(name) => {
                self.advance();
                let variable: Node = Rc::new(Ast::Variable(name.clone(), start));
                if !self.is(":") {
                    return Ok((literal(Val::from_string(name)), variable));
                }
                (variable.clone(), variable)
            }
            Kind::Op("$__loc__") => {
                self.advance();
                return Ok((literal(Val::str("__loc__")), literal(self.location(start))));
            }
            Kind::StringStart | Kind::Format(_) => {
                let key = self.string()?;
                (key.clone(), own(key))
            }
            Kind::Op("(") => {
                self.advance();
                let key = self.pipe()?;
                self.expect(")", "")?;
                self.expect(":", "':'")?;
                let value = self.object_value()?;
                self.check_key(&key, start);
                return Ok((key, value));
            }
            _ => return self.unexpected(""),
        };
        if self.take(":") { Ok((key, self.object_value()?)) } else { Ok((key, short)) }
    }

    fn check_key(&mut self, key: &Ast, start: usize) {
        if let Some(value) = constant(key)
            && !matches!(value, Val::Str(_))
        {
            let excerpt = dump::excerpt(&value, 14);
            self.complaints.push((format!("Cannot use {} ({excerpt}) as object key", value.kind()), start));
        }
    }

    /// Parses a value that needs no parentheses: terms joined by pipes.
    fn object_value(&mut self) -> Parsed<Node> {
        self.in_key = false;
        self.nested(|p| {
            let first = if p.take("-") {
                let operand = p.object_value()?;
                return Ok(Rc::new(Ast::Negate(operand)));
            } else {
                match p.peek() {
                    Kind::Op("reduce" | "foreach" | "if") => p.tight()?,
                    _ => p.term()?,
                }
            };
            if p.take("|") { Ok(Rc::new(Ast::Pipe(first, p.object_value()?))) } else { Ok(first) }
        })
    }

    fn patterns(&mut self) -> Parsed<Vec<Pattern>> {
        let mut all = vec![self.pattern()?];
        while self.take("?//") {
            all.push(self.pattern()?);
        }
        Ok(all)
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.unexpected("");
        }
        let pattern = match self.peek().clone() {
            Kind::Binding(name) => {
                self.advance();
                Pattern::Variable(name)
            }
            Kind::Op("[") => {
                self.advance();
                let mut elements = vec![self.pattern()?];
                while !self.take("]") {
                    self.expect(",", "',' or ']'")?;
                    elements.push(self.pattern()?);
                }
                Pattern::Array(elements)
            }
            Kind::Op("{") => {
                self.advance();
                let mut entries = vec![self.object_pattern()?];
                while !self.take("}") {
                    self.expect(",", "',' or '}'")?;
                    entries.push(self.object_pattern()?);
                }
                Pattern::Object(entries)
            }
            _ => return self.unexpected(", expecting BINDING or '[' or '{'"),
        };
        self.depth -= 1;
        Ok(pattern)
    }

    fn object_pattern(&mut self) -> Parsed<(PatternKey, Option<Pattern>)> {
        let start = self.start();
        let key = match self.peek().clone() {
            Kind::Binding(name) => {
                self.advance();
                let nested = if self.take(":") { Some(self.pattern()?) } else { None };
                return Ok((PatternKey::Variable(name), nested));
            }
            Kind::Ident(name) => {
                self.advance();
                literal(Val::from_string(name))
            }
            Kind::Op(word) if KEYWORDS.contains(&word) => {
                self.advance();
                literal(Val::str(word))
            }
            Kind::StringStart | Kind::Format(_) => self.string()?,
            Kind::Op("(") => {
                self.advance();
                let key = self.pipe()?;
                self.expect(")", "")?;
                self.check_key(&key, start);
                key
            }
            _ => return self.unexpected(""),
        };
        self.expect(":", "':'")?;
        Ok((PatternKey::Expression(key), Some(self.pattern()?)))
    }

    fn location(&self, start: usize) -> Val {
        let line = self.text.get(..start).unwrap_or_default().iter().filter(|b| **b == b'\n').count() + 1;
        Val::object([("file", Val::str("<top-level>")), ("line", Val::Num(line as f64))])
    }

    fn checked(&mut self, constant: Result<Val, String>, start: usize) -> Val {
        constant.unwrap_or_else(|message| {
            self.complaints.push((message, start));
            Val::Null
        })
    }

    fn begins_expression(&self) -> bool {
        match self.peek() {
            Kind::Op(op) => matches!(
                *op,
                "." | ".."
                    | "-"
                    | "("
                    | "["
                    | "{"
                    | "def"
                    | "if"
                    | "try"
                    | "reduce"
                    | "foreach"
                    | "label"
                    | "break"
                    | "$__loc__"
                    | "$"
            ),
            Kind::Invalid | Kind::End | Kind::InterpolationEnd | Kind::StringEnd => false,
            _ => true,
        }
    }

    fn peek(&self) -> &Kind {
        self.tokens.get(self.at).map_or(&Kind::End, |t| &t.kind)
    }

    fn start(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |t| t.start)
    }

    fn is(&self, op: &str) -> bool {
        matches!(self.peek(), Kind::Op(o) if *o == op)
    }

    fn take(&mut self, op: &str) -> bool {
        let found = self.is(op);
        if found {
            self.advance();
        }
        found
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    /// Consumes `op`, or reports what was expected. As in jq, an empty `expecting` means that there are too many
    /// alternatives to list.
    fn expect(&mut self, op: &str, expecting: &str) -> Parsed<()> {
        if self.take(op) {
            return Ok(());
        }
        let list = if expecting.is_empty() { String::new() } else { format!(", expecting {expecting}") };
        self.unexpected(&list)
    }

    fn dot_misused<T>(&mut self, dot: usize) -> Parsed<T> {
        let name = self.peek().name();
        let message = format!("syntax error, unexpected {name} (Unix shell quoting issues?)");
        self.complaints.push((message, self.start()));
        let hint = "try .[\"field\"] instead of .field for unusually named fields";
        self.complaints.push((hint.to_owned(), dot));
        Err(Failed)
    }

    fn unexpected<T>(&mut self, expecting: &str) -> Parsed<T> {
        let name = self.peek().name();
        if let Some(start) = self.bare_dot() {
            return self.dot_misused(start);
        }
        let message = format!("syntax error, unexpected {name}{expecting} (Unix shell quoting issues?)");
        self.complaints.push((message, self.start()));
        Err(Failed)
    }
}

/// The precedence, the lowest precedence on the right, and whether the operator cannot be chained.
fn precedence(op: &str) -> Option<(u8, u8, bool)> {
    Some(match op {
        "," => (1, 2, false),
        "//" => (2, 2, false),
        "=" | "|=" | "+=" | "-=" | "*=" | "/=" | "%=" | "//=" => (3, 4, true),
        "or" => (4, 5, false),
        "and" => (5, 6, false),
        "==" | "!=" | "<" | "<=" | ">" | ">=" => (6, 7, true),
        "+" | "-" => (8, 9, false),
        "*" | "/" | "%" => (9, 10, false),
        _ => return None,
    })
}

fn combine(op: &str, left: Node, right: Node) -> Ast {
    use Operator as O;
    let update = |o| Updater::Arithmetic(o);
    match op {
        "//" => Ast::Alternative(left, right),
        "=" => Ast::Assign(left, right),
        "|=" => Ast::Update(left, right),
        "+=" => Ast::UpdateWith(update(O::Add), left, right),
        "-=" => Ast::UpdateWith(update(O::Subtract), left, right),
        "*=" => Ast::UpdateWith(update(O::Multiply), left, right),
        "/=" => Ast::UpdateWith(update(O::Divide), left, right),
        "%=" => Ast::UpdateWith(update(O::Modulo), left, right),
        "//=" => Ast::UpdateWith(Updater::Alternative, left, right),
        "or" => Ast::Or(left, right),
        "and" => Ast::And(left, right),
        "==" => Ast::Binary(O::Equal, left, right),
        "!=" => Ast::Binary(O::NotEqual, left, right),
        "<" => Ast::Binary(O::Less, left, right),
        "<=" => Ast::Binary(O::LessOrEqual, left, right),
        ">" => Ast::Binary(O::Greater, left, right),
        ">=" => Ast::Binary(O::GreaterOrEqual, left, right),
        "+" => Ast::Binary(O::Add, left, right),
        "-" => Ast::Binary(O::Subtract, left, right),
        "*" => Ast::Binary(O::Multiply, left, right),
        "/" => Ast::Binary(O::Divide, left, right),
        _ => Ast::Binary(O::Modulo, left, right),
    }
}

/// Joins operands of an associative operator without deep nesting.
fn balanced(mut parts: Vec<Node>, join: fn(Node, Node) -> Ast) -> Node {
    while parts.len() > 1 {
        let mut joined = Vec::with_capacity(parts.len().div_ceil(2));
        let mut rest = parts.into_iter();
        while let Some(a) = rest.next() {
            joined.push(match rest.next() {
                Some(b) => Rc::new(join(a, b)),
                None => a,
            });
        }
        parts = joined;
    }
    parts.pop().unwrap_or_else(|| Rc::new(Ast::Identity))
}

fn literal(value: Val) -> Node {
    Rc::new(Ast::Literal(value))
}

/// Makes a string node. Without interpolations, it is a constant.
fn whole(format: Option<String>, parts: Vec<Part>) -> Node {
    let mut text = Text::from("");
    for part in &parts {
        match part {
            Part::Text(t) => text.push(t.bytes()),
            Part::Interpolation(_) => return Rc::new(Ast::String(format, parts)),
        }
    }
    literal(Val::Str(text))
}

/// The value of an expression that consists of literals, arrays and objects only.
pub(crate) fn constant(node: &Ast) -> Option<Val> {
    match node {
        Ast::Literal(v) => Some(v.clone()),
        Ast::Array(None) => Some(Val::arr(Vec::new())),
        Ast::Array(Some(inner)) => {
            let mut elements = Vec::new();
            elements_of(inner, &mut elements)?;
            Some(Val::arr(elements))
        }
        Ast::Object(pairs) => {
            let mut object = Object::new();
            for (k, v) in pairs {
                let Val::Str(key) = constant(k)? else { return None };
                object.insert(key, constant(v)?);
            }
            Some(Val::obj(object))
        }
        _ => None,
    }
}

fn elements_of(node: &Ast, elements: &mut Vec<Val>) -> Option<()> {
    match node {
        Ast::Comma(a, b) => {
            elements_of(a, elements)?;
            elements_of(b, elements)
        }
        other => {
            elements.push(constant(other)?);
            Some(())
        }
    }
}
