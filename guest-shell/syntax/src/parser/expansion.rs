//! Expansions that begin with `$`, backquotes, and process substitutions.

use std::rc::Rc;

use super::word::{Context, finish_word};
use super::{Parser, Reader, Result, SyntaxErrorKind};
use crate::arith;
use crate::ast::*;
use crate::name::{is_name_byte, is_name_start};

const MARKER: u8 = 0;

impl Reader<'_> {
    /// Parses `$name`, `$1`, `$@` and other simple parameters. The position is at the dollar.
    pub(super) fn simple_parameter(&mut self) -> WordPart {
        let patches = self.p.patches.len();
        let start = self.p.input.pos();
        self.bump();
        let param = match self.peek() {
            Some(byte) if is_name_start(byte) => {
                let mut name = Vec::new();
                while let Some(byte) = self.peek()
                    && is_name_byte(byte)
                {
                    name.push(byte);
                    self.bump();
                }
                Param::Variable(Name::new(&name))
            }
            Some(byte) => {
                self.bump();
                match byte {
                    b'1'..=b'9' => Param::Positional(u32::from(byte - b'0')),
                    _ => Param::Special(byte),
                }
            }
            None => Param::Special(b'$'),
        };
        let source = self.source(start, patches);
        WordPart::Param(Box::new(ParamExpansion { param, indirect: false, op: ParamOp::Value, source }))
    }

    /// Parses `$(`, `${` or `$[`. The position is at the dollar.
    pub(super) fn expansion(&mut self, context: Context) -> Result<WordPart> {
        self.enter()?;
        let part = match self.peek_second() {
            Some(b'{') => self.braced(context)?,
            Some(b'[') => self.bracket_arith()?,
            _ => {
                let mark = self.p.input.mark();
                match self.arith_expansion()? {
                    Some(part) => part,
                    None => {
                        self.p.input.reset(mark);
                        self.bump();
                        self.peek();
                        let substitution = if self.peek_second() == Some(b'(') && !self.p.lenient {
                            self.doubled_substitution(mark.pos)?
                        } else {
                            self.command_substitution(mark.pos)?
                        };
                        WordPart::Command(Rc::new(substitution))
                    }
                }
            }
        };
        self.leave();
        Ok(part)
    }

    /// Parses `$((...))`, if it is arithmetic.
    fn arith_expansion(&mut self) -> Result<Option<WordPart>> {
        let at = self.p.input.pos();
        self.bump();
        self.peek();
        self.bump();
        if self.peek() != Some(b'(') || self.p.not_arithmetic.contains(&at) {
            return Ok(None);
        }
        let mark = self.p.input.mark();
        self.bump();
        let line = self.p.input.line();
        // Lines in it are kept apart, as in a substitution.
        let quote = self.p.quote;
        if quote == 0 {
            self.p.quote = b'(';
        }
        let arith = self.arith_to_close(at, line);
        self.p.quote = quote;
        let Some(arith) = arith? else {
            return self.quoted_arith(mark, line);
        };
        let quotes = arith.source.iter().any(|b| matches!(b, b'\'' | b'"'));
        if quotes && !self.p.lenient && !arith.source.iter().any(|b| matches!(b, b'$' | b'`')) {
            let end = self.p.input.pos();
            let quoted = self.quoted_arith(mark, line)?;
            if self.p.input.pos() != end {
                return Ok(quoted);
            }
        }
        Ok(Some(WordPart::Arith(Box::new(arith))))
    }

    /// Parses arithmetic that contains quotes. They are respected in matching the parentheses, but not later.
    fn quoted_arith(&mut self, mark: super::input::Mark, line: u32) -> Result<Option<WordPart>> {
        if self.p.lenient {
            return Ok(None);
        }
        self.p.input.reset(mark);
        let text = self.matched_parentheses()?;
        if !text.iter().any(|b| matches!(b, b'\'' | b'"')) || self.peek_raw() != Some(b')') {
            return Ok(None);
        }
        self.bump();
        let source: Bytes = text.into();
        let word = finish_word(vec![WordPart::Literal(source.clone())], source, line, Context::ArithParen);
        Ok(Some(WordPart::Arith(Box::new(make_arith(word)))))
    }

    /// Parses arithmetic up to `))`. The position is after the opening parentheses, whose place is `at`. `None` if they
    /// turn out not to begin arithmetic; the position is then undefined.
    pub(super) fn arith_to_close(&mut self, at: usize, line: u32) -> Result<Option<Arith>> {
        let patches = self.p.patches.len();
        let start = self.p.input.pos();
        let parts = self.parts(Context::ArithParen)?;
        if self.peek() != Some(b')') {
            return self.unmatched(line, b')');
        }
        let source = self.source(start, patches);
        self.bump();
        if self.peek() != Some(b')') {
            self.p.not_arithmetic.insert(at);
            self.p.patches.truncate(patches);
            return Ok(None);
        }
        self.bump();
        Ok(Some(make_arith(finish_word(parts, source, line, Context::ArithParen))))
    }

    fn bracket_arith(&mut self) -> Result<WordPart> {
        let line = self.p.input.line();
        self.bump();
        self.peek();
        self.bump();
        let patches = self.p.patches.len();
        let start = self.p.input.pos();
        let parts = self.parts(Context::ArithBracket)?;
        if self.peek() != Some(b']') {
            return self.unmatched(line, b']');
        }
        let source = self.source(start, patches);
        self.bump();
        Ok(WordPart::Arith(Box::new(make_arith(finish_word(parts, source, line, Context::ArithBracket)))))
    }

    /// Parses `$(...)`. The position is at the parenthesis; `start` is the position of the dollar.
    fn command_substitution(&mut self, start: usize) -> Result<CommandSub> {
        let line = self.p.input.line();
        let patches = self.p.patches.len();
        match self.in_quotes(b'(', Self::parenthesised) {
            Ok(body) => {
                self.p.patches.truncate(patches);
                let text: Bytes = crate::print::substitution(&body).into();
                let body = self.with_lines_of_text(body, &text, line);
                let read_file = lone_input_redirect(&body);
                let shown = [b"$(".as_slice(), &text, b")"].concat();
                self.p.patches.push((start, self.p.input.pos(), shown.into()));
                Ok(CommandSub { body: Some(body), read_file, text, backquoted: false, line })
            }
            Err(mut error) => {
                if self.p.lenient {
                    // In a here-document, this is an error only when the text is expanded.
                    error.kind = SyntaxErrorKind::Substitution;
                }
                Err(error)
            }
        }
    }

    /// Parses `$((...)` that is not arithmetic. bash first looks only for its end, and reports errors in the commands
    /// when the substitution runs.
    fn doubled_substitution(&mut self, start: usize) -> Result<CommandSub> {
        let mark = self.p.input.mark();
        let line = mark.line;
        let text = self.matched_parentheses()?;
        let unread = self.p.input.unread();
        self.p.input.reset(mark);
        let patches = self.p.patches.len();
        match self.command_substitution(start) {
            Ok(substitution) if self.p.input.unread() == unread => Ok(substitution),
            _ => {
                self.p.input.reset(mark);
                self.p.patches.truncate(patches);
                let text = self.matched_parentheses().unwrap_or(text);
                Ok(CommandSub { body: None, read_file: None, text: text.into(), backquoted: false, line })
            }
        }
    }

    /// Parses the `( list )` of a substitution. The position is at the parenthesis.
    fn parenthesised(&mut self) -> Result<Rc<List>> {
        self.bump();
        let outer_token = self.p.token.take();
        let outer_documents = std::mem::take(&mut self.p.due_documents);
        let outer_array = std::mem::take(&mut self.p.array_depth);
        let outer_value = std::mem::take(&mut self.p.in_value);
        self.p.substitution_depth += 1;
        let depth = self.p.depth;
        let result = self.substitution_list();
        self.p.depth = depth;
        self.p.substitution_depth = self.p.substitution_depth.saturating_sub(1);
        self.p.array_depth = outer_array;
        self.p.in_value = outer_value;
        let unread = std::mem::replace(&mut self.p.due_documents, outer_documents);
        if !unread.is_empty() && result.is_ok() && self.p.substitution_depth == 0 {
            self.warn_of_unread(unread.len());
        }
        self.p.due_documents.extend(unread);
        self.p.token = outer_token;
        result
    }

    // Warns of here-documents that the substitution began but did not read. Their bodies follow it.
    fn warn_of_unread(&mut self, count: usize) {
        let plural = if count == 1 { "" } else { "s" };
        let text = format!("command substitution: {count} unterminated here-document{plural}");
        self.host.warning(self.p.input.line(), text.as_bytes());
    }

    /// Numbers the commands of a substitution with several lines as bash does: by the lines of the normalised text.
    /// Nested substitutions are part of that text and need nothing more.
    fn with_lines_of_text(&mut self, body: Rc<List>, text: &Bytes, line: u32) -> Rc<List> {
        if self.p.input.line() == line || self.p.normalised || self.p.substitution_depth > 0 {
            return body;
        }
        let mut parser = Parser::new(super::input::Input::text(text.clone(), line), self.p.depth);
        parser.normalised = true;
        // Aliases have been expanded already.
        let mut host = super::PlainHost(self.p.options);
        parse_all(&mut parser, &mut host).unwrap_or(body)
    }

    /// Parses backquotes. The position is at the first one.
    pub(super) fn backquotes(&mut self, context: Context) -> Result<WordPart> {
        self.enter()?;
        let (start, patches) = (self.p.input.pos(), self.p.patches.len());
        let line = self.p.input.line();
        self.bump();
        let in_quotes = context == Context::Double
            || (context == Context::Operand { quoted: true } && !self.in_here_document());
        let mut text = Vec::new();
        loop {
            match self.peek_raw() {
                None if self.p.lenient => {
                    return Ok(wrong(ParamOp::Unclosed(b'`'), self.source(start, patches)));
                }
                None => return self.unmatched(line, b'`'),
                Some(b'`') => {
                    self.bump();
                    break;
                }
                Some(b'\\') if self.p.input.at_continuation() => {
                    let _ = self.peek();
                    continue;
                }
                Some(b'\\') => {
                    self.bump();
                    match self.peek_raw() {
                        Some(next @ (b'`' | b'$' | b'\\')) => text.push(next),
                        Some(b'"') if in_quotes => text.push(b'"'),
                        Some(next) => text.extend_from_slice(&[b'\\', next]),
                        None => {
                            text.push(b'\\');
                            continue;
                        }
                    }
                }
                Some(byte) => text.push(byte),
            }
            self.bump();
        }
        let mut parser = Parser::new(super::input::Input::text(text.as_slice().into(), line), self.p.depth);
        let body = parse_all(&mut parser, self.host);
        self.leave();
        let read_file = body.as_ref().and_then(|list| lone_input_redirect(list));
        Ok(WordPart::Command(Rc::new(CommandSub {
            body,
            read_file,
            text: text.into(),
            backquoted: true,
            line,
        })))
    }

    /// Parses `<(...)` or `>(...)`. The position is at the first byte.
    pub(super) fn process(&mut self, write: bool) -> Result<WordPart> {
        self.enter()?;
        let start = self.p.input.pos();
        let line = self.p.input.line();
        self.bump();
        self.peek();
        let patches = self.p.patches.len();
        let body = self.in_quotes(b'(', Self::parenthesised)?;
        self.p.patches.truncate(patches);
        self.leave();
        let text: Bytes = crate::print::substitution(&body).into();
        let body = self.with_lines_of_text(body, &text, line);
        let open: &[u8] = if write { b">(" } else { b"<(" };
        self.p.patches.push((start, self.p.input.pos(), [open, &text, b")"].concat().into()));
        let read_file = lone_input_redirect(&body);
        Ok(WordPart::Process(Rc::new(ProcessSub { write, body, read_file, text, line })))
    }

    /// Parses `${...}`. The position is at the dollar.
    fn braced(&mut self, context: Context) -> Result<WordPart> {
        let patches = self.p.patches.len();
        let start = self.p.input.pos();
        let line = self.p.input.line();
        self.bump();
        self.peek();
        self.bump();
        let quoted = matches!(
            context,
            Context::Double
                | Context::HereDoc
                | Context::Operand { quoted: true }
                | Context::Arith
                | Context::ArithParen
                | Context::ArithFor
                | Context::ArithBracket
                | Context::Slice
                | Context::SliceLength
        );
        let found = self.parameter_and_operator(quoted)?;
        // There is an operator, and bash looks for the end after it.
        let operates = matches!(&found, Some((_, _, op)) if !matches!(op, ParamOp::Value));
        let (param, indirect, op) = match found {
            Some(found) if self.peek() == Some(b'}') => found,
            _ => {
                // Even a bad substitution ends at the matching brace.
                loop {
                    self.parts(Context::Operand { quoted })?;
                    match self.peek() {
                        Some(b'}') | None => break,
                        Some(_) => self.bump(),
                    }
                }
                (Param::Special(b'@'), false, ParamOp::Bad)
            }
        };
        if self.peek() == Some(b'}') {
            self.bump();
        } else if !self.p.lenient {
            return self.unmatched(line, b'}');
        } else {
            let source = self.source(start, patches);
            let op = if operates && self.p.unclosed_told { ParamOp::Unclosed(b'}') } else { ParamOp::Bad };
            return Ok(wrong(op, source));
        }
        let source = self.source(start, patches);
        Ok(WordPart::Param(Box::new(ParamExpansion { param, indirect, op, source })))
    }

    /// Parses the inside of `${...}`. `None` for a bad substitution; the position is then somewhere before the closing
    /// brace.
    fn parameter_and_operator(&mut self, quoted: bool) -> Result<Option<(Param, bool, ParamOp)>> {
        let first = self.peek();
        match first {
            Some(b'#') => {
                let second = self.peek_second();
                match second {
                    Some(b'}') => {
                        self.bump();
                        return Ok(Some((Param::Special(b'#'), false, ParamOp::Value)));
                    }
                    // `${#@Q}` transforms `$#`.
                    Some(b'@') if self.peek_third() != Some(b'}') => {}
                    Some(b'%' | b'/' | b'+' | b'=') if self.peek_third() == Some(b'}') => return Ok(None),
                    Some(byte) if is_name_byte(byte) || matches!(byte, b'@' | b'*') => {
                        self.bump();
                        let param = self.parameter(false)?;
                        return Ok(param
                            .filter(|_| self.peek() == Some(b'}'))
                            .map(|param| (param, false, ParamOp::Length)));
                    }
                    Some(byte @ (b'#' | b'?' | b'-' | b'$' | b'!')) => {
                        let mark = self.p.input.mark();
                        self.bump();
                        self.peek();
                        self.bump();
                        if self.peek() == Some(b'}') {
                            return Ok(Some((Param::Special(byte), false, ParamOp::Length)));
                        }
                        self.p.input.reset(mark);
                    }
                    _ => {}
                }
                self.bump();
                let op = self.operator_of_special(quoted)?;
                Ok(op.map(|op| (Param::Special(b'#'), false, op)))
            }
            Some(b'!') => {
                self.bump();
                match self.peek() {
                    Some(byte) if is_name_byte(byte) => self.indirect(quoted),
                    Some(b'@' | b'*') => self.indirect(quoted),
                    // In POSIX mode, these are operators on `$!`.
                    Some(b'#' | b'?') if !self.p.options.posix => self.indirect(quoted),
                    _ => {
                        let op = self.operator(quoted)?;
                        Ok(op.map(|op| (Param::Special(b'!'), false, op)))
                    }
                }
            }
            // This is not `$$`: the dollar begins an expansion of its own, with its own end.
            Some(b'$') if matches!(self.peek_second(), Some(b'{' | b'(' | b'[' | b'\'' | b'"')) => Ok(None),
            _ => {
                let Some(param) = self.parameter(true)? else { return Ok(None) };
                let op = match param {
                    Param::Special(b'?' | b'-') => self.operator_of_special(quoted)?,
                    _ => self.operator(quoted)?,
                };
                Ok(op.map(|op| (param, false, op)))
            }
        }
    }

    /// In these parameters, bash takes the operators that change case for a part of the name.
    fn operator_of_special(&mut self, quoted: bool) -> Result<Option<ParamOp>> {
        if matches!(self.peek(), Some(b'^' | b',' | b'~')) {
            return Ok(None);
        }
        self.operator(quoted)
    }

    /// The byte after the next two. These must not be a line continuation.
    fn peek_third(&mut self) -> Option<u8> {
        let mark = self.p.input.mark();
        self.bump();
        self.peek();
        let byte = self.peek_second();
        self.p.input.reset(mark);
        byte
    }

    /// Parses the text after `${!`.
    fn indirect(&mut self, quoted: bool) -> Result<Option<(Param, bool, ParamOp)>> {
        let start = self.p.input.pos();
        let patches = self.p.patches.len();
        let Some(param) = self.parameter(true)? else { return Ok(None) };
        if let (Param::Variable(_), Some(byte @ (b'*' | b'@')), Some(b'}')) =
            (&param, self.peek(), self.peek_second())
        {
            let prefix = self.source(start, patches);
            self.bump();
            return Ok(Some((param, false, ParamOp::NamesWithPrefix { prefix, star: byte == b'*' })));
        }
        if let (Param::Element(_, subscript), Some(b'}')) = (&param, self.peek())
            && matches!(**subscript, Subscript::At | Subscript::Star)
        {
            return Ok(Some((param, false, ParamOp::Keys)));
        }
        let op = match param {
            Param::Special(_) => self.operator_of_special(quoted)?,
            _ => self.operator(quoted)?,
        };
        Ok(op.map(|op| (param, true, op)))
    }

    /// Parses the name of a parameter, with its subscript.
    fn parameter(&mut self, special: bool) -> Result<Option<Param>> {
        let Some(byte) = self.peek() else { return Ok(None) };
        if byte.is_ascii_digit() {
            let mut number = 0u32;
            while let Some(digit) = self.peek()
                && digit.is_ascii_digit()
            {
                number = number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
                self.bump();
            }
            return Ok(Some(if number == 0 { Param::Special(b'0') } else { Param::Positional(number) }));
        }
        if is_name_start(byte) {
            let mut name = Vec::new();
            while let Some(byte) = self.peek()
                && is_name_byte(byte)
            {
                name.push(byte);
                self.bump();
            }
            let name = Name::new(&name);
            if self.peek() == Some(b'[') {
                let Some(subscript) = self.braced_subscript()? else { return Ok(None) };
                if matches!(&subscript, Subscript::Index(arith) if arith.source.is_empty()) {
                    return Ok(None);
                }
                return Ok(Some(Param::Element(name, Box::new(subscript))));
            }
            return Ok(Some(Param::Variable(name)));
        }
        if matches!(byte, b'@' | b'*') || (special && matches!(byte, b'?' | b'-' | b'$' | b'!' | b'#')) {
            self.bump();
            return Ok(Some(Param::Special(byte)));
        }
        Ok(None)
    }

    /// Parses the operator after a parameter. `None` if bash does not know it.
    fn operator(&mut self, quoted: bool) -> Result<Option<ParamOp>> {
        let Some(byte) = self.peek() else { return Ok(None) };
        if byte == b'}' {
            return Ok(Some(ParamOp::Value));
        }
        if !matches!(byte, b':' | b'-' | b'=' | b'?' | b'+' | b'#' | b'%' | b'/' | b'^' | b',' | b'~' | b'@')
        {
            return Ok(None);
        }
        self.bump();
        Ok(Some(match byte {
            b':' => match self.peek() {
                Some(byte @ (b'-' | b'=' | b'?' | b'+')) => {
                    self.bump();
                    self.test(byte, true, quoted)?
                }
                Some(b'}') | None => return Ok(None),
                _ => {
                    let offset = self.slice_text(Context::Slice)?;
                    let length = if self.peek() == Some(b':') {
                        self.bump();
                        Some(self.slice_text(Context::SliceLength)?)
                    } else {
                        None
                    };
                    ParamOp::Slice { offset, length }
                }
            },
            b'-' | b'=' | b'?' | b'+' => self.test(byte, false, quoted)?,
            b'#' | b'%' => {
                let longest = self.peek() == Some(byte);
                if longest {
                    self.bump();
                }
                let pattern = PatternWord::new(self.operand(Context::PatternOperand { slash: false })?);
                if byte == b'#' {
                    ParamOp::RemovePrefix { longest, pattern }
                } else {
                    ParamOp::RemoveSuffix { longest, pattern }
                }
            }
            b'/' => {
                let mode = match self.peek() {
                    Some(b'/') => ReplaceMode::All,
                    Some(b'#') => ReplaceMode::Prefix,
                    Some(b'%') => ReplaceMode::Suffix,
                    _ => ReplaceMode::First,
                };
                if mode != ReplaceMode::First {
                    self.bump();
                    self.p.after_anchor = mode != ReplaceMode::All;
                }
                let context = match mode {
                    ReplaceMode::All => Context::SlashPattern,
                    _ => Context::PatternOperand { slash: true },
                };
                let pattern = PatternWord::new(self.operand(context)?);
                self.p.after_anchor = false;
                let replacement = if self.peek() == Some(b'/') {
                    self.bump();
                    self.operand(Context::PatternOperand { slash: false })?
                } else {
                    Word::default()
                };
                ParamOp::Replace { mode, pattern, replacement }
            }
            b'^' | b',' | b'~' => {
                let mode = match byte {
                    b'^' => CaseMode::Upper,
                    b',' => CaseMode::Lower,
                    _ => CaseMode::Toggle,
                };
                let all = self.peek() == Some(byte);
                if all {
                    self.bump();
                }
                let pattern = if self.peek() == Some(b'}') {
                    None
                } else {
                    Some(PatternWord::new(self.operand(Context::PatternOperand { slash: false })?))
                };
                ParamOp::Case { mode, all, pattern }
            }
            b'@' => match self.peek() {
                Some(letter @ (b'Q' | b'E' | b'P' | b'A' | b'K' | b'a' | b'u' | b'U' | b'L' | b'k'))
                    if self.peek_second() == Some(b'}') =>
                {
                    self.bump();
                    ParamOp::Transform(letter)
                }
                _ => {
                    // An invalid transformation is an error only if the parameter is set.
                    self.operand(Context::Operand { quoted })?;
                    ParamOp::Transform(0)
                }
            },
            _ => return Ok(None),
        }))
    }

    fn test(&mut self, operator: u8, colon: bool, quoted: bool) -> Result<ParamOp> {
        let test = match operator {
            b'-' => ParamTest::Default,
            b'=' => ParamTest::Assign,
            b'?' => ParamTest::Error,
            _ => ParamTest::Alternate,
        };
        Ok(ParamOp::Test { test, colon, word: self.operand(Context::Operand { quoted })? })
    }

    fn operand(&mut self, context: Context) -> Result<Word> {
        let patches = self.p.patches.len();
        let start = self.p.input.pos();
        let line = self.p.input.line();
        let parts = self.parts(context)?;
        let source = self.source(start, patches);
        Ok(finish_word(parts, source, line, context))
    }

    fn slice_text(&mut self, context: Context) -> Result<Arith> {
        Ok(make_arith(self.operand(context)?))
    }
}

