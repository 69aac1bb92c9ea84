//! Matching with sets of positions.

use std::collections::HashMap;
use std::rc::Rc;

use super::class::decode;
use super::{Group, Node, find_bytes, match_one};

/// A set of positions in a text.
#[derive(Debug, Clone)]
pub(super) enum Set {
    /// In ascending order.
    List(Vec<usize>),
    /// Every character boundary from this one to the end.
    From(usize),
    /// Every character boundary from the start to this one.
    To(usize),
}

impl Set {
    pub(super) fn first(&self) -> Option<usize> {
        match self {
            Set::List(list) => list.first().copied(),
            Set::From(first) => Some(*first),
            Set::To(_) => Some(0),
        }
    }

    /// The last position in a text of `length` bytes.
    pub(super) fn last(&self, length: usize) -> Option<usize> {
        match self {
            Set::List(list) => list.last().copied(),
            Set::From(_) => Some(length),
            Set::To(last) => Some(*last),
        }
    }

    pub(super) fn contains(&self, position: usize) -> bool {
        match self {
            Set::List(list) => list.binary_search(&position).is_ok(),
            Set::From(first) => position >= *first,
            Set::To(last) => position <= *last,
        }
    }
}

type Memory = HashMap<(*const Group, usize), Rc<Vec<usize>>>;

pub(super) struct Sets<'a> {
    nodes: &'a [Node],
    text: &'a [u8],
    nocase: bool,
    /// The ends of negated groups, by group and start.
    memory: Memory,
}

