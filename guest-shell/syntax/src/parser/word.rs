//! Words: quoting, expansions, tildes and braces.

use std::rc::Rc;

use super::input::Mark;
use super::token::{OPERATORS, Token};
use super::{Reader, Result, SyntaxError, SyntaxErrorKind, Unfinished};
use crate::ast::*;
use crate::braces::Braces;
use crate::name::{is_name_byte, is_name_start};

/// The context of a run of word parts. It determines what ends the run and which characters quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// A word of a command.
    Word,
    /// A word right of `==` and `!=` in `[[ ]]`, or a pattern of `case`: extended patterns are recognised.
    Pattern,
    /// A pattern in `[[ ]]`, where extended patterns are always enabled.
    CondPattern,
    /// A regular expression right of `=~`.
    Regex,
    /// The whole text is one word.
    Text,
    /// Inside double quotes.
    Double,
    /// A here-document's body.
    HereDoc,
    /// The whole text is arithmetic.
    Arith,
    /// Arithmetic up to a `)` that is not nested.
    ArithParen,
    /// Arithmetic of `for ((`: up to `)` or `;`.
    ArithFor,
    /// `$[ ]`: arithmetic up to `]`.
    ArithBracket,
    /// `name[...]`. `braced`: inside `${...}`, where `}` ends it too.
    Subscript { braced: bool },
    /// The word of `${x-word}`. `quoted`: in double quotes.
    Operand { quoted: bool },
    /// The pattern of `${x#pattern}`. With `slash`, it also ends at `/`.
    PatternOperand { slash: bool },
    /// The pattern of `${x//pattern/text}`. It ends at `/`, but may begin with one.
    SlashPattern,
    /// The offset of `${x:offset:length}`, up to `:` or `}`.
    Slice,
    /// The length of `${x:offset:length}`, up to `}`.
    SliceLength,
}

impl Context {
    /// Whether characters are quoted as in double quotes.
    fn is_quoted(self) -> bool {
        use Context::*;
        matches!(
            self,
            Double
                | HereDoc
                | Arith
                | ArithParen
                | ArithFor
                | ArithBracket
                | Slice
                | SliceLength
                | Operand { quoted: true }
        )
    }

    fn is_arith(self) -> bool {
        use Context::*;
        matches!(self, Arith | ArithParen | ArithFor | ArithBracket | Slice | SliceLength)
    }
}

/// Which forms of assignments are recognised in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assignments {
    /// None.
    No,
    /// `name=value`, in an argument.
    Plain,
    /// Also `name=(...)`, in an argument of `declare` and others.
    Arrays,
    /// `name[any text]=` and `name=(...)`, before the command's name.
    Prefix,
}

/// Collects the parts of a word.
#[derive(Default)]
pub(super) struct Parts {
    parts: Vec<WordPart>,
    literal: Vec<u8>,
    quoted: Vec<u8>,
}

impl Parts {
    pub(super) fn literal(&mut self, byte: u8) {
        self.flush_quoted();
        self.literal.push(byte);
    }

    fn quoted(&mut self, bytes: &[u8]) {
        self.flush_literal();
        self.quoted.extend_from_slice(bytes);
    }

    fn flush_literal(&mut self) {
        if !self.literal.is_empty() {
            self.parts.push(WordPart::Literal(Rc::from(self.literal.as_slice())));
            self.literal.clear();
        }
    }

    fn flush_quoted(&mut self) {
        if !self.quoted.is_empty() {
            self.parts.push(WordPart::Quoted(Rc::from(self.quoted.as_slice())));
            self.quoted.clear();
        }
    }

    pub(super) fn push(&mut self, part: WordPart) {
        self.flush_literal();
        self.flush_quoted();
        self.parts.push(part);
    }

    pub(super) fn finish(mut self) -> Vec<WordPart> {
        self.flush_literal();
        self.flush_quoted();
        self.parts
    }
}

