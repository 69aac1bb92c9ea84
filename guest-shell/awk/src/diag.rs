//! Messages on standard error.

use crate::number;
use sandshell_sys as sys;
use std::cell::RefCell;

thread_local! {
    static NAME: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Joins the parts of a message.
macro_rules! bytes {
    ($($part:expr),* $(,)?) => {{
        let mut all: Vec<u8> = Vec::new();
        $( all.extend_from_slice(AsRef::<[u8]>::as_ref(&$part)); )*
        all
    }};
}
pub(crate) use bytes;

/// Sets the name with which messages begin.
pub(crate) fn set_name(name: &[u8]) {
    NAME.with(|n| *n.borrow_mut() = name.to_vec());
}

pub(crate) fn name() -> Vec<u8> {
    NAME.with(|n| n.borrow().clone())
}

/// Writes `name: text` and a newline.
pub(crate) fn say(text: &[u8]) {
    let _ = sys::write_all(2, &bytes!(name(), ": ", text, "\n"));
}

/// A position in the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pos {
    /// Number of the source, from 0.
    pub(crate) source: u16,
    /// Line, from 1; 0 if unknown.
    pub(crate) line: u32,
}

/// The prefix `SOURCE:LINE: ` for a position. Empty if it is unknown.
pub(crate) fn place(sources: &[Vec<u8>], pos: Pos) -> Vec<u8> {
    if pos.line == 0 {
        return Vec::new();
    }
    let source = sources.get(usize::from(pos.source)).map(Vec::as_slice).unwrap_or_default();
    let mut line = Vec::new();
    number::push_int(&mut line, pos.line.into());
    bytes!(source, ":", line, ": ")
}