impl<'a> Sets<'a> {
    pub(super) fn new(nodes: &'a [Node], text: &'a [u8], nocase: bool) -> Sets<'a> {
        Sets { nodes, text, nocase, memory: HashMap::new() }
    }

    /// The positions where a match that begins at `start` can end.
    pub(super) fn ends(&mut self, start: usize) -> Set {
        let nodes = self.nodes;
        self.after(nodes, Set::List(vec![start]))
    }

    /// The positions where a match that ends at the end of the text can begin.
    pub(super) fn starts(&mut self) -> Set {
        let end = self.text.len();
        if self.nodes.iter().any(|node| matches!(node, Node::Group(_))) || self.nocase {
            let mut list = Vec::new();
            let mut at = 0;
            while at <= end {
                if self.ends(at).contains(end) {
                    list.push(at);
                }
                at += if at < end { decode(self.text, at).1 } else { 1 };
            }
            return Set::List(list);
        }
        let nodes = self.nodes;
        let mut set = Set::List(vec![end]);
        for node in nodes.iter().rev() {
            set = self.before(node, set);
            if matches!(&set, Set::List(list) if list.is_empty()) {
                break;
            }
        }
        set
    }

    fn after(&mut self, nodes: &'a [Node], set: Set) -> Set {
        let mut set = set;
        for node in nodes {
            set = match node {
                Node::Star => match set.first() {
                    Some(first) => Set::From(first),
                    None => return Set::List(Vec::new()),
                },
                Node::Group(group) => Set::List(self.group(group, set)),
                Node::Literal(literal) if !self.nocase => match set {
                    Set::List(list) => Set::List(
                        list.into_iter()
                            .filter(|&at| self.text.get(at..).is_some_and(|rest| rest.starts_with(literal)))
                            .map(|at| at + literal.len())
                            .collect(),
                    ),
                    Set::From(_) | Set::To(_) => {
                        let mut list = Vec::new();
                        let mut at = set.first().unwrap_or(0);
                        while let Some(found) = find_bytes(self.text, literal, at) {
                            list.push(found + literal.len());
                            at = found + 1;
                        }
                        Set::List(list)
                    }
                },
                single => {
                    let list = self.listed(set);
                    Set::List(
                        list.into_iter()
                            .filter_map(|at| {
                                match_one(single, self.text, at, self.nocase).map(|length| at + length)
                            })
                            .collect(),
                    )
                }
            };
            if matches!(&set, Set::List(list) if list.is_empty()) {
                return set;
            }
        }
        set
    }

    /// The positions from which a node can match up to a position in `set`.
    fn before(&self, node: &Node, set: Set) -> Set {
        match node {
            Node::Star => match set.last(self.text.len()) {
                Some(last) => Set::To(last),
                None => set,
            },
            Node::Literal(literal) => match set {
                Set::List(list) => Set::List(
                    list.into_iter()
                        .filter_map(|at| at.checked_sub(literal.len()))
                        .filter(|&at| self.text.get(at..).is_some_and(|rest| rest.starts_with(literal)))
                        .collect(),
                ),
                Set::From(_) | Set::To(_) => {
                    let last = set.last(self.text.len()).unwrap_or(0);
                    let mut list = Vec::new();
                    let mut at = 0;
                    while let Some(found) = find_bytes(self.text, literal, at) {
                        if found + literal.len() > last {
                            break;
                        }
                        list.push(found);
                        at = found + 1;
                    }
                    Set::List(list)
                }
            },
            single => {
                // Character boundaries can be found only from the start of the text.
                let mut list = Vec::new();
                let mut at = 0;
                while at < self.text.len() {
                    let next = at + decode(self.text, at).1;
                    if set.contains(next) && match_one(single, self.text, at, false).is_some() {
                        list.push(at);
                    }
                    at = next;
                }
                Set::List(list)
            }
        }
    }

    fn listed(&self, set: Set) -> Vec<usize> {
        match set {
            Set::List(list) => list,
            Set::From(first) => self.boundaries(first),
            Set::To(last) => {
                let mut list = self.boundaries(0);
                list.retain(|&at| at <= last);
                list
            }
        }
    }

    /// The character boundaries from `first` to the end.
    fn boundaries(&self, first: usize) -> Vec<usize> {
        let mut list = Vec::new();
        let mut at = first;
        while at < self.text.len() {
            list.push(at);
            at += decode(self.text, at).1;
        }
        list.push(self.text.len());
        list
    }

    fn group(&mut self, group: &'a Group, set: Set) -> Vec<usize> {
        let starts = self.listed(set);
        match group.kind {
            b'@' => self.any_choice(group, starts),
            b'?' => {
                let ends = self.any_choice(group, starts.clone());
                merge(starts, ends)
            }
            b'*' | b'+' => {
                let mut all = if group.kind == b'*' { starts.clone() } else { Vec::new() };
                let mut fresh = starts;
                while !fresh.is_empty() {
                    let ends = self.any_choice(group, fresh);
                    fresh = ends.into_iter().filter(|at| all.binary_search(at).is_err()).collect();
                    all = merge(all, fresh.clone());
                }
                all
            }
            _ => {
                let mut reached = vec![false; self.text.len() + 1];
                for start in starts {
                    for &end in self.not_choice(group, start).iter() {
                        if let Some(mark) = reached.get_mut(end) {
                            *mark = true;
                        }
                    }
                }
                (0..reached.len()).filter(|&at| reached.get(at) == Some(&true)).collect()
            }
        }
    }

    fn any_choice(&mut self, group: &'a Group, starts: Vec<usize>) -> Vec<usize> {
        let mut all = Vec::new();
        for choice in &group.choices {
            let ends = self.after(choice, Set::List(starts.clone()));
            all = merge(all, self.listed(ends));
        }
        all
    }

    fn not_choice(&mut self, group: &'a Group, start: usize) -> Rc<Vec<usize>> {
        let key = (std::ptr::from_ref(group), start);
        if let Some(known) = self.memory.get(&key) {
            return known.clone();
        }
        let matched = self.any_choice(group, vec![start]);
        let mut ends = self.boundaries(start);
        ends.retain(|at| matched.binary_search(at).is_err());
        let ends = Rc::new(ends);
        self.memory.insert(key, ends.clone());
        ends
    }
}

/// Merges two ascending lists, without duplicates.
fn merge(left: Vec<usize>, right: Vec<usize>) -> Vec<usize> {
    if left.is_empty() {
        return right;
    }
    if right.is_empty() {
        return left;
    }
    let mut all = left;
    all.extend(right);
    all.sort_unstable();
    all.dedup();
    all
}
