//! Values on the stack and in the registers.

use crate::num::Num;
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(crate) enum Item {
    Number(Num),
    Text(Rc<[u8]>),
}

impl Item {
    pub(crate) fn int(n: i64) -> Self {
        Self::Number(Num::from(n))
    }
}

/// One level of a register: its value, if any, and its array.
#[derive(Debug, Default)]
pub(crate) struct Level {
    pub(crate) value: Option<Item>,
    pub(crate) array: HashMap<i64, Item>,
}
