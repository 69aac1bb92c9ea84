//! Which makefiles are read, and their being made before anything else.

use crate::freshness::{MISSING, Time};
use crate::node::{NodeId, Outcome, Stage};
use crate::say::{Fatal, Result, bytes};
use crate::schedule::Goal;
use crate::session::Make;
use crate::text::{Text, words};
use sandshell_sys as sys;

const DEFAULTS: [&[u8]; 3] = [b"GNUmakefile", b"makefile", b"Makefile"];

/// A makefile that was read, or looked for.
#[derive(Clone, Debug)]
pub(crate) struct Makefile {
    pub(crate) name: Text,
    /// It need not exist.
    pub(crate) optional: bool,
}

impl Make {
    /// Reads the makefiles that are asked for, or the usual one.
    pub(crate) fn read_makefiles(&mut self) -> Result<()> {
        if let Some(names) = std::env::var_os("MAKEFILES") {
            for name in words(&names.into_encoded_bytes()) {
                let _ = self.read_makefile(name)?;
            }
        }
        for name in self.o.makefiles.clone() {
            if name == b"-" {
                let text = sys::read_to_end(0).unwrap_or_default();
                self.eval_named(&text, b"<stdin>")?;
                continue;
            }
            if let Err(e) = self.read_makefile(&name)? {
                self.warn(None, &bytes!(name, ": ", e.to_string()));
            }
            self.makefiles.push(Makefile { name, optional: false });
        }
        if !self.o.makefiles.is_empty() {
            return Ok(());
        }
        for name in DEFAULTS {
            if self.read_makefile(name)?.is_ok() {
                self.makefiles.push(Makefile { name: name.to_vec(), optional: false });
                return Ok(());
            }
        }
        // They may be made.
        self.makefiles.extend(DEFAULTS.map(|name| Makefile { name: name.to_vec(), optional: true }));
        Ok(())
    }

    /// Makes the makefiles, the last one first. None if one has changed; false if one has failed and make goes on.
    pub(crate) fn refresh_makefiles(&mut self, restarts: usize) -> Result<Option<bool>> {
        let mut before: Vec<(NodeId, Time, Makefile)> = Vec::new();
        for makefile in self.makefiles.clone().into_iter().rev() {
            let id = self.graph.intern(&makefile.name);
            let node = &self.graph[id];
            // A file that is always made would be made for ever.
            let endless = node.double_colon && node.links.is_empty() && node.recipe.is_some();
            if !endless && before.iter().all(|(other, ..)| *other != id) {
                let time = self.time(id);
                before.push((id, time, makefile));
            }
        }
        let given = self.o.clone();
        (self.o.just_print, self.o.question, self.o.touch) = (false, false, false);
        self.o.always &= restarts == 0;
        self.refreshing = true;
        let outcome = self.build(before.iter().map(|(id, _, m)| Goal::new(*id, m.optional)).collect());
        self.refreshing = false;
        let mut changed = false;
        let mut failed = Vec::new();
        for (id, time, makefile) in &before {
            self.graph[*id].time = None;
            let now = self.time(*id);
            changed |= now != *time && now != MISSING;
            if !makefile.optional && self.outcome_of_group(*id) == Outcome::Failed {
                failed.push(&makefile.name);
            }
        }
        let stops = outcome.is_err() || self.halted || !failed.is_empty() && !self.o.keep_going;
        let again = failed.is_empty() && changed;
        if stops || again {
            self.remove_leftovers();
        }
        self.o = given;
        outcome?;
        if stops {
            return Err(Fatal(2));
        }
        if again {
            return Ok(None);
        }
        for name in &failed {
            self.warn(None, &bytes!("Failed to remake makefile '", name, "'."));
        }
        self.forget_walk();
        Ok(Some(failed.is_empty()))
    }

    /// Tells that the makefile for which a node is made could not be read.
    pub(crate) fn tell_unread(&mut self, id: NodeId) {
        let goal = self.goals.get(self.graph[id].goal).map(|g| g.node).filter(|_| self.refreshing);
        if let Some(at) = self.unread.iter().position(|(id, _)| Some(*id) == goal) {
            let _ = sys::write_all(2, &self.unread.remove(at).1);
        }
    }

    // Everything is looked at again, except for what was made.
    fn forget_walk(&mut self) {
        for node in self.graph.iter_mut() {
            (node.wanted_by, node.on_path) = (None, false);
            if node.stage != Stage::Done || node.outcome == Outcome::Failed || node.recipe.is_none() {
                (node.stage, node.outcome) = (Stage::Untouched, Outcome::Fine);
            }
        }
    }
}
