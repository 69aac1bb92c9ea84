//! Sorts processes, by columns or as a tree.

use super::column::{self, Around, Kind};
use crate::procps::process::Process;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A key of `--sort`.
pub(super) struct Key {
    kind: Kind,
    descending: bool,
}

/// Parses a list of keys `[+|-]NAME,…`. The error is ps's message.
pub(super) fn keys(list: &str) -> Result<Vec<Key>, String> {
    list.split(',')
        .map(|word| {
            let name = word.trim_start_matches(['+', '-']);
            let kind = column::find(name).ok_or("unknown sort specifier")?;
            Ok(Key { kind, descending: word.starts_with('-') })
        })
        .collect()
}

/// Sorts by the keys. Equal processes keep their order.
pub(super) fn sort(processes: &mut [Process], keys: &[Key], around: &mut Around) {
    processes.sort_by(|a, b| {
        keys.iter()
            .map(|k| {
                let order = k.kind.compare(a, b, around);
                if k.descending { order.reverse() } else { order }
            })
            .find(|o| *o != Ordering::Equal)
            .unwrap_or(Ordering::Equal)
    });
}

/// Sorts children after their parents. Each process comes with the text to print before its command.
pub(super) fn tree(processes: Vec<Process>, lines: bool) -> Vec<(Vec<u8>, Process)> {
    let there: BTreeSet<i64> = processes.iter().map(|p| p.pid).collect();
    let mut children: BTreeMap<i64, Vec<Process>> = BTreeMap::new();
    for p in processes {
        // A process whose parent is not in the list is a root.
        let parent = if there.contains(&p.parent) && p.parent != p.pid { p.parent } else { 0 };
        children.entry(parent).or_default().push(p);
    }
    let mut out = Vec::new();
    let mut waiting: Vec<(Vec<u8>, Process, bool, usize)> = Vec::new();
    let push = |waiting: &mut Vec<_>, list: Vec<Process>, trunk: &[u8], depth: usize| {
        let count = list.len();
        let rows = list.into_iter().enumerate().map(|(i, p)| (trunk.to_vec(), p, i + 1 == count, depth));
        let rows: Vec<_> = rows.collect();
        waiting.extend(rows.into_iter().rev());
    };
    push(&mut waiting, children.remove(&0).unwrap_or_default(), b"", 0);
    while let Some((trunk, p, last, depth)) = waiting.pop() {
        let branch = match (lines, depth) {
            (_, 0) => Vec::new(),
            (true, _) => [trunk.as_slice(), b" \\_ "].concat(),
            (false, _) => b"  ".repeat(depth),
        };
        let below = if depth == 0 {
            Vec::new()
        } else {
            [trunk.as_slice(), if last { b"    " } else { b" |  " }].concat()
        };
        let list = children.remove(&p.pid).unwrap_or_default();
        out.push((branch, p));
        push(&mut waiting, list, &below, depth + 1);
    }
    out
}
