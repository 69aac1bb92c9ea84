//! Tab: completes a command, a file, a variable, or what `complete` defines for a command.

use super::Editor;
use super::context::{self, Context};
use super::functions::Function;
use super::listing::{self, Name};
use crate::builtins::complete::{self as specs, Call};
use crate::shell::{Run, Shell};
use crate::variables::Name as Variable;
use sandshell_syntax::name::is_name;
use sandshell_sys as sys;

/// Characters for which the name of a file is quoted.
const QUOTED: &[u8] = b" \t\n\\\"'<>=;|&()$`?*[!:{@";
/// Characters that are then quoted, too.
const QUOTED_TOO: &[u8] = b"],}^";
/// How often a function may ask for another definition.
const RETRIES: usize = 8;

/// What a completion function may change with `compopt`.
#[derive(Debug, Default)]
pub(crate) struct Completing {
    pub(crate) options: Vec<&'static str>,
}

/// Which words a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Only {
    /// What fits where the point is.
    All,
    Commands,
    Files,
    /// Those of an action of `compgen`.
    Action(&'static str),
    /// Words of the history.
    History,
    /// Words of the history, the newest first, and nothing after them.
    Newest,
    /// Files that match the word, or with `open` what begins so.
    Pattern {
        open: bool,
    },
}

/// Words that are shown one after the other.
#[derive(Debug)]
pub(super) struct Menu {
    only: Only,
    context: Context,
    found: Found,
    /// What was typed.
    typed: Vec<u8>,
    /// The number of the word that is shown; 0 for what was typed.
    shown: usize,
    /// Where what is shown ends.
    to: usize,
}

/// What kind of words were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Command,
    File,
    Variable,
    /// Words without a meaning of their own.
    Word,
}

/// The ways in which a word can be completed.
#[derive(Debug)]
pub(super) struct Found {
    kind: Kind,
    /// What the words replace begins here.
    from: usize,
    pub(super) words: Vec<Vec<u8>>,
    options: Vec<&'static str>,
    /// The words match a pattern, so they need not begin with what was typed.
    by_pattern: bool,
}

impl Found {
    fn new(kind: Kind, from: usize, words: Vec<Vec<u8>>) -> Found {
        Found { kind, from, words, options: Vec::new(), by_pattern: false }
    }

    fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }
}

