//! Lists, pipelines and commands.

use std::rc::Rc;

use super::token::{Mode, OPERATORS, Op, Token};
use super::word::{Assignments, Context};
use super::{AliasText, Reader, Result, SyntaxError, SyntaxErrorKind};
use crate::ast::*;
use crate::name::{is_name, is_name_byte};

/// How many here-documents one line may begin.
const MAX_HERE_DOCUMENTS: usize = 16;

const RESERVED: &[&[u8]] = &[
    b"if",
    b"then",
    b"else",
    b"elif",
    b"fi",
    b"case",
    b"esac",
    b"for",
    b"select",
    b"while",
    b"until",
    b"do",
    b"done",
    b"function",
    b"time",
    b"coproc",
    b"{",
    b"}",
    b"!",
    b"[[",
    b"]]",
    b"in",
];

/// The reserved word that a token stands for, if any.
fn reserved(token: &Token) -> Option<&'static [u8]> {
    let Token::Word(word) = token else { return None };
    if word.source.len() > 8 || word.literal.as_ref() != Some(&word.source) && &word.source[..] != b"[[" {
        return None;
    }
    RESERVED.iter().find(|reserved| **reserved == &word.source[..]).copied()
}

impl Reader<'_> {
    /// Skips blanks and a comment.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.bump(),
                Some(b'#') if !self.p.options.no_comments => {
                    while let Some(byte) = self.peek_raw()
                        && byte != b'\n'
                    {
                        self.bump();
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    /// Looks at the next token without consuming it. `mode` applies if the token has not been read yet.
    pub(super) fn token(&mut self, mode: Mode) -> Result<&Token> {
        if self.p.token.is_none() {
            let token = self.lex(mode)?;
            if self.p.input.wants_host() || self.host.sees_text_lines() {
                self.p.recent.read(&token, mode);
            }
            self.p.token = Some(token);
        }
        Ok(self.p.token.get_or_insert(Token::End))
    }

    /// Consumes the current token. After a newline, the bodies of here-documents are read.
    pub(super) fn accept(&mut self) -> Token {
        let token = self.p.token.take().unwrap_or(Token::End);
        self.p.recent.accepted();
        if matches!(token, Token::Newline) && !std::mem::take(&mut self.p.newline_passed) {
            self.newline();
        }
        token
    }

    fn lex(&mut self, mode: Mode) -> Result<Token> {
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else { return Ok(Token::End) };
            if byte == b'\n' {
                return Ok(Token::Newline);
            }
            self.p.started = true;
            if matches!(byte, b'<' | b'>') && self.peek_second() == Some(b'(') {
                return self.lex_word(mode).map(|word| Token::Word(Box::new(word)));
            }
            if matches!(byte, b'&' | b'|' | b';' | b'<' | b'>' | b'(' | b')') {
                self.end_aliases();
                self.p.alias_anywhere &= !matches!(byte, b'<' | b'>');
                return Ok(Token::Op(self.operator_token()));
            }
            if let Some(token) = self.descriptor(byte) {
                return Ok(token);
            }
            let mark = self.p.input.mark();
            self.end_aliases();
            let word = self.lex_word(mode)?;
            let eligible = mode == Mode::Command || self.p.alias_anywhere && mode != Mode::Pattern;
            if eligible && self.begin_alias(&word, mark, mode) {
                continue;
            }
            // After a quoted word, the following word can still be an alias.
            self.p.alias_anywhere &= word.source.iter().any(|byte| matches!(byte, b'\\' | b'\'' | b'"'));
            return Ok(Token::Word(Box::new(word)));
        }
    }

    fn lex_word(&mut self, mode: Mode) -> Result<Word> {
        match mode {
            Mode::Command => self.word(Context::Word, Assignments::Prefix),
            Mode::Argument => self.word(Context::Word, Assignments::Plain),
            Mode::Declaration => self.word(Context::Word, Assignments::Arrays),
            Mode::Pattern => self.word(Context::Pattern, Assignments::No),
            Mode::Plain => self.word(Context::Word, Assignments::No),
        }
    }

    fn operator_token(&mut self) -> Op {
        let mut text = [0u8; 3];
        let mut length = 0;
        let mut found = Op::Sequence;
        while length < 3 {
            let next = if length == 0 { self.p.input.byte() } else { self.peek() };
            let Some(byte) = next else { break };
            text[length] = byte;
            let Some((_, op)) = OPERATORS.iter().find(|(known, _)| *known == &text[..=length]) else { break };
            found = *op;
            length += 1;
            self.bump();
        }
        found
    }

    /// Digits or `{name}` directly before `<` or `>`.
    pub(super) fn descriptor(&mut self, first: u8) -> Option<Token> {
        let mut end = 0;
        if first.is_ascii_digit() {
            while self.p.input.byte_at(end).is_some_and(|byte| byte.is_ascii_digit()) {
                end += 1;
            }
        } else if first == b'{' {
            end = 1;
            while self.p.input.byte_at(end).is_some_and(is_name_byte) {
                end += 1;
            }
            if self.p.input.byte_at(end) == Some(b'[') {
                while self.p.input.byte_at(end).is_some_and(|byte| !matches!(byte, b']' | b'\n' | b' ')) {
                    end += 1;
                }
                end += 1;
            }
            if self.p.input.byte_at(end) != Some(b'}') {
                return None;
            }
            end += 1;
        } else {
            return None;
        }
        if !matches!(self.p.input.byte_at(end), Some(b'<' | b'>'))
            || self.p.input.byte_at(end + 1) == Some(b'(')
        {
            return None;
        }
        let pos = self.p.input.pos();
        let text: Bytes = self.p.input.slice(pos, pos + end).into();
        let fd = if first == b'{' {
            let name = text.get(1..end - 1).unwrap_or_default();
            if !is_name(name.split(|byte| *byte == b'[').next().unwrap_or_default()) {
                return None;
            }
            RedirectFd::Variable(Name::new(name))
        } else {
            RedirectFd::Number(std::str::from_utf8(&text).ok()?.parse().ok()?)
        };
        self.p.input.advance(end);
        Some(Token::Fd(fd, text))
    }

    /// Leaves the texts of aliases that have been read completely. The last one determines whether the next word can be
    /// an alias.
    fn end_aliases(&mut self) {
        let pos = self.p.input.pos();
        while let Some(alias) = self.p.aliases.pop_if(|alias| alias.end <= pos) {
            self.p.alias_anywhere = alias.ends_in_blank;
        }
    }

    /// Replaces the word that began at `mark` by the value of its alias.
    fn begin_alias(&mut self, word: &Word, mark: super::input::Mark, mode: Mode) -> bool {
        if word.literal.as_ref() != Some(&word.source) || word.source.is_empty() {
            return false;
        }
        // In POSIX mode, a reserved word cannot be an alias.
        if self.p.options.posix && mode == Mode::Command && RESERVED.contains(&&word.source[..]) {
            return false;
        }
        let pos = self.p.input.pos();
        if self.p.aliases.iter().any(|alias| alias.name == word.source) || self.p.aliases.len() > 100 {
            return false;
        }
        let Some(value) = self.host.alias(&word.source) else { return false };
        // The text after the alias must not become part of the value's last word.
        let text = if ends_in_word(&value) { [&value, b" ".as_slice()].concat() } else { value.to_vec() };
        self.p.input.replace(mark, &text);
        let removed = pos - mark.pos;
        for alias in &mut self.p.aliases {
            alias.end = alias.end + text.len() - removed;
        }
        self.p.aliases.push(AliasText {
            name: word.source.clone(),
            end: mark.pos + text.len(),
            ends_in_blank: value.last().is_some_and(|byte| matches!(byte, b' ' | b'\t')),
        });
        true
    }

    // Errors

    /// Makes the error that bash reports for an unexpected token.
    pub(super) fn unexpected<T>(&mut self) -> Result<T> {
        let text: Vec<u8> = match self.token(Mode::Plain)? {
            Token::Word(word) => word.source.to_vec(),
            Token::Op(op) => op.text().to_vec(),
            Token::Fd(_, text) => text.to_vec(),
            Token::Newline => b"newline".to_vec(),
            Token::End => return self.unexpected_end(),
        };
        self.unexpected_text(&text)
    }

    pub(super) fn unexpected_text<T>(&self, token: &[u8]) -> Result<T> {
        let line = self.p.input.line();
        let first = [b"syntax error near unexpected token `".as_slice(), token, b"'"].concat();
        let second = [b"`".as_slice(), self.p.input.current_line(), b"'"].concat();
        Err(Box::new(SyntaxError {
            lines: vec![(line, first), (line, second)],
            incomplete: false,
            kind: self.kind(),
        }))
    }

    /// Makes the error for `((...)` at the end of a line.
    fn unclosed_arith<T>(&self) -> Result<T> {
        let line = self.p.input.line();
        let text = self.p.input.current_line();
        let delimiter = |byte: &u8| matches!(byte, b' ' | b'\t' | b';' | b'|' | b'&');
        let token = match text.iter().rposition(delimiter) {
            Some(at) if matches!(text.get(at), Some(b' ' | b'\t')) => text.get(at + 1..),
            Some(at) => text.get(at..),
            None => Some(text),
        };
        let first = [b"syntax error near `".as_slice(), token.unwrap_or_default(), b"'"].concat();
        let second = [b"`".as_slice(), text, b"'"].concat();
        Err(Box::new(SyntaxError {
            lines: vec![(line, first), (line, second)],
            incomplete: false,
            kind: self.kind(),
        }))
    }

    fn unexpected_end<T>(&self) -> Result<T> {
        if self.p.substitution_depth > 0 {
            return self.unmatched(self.p.input.line(), b')');
        }
        Err(Box::new(SyntaxError {
            lines: vec![(self.p.input.line(), b"syntax error: unexpected end of file".to_vec())],
            incomplete: true,
            kind: SyntaxErrorKind::Syntax,
        }))
    }

    // Lists

    /// Parses what bash reads at once: a list up to the end of a line.
    pub(super) fn unit(&mut self) -> Result<Option<List>> {
        self.p.started = false;
        self.p.alias_anywhere = false;
        loop {
            if self.p.token.is_none() && self.p.aliases.is_empty() {
                self.p.input.discard_consumed();
            }
            self.end_aliases();
            match self.token(Mode::Command)? {
                Token::End => return Ok(None),
                Token::Newline => {
                    self.accept();
                    self.p.aliases.clear();
                }
                _ => break,
            }
        }
        let list = self.list(false)?;
        match self.token(Mode::Plain)? {
            Token::Newline => {
                self.p.started = false;
                self.p.aliases.clear();
                // The next line is read only on demand, because the commands before it may change how it is read.
                self.accept();
            }
            Token::End => self.read_here_documents(),
            _ => return self.unexpected(),
        }
        Ok(Some(list))
    }

    /// Parses the list of `$(...)` and consumes the closing parenthesis.
    pub(super) fn substitution_list(&mut self) -> Result<Rc<List>> {
        self.skip_newlines(Mode::Command)?;
        let list = if matches!(self.token(Mode::Command)?, Token::Op(Op::Close)) {
            List::default()
        } else {
            self.list(true)?
        };
        match self.token(Mode::Plain)? {
            Token::Op(Op::Close) => {
                self.accept();
                Ok(Rc::new(list))
            }
            Token::End => self.unmatched(self.p.input.line(), b')'),
            _ => self.unexpected(),
        }
    }

    fn skip_newlines(&mut self, mode: Mode) -> Result<()> {
        while matches!(self.token(mode)?, Token::Newline) {
            self.accept();
        }
        Ok(())
    }

    /// Parses newlines and then a list, which must not be empty.
    fn compound_list(&mut self) -> Result<Rc<List>> {
        self.skip_newlines(Mode::Command)?;
        Ok(Rc::new(self.list(true)?))
    }

    fn list(&mut self, across_lines: bool) -> Result<List> {
        let mut items = Vec::new();
        loop {
            let and_or = Rc::new(self.and_or()?);
            let (mut background, mut newline) = (false, false);
            let more = match self.token(Mode::Command)? {
                Token::Op(Op::Sequence) => {
                    self.accept();
                    true
                }
                Token::Op(Op::Background) => {
                    self.accept();
                    background = true;
                    true
                }
                Token::Newline => {
                    newline = true;
                    across_lines
                }
                _ => false,
            };
            items.push(ListItem { and_or, background, newline });
            if !more {
                break;
            }
            if across_lines {
                self.skip_newlines(Mode::Command)?;
            }
            if self.at_list_end()? {
                break;
            }
        }
        Ok(List { items })
    }

    fn at_list_end(&mut self) -> Result<bool> {
        let token = self.token(Mode::Command)?;
        Ok(match token {
            Token::End | Token::Newline => true,
            Token::Op(op) => matches!(op, Op::Close | Op::CaseBreak | Op::CaseFallThrough | Op::CaseTestNext),
            _ => matches!(
                reserved(token),
                Some(b"then" | b"else" | b"elif" | b"fi" | b"do" | b"done" | b"esac" | b"}")
            ),
        })
    }

    fn and_or(&mut self) -> Result<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let op = match self.token(Mode::Command)? {
                Token::Op(Op::AndThen) => AndOrOp::And,
                Token::Op(Op::OrElse) => AndOrOp::Or,
                _ => break,
            };
            self.accept();
            self.skip_newlines(Mode::Command)?;
            rest.push((op, self.pipeline()?));
        }
        Ok(AndOr { first, rest })
    }

    fn pipeline(&mut self) -> Result<Pipeline> {
        let mut negated = false;
        let mut time = None;
        let mut prefixed = false;
        loop {
            let token = self.token(Mode::Command)?;
            match reserved(token) {
                Some(b"!") => {
                    self.accept();
                    negated = !negated;
                }
                Some(b"time") => {
                    self.accept();
                    time = Some(TimeFormat::Bash);
                    for option in [b"-p".as_slice(), b"--"] {
                        if matches!(self.token(Mode::Command)?, Token::Word(word) if &word.source[..] == option)
                        {
                            self.accept();
                            time = Some(TimeFormat::Posix);
                        }
                    }
                }
                _ => break,
            }
            prefixed = true;
        }
        if prefixed
            && matches!(self.token(Mode::Command)?, Token::Newline | Token::Op(Op::Sequence) | Token::End)
        {
            let line = self.p.input.line();
            let empty =
                Command { kind: CommandKind::Simple(SimpleCommand::default()), redirects: vec![], line };
            return Ok(Pipeline { negated, time, commands: vec![Rc::new(empty)] });
        }
        let mut commands = Vec::new();
        loop {
            let mut command = self.command()?;
            let op = match self.token(Mode::Command)? {
                Token::Op(op @ (Op::Pipe | Op::PipeBoth)) => *op,
                _ => {
                    commands.push(Rc::new(command));
                    break;
                }
            };
            self.accept();
            if op == Op::PipeBoth {
                command.redirects.push(Redirect {
                    fd: RedirectFd::Number(2),
                    kind: RedirectKind::Duplicate { input: false, from: 1 },
                    line: command.line,
                });
            }
            commands.push(Rc::new(command));
            self.skip_newlines(Mode::Command)?;
        }
        Ok(Pipeline { negated, time, commands })
    }

    fn command(&mut self) -> Result<Command> {
        self.token(Mode::Command)?;
        let line = self.p.input.line();
        let token = self.token(Mode::Command)?;
        let kind = match token {
            Token::Op(Op::Open) => {
                self.enter()?;
                let kind = self.parentheses()?;
                self.leave();
                kind
            }
            Token::Op(op) if !op.is_redirection() => return self.unexpected(),
            Token::Newline | Token::End => return self.unexpected(),
            _ => match reserved(token) {
                None => {
                    return self.simple(line);
                }
                Some(b"time") => return self.simple(line),
                Some(word) => {
                    self.enter()?;
                    let kind = self.compound(word, line)?;
                    self.leave();
                    kind
                }
            },
        };
        // bash records the line of these only after it has read all of them.
        let line = match kind {
            CommandKind::Subshell(_) | CommandKind::Arith(_) => self.p.input.line(),
            _ => line,
        };
        if matches!(kind, CommandKind::Function(_) | CommandKind::Coproc(_)) {
            return Ok(Command { kind, redirects: Vec::new(), line });
        }
        let redirects = self.redirections()?;
        Ok(Command { kind, redirects, line })
    }

    fn compound(&mut self, word: &'static [u8], line: u32) -> Result<CommandKind> {
        match word {
            b"{" => {
                self.accept();
                let body = self.compound_list()?;
                self.expect(b"}")?;
                Ok(CommandKind::Group(body))
            }
            b"if" => {
                self.accept();
                self.if_command()
            }
            b"while" | b"until" => {
                self.accept();
                let condition = self.compound_list()?;
                let body = self.do_group()?;
                Ok(CommandKind::While(WhileCommand { until: word == b"until", condition, body }))
            }
            b"for" => {
                self.accept();
                self.for_command()
            }
            b"select" => {
                self.accept();
                Ok(CommandKind::Select(self.for_words()?))
            }
            b"case" => {
                self.accept();
                self.case_command()
            }
            b"[[" => {
                self.accept();
                Ok(CommandKind::Conditional(self.conditional()?))
            }
            b"function" => {
                self.accept();
                let Token::Word(name) = self.token(Mode::Plain)? else { return self.unexpected() };
                let name = Name::new(&name.source);
                self.accept();
                if matches!(self.token(Mode::Command)?, Token::Op(Op::Open))
                    && self.peek_after_blanks() == Some(b')')
                {
                    self.accept();
                    self.token(Mode::Plain)?;
                    self.accept();
                }
                self.function(name, line)
            }
            b"coproc" => {
                self.accept();
                self.coproc()
            }
            _ => self.unexpected(),
        }
    }

    fn peek_after_blanks(&mut self) -> Option<u8> {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.bump();
        }
        self.peek()
    }

    fn expect(&mut self, word: &'static [u8]) -> Result<()> {
        if reserved(self.token(Mode::Command)?) == Some(word) {
            self.accept();
            Ok(())
        } else {
            self.unexpected()
        }
    }

    /// Parses `( list )` or `(( expression ))`. The current token is the opening parenthesis.
    fn parentheses(&mut self) -> Result<CommandKind> {
        self.accept();
        let at = self.p.input.pos();
        if self.peek() == Some(b'(') && !self.p.not_arithmetic.contains(&at) {
            let mark = self.p.input.mark();
            let patches = self.p.patches.len();
            // An unclosed quote is an error already here, whichever of the two it turns out to be.
            if let Err(error) = self.matched_parentheses()
                && !error.lines.iter().any(|(_, text)| text.ends_with(b"`)'"))
            {
                return Err(error);
            }
            self.p.input.reset(mark);
            self.bump();
            let line = self.p.input.line();
            if let Some(arith) = self.arith_to_close(at, line)? {
                return Ok(CommandKind::Arith(arith));
            }
            let next = self.peek();
            let ends = next == Some(b'\n') || next.is_none() && self.p.input.line() == line;
            // If a line of text ends after the inner parenthesis, bash does not try nested subshells.
            if ends && self.p.input.is_text() && self.p.substitution_depth == 0 {
                return self.unclosed_arith();
            }
            self.p.input.reset(mark);
            self.p.patches.truncate(patches);
        }
        let body = self.compound_list()?;
        if !matches!(self.token(Mode::Command)?, Token::Op(Op::Close)) {
            return self.unexpected();
        }
        self.accept();
        Ok(CommandKind::Subshell(body))
    }

    fn if_command(&mut self) -> Result<CommandKind> {
        let mut branches = Vec::new();
        loop {
            let condition = self.compound_list()?;
            self.expect(b"then")?;
            branches.push((condition, self.compound_list()?));
            match reserved(self.token(Mode::Command)?) {
                Some(b"elif") => {
                    self.accept();
                }
                Some(b"else") => {
                    self.accept();
                    let otherwise = Some(self.compound_list()?);
                    self.expect(b"fi")?;
                    return Ok(CommandKind::If(IfCommand { branches, otherwise }));
                }
                Some(b"fi") => {
                    self.accept();
                    return Ok(CommandKind::If(IfCommand { branches, otherwise: None }));
                }
                _ => return self.unexpected(),
            }
        }
    }

    fn do_group(&mut self) -> Result<Rc<List>> {
        self.expect(b"do")?;
        let body = self.compound_list()?;
        self.expect(b"done")?;
        Ok(body)
    }

    /// Parses `do ... done` or `{ ... }`.
    fn loop_body(&mut self) -> Result<Rc<List>> {
        if reserved(self.token(Mode::Command)?) == Some(b"{") {
            self.accept();
            let body = self.compound_list()?;
            self.expect(b"}")?;
            return Ok(body);
        }
        self.do_group()
    }

    fn for_command(&mut self) -> Result<CommandKind> {
        self.skip_blanks();
        if self.peek() == Some(b'(') && self.peek_second() == Some(b'(') {
            return self.arith_for();
        }
        Ok(CommandKind::For(self.for_words()?))
    }

    fn for_words(&mut self) -> Result<ForCommand> {
        let Token::Word(word) = self.token(Mode::Plain)? else { return self.unexpected() };
        let variable = Name::new(&word.source);
        self.accept();
        let mut words = None;
        if matches!(self.token(Mode::Plain)?, Token::Op(Op::Sequence)) {
            self.accept();
            self.skip_newlines(Mode::Command)?;
        } else {
            self.skip_newlines(Mode::Command)?;
            if matches!(self.token(Mode::Command)?, Token::Word(word) if &word.source[..] == b"in") {
                self.accept();
                let mut list = Vec::new();
                while matches!(self.token(Mode::Argument)?, Token::Word(_)) {
                    if let Token::Word(word) = self.accept() {
                        list.push(*word);
                    }
                }
                words = Some(list);
                match self.token(Mode::Command)? {
                    Token::Op(Op::Sequence) | Token::Newline => {
                        self.accept();
                    }
                    Token::End => {}
                    _ => return self.unexpected(),
                }
                self.skip_newlines(Mode::Command)?;
            }
        }
        let body = self.loop_body()?;
        Ok(ForCommand { variable, words, body })
    }

    fn arith_for(&mut self) -> Result<CommandKind> {
        let start = self.p.input.pos();
        let line = self.p.input.line();
        self.bump();
        self.peek();
        // Quotes are respected only in finding the end, not in separating the sections.
        let inside = self.p.input.mark();
        self.matched_parentheses()?;
        self.p.input.reset(inside);
        self.bump();
        let mut sections = Vec::new();
        let patches = self.p.patches.len();
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n')) {
                self.bump();
            }
            let from = self.p.input.pos();
            let section_patches = self.p.patches.len();
            let parts = self.parts(Context::ArithFor)?;
            let source = self.source(from, section_patches);
            let word = super::word::finish_word(parts, source, line, Context::ArithFor);
            sections.push(super::expansion::make_arith(word));
            if self.peek() != Some(b';') {
                break;
            }
            self.bump();
        }
        if self.peek() != Some(b')') {
            return self.unmatched(line, b')');
        }
        self.bump();
        if self.peek() != Some(b')') {
            let ended = matches!(self.peek(), None | Some(b'\n')) && !self.p.options.interactive && {
                self.bump();
                !self.ensure()
            };
            let kind = if ended { SyntaxErrorKind::Unterminated } else { SyntaxErrorKind::Conditional };
            return Err(Box::new(SyntaxError { lines: Vec::new(), incomplete: false, kind }));
        }
        self.bump();
        let text = self.source(start, patches);
        if matches!(self.token(Mode::Command)?, Token::Op(Op::Sequence)) {
            self.accept();
        }
        self.skip_newlines(Mode::Command)?;
        let body = self.loop_body()?;
        // Their number is checked only after the whole loop has been read.
        let count = sections.len();
        let Ok([init, test, step]) = <[Arith; 3]>::try_from(sections) else {
            let first: &[u8] = if count > 3 {
                b"syntax error: `;' unexpected"
            } else {
                b"syntax error: arithmetic expression required"
            };
            let second = [b"syntax error: `".as_slice(), &text, b"'"].concat();
            return Err(Box::new(SyntaxError {
                lines: vec![(line, first.to_vec()), (line, second)],
                incomplete: false,
                kind: self.kind(),
            }));
        };
        Ok(CommandKind::ArithFor(ArithForCommand { init, test, step, body }))
    }

    fn case_command(&mut self) -> Result<CommandKind> {
        if !matches!(self.token(Mode::Plain)?, Token::Word(_)) {
            return self.unexpected();
        }
        let Token::Word(word) = self.accept() else { return self.unexpected() };
        self.skip_newlines(Mode::Plain)?;
        if !matches!(self.token(Mode::Plain)?, Token::Word(word) if &word.source[..] == b"in") {
            return self.unexpected();
        }
        self.accept();
        let mut arms = Vec::new();
        loop {
            self.skip_newlines(Mode::Pattern)?;
            let token = self.token(Mode::Pattern)?;
            if reserved(token) == Some(b"esac") {
                self.accept();
                return Ok(CommandKind::Case(CaseCommand { word: *word, arms }));
            }
            if matches!(token, Token::Op(Op::Open)) {
                self.accept();
            }
            let mut patterns = Vec::new();
            loop {
                if !matches!(self.token(Mode::Pattern)?, Token::Word(_)) {
                    return self.unexpected();
                }
                if let Token::Word(pattern) = self.accept() {
                    patterns.push(PatternWord::new(*pattern));
                }
                match self.token(Mode::Pattern)? {
                    Token::Op(Op::Pipe) => self.accept(),
                    Token::Op(Op::Close) => break,
                    _ => return self.unexpected(),
                };
            }
            self.accept();
            self.skip_newlines(Mode::Command)?;
            let body = Rc::new(if self.at_list_end()? { List::default() } else { self.list(true)? });
            let end = match self.token(Mode::Command)? {
                Token::Op(Op::CaseBreak) => CaseEnd::Break,
                Token::Op(Op::CaseFallThrough) => CaseEnd::FallThrough,
                Token::Op(Op::CaseTestNext) => CaseEnd::TestNext,
                token if reserved(token) == Some(b"esac") => {
                    self.accept();
                    arms.push(CaseArm { patterns, body, end: CaseEnd::Break });
                    return Ok(CommandKind::Case(CaseCommand { word: *word, arms }));
                }
                _ => return self.unexpected(),
            };
            self.accept();
            arms.push(CaseArm { patterns, body, end });
        }
    }

    /// Parses a function's body.
    fn function(&mut self, name: Name, line: u32) -> Result<CommandKind> {
        self.skip_newlines(Mode::Command)?;
        let token = self.token(Mode::Command)?;
        let is_compound = matches!(token, Token::Op(Op::Open)) || starts_compound(token);
        if !is_compound {
            return self.unexpected();
        }
        self.enter()?;
        let body = Rc::new(self.command()?);
        self.leave();
        Ok(CommandKind::Function(Rc::new(Function { name, body, line })))
    }

    fn coproc(&mut self) -> Result<CommandKind> {
        let default = Name::new(b"COPROC");
        self.token(Mode::Command)?;
        let line = self.p.input.line();
        let token = self.token(Mode::Command)?;
        if matches!(token, Token::Op(Op::Open)) || starts_compound(token) {
            let command = Rc::new(self.command()?);
            return Ok(CommandKind::Coproc(Coproc { name: default, command }));
        }
        // `time` here is the program, not the reserved word.
        let misplaced = |token: &Token| reserved(token).is_some_and(|word| word != b"time");
        if misplaced(token) {
            return self.unexpected();
        }
        if let Token::Word(word) = token
            && word.assignment.is_none()
        {
            let word = word.clone();
            self.accept();
            let token = self.token(Mode::Command)?;
            if matches!(token, Token::Op(Op::Open)) || starts_compound(token) {
                let command = Rc::new(self.command()?);
                return Ok(CommandKind::Coproc(Coproc { name: Name::new(&word.source), command }));
            }
            if misplaced(token) {
                return self.unexpected();
            }
            let command = Rc::new(self.simple_with(line, Some(*word))?);
            return Ok(CommandKind::Coproc(Coproc { name: default, command }));
        }
        if matches!(token, Token::Newline | Token::End)
            || matches!(token, Token::Op(op) if !op.is_redirection())
        {
            return self.unexpected();
        }
        let command = Rc::new(self.simple(line)?);
        Ok(CommandKind::Coproc(Coproc { name: default, command }))
    }

    // Simple commands

    fn simple(&mut self, line: u32) -> Result<Command> {
        self.simple_with(line, None)
    }

    fn simple_with(&mut self, mut line: u32, first: Option<Word>) -> Result<Command> {
        let start = line;
        let mut simple = SimpleCommand::default();
        let mut redirects = Vec::new();
        let mut declares = false;
        if let Some(word) = first {
            declares = is_declaration(&word);
            simple.words.push(word);
        }
        loop {
            let mode = match (simple.words.is_empty(), declares) {
                (true, _) => Mode::Command,
                (false, true) => Mode::Declaration,
                (false, false) => Mode::Argument,
            };
            match self.token(mode)? {
                Token::Word(_) => {
                    let Token::Word(word) = self.accept() else { continue };
                    match &word.assignment {
                        Some(assignment) if simple.words.is_empty() => {
                            simple.assignments.push(assignment.as_ref().clone());
                        }
                        _ => {
                            let first = simple.words.is_empty();
                            if first {
                                declares = is_declaration(&word);
                            }
                            simple.words.push(*word);
                            if first && simple.assignments.is_empty() && redirects.is_empty() {
                                // bash looks at one more token before it records the line.
                                let mode = if declares { Mode::Declaration } else { Mode::Argument };
                                let ends = matches!(self.token(mode)?, Token::Newline);
                                line = self.p.input.line();
                                if ends && !self.p.due_documents.is_empty() && !self.p.newline_passed {
                                    // With that token, the bodies of here-documents are read.
                                    self.newline();
                                    self.p.newline_passed = true;
                                    line = self.p.input.line().saturating_sub(1).max(line);
                                }
                            }
                        }
                    }
                }
                Token::Op(Op::Open)
                    if simple.words.len() == 1 && simple.assignments.is_empty() && redirects.is_empty() =>
                {
                    self.accept();
                    if !matches!(self.token(Mode::Plain)?, Token::Op(Op::Close)) {
                        return self.unexpected();
                    }
                    self.accept();
                    let name = simple.words.first().map_or(Name::new(b""), |word| Name::new(&word.source));
                    let kind = self.function(name, start)?;
                    return Ok(Command { kind, redirects, line: start });
                }
                Token::Op(op) if op.is_redirection() => redirects.push(self.redirection()?),
                Token::Op(Op::Open) => return self.unexpected(),
                Token::Fd(..) => redirects.push(self.redirection()?),
                _ => break,
            }
        }
        simple.name =
            simple.words.first().and_then(|word| word.literal.as_ref()).map(|literal| Name::new(literal));
        simple.constant = simple.words.iter().all(|word| word.literal.is_some());
        Ok(Command { kind: CommandKind::Simple(simple), redirects, line })
    }

    fn redirections(&mut self) -> Result<Vec<Redirect>> {
        let mut redirects = Vec::new();
        loop {
            match self.token(Mode::Command)? {
                Token::Fd(..) => {}
                Token::Op(op) if op.is_redirection() => {}
                _ => return Ok(redirects),
            }
            redirects.push(self.redirection()?);
        }
    }

    fn redirection(&mut self) -> Result<Redirect> {
        let line = self.p.input.line();
        let fd = match self.token(Mode::Plain)? {
            Token::Fd(fd, _) => {
                let fd = *fd;
                self.accept();
                Some(fd)
            }
            _ => None,
        };
        let Token::Op(op) = *self.token(Mode::Plain)? else { return self.unexpected() };
        self.accept();
        if matches!(op, Op::CopyInput | Op::CopyOutput) {
            // The minus is a token of its own, whatever follows it.
            let input = op == Op::CopyInput;
            let to = fd.unwrap_or(RedirectFd::Default(i32::from(!input)));
            self.skip_blanks();
            if self.peek() == Some(b'-') {
                self.bump();
                return Ok(Redirect { fd: to, kind: RedirectKind::Close { input }, line });
            }
            // The digits belong to this redirection, even directly before another one: `2>&1>file`.
            if let Token::Fd(RedirectFd::Number(from), _) = *self.token(Mode::Plain)? {
                self.accept();
                return Ok(Redirect { fd: to, kind: RedirectKind::Duplicate { input, from }, line });
            }
        }
        let outer = std::mem::replace(&mut self.p.in_value, matches!(op, Op::HereString));
        let is_word = self.token(Mode::Plain).map(|token| matches!(token, Token::Word(_)));
        self.p.in_value = outer;
        if !is_word? {
            return self.unexpected();
        }
        let Token::Word(word) = self.accept() else { return self.unexpected() };
        let word = *word;
        use RedirectKind as Kind;
        let (default, kind) = match op {
            Op::Input => (0, Kind::Read(word)),
            Op::InputOutput => (0, Kind::ReadWrite(word)),
            Op::HereString => (0, Kind::HereString(word)),
            Op::HereDoc | Op::HereDocNoTabs if self.p.due_documents.len() >= MAX_HERE_DOCUMENTS => {
                return self.error("maximum here-document count exceeded");
            }
            Op::HereDoc | Op::HereDocNoTabs => {
                (0, Kind::HereDoc(self.here_document(&word, op == Op::HereDocNoTabs)))
            }
            Op::Append => (1, Kind::Append(word)),
            Op::Overwrite => (1, Kind::Clobber(word)),
            Op::OutputBoth => (1, Kind::WriteBoth(word)),
            Op::AppendBoth => (1, Kind::AppendBoth(word)),
            Op::CopyInput => (0, duplication(word, true)),
            Op::CopyOutput => (1, duplication(word, false)),
            _ => (1, Kind::Write(word)),
        };
        Ok(Redirect { fd: fd.unwrap_or(RedirectFd::Default(default)), kind, line })
    }
}

