//! Where actions write.

use crate::out::Out;
use std::cell::RefCell;
use std::rc::Rc;

/// Where an action writes: standard output or a file. Actions that name the same file share it.
pub(crate) type Sink = Rc<RefCell<Out>>;
