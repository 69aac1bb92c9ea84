//! A backtracking matcher for what automata cannot do: back-references, and the groups of a match whose end is already
//! known.

use crate::ast::{Anchor, Node};
use crate::class;
use crate::hir::encode;
use crate::syntax::Flags;
use regex_syntax::hir::ClassUnicode;
use std::cell::RefCell;
use std::collections::HashSet;

/// A group's span.
pub(crate) type Span = Option<(usize, usize)>;

enum Inst {
    Byte(u8),
    Set(usize),
    /// Try the first, then the second.
    Split(usize, usize),
    Jump(usize),
    /// The start (even) or end (odd) of a group, and whether this is an optional iteration of a repetition.
    Save(usize, bool),
    /// Records where an iteration of a loop begins.
    Enter(usize),
    /// Leaves the loop (second number) if the iteration matched nothing.
    Progress(usize, usize),
    Anchor(Anchor),
    Back(usize),
    Fail,
    Match,
}

/// A set of characters. The ASCII part is a bit set.
struct Set {
    ascii: u128,
    class: ClassUnicode,
}

impl Set {
    fn new(class: &ClassUnicode) -> Self {
        let ascii =
            (0..128u8).filter(|b| class::contains(class, char::from(*b))).fold(0, |bits, b| bits | 1 << b);
        Self { ascii, class: class.clone() }
    }

    // The position after the character at `at`, if that is a member of the set.
    fn step(&self, text: &[u8], at: usize, flags: Flags) -> Option<usize> {
        let first = *text.get(at)?;
        if first < 0x80 {
            return (self.ascii >> first & 1 == 1).then_some(at + 1);
        }
        let (c, len) = char_at(text, at, flags)?;
        class::contains(&self.class, c).then_some(at + len)
    }
}

/// A compiled pattern.
pub(crate) struct Program {
    code: Vec<Inst>,
    sets: Vec<Set>,
    /// The number of slots: first those of groups, then those of loops.
    slots: usize,
    groups: usize,
    backrefs: Vec<usize>,
    flags: Flags,
    scratch: RefCell<Scratch>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// The match must end at the given end.
    Exact,
    Longest,
    Any,
}

/// A group's start or end on a path: slot, position, whether in an optional iteration.
type Passed = (usize, usize, bool);

enum Job {
    /// Position in the program, position in the text, and length of the log at that point.
    Explore(usize, usize, usize),
    Restore(usize, usize),
}

const NONE: usize = usize::MAX;

/// How many steps a search with back-references takes before it records its states.
const FREE_STEPS: usize = 10_000;

impl Program {
    /// Compiles `node`, which has `groups` groups.
    pub(crate) fn new(node: &Node, groups: usize, flags: Flags) -> Self {
        let slots = (groups + 1) * 2;
        let mut p = Self {
            code: Vec::new(),
            sets: Vec::new(),
            slots,
            groups,
            backrefs: Vec::new(),
            flags,
            scratch: RefCell::default(),
        };
        p.emit(node, false, false);
        p.code.push(Inst::Match);
        p.backrefs.sort_unstable();
        p.backrefs.dedup();
        p
    }

    /// The groups of the match from `start` to exactly `end`. Group 0 is the match.
    pub(crate) fn groups_between(&self, text: &[u8], start: usize, end: usize) -> Option<Vec<Span>> {
        self.run(text, start, end, Goal::Exact)
    }

    /// The longest match that begins at `start` and ends at or before `limit`.
    pub(crate) fn longest_at(&self, text: &[u8], start: usize, limit: usize) -> Option<Vec<Span>> {
        self.run(text, start, limit, Goal::Longest)
    }

    /// Whether a match begins at `start` and ends at or before `limit`.
    pub(crate) fn matches_at(&self, text: &[u8], start: usize, limit: usize) -> bool {
        self.run(text, start, limit, Goal::Any).is_some()
    }

