//! Interned names: variables, functions and constant command words.

use rustc_hash::FxBuildHasher;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

/// An interned byte string. Within a thread, two names are equal exactly if their bytes are. Tables of variables and
/// functions can therefore be vectors indexed by [`Name::index`]. Names are never freed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

struct Interner {
    /// Hashed quickly, as that was a third of a shell's start. Who chooses names that collide slows down a script that
    /// is executed anyway.
    by_text: HashMap<Rc<[u8]>, u32, FxBuildHasher>,
    texts: Vec<Rc<[u8]>>,
}

/// How many names a shell has after its start, about.
const FIRST_NAMES: usize = 56;

thread_local! {
    static INTERNER: RefCell<Interner> = RefCell::new(Interner {
        by_text: HashMap::with_capacity_and_hasher(FIRST_NAMES, FxBuildHasher),
        texts: Vec::with_capacity(FIRST_NAMES),
    });
}

impl Name {
    /// The name with these bytes.
    pub fn new(text: &[u8]) -> Name {
        INTERNER.with_borrow_mut(|interner| {
            if let Some(&index) = interner.by_text.get(text) {
                return Name(index);
            }
            let text: Rc<[u8]> = text.into();
            let index = interner.texts.len() as u32;
            interner.texts.push(text.clone());
            interner.by_text.insert(text, index);
            Name(index)
        })
    }

    /// The name with these bytes if it exists already. Unlike [`Name::new`], this never adds one.
    pub fn existing(text: &[u8]) -> Option<Name> {
        INTERNER.with_borrow(|interner| interner.by_text.get(text).map(|&index| Name(index)))
    }

    /// The name for a number that [`Name::index`] returned, if there is one.
    pub fn from_index(index: usize) -> Option<Name> {
        INTERNER.with_borrow(|interner| (index < interner.texts.len()).then_some(Name(index as u32)))
    }

    /// Names are numbered from 0 in order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The name's text.
    pub fn bytes(self) -> Rc<[u8]> {
        INTERNER.with_borrow(|interner| interner.texts.get(self.index()).cloned().unwrap_or_default())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", String::from_utf8_lossy(&self.bytes()))
    }
}

/// Whether `text` is a POSIX name: a letter or `_`, then letters, digits and `_`.
pub fn is_name(text: &[u8]) -> bool {
    match text.split_first() {
        Some((first, rest)) => is_name_start(*first) && rest.iter().all(|&byte| is_name_byte(byte)),
        None => false,
    }
}

/// Whether `byte` can begin a name.
pub fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether `byte` can follow the first byte of a name.
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