impl Reader<'_> {
    /// Whether there is a byte at the position. Reads a line if necessary.
    pub(super) fn ensure(&mut self) -> bool {
        !self.p.input.needs_line() || self.read_line()
    }

    /// Reads one more line. Returns false at the end.
    fn read_line(&mut self) -> bool {
        if self.p.input.wants_host() {
            let unfinished = self.p.started.then(|| self.unfinished());
            let line = self.host.next_line(unfinished);
            self.p.input.push_line(line)
        } else if self.host.sees_text_lines()
            && let Some(line) = self.p.input.next_text_line().map(<[u8]>::to_vec)
        {
            let unfinished = self.p.started.then(|| self.unfinished());
            let other = self.host.text_line(&line, self.p.input.line(), unfinished);
            self.p.input.fill_from_text_with(other)
        } else {
            self.p.input.fill_from_text()
        }
    }

    fn unfinished(&self) -> Unfinished {
        match (self.p.in_body, self.p.quote) {
            (Some(first), _) => Unfinished::HereDocument { first },
            (None, 0) if self.p.array_depth > 0 => Unfinished::Array,
            (None, 0) => Unfinished::Between(self.p.recent.joint()),
            (None, quote) => Unfinished::Quoted(quote),
        }
    }

    /// The next byte after line continuations.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            if !self.ensure() {
                return None;
            }
            if self.p.input.at_continuation() {
                let start = self.p.input.pos();
                self.p.input.bump();
                self.p.input.bump();
                self.p.patches.push((start, start + 2, Bytes::from([])));
                continue;
            }
            return self.p.input.byte();
        }
    }

    /// The next byte, even if it begins a line continuation.
    pub(super) fn peek_raw(&mut self) -> Option<u8> {
        if self.ensure() { self.p.input.byte() } else { None }
    }

    pub(super) fn bump(&mut self) {
        self.p.input.bump();
    }

    /// Whether the position is in a here-document's body, but not in a command inside it.
    pub(super) fn in_here_document(&self) -> bool {
        self.p.lenient && self.p.substitution_depth == 0
    }

    /// The byte after the next one, after line continuations. The next one must have been peeked at.
    pub(super) fn peek_second(&mut self) -> Option<u8> {
        let mut offset = 1;
        while self.p.input.continuation_at(offset) {
            offset += 2;
            if self.p.input.byte_at(offset).is_none() && !self.read_line() {
                return None;
            }
        }
        self.p.input.byte_at(offset)
    }

    /// Parses a parser's whole exact text as a word.
    pub(super) fn whole_text(&mut self, context: Context) -> Result<Word> {
        let line = self.p.input.line();
        let parts = self.parts(context)?;
        let source = self.source(0, 0);
        Ok(finish_word(parts, source, line, context))
    }

    /// Parses a word of a command. The position is at its first byte.
    pub(super) fn word(&mut self, context: Context, assignments: Assignments) -> Result<Word> {
        let patches = self.p.patches.len();
        let start = self.p.input.pos();
        let line = self.p.input.line();
        let mut assignment = None;
        let parts = if assignments == Assignments::No {
            self.parts(context)?
        } else {
            match self.assignment(assignments, start, patches)? {
                Some((parts, found)) => {
                    assignment = found.map(Rc::new);
                    parts
                }
                None => self.parts(context)?,
            }
        };
        let source = self.source(start, patches);
        self.p.patches.truncate(patches);
        let mut word = finish_word(parts, source, line, context);
        word.assignment = assignment;
        if context == Context::Word && has_literal_brace(&word.parts) {
            word.braces = Braces::parse(&word.source, self.p.options, line, self.p.depth).map(Rc::new);
            if word.braces.is_some() {
                word.literal = None;
            }
        }
        Ok(word)
    }

    /// Parses the whole text as a word that brace expansion generated. It is never an assignment.
    pub(super) fn brace_word(&mut self) -> Result<Word> {
        let line = self.p.input.line();
        let parts = self.parts(Context::Word)?;
        let source = self.source(0, 0);
        Ok(finish_word(parts, source, line, Context::Word))
    }

    /// Tries to parse an assignment, or a word that begins like one: `name[any text]`. If there is neither, the
    /// position does not change.
    fn assignment(
        &mut self,
        mode: Assignments,
        start: usize,
        patches: usize,
    ) -> Result<Option<(Vec<WordPart>, Option<Assignment>)>> {
        if !self.peek().is_some_and(is_name_start) {
            return Ok(None);
        }
        let mark = self.p.input.mark();
        let mut name = Vec::new();
        while let Some(byte) = self.peek()
            && is_name_byte(byte)
        {
            name.push(byte);
            self.bump();
        }
        let mut subscript = None;
        let mut head = Parts::default();
        for &byte in &name {
            head.literal(byte);
        }
        if self.peek() == Some(b'[') {
            if mode != Assignments::Prefix && !self.looks_like_element() {
                self.back(mark, patches);
                return Ok(None);
            }
            let open = self.p.input.pos();
            let from = self.p.patches.len();
            subscript = Some(Box::new(self.subscript()?));
            let text = self.source(open, from);
            let special = |byte: &u8| matches!(byte, b'$' | b'`' | b'\\' | b'"' | b'\'');
            if mode != Assignments::Prefix && text.iter().any(special) {
                // In an argument, the subscript is expanded like the rest of the word.
                let line = self.p.input.line();
                let word = super::parse_word_text(&text, line, self.host).map_err(Box::new)?;
                for part in word.parts {
                    head.push(part);
                }
            } else {
                for &byte in text.iter() {
                    head.literal(byte);
                }
            }
        }
        let append = self.peek() == Some(b'+') && self.peek_second() == Some(b'=');
        if append {
            self.bump();
            head.literal(b'+');
        }
        if self.peek() != Some(b'=') {
            if mode == Assignments::Prefix && subscript.is_some() && !append {
                let parts = self.bracketed(start, patches)?;
                if let Some(parts) = parts {
                    return Ok(Some((parts, None)));
                }
            }
            self.back(mark, patches);
            return Ok(None);
        }
        self.bump();
        head.literal(b'=');
        let name = Name::new(&name);
        if self.peek() == Some(b'(') && matches!(mode, Assignments::Prefix | Assignments::Arrays) {
            let open = self.p.input.pos();
            let from = self.p.patches.len();
            let elements = self.array_elements()?;
            self.p.patches.truncate(from);
            self.p.patches.push((open, self.p.input.pos(), array_text(&elements)));
            let line = self.p.input.line();
            let followed = !self.parts(Context::Word)?.is_empty();
            let source = self.source(start, patches);
            if followed {
                // If text follows the parenthesis, the whole value is text.
                let text = self.source(open, from);
                let value = super::parse_word_text(&text, line, self.host).map_err(Box::new)?;
                let mut parts = head.finish();
                append_value(&mut parts, &value.parts);
                let value = AssignmentValue::Scalar(value);
                let assignment = Assignment { name, subscript, append, value, source };
                return Ok(Some((parts, Some(assignment))));
            }
            let value = AssignmentValue::Array(Rc::new(elements));
            head.push(WordPart::Literal(Rc::from(&b"("[..])));
            let assignment = Assignment { name, subscript, append, value, source };
            return Ok(Some((head.finish(), Some(assignment))));
        }
        let value_line = self.p.input.line();
        let value_start = self.p.input.pos();
        let value_patches = self.p.patches.len();
        let mut value = self.value_parts()?;
        let value_source = self.source(value_start, value_patches);
        let source = self.source(start, patches);
        let mut parts = head.finish();
        if mode != Assignments::Prefix {
            // In POSIX mode, only a real assignment has tilde prefixes after its `=`.
            let value = if mode == Assignments::Plain && self.p.options.posix {
                value.iter().cloned().map(without_tilde).collect()
            } else {
                value.clone()
            };
            append_value(&mut parts, &value);
        }
        // An argument is expanded as a whole, so messages show the whole word.
        name_bad(&mut value, if mode == Assignments::Prefix { &value_source } else { &source });
        let value = AssignmentValue::Scalar(named_word(value, value_source, value_line, Context::Word));
        Ok(Some((parts, Some(Assignment { name, subscript, append, value, source }))))
    }

    /// Parses the rest of a word after `[...]` from `start`, in which blanks and operators are literal. `None` if the
    /// brackets contain neither; the word is then parsed like others.
    fn bracketed(&mut self, start: usize, patches: usize) -> Result<Option<Vec<WordPart>>> {
        let line = self.p.input.line();
        let head = self.source(start, patches);
        let ends_word = |byte: &u8| b" \t\n;&|<>()".contains(byte);
        if !head.iter().any(ends_word) {
            return Ok(None);
        }
        let mut parts = super::parse_word_text(&head, line, self.host).map_err(Box::new)?.parts;
        parts.extend(self.parts(Context::Word)?);
        Ok(Some(parts))
    }

    /// Returns to `mark`.
    fn back(&mut self, mark: Mark, patches: usize) {
        self.p.input.reset(mark);
        self.p.patches.truncate(patches);
    }

    /// Whether `[...]=` or `[...]+=`, without unquoted blanks and operators, follows on this line.
    fn looks_like_element(&self) -> bool {
        let mut offset = 0;
        let mut depth = 0usize;
        let mut quote = 0;
        while let Some(byte) = self.p.input.byte_at(offset) {
            match byte {
                b'\\' if quote != b'\'' => offset += 1,
                b'\'' | b'"' if quote == 0 => quote = byte,
                _ if quote != 0 && byte != quote => {}
                _ if quote != 0 => quote = 0,
                b'[' => depth += 1,
                b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return match self.p.input.byte_at(offset + 1) {
                            Some(b'=') => true,
                            Some(b'+') => self.p.input.byte_at(offset + 2) == Some(b'='),
                            _ => false,
                        };
                    }
                }
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' | b'`' => {
                    // Blanks inside `$(...)` are not examined here: such a word is not an assignment.
                    if byte == b'(' && self.p.input.byte_at(offset.wrapping_sub(1)) == Some(b'$') {
                        return true;
                    }
                    return false;
                }
                _ => {}
            }
            offset += 1;
        }
        false
    }

    /// Parses the value of an assignment. Tilde prefixes are recognised at its start and after colons.
    pub(super) fn value_parts(&mut self) -> Result<Vec<WordPart>> {
        let outer = std::mem::replace(&mut self.p.in_value, true);
        let parts = self.parts_with(Context::Word, true);
        self.p.in_value = outer;
        parts
    }

    /// Parses `(a b [i]=c ...)`. The position is at the parenthesis.
    fn array_elements(&mut self) -> Result<Vec<ArrayElement>> {
        self.enter()?;
        let line = self.p.input.line();
        self.bump();
        self.p.array_depth += 1;
        let mut elements = Vec::new();
        let outer = std::mem::take(&mut self.p.token);
        loop {
            self.skip_blanks();
            match self.peek() {
                None => {
                    return self.unmatched(line, b')');
                }
                Some(b'\n') => self.newline(),
                Some(b')') => break,
                Some(b'[') => {
                    let element = self.keyed_element();
                    elements.push(element.map_err(|error| self.in_array(error))?);
                }
                Some(byte @ (b'<' | b'>')) if self.peek_second() != Some(b'(') => {
                    return self.unexpected_text(&self.operator_text(byte));
                }
                Some(byte @ (b'&' | b'|' | b';' | b'(')) => {
                    return self.unexpected_text(&self.operator_text(byte));
                }
                Some(byte) => {
                    if let Some(Token::Fd(RedirectFd::Number(_), digits)) = self.descriptor(byte) {
                        return self.unexpected_text(&digits);
                    }
                    let word = self.word(Context::Word, Assignments::No);
                    elements.push(ArrayElement::Word(word.map_err(|error| self.in_array(error))?));
                }
            }
        }
        self.bump();
        self.p.array_depth = self.p.array_depth.saturating_sub(1);
        self.p.token = outer;
        self.leave();
        Ok(elements)
    }

    /// Completes the error of an unterminated array element. bash reports the element and also the end of the file.
    fn in_array(&self, mut error: Box<SyntaxError>) -> Box<SyntaxError> {
        if error.incomplete {
            error.lines.push((self.p.input.line(), b"syntax error: unexpected end of file".to_vec()));
            error.kind = SyntaxErrorKind::Array;
        }
        error
    }

    /// The text of the operator at the position, which begins with `first`.
    pub(super) fn operator_text(&self, first: u8) -> Vec<u8> {
        let at = self.p.input.pos();
        let known = |length: &usize| {
            let text = self.p.input.slice(at, at + length);
            OPERATORS.iter().any(|(operator, _)| *operator == text)
        };
        let length = (1..=3).rev().find(known);
        length.map_or_else(|| vec![first], |length| self.p.input.slice(at, at + length).to_vec())
    }

    /// Parses `[subscript]=value`, or a plain word that begins with `[`.
    fn keyed_element(&mut self) -> Result<ArrayElement> {
        let mark = self.p.input.mark();
        let patches = self.p.patches.len();
        let start = self.p.input.pos();
        let line = self.p.input.line();
        let subscript = self.subscript()?;
        let append = self.peek() == Some(b'+') && self.peek_second() == Some(b'=');
        if append {
            self.bump();
        }
        if self.peek() == Some(b'=') {
            self.bump();
            let head = self.source(start, patches);
            let value_start = self.p.input.pos();
            let value_patches = self.p.patches.len();
            let value = self.value_parts()?;
            let value_source = self.source(value_start, value_patches);
            let source = self.source(start, patches);
            self.p.patches.truncate(patches);
            let mut parts = vec![WordPart::Literal(head)];
            parts.extend(value.iter().cloned());
            let word = finish_word(parts, source, line, Context::Word);
            let value = finish_word(value, value_source, line, Context::Word);
            return Ok(ArrayElement::Keyed { subscript, append, value, word });
        }
        if !append && let Some(parts) = self.bracketed(start, patches)? {
            let source = self.source(start, patches);
            self.p.patches.truncate(patches);
            return Ok(ArrayElement::Word(finish_word(parts, source, line, Context::Word)));
        }
        self.back(mark, patches);
        Ok(ArrayElement::Word(self.word(Context::Word, Assignments::No)?))
    }

    /// Parses `[...]`. The position is at the bracket.
    pub(super) fn subscript(&mut self) -> Result<Subscript> {
        let line = self.p.input.line();
        match self.subscript_in(Context::Subscript { braced: false })? {
            Some(subscript) => Ok(subscript),
            None => self.unmatched(line, b']'),
        }
    }

    /// As [`subscript`](Self::subscript), inside `${...}`. `None` if it is not closed there.
    pub(super) fn braced_subscript(&mut self) -> Result<Option<Subscript>> {
        self.subscript_in(Context::Subscript { braced: true })
    }

    fn subscript_in(&mut self, context: Context) -> Result<Option<Subscript>> {
        self.enter()?;
        let line = self.p.input.line();
        self.bump();
        let patches = self.p.patches.len();
        let start = self.p.input.pos();
        let parts = self.parts(context)?;
        if self.peek() != Some(b']') {
            self.leave();
            return Ok(None);
        }
        let source = self.source(start, patches);
        self.bump();
        self.leave();
        Ok(Some(match &source[..] {
            b"@" => Subscript::At,
            b"*" => Subscript::Star,
            _ => {
                let word = finish_word(parts, source, line, context);
                Subscript::Index(super::expansion::make_arith(word))
            }
        }))
    }

    pub(super) fn parts(&mut self, context: Context) -> Result<Vec<WordPart>> {
        let tildes = matches!(context, Context::Word | Context::Operand { quoted: false });
        self.parts_with(context, tildes && self.p.in_value)
    }

    /// Parses parts up to what ends the context, which is not consumed.
    fn parts_with(&mut self, context: Context, assignment: bool) -> Result<Vec<WordPart>> {
        use Context::*;
        let mut out = Parts::default();
        let extglob = match context {
            CondPattern => true,
            Word | Pattern | Text | PatternOperand { .. } | SlashPattern => self.p.options.extglob,
            _ => false,
        };
        let hides_braces = context == (Operand { quoted: true }) && !self.p.options.posix && !self.p.lenient;
        let mut nesting = Nesting { depth: 0, line: self.p.input.line(), ternary: 0, single_quote: None };
        let mut tilde = !std::mem::take(&mut self.p.after_anchor)
            && !context.is_quoted()
            && !matches!(context, Subscript { .. } | Text);
        let mut at_start = true;
        while let Some(byte) = self.peek() {
            let first = std::mem::take(&mut at_start);
            let at_tilde = std::mem::take(&mut tilde);
            match self.quote_or_expansion(byte, context, &nesting, at_tilde, &mut out)? {
                ByteRole::Part => continue,
                ByteRole::End => break,
                ByteRole::Other => {}
            }
            if extglob && matches!(byte, b'?' | b'*' | b'+' | b'@' | b'!') && self.peek_second() == Some(b'(')
            {
                if nesting.depth == 0 {
                    nesting.line = self.p.input.line();
                }
                self.bump();
                out.literal(byte);
                // Skips line continuations up to the parenthesis itself.
                if self.peek() == Some(b'(') {
                    self.bump();
                    out.literal(b'(');
                    nesting.depth += 1;
                }
                continue;
            }
            match nesting.see(byte, context, first) {
                ByteRole::End => break,
                ByteRole::Part => {
                    self.bump();
                    out.literal(byte);
                }
                // It nevertheless hides braces up to the next single quote.
                ByteRole::Other if byte == b'\'' && hides_braces => {
                    nesting.single_quote = match nesting.single_quote {
                        None => Some(self.p.input.line()),
                        Some(_) => None,
                    };
                    self.bump();
                    out.literal(byte);
                }
                ByteRole::Other => {
                    self.bump();
                    out.literal(byte);
                    tilde = assignment && byte == b':';
                    if !matches!(byte, b':' | b'=') {
                        self.plain_run(&mut out);
                    }
                }
            }
        }
        if nesting.depth > 0 && matches!(context, Word | Pattern | CondPattern) {
            return self.unmatched(nesting.line, b')');
        }
        if let Some(line) = nesting.single_quote {
            return self.unmatched(line, b'\'');
        }
        if nesting.depth > 0 && context == Regex {
            return self.unmatched(nesting.line, b')');
        }
        Ok(out.finish())
    }

    /// Takes a quote, an expansion or a tilde prefix.
    fn quote_or_expansion(
        &mut self,
        byte: u8,
        context: Context,
        nesting: &Nesting,
        at_tilde: bool,
        out: &mut Parts,
    ) -> Result<ByteRole> {
        use Context::*;
        match byte {
            b'\\' => self.backslash(context, out),
            b'$' if nesting.single_quote.is_some() && self.peek_second() == Some(b'\'') => {
                self.bump();
                out.literal(byte);
            }
            b'$' => self.dollar(context, out)?,
            b'`' => {
                let part = self.in_quotes(b'`', |reader| reader.backquotes(context))?;
                out.push(part);
            }
            // After an open single quote, bash does not see this one when it looks for the word's end. In the expansion
            // it is removed.
            b'"' if nesting.single_quote.is_some() => self.bump(),
            b'"' => match context {
                Double => return Ok(ByteRole::End),
                HereDoc => {
                    self.bump();
                    out.literal(byte);
                }
                // Arithmetic ignores these quotes, but they quote in its text.
                _ if context.is_arith() => self.bump(),
                _ => {
                    let inner = context == Operand { quoted: true };
                    let outer = std::mem::replace(&mut self.p.inner_quotes, inner);
                    let part = self.in_quotes(b'"', Self::double_quotes);
                    self.p.inner_quotes = outer;
                    out.push(part?);
                }
            },
            b'\'' if !context.is_quoted() => self.in_quotes(b'\'', |reader| reader.single_quotes(out))?,
            b'~' if at_tilde => self.tilde(context, out),
            b'<' | b'>'
                if matches!(
                    context,
                    Word | Pattern
                        | CondPattern
                        | Operand { quoted: false }
                        | PatternOperand { .. }
                        | SlashPattern
                ) && nesting.depth == 0
                    && self.peek_second() == Some(b'(') =>
            {
                let part = self.process(byte == b'>')?;
                out.push(part);
            }
            _ => return Ok(ByteRole::Other),
        }
        Ok(ByteRole::Part)
    }

    /// Takes bytes that have no special meaning in any context.
    fn plain_run(&mut self, out: &mut Parts) {
        while let Some(byte) = self.p.input.byte() {
            if !(byte.is_ascii_alphanumeric()
                || byte >= 0x80
                || matches!(byte, b'_' | b'-' | b'.' | b',' | b'%'))
            {
                break;
            }
            self.p.input.advance(1);
            out.literal(byte);
        }
    }

    fn backslash(&mut self, context: Context, out: &mut Parts) {
        self.bump();
        if self.p.input.at_added_newline() {
            out.literal(b'\\');
            return;
        }
        let Some(next) = self.peek_raw() else {
            out.literal(b'\\');
            return;
        };
        if !context.is_quoted() {
            self.bump();
            out.quoted(&[next]);
            return;
        }
        let special = match next {
            b'$' | b'`' | b'\\' => true,
            b'"' => context != Context::HereDoc,
            b'}' if matches!(context, Context::Operand { .. }) => true,
            _ => context == Context::Double && self.p.inner_quotes && next != b'\n',
        };
        if special {
            self.bump();
            out.literal(next);
        } else {
            out.literal(b'\\');
            if next == b'\'' {
                // This quote is literal.
                self.bump();
                out.literal(next);
            }
        }
    }

    fn single_quotes(&mut self, out: &mut Parts) -> Result<()> {
        let line = self.p.input.line();
        self.bump();
        let mut text = Vec::new();
        loop {
            match self.peek_raw() {
                None => return self.unmatched(line, b'\''),
                Some(b'\'') => break,
                Some(byte) => text.push(byte),
            }
            self.bump();
        }
        self.bump();
        out.push(WordPart::Quoted(text.into()));
        Ok(())
    }

    fn double_quotes(&mut self) -> Result<WordPart> {
        self.enter()?;
        let line = self.p.input.line();
        self.bump();
        let patches = self.p.patches.len();
        let start = self.p.input.pos();
        let mut parts = self.parts(Context::Double)?;
        if self.peek() != Some(b'"') {
            return self.unmatched(line, b'"');
        }
        if parts.iter().any(is_bad) {
            let source = self.source(start, patches);
            name_bad(&mut parts, &source);
        }
        self.bump();
        self.leave();
        Ok(WordPart::DoubleQuoted(parts))
    }

    /// Parses `~` and the text after it, if it is a tilde prefix.
    fn tilde(&mut self, context: Context, out: &mut Parts) {
        self.bump();
        let mark = self.p.input.mark();
        let patches = self.p.patches.len();
        let mut user = Vec::new();
        let is_prefix = loop {
            match self.peek() {
                None => break true,
                Some(b'/' | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => {
                    break true;
                }
                Some(b'}')
                    if matches!(
                        context,
                        Context::Operand { .. } | Context::PatternOperand { .. } | Context::SlashPattern
                    ) =>
                {
                    break true;
                }
                // This applies even outside of assignments.
                Some(b':') => break true,
                // These characters cannot be part of a user name.
                Some(b'$' | b'`' | b'"' | b'\'' | b'\\' | b'{' | b'*' | b'?' | b'[') => break false,
                Some(byte) => {
                    user.push(byte);
                    self.bump();
                }
            }
        };
        if is_prefix {
            out.push(WordPart::Tilde(user.into()));
        } else {
            self.p.input.reset(mark);
            self.p.patches.truncate(patches);
            out.literal(b'~');
        }
    }

    fn dollar(&mut self, context: Context, out: &mut Parts) -> Result<()> {
        let quoted = context.is_quoted();
        match self.peek_second() {
            Some(b'\'')
                if !quoted || (context == Context::Operand { quoted: true } && !self.in_here_document()) =>
            {
                let start = self.p.input.pos();
                self.bump();
                self.peek();
                let line = self.p.input.line();
                self.bump();
                let mut text = Vec::new();
                loop {
                    match self.peek_raw() {
                        None => return self.unmatched(line, b'\''),
                        Some(b'\'') => break,
                        Some(b'\\') => {
                            text.push(b'\\');
                            self.bump();
                            match self.peek_raw() {
                                Some(next) => text.push(next),
                                None => continue,
                            }
                        }
                        Some(byte) => text.push(byte),
                    }
                    self.bump();
                }
                self.bump();
                let text = super::expansion::decode_ansi_c(&text);
                self.p.patches.push((start, self.p.input.pos(), crate::print::single_quoted(&text).into()));
                out.push(WordPart::Quoted(text.into()));
            }
            Some(b'"') if !quoted => {
                let start = self.p.input.pos();
                self.bump();
                self.p.patches.push((start, self.p.input.pos(), Bytes::from([])));
                self.peek();
                let (line, start) = (self.p.input.line(), self.p.input.pos());
                let part = self.in_quotes(b'"', Self::double_quotes)?;
                if let Some(list) = self.p.translatable.as_mut() {
                    let text = self.p.input.slice(start + 1, self.p.input.pos().saturating_sub(1));
                    list.push((line, text.into()));
                }
                out.push(part);
            }
            Some(b'(' | b'{' | b'[') => {
                let part = self.expansion(context)?;
                out.push(part);
            }
            Some(byte)
                if is_name_byte(byte) || matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') =>
            {
                let part = self.simple_parameter();
                out.push(part);
            }
            _ => {
                self.bump();
                out.literal(b'$');
            }
        }
        Ok(())
    }
}