/// Makes a part whose expansion is an error.
pub(super) fn wrong(op: ParamOp, source: Bytes) -> WordPart {
    WordPart::Param(Box::new(ParamExpansion { param: Param::Special(b'@'), indirect: false, op, source }))
}

/// Parses all commands as one list. `None` on an error.
fn parse_all(parser: &mut Parser, host: &mut dyn super::Host) -> Option<Rc<List>> {
    let mut list = List::default();
    loop {
        match parser.next_command(host) {
            Ok(Some(next)) => list.items.extend(next.items),
            Ok(None) => return Some(Rc::new(list)),
            Err(_) => return None,
        }
    }
}

/// The word of `< word`, if the list contains nothing else.
fn lone_input_redirect(list: &List) -> Option<Word> {
    let [item] = list.items.as_slice() else { return None };
    if item.background || !item.and_or.rest.is_empty() || item.and_or.first.negated {
        return None;
    }
    if item.and_or.first.time.is_some() {
        return None;
    }
    let [command] = item.and_or.first.commands.as_slice() else { return None };
    let CommandKind::Simple(simple) = &command.kind else { return None };
    match command.redirects.as_slice() {
        [
            Redirect {
                fd: RedirectFd::Default(0) | RedirectFd::Number(0),
                kind: RedirectKind::Read(word),
                ..
            },
        ] if simple.words.is_empty() && simple.assignments.is_empty() => Some(word.clone()),
        _ => None,
    }
}

