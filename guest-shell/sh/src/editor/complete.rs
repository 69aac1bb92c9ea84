//! Tab: completes a command, a file, a variable, or what `complete` defines for a command.

use super::Editor;
use super::context::{self, Context};
use crate::builtins::complete::{self as specs, Call};
use crate::shell::{Run, Shell};
use crate::variables::Name;
use sandshell_syntax::name::is_name;
use sandshell_sys as sys;
use sandshell_terminal::Key;

/// Characters of file names that are quoted.
const QUOTED: &[u8] = b" \t\n\\\"'<>=;|&()#$`?*[!:{}";
/// How often a function may ask for another definition.
const RETRIES: usize = 8;

/// What a completion function may change with `compopt`.
#[derive(Debug, Default)]
pub(crate) struct Completing {
    pub(crate) options: Vec<&'static str>,
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
struct Found {
    kind: Kind,
    /// What the words replace begins here.
    from: usize,
    words: Vec<Vec<u8>>,
    options: Vec<&'static str>,
}

impl Found {
    fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }
}

impl Editor<'_> {
    pub(super) fn complete(&mut self) {
        let Some((context, found)) = self.completions() else {
            self.screen.bell();
            return;
        };
        let typed = self.buffer.text().get(found.from..self.buffer.point()).unwrap_or_default().to_vec();
        let typed = if found.kind == Kind::File { context::unquoted(&typed, context.quote) } else { typed };
        let common = common_start(&found.words);
        let only = found.words.len() == 1;
        if common.starts_with(&typed) && common.len() > typed.len() || only {
            self.insert_word(&context, &found, &common, only);
            if !only {
                self.screen.bell();
            }
        } else if self.last == Some(Key::Tab) {
            self.show(&found);
        } else {
            self.screen.bell();
        }
    }

    pub(super) fn list_completions(&mut self) {
        match self.completions() {
            Some((_, found)) => self.show(&found),
            None => self.screen.bell(),
        }
    }

    /// Inserts all of them.
    pub(super) fn insert_completions(&mut self) {
        let Some((context, found)) = self.completions() else {
            self.screen.bell();
            return;
        };
        let words = found.words.iter().flat_map(|word| {
            [&*if found.kind == Kind::File { quoted(word, context.quote) } else { word.clone() }, b" "]
                .concat()
        });
        let words: Vec<u8> = words.collect();
        let point = self.buffer.point();
        self.buffer.change(found.from, point, &words);
    }

    fn show(&mut self, found: &Found) {
        let short = |word: &Vec<u8>| match found.kind {
            Kind::File => {
                let trimmed = word.strip_suffix(b"/").unwrap_or(word);
                trimmed.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec()
            }
            _ => word.clone(),
        };
        let names: Vec<Vec<u8>> = found.words.iter().map(short).collect();
        self.list(&names);
    }

    /// Replaces the word. A whole one is followed by a space, a directory by a slash.
    fn insert_word(&mut self, context: &Context, found: &Found, word: &[u8], whole: bool) {
        let point = self.buffer.point();
        let mut from = found.from;
        let mut text = word.to_vec();
        if found.kind == Kind::File && !found.has("noquote") {
            // The directory stays as it was typed, with its variables and its tilde.
            let typed = self.buffer.text().get(from..point).unwrap_or_default();
            if let Some(slash) = typed.iter().rposition(|byte| *byte == b'/') {
                from += slash + 1;
            }
            let name = word.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            text = if word.ends_with(b"/") { word.to_vec() } else { quoted(name, context.quote) };
        }
        if whole {
            let path = match found.kind {
                Kind::File => self.path(word),
                Kind::Variable => self.value_of(word),
                _ => Vec::new(),
            };
            let is_directory = !path.is_empty() && sys::stat(&path, true).is_ok_and(|s| s.is_dir());
            if is_directory {
                if !text.ends_with(b"/") && self.buffer.after().first() != Some(&b'/') {
                    text.push(b'/');
                }
            } else {
                if context.quote != 0 && self.buffer.after().first() != Some(&context.quote) {
                    text.push(context.quote);
                }
                if !found.has("nospace") {
                    text.push(b' ');
                }
            }
        }
        self.buffer.change(from, point, &text);
    }

    /// The path of a file as it is typed, with its tilde and its variables replaced.
    fn path(&mut self, typed: &[u8]) -> Vec<u8> {
        let home = self.shell.names.home;
        let home = self.shell.value(home).map(|v| v.into_owned()).unwrap_or_default();
        match typed.strip_prefix(b"~/") {
            Some(rest) => [&*home, b"/", rest].concat(),
            None if typed == b"~" => home,
            None => self.shell.prompt_expand(typed).unwrap_or_else(|_| typed.to_vec()),
        }
    }

    fn value_of(&mut self, typed: &[u8]) -> Vec<u8> {
        let name = typed.strip_prefix(b"$").unwrap_or(typed);
        self.shell.value(Name::new(name)).map(|v| v.into_owned()).unwrap_or_default()
    }

    /// Looks for words. None if there are none.
    fn completions(&mut self) -> Option<(Context, Found)> {
        let line = self.buffer.text().to_vec();
        let point = self.buffer.point();
        let context = context::at(&line, point);
        let status = self.shell.status;
        let found = self.words(&line, point, &context);
        self.shell.status = status;
        let mut found = found.ok().filter(|found| !found.words.is_empty())?;
        if !found.has("nosort") {
            found.words.sort_unstable();
        }
        let mut seen = std::collections::HashSet::new();
        found.words.retain(|word| seen.insert(word.clone()));
        Some((context, found))
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
                kind: if self.last == Some(Key::Tab) { b'?' } else { b'\t' },
            };
            self.shell.completing = Some(Completing { options: spec.options.clone() });
            let made = specs::generate(self.shell, &spec, &word, Some(&call));
            let options = self.shell.completing.take().unwrap_or_default().options;
            let made = made?;
            if made.again {
                continue;
            }
            let mut found = Found { kind: Kind::Word, from: context.from, words: made.words, options };
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
        let found = |kind, words| Found { kind, from: context.from, words, options: Vec::new() };
        if context.quote == 0 && typed.starts_with(b"~") && !typed.contains(&b'/') {
            let users = specs::action_names(self.shell, "user", b"").into_iter();
            let users = users.map(|user| [b"~", &*user].concat()).filter(|user| user.starts_with(&typed));
            return found(Kind::File, users.collect());
        }
        if context.is_command() && !typed.contains(&b'/') {
            let mut names = specs::action_names(self.shell, "command", &typed);
            names.retain(|name| name.starts_with(&typed));
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
        if !directory.contains(&b'$') {
            return specs::files(self.shell, typed, false);
        }
        let read = self.path(directory);
        let all = specs::files(self.shell, &[&*read, start].concat(), false).into_iter();
        all.map(|file| [directory, file.strip_prefix(&*read).unwrap_or(&file)].concat()).collect()
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
    Some(Found { kind: Kind::Variable, from: from + dollar, words, options: Vec::new() })
}

/// The longest start that all words have, in whole characters.
fn common_start(words: &[Vec<u8>]) -> Vec<u8> {
    let Some((first, others)) = words.split_first() else { return Vec::new() };
    let mut length = first.len();
    for word in others {
        length = length.min(first.iter().zip(word).take_while(|(a, b)| a == b).count());
    }
    while length < first.len() && length > 0 && first.get(length).is_some_and(|b| (0x80..0xc0).contains(b)) {
        length -= 1;
    }
    first.get(..length).unwrap_or_default().to_vec()
}

/// A file name for a line in which this quote is open.
fn quoted(name: &[u8], quote: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for byte in name {
        match quote {
            b'\'' if *byte == b'\'' => out.extend(b"'\\'"),
            b'"' if matches!(byte, b'"' | b'\\' | b'$' | b'`') => out.push(b'\\'),
            0 if QUOTED.contains(byte) => out.push(b'\\'),
            _ => {}
        }
        out.push(*byte);
    }
    out
}