impl Editor<'_> {
    /// Completes the word. `function` lists what there is when it is repeated.
    pub(super) fn complete(&mut self, only: Only, function: Function) {
        if self.shell.editor_config().settings.is_on("disable-completion") {
            let keys = self.keys.clone();
            self.insert(&keys);
            return;
        }
        let Some((context, found)) = self.completions(only) else {
            return self.bell();
        };
        let typed = self.buffer.part(found.from, self.buffer.point()).to_vec();
        let typed = if found.kind == Kind::File { context::unquoted(&typed, context.quote) } else { typed };
        let fold = self.fold();
        let common = common_start(&found.words, fold);
        let only_one = found.words.len() == 1;
        let grows = if found.by_pattern {
            !common.is_empty() && common != typed
        } else {
            fold.starts(&common, &typed) && common.len() > typed.len()
        };
        if grows || only_one {
            self.insert_word(&context, &found, &common, only_one);
        }
        let settings = &self.shell.editor_config().settings;
        let at_once =
            settings.is_on("show-all-if-ambiguous") || settings.is_on("show-all-if-unmodified") && !grows;
        let grew = std::mem::replace(&mut self.completed, grows || only_one);
        if only_one {
            return;
        }
        if at_once || !grows && self.last == Some(function) && !grew {
            self.show(&found);
        } else {
            self.bell();
        }
    }

    pub(super) fn list_completions(&mut self, only: Only) {
        match self.completions(only) {
            Some((_, found)) => self.show(&found),
            None => self.bell(),
        }
    }

    /// Inserts all of them.
    pub(super) fn insert_completions(&mut self, only: Only) {
        let Some((context, found)) = self.completions(only) else {
            return self.bell();
        };
        let words = found.words.iter().flat_map(|word| {
            [&*if found.kind == Kind::File { quoted(word, context.quote) } else { word.clone() }, b" "]
                .concat()
        });
        let words: Vec<u8> = words.collect();
        let point = self.buffer.point();
        if !self.buffer.change(found.from, point, &words) {
            self.bell();
        }
    }

    /// Shows the next word in place of the one that is typed or shown.
    pub(super) fn menu_complete(&mut self, only: Only, by: i64) {
        let mut menu = match self.menu.take().filter(|menu| menu.only == only) {
            Some(menu) => menu,
            None => {
                let Some((context, found)) = self.completions(only) else {
                    return self.bell();
                };
                if let [word] = found.words.as_slice() {
                    let word = word.clone();
                    self.insert_word(&context, &found, &word, true);
                    return;
                }
                let to = self.buffer.point();
                let typed = self.buffer.part(found.from, to).to_vec();
                Menu { only, context, found, typed, shown: 0, to }
            }
        };
        let count = i64::try_from(menu.found.words.len() + 1).unwrap_or(i64::MAX);
        let next = i64::try_from(menu.shown).unwrap_or(0).saturating_add(by).rem_euclid(count);
        menu.shown = usize::try_from(next).unwrap_or(0);
        self.buffer.group();
        self.buffer.change(menu.found.from, menu.to, &menu.typed);
        match menu.shown.checked_sub(1).and_then(|at| menu.found.words.get(at)).cloned() {
            Some(word) => self.insert_word(&menu.context, &menu.found, &word, true),
            None => self.bell(),
        }
        self.buffer.ungroup();
        menu.to = self.buffer.point();
        self.menu = Some(menu);
    }

    fn show(&mut self, found: &Found) {
        let settings = &self.shell.editor_config().settings;
        let (marks, colors) = (settings.is_on("visible-stats"), settings.is_on("colored-stats"));
        let directories = settings.is_on("mark-directories");
        let mut names = Vec::with_capacity(found.words.len());
        for word in &found.words {
            if found.kind != Kind::File {
                names.push(Name::plain(word.clone()));
                continue;
            }
            let trimmed = word.strip_suffix(b"/").unwrap_or(word);
            let text = trimmed.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec();
            let path = self.path(word);
            let stat = sys::stat(&path, false).ok();
            let is_directory = || sys::stat(&path, true).is_ok_and(|stat| stat.is_dir());
            let mark = match (&stat, marks) {
                (Some(stat), true) => listing::mark(stat),
                _ if directories && is_directory() => Some(b'/'),
                _ => None,
            };
            let color = match (stat, colors) {
                (Some(stat), true) => self.color_of(&stat, &text),
                _ => None,
            };
            names.push(Name { text, mark, color });
        }
        self.list(&names);
    }

    /// Replaces the word. A whole one is followed by a space, a directory by a slash.
    fn insert_word(&mut self, context: &Context, found: &Found, word: &[u8], whole: bool) {
        let point = self.buffer.point();
        let mut from = found.from;
        let mut text = word.to_vec();
        let mut space = false;
        if found.kind == Kind::File && !found.has("noquote") {
            // The directory stays as it was typed, with its variables and its tilde.
            let typed = self.buffer.text().get(from..point).unwrap_or_default();
            let slash = typed.iter().rposition(|byte| *byte == b'/').filter(|_| !found.by_pattern);
            from += slash.map_or(0, |slash| slash + 1);
            let name = match found.by_pattern {
                true => word,
                false => word.rsplit(|byte| *byte == b'/').next().unwrap_or_default(),
            };
            text = if word.ends_with(b"/") { word.to_vec() } else { quoted(name, context.quote) };
        }
        if whole {
            let path = match found.kind {
                Kind::File => self.path(word),
                Kind::Variable => self.value_of(word),
                _ => Vec::new(),
            };
            let is_directory = !path.is_empty() && sys::stat(&path, true).is_ok_and(|s| s.is_dir());
            let settings = &self.shell.editor_config().settings;
            let is_link = is_directory && sys::stat(&path, false).is_ok_and(|s| s.is_symlink());
            let marks = settings.is_on("mark-directories")
                && (!is_link || settings.is_on("mark-symlinked-directories"));
            if is_directory {
                let marks = marks && (found.kind == Kind::File || self.buffer.after().is_empty());
                if marks && !text.ends_with(b"/") && self.buffer.after().first() != Some(&b'/') {
                    text.push(b'/');
                }
            } else {
                if context.quote != 0 && self.buffer.after().first() != Some(&context.quote) {
                    text.push(context.quote);
                }
                space = !found.has("nospace");
            }
        }
        if whole && self.shell.editor_config().settings.is_on("skip-completed-text") {
            // What is there already is not typed again.
            let typed = self.buffer.part(from, point).len();
            let new = text.get(typed..).unwrap_or_default();
            let same = new.iter().zip(self.buffer.after()).take_while(|(a, b)| a == b).count();
            if same > 0 {
                self.buffer.group();
                self.buffer.change(point, point + same, b"");
                self.buffer.change(from, point, &text);
                if space {
                    self.buffer.insert(b" ");
                }
                self.buffer.ungroup();
                return;
            }
        }
        if !self.buffer.change(from, point, &text) {
            self.bell();
        } else if space && self.buffer.after().is_empty() {
            // As in readline, it is undone by itself.
            self.insert(b" ");
        }
    }

    /// The path of a file as it is typed, with its tilde and its variables replaced.
    pub(super) fn path(&mut self, typed: &[u8]) -> Vec<u8> {
        let Some(rest) = typed.strip_prefix(b"~") else {
            return self.shell.prompt_expand(typed).unwrap_or_else(|_| typed.to_vec());
        };
        let (user, rest) = rest.split_at(rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len()));
        [&*self.shell.expand_tilde(user), rest].concat()
    }

    fn value_of(&mut self, typed: &[u8]) -> Vec<u8> {
        let name = typed.strip_prefix(b"$").unwrap_or(typed);
        let name = name.strip_prefix(b"{").and_then(|name| name.strip_suffix(b"}")).unwrap_or(name);
        self.shell.value(Variable::new(name)).map(|v| v.into_owned()).unwrap_or_default()
    }

    /// Looks for words. None if there are none.
    fn completions(&mut self, only: Only) -> Option<(Context, Found)> {
        let line = self.buffer.text().to_vec();
        let point = self.buffer.point();
        let context = context::at(&line, point);
        let status = self.shell.status;
        let found = match only {
            Only::All => self.words(&line, point, &context),
            only => Ok(self.words_of(only, line.get(context.from..point).unwrap_or_default(), &context)),
        };
        self.shell.status = status;
        let mut found = found.ok().filter(|found| !found.words.is_empty())?;
        if !found.has("nosort") {
            found.words.sort_unstable();
        }
        let mut seen = std::collections::HashSet::new();
        found.words.retain(|word| seen.insert(word.clone()));
        Some((context, found))
    }

    /// Words of one kind.
    fn words_of(&mut self, only: Only, part: &[u8], context: &Context) -> Found {
        let typed = context::unquoted(part, context.quote);
        let starts = |mut words: Vec<Vec<u8>>| {
            words.retain(|word| word.starts_with(&typed));
            words
        };
        let (kind, words) = match only {
            Only::All | Only::Files => (Kind::File, self.files(&typed)),
            Only::Commands => (Kind::Command, starts(specs::action_names(self.shell, "command", &typed))),
            Only::Pattern { open } => {
                let found = self.matching(part, open);
                return Found { by_pattern: true, ..Found::new(Kind::File, context.from, found) };
            }
            Only::History | Only::Newest => {
                let words = self.words_of_history();
                let typed = if only == Only::Newest { typed } else { part.to_vec() };
                let starts = |word: &Vec<u8>| word.starts_with(&typed);
                let wanted = only == Only::Newest || !typed.is_empty();
                let words = words.into_iter().filter(|word| wanted && starts(word)).collect();
                let mut found = Found::new(Kind::Word, context.from, words);
                if only == Only::Newest {
                    found.options = vec!["nosort", "nospace"];
                }
                return found;
            }
            Only::Action("user") if !typed.starts_with(b"~") => {
                (Kind::Word, starts(specs::action_names(self.shell, "user", &typed)))
            }
            Only::Action("user") => {
                let name = typed.strip_prefix(b"~").unwrap_or(&typed).to_vec();
                let mut users = specs::action_names(self.shell, "user", &name);
                users.retain(|user| user.starts_with(&name));
                (Kind::File, users.into_iter().map(|user| [b"~", &*user].concat()).collect())
            }
            Only::Action("variable") => {
                let text = if typed.contains(&b'$') { part.to_vec() } else { [b"$", part].concat() };
                let found = variables(self.shell, &text, context.from);
                let words = found.map(|found| found.words).unwrap_or_default();
                (Kind::Variable, words)
            }
            Only::Action(action) => {
                let name = typed.rsplit(|byte| *byte == b'@').next().unwrap_or_default().to_vec();
                let before = typed.get(..typed.len() - name.len()).unwrap_or_default().to_vec();
                let mut names = specs::action_names(self.shell, action, &name);
                names.retain(|found| found.starts_with(&name));
                (Kind::Word, names.into_iter().map(|name| [&*before, &*name].concat()).collect())
            }
        };
        Found::new(kind, context.from, words)
    }

    /// The files that fit at the point, sorted, and where their directory ends in the line.
    pub(super) fn files_to_join(&mut self) -> Option<(usize, u8, Vec<Vec<u8>>)> {
        let (context, found) = self.completions(Only::Files)?;
        let typed = self.buffer.text().get(found.from..self.buffer.point()).unwrap_or_default();
        let slash = typed.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        let names = found.words.iter().map(|word| {
            let start = word.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
            word.get(start..).unwrap_or_default().to_vec()
        });
        Some((found.from + slash, context.quote, names.collect()))
    }

    /// Files that match a pattern, or begin with what matches it if it is `open`.
    fn matching(&mut self, pattern: &[u8], open: bool) -> Vec<Vec<u8>> {
        let star = if open && !pattern.ends_with(b"*") { &b"*"[..] } else { b"" };
        let mut pattern = [pattern, star].concat();
        if pattern.starts_with(b"~") {
            pattern = self.path(&pattern);
        }
        let mut files = self.shell.glob(&pattern);
        // What is no pattern, or matches nothing, stands for itself.
        if files.is_empty() && !open {
            files.push(pattern.clone());
        }
        let exists = |file: &[u8]| file.is_empty() || sys::stat(file, false).is_ok();
        files.retain(|file| *file != pattern || exists(file));
        files
    }

    /// The words of the history, those of the newest line first.
    fn words_of_history(&self) -> Vec<Vec<u8>> {
        let lines = self.shell.history.iter().rev().map(|entry| &*entry.line);
        let words = |line: &[u8]| -> Vec<Vec<u8>> {
            let tokens = crate::history_expansion::tokens(line).into_iter();
            tokens.map(|word| line.get(word).unwrap_or_default().to_vec()).collect()
        };
        lines.flat_map(words).collect()
    }

    /// How names are compared.
    fn fold(&mut self) -> Fold {
        let settings = &self.shell.editor_config().settings;
        let case = settings.is_on("completion-ignore-case");
        Fold { case, map: case && settings.is_on("completion-map-case") }
    }

    fn words(&mut self, line: &[u8], point: usize, context: &Context) -> Run<Found> {
        let part = line.get(context.from..point).unwrap_or_default();
        if context.quote != b'\''
            && let Some(found) = variables(self.shell, part, context.from)
        {
            return Ok(found);
        }
        if !context.redirects
            && let Some(found) = self.defined(line, point, context)?
        {
            return Ok(found);
        }
        Ok(self.usual(part, context))
    }

    /// What `complete` has defined for the command. `None` if that is nothing.
    fn defined(&mut self, line: &[u8], point: usize, context: &Context) -> Run<Option<Found>> {
        let word_at = |index: usize| {
            let range = context.words.get(index).cloned();
            context::unquoted(range.and_then(|range| line.get(range)).unwrap_or_default(), 0)
        };
        let name = word_at(0);
        let (words, current) = context::split(line, context, point);
        for _ in 0..RETRIES {
            let spec = if context.current > 0 {
                specs::of_command(self.shell, &name)
            } else if name.is_empty() {
                specs::special(self.shell, b'E')
            } else {
                specs::special(self.shell, b'I')
            };
            let Some(spec) = spec else { return Ok(None) };
            let word = line.get(context.from..point).unwrap_or_default().to_vec();
            let previous = current.checked_sub(1).and_then(|at| words.get(at)).cloned().unwrap_or_default();
            let start = context.words.first().map_or(0, |range| range.start);
            let end = context.words.last().map_or(point, |range| range.end);
            let call = Call {
                command: name.clone(),
                previous,
                line: line.get(start..end.max(point)).unwrap_or_default().to_vec(),
                point: point - start,
                words: words.clone(),
                current,
                kind: if self.last == Some(Function::Complete) { b'?' } else { b'\t' },
            };
            self.shell.completing = Some(Completing { options: spec.options.clone() });
            let made = specs::generate(self.shell, &spec, &word, Some(&call));
            let options = self.shell.completing.take().unwrap_or_default().options;
            let made = made?;
            if made.again {
                continue;
            }
            let mut found = Found { options, ..Found::new(Kind::Word, context.from, made.words) };
            if made.are_files || found.has("filenames") {
                found.kind = Kind::File;
            }
            if found.words.is_empty() && (found.has("bashdefault") || found.has("default")) {
                return Ok(Some(self.usual(&word, context)));
            }
            if found.words.is_empty() && found.has("dirnames") || found.has("plusdirs") {
                found.words.extend(specs::files(self.shell, &word, true));
                found.kind = Kind::File;
            }
            return Ok(Some(found));
        }
        Ok(None)
    }

    /// What bash completes without a definition.
    fn usual(&mut self, part: &[u8], context: &Context) -> Found {
        let typed = context::unquoted(part, context.quote);
        let found = |kind, words| Found::new(kind, context.from, words);
        if context.quote == 0 && typed.starts_with(b"~") && !typed.contains(&b'/') {
            let users = specs::action_names(self.shell, "user", b"").into_iter();
            let users = users.map(|user| [b"~", &*user].concat()).filter(|user| user.starts_with(&typed));
            return found(Kind::File, users.collect());
        }
        if context.is_command() && !typed.contains(&b'/') {
            let fold = self.fold();
            let asked = if fold.case { &b""[..] } else { &typed };
            let mut names = specs::action_names(self.shell, "command", asked);
            names.retain(|name| fold.starts(name, &typed));
            if !names.is_empty() {
                return found(Kind::Command, names);
            }
        }
        let mut files = self.files(&typed);
        if context.is_command() {
            files.retain(|file| {
                let path = self.path(file);
                sys::stat(&path, true).is_ok_and(|s| s.is_dir()) || crate::path::is_executable(&path)
            });
        }
        found(Kind::File, files)
    }

    /// Files whose path begins with `typed`, as far as it is typed.
    fn files(&mut self, typed: &[u8]) -> Vec<Vec<u8>> {
        let slash = typed.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        let (directory, start) = typed.split_at_checked(slash).unwrap_or((b"", typed));
        let fold = self.fold();
        let asked = if fold.case { &b""[..] } else { start };
        let expands = directory.starts_with(b"~") || directory.contains(&b'$');
        let read = if expands { self.path(directory) } else { directory.to_vec() };
        let all = specs::files(self.shell, &[&*read, asked].concat(), false).into_iter();
        let hidden = self.shell.editor_config().settings.is_on("match-hidden-files");
        all.map(|file| [directory, file.strip_prefix(&*read).unwrap_or(&file)].concat())
            .filter(|file| {
                let name = file.get(directory.len()..).unwrap_or_default();
                fold.starts(name, start) && (hidden || !name.starts_with(b"."))
            })
            .collect()
    }
}