    // `optional`: the node is an optional iteration of a repetition. `copy`: it was made by unrolling a repetition.
    // glibc loses the mark of optional iterations when it copies a node, and the groups of a match depend on that.
    fn emit(&mut self, node: &Node, optional: bool, copy: bool) {
        match node {
            Node::Empty => {}
            Node::Char(c) => self.code.extend(encode(*c, self.flags).into_iter().map(Inst::Byte)),
            Node::Set(s) if s.ranges().is_empty() => self.code.push(Inst::Fail),
            Node::Set(s) => {
                let at = self.sets.iter().position(|have| have.class == *s).unwrap_or_else(|| {
                    self.sets.push(Set::new(s));
                    self.sets.len() - 1
                });
                self.code.push(Inst::Set(at));
            }
            Node::Anchor(a) => self.code.push(Inst::Anchor(*a)),
            Node::Group(i, n) => {
                self.code.push(Inst::Save(i * 2, optional));
                self.emit(n, false, copy);
                self.code.push(Inst::Save(i * 2 + 1, optional));
            }
            Node::Concat(v) => v.iter().for_each(|n| self.emit(n, false, copy)),
            Node::Alternate(v) => self.emit_alternate(v, copy),
            Node::Repeat(n, min, max) => self.emit_repeat(n, *min, *max, copy),
            Node::Back(n) => {
                self.backrefs.push(*n);
                self.code.push(Inst::Back(*n));
            }
        }
    }

    fn emit_alternate(&mut self, branches: &[Node], copy: bool) {
        let mut ends = Vec::new();
        for (i, n) in branches.iter().enumerate() {
            if i + 1 == branches.len() {
                self.emit(n, false, copy);
                break;
            }
            let split = self.code.len();
            self.code.push(Inst::Fail);
            self.emit(n, false, copy);
            ends.push(self.code.len());
            self.code.push(Inst::Fail);
            self.set_inst(split, Inst::Split(split + 1, self.code.len()));
        }
        let out = self.code.len();
        for at in ends {
            self.set_inst(at, Inst::Jump(out));
        }
    }

    fn emit_repeat(&mut self, n: &Node, min: u32, max: Option<u32>, copy: bool) {
        for i in 0..min {
            self.emit(n, false, copy || i > 0);
        }
        match max {
            None => {
                let split = self.code.len();
                self.code.push(Inst::Fail);
                let slot = self.slots;
                if n.nullable() {
                    self.slots += 1;
                    self.code.push(Inst::Enter(slot));
                }
                self.emit(n, !copy, copy || min > 0);
                if n.nullable() {
                    self.code.push(Inst::Progress(slot, self.code.len() + 2));
                }
                self.code.push(Inst::Jump(split));
                self.set_inst(split, Inst::Split(split + 1, self.code.len()));
            }
            // Unrolled as glibc does: `x{0,3}` becomes `(((x)?x)?x)?`.
            Some(max) => {
                let splits: Vec<usize> = (min..max)
                    .map(|_| {
                        self.code.push(Inst::Fail);
                        self.code.len() - 1
                    })
                    .collect();
                for (i, split) in splits.iter().rev().enumerate() {
                    self.emit(n, i == 0 && !copy, copy || i > 0 || min > 0);
                    let out = self.code.len();
                    self.set_inst(*split, Inst::Split(split + 1, out));
                }
            }
        }
    }

    fn set_inst(&mut self, at: usize, inst: Inst) {
        if let Some(slot) = self.code.get_mut(at) {
            *slot = inst;
        }
    }

    fn run(&self, text: &[u8], start: usize, end: usize, goal: Goal) -> Option<Vec<Span>> {
        // There are many short searches, so they share their memory.
        let mut scratch = self.scratch.take();
        scratch.slots.clear();
        scratch.slots.resize(self.slots, NONE);
        scratch.log.clear();
        scratch.jobs.clear();
        scratch.jobs.push(Job::Explore(0, start, 0));
        let mut run = Run { p: self, text, seen: Seen::new(self, start, end), s: scratch };
        let best = run.search(start, end, goal);
        let Run { s, .. } = run;
        self.scratch.replace(s);
        let (stop, log) = best?;
        let mut groups = replay(&log, self.groups);
        if let Some(first) = groups.first_mut() {
            *first = Some((start, stop));
        }
        Some(groups)
    }
}

#[derive(Default)]
struct Scratch {
    slots: Vec<usize>,
    jobs: Vec<Job>,
    /// The starts and ends of groups on this path.
    log: Vec<Passed>,
}

