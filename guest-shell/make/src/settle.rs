//! What follows from the end of a target, and of the run.

use crate::freshness::{MISSING, NEW};
use crate::node::{NodeId, Outcome, Stage};
use crate::say::bytes;
use crate::session::Make;
use crate::text::{Text, join};
use sandshell_sys as sys;

impl Make {
    /// Notes that a node is done, and how new it is now.
    pub(crate) fn settle(&mut self, id: NodeId, outcome: Outcome) {
        let node = &mut self.graph[id];
        let ran = node.stage == Stage::Busy;
        node.outcome = outcome;
        self.close(id);
        if ran && self.o.touch && outcome == Outcome::Fine {
            self.touch(id);
        }
        let pretend = self.o.just_print || self.o.question;
        let node = &mut self.graph[id];
        let without_recipe = node.recipe.is_none();
        if node.phony || ran && (pretend || node.recipe.as_ref().is_some_and(|r| r.is_empty())) {
            node.time = Some(NEW);
        } else if ran {
            node.time = None;
        }
        // What was made and is not there, or is made by nothing at all, counts as new.
        let counts = if ran { outcome == Outcome::Fine } else { without_recipe && self.graph[id].has_rule };
        if counts && self.time(id) == MISSING {
            self.graph[id].time = Some(NEW);
        }
        let time = self.graph[id].time.filter(|_| ran);
        let group: Vec<NodeId> = self.graph.group(self.graph[id].head).filter(|n| *n != id).collect();
        for other in group.into_iter().filter(|_| time.is_some()) {
            if self.graph[other].stage == Stage::Done {
                self.graph[other].time = time;
            }
        }
        for partner in self.graph[id].partners.clone() {
            if ran && !self.graph[partner].phony && !self.graph[partner].on_path {
                self.graph[partner].time = None;
                if self.time(partner) == MISSING && pretend {
                    self.graph[partner].time = Some(NEW);
                }
            }
            if self.graph[partner].stage == Stage::Busy {
                self.graph[partner].outcome = outcome;
                self.close(partner);
            }
        }
    }

    fn close(&mut self, id: NodeId) {
        self.graph[id].stage = Stage::Done;
        self.ended.push(id);
    }

    // `-t`.
    fn touch(&mut self, id: NodeId) {
        if self.graph[id].phony {
            return;
        }
        self.note_action(id);
        let name = &self.graph[id].name;
        if !self.is_silent(id) {
            self.plain(&bytes!("touch ", name));
        }
        if self.o.just_print {
            return;
        }
        use sys::open_flags as o;
        if let Ok(fd) = sys::open(name, o::WRITE | o::CREATE | o::CLOEXEC, 0o666) {
            let _ = sys::close(fd);
            let _ = sys::utimens(name, sys::SetTime::Now, sys::SetTime::Now, true);
        }
    }

    /// Removes what a recipe that failed has left of its targets.
    pub(crate) fn remove_partial(&mut self, id: NodeId) {
        let mut all = vec![id];
        all.extend(&self.graph[id].partners);
        for target in all {
            let before = self.graph[target].time_before.unwrap_or(MISSING);
            self.graph[target].time = None;
            let now = self.time(target);
            let node = &self.graph[target];
            let regular = || sys::stat(&node.name, true).is_ok_and(|s| s.is_file());
            if node.precious || node.phony || now == MISSING || now == before || !regular() {
                continue;
            }
            let whose = if target == id { Text::new() } else { bytes!("[", self.graph[id].name, "] ") };
            self.warn(None, &bytes!("*** ", whose, "Deleting file '", node.name, "'"));
            let _ = sys::unlink(&node.name);
            self.graph[target].time = None;
        }
    }

    /// Removes the files between two rules that this run has made.
    pub(crate) fn remove_leftovers(&mut self) {
        if self.o.question || self.o.touch || self.specials.all_between {
            return;
        }
        for goal in &self.goals {
            self.graph[goal.node].time_before = None;
        }
        let mut names: Vec<Text> = Vec::new();
        for node in self.graph.iter_mut() {
            let kept = !node.intermediate || node.precious || node.secondary || node.phony;
            let made = node.stage == Stage::Done && node.time_before == Some(MISSING);
            if !kept && made && (self.o.just_print || sys::unlink(&node.name).is_ok()) {
                node.time_before = None;
                names.push(node.name.clone());
            }
        }
        if !names.is_empty() && !self.o.silent {
            self.plain(&bytes!("rm ", join(names)));
        }
    }
}
