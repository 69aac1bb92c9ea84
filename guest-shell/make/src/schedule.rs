//! The walk through the graph, from the goals to all that they need.
//!
//! A target is visited when something that needs it is: its prerequisites are visited first, in their order, without
//! recursion. If recipes of some of them still run, the visit is parked, and goes on when they have ended; meanwhile
//! the walk goes on elsewhere. A missing intermediate file is looked through: what it is made of counts in its place,
//! and it is made only if the target has to be.

use crate::freshness::{MISSING, OLD};
use crate::node::{Link, NodeId, Outcome, Stage};
use crate::say::{Result, bytes};
use crate::session::Make;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A target that is asked for.
#[derive(Debug)]
pub(crate) struct Goal {
    pub(crate) node: NodeId,
    /// Failing is nothing to tell of.
    pub(crate) optional: bool,
    /// Something was done for it.
    acted: bool,
    told: bool,
}

impl Goal {
    pub(crate) fn new(node: NodeId, optional: bool) -> Self {
        Self { node, optional, acted: false, told: false }
    }
}

/// A thing to be done for a visit.
#[derive(Clone, Copy)]
enum Step {
    /// To find out what the node is made of.
    Begin,
    /// To look at a prerequisite; `weighs` if the target has to be newer than it.
    Link { from: NodeId, to: NodeId, weighs: bool },
    /// To bring one node up to date.
    Build { node: NodeId, weighs: bool },
    /// The prerequisites of an intermediate file are all looked at.
    Leave(NodeId),
}

/// The visit of a target.
struct Visit {
    node: NodeId,
    for_goal: bool,
    /// The next one is the last.
    steps: Vec<Step>,
    /// The prerequisites that were built, and whether they weigh.
    built: Vec<(NodeId, bool)>,
    /// Those whose end is waited for.
    awaited: Vec<NodeId>,
    /// The intermediate files that were looked through, and whether they weighed.
    looked: HashSet<(NodeId, bool)>,
    /// One of those is newer than the target.
    outdated: bool,
    /// The intermediate files are to be made, too.
    complete: bool,
    /// Its turn among the parked ones.
    turn: Option<usize>,
}

enum Next {
    Continue,
    Park,
    Visit(Visit),
}

struct Walk<'a> {
    make: &'a mut Make,
    /// From the goal to the node that is looked at.
    path: Vec<Visit>,
    parked: HashMap<NodeId, Visit>,
    /// Who is parked until a node is done.
    waiting: HashMap<NodeId, Vec<NodeId>>,
    /// Parked visits that can go on, by their turn.
    ready: BTreeSet<(usize, NodeId)>,
    /// The turn of the one that went on last: the next one is the first behind it.
    last_turn: usize,
    turns: usize,
    /// The goal of what is on the path.
    goal: usize,
    /// How many goals have been looked at.
    reached: usize,
}

impl Make {
    /// Brings the goals up to date, one after the other.
    pub(crate) fn build(&mut self, goals: Vec<Goal>) -> Result<Outcome> {
        self.goals = goals;
        self.halted = false;
        self.ended.clear();
        let mut walk = Walk {
            make: self,
            path: Vec::new(),
            parked: HashMap::new(),
            waiting: HashMap::new(),
            ready: BTreeSet::new(),
            last_turn: 0,
            turns: 0,
            goal: 0,
            reached: 0,
        };
        walk.run()?;
        while !self.jobs.is_empty() {
            self.reap()?;
        }
        if self.halted {
            return Ok(Outcome::Failed);
        }
        // The first goal that is not fine decides.
        let outcomes = self.goals.iter().map(|g| self.outcome_of_group(g.node));
        Ok(outcomes.into_iter().find(|o| *o != Outcome::Fine).unwrap_or_default())
    }

    /// Notes that something was done for a node, and so for its goal.
    pub(crate) fn note_action(&mut self, id: NodeId) {
        if let Some(goal) = self.goals.get_mut(self.graph[id].goal) {
            goal.acted = true;
        }
    }

    /// Whether nothing is told of errors of a node.
    pub(crate) fn is_optional(&self, id: NodeId) -> bool {
        self.goals.get(self.graph[id].goal).is_some_and(|g| g.optional)
    }

    // A file that may be looked through.
    fn is_between(&self, id: NodeId) -> bool {
        let node = &self.graph[id];
        !node.phony && !node.double_colon && (node.intermediate || self.specials.all_between)
    }

    pub(crate) fn outcome_of_group(&self, head: NodeId) -> Outcome {
        self.graph.group(head).map(|n| self.graph[n].outcome).max().unwrap_or_default()
    }

    fn is_done(&self, id: NodeId) -> bool {
        self.graph[id].stage == Stage::Done
    }
}

