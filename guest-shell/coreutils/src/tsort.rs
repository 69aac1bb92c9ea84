//! `tsort`: prints the same order as GNU's, even for loops.

use sandshell_cli::input::Input;
use sandshell_cli::options::{self, Spec};
use sandshell_cli::out;
use sandshell_cli::quote::quotef;
use sandshell_cli::{bytes, warn};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "tsort",
    usage: "\
Usage: tsort [OPTION] [FILE]
Puts things in order: the input is pairs of words, and the first word of a pair comes before the second one in the output.
",
    ..Spec::DEFAULT
};

struct Item {
    name: Vec<u8>,
    /// The number of predecessors that are not printed yet.
    count: usize,
    /// The successors, latest first.
    successors: Vec<usize>,
    printed: bool,
    link: Option<usize>,
}

/// Runs `tsort` and returns its exit status.
pub fn tsort_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    if let Some(extra) = parsed.operands.get(1) {
        return Err(SPEC.extra_operand(extra));
    }
    let path = parsed.operands.first().map_or(&b"-"[..], Vec::as_slice);
    let mut input = Input::open(path).map_err(|e| {
        warn!("tsort", quotef(path), ": ", e);
        1
    })?;
    // Like in GNU tsort, a file that cannot be read counts as empty.
    let text = input.rest().unwrap_or_default();
    let words: Vec<&[u8]> =
        text.split(|b| matches!(b, b' ' | b'\t' | b'\n')).filter(|w| !w.is_empty()).collect();
    if words.len() % 2 == 1 {
        warn!("tsort", quotef(path), ": input contains an odd number of tokens");
        return Err(1);
    }
    let mut index: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut items: Vec<Item> = Vec::new();
    for pair in words.chunks_exact(2) {
        let [a, b] = [pair[0], pair[1]].map(|word| {
            *index.entry(word).or_insert_with(|| {
                let name = word.to_vec();
                items.push(Item { name, count: 0, successors: Vec::new(), printed: false, link: None });
                items.len() - 1
            })
        });
        if a != b {
            items[b].count += 1;
            items[a].successors.push(b);
        }
    }
    let order: Vec<usize> = index.into_values().collect();
    let mut code = 0;
    let mut left = items.len();
    while left > 0 {
        let mut zeros: VecDeque<usize> =
            order.iter().copied().filter(|i| items[*i].count == 0 && !items[*i].printed).collect();
        while let Some(i) = zeros.pop_front() {
            out::put(bytes!(&items[i].name, "\n"));
            items[i].printed = true;
            left -= 1;
            for s in items[i].successors.clone().into_iter().rev() {
                items[s].count -= 1;
                if items[s].count == 0 {
                    zeros.push_back(s);
                }
            }
        }
        if left > 0 {
            warn!("tsort", quotef(path), ": input contains a loop:");
            code = 1;
            break_loop(&mut items, &order);
        }
    }
    Ok(out::finish("tsort", code, 1))
}

/// Finds a loop by walking backwards, reports it, and removes one of its relations.
fn break_loop(items: &mut [Item], order: &[usize]) {
    let mut head: Option<usize> = None;
    loop {
        for &k in order {
            if items[k].count == 0 {
                continue;
            }
            let Some(current) = head else {
                head = Some(k);
                continue;
            };
            let Some(at) = items[k].successors.iter().rposition(|s| *s == current) else { continue };
            if items[k].link.is_none() {
                items[k].link = Some(current);
                head = Some(k);
                continue;
            }
            // The walk has returned to an item that it already visited.
            let mut next = Some(current);
            let mut cut = false;
            while let Some(i) = next {
                next = items[i].link;
                if !cut {
                    warn!("tsort", &items[i].name);
                    if i == k {
                        items[current].count -= 1;
                        items[k].successors.remove(at);
                        cut = true;
                    }
                }
                items[i].link = None;
            }
            return;
        }
        if head.is_none() {
            return;
        }
    }
}
