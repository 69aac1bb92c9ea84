//! What the functions do. Those of vi are in `vi`.

use super::complete::Only;
use super::functions::Function as F;
use super::history::{Argument, position};
use super::keymap::Bound;
use super::{Editor, Prefix, Step, Typed};
use crate::builtins::bind;

/// A number as often as something is done.
fn times(count: i64) -> usize {
    usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX)
}

impl Editor<'_> {
    /// Does what a function says.
    pub(super) fn call(&mut self, function: F) -> Step {
        let prefix = self.prefix.take();
        self.joins = std::mem::take(&mut self.killed);
        let argument = self.argument.take();
        let keeps_menu = matches!(
            function,
            F::MenuComplete
                | F::MenuCompleteBackward
                | F::OldMenuComplete
                | F::DabbrevExpand
                | F::DigitArgument
                | F::ViArgDigit
                | F::UniversalArgument
        );
        if !keeps_menu {
            self.menu = None;
        }
        let count = prefix.map(Prefix::number);
        let in_command = self.command;
        match function {
            F::DigitArgument | F::ViArgDigit => {
                self.killed = self.joins;
                self.begin_argument();
                return Ok(());
            }
            F::UniversalArgument => {
                let value = count.unwrap_or(1).saturating_mul(4);
                self.prefix = Some(Prefix {
                    negative: value < 0,
                    value: Some(value.abs().min(super::LARGEST_ARGUMENT)),
                });
                return Ok(());
            }
            F::DoLowercaseVersion => {
                self.prefix = prefix;
                let mut keys = self.keys.clone();
                if let Some(last) = keys.last_mut() {
                    *last = last.to_ascii_lowercase();
                }
                self.keys.clone_from(&keys);
                return match self.find(&keys).bound {
                    Some(Bound::Function(F::DoLowercaseVersion)) | None => {
                        self.prefix = None;
                        self.bell();
                        Ok(())
                    }
                    bound => self.obey(bound),
                };
            }
            _ => {}
        }
        let done = match self.vi_call(function, count) {
            Some(done) => done,
            None => self.act(function, count, argument),
        };
        self.note_change(function, count, in_command);
        self.last = Some(function);
        done
    }

    /// Whether the function before was such a search, too.
    pub(super) fn searches_on(&self) -> bool {
        matches!(
            self.last,
            Some(
                F::HistorySearchBackward
                    | F::HistorySearchForward
                    | F::HistorySubstringSearchBackward
                    | F::HistorySubstringSearchForward
            )
        )
    }

    fn begin_argument(&mut self) {
        let key = self.keys.last().copied().unwrap_or_default();
        self.prefix = Some(match key {
            b'0'..=b'9' => Prefix { negative: false, value: Some(i64::from(key - b'0')) },
            b'-' => Prefix { negative: true, value: None },
            _ => Prefix::default(),
        });
    }

    fn act(&mut self, function: F, count: Option<i64>, argument: Option<Argument>) -> Step {
        let n = count.unwrap_or(1);
        let (point, end) = (self.buffer.point(), self.buffer.end());
        match function {
            F::SelfInsert => return self.self_insert(n),
            F::QuotedInsert => {
                for _ in 0..times(n).min(1000) {
                    let byte = self.byte()?;
                    self.insert(&[byte]);
                }
            }
            F::TabInsert => {
                self.insert(&b"\t".repeat(times(n.max(0))));
            }
            F::BracketedPasteBegin => {
                let (text, cut) = self.input.pasted();
                self.mark = point;
                if !self.buffer.insert(&text) || cut {
                    self.bell();
                }
            }
            F::AcceptLine => return self.accept(),
            F::OperateAndGetNext => {
                self.shell.editor.next = Some(self.place + 1).filter(|next| *next < self.shell.history.len());
                // The line that is run is added to the history, which may drop its first one.
                return self.accept();
            }
            F::Abort => {
                self.input.drop_macros();
                self.bell();
            }
            F::ForwardChar => self.by(n, |b, at| b.right(at), |b, at| b.left(at)),
            F::BackwardChar => self.by(n.saturating_neg(), |b, at| b.right(at), |b, at| b.left(at)),
            F::ForwardByte => self.by(n, |b, at| (at + 1).min(b.end()), |_, at| at.saturating_sub(1)),
            F::BackwardByte => {
                self.by(n.saturating_neg(), |b, at| (at + 1).min(b.end()), |_, at| at.saturating_sub(1));
            }
            F::ForwardWord => self.quietly_by(n, |b, at| b.word_right(at), |b, at| b.word_left(at)),
            F::BackwardWord => {
                self.quietly_by(n.saturating_neg(), |b, at| b.word_right(at), |b, at| b.word_left(at));
            }
            F::ShellForwardWord | F::ShellBackwardWord => {
                let n = if function == F::ShellForwardWord { n } else { n.saturating_neg() };
                let words = self.buffer.shell_words();
                let to = self.times(n, |b, at| b.shell_word(&words, at, n < 0));
                self.buffer.move_to(to);
            }
            F::BeginningOfLine => self.buffer.move_to(0),
            F::EndOfLine => self.buffer.move_to(end),
            F::DeleteChar | F::ForwardBackwardDeleteChar | F::DeleteCharOrList => {
                return self.delete_char(function, count);
            }
            F::BackwardDeleteChar => self.backward_delete(count),
            F::DeleteHorizontalSpace => {
                let blank = |byte: u8| byte == b' ' || byte == b'\t';
                let (from, to) = (self.buffer.back_while(point, blank), self.buffer.on_while(point, blank));
                self.buffer.change(from, to, b"");
            }
            F::KillLine if n < 0 => self.kill(0, point),
            F::KillLine => self.kill(point, end),
            F::BackwardKillLine if n < 0 => self.kill(point, end),
            F::BackwardKillLine => self.kill(0, point),
            F::UnixLineDiscard if point == 0 => self.bell(),
            F::UnixLineDiscard => self.kill(0, point),
            F::KillWholeLine => {
                self.kill(0, end);
            }
            F::KillWord | F::CopyForwardWord | F::ShellKillWord => self.kill_words(function, n),
            F::BackwardKillWord | F::CopyBackwardWord | F::ShellBackwardKillWord => {
                self.kill_words(function, n.saturating_neg());
            }
            F::UnixWordRubout | F::UnixFilenameRubout if point == 0 => self.bell(),
            F::UnixWordRubout => {
                let from = self.times(n, |b, at| b.blank_left(at));
                self.kill(from, point);
            }
            F::UnixFilenameRubout => {
                let ends = |byte: u8| byte.is_ascii_whitespace() || byte == b'/';
                let from = self.times(n, |b, at| b.back_while(b.back_while(at, ends), |byte| !ends(byte)));
                self.kill(from, point);
            }
            F::Yank => match self.shell.editor.kills.newest() {
                Some(text) => {
                    self.mark = point;
                    self.insert(&text);
                }
                None => self.bell(),
            },
            F::YankPop | F::ViYankPop => self.yank_pop(),
            F::SetMark => {
                self.mark = count.map_or(point, |count| usize::try_from(count).unwrap_or(0)).min(end)
            }
            F::ExchangePointAndMark => {
                let mark = std::mem::replace(&mut self.mark, point);
                self.buffer.move_to(mark);
            }
            F::KillRegion => {
                let mark = self.mark.min(end);
                self.kill(mark.min(point), mark.max(point));
            }
            F::CopyRegionAsKill => {
                let mark = self.mark.min(end);
                self.copy(mark.min(point), mark.max(point));
            }
            F::TransposeChars => self.transpose(n),
            F::TransposeWords => {
                self.transpose_words(n, |b, at, back| if back { b.word_left(at) } else { b.word_right(at) })
            }
            F::ShellTransposeWords => {
                let words = self.buffer.shell_words();
                self.transpose_words(n, |b, at, back| b.shell_word(&words, at, back));
            }
            F::UpcaseWord | F::DowncaseWord | F::CapitalizeWord => self.change_case(function, n),
            F::OverwriteMode => self.overwrite = if count.is_some() { n > 0 } else { !self.overwrite },
            F::Undo | F::ViUndo => {
                for _ in 0..times(n) {
                    if !self.buffer.undo() {
                        self.bell();
                        break;
                    }
                }
            }
            F::RevertLine => {
                if self.buffer.undo_all() && self.command {
                    self.buffer.move_to(0);
                }
            }
            F::CharacterSearch | F::CharacterSearchBackward => {
                let back = (function == F::CharacterSearchBackward) != (n < 0);
                let first = self.byte()?;
                let wanted = self.character(first)?;
                match self.buffer.find_character(point, &wanted, times(n), back) {
                    Some(at) => self.buffer.move_to(at),
                    None => self.bell(),
                }
            }
            F::ClearScreen if count.is_some() => self.screen.erase(),
            F::ClearScreen => self.screen.clear(false),
            F::ClearDisplay => self.screen.clear(true),
            F::RedrawCurrentLine => self.screen.erase(),
            F::PreviousHistory => self.history_by(n.saturating_neg()),
            F::NextHistory => self.history_by(n),
            F::BeginningOfHistory => self.show_history(0),
            F::EndOfHistory => self.show_history(self.shell.history.len()),
            F::FetchHistory => match count {
                Some(number) => self.fetch_history(number),
                None => self.show_history(self.shell.history.len().saturating_sub(1)),
            },
            F::ReverseSearchHistory => return self.search(n < 0),
            F::ForwardSearchHistory => return self.search(n >= 0),
            F::HistorySearchBackward => self.search_start(n < 0, false),
            F::HistorySearchForward => self.search_start(n >= 0, false),
            F::HistorySubstringSearchBackward => self.search_start(n < 0, true),
            F::HistorySubstringSearchForward => self.search_start(n >= 0, true),
            F::NonIncrementalReverseSearchHistory => return self.ask_and_search(false, b':'),
            F::NonIncrementalForwardSearchHistory => return self.ask_and_search(true, b':'),
            F::NonIncrementalReverseSearchHistoryAgain => return self.search_again(false),
            F::NonIncrementalForwardSearchHistoryAgain => return self.search_again(true),
            F::YankLastArg => self.last_argument(count, argument),
            F::YankNthArg => self.yank_nth_argument(count),
            F::InsertComment => return self.comment(count),
            F::HistoryExpandLine => {
                self.expand_line(false, true);
            }
            F::AliasExpandLine => {
                self.expand_line(true, false);
            }
            F::HistoryAndAliasExpandLine => {
                self.expand_line(true, true);
            }
            F::MagicSpace => {
                if self.expand_line(false, true) {
                    self.insert(&b" ".repeat(times(n.max(0)).min(super::buffer::LONGEST)));
                }
            }
            F::ShellExpandLine => return self.expand_as_shell(count.is_some()),
            F::SpellCorrectWord => self.correct_word(n),
            F::TildeExpand => self.expand_tilde(),
            F::Complete => self.complete(Only::All, function),
            F::CompleteCommand => self.complete(Only::Commands, function),
            F::CompleteFilename => self.complete(Only::Files, function),
            F::CompleteHostname => self.complete(Only::Action("hostname"), function),
            F::CompleteUsername => self.complete(Only::Action("user"), function),
            F::CompleteVariable => self.complete(Only::Action("variable"), function),
            F::DynamicCompleteHistory => self.complete(Only::History, function),
            F::GlobCompleteWord => self.complete(Only::Pattern { open: true }, function),
            F::CompleteIntoBraces => self.complete_into_braces(),
            F::PossibleCompletions => self.list_completions(Only::All),
            F::PossibleCommandCompletions => self.list_completions(Only::Commands),
            F::PossibleFilenameCompletions => self.list_completions(Only::Files),
            F::PossibleHostnameCompletions => self.list_completions(Only::Action("hostname")),
            F::PossibleUsernameCompletions => self.list_completions(Only::Action("user")),
            F::PossibleVariableCompletions => self.list_completions(Only::Action("variable")),
            F::GlobListExpansions => self.list_completions(Only::Pattern { open: count.is_some() }),
            F::GlobExpandWord => self.insert_completions(Only::Pattern { open: count.is_some() }),
            F::InsertCompletions => self.insert_completions(Only::All),
            F::MenuComplete | F::OldMenuComplete => self.menu_complete(Only::All, n),
            F::MenuCompleteBackward => self.menu_complete(Only::All, n.saturating_neg()),
            F::DabbrevExpand => self.menu_complete(Only::Newest, n),
            F::StartKbdMacro => {
                let start =
                    if count.is_some() { self.shell.editor.keyboard_macro.to_vec() } else { Vec::new() };
                if self.input.recording.is_some() {
                    self.bell();
                } else {
                    self.input.recording = Some(start);
                }
            }
            F::EndKbdMacro => match self.input.recording.take() {
                Some(mut keys) => {
                    keys.truncate(keys.len().saturating_sub(self.keys.len()));
                    self.shell.editor.keyboard_macro = keys.into();
                    if n > 1 {
                        self.call_macro(times(n) - 1);
                    }
                }
                None => self.bell(),
            },
            F::CallLastKbdMacro => self.call_macro(times(n.max(0))),
            F::PrintLastKbdMacro => {
                let text = super::sequence::shown_macro(&self.shell.editor.keyboard_macro);
                self.print(&[b"\"", &*text, b"\"\n"].concat());
            }
            F::DumpFunctions | F::DumpMacros | F::DumpVariables => {
                let before = self.shell.editor_config().part;
                self.shell.editor_config().part = super::Part::of_mode(before.map != super::EMACS);
                let text = match function {
                    F::DumpFunctions => bind::functions_listed(self.shell, count.is_none()),
                    F::DumpMacros => bind::macros(self.shell, count.is_none()),
                    _ => bind::variables(self.shell, count.is_none()),
                };
                self.shell.editor_config().part = before;
                self.print(&text);
            }
            F::DisplayShellVersion => {
                self.print(b"GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n");
            }
            F::ReReadInitFile => self.shell.read_init_file(),
            F::EmacsEditingMode | F::ViEditingMode => {
                self.shell.set_editing_mode(function == F::ViEditingMode);
                self.command = false;
            }
            F::EditAndExecuteCommand | F::ViEditAndExecuteCommand => return self.edit_elsewhere(count),
            F::ArrowKeyPrefix => return self.arrow_key(count),
            F::NextScreenLine | F::PreviousScreenLine => self.screen_line(function == F::NextScreenLine),
            F::SkipCsiSequence => self.skip_csi(b"\x1b[")?,
            // The others were done before.
            _ => self.bell(),
        }
        Ok(())
    }

    /// Moves several times; a negative number turns round. A bell where it ends early.
    fn by(
        &mut self,
        n: i64,
        on: fn(&super::buffer::Buffer, usize) -> usize,
        back: fn(&super::buffer::Buffer, usize) -> usize,
    ) {
        let step = if n < 0 { back } else { on };
        for _ in 0..times(n) {
            let point = self.buffer.point();
            let next = step(&self.buffer, point);
            if next == point {
                self.bell();
                break;
            }
            self.buffer.move_to(next);
        }
    }

    /// The key after the start of an arrow's sequence.
    fn arrow_key(&mut self, count: Option<i64>) -> Step {
        let function = match self.byte()?.to_ascii_uppercase() {
            b'A' => F::PreviousHistory,
            b'B' => F::NextHistory,
            b'C' => F::ForwardChar,
            b'D' => F::BackwardChar,
            _ => {
                self.bell();
                return Ok(());
            }
        };
        self.act(function, count, None)
    }

    /// Moves by as many characters as a row of the screen has columns.
    fn screen_line(&mut self, on: bool) {
        let width = i64::try_from(self.screen.width()).unwrap_or(i64::MAX);
        if on && self.buffer.point() < self.buffer.end() {
            self.quietly_by(width, |b, at| b.right(at), |b, at| b.left(at));
        } else {
            let width = if on { width } else { -width };
            self.by(width, |b, at| b.right(at), |b, at| b.left(at));
        }
    }

    fn quietly_by(
        &mut self,
        n: i64,
        on: fn(&super::buffer::Buffer, usize) -> usize,
        back: fn(&super::buffer::Buffer, usize) -> usize,
    ) {
        let to = self.times(n, if n < 0 { back } else { on });
        self.buffer.move_to(to);
    }

    /// Where several steps from the point lead.
    pub(super) fn times(&self, n: i64, step: impl Fn(&super::buffer::Buffer, usize) -> usize) -> usize {
        let mut at = self.buffer.point();
        for _ in 0..times(n) {
            let next = step(&self.buffer, at);
            if next == at {
                break;
            }
            at = next;
        }
        at
    }

    /// Inserts a text, or rings if the line becomes too long.
    pub(super) fn insert(&mut self, text: &[u8]) -> bool {
        let done = self.buffer.insert(text);
        if !done {
            self.bell();
        }
        done
    }

    fn self_insert(&mut self, n: i64) -> Step {
        let Some(&last) = self.keys.last() else { return Ok(()) };
        let text = self.character(last)?;
        if n < 1 {
            return Ok(());
        }
        if self.overwrite {
            let point = self.buffer.point();
            let mut to = point;
            for _ in 0..times(n) {
                let next = self.buffer.right(to);
                self.vi.replaced.push(self.buffer.part(to, next).to_vec());
                to = next;
            }
            if !self.buffer.overstrike(point, to, &text.repeat(times(n))) {
                self.bell();
            }
        } else if n == 1 {
            if !self.buffer.type_text(&text) {
                self.bell();
            }
        } else {
            self.insert(&text.repeat(times(n)));
        }
        Ok(())
    }

    fn delete_char(&mut self, function: F, count: Option<i64>) -> Step {
        let (point, end) = (self.buffer.point(), self.buffer.end());
        if end == 0 && count.is_none() && function != F::ForwardBackwardDeleteChar {
            let is_eof = self.keys == [4] && self.last != Some(F::DeleteChar);
            if is_eof {
                return Err(self.leave(Typed::End));
            }
        }
        if point == end {
            match function {
                F::ForwardBackwardDeleteChar if point > 0 => self.backward_delete(count),
                F::DeleteCharOrList => self.list_completions(Only::All),
                _ => self.bell(),
            }
            return Ok(());
        }
        match count {
            Some(n) if n < 0 => self.backward_delete(Some(n.saturating_neg())),
            Some(n) => {
                let to = self.times(n, |b, at| b.right(at));
                self.kill(point, to);
            }
            None => {
                self.buffer.change(point, self.buffer.right(point), b"");
            }
        }
        Ok(())
    }

    fn backward_delete(&mut self, count: Option<i64>) {
        let point = self.buffer.point();
        if point == 0 {
            return self.bell();
        }
        if self.overwrite && self.is_vi() {
            // What was replaced comes back.
            let from = self.buffer.left(point);
            match self.vi.replaced.pop() {
                Some(before) => {
                    self.buffer.change(from, point, &before);
                    self.buffer.move_to(from);
                }
                None => self.buffer.move_to(from),
            }
            return;
        }
        match count {
            Some(n) if n < 0 => {
                let to = self.times(n, |b, at| b.right(at));
                self.kill(point, to);
            }
            Some(n) => {
                let from = self.times(n, |b, at| b.left(at));
                self.kill(from, point);
            }
            None if self.overwrite && point < self.buffer.end() => {
                let from = self.buffer.left(point);
                let width = sandshell_posix::characters::columns(self.buffer.part(from, point));
                self.buffer.change(from, point, &b" ".repeat(width));
                self.buffer.move_to(from);
            }
            None => {
                self.buffer.change(self.buffer.left(point), point, b"");
            }
        }
    }

    /// Removes text and keeps it.
    pub(super) fn kill(&mut self, from: usize, to: usize) {
        self.copy(from, to);
        if from < to {
            self.buffer.change(from, to, b"");
        }
    }

    /// Keeps text as if it were removed.
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        let text = self.buffer.part(from, to).to_vec();
        if !text.is_empty() {
            self.shell.editor.kills.add(&text, self.joins && !self.command, to <= self.buffer.point());
            self.killed = true;
        }
    }

    fn kill_words(&mut self, function: F, n: i64) {
        let point = self.buffer.point();
        let shell = matches!(function, F::ShellKillWord | F::ShellBackwardKillWord);
        let words = if shell { self.buffer.shell_words() } else { Vec::new() };
        let to = self.times(n, |b, at| match (shell, n < 0) {
            (true, back) => b.shell_word(&words, at, back),
            (false, true) => b.word_left(at),
            (false, false) => b.word_right(at),
        });
        let (from, to) = (point.min(to), point.max(to));
        if matches!(function, F::CopyForwardWord | F::CopyBackwardWord) {
            self.copy(from, to);
        } else {
            self.kill(from, to);
        }
    }

    fn yank_pop(&mut self) {
        if !matches!(self.last, Some(F::Yank | F::YankPop | F::ViYankPop)) || !self.buffer.undo() {
            return self.bell();
        }
        self.shell.editor.kills.rotate();
        if let Some(text) = self.shell.editor.kills.newest() {
            self.insert(&text);
        }
    }

    pub(super) fn accept(&mut self) -> Step {
        self.buffer.move_to(self.buffer.end());
        self.prefix = None;
        self.draw();
        self.screen.leave();
        let text = self.buffer.text().to_vec();
        if self.place < self.shell.history.len() {
            // The line of the history stays as it was.
            self.changed.remove(&self.place);
        }
        Err(Typed::Line(text))
    }

    fn call_macro(&mut self, times: usize) {
        if self.input.recording.is_some() {
            // It would contain itself.
            self.input.recording = None;
            return self.bell();
        }
        let keys = self.shell.editor.keyboard_macro.clone();
        self.type_macro(&keys, times);
    }

    /// Exchanges the characters around the point; with a number, the one before it moves on.
    fn transpose(&mut self, n: i64) {
        let end = self.buffer.end();
        let mut point = self.buffer.point();
        if point == 0 || self.buffer.left(end) == 0 || n == 0 {
            return self.bell();
        }
        if point == end {
            point = self.buffer.left(point);
        }
        let from = self.buffer.left(point);
        let character = self.buffer.part(from, point).to_vec();
        self.buffer.move_to(if n < 0 { from } else { point });
        let to = self.times(n, |b, at| if n < 0 { b.left(at) } else { b.right(at) });
        let changed = match n < 0 {
            false => [self.buffer.part(point, to), &*character].concat(),
            true => [&*character, self.buffer.part(to, from)].concat(),
        };
        let (from, until) = if n < 0 { (to, point) } else { (from, to) };
        self.buffer.change(from, until, &changed);
        if n < 0 {
            self.buffer.move_to(from + character.len());
        }
    }

    fn transpose_words(&mut self, n: i64, word: impl Fn(&super::buffer::Buffer, usize, bool) -> usize) {
        let point = self.buffer.point();
        let b = &self.buffer;
        let second_end = self.times(n.max(1), |b, at| word(b, at, false));
        let second = word(b, second_end, true);
        let first = word(b, second, true);
        let (first, second) =
            if n > 1 { (word(b, word(b, point, false), true), second) } else { (first, second) };
        let first_end = word(b, first, false);
        if n < 1 || first_end > second || first == second {
            return self.bell();
        }
        let part = |from: usize, to: usize| b.part(from, to);
        let swapped = [part(second, second_end), part(first_end, second), part(first, first_end)].concat();
        self.buffer.change(first, second_end, &swapped);
    }

    fn change_case(&mut self, function: F, n: i64) {
        let point = self.buffer.point();
        let to = self.times(n, |b, at| if n < 0 { b.word_left(at) } else { b.word_right(at) });
        let (from, to) = (point.min(to), point.max(to));
        let text = self.buffer.part(from, to);
        let changed = match function {
            F::UpcaseWord => crate::text::to_case(text, true),
            F::DowncaseWord => crate::text::to_case(text, false),
            _ => capitalized(text),
        };
        if changed != text {
            self.buffer.change(from, to, &changed);
        }
        self.buffer.move_to(if n < 0 { point } else { from + changed.len() });
    }

    fn comment(&mut self, count: Option<i64>) -> Step {
        let begin = self.shell.editor_config().settings.value("comment-begin").to_vec();
        if count.is_some() && self.buffer.text().starts_with(&begin) {
            self.buffer.change(0, begin.len(), b"");
        } else {
            self.buffer.change(0, 0, &begin);
        }
        self.accept()
    }

    pub(super) fn expand_tilde(&mut self) {
        let point = self.buffer.point();
        let not_blank = |byte: u8| !byte.is_ascii_whitespace();
        let at = if self.buffer.after().first().is_some_and(|b| not_blank(*b)) {
            self.buffer.right(point)
        } else {
            point
        };
        let (from, to) = (self.buffer.back_while(at, not_blank), self.buffer.on_while(point, not_blank));
        let word = self.buffer.part(from, to).to_vec();
        if !word.starts_with(b"~") {
            return;
        }
        let expanded = self.path(&word);
        if position(&expanded, b"~", false) != Some(0) {
            self.buffer.change(from, to, &expanded);
        }
    }
}

/// A text whose words begin with a capital letter.
fn capitalized(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let start = rest.iter().position(|b| b.is_ascii_alphanumeric() || *b >= 0x80).unwrap_or(rest.len());
        let (before, word) = rest.split_at(start);
        let end = word.iter().position(|b| !b.is_ascii_alphanumeric() && *b < 0x80).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        let (first, others) = word.split_at(crate::text::char_len(word).min(word.len()));
        out.extend(
            [before, &crate::text::to_case(first, true), &crate::text::to_case(others, false)].concat(),
        );
        rest = after;
    }
    out
}
