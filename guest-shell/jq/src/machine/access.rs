//! `.[k]`, `.[]`, `..` and `getpath`: accesses that extend paths.

use super::{Kind, Machine, Step, Track};
use crate::builtins::paths;
use crate::code::Pc;
use crate::dump;
use crate::value::Val;

impl Machine {
    pub(super) fn index(&mut self, key: &Val, optional: bool) -> Result<(), Step> {
        if !self.track.leads_to(&self.cur) {
            return Err(Step::Raise(Val::from_string(format!(
                "Invalid path expression near attempt to access element {} of {}",
                dump::excerpt(key, 14),
                dump::excerpt(&self.cur, 29)
            ))));
        }
        match paths::index(&self.cur, key) {
            Ok(v) => {
                if self.track.counts() {
                    self.track.push(key.clone(), v.clone());
                }
                self.cur = v;
                Ok(())
            }
            Err(_) if optional => Err(Step::Backtrack),
            Err(e) => Err(Step::Raise(e)),
        }
    }

    pub(super) fn each(&mut self, optional: bool) -> Result<(), Step> {
        if !self.track.leads_to(&self.cur) {
            return Err(Step::Raise(Val::from_string(format!(
                "Invalid path expression near attempt to iterate through {}",
                dump::excerpt(&self.cur, 29)
            ))));
        }
        let pc = self.pc as Pc;
        match std::mem::take(&mut self.cur) {
            Val::Arr(list) => {
                let Some(v) = list.0.first().cloned() else { return Err(Step::Backtrack) };
                if list.0.len() > 1 {
                    self.fork(Kind::Array { pc, list, next: 1 }, Val::Null);
                }
                if self.track.counts() {
                    self.track.push(Val::Num(0.0), v.clone());
                }
                self.cur = v;
                Ok(())
            }
            Val::Obj(object) => {
                let Some((k, v)) = object.entries().first().cloned() else { return Err(Step::Backtrack) };
                if object.len() > 1 {
                    self.fork(Kind::Object { pc, object, next: 1 }, Val::Null);
                }
                if self.track.counts() {
                    self.track.push(Val::Str(k), v.clone());
                }
                self.cur = v;
                Ok(())
            }
            _ if optional => Err(Step::Backtrack),
            other => {
                let text = format!("Cannot iterate over {} ({})", other.kind(), dump::excerpt(&other, 14));
                Err(Step::Raise(Val::from_string(text)))
            }
        }
    }

    /// Returns `.`, and leaves a fork for its contents in depth-first order.
    pub(super) fn recurse(&mut self) {
        if !matches!(self.cur, Val::Arr(_) | Val::Obj(_)) {
            return;
        }
        if !self.track.leads_to(&self.cur) {
            // The value itself is a result. Only the access to its elements fails, silently as in `.[]?`.
            return;
        }
        let mut pending = Vec::new();
        let track = self.track.clone();
        self.push_children(&mut pending, &self.cur, &track);
        if !pending.is_empty() {
            let pc = self.pc as Pc;
            self.fork(Kind::Recurse { pc, pending }, Val::Null);
        }
    }

    /// Adds the elements of `v` in reverse order, so that the first one is last.
    pub(super) fn push_children(&self, pending: &mut Vec<(Val, Track)>, v: &Val, track: &Track) {
        let at = |key: Val, child: &Val| {
            let mut track = track.clone();
            if track.counts() {
                track.push(key, child.clone());
            }
            (child.clone(), track)
        };
        match v {
            Val::Arr(list) => {
                pending.extend(list.0.iter().enumerate().rev().map(|(i, c)| at(Val::Num(i as f64), c)));
            }
            Val::Obj(object) => {
                pending.extend(object.entries().iter().rev().map(|(k, c)| at(Val::Str(k.clone()), c)));
            }
            _ => {}
        }
    }

    pub(super) fn get_path(&mut self, path: Val) -> Result<(), Val> {
        let v = paths::get_path(&self.cur, &path)?;
        if self.track.counts()
            && self.track.leads_to(&self.cur)
            && let Val::Arr(keys) = path
        {
            let count = keys.0.len();
            for (i, key) in keys.0.iter().enumerate() {
                let at = if i + 1 == count { v.clone() } else { Val::Null };
                self.track.push(key.clone(), at);
            }
        }
        self.cur = v;
        Ok(())
    }
}
