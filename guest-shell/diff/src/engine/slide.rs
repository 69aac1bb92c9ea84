//! Moves runs of changed lines. Often a run can begin one line earlier or later with the same meaning. Runs that touch
//! are merged, then moved down as far as possible, or to where the other text has a change too.

/// Adds one unmarked place before the first line and one after the last, so that line `i` is at `i + 1`.
pub(super) fn padded(changed: &[bool]) -> Vec<bool> {
    let mut marks = Vec::with_capacity(changed.len() + 2);
    marks.push(false);
    marks.extend_from_slice(changed);
    marks.push(false);
    marks
}

/// Moves the runs of the first text, then those of the second.
pub(super) fn runs(classes: &[Vec<u32>; 2], marks: &mut [Vec<bool>; 2]) {
    let [first, second] = marks;
    side(&classes[0], first, second);
    side(&classes[1], second, first);
}

// `i` is the line after the run in this text; `j` is the corresponding line in the other text.
fn side(classes: &[u32], mine: &mut [bool], theirs: &[bool]) {
    let n = classes.len();
    let same = |a: usize, b: usize| classes[a - 1] == classes[b - 1];
    let theirs = |j: usize| theirs.get(j).copied().unwrap_or(false);
    let up = |mut j: usize| {
        j = j.saturating_sub(1);
        while theirs(j) {
            j -= 1;
        }
        j
    };
    let (mut i, mut j) = (1, 1);
    loop {
        while i <= n && !mine[i] {
            while theirs(j) {
                j += 1;
            }
            i += 1;
            j += 1;
        }
        if i > n {
            return;
        }
        let mut start = i;
        i = end_of_run(mine, i);
        while theirs(j) {
            j += 1;
        }
        let mut meeting;
        loop {
            let length = i - start;
            while start > 1 && same(start - 1, i - 1) {
                start -= 1;
                i -= 1;
                mine[start] = true;
                mine[i] = false;
                while mine[start - 1] {
                    start -= 1;
                }
                j = up(j);
            }
            meeting = (j > 0 && theirs(j - 1)).then_some(i);
            while i <= n && same(start, i) {
                mine[start] = false;
                mine[i] = true;
                start += 1;
                i = end_of_run(mine, i);
                j += 1;
                while theirs(j) {
                    j += 1;
                    meeting = Some(i);
                }
            }
            // If merging has made the run longer, it may be possible to move it further.
            if length == i - start {
                break;
            }
        }
        while meeting.is_some_and(|m| m < i) {
            start -= 1;
            i -= 1;
            mine[start] = true;
            mine[i] = false;
            j = up(j);
        }
    }
}

fn end_of_run(marks: &[bool], from: usize) -> usize {
    from + marks[from..].iter().take_while(|m| **m).count()
}
