//! Values that belong to one process: threads, engines and sandboxes do not survive a fork.

#![allow(unsafe_code, reason = "the handlers of forks and values without an owner; each has its proof")]

use sandshell::runtime::fork;
use sandshell::{Error, ErrorKind, Result};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// The number of forks between the process that first used the library and this one.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// A number that differs in a forked child.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// Only Unix forks.
#[cfg(not(unix))]
fn watch() {}

/// Starts counting forks.
#[cfg(unix)]
fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: The handlers are functions of this library, which Python and JavaScript never unload. The child's
        // handler only stores numbers, because locks may be held there for ever; the others wait for at most some
        // milliseconds.
        let refused = unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
        debug_assert_eq!(refused, 0, "there is no memory for three pointers");
    });
}

#[cfg(unix)]
extern "C" fn before() {
    fork::before();
}

#[cfg(unix)]
extern "C" fn in_parent() {
    fork::after_in_parent();
}

#[cfg(unix)]
extern "C" fn in_child() {
    fork::after_in_child();
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// A value that each process creates for itself on first use. A forked child never uses its parent's value: its
/// locks may be held for ever, and its threads are gone.
pub struct PerProcess<T: 'static>(AtomicPtr<Made<T>>, PhantomData<T>);

struct Made<T> {
    generation: u64,
    value: T,
}

impl<T: Send + Sync + 'static> PerProcess<T> {
    /// Creates it without a value.
    pub const fn new() -> Self {
        Self(AtomicPtr::new(null_mut()), PhantomData)
    }

    /// This process's value, if it has one.
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: The pointer is null or from `Box::into_raw` in `get_or_try_init`, which leaked the value.
        let made = unsafe { self.0.load(Ordering::Acquire).as_ref() }?;
        (made.generation == generation()).then_some(&made.value)
    }

    /// This process's value, created if it has none.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get_or_try_init<E>(
        &self,
        make: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<&'static T, E> {
        let before = self.0.load(Ordering::Acquire);
        if let Some(value) = self.get() {
            return Ok(value);
        }
        watch();
        let generation = generation();
        let made = Box::into_raw(Box::new(Made { generation, value: make()? }));
        match self.0.compare_exchange(before, made, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: It was just made, and nothing drops it.
            Ok(_) => Ok(unsafe { &(*made).value }),
            Err(other) => {
                // SAFETY: It was just made, and no other code has the pointer.
                drop(unsafe { Box::from_raw(made) });
                // SAFETY: As in `get`: null is never stored.
                Ok(unsafe { &(*other).value })
            }
        }
    }

    /// Like [`get_or_try_init`](Self::get_or_try_init), for a value whose creation cannot fail.
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &'static T {
        match self.get_or_try_init(|| Ok::<T, std::convert::Infallible>(make())) {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }
}

impl<T: Send + Sync + 'static> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// A value that belongs to the process that created it. A forked child can only read the parts that never change;
/// it neither uses nor drops the value.
#[derive(Debug)]
pub(crate) struct ProcessOwned<T> {
    generation: u64,
    value: ManuallyDrop<T>,
}

impl<T> ProcessOwned<T> {
    pub(crate) fn new(value: T) -> Self {
        watch();
        Self { generation: generation(), value: ManuallyDrop::new(value) }
    }

    /// The value. `what` describes it in the error.
    ///
    /// # Errors
    /// `SandboxEnded` in a forked child.
    pub(crate) fn here(&self, what: impl FnOnce() -> String) -> Result<&T> {
        if self.generation == generation() {
            return Ok(&self.value);
        }
        let advice = "make one in this process, or start processes with \"spawn\" or \"forkserver\" instead of \"fork\"";
        Err(Error::new(
            ErrorKind::SandboxEnded,
            format!("the {} belongs to the process that this one was forked from: {advice}", what()),
        ))
    }
}

impl<T> Deref for ProcessOwned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Drop for ProcessOwned<T> {
    fn drop(&mut self) {
        if self.generation == generation() {
            // SAFETY: This is the only place that drops it, and nothing uses it afterwards.
            unsafe { ManuallyDrop::drop(&mut self.value) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    // This is one test, because all values depend on the same number.
    #[test]
    fn a_child_has_its_own_and_leaves_its_parents_alone() {
        static VALUE: PerProcess<u64> = PerProcess::new();
        assert_eq!(VALUE.get(), None);
        assert_eq!(VALUE.get_or_init(|| 1), &1);
        assert_eq!(VALUE.get_or_init(|| 2), &1);
        let counted = Arc::new(());
        let (ours, parents) = (ProcessOwned::new(counted.clone()), ProcessOwned::new(counted.clone()));
        drop(ours);
        assert_eq!(Arc::strong_count(&counted), 2);
        assert!(parents.here(String::new).is_ok());
        in_child();
        let error = parents.here(|| "sandbox sandshell-1".to_owned()).expect_err("it is the parent's");
        assert_eq!(error.kind(), ErrorKind::SandboxEnded);
        assert!(error.to_string().contains("the sandbox sandshell-1 belongs to the process"), "{error}");
        drop(parents);
        assert_eq!(Arc::strong_count(&counted), 2);
        assert_eq!(VALUE.get(), None);
        assert_eq!(VALUE.get_or_init(|| 3), &3);
        assert_eq!(VALUE.get(), Some(&3));
    }
}
