//! The error for modules that are refused before they are compiled.

use std::fmt;

/// A module or component that cannot be made interruptible, with the reason.
#[derive(Debug)]
pub struct Malformed(String);

impl Malformed {
    pub(crate) fn new(why: &str) -> Malformed {
        Malformed(why.to_owned())
    }

    pub(crate) fn too_deep(what: &str) -> Malformed {
        Malformed(format!("its {what} are nested too deeply"))
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

impl From<wasmparser::BinaryReaderError> for Malformed {
    fn from(error: wasmparser::BinaryReaderError) -> Malformed {
        Malformed(error.to_string())
    }
}

impl From<wasm_encoder::reencode::Error<Malformed>> for Malformed {
    fn from(error: wasm_encoder::reencode::Error<Malformed>) -> Malformed {
        match error {
            wasm_encoder::reencode::Error::UserError(malformed) => malformed,
            other => Malformed(other.to_string()),
        }
    }
}