/// How letters of names are compared.
#[derive(Clone, Copy, Debug)]
struct Fold {
    /// Capital and small letters are the same.
    case: bool,
    /// So are `-` and `_`.
    map: bool,
}

impl Fold {
    fn same(self, a: u8, b: u8) -> bool {
        let mapped = |byte: u8| if self.map && byte == b'_' { b'-' } else { byte };
        a == b || self.case && mapped(a).eq_ignore_ascii_case(&mapped(b))
    }

    fn starts(self, word: &[u8], start: &[u8]) -> bool {
        word.len() >= start.len() && word.iter().zip(start).all(|(a, b)| self.same(*a, *b))
    }
}

/// Variables, if the end of `part` is a dollar sign and the start of a name.
fn variables(shell: &mut Shell, part: &[u8], from: usize) -> Option<Found> {
    let dollar = part.iter().rposition(|byte| *byte == b'$')?;
    let quoted = dollar > 0 && part.get(dollar - 1) == Some(&b'\\');
    let rest = part.get(dollar + 1..)?;
    let (open, start) = match rest.strip_prefix(b"{") {
        Some(start) => (&b"${"[..], start),
        None => (&b"$"[..], rest),
    };
    if quoted || !start.is_empty() && !is_name(start) {
        return None;
    }
    let close = if open == b"${" { &b"}"[..] } else { b"" };
    let mut names = specs::action_names(shell, "variable", start);
    names.retain(|name| name.starts_with(start));
    let words = names.into_iter().map(|name| [open, &*name, close].concat()).collect();
    Some(Found::new(Kind::Variable, from + dollar, words))
}