// The groups at the end of a path, by glibc's rule. If an optional iteration of a repeated group matched nothing, but
// the group had matched before, all groups get the values that they had when this group last matched something.
fn replay(log: &[Passed], groups: usize) -> Vec<Span> {
    let mut now = vec![(NONE, NONE); groups + 1];
    let mut before = now.clone();
    for &(slot, at, optional) in log {
        let Some(group) = now.get_mut(slot / 2) else { continue };
        if slot % 2 == 0 {
            *group = (at, NONE);
        } else if group.0 < at {
            group.1 = at;
            before.clone_from(&now);
        } else if optional && before.get(slot / 2).is_some_and(|g| g.0 != NONE) {
            now.clone_from(&before);
        } else {
            group.1 = at;
        }
    }
    now.into_iter().map(|(a, b)| (a != NONE && b != NONE).then_some((a, b))).collect()
}

// The states that have been tried. Without back-references, a state is a position in the program and in the text. With
// them, it also includes what the referenced groups matched.
enum Seen {
    Plain { bits: Vec<u64>, width: usize, start: usize },
    Keyed { steps: usize, seen: HashSet<(usize, usize, Vec<usize>)> },
}

impl Seen {
    fn new(p: &Program, start: usize, end: usize) -> Self {
        if !p.backrefs.is_empty() {
            return Self::Keyed { steps: 0, seen: HashSet::new() };
        }
        let width = end.saturating_sub(start) + 1;
        Self::Plain { bits: vec![0; p.code.len().saturating_mul(width) / 64 + 1], width, start }
    }
}

struct Run<'a> {
    p: &'a Program,
    text: &'a [u8],
    seen: Seen,
    s: Scratch,
}

impl Run<'_> {
    fn search(&mut self, start: usize, end: usize, goal: Goal) -> Option<(usize, Vec<Passed>)> {
        let mut best: Option<(usize, Vec<Passed>)> = None;
        while let Some(job) = self.s.jobs.pop() {
            match job {
                Job::Restore(slot, old) => self.set(slot, old),
                Job::Explore(pc, at, log) => {
                    self.s.log.truncate(log);
                    let Some(stop) = self.follow(pc, at, start, end) else { continue };
                    if goal == Goal::Exact {
                        if stop != end {
                            continue;
                        }
                    } else if best.as_ref().is_some_and(|b| b.0 >= stop) {
                        continue;
                    }
                    best = Some((stop, self.s.log.clone()));
                    if stop == end || goal == Goal::Any {
                        break;
                    }
                }
            }
        }
        best
    }

    fn get(&self, slot: usize) -> usize {
        self.s.slots.get(slot).copied().unwrap_or(NONE)
    }

    fn set(&mut self, slot: usize, value: usize) {
        if let Some(s) = self.s.slots.get_mut(slot) {
            *s = value;
        }
    }

    fn save(&mut self, slot: usize, value: usize) {
        self.s.jobs.push(Job::Restore(slot, self.get(slot)));
        self.set(slot, value);
    }

    // Records a state. Returns whether it is new.
    fn visit(&mut self, pc: usize, at: usize) -> bool {
        match &mut self.seen {
            Seen::Plain { bits, width, start } => {
                let i = pc * *width + (at - *start);
                let Some(word) = bits.get_mut(i / 64) else { return false };
                let new = *word & (1 << (i % 64)) == 0;
                *word |= 1 << (i % 64);
                new
            }
            Seen::Keyed { steps, seen } => {
                // Most searches end before it would pay to record states.
                *steps += 1;
                if *steps < FREE_STEPS {
                    return true;
                }
                let mut key = Vec::with_capacity(self.p.backrefs.len() * 2);
                for g in &self.p.backrefs {
                    key.push(self.s.slots.get(g * 2).copied().unwrap_or(NONE));
                    key.push(self.s.slots.get(g * 2 + 1).copied().unwrap_or(NONE));
                }
                seen.insert((pc, at, key))
            }
        }
    }

    // Follows one path until it fails (`None`) or matches. Alternatives are pushed onto the stack.
    fn follow(&mut self, mut pc: usize, mut at: usize, start: usize, end: usize) -> Option<usize> {
        loop {
            let p = self.p;
            match p.code.get(pc)? {
                Inst::Byte(b) => {
                    if at >= end || self.text.get(at) != Some(b) {
                        return None;
                    }
                    at += 1;
                    pc += 1;
                }
                Inst::Set(i) => {
                    at = p.sets.get(*i)?.step(self.text, at, p.flags)?;
                    if at > end {
                        return None;
                    }
                    pc += 1;
                }
                Inst::Split(a, b) => {
                    if !self.visit(pc, at) {
                        return None;
                    }
                    self.s.jobs.push(Job::Explore(*b, at, self.s.log.len()));
                    pc = *a;
                }
                Inst::Jump(to) => pc = *to,
                Inst::Save(slot, optional) => {
                    self.s.log.push((*slot, at, *optional));
                    if !p.backrefs.is_empty() {
                        self.save(*slot, at);
                    }
                    pc += 1;
                }
                Inst::Enter(slot) => {
                    self.save(*slot, at);
                    pc += 1;
                }
                Inst::Progress(slot, out) => pc = if self.get(*slot) == at { *out } else { pc + 1 },
                Inst::Anchor(a) => {
                    if !holds(*a, self.text, at, p.flags) {
                        return None;
                    }
                    pc += 1;
                }
                Inst::Back(g) => {
                    at = self.back(*g, at, end)?;
                    pc += 1;
                }
                Inst::Fail => return None,
                Inst::Match => return (at >= start).then_some(at),
            }
        }
    }

    fn char_at(&self, at: usize) -> Option<(char, usize)> {
        char_at(self.text, at, self.p.flags)
    }

    // The position after a repetition of the text that the group matched.
    fn back(&self, group: usize, at: usize, end: usize) -> Option<usize> {
        let (a, b) = (self.get(group * 2), self.get(group * 2 + 1));
        let want = self.text.get(a..b)?;
        if !self.p.flags.icase {
            let stop = at + want.len();
            return (stop <= end && self.text.get(at..stop) == Some(want)).then_some(stop);
        }
        let (mut i, mut j) = (a, at);
        while i < b {
            match (self.char_at(i), self.char_at(j)) {
                (Some((x, n)), Some((y, m))) => {
                    if x != y && !x.to_lowercase().eq(y.to_lowercase()) {
                        return None;
                    }
                    i += n;
                    j += m;
                }
                _ if self.text.get(i) == self.text.get(j) => {
                    i += 1;
                    j += 1;
                }
                _ => return None,
            }
        }
        (j <= end).then_some(j)
    }
}