/// Whether an alias's value ends in a complete word.
fn ends_in_word(value: &[u8]) -> bool {
    let (mut quote, mut escapes) = (0, false);
    let mut bytes = value.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            // A backslash at the end quotes the byte that follows the value.
            b'\\' if quote != b'\'' => escapes = bytes.next().is_none(),
            b'\'' | b'"' if quote == 0 => quote = byte,
            _ if byte == quote => quote = 0,
            _ => {}
        }
    }
    let separator =
        |last: &u8| matches!(last, b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>');
    quote == 0 && !escapes && value.last().is_some_and(|last| !separator(last))
}

/// The kind of redirection for `<& word` or `>& word`.
fn duplication(word: Word, input: bool) -> RedirectKind {
    let Some(literal) = &word.literal else { return RedirectKind::DuplicateWord { input, word } };
    let number = |text: &[u8]| -> Option<i32> {
        if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
            return None;
        }
        std::str::from_utf8(text).ok()?.parse().ok()
    };
    if let Some(from) = number(literal) {
        return RedirectKind::Duplicate { input, from };
    }
    if let Some(from) = literal.strip_suffix(b"-").and_then(number) {
        return RedirectKind::Move { input, from };
    }
    RedirectKind::DuplicateWord { input, word }
}

/// Whether a command's name allows arguments of the form `name=(...)`. A quoted name does not.
fn is_declaration(word: &Word) -> bool {
    word.literal.is_some()
        && matches!(
            &*word.source,
            b"declare" | b"typeset" | b"local" | b"export" | b"readonly" | b"alias" | b"eval" | b"let"
        )
}

fn starts_compound(token: &Token) -> bool {
    matches!(reserved(token), Some(b"{" | b"if" | b"while" | b"until" | b"for" | b"select" | b"case" | b"[["))
}