/// Makes arithmetic from a word that was parsed in an arithmetic context.
pub(super) fn make_arith(word: Word) -> Arith {
    let plan = plan(&word);
    Arith { source: word.source.clone(), word: Rc::new(word), plan }
}

/// Parses arithmetic in advance, if its expansions stand only in place of operands.
fn plan(word: &Word) -> ArithPlan {
    let mut text = Vec::new();
    let mut parts = Vec::new();
    let mut pieces = Vec::new();
    let mut piece = 0;
    for part in &word.parts {
        match part {
            WordPart::Literal(bytes) if !bytes.contains(&MARKER) => text.extend_from_slice(bytes),
            WordPart::Param(_) | WordPart::Command(_) | WordPart::Arith(_) => {
                if text.last().is_some_and(|&byte| joins(byte)) || text.last() == Some(&MARKER) {
                    return ArithPlan::Text;
                }
                pieces.push(Bytes::from(text.get(piece..).unwrap_or_default()));
                text.push(MARKER);
                piece = text.len();
                parts.push(part.clone());
            }
            _ => return ArithPlan::Text,
        }
    }
    if parts.is_empty() {
        // With quotes and backslashes, the text differs from the source that messages show.
        if text != word.source[..] {
            return ArithPlan::Text;
        }
        return match arith::parse(&text) {
            Ok(expr) => ArithPlan::Tree(Rc::new(expr)),
            Err(_) => ArithPlan::Text,
        };
    }
    pieces.push(Bytes::from(text.get(piece..).unwrap_or_default()));
    let after = text.iter().zip(text.iter().skip(1));
    if after.into_iter().any(|(&byte, &next)| byte == MARKER && (joins(next) || next == b'[')) {
        return ArithPlan::Text;
    }
    match arith::parse(&text) {
        Ok(expr) => ArithPlan::Slots { parts: parts.into(), expr: Rc::new(expr), pieces: pieces.into() },
        Err(_) => ArithPlan::Text,
    }
}

