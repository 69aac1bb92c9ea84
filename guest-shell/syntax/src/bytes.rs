//! Bytes that are shared.

use std::rc::Rc;

/// Immutable shared bytes.
pub type Bytes = Rc<[u8]>;
