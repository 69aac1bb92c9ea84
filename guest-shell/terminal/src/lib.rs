//! Programs that take a terminal for themselves: its settings, keys, and what fits on the screen.
//!
//! The kernel's line discipline edits lines, shows keys and makes signals of them. A program that does this itself
//! switches it off with [`Raw`], and reads [`Key`]s.

mod canvas;
mod keys;
pub mod modes;
mod raw;
mod text;

pub use canvas::{Canvas, fit};
pub use keys::{Key, Keys};
pub use raw::Raw;
pub use text::{Glyph, glyphs, shown};

use sandshell_sys::{self as sys, Fd};

/// Rows and columns of a terminal: 24 and 80 if they are not known.
pub fn size(fd: Fd) -> (usize, usize) {
    let known = |(rows, columns): &(u32, u32)| *rows > 0 && *columns > 0;
    let (rows, columns) = sys::tty_size(fd).ok().filter(known).unwrap_or((24, 80));
    (rows as usize, columns as usize)
}
