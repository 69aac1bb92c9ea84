//! Merging: prints the merged file, or an `ed` script that makes it.

use super::Three;
use super::blocks::{Block, Odd};
use super::options::Options;
use sandshell_cli::bytes;
use sandshell_cli::out;

const MINE: usize = 0;
const OLDER: usize = 1;
const YOURS: usize = 2;

/// Prints the first file with the changes from the second to the third. Returns whether there are conflicts.
pub(super) fn print(options: &Options, three: &Three) -> bool {
    let mut conflicts = false;
    let mut at = 0;
    for block in &three.blocks {
        let Some(conflict) = is_conflict(options, block) else { continue };
        out::put(three.texts[MINE].lines(at..block.lines[MINE].start));
        at = block.lines[MINE].end;
        let all = block.odd == Odd::All;
        if conflict {
            conflicts = true;
            if all {
                mark("<<<<<<<", options, MINE);
                lines(three, block, MINE);
            }
            if options.shows_older {
                mark(if all { "|||||||" } else { "<<<<<<<" }, options, OLDER);
                lines(three, block, OLDER);
            }
            out::put("=======\n");
        }
        lines(three, block, YOURS);
        if conflict {
            mark(">>>>>>>", options, YOURS);
        }
    }
    out::put(three.texts[MINE].lines(at..three.texts[MINE].len()));
    conflicts
}

/// Prints a script that makes these changes in the first file, from its end to its beginning. Returns whether there are
/// conflicts.
pub(super) fn print_script(options: &Options, three: &Three) -> bool {
    let mut conflicts = false;
    for block in three.blocks.iter().rev() {
        let Some(conflict) = is_conflict(options, block) else { continue };
        // The first and the last line of the block. An empty block is before line `low`.
        let (low, high) = (block.lines[MINE].start + 1, block.lines[MINE].end);
        let yours = block.lines[YOURS].len();
        if conflict {
            conflicts = true;
            conflict_script(options, three, block);
        } else if yours == 0 {
            out::put(if low == high { format!("{low}d\n") } else { format!("{low},{high}d\n") });
        } else {
            out::put(match block.lines[MINE].len() {
                0 => format!("{high}a\n"),
                1 => format!("{high}c\n"),
                _ => format!("{low},{high}c\n"),
            });
            let dots = dotted(three, block, YOURS);
            end_input(dots, low, yours);
        }
    }
    if options.final_write {
        out::put("w\nq\n");
    }
    conflicts
}

fn conflict_script(options: &Options, three: &Three, block: &Block) {
    let (low, high) = (block.lines[MINE].start + 1, block.lines[MINE].end);
    let [older, yours] = [OLDER, YOURS].map(|f| block.lines[f].len());
    let all = block.odd == Odd::All;
    let mut dots = false;
    out::put(format!("{high}a\n"));
    if all {
        if options.shows_older {
            mark("|||||||", options, OLDER);
            dots = dotted(three, block, OLDER);
        }
        out::put("=======\n");
        dots |= dotted(three, block, YOURS);
    }
    mark(">>>>>>>", options, YOURS);
    end_input(dots, high + 2, older + yours + 1);
    out::put(format!("{}a\n", low - 1));
    mark("<<<<<<<", options, if all { MINE } else { OLDER });
    let mut dots = false;
    if !all {
        dots = dotted(three, block, OLDER);
        out::put("=======\n");
    }
    end_input(dots, low + 1, older);
}

// Whether a block is a conflict; `None` if it stays as it is in the first file.
fn is_conflict(options: &Options, block: &Block) -> Option<bool> {
    match block.odd {
        Odd::One(OLDER) => options.shows_older.then_some(true),
        Odd::One(YOURS) => (!options.overlaps_only).then_some(false),
        Odd::One(_) => None,
        Odd::All => (!options.easy_only).then_some(options.brackets),
    }
}

fn lines(three: &Three, block: &Block, f: usize) {
    out::put(three.texts[f].lines(block.lines[f].clone()));
}

fn mark(sign: &str, options: &Options, f: usize) {
    out::put(bytes!(sign, " ", options.labels[f], "\n"));
}

// Prints lines, with one more dot before those that begin with a dot. Returns whether there are any.
fn dotted(three: &Three, block: &Block, f: usize) -> bool {
    let mut dots = false;
    for line in three.lines(block, f) {
        if line.starts_with(b".") {
            dots = true;
            out::put(".");
        }
        out::put(line);
    }
    dots
}

// Ends `ed`'s input and removes the additional dots.
fn end_input(dots: bool, start: usize, count: usize) {
    out::put(".\n");
    if dots {
        out::put(if count == 1 {
            format!("{start}s/^\\.//\n")
        } else {
            format!("{start},{}s/^\\.//\n", (start + count).saturating_sub(1))
        });
    }
}