/// What the next byte is.
enum ByteRole {
    /// Belongs to a part, as it is or after it was taken.
    Part,
    /// Ends the parts.
    End,
    /// Nothing special.
    Other,
}

/// How deep the position is in what the context nests.
struct Nesting {
    /// Parentheses (arithmetic, extended patterns, regular expressions) or brackets (subscripts).
    depth: u32,
    /// The line of the outermost of them.
    line: u32,
    /// Question marks whose colons are still to come.
    ternary: u32,
    /// The line of an open single quote that is an ordinary character, in double quotes.
    single_quote: Option<u32>,
}

impl Nesting {
    /// Counts a bracket or separator. A part is a literal byte here.
    fn see(&mut self, byte: u8, context: Context, first: bool) -> ByteRole {
        use Context::*;
        match byte {
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
                if matches!(context, Word | Pattern | CondPattern) =>
            {
                match byte {
                    _ if self.depth == 0 => return ByteRole::End,
                    b'(' => self.depth += 1,
                    b')' => self.depth -= 1,
                    _ => {}
                }
            }
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'<' | b'>' if context == Regex && self.depth == 0 => {
                return ByteRole::End;
            }
            b'(' | b')' if matches!(context, Regex | Arith | ArithParen | ArithFor | Slice | SliceLength) => {
                if byte == b'(' {
                    self.depth += 1;
                } else if self.depth == 0 && matches!(context, Regex | ArithParen | ArithFor) {
                    return ByteRole::End;
                } else {
                    self.depth = self.depth.saturating_sub(1);
                }
            }
            b';' if context == ArithFor && self.depth == 0 => return ByteRole::End,
            b'[' if matches!(context, Subscript { .. } | ArithBracket) => self.depth += 1,
            b']' if matches!(context, Subscript { .. } | ArithBracket) => {
                if self.depth == 0 {
                    return ByteRole::End;
                }
                self.depth -= 1;
            }
            b'}' if self.single_quote.is_none()
                && matches!(
                    context,
                    Operand { .. }
                        | PatternOperand { .. }
                        | SlashPattern
                        | Slice
                        | SliceLength
                        | Subscript { braced: true }
                ) =>
            {
                return ByteRole::End;
            }
            b'/' if context == (PatternOperand { slash: true }) || (context == SlashPattern && !first) => {
                return ByteRole::End;
            }
            b'?' if context == Slice => self.ternary += 1,
            b':' if context == Slice => {
                if self.ternary == 0 && self.depth == 0 {
                    return ByteRole::End;
                }
                self.ternary = self.ternary.saturating_sub(1);
            }
            _ => return ByteRole::Other,
        }
        ByteRole::Part
    }
}

