//! Tracks the path to the current value.

use super::Machine;
use crate::dump;
use crate::value::Val;
use std::rc::Rc;

/// The state of `path(f)`: the keys so far, and the value that they lead to.
#[derive(Clone, Default)]
pub(super) struct Track {
    pub(super) active: bool,
    /// Above 0 in subexpressions, in which accesses do not extend the path.
    pub(super) nest: u32,
    keys: Option<Rc<Step>>,
    at: Val,
    /// The state of the enclosing `path`.
    outer: Option<Rc<Track>>,
}

struct Step {
    key: Val,
    before: Option<Rc<Step>>,
}

impl Drop for Step {
    fn drop(&mut self) {
        // A loop, because recursion would be too deep for long paths.
        let mut next = self.before.take();
        while let Some(step) = next.and_then(Rc::into_inner) {
            let mut step = step;
            next = step.before.take();
        }
    }
}

impl Track {
    /// Whether accesses extend the path.
    pub(super) fn counts(&self) -> bool {
        self.active && self.nest == 0
    }

    /// Whether the path is empty.
    pub(super) fn is_at_root(&self) -> bool {
        self.keys.is_none()
    }

    /// Whether the path leads to `v` itself.
    pub(super) fn leads_to(&self, v: &Val) -> bool {
        !self.counts() || self.at.same(v)
    }

    pub(super) fn push(&mut self, key: Val, v: Val) {
        let before = self.keys.take();
        self.keys = Some(Rc::new(Step { key, before }));
        self.at = v;
    }

    fn path(&self) -> Val {
        let mut keys = Vec::new();
        let mut step = self.keys.as_ref();
        while let Some(s) = step {
            keys.push(s.key.clone());
            step = s.before.as_ref();
        }
        keys.reverse();
        Val::arr(keys)
    }
}

impl Machine {
    pub(super) fn path_begin(&mut self) {
        let old = std::mem::take(&mut self.track);
        let plain = !old.active && old.nest == 0;
        self.track = Track {
            active: true,
            nest: 0,
            keys: None,
            at: self.cur.clone(),
            outer: if plain { None } else { Some(Rc::new(old)) },
        };
    }

    pub(super) fn path_end(&mut self) -> Result<(), Val> {
        if !self.track.leads_to(&self.cur) {
            let excerpt = dump::excerpt(&self.cur, 29);
            return Err(Val::from_string(format!("Invalid path expression with result {excerpt}")));
        }
        self.cur = self.track.path();
        let outer = self.track.outer.take();
        self.track = outer.map_or_else(Track::default, |t| Track::clone(&t));
        Ok(())
    }
}
