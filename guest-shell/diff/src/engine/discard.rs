//! Takes lines out of the comparison that would only mislead it: those that do not occur in the other text, and lines
//! near them that occur in it too often.

/// What is left of a text to compare.
pub(super) struct Kept {
    /// For each line of the text, whether it is already known to be changed.
    pub(super) changed: Vec<bool>,
    /// The classes of the remaining lines.
    pub(super) classes: Vec<u32>,
    /// The indices of the remaining lines.
    pub(super) lines: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Keep,
    /// The line is taken out because it does not occur in the other text.
    Go,
    /// The line is taken out only if it is among lines that are, because it occurs many times in the other text.
    Perhaps,
}

/// Takes the confusing lines out of both texts; none if `all` is set.
pub(super) fn confusing(classes: [&[u32]; 2], all: bool) -> [Kept; 2] {
    let size = classes.iter().flat_map(|c| c.iter()).max().map_or(0, |m| *m as usize + 1);
    let counts = classes.map(|c| {
        let mut counts = vec![0u32; size];
        c.iter().for_each(|class| counts[*class as usize] += 1);
        counts
    });
    let keep = |f: usize| {
        let mut fates = fates(classes[f], &counts[1 - f]);
        settle(&mut fates);
        let mut kept = Kept { changed: vec![false; fates.len()], classes: Vec::new(), lines: Vec::new() };
        for (i, fate) in fates.iter().enumerate() {
            if all || *fate == Fate::Keep {
                kept.classes.push(classes[f][i]);
                kept.lines.push(i);
            } else {
                kept.changed[i] = true;
            }
        }
        kept
    };
    [keep(0), keep(1)]
}

fn fates(classes: &[u32], in_other: &[u32]) -> Vec<Fate> {
    // "Many" is about five times the square root of a sixty-fourth of the number of lines.
    let mut many = 5;
    let mut rest = classes.len() / 64;
    while rest > 3 {
        rest >>= 2;
        many *= 2;
    }
    let fate = |class: &u32| match in_other[*class as usize] {
        0 => Fate::Go,
        n if n > many => Fate::Perhaps,
        _ => Fate::Keep,
    };
    classes.iter().map(fate).collect()
}

// Decides about each `Perhaps`. It can only go inside a run whose first and last lines go.
fn settle(fates: &mut [Fate]) {
    let mut i = 0;
    while i < fates.len() {
        if fates[i] != Fate::Go {
            fates[i] = Fate::Keep;
            i += 1;
            continue;
        }
        let run = fates[i..].iter().take_while(|f| **f != Fate::Keep).count();
        let length = fates[i..i + run].iter().rposition(|f| *f == Fate::Go).map_or(0, |last| last + 1);
        fates[i + length..i + run].fill(Fate::Keep);
        settle_run(&mut fates[i..i + length]);
        i += run;
    }
}

// Settles a run that begins and ends with `Go`.
fn settle_run(run: &mut [Fate]) {
    let doubtful = run.iter().filter(|f| **f == Fate::Perhaps).count();
    if doubtful * 4 > run.len() {
        spare(run);
        return;
    }
    // At most about half the square root of the run's length may go in a row.
    let mut limit = 1;
    let mut rest = run.len() >> 2;
    while rest > 3 {
        rest >>= 2;
        limit <<= 1;
    }
    limit += 1;
    for row in run.chunk_by_mut(|a, b| *a == Fate::Perhaps && *b == Fate::Perhaps) {
        if row.len() >= limit {
            spare(row);
        }
    }
    spare_edge(run.iter_mut());
    spare_edge(run.iter_mut().rev());
}

// Keeps the doubtful lines near the edge of a run. The edge ends at three `Go` in a row, or at the first `Go` from the
// ninth line on.
fn spare_edge<'a>(run: impl Iterator<Item = &'a mut Fate>) {
    let mut in_row = 0;
    for (j, fate) in run.enumerate() {
        match fate {
            Fate::Go if j >= 8 => return,
            Fate::Go => in_row += 1,
            Fate::Perhaps | Fate::Keep => {
                *fate = Fate::Keep;
                in_row = 0;
            }
        }
        if in_row == 3 {
            return;
        }
    }
}

fn spare(run: &mut [Fate]) {
    for f in run {
        if *f == Fate::Perhaps {
            *f = Fate::Keep;
        }
    }
}
