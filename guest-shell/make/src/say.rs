//! Messages.

use crate::session::Make;
use crate::text::Text;
use sandshell_sys as sys;
use std::rc::Rc;

/// An end of the run; the message is written.
#[derive(Debug)]
pub(crate) struct Fatal(pub(crate) i32);

pub(crate) type Result<T> = std::result::Result<T, Fatal>;

/// A line of a makefile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loc {
    pub(crate) file: Rc<[u8]>,
    pub(crate) line: usize,
}

impl Loc {
    /// As messages show it.
    pub(crate) fn text(&self) -> Text {
        [&self.file, format!(":{}", self.line).as_bytes()].concat()
    }
}

/// Concatenates what messages are made of.
macro_rules! bytes {
    ($($part:expr),* $(,)?) => {{
        let mut all: Vec<u8> = Vec::new();
        $( all.extend_from_slice(AsRef::<[u8]>::as_ref(&$part)); )*
        all
    }};
}
pub(crate) use bytes;

impl Make {
    /// `make`, or `make[LEVEL]` in a make that another one runs.
    pub(crate) fn name(&self) -> Text {
        if self.level == 0 {
            self.program.clone()
        } else {
            bytes!(self.program, "[", self.level.to_string(), "]")
        }
    }

    /// A line on standard output after the program's name.
    pub(crate) fn message(&self, text: &[u8]) {
        let _ = sys::write_all(1, &bytes!(self.name(), ": ", text, "\n"));
    }

    /// A line on standard output.
    pub(crate) fn plain(&self, text: &[u8]) {
        let _ = sys::write_all(1, &bytes!(text, "\n"));
    }

    /// A line on standard error after a place in a makefile, or after the program's name.
    pub(crate) fn warn(&self, loc: Option<&Loc>, text: &[u8]) {
        let place = loc.map_or_else(|| self.name(), Loc::text);
        let _ = sys::write_all(2, &bytes!(place, ": ", text, "\n"));
    }

    /// Says what is wrong, and that make stops.
    pub(crate) fn fatal(&self, loc: Option<&Loc>, text: &[u8]) -> Fatal {
        self.warn(loc, &bytes!("*** ", text, ".  Stop."));
        Fatal(2)
    }
}
