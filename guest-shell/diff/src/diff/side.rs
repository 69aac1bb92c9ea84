//! Both files side by side (`-y`).

use super::header;
use super::hunk::{self, Texts};
use super::screen::{self, Paint};
use crate::engine::Change;
use sandshell_cli::out;
use sandshell_posix::characters;

/// The least number of columns between the halves.
const GUTTER: usize = 3;

/// Prints all lines of both files; options may leave out common lines.
pub(crate) fn print(work: &Texts<'_>, script: &[Change]) {
    let view = View::new(work);
    header::command(work);
    let (mut at0, mut at1) = (0, 0);
    for change in script {
        let Some(extent) = hunk::extent(std::slice::from_ref(change)) else { continue };
        let [old, new] = extent.lines.clone();
        view.common(at0, old.start, at1, new.start);
        (at0, at1) = (old.end, new.end);
        let both = old.len().min(new.len());
        for k in 0..both {
            view.row(Some(old.start + k), '|', Some(new.start + k));
        }
        for j in new.start + both..new.end {
            view.row(None, '>', Some(j));
        }
        for i in old.start + both..old.end {
            view.row(Some(i), '<', None);
        }
    }
    view.common(at0, work.texts[0].len(), at1, work.texts[1].len());
}

struct View<'a> {
    work: &'a Texts<'a>,
    expand: bool,
    tab: usize,
    // The width of a half, and the column where the second half begins.
    half: usize,
    second: usize,
}

impl<'a> View<'a> {
    // Makes the halves as wide as the total width allows. If tabs are not expanded, the second half begins at a tab
    // stop, so that tabs look the same in both halves.
    fn new(work: &'a Texts<'a>) -> Self {
        let (expand, tab, w) =
            (work.options.expand_tabs, work.options.compare.same.tab_size, work.options.width);
        let step = if expand { 1 } else { tab };
        let reach = step.saturating_add(GUTTER);
        let unaligned = (w >> 1) + (reach >> 1) + (w & reach & 1);
        let offset = unaligned - unaligned % step;
        let half = offset.saturating_sub(GUTTER).min(w.saturating_sub(offset));
        Self { work, expand, tab, half, second: if half > 0 { offset } else { w } }
    }

    // Prints common lines. As lines may only count as the same, one file may have more of them than the other.
    fn common(&self, from0: usize, to0: usize, from1: usize, to1: usize) {
        let o = self.work.options;
        if o.suppress_common {
            return;
        }
        let mut rest0 = from0;
        if !o.left_column {
            let both = (to0 - from0).min(to1 - from1);
            for k in 0..both {
                self.row(Some(from0 + k), ' ', Some(from1 + k));
            }
            for j in from1 + both..to1 {
                self.row(None, ')', Some(j));
            }
            rest0 += both;
        }
        for i in rest0..to0 {
            self.row(Some(i), '(', None);
        }
    }

    fn row(&self, left: Option<usize>, sign: char, right: Option<usize>) {
        let palette = self.work.options.palette.as_ref();
        let paint = match sign {
            '<' => Some(Paint::Deleted),
            '>' => Some(Paint::Added),
            _ => None,
        };
        if let Some(p) = paint {
            screen::begin(palette, p);
        }
        let [left, right] = [(0, left), (1, right)].map(|(f, i)| i.map(|i| self.work.texts[f].line(i)));
        let complete = |line: Option<&[u8]>| line.is_some_and(|l| l.ends_with(b"\n"));
        let mut row = Vec::new();
        let mut column = 0;
        if let Some(line) = left {
            column = self.half_line(&mut row, line, 0);
        }
        if sign != ' ' {
            self.space(&mut row, column, (self.half + self.second - 1) / 2);
            column = (self.half + self.second - 1) / 2 + 1;
            row.push(match (sign, complete(left), complete(right)) {
                ('|', true, false) => b'/',
                ('|', false, true) => b'\\',
                _ => sign as u8,
            });
        }
        if let Some(line) = right.filter(|l| !l.starts_with(b"\n")) {
            self.space(&mut row, column, self.second);
            self.half_line(&mut row, line, self.second);
        }
        if complete(left) || complete(right) {
            row.push(b'\n');
        }
        out::put(row);
        if paint.is_some() {
            screen::end(palette);
        }
    }

    // Moves from one column to another, with tabs if they may be used.
    fn space(&self, row: &mut Vec<u8>, from: usize, to: usize) {
        let mut at = from;
        if !self.expand {
            let mut stop = at + self.tab - at % self.tab;
            while stop <= to {
                row.push(b'\t');
                at = stop;
                stop += self.tab;
            }
        }
        row.extend(std::iter::repeat_n(b' ', to.saturating_sub(at)));
    }

    // Prints as much of a line as fits in a half that begins at column `indent`. Returns the column after it, relative
    // to `indent`.
    fn half_line(&self, row: &mut Vec<u8>, line: &[u8], indent: usize) -> usize {
        // The column in the line, and the column that the output has reached.
        let (mut column, mut done) = (0usize, 0usize);
        for (bytes, c) in characters::characters(line.strip_suffix(b"\n").unwrap_or(line)) {
            match bytes[0] {
                b'\t' => {
                    let spaces = self.tab - column % self.tab;
                    if column == done {
                        let stop = done + spaces;
                        if self.expand {
                            let stop = stop.min(self.half);
                            row.extend(std::iter::repeat_n(b' ', stop.saturating_sub(done)));
                            done = stop.max(done);
                        } else if stop < self.half {
                            row.push(b'\t');
                            done = stop;
                        }
                    }
                    column += spaces;
                }
                b'\r' => {
                    row.push(b'\r');
                    self.space(row, 0, indent);
                    (column, done) = (0, 0);
                }
                8 if column == 0 => {}
                8 => {
                    column -= 1;
                    if column < self.half {
                        if done <= column {
                            row.extend(std::iter::repeat_n(b' ', column - done));
                        } else {
                            row.push(8);
                        }
                        done = column;
                    }
                }
                b' '..=b'~' => {
                    if column < self.half {
                        row.extend_from_slice(bytes);
                        done = column + 1;
                    }
                    column += 1;
                }
                0..=127 => {
                    if column < self.half {
                        row.extend_from_slice(bytes);
                    }
                }
                _ => match c.and_then(characters::char_width) {
                    Some(wide) => {
                        column += wide;
                        if column <= self.half {
                            done = column;
                            row.extend_from_slice(bytes);
                        }
                    }
                    None => {
                        if column < self.half {
                            row.extend_from_slice(bytes);
                        }
                    }
                },
            }
        }
        done
    }
}