/// Appends an assignment's value to the parts of its word. `a=b` with a plain value becomes one literal.
fn append_value(parts: &mut Vec<WordPart>, value: &[WordPart]) {
    match (parts.last_mut(), value.split_first()) {
        (Some(WordPart::Literal(before)), Some((WordPart::Literal(after), rest))) => {
            *before = [&before[..], &after[..]].concat().into();
            parts.extend_from_slice(rest);
        }
        _ => parts.extend_from_slice(value),
    }
}

/// The text of an array's elements, separated by single blanks.
fn array_text(elements: &[ArrayElement]) -> Bytes {
    let mut text = vec![b'('];
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            text.push(b' ');
        }
        let (ArrayElement::Word(word) | ArrayElement::Keyed { word, .. }) = element;
        text.extend_from_slice(&word.source);
    }
    text.push(b')');
    text.into()
}

/// Whether a literal part contains an unquoted `{`.
fn has_literal_brace(parts: &[WordPart]) -> bool {
    parts.iter().any(|part| matches!(part, WordPart::Literal(text) if text.contains(&b'{')))
}

/// Makes a word, and computes in advance everything that is known about it.
pub(super) fn finish_word(mut parts: Vec<WordPart>, source: Bytes, line: u32, context: Context) -> Word {
    name_bad(&mut parts, &source);
    named_word(parts, source, line, context)
}

