//! How much there is to compile.

use wasmparser::{Parser, Payload};

use crate::Malformed;

/// The bytes of code in a module, or in all modules of a component.
///
/// # Errors
/// [`Malformed`] if it cannot be parsed.
pub fn code_size(wasm: &[u8]) -> Result<u64, Malformed> {
    let mut total = 0u64;
    for payload in Parser::new(0).parse_all(wasm) {
        if let Payload::CodeSectionStart { size, .. } = payload? {
            total = total.saturating_add(u64::from(size));
        }
    }
    Ok(total)
}
