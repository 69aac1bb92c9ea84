//! vi's command mode: motions, operators, and how changes are repeated.

use super::complete::Only;
use super::functions::Function as F;
use super::keymap::{Bound, VI_COMMAND};
use super::{Editor, Prefix, Step};
use std::rc::Rc;

/// What is kept between lines.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The last `f`, `F`, `t` or `T`, and its character.
    search: Option<(u8, Vec<u8>)>,
    redo: Option<Redo>,
    /// The last search of the history went to newer lines.
    newer: bool,
}

/// The last change: its number and the keys that made it.
#[derive(Clone, Debug)]
struct Redo {
    count: Option<i64>,
    keys: Rc<[u8]>,
    /// It only inserted text.
    inserts: bool,
}

/// What belongs to the line that is edited.
#[derive(Debug, Default)]
pub(super) struct State {
    /// A change is being repeated.
    pub(super) repeats: bool,
    /// The number of an operator that stood after it.
    number: Option<i64>,
    /// What is repeated leaves the point after its text.
    stays: bool,
    /// The command mode was entered.
    began: bool,
    /// What was typed before the command mode was entered first.
    first: Vec<u8>,
    /// What `R` has replaced so far.
    pub(super) replaced: Vec<Vec<u8>>,
    /// How many replacements `vi-overstrike-delete` can take back.
    overstrikes: usize,
    /// A change goes on until Escape; its number.
    inserts: Option<(Option<i64>, bool)>,
    marks: [Option<usize>; 26],
    /// The point may be after the last character, for once.
    pub(super) beyond: bool,
}

/// Where a motion leads.
#[derive(Clone, Copy, Debug)]
struct Motion {
    to: usize,
    /// An operator works from here, and up to here.
    from: usize,
    until: usize,
}

