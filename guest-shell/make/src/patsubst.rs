//! Words of a text that match a pattern are replaced.

use crate::say::bytes;
use crate::text::{Pattern, Text, join, words};

/// `$(patsubst FROM,TO,TEXT)`.
pub(crate) fn patsubst(from: &[u8], to: &[u8], text: &[u8]) -> Text {
    let (from, to) = (Pattern::new(from), Pattern::new(to));
    join(words(text).map(|word| match from.stem(word) {
        Some(_) if from.suffix.is_none() => {
            // Without a percent sign in the pattern the replacement stays as it is.
            match &to.suffix {
                None => to.prefix.clone(),
                Some(suffix) => bytes!(to.prefix, "%", suffix),
            }
        }
        Some(stem) => to.fill(stem),
        None => word.to_vec(),
    }))
}