impl Walk<'_> {
    fn run(&mut self) -> Result<()> {
        for goal in 0..self.make.goals.len() {
            (self.goal, self.reached) = (goal, goal + 1);
            let head = self.make.goals[goal].node;
            for node in self.make.timed_group(head) {
                if self.make.graph[node].stage == Stage::Untouched {
                    let visit = self.open(node, true);
                    self.path.push(visit);
                    self.follow()?;
                }
            }
            if self.tell_goals() {
                return Ok(());
            }
        }
        while self.make.goals.iter().any(|g| !g.told) {
            self.wake();
            let behind = self.ready.range((self.last_turn + 1, 0)..).next();
            if let Some((turn, node)) = behind.or_else(|| self.ready.first()).copied() {
                self.ready.remove(&(turn, node));
                self.last_turn = turn;
                self.go_on(node)?;
            } else if self.make.jobs.is_empty() {
                // They wait for each other: the first one does without what it waits for.
                let begun = self.parked.values().filter(|v| !matches!(v.steps.last(), Some(Step::Begin)));
                let first = begun.min_by_key(|v| v.turn).map(|v| v.node);
                let Some(first) = first else { return Ok(()) };
                self.go_on(first)?;
            } else {
                self.last_turn = 0;
                self.make.reap()?;
            }
            if self.tell_goals() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn open(&mut self, id: NodeId, for_goal: bool) -> Visit {
        let node = &mut self.make.graph[id];
        node.stage = Stage::Open;
        node.goal = self.goal;
        node.on_path = true;
        Visit {
            node: id,
            for_goal,
            steps: vec![Step::Begin],
            built: Vec::new(),
            awaited: Vec::new(),
            looked: HashSet::new(),
            outdated: false,
            complete: false,
            turn: None,
        }
    }

    // Goes on with a parked visit.
    fn go_on(&mut self, node: NodeId) -> Result<()> {
        let Some(mut visit) = self.parked.remove(&node) else { return Ok(()) };
        visit.awaited.clear();
        if self.make.is_done(node) {
            // The recipe of another target has made it.
            return Ok(());
        }
        self.goal = self.make.graph[node].goal;
        self.make.graph[node].on_path = true;
        self.path.push(visit);
        self.follow()
    }

    // Does what is on the path, until all of it is done or parked.
    fn follow(&mut self) -> Result<()> {
        while let Some(mut visit) = self.path.pop() {
            let next = match visit.steps.pop() {
                Some(step) => self.take(&mut visit, step)?,
                None if self.has_more(&mut visit) => Next::Continue,
                None if !visit.awaited.is_empty() => Next::Park,
                None => {
                    self.finish(&visit)?;
                    self.make.graph[visit.node].on_path = false;
                    if self.make.halted {
                        return Ok(());
                    }
                    continue;
                }
            };
            match next {
                Next::Continue => self.path.push(visit),
                Next::Visit(other) => self.path.extend([visit, other]),
                Next::Park => self.park(visit),
            }
        }
        Ok(())
    }

    fn take(&mut self, visit: &mut Visit, step: Step) -> Result<Next> {
        let make = &mut *self.make;
        match step {
            Step::Begin => return self.begin(visit),
            Step::Leave(node) => make.graph[node].on_path = false,
            Step::Link { from, to, weighs } => {
                let wanted = to;
                let to = make.stand_in(wanted);
                if to != wanted {
                    let links = make.graph[from].links.iter_mut();
                    links.filter(|l| l.to == wanted).for_each(|l| l.to = to);
                }
                // What is made together with the target is not what messages speak of.
                let together = make.graph[visit.node].partners.contains(&from);
                let wanting = if together { visit.node } else { from };
                if make.graph.group(to).any(|n| make.graph[n].on_path) {
                    make.drop_link(from, to, wanting);
                    return Ok(Next::Continue);
                }
                let untouched = make.graph[to].stage == Stage::Untouched;
                if untouched {
                    make.graph[to].wanted_by = Some(wanting);
                }
                if untouched && make.is_between(to) && make.time(to) != OLD {
                    return self.look_through(visit, to, weighs);
                }
                self.plan_building(visit, to, weighs);
            }
            Step::Build { node, weighs } => match make.graph[node].stage {
                Stage::Untouched => {
                    visit.steps.push(step);
                    return Ok(Next::Visit(self.open(node, false)));
                }
                Stage::Open if make.graph[node].on_path => {}
                Stage::Open | Stage::Busy => {
                    visit.awaited.push(node);
                    visit.built.push((node, weighs));
                }
                Stage::Done => {
                    visit.built.push((node, weighs));
                    if make.graph[node].outcome != Outcome::Fine && !make.o.keep_going {
                        self.give_up(visit);
                    }
                }
            },
        }
        Ok(Next::Continue)
    }

    // The `::` rules of a name are carried out one after the other.
    fn begin(&mut self, visit: &mut Visit) -> Result<Next> {
        let make = &mut *self.make;
        let id = visit.node;
        let before = make.graph.group(make.graph[id].head).take_while(|n| *n != id).last();
        if let Some(other) = before.filter(|n| !make.is_done(*n)) {
            visit.steps.push(Step::Begin);
            visit.awaited.push(other);
            return Ok(Next::Park);
        }
        if make.o.assume_old.contains(&make.graph[id].name) {
            make.settle(id, Outcome::Fine);
            return Ok(Next::Continue);
        }
        make.time(id);
        make.resolve(id)?;
        let mut links = vec![id];
        links.extend(make.graph[id].partners.iter().filter(|p| !make.graph[**p].double_colon));
        // The prerequisites of targets that are made together with this one count, too.
        visit.steps = links.into_iter().flat_map(|from| make.steps_of(from, true)).collect();
        visit.steps.reverse();
        Ok(Next::Continue)
    }

    fn plan_building(&mut self, visit: &mut Visit, head: NodeId, weighs: bool) {
        let make = &mut *self.make;
        for node in make.timed_group(head).into_iter().rev() {
            let wanted_by = make.graph[head].wanted_by;
            make.graph[node].wanted_by = make.graph[node].wanted_by.or(wanted_by);
            visit.steps.push(Step::Build { node, weighs });
        }
    }

    // Puts the prerequisites of an intermediate file in its place.
    fn look_through(&mut self, visit: &mut Visit, id: NodeId, weighs: bool) -> Result<Next> {
        // Several ways may lead to it.
        if visit.looked.contains(&(id, true)) || !visit.looked.insert((id, weighs)) {
            return Ok(Next::Continue);
        }
        let make = &mut *self.make;
        make.resolve(id)?;
        let time = make.time(id);
        visit.outdated |= weighs && time != MISSING && time > make.time(visit.node);
        make.graph[id].on_path = true;
        visit.steps.push(Step::Leave(id));
        let mut steps = make.steps_of(id, weighs);
        steps.reverse();
        visit.steps.extend(steps);
        Ok(Next::Continue)
    }

    // Without steps left: whether there are more, as the target has to be made and its intermediate files are needed.
    fn has_more(&mut self, visit: &mut Visit) -> bool {
        let make = &mut *self.make;
        visit.awaited.retain(|n| make.graph[*n].stage != Stage::Done);
        if make.is_done(visit.node) || make.worst(visit) != Outcome::Fine && !make.o.keep_going {
            visit.awaited.clear();
            return false;
        }
        if visit.complete || !make.is_due(visit) {
            return false;
        }
        visit.complete = true;
        let links = make.graph[visit.node].links.iter().rev().filter(|l| make.is_between(l.to));
        let links: Vec<Link> = links.cloned().collect();
        for link in links {
            self.plan_building(visit, link.to, !link.order_only);
        }
        !visit.steps.is_empty()
    }

    // All prerequisites are done: makes the target if it has to be.
    fn finish(&mut self, visit: &Visit) -> Result<()> {
        let make = &mut *self.make;
        let id = visit.node;
        if make.is_done(id) {
            return Ok(());
        }
        let worst = make.worst(visit);
        if worst == Outcome::Failed || worst == Outcome::Stale && make.o.question {
            make.settle(id, worst);
            let quiet = make.refreshing || make.o.just_print || make.o.question;
            if visit.for_goal && worst == Outcome::Failed && make.o.keep_going && !quiet {
                make.warn(None, &bytes!("Target '", make.graph[id].name, "' not remade because of errors."));
            }
            return Ok(());
        }
        if !make.is_due(visit) {
            make.settle(id, Outcome::Fine);
            return Ok(());
        }
        make.graph[id].time_before = Some(make.time(id));
        if make.graph[id].recipe.is_some() {
            make.mark_newer(id);
            make.bring_home(id)?;
            make.start_recipe(id)?;
        } else if make.graph[id].has_rule || make.graph[id].phony || make.time(id) != MISSING {
            make.settle(id, Outcome::Fine);
        } else {
            make.complain(id)?;
            make.settle(id, Outcome::Failed);
        }
        Ok(())
    }

    fn give_up(&mut self, visit: &mut Visit) {
        for step in visit.steps.drain(..) {
            if let Step::Leave(node) = step {
                self.make.graph[node].on_path = false;
            }
        }
    }

    fn park(&mut self, mut visit: Visit) {
        self.make.graph[visit.node].on_path = false;
        self.turns += usize::from(visit.turn.is_none());
        visit.turn.get_or_insert(self.turns);
        for node in &visit.awaited {
            self.waiting.entry(*node).or_default().push(visit.node);
        }
        self.parked.insert(visit.node, visit);
    }

    // Finds the visits that wait for nothing more.
    fn wake(&mut self) {
        for node in std::mem::take(&mut self.make.ended) {
            for waiter in self.waiting.remove(&node).unwrap_or_default() {
                let Some(visit) = self.parked.get_mut(&waiter) else { continue };
                visit.awaited.retain(|n| *n != node);
                if visit.awaited.is_empty() {
                    self.ready.insert((visit.turn.unwrap_or_default(), waiter));
                }
            }
        }
    }

    // Tells of goals that were up to date already; true if nothing more is to be done.
    fn tell_goals(&mut self) -> bool {
        let make = &mut *self.make;
        for i in 0..self.reached {
            let goal = &make.goals[i];
            let head = goal.node;
            if goal.told || !make.graph.group(head).all(|n| make.is_done(n)) {
                continue;
            }
            let outcome = make.outcome_of_group(head);
            let quiet = goal.acted || make.refreshing || make.o.silent || make.o.question;
            let stop = outcome == Outcome::Failed && !make.o.keep_going && !goal.optional;
            make.goals[i].told = true;
            if outcome == Outcome::Fine && !quiet {
                let node = &make.graph[head];
                let name = make.graph.path(head);
                let text = if node.phony || node.recipe.is_none() {
                    bytes!("Nothing to be done for '", name, "'.")
                } else {
                    bytes!("'", name, "' is up to date.")
                };
                make.message(&text);
            }
            if stop {
                return true;
            }
        }
        make.halted
    }
}

impl Make {
    fn steps_of(&self, from: NodeId, weighs: bool) -> Vec<Step> {
        let links = self.graph[from].links.iter();
        links.map(|l| Step::Link { from, to: l.to, weighs: weighs && !l.order_only }).collect()
    }

    // The nodes of a name. The recipe of one `::` rule may change the time that the next one goes by, so that it is
    // looked up before.
    fn timed_group(&mut self, head: NodeId) -> Vec<NodeId> {
        let group: Vec<NodeId> = self.graph.group(head).collect();
        for node in group.iter().skip(1) {
            self.time(*node);
        }
        group
    }

    fn worst(&self, visit: &Visit) -> Outcome {
        let done = visit.built.iter().filter(|(n, _)| self.is_done(*n));
        done.map(|(n, _)| self.graph[*n].outcome).max().unwrap_or_default()
    }

    // Whether a target has to be made, as far as is known.
    fn is_due(&mut self, visit: &Visit) -> bool {
        let time = self.time(visit.node);
        let node = &self.graph[visit.node];
        time == MISSING
            || visit.outdated
            || self.o.always
            || node.double_colon && node.links.is_empty()
            || visit.built.iter().any(|(n, weighs)| {
                *weighs && self.is_done(*n) && {
                    let other = self.time(*n);
                    other == MISSING || other > time
                }
            })
    }

    // Notes which prerequisites are newer than a target.
    fn mark_newer(&mut self, id: NodeId) {
        let time = self.time(id);
        let all = time == MISSING || self.o.always;
        for i in 0..self.graph[id].links.len() {
            let to = self.graph[id].links[i].to;
            let group: Vec<NodeId> = self.graph.group(to).collect();
            let newer = group.into_iter().any(|node| {
                let other = self.time(node);
                other > time || self.graph[node].time_before.is_some_and(|before| before != other)
            });
            self.graph[id].links[i].newer = all || newer;
        }
    }

    fn drop_link(&mut self, from: NodeId, to: NodeId, shown: NodeId) {
        let at = self.graph[from].links.iter().position(|l| l.to == to);
        at.map(|at| self.graph[from].links.remove(at));
        let (shown, to) = (&self.graph[shown].name, &self.graph[to].name);
        self.warn(None, &bytes!("Circular ", shown, " <- ", to, " dependency dropped."));
    }

    // There is no rule for a file.
    fn complain(&mut self, id: NodeId) -> Result<()> {
        if self.is_optional(id) {
            return Ok(());
        }
        let mut text = bytes!("No rule to make target '", self.graph[id].name, "'");
        if let Some(wanting) = self.graph[id].wanted_by {
            text = bytes!(text, ", needed by '", self.graph[wanting].name, "'");
        }
        self.tell_unread(id);
        if self.o.keep_going {
            self.warn(None, &bytes!("*** ", text, "."));
            return Ok(());
        }
        let fatal = self.fatal(None, &text);
        self.wait_for_jobs()?;
        Err(fatal)
    }
}