// The character at a position. `None` at the end and at invalid bytes.
fn char_at(text: &[u8], at: usize, flags: Flags) -> Option<(char, usize)> {
    let first = *text.get(at)?;
    if flags.bytes || first < 0x80 {
        return Some((char::from(first), 1));
    }
    let len = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let s = std::str::from_utf8(text.get(at..at + len)?).ok()?;
    s.chars().next().map(|c| (c, len))
}

fn word_before(text: &[u8], at: usize, flags: Flags) -> bool {
    let Some(&last) = at.checked_sub(1).and_then(|i| text.get(i)) else { return false };
    if last < 0x80 || flags.bytes {
        return class::is_word(char::from(last), flags);
    }
    (2..=4).any(|n| {
        at.checked_sub(n)
            .and_then(|i| char_at(text, i, flags))
            .is_some_and(|(c, len)| len == n && class::is_word(c, flags))
    })
}

fn holds(a: Anchor, text: &[u8], at: usize, flags: Flags) -> bool {
    let terminator = flags.lines.or(flags.newline.then_some(b'\n'));
    let line_start = || at == 0 || (terminator.is_some() && text.get(at - 1).copied() == terminator);
    let line_end = || at == text.len() || (terminator.is_some() && text.get(at).copied() == terminator);
    let before = || word_before(text, at, flags);
    let after = || char_at(text, at, flags).is_some_and(|(c, _)| class::is_word(c, flags));
    match a {
        Anchor::LineStart => line_start(),
        Anchor::LineEnd => line_end(),
        Anchor::TextStart => at == 0 || (flags.lines.is_some() && line_start()),
        Anchor::TextEnd => at == text.len() || (flags.lines.is_some() && line_end()),
        Anchor::WordStart => !before() && after(),
        Anchor::WordEnd => before() && !after(),
        Anchor::Boundary => before() != after(),
        Anchor::NotBoundary => before() == after(),
        Anchor::NotAfterWord => !before(),
        Anchor::NotBeforeWord => !after(),
    }
}