/// As [`finish_word`], for parts whose bad substitutions already have the text for messages.
fn named_word(parts: Vec<WordPart>, source: Bytes, line: u32, context: Context) -> Word {
    let mut flags = WordFlags::default();
    let quoted = context.is_quoted();
    for part in &parts {
        match part {
            WordPart::Literal(text) => {
                flags.globs |= !quoted
                    && (text.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
                        || text.windows(2).any(|pair| matches!(pair, [b'+' | b'@' | b'!', b'('])));
            }
            WordPart::Quoted(_) => flags.quoted = true,
            WordPart::DoubleQuoted(inner) => {
                flags.quoted = true;
                flags.expands |= inner.iter().any(is_expansion);
            }
            WordPart::Tilde(_) => flags.tilde = true,
            _ => {
                flags.expands = true;
                flags.splits |= !quoted;
            }
        }
    }
    let mut word = Word { parts, flags, literal: None, source, braces: None, assignment: None, line };
    if !flags.expands && !flags.tilde && !flags.globs && (quoted || !word.parts.is_empty()) {
        word.literal = Some(constant_text(&word.parts));
    }
    word
}

fn is_bad(part: &WordPart) -> bool {
    matches!(part, WordPart::Param(p) if matches!(p.op, ParamOp::Bad | ParamOp::Transform(0) | ParamOp::Unclosed(b'}')))
}

