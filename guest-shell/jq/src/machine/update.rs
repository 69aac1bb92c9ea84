//! `|=`, `=` and similar operations, which process one path after the other.
//!
//! The state of an update has four slots: the paths, the number of the next one, the value being updated, and the paths
//! to delete.

use super::Machine;
use crate::builtins::paths;
use crate::code::Slot;
use crate::value::Val;
use std::rc::Rc;

impl Machine {
    /// Loads the value at the next path. If there is none, returns false, with the whole result in `.`.
    pub(super) fn update_next(&mut self, state: Slot) -> Result<bool, Val> {
        let at = self.get(state + 1).num().unwrap_or(0.0) as usize;
        let Val::Arr(list) = self.get(state) else { return Ok(false) };
        if let Some(path) = list.0.get(at).cloned() {
            self.cur = paths::get_path(self.get(state + 2), &path)?;
            return Ok(true);
        }
        let root = self.take(state + 2);
        self.cur = match self.take(state + 3) {
            Val::Arr(list) if !list.0.is_empty() => paths::delete_paths(root, &Val::Arr(list))?,
            _ => root,
        };
        self.set(state, Val::Null);
        Ok(false)
    }

    pub(super) fn update_set(&mut self, state: Slot) -> Result<(), Val> {
        let path = self.update_path(state);
        let v = std::mem::take(&mut self.cur);
        let root = self.take(state + 2);
        let root = paths::set_path(root, &path, v)?;
        self.set(state + 2, root);
        Ok(())
    }

    pub(super) fn update_delete(&mut self, state: Slot) {
        let path = self.update_path(state);
        match self.slot(state + 3) {
            Val::Arr(list) => Rc::make_mut(list).0.push(path),
            other => *other = Val::arr(vec![path]),
        }
    }

    /// The current path. Advances to the next one.
    fn update_path(&mut self, state: Slot) -> Val {
        let at = self.get(state + 1).num().unwrap_or(0.0);
        self.set(state + 1, Val::Num(at + 1.0));
        match self.get(state) {
            Val::Arr(list) => list.0.get(at as usize).cloned().unwrap_or_default(),
            _ => Val::Null,
        }
    }

    pub(super) fn assign_all(&mut self, root: Slot, value: Slot) -> Result<(), Val> {
        let list = std::mem::take(&mut self.cur);
        let mut result = self.take(root);
        if let Val::Arr(list) = &list {
            for path in &list.0 {
                result = paths::set_path(result, path, self.get(value).clone())?;
            }
        }
        self.cur = result;
        Ok(())
    }
}