impl Editor<'_> {
    /// Does what a function of vi says; `None` if it is none of these.
    pub(super) fn vi_call(&mut self, function: F, count: Option<i64>) -> Option<Step> {
        let n = count.unwrap_or(1).max(1);
        let point = self.buffer.point();
        let done = match function {
            F::ViMovementMode => {
                self.vi_movement();
                Ok(())
            }
            F::ViInsertionMode => {
                self.vi_insert(true);
                Ok(())
            }
            F::ViInsertBeg => {
                self.buffer.move_to(0);
                self.vi_insert(true);
                Ok(())
            }
            F::ViAppendMode => {
                self.buffer.move_to(self.buffer.right(point));
                self.vi_insert(true);
                Ok(())
            }
            F::ViAppendEol => {
                self.buffer.move_to(self.buffer.end());
                self.vi_insert(true);
                Ok(())
            }
            F::ViReplace => {
                self.vi.replaced.clear();
                self.vi_insert(true);
                self.overwrite = true;
                Ok(())
            }
            F::ViDeleteTo | F::ViChangeTo | F::ViYankTo => self.operator(function, n),
            F::ViSubst => {
                let whole = self.keys.last() == Some(&b'S');
                let (from, to) = match whole {
                    true => (0, self.buffer.end()),
                    false => (point, self.times(n, |b, at| b.right(at))),
                };
                self.change_part(from, to);
                Ok(())
            }
            F::ViDelete => {
                match point < self.buffer.end() {
                    true => {
                        let to = self.times(n, |b, at| b.right(at));
                        self.kill(point, to);
                    }
                    false => self.bell(),
                }
                Ok(())
            }
            F::ViRubout => {
                match point > 0 {
                    true => {
                        let from = self.times(n, |b, at| b.left(at));
                        self.kill(from, point);
                    }
                    false => self.bell(),
                }
                Ok(())
            }
            F::ViUnixWordRubout => {
                match point > 0 {
                    true => {
                        let from = self.times(n, |b, at| b.previous_word(at, false));
                        self.kill(from, point);
                    }
                    false => self.bell(),
                }
                Ok(())
            }
            F::ViChangeChar => self.change_char(n),
            F::ViChangeCase => {
                self.change_cases(n);
                Ok(())
            }
            F::ViPut => {
                self.put(n);
                Ok(())
            }
            F::ViRedo => self.redo(count),
            F::ViEofMaybe if self.buffer.text().is_empty() => Err(self.leave(super::Typed::End)),
            F::ViEofMaybe => self.accept(),
            F::ViFetchHistory => {
                match count {
                    Some(number) => self.fetch_history(number),
                    None => self.show_history(0),
                }
                Ok(())
            }
            F::ViSearch => {
                let sign = self.keys.last().copied().unwrap_or(b'/');
                self.shell.editor.vi.newer = sign == b'?';
                self.ask_and_search(sign == b'?', sign)
            }
            F::ViSearchAgain => {
                let turns = self.keys.last() == Some(&b'N');
                self.search_again(self.shell.editor.vi.newer != turns)
            }
            F::ViYankArg => {
                self.vi_yank_argument(count);
                Ok(())
            }
            F::ViSetMark => self.set_mark(),
            F::ViOverstrike => self.overstrike(n),
            F::ViOverstrikeDelete => {
                self.overstrike_delete(n);
                Ok(())
            }
            F::ViComplete | F::ViShellComplete => {
                self.vi_complete(function);
                Ok(())
            }
            F::ViTildeExpand => {
                self.expand_tilde();
                self.vi_insert(true);
                Ok(())
            }
            _ => {
                return self.motion(function, n).transpose().map(|moved| {
                    match moved? {
                        Some(motion) => self.buffer.move_to(motion.to),
                        None => self.bell(),
                    }
                    Ok(())
                });
            }
        };
        Some(done)
    }

    /// Text is inserted from now on. `groups`: as a change of its own.
    pub(super) fn vi_insert(&mut self, groups: bool) {
        if groups {
            self.vi.stays = false;
            self.buffer.group();
        }
        self.command = false;
    }

    fn vi_movement(&mut self) {
        if self.command {
            return self.bell();
        }
        self.command = true;
        self.overwrite = false;
        self.buffer.ungroup();
        if !std::mem::replace(&mut self.vi.began, true) {
            // What is typed first is where undoing ends.
            self.buffer.forget_changes();
            self.vi.first = self.buffer.text().to_vec();
        }
        if !(self.vi.repeats && self.vi.stays) {
            self.buffer.move_to(self.buffer.left(self.buffer.point()));
        }
    }

    /// Where a motion leads: `None` if the function is none, `Some(None)` if there is no such place.
    fn motion(&mut self, function: F, n: i64) -> Step<Option<Option<Motion>>> {
        let big = self.keys.last().is_some_and(u8::is_ascii_uppercase);
        let (point, end) = (self.buffer.point(), self.buffer.end());
        let between = |to: usize| Motion { to, from: point.min(to), until: point.max(to) };
        // Failing is to stay where one is.
        let moved = |to: usize| (to != point).then(|| between(to));
        let motion = match function {
            F::ViNextWord => moved(self.times(n, |b, at| b.next_word(at, big))),
            F::ViForwardWord => moved(self.times(n, |b, at| b.next_word(at, false))),
            F::ViForwardBigword => moved(self.times(n, |b, at| b.next_word(at, true))),
            F::ViPrevWord => moved(self.times(n, |b, at| b.word_before(at, big))),
            F::ViBackwardWord => moved(self.times(n, |b, at| b.word_before(at, false))),
            F::ViBackwardBigword => moved(self.times(n, |b, at| b.word_before(at, true))),
            F::ViEndWord | F::ViEndBigword => {
                let big = big || function == F::ViEndBigword;
                let to = self.times(n, |b, at| b.left(b.word_end(at, big)).max(at));
                Some(Motion { to, from: point, until: self.buffer.right(to) })
            }
            F::ViFirstPrint | F::ViBackToIndent => Some(between(self.buffer.first_print())),
            F::ViColumn => {
                let to = (1..n).try_fold(0, |at, _| {
                    let next = self.buffer.right(at);
                    if next == at { Err(at) } else { Ok(next) }
                });
                Some(between(to.unwrap_or_else(|at| at)))
            }
            F::ViMatch => self.buffer.matching_bracket(point).map(|to| {
                let (from, last) = (point.min(to), point.max(to));
                Motion { to, from, until: self.buffer.right(last) }
            }),
            F::ViCharSearch => self.character_motion(n)?,
            F::ViGotoMark => {
                let name = self.byte()?;
                let mark =
                    name.checked_sub(b'a').and_then(|at| self.vi.marks.get(usize::from(at)).copied()?);
                mark.map(|mark| between(mark.min(end)))
            }
            _ => return Ok(None),
        };
        Ok(Some(motion))
    }

    /// `f`, `F`, `t`, `T`, and `;` and `,`, which repeat them.
    fn character_motion(&mut self, n: i64) -> Step<Option<Motion>> {
        let key = self.keys.last().copied().unwrap_or_default();
        let (kind, wanted) = match key {
            b';' | b',' => match self.shell.editor.vi.search.clone() {
                Some((kind, wanted)) if key == b',' => (kind ^ 0x20, wanted),
                Some(search) => search,
                None => return Ok(None),
            },
            kind => {
                let first = self.byte()?;
                let wanted = self.character(first)?;
                self.shell.editor.vi.search = Some((kind, wanted.clone()));
                (kind, wanted)
            }
        };
        let (back, short) = (kind.is_ascii_uppercase(), kind.eq_ignore_ascii_case(&b't'));
        let point = self.buffer.point();
        // Where there are fewer, the last one counts.
        let mut found = None;
        for _ in 0..n {
            let from = found.unwrap_or(point);
            let Some(next) = self.buffer.find_character(from, &wanted, 1, back) else { break };
            found = Some(next);
        }
        Ok(found.and_then(|at| {
            let to = match (short, back) {
                (true, true) => self.buffer.right(at),
                (true, false) => self.buffer.left(at),
                (false, _) => at,
            };
            let motion = match back {
                true => Motion { to, from: to, until: point },
                false => Motion { to, from: point, until: self.buffer.right(to) },
            };
            (to != point).then_some(motion)
        }))
    }

    /// `d`, `c` and `y` with a motion; doubled, they mean the line, and as capital letters its rest.
    fn operator(&mut self, function: F, mut n: i64) -> Step {
        let key = self.keys.last().copied().unwrap_or_default();
        let (point, end) = (self.buffer.point(), self.buffer.end());
        if key.is_ascii_uppercase() {
            self.operate(function, point, end);
            return Ok(());
        }
        let mut typed = self.byte()?;
        let mut digits = None;
        while typed.is_ascii_digit() && (digits.is_some() || typed != b'0') {
            let value = digits.unwrap_or(0_i64) * 10 + i64::from(typed - b'0');
            if value > super::LARGEST_ARGUMENT {
                self.bell();
                return Ok(());
            }
            digits = Some(value);
            typed = self.byte()?;
        }
        n = n.saturating_mul(digits.unwrap_or(1));
        if digits.is_some() {
            // Repeated, it can have another number.
            self.input.log = vec![key, typed];
            self.vi.number = Some(n);
        }
        if typed == key {
            self.operate(function, 0, end);
            return Ok(());
        }
        self.keys = vec![typed];
        let found = self.shell.editor_config().maps[VI_COMMAND].find(&[typed]).bound;
        let Some(Bound::Function(motion)) = found else {
            self.bell();
            return Ok(());
        };
        let motion = match motion {
            F::ForwardChar => {
                let until = self.times(n, |b, at| b.right(at));
                Some(Motion { to: until, from: point, until })
            }
            F::BackwardChar => {
                let from = self.times(n, |b, at| b.left(at));
                Some(Motion { to: from, from, until: point })
            }
            F::BeginningOfLine => Some(Motion { to: 0, from: 0, until: point }),
            F::EndOfLine => Some(Motion { to: end, from: point, until: end }),
            // Back to a bracket, that at the point stays; copied is neither way the last one.
            F::ViMatch => self.motion(motion, n)?.flatten().map(|motion| match function {
                F::ViYankTo => Motion { until: motion.to.max(point), ..motion },
                _ if motion.to < point => Motion { until: point, ..motion },
                _ => motion,
            }),
            // Changing a word leaves the blanks after it.
            F::ViNextWord if function == F::ViChangeTo => {
                let big = typed.is_ascii_uppercase();
                let to = self.times(n, |b, at| b.next_word(at, big));
                let until = self.buffer.back_while(to, |byte| byte.is_ascii_whitespace());
                Some(Motion { to: point, from: point, until: until.max(self.buffer.right(point)) })
            }
            motion => self.motion(motion, n)?.flatten(),
        };
        match motion.filter(|motion| motion.from < motion.until || function == F::ViChangeTo) {
            Some(motion) => self.operate(function, motion.from, motion.until),
            None if function == F::ViChangeTo => self.change_nothing(typed),
            None => self.bell(),
        }
        Ok(())
    }

    /// Where a motion fails, changing takes one character if it goes forwards, and none if it goes back.
    fn change_nothing(&mut self, typed: u8) {
        let point = self.buffer.point();
        match typed {
            b'b' | b'B' | b'F' | b'T' => self.change_part(point, point),
            b'f' | b't' | b'%' => self.change_part(point, self.buffer.right(point)),
            _ => self.bell(),
        }
    }

    fn operate(&mut self, function: F, from: usize, until: usize) {
        match function {
            F::ViChangeTo => self.change_part(from, until),
            F::ViYankTo => self.copy(from, until),
            _ => {
                self.kill(from, until);
                self.buffer.move_to(from);
            }
        }
    }

    /// Removes a part, so that other text can be typed.
    fn change_part(&mut self, from: usize, to: usize) {
        self.vi.stays = true;
        self.buffer.group();
        self.kill(from, to);
        self.buffer.move_to(from);
        self.vi_insert(false);
    }

    fn change_char(&mut self, n: i64) -> Step {
        let first = self.byte()?;
        let text = self.character(first)?;
        let point = self.buffer.point();
        if first == 0x1b || point == self.buffer.end() {
            return Ok(());
        }
        let (mut to, mut count) = (point, 0);
        while count < n && to < self.buffer.end() {
            to = self.buffer.right(to);
            count += 1;
        }
        if self.buffer.change(point, to, &text.repeat(usize::try_from(count).unwrap_or(0))) {
            self.buffer.move_to(self.buffer.left(self.buffer.point()));
        }
        Ok(())
    }

    /// The key replaces characters.
    fn overstrike(&mut self, n: i64) -> Step {
        let Some(&last) = self.keys.last() else { return Ok(()) };
        let text = self.character(last)?;
        let point = self.buffer.point();
        let to = self.times(n, |b, at| b.right(at));
        let count =
            usize::try_from(n).unwrap_or(usize::MAX).min(super::buffer::LONGEST / text.len().max(1) + 1);
        match self.buffer.overstrike(point, to, &text.repeat(count)) {
            true => self.vi.overstrikes += 1,
            false => self.bell(),
        }
        Ok(())
    }

    /// Takes back what was replaced so.
    fn overstrike_delete(&mut self, n: i64) {
        for _ in 0..n {
            if self.vi.overstrikes == 0 || !self.buffer.undo() {
                return self.bell();
            }
            self.vi.overstrikes -= 1;
        }
    }

    /// Completes the word that the point is on, as the key says.
    fn vi_complete(&mut self, function: F) {
        let key = self.keys.last().copied().unwrap_or_default();
        let (point, blank) = (self.buffer.point(), |byte: u8| byte.is_ascii_whitespace());
        self.buffer.move_to(self.buffer.on_while(point, |byte| !blank(byte)));
        let word = self.buffer.part(self.buffer.blank_left(self.buffer.point()), self.buffer.point());
        // A pattern stands for the files that match it.
        let is_pattern = function == F::ViShellComplete && word.iter().any(|byte| b"*?[".contains(byte));
        let only = if is_pattern { Only::Pattern { open: false } } else { Only::All };
        match key {
            b'*' => self.insert_completions(only),
            b'=' => self.list_completions(only),
            _ => self.complete(only, function),
        }
        if matches!(key, b'*' | b'\\') {
            self.vi_insert(true);
        }
    }

    /// Changes the case of characters, each by itself. What is left of the number changes the last one again and again.
    fn change_cases(&mut self, n: i64) {
        let mut left = n;
        while left > 0 && self.buffer.point() < self.buffer.end() {
            let point = self.buffer.point();
            let next = self.buffer.right(point);
            let changed = other_case(self.buffer.part(point, next));
            self.buffer.change(point, next, &changed);
            left -= 1;
            if self.buffer.point() == self.buffer.end() && left > 0 {
                self.buffer.move_to(point);
                // Twice changes nothing.
                left = if left % 2 == 0 { left.min(2) } else { 1 };
            }
        }
    }

    fn put(&mut self, n: i64) {
        if self.keys.last() == Some(&b'p') {
            let point = self.buffer.point();
            self.buffer.move_to(self.buffer.right(point));
        }
        let Some(text) = self.shell.editor.kills.newest() else {
            self.vi.beyond = true;
            return self.bell();
        };
        // Each copy is undone by itself, unless they are many.
        if n > 100 {
            let most = super::buffer::LONGEST / text.len().max(1) + 1;
            self.insert(&text.repeat(usize::try_from(n).unwrap_or(most).min(most)));
        } else {
            let _ = (0..n).all(|_| self.insert(&text));
        }
        self.buffer.move_to(self.buffer.left(self.buffer.point()));
    }

    fn set_mark(&mut self) -> Step {
        let name = self.byte()?;
        let point = self.buffer.point();
        match name.checked_sub(b'a').and_then(|at| self.vi.marks.get_mut(usize::from(at))) {
            Some(mark) => *mark = Some(point),
            None => self.bell(),
        }
        Ok(())
    }

    /// Remembers a change for `.`, when it is complete.
    pub(super) fn note_change(&mut self, function: F, count: Option<i64>, in_command: bool) {
        let count = self.vi.number.take().or(count);
        if self.vi.repeats {
            return;
        }
        let finished = if function == F::ViMovementMode {
            self.vi.inserts.take()
        } else if in_command && is_change(function) {
            let inserts =
                matches!(function, F::ViInsertionMode | F::ViInsertBeg | F::ViAppendMode | F::ViAppendEol);
            if !self.command {
                self.vi.inserts = Some((count, inserts));
            }
            self.command.then_some((count, false))
        } else {
            None
        };
        if let Some((count, inserts)) = finished {
            let keys = std::mem::take(&mut self.input.log);
            self.shell.editor.vi.redo = Some(Redo { count, keys: keys.into(), inserts });
        }
    }

    /// Does the last change again, as often as is said now, or was said then.
    fn redo(&mut self, count: Option<i64>) -> Step {
        if self.vi.repeats {
            self.bell();
            return Ok(());
        }
        // Without a change, the text is inserted again that was typed first.
        let first =
            || Redo { count: None, keys: [b"i", &*self.vi.first, b"\x1b"].concat().into(), inserts: true };
        let redo = self.shell.editor.vi.redo.clone().unwrap_or_else(first);
        let depth = self.input.depth();
        let mut keys = redo.keys;
        if let (Some(count @ 2..), true, [first, text @ .., 0x1b]) = (count, redo.inserts, &*keys) {
            // The text is typed several times.
            let times = usize::try_from(count).unwrap_or(0).min(super::REPEATED / text.len().max(1));
            keys = [&[*first], &*text.repeat(times), b"\x1b"].concat().into();
        }
        if !self.input.type_macro(keys) {
            return Ok(());
        }
        self.prefix =
            count.or(redo.count).map(|count| Prefix { negative: count < 0, value: Some(count.abs()) });
        self.vi.repeats = true;
        let mut done = Ok(());
        // The first key is no digit of the number.
        if let Ok(first) = self.input.byte() {
            done = self.bound(first).and_then(|bound| self.obey(bound));
        }
        while done.is_ok() && self.input.depth() > depth {
            done = self.step();
        }
        self.vi.repeats = false;
        if !self.command && done.is_ok() {
            self.vi_movement();
        }
        done
    }
}

/// Whether `.` can repeat it.
fn is_change(function: F) -> bool {
    matches!(
        function,
        F::ViInsertionMode
            | F::ViInsertBeg
            | F::ViAppendMode
            | F::ViAppendEol
            | F::ViReplace
            | F::ViDeleteTo
            | F::ViChangeTo
            | F::ViSubst
            | F::ViDelete
            | F::ViRubout
            | F::ViUnixWordRubout
            | F::ViChangeChar
            | F::ViChangeCase
            | F::ViPut
            | F::KillLine
            | F::UnixLineDiscard
            | F::TransposeChars
            | F::DeleteChar
            | F::KillWord
    )
}

/// Small letters as capital ones, and the reverse.
fn other_case(text: &[u8]) -> Vec<u8> {
    crate::text::chars(text)
        .flat_map(|character| {
            let changed = |upper| crate::text::change_case(character, upper).filter(|c| c != character);
            changed(true).or_else(|| changed(false)).unwrap_or_else(|| character.to_vec())
        })
        .collect()
}
