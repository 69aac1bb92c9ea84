//! `check FILE...`: reports syntax errors as `bash -n FILE` does.

use std::io::Write;

use sandshell_syntax::ast::Bytes;
use sandshell_syntax::parser::{Host, ParseOptions, Parser, SyntaxErrorKind, Unfinished};

struct Script<'a> {
    name: &'a str,
    extglob: bool,
}

impl Host for Script<'_> {
    fn next_line(&mut self, _unfinished: Option<Unfinished>) -> Option<Vec<u8>> {
        None
    }
    fn alias(&mut self, _name: &[u8]) -> Option<Bytes> {
        None
    }
    fn options(&self) -> ParseOptions {
        ParseOptions { extglob: self.extglob, ..ParseOptions::default() }
    }
    fn warning(&mut self, line: u32, text: &[u8]) {
        report(
            &[self.name.as_bytes(), b": line ", line.to_string().as_bytes(), b": warning: ", text].concat(),
        );
    }
}

fn report(line: &[u8]) {
    let mut err = std::io::stderr();
    let _ = err.write_all(&[line, b"\n"].concat());
}

fn main() {
    let mut status = 0;
    for name in std::env::args().skip(1) {
        let Ok(text) = std::fs::read(&name) else { continue };
        let mut host = Script { name: &name, extglob: false };
        let mut parser = Parser::from_text(&text, 1);
        loop {
            match parser.next_command(&mut host) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    for (line, text) in &error.lines {
                        report(
                            &[name.as_bytes(), b": line ", line.to_string().as_bytes(), b": ", text].concat(),
                        );
                    }
                    status = match error.kind {
                        SyntaxErrorKind::Conditional => 0,
                        SyntaxErrorKind::Array => 1,
                        _ => 2,
                    };
                    break;
                }
            }
        }
    }
    std::process::exit(status);
}