/// The longest start that all words have, in whole characters.
fn common_start(words: &[Vec<u8>], fold: Fold) -> Vec<u8> {
    let Some((first, others)) = words.split_first() else { return Vec::new() };
    let mut length = first.len();
    for word in others {
        length = length.min(first.iter().zip(word).take_while(|(a, b)| fold.same(**a, **b)).count());
    }
    while length < first.len() && length > 0 && first.get(length).is_some_and(|b| (0x80..0xc0).contains(b)) {
        length -= 1;
    }
    first.get(..length).unwrap_or_default().to_vec()
}

/// A file name for a line in which this quote is open.
fn quoted(name: &[u8], quote: u8) -> Vec<u8> {
    let special = |byte: &u8| QUOTED.contains(byte);
    if quote == 0 && !name.iter().any(special) && !name.starts_with(b"#") {
        return name.to_vec();
    }
    quoted_part(name, quote)
}

/// As [`quoted`], for a part of a name that is quoted.
pub(super) fn quoted_part(name: &[u8], quote: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for (at, byte) in name.iter().enumerate() {
        match quote {
            b'\'' if *byte == b'\'' => out.extend(b"'\\'"),
            b'"' if matches!(byte, b'"' | b'\\' | b'$' | b'`') => out.push(b'\\'),
            0 if QUOTED.contains(byte) || QUOTED_TOO.contains(byte) => out.push(b'\\'),
            0 if *byte == b'#' && at == 0 => out.push(b'\\'),
            _ => {}
        }
        out.push(*byte);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_if_they_must_be() {
        assert_eq!(quoted(b"a,b]", 0), b"a,b]");
        assert_eq!(quoted(b"a b]", 0), b"a\\ b\\]");
        assert_eq!(quoted(b"#a#", 0), b"\\#a#");
        assert_eq!(quoted(b"a$b c", b'"'), b"a\\$b c");
        assert_eq!(quoted_part(b"a,", 0), b"a\\,");
    }
}