/// Whether a byte would form one token with an adjacent digit.
fn joins(byte: u8) -> bool {
    is_name_byte(byte) || matches!(byte, b'#' | b'@' | b'.') || byte >= 0x80
}

/// Decodes the inside of `$'...'`. A NUL ends the text, as in bash.
pub(super) fn decode_ansi_c(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&escape) = text.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        let value: u32 = match escape {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => u32::from(escape),
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                for _ in 0..2 {
                    match text.get(at) {
                        Some(&digit @ b'0'..=b'7') => value = value * 8 + u32::from(digit - b'0'),
                        _ => break,
                    }
                    at += 1;
                }
                value & 0xff
            }
            b'x' => {
                let braced = text.get(at) == Some(&b'{');
                let start = at + usize::from(braced);
                let digits = if braced { usize::MAX } else { 2 };
                let (value, count) = hex(text, start, digits);
                if count == 0 && !braced {
                    out.extend_from_slice(b"\\x");
                    continue;
                }
                at = start + count;
                if braced && text.get(at) == Some(&b'}') {
                    at += 1;
                }
                value & 0xff
            }
            b'u' | b'U' => {
                let (value, count) = hex(text, at, if escape == b'u' { 4 } else { 8 });
                if count == 0 {
                    out.extend_from_slice(&[b'\\', escape]);
                    continue;
                }
                at += count;
                if value == 0 {
                    break;
                }
                push_code_point(value, &mut out);
                continue;
            }
            b'c' => {
                let Some(&letter) = text.get(at) else {
                    out.extend_from_slice(b"\\c");
                    break;
                };
                at += 1;
                // `\c\\` is one control character.
                if letter == b'\\' && text.get(at) == Some(&b'\\') {
                    at += 1;
                }
                if letter == b'?' { 0x7f } else { u32::from(letter.to_ascii_uppercase() & 0x1f) }
            }
            _ => {
                out.extend_from_slice(&[b'\\', escape]);
                continue;
            }
        };
        if value == 0 {
            break;
        }
        out.push(value as u8);
    }
    out
}

fn hex(text: &[u8], start: usize, limit: usize) -> (u32, usize) {
    let mut value = 0u32;
    let mut count = 0;
    while count < limit
        && let Some(digit) = text.get(start + count).and_then(|&byte| char::from(byte).to_digit(16))
    {
        value = value.wrapping_mul(16).wrapping_add(digit);
        count += 1;
    }
    (value, count)
}

/// Appends a code point as UTF-8. As in bash, values beyond Unicode take up to six bytes.
fn push_code_point(value: u32, out: &mut Vec<u8>) {
    if value < 0x80 {
        out.push(value as u8);
        return;
    }
    let extra: u32 = match value {
        0..0x800 => 1,
        0x800..0x1_0000 => 2,
        0x1_0000..0x20_0000 => 3,
        0x20_0000..0x400_0000 => 4,
        0x400_0000..0x8000_0000 => 5,
        _ => return,
    };
    let lead = (0xffu32 << (7 - extra)) & 0xff;
    out.push((lead | (value >> (6 * extra))) as u8);
    for index in (0..extra).rev() {
        out.push((0x80 | ((value >> (6 * index)) & 0x3f)) as u8);
    }
}
