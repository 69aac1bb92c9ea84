//! Here-documents: their bodies are read after the line that begins them.

use std::cell::OnceCell;
use std::rc::Rc;

use super::input::Input;
use super::word::{Context, finish_word};
use super::{Parser, Reader, SyntaxError, SyntaxErrorKind};
use crate::ast::{Bytes, HereDoc, ParamOp, Word, WordPart};

impl Reader<'_> {
    /// Makes a here-document from its delimiter word.
    pub(super) fn here_document(&mut self, delimiter: &Word, strip_tabs: bool) -> Rc<HereDoc> {
        let source = &delimiter.source;
        let quoted = source.iter().any(|byte| matches!(byte, b'\'' | b'"' | b'\\'));
        let text: Bytes = if quoted { remove_quotes(source).into() } else { source.clone() };
        let document = Rc::new(HereDoc {
            delimiter: text,
            delimiter_source: source.clone(),
            quoted,
            strip_tabs,
            body: OnceCell::new(),
        });
        self.p.due_documents.push(document.clone());
        document
    }

    /// Consumes the newline at the position and reads the bodies of pending here-documents.
    pub(super) fn newline(&mut self) {
        self.bump();
        self.read_here_documents();
    }

    pub(super) fn read_here_documents(&mut self) {
        // These lines belong to the command that has begun.
        let started = std::mem::replace(&mut self.p.started, true);
        let documents = std::mem::take(&mut self.p.due_documents);
        self.p.in_body = (!documents.is_empty()).then_some(true);
        for document in documents {
            self.read_body(&document);
        }
        self.p.in_body = None;
        self.p.started = started;
    }

    fn read_body(&mut self, document: &HereDoc) {
        let first_line = self.p.input.line();
        let mut body = Vec::new();
        loop {
            let mark = self.p.input.mark();
            let line = self.body_line(!document.quoted);
            self.p.in_body = Some(false);
            let Some(mut line) = line else {
                self.warn_of_end(document, first_line, self.p.input.line().saturating_sub(1).max(1));
                break;
            };
            if document.strip_tabs {
                // bash also compares the line with the delimiter before it removes the tabs.
                if line.strip_suffix(b"\n").unwrap_or(&line) == &document.delimiter[..] {
                    break;
                }
                let tabs = line.iter().take_while(|&&byte| byte == b'\t').count();
                line.drain(..tabs);
            }
            if line.strip_suffix(b"\n").unwrap_or(&line) == &document.delimiter[..] {
                break;
            }
            if self.p.substitution_depth > 0
                && line.strip_prefix(&document.delimiter[..]).is_some_and(|rest| rest.contains(&b')'))
            {
                // The end of the enclosing substitution also ends the document.
                self.p.input.reset(mark);
                self.warn_of_end(document, first_line, mark.line);
                while self.p.input.byte() == Some(b'\t') && document.strip_tabs {
                    self.p.input.advance(1);
                }
                self.p.input.advance(document.delimiter.len());
                break;
            }
            body.extend_from_slice(&line);
        }
        let _ = document.body.set(self.body_word(&body, document.quoted, first_line));
    }

    // The message names the line before the body.
    fn warn_of_end(&mut self, document: &HereDoc, first_line: u32, at: u32) {
        let text = [
            b"here-document at line ".as_slice(),
            first_line.saturating_sub(1).max(1).to_string().as_bytes(),
            b" delimited by end-of-file (wanted `",
            &document.delimiter,
            b"')",
        ]
        .concat();
        self.host.warning(at, &text);
    }

    /// The next line with its newline. `join` removes line continuations.
    fn body_line(&mut self, join: bool) -> Option<Vec<u8>> {
        self.peek_raw()?;
        let mut line = Vec::new();
        while let Some(byte) = self.peek_raw() {
            if join && byte == b'\\' && !self.p.input.at_continuation() {
                // The escaped byte cannot begin a line continuation.
                self.bump();
                line.push(byte);
                match self.peek_raw() {
                    Some(b'\n') | None => continue,
                    Some(next) => line.push(next),
                }
            } else if join && self.p.input.at_continuation() {
                self.bump();
            } else {
                line.push(byte);
            }
            self.bump();
            if line.last() == Some(&b'\n') {
                break;
            }
        }
        Some(line)
    }

    fn body_word(&mut self, body: &[u8], quoted: bool, line: u32) -> Word {
        let text: Bytes = body.into();
        if !quoted {
            let mut parser = Parser::new(Input::exact(text.clone(), line), self.p.depth);
            parser.lenient = true;
            parser.unclosed_told = true;
            let mut reader = Reader::new(&mut parser, self.host);
            match reader.whole_text(Context::HereDoc) {
                Ok(mut word) => {
                    word.source = text;
                    return word;
                }
                Err(error) => {
                    if let Some(op) = expansion_error(&error, parser.input.line()) {
                        let parts = vec![super::expansion::wrong(op, text.clone())];
                        return finish_word(parts, text, line, Context::HereDoc);
                    }
                }
            }
        }
        finish_word(vec![WordPart::Quoted(text.clone())], text, line, Context::HereDoc)
    }
}

/// The error that occurs when a body that does not parse is expanded. `last` is the line after the body.
fn expansion_error(error: &SyntaxError, last: u32) -> Option<ParamOp> {
    let text = &error.lines.first()?.1;
    let close =
        [b')', b']'].into_iter().find(|close| error.incomplete && text.ends_with(&[b'`', *close, b'\'']));
    if error.kind != SyntaxErrorKind::Substitution {
        return close.map(ParamOp::Unclosed);
    }
    let at = |line: u32| if close.is_some() { last } else { line };
    Some(ParamOp::BadCommands(error.lines.iter().map(|(line, text)| (at(*line), text.clone())).collect()))
}

/// Removes the quotes from a word's text.
fn remove_quotes(source: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(source.len());
    let mut bytes = source.iter().copied();
    let mut quote = 0u8;
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quote != b'\'' => {
                if let Some(next) = bytes.next() {
                    if quote == b'"' && !matches!(next, b'$' | b'`' | b'"' | b'\\') {
                        text.push(b'\\');
                    }
                    text.push(next);
                }
            }
            b'\'' | b'"' if quote == 0 => quote = byte,
            _ if byte == quote => quote = 0,
            _ => text.push(byte),
        }
    }
    text
}
