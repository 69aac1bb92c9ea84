//! Warnings of `--lint` while parsing.

use super::{Context, Parser, Res};
use crate::ast::*;
use crate::diag::{self, Pos, bytes};
use crate::lexer::{Failure, Key, Tok};
use crate::parser::Lint;

impl Parser<'_> {
    /// Prints a warning if `--lint` is on.
    pub(super) fn lint(&self, text: impl AsRef<[u8]>) -> Res<()> {
        self.lint_at(self.pos.line, text)
    }

    pub(super) fn lint_at(&self, line: u32, text: impl AsRef<[u8]>) -> Res<()> {
        self.lint_placed(&bytes!(self.lexer.name, ":", line.to_string(), ": "), text.as_ref())
    }

    fn lint_placed(&self, place: &[u8], text: &[u8]) -> Res<()> {
        let lint = self.options.lint;
        if !lint.is_on() {
            return Ok(());
        }
        diag::say(&bytes!(place, lint.word(), text));
        if lint == Lint::Fatal { Err(Failure::Said(2)) } else { Ok(()) }
    }

    fn lint_once(&mut self, text: Vec<u8>) -> Res<()> {
        if self.warned.contains(&text) {
            return Ok(());
        }
        self.warned.push(text.clone());
        self.lint(text)
    }

    /// Warns about a keyword or construct that other awks do not have.
    pub(super) fn lint_extension(&mut self, what: &str) -> Res<()> {
        if matches!(self.options.lint, Lint::Off | Lint::NoExtensions) {
            return Ok(());
        }
        self.lint_once(bytes!(what, " a gawk extension"))
    }

    /// Checks the current token.
    #[inline(never)]
    pub(super) fn lint_token(&mut self) -> Res<()> {
        let written = self.lexer.text.get(self.lexer.start..self.lexer.at).unwrap_or_default().to_vec();
        let shown = String::from_utf8_lossy(&written).into_owned();
        match &self.tok {
            Tok::Builtin(b) if b.is_extension() => self.lint_extension(&format!("`{}' is", b.name())),
            Tok::Key(Key::Function) if shown == "func" => {
                self.lint_once(b"POSIX does not allow `func'".to_vec())
            }
            Tok::Key(Key::BeginFile | Key::EndFile | Key::Switch | Key::Case | Key::Default) => {
                self.lint_extension(&format!("`{shown}' is"))
            }
            Tok::Op("^" | "^=") if shown.starts_with("**") => {
                self.lint_once(format!("POSIX does not allow operator `{shown}'").into_bytes())
            }
            Tok::Number(_) if shown.starts_with("0x") || shown.starts_with("0X") => {
                self.lint(format!("numeric constant `{shown}' treated as hexadecimal"))
            }
            Tok::Number(_) if shown.len() > 1 && shown.starts_with('0') && is_octal(&shown) => {
                self.lint(format!("numeric constant `{shown}' treated as octal"))
            }
            Tok::Str(_) if shown.contains("\\x") => {
                self.lint_once(b"POSIX does not allow `\\x' escapes".to_vec())
            }
            _ => Ok(()),
        }
    }

    /// Prints a warning if `--lint-old` is on.
    pub(super) fn lint_old(&self, text: &str) {
        if self.options.lint_old {
            let line = self.pos.line.to_string();
            diag::say(&bytes!(self.lexer.name, ":", line, ": warning: ", text));
        }
    }

    /// Checks the current token for features that the original awk did not have.
    #[inline(never)]
    pub(super) fn lint_old_token(&self) {
        let written = self.lexer.text.get(self.lexer.start..self.lexer.at).unwrap_or_default();
        let shown = String::from_utf8_lossy(written);
        match self.tok {
            Tok::Key(Key::Delete) => self.lint_old("`delete' is not supported in old awk"),
            Tok::Op("^" | "^=") => self.lint_old(&format!("operator `{shown}' is not supported in old awk")),
            Tok::Str(_) => {
                let mut rest = shown.chars();
                while let Some(c) = rest.find(|c| *c == '\\').and_then(|_| rest.next()) {
                    if matches!(c, 'b' | 'f' | 'r') {
                        self.lint_old(&format!("old awk does not support the `\\{c}' escape sequence"));
                    }
                }
            }
            _ => {}
        }
    }

    /// Checks an expression that is used as a statement.
    pub(super) fn lint_effect(&self, pos: Pos, e: &Expr) -> Res<()> {
        if has_effect(e) { Ok(()) } else { self.lint_at(pos.line, "statement has no effect") }
    }

    /// Checks for a literal regular expression where a text is expected.
    pub(super) fn lint_literal(&self, e: &Expr, place: &str) -> Res<()> {
        match e {
            Expr::Regex(_) => self.lint(format!("regular expression on {place}")),
            _ => Ok(()),
        }
    }

    /// Warns about a literal regular expression that looks like a C comment.
    pub(super) fn lint_comment(&self, source: &[u8]) -> Res<()> {
        match source {
            b"" => self.lint("regexp constant `//' looks like a C++ comment, but is not"),
            [b'*', .., b'*'] => {
                self.lint(bytes!("regexp constant `/", source, "/' looks like a C comment, but is not"))
            }
            _ => Ok(()),
        }
    }

    /// Checks `print` without arguments where there is no record.
    pub(super) fn lint_print(&mut self) -> Res<()> {
        if matches!(self.context, Context::Begin | Context::End) && self.options.lint.is_on() {
            let text = "plain `print' in BEGIN or END rule should probably be `print \"\"'";
            return self.lint_once(text.into());
        }
        Ok(())
    }

    /// Checks the source that has ended.
    pub(super) fn lint_end(&self) -> Res<()> {
        if self.lexer.name == b"cmd. line" || self.lexer.text.ends_with(b"\n") {
            return Ok(());
        }
        self.lint_at(self.lexer.lines() as u32, "source file does not end in newline")
    }

    /// Checks for undefined and unused functions, and for parameters that hide variables.
    pub(super) fn lint_functions(&self) -> Res<()> {
        if !self.options.lint.is_on() {
            return Ok(());
        }
        for (id, (name, _)) in self.names.functions().iter().enumerate() {
            let defined = self.program.functions.get(id).is_some_and(|f| f.defined);
            let what = match (defined, self.called.contains(&(id as u32))) {
                (true, false) => "' defined but never called directly",
                (false, true) => "' called but never defined",
                _ => continue,
            };
            self.lint_placed(b"", &bytes!("function `", name, what))?;
        }
        for (id, (_, pos)) in self.names.functions().iter().enumerate() {
            let Some(f) = self.program.functions.get(id).filter(|f| f.defined) else { continue };
            for param in f.params.iter().filter(|p| self.names.is_global(p)) {
                let place = diag::place(&self.program.sources, *pos);
                let text = bytes!("function `", f.name, "': parameter `", param, "' shadows global variable");
                self.lint_placed(&place, &text)?;
            }
        }
        Ok(())
    }
}

fn is_octal(number: &str) -> bool {
    number.bytes().all(|b| matches!(b, b'0'..=b'7'))
}

fn has_effect(e: &Expr) -> bool {
    match e {
        Expr::Group(e) => has_effect(e),
        Expr::Num(_)
        | Expr::Const(_)
        | Expr::Regex(_)
        | Expr::Var(_)
        | Expr::Special(_)
        | Expr::Field(_)
        | Expr::FieldNumber(_)
        | Expr::Elem(..)
        | Expr::Not(_)
        | Expr::Neg(_)
        | Expr::Plus(_)
        | Expr::Arith(..)
        | Expr::CheckedSum(..)
        | Expr::Concat(_)
        | Expr::Match(..)
        | Expr::In(..) => false,
        // gawk does not warn if one side is an increment or the left side is a call.
        Expr::Compare(_, a, b) => is_step(a) || is_step(b) || matches!(**a, Expr::Call(..)),
        _ => true,
    }
}

fn is_step(e: &Expr) -> bool {
    matches!(e, Expr::Step(..) | Expr::Assign(..) | Expr::Update(..))
}