/// Sets the text that messages about a bad substitution show: the whole word, or everything in the same double quotes.
fn name_bad(parts: &mut [WordPart], source: &Bytes) {
    for part in parts {
        if !is_bad(part) {
            continue;
        }
        if let WordPart::Param(p) = part {
            p.source = source.clone();
        }
    }
}

fn is_expansion(part: &WordPart) -> bool {
    !matches!(part, WordPart::Literal(_) | WordPart::Quoted(_))
        && !matches!(part, WordPart::DoubleQuoted(inner) if !inner.iter().any(is_expansion))
}

/// The text of parts that contain no expansions.
fn constant_text(parts: &[WordPart]) -> Bytes {
    if let [WordPart::Literal(text) | WordPart::Quoted(text)] = parts {
        return text.clone();
    }
    let mut text = Vec::new();
    append_constant(parts, &mut text);
    text.into()
}

fn append_constant(parts: &[WordPart], text: &mut Vec<u8>) {
    for part in parts {
        match part {
            WordPart::Literal(bytes) | WordPart::Quoted(bytes) => text.extend_from_slice(bytes),
            WordPart::DoubleQuoted(inner) => append_constant(inner, text),
            _ => {}
        }
    }
}

fn without_tilde(part: WordPart) -> WordPart {
    match part {
        WordPart::Tilde(user) => WordPart::Literal([b"~", &user[..]].concat().into()),
        other => other,
    }
}
