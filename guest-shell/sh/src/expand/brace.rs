//! Brace expansion: the parser generates the words, and their other expansions follow here.

use crate::field::Field;
use crate::shell::{Flow, Run, Shell};
use sandshell_syntax::ast::Word;
use std::ops::ControlFlow;

impl Shell {
    pub(crate) fn expand_braces(&mut self, word: &Word, out: &mut Vec<Field>) -> Run {
        let Some(braces) = &word.braces else { return Ok(()) };
        let result = braces.for_each(|w| match self.expand_word_parts(w, out) {
            Ok(()) => ControlFlow::Continue(()),
            Err(flow) => ControlFlow::<Flow>::Break(flow),
        });
        match result {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(flow) => Err(flow),
        }
    }
}
