//! `compgen`, `complete` and `compopt`: which words a line can be completed with. The line editor asks for them.

use super::args::{self, Opt};
use super::type_command::KEYWORDS;
use crate::expand::transform::quote_single;
use crate::field::Field;
use crate::options::{SET_OPTIONS, SHOPTS, Shopt};
use crate::shell::{Run, Shell};
use crate::variables::hash::{BucketTable, COMPLETION_BUCKETS};
use crate::variables::{Name, Value};
use sandshell_syntax::pattern::{Pattern, PatternOptions};
use sandshell_sys as sys;
use std::rc::Rc;

/// The options that stand for a command's name, and their names in the table.
const SPECIAL: [(u8, &str); 3] = [(b'D', "_DefaultCmD_"), (b'E', "_EmptycmD_"), (b'I', "_InitialWorD_")];

/// Actions by letter, in the order in which `complete -p` shows them.
const LETTERS: &[(u8, &str)] = &[
    (b'a', "alias"),
    (b'b', "builtin"),
    (b'c', "command"),
    (b'd', "directory"),
    (b'e', "export"),
    (b'f', "file"),
    (b'g', "group"),
    (b'j', "job"),
    (b'k', "keyword"),
    (b's', "service"),
    (b'u', "user"),
    (b'v', "variable"),
];

/// Actions that have no letter.
const ACTIONS: &[&str] = &[
    "arrayvar",
    "binding",
    "disabled",
    "enabled",
    "function",
    "helptopic",
    "hostname",
    "running",
    "setopt",
    "shopt",
    "signal",
    "stopped",
];

const OPTIONS: &[&str] =
    &["bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs"];

/// A completion specification.
#[derive(Debug, Default, Clone)]
pub(crate) struct Spec {
    pub(crate) options: Vec<&'static str>,
    actions: Vec<&'static str>,
    glob: Option<Vec<u8>>,
    words: Option<Vec<u8>>,
    function: Option<Vec<u8>>,
    command: Option<Vec<u8>>,
    filter: Option<Vec<u8>>,
    prefix: Option<Vec<u8>>,
    suffix: Option<Vec<u8>>,
}

fn spec(shell: &mut Shell, args: &[Field], found: &[Opt<'_>]) -> Result<Spec, i32> {
    let mut s = Spec::default();
    for o in found {
        let value = || Some(o.value.to_vec());
        match o.letter {
            b'o' => match OPTIONS.iter().find(|n| n.as_bytes() == o.value) {
                Some(name) => s.options.push(name),
                None => {
                    args::fail(shell, args, [o.value, b": invalid option name"].concat());
                    return Err(2);
                }
            },
            b'A' => {
                let named = LETTERS.iter().map(|l| &l.1).chain(ACTIONS).find(|n| n.as_bytes() == o.value);
                match named {
                    Some(name) => s.actions.push(name),
                    None => {
                        args::fail(shell, args, [o.value, b": invalid action name"].concat());
                        return Err(2);
                    }
                }
            }
            b'G' => s.glob = value(),
            b'W' => s.words = value(),
            b'F' => s.function = value(),
            b'C' => s.command = value(),
            b'X' => s.filter = value(),
            b'P' => s.prefix = value(),
            b'S' => s.suffix = value(),
            l => {
                if let Some((_, name)) = LETTERS.iter().find(|e| e.0 == l) {
                    s.actions.push(name);
                }
            }
        }
    }
    Ok(s)
}

impl Spec {
    // The options as `complete -p` writes them, without the name.
    fn text(&self) -> Vec<u8> {
        let mut out = b"complete".to_vec();
        let mut sorted = self.options.clone();
        sorted.sort_unstable();
        for o in sorted {
            out.extend_from_slice(format!(" -o {o}").as_bytes());
        }
        for (letter, name) in LETTERS {
            if self.actions.contains(name) {
                out.extend_from_slice(&[b' ', b'-', *letter]);
            }
        }
        for name in ACTIONS {
            if self.actions.contains(name) {
                out.extend_from_slice(format!(" -A {name}").as_bytes());
            }
        }
        let quoted = [
            (b'G', &self.glob),
            (b'W', &self.words),
            (b'P', &self.prefix),
            (b'S', &self.suffix),
            (b'X', &self.filter),
            (b'C', &self.command),
        ];
        for (letter, value) in quoted {
            if let Some(value) = value {
                out.extend_from_slice(&[b' ', b'-', letter, b' ']);
                out.extend_from_slice(&quote_single(value));
            }
        }
        if let Some(function) = &self.function {
            out.extend_from_slice(b" -F ");
            out.extend_from_slice(function);
        }
        out
    }
}

pub(super) fn complete(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (found, at) = match args::parse(shell, args, "abcdefgjksuvo:prA:G:W:P:S:X:F:C:DEI") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| found.iter().any(|o| o.letter == l);
    let mut names: Vec<Vec<u8>> = args.get(at..).unwrap_or_default().iter().map(|a| a.to_vec()).collect();
    for (letter, special) in SPECIAL {
        if has(letter) {
            names = vec![special.as_bytes().to_vec()];
        }
    }
    if has(b'r') {
        if names.is_empty() {
            shell.completions = BucketTable::new(COMPLETION_BUCKETS);
            return Ok(0);
        }
        let mut status = 0;
        if shell.completions.len() == 0 {
            return Ok(0);
        }
        for name in names {
            if shell.completions.remove(&name).is_none() {
                status =
                    args::fail(shell, args, [shown_name(&name), b": no completion specification"].concat());
            }
        }
        return Ok(status);
    }
    if has(b'p') || found.is_empty() && names.is_empty() {
        let mut status = 0;
        if names.is_empty() {
            let lines: Vec<Vec<u8>> = shell
                .completions
                .ordered()
                .into_iter()
                .map(|(n, spec)| [&*spec.text(), b" ", shown_name(n), b"\n"].concat())
                .collect();
            shell.put(&lines.concat());
        }
        for name in names {
            match shell.completions.get(&name) {
                Some(spec) => {
                    let line = [&*spec.text(), b" ", shown_name(&name), b"\n"].concat();
                    shell.put(&line);
                }
                None => {
                    status = args::fail(
                        shell,
                        args,
                        [shown_name(&name), b": no completion specification"].concat(),
                    )
                }
            }
        }
        return Ok(status);
    }
    if names.is_empty() {
        return Ok(args::usage(shell, args));
    }
    let made = match spec(shell, args, &found) {
        Ok(made) => Rc::new(made),
        Err(status) => return Ok(status),
    };
    for name in names {
        *shell.completions.entry(&name) = made.clone();
    }
    Ok(0)
}

// The name as messages show it: as an option, if it stands for one.
fn shown_name(name: &[u8]) -> &[u8] {
    match name {
        b"_DefaultCmD_" => b"-D",
        b"_EmptycmD_" => b"-E",
        b"_InitialWorD_" => b"-I",
        other => other,
    }
}

pub(super) fn compopt(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (found, at) = match args::parse(shell, args, "+o:DEI") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let mut names: Vec<Vec<u8>> = args.get(at..).unwrap_or_default().iter().map(|a| a.to_vec()).collect();
    for (letter, special) in SPECIAL {
        if found.iter().any(|o| o.letter == letter) {
            names = vec![special.as_bytes().to_vec()];
        }
    }
    let unknown = |o: &&args::Opt| o.letter == b'o' && !OPTIONS.iter().any(|n| n.as_bytes() == o.value);
    if let Some(o) = found.iter().find(unknown) {
        args::fail(shell, args, [o.value, b": invalid option name"].concat());
        return Ok(2);
    }
    // Without a name, the function that is running changes what becomes of its words.
    if names.is_empty() {
        let Some(mut completing) = shell.completing.take() else {
            return Ok(args::fail(shell, args, "not currently executing completion function"));
        };
        if found.iter().any(|o| o.letter == b'o') {
            change_options(&mut completing.options, &found);
        } else {
            let line = option_line(&completing.options, b"");
            shell.put(&line);
        }
        shell.completing = Some(completing);
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        let Some(spec) = shell.completions.get(&name).cloned() else {
            status = args::fail(shell, args, [shown_name(&name), b": no completion specification"].concat());
            continue;
        };
        if !found.iter().any(|o| o.letter == b'o') {
            let line = option_line(&spec.options, shown_name(&name));
            shell.put(&line);
            continue;
        }
        let mut spec = Spec::clone(&spec);
        change_options(&mut spec.options, &found);
        *shell.completions.entry(&name) = Rc::new(spec);
    }
    Ok(status)
}

/// Applies `-o NAME` and `+o NAME`.
fn change_options(options: &mut Vec<&'static str>, found: &[Opt<'_>]) {
    for o in found.iter().filter(|o| o.letter == b'o') {
        let Some(name) = OPTIONS.iter().find(|n| n.as_bytes() == o.value) else { continue };
        options.retain(|option| option != name);
        if !o.plus {
            options.push(name);
        }
    }
}

/// All options, as `compopt` shows them.
fn option_line(options: &[&'static str], name: &[u8]) -> Vec<u8> {
    let mut line = b"compopt".to_vec();
    for option in OPTIONS {
        line.extend_from_slice(if options.contains(option) { b" -o " } else { b" +o " });
        line.extend_from_slice(option.as_bytes());
    }
    let space: &[u8] = if name.is_empty() { b"" } else { b" " };
    [&*line, space, name, b"\n"].concat()
}

/// The definition for the arguments of a command: its own, that of its last name, or the default.
pub(crate) fn of_command(shell: &Shell, name: &[u8]) -> Option<Rc<Spec>> {
    let base = name.rsplit(|b| *b == b'/').next().unwrap_or_default();
    let get = |name: &[u8]| shell.completions.get(name).cloned();
    get(name).or_else(|| get(base)).or_else(|| special(shell, b'D'))
}

/// The definition of `-D`, `-E` or `-I`.
pub(crate) fn special(shell: &Shell, letter: u8) -> Option<Rc<Spec>> {
    let (_, name) = SPECIAL.iter().find(|special| special.0 == letter)?;
    shell.completions.get(name.as_bytes()).cloned()
}

pub(super) fn compgen(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (found, at) = match args::parse(shell, args, "abcdefgjksuvo:A:G:W:P:S:X:F:C:") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let s = match spec(shell, args, &found) {
        Ok(s) => s,
        Err(status) => return Ok(status),
    };
    if found.is_empty() {
        return Ok(0);
    }
    let word = args.get(at).map(|w| w.to_vec()).unwrap_or_default();
    if s.function.is_some() {
        args::fail(shell, args, "warning: -F option may not work as you expect");
    }
    if s.command.is_some() {
        args::fail(shell, args, "warning: -C option may not work as you expect");
    }
    let mut list = generate(shell, &s, &word, None)?.words;
    // Candidates that these options add are neither filtered nor changed.
    if list.is_empty() && s.options.contains(&"dirnames") {
        list = files(shell, &word, true);
    }
    if s.options.contains(&"plusdirs") {
        list.extend(files(shell, &word, true));
    }
    if list.is_empty() && s.options.contains(&"default") {
        list = files(shell, &word, false);
    }
    let any = !list.is_empty();
    for name in list {
        shell.put(&[&*name, b"\n"].concat());
    }
    Ok(i32::from(!any))
}

/// The status by which a function says that there is another definition now.
const AGAIN: i32 = 124;

/// The line that is being completed, for functions and commands.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) command: Vec<u8>,
    pub(crate) previous: Vec<u8>,
    pub(crate) line: Vec<u8>,
    pub(crate) point: usize,
    pub(crate) words: Vec<Vec<u8>>,
    /// The word with the point.
    pub(crate) current: usize,
    /// `COMP_TYPE`.
    pub(crate) kind: u8,
}

/// What a definition makes of a word.
#[derive(Debug, Default)]
pub(crate) struct Generated {
    pub(crate) words: Vec<Vec<u8>>,
    pub(crate) are_files: bool,
    /// There is another definition now.
    pub(crate) again: bool,
}

/// The words that a definition describes. Without a line, as `compgen` has none, functions see default values.
pub(crate) fn generate(shell: &mut Shell, s: &Spec, word: &[u8], call: Option<&Call>) -> Run<Generated> {
    let mut list: Vec<Vec<u8>> = Vec::new();
    for action in &s.actions {
        let mut names = action_names(shell, action, word);
        if !matches!(*action, "file" | "directory") {
            names.retain(|n| n.starts_with(word));
        }
        list.extend(names);
    }
    if let Some(pattern) = &s.glob {
        list.extend(shell.glob(pattern).into_iter().filter(|n| n.starts_with(word)));
    }
    if let Some(words) = &s.words {
        let mut expanded = fields_of_words(shell, words)?;
        expanded.retain(|w| w.starts_with(word));
        list.extend(expanded);
    }
    let mut again = false;
    if let Some(function) = &s.function {
        let (mut words, status) = call_function(shell, function, word, call)?;
        again = status == AGAIN;
        list.append(&mut words);
    }
    if let Some(command) = &s.command {
        list.extend(call_command(shell, command, word, call)?);
    }
    if let Some(filter) = &s.filter {
        let extended = filter.starts_with(b"!(") && shell.opts.shopt(Shopt::extglob);
        let (keep, pattern) = match filter.strip_prefix(b"!") {
            Some(rest) if !extended => (true, rest),
            _ => (false, &**filter),
        };
        // An unescaped `&` stands for the word to complete.
        let mut text = Vec::new();
        let mut bytes = pattern.iter();
        while let Some(b) = bytes.next() {
            match b {
                b'\\' => {
                    text.push(*b);
                    text.extend(bytes.next());
                }
                b'&' => sandshell_syntax::pattern::escape(word, &mut text),
                _ => text.push(*b),
            }
        }
        let options = PatternOptions { extglob: true, nocase: false };
        let compiled = Pattern::new(&text, options);
        list.retain(|n| compiled.matches(n) == keep);
    }
    let (prefix, suffix) = (s.prefix.as_deref().unwrap_or_default(), s.suffix.as_deref().unwrap_or_default());
    for name in &mut list {
        *name = [prefix, &**name, suffix].concat();
    }
    let are_files =
        s.actions.iter().any(|action| matches!(*action, "file" | "directory")) || s.glob.is_some();
    Ok(Generated { words: list, are_files, again })
}

// The words of `-W`, expanded and split by IFS.
fn fields_of_words(shell: &mut Shell, words: &[u8]) -> Run<Vec<Vec<u8>>> {
    let mut list = Vec::new();
    for piece in split_words(shell, words) {
        let line = shell.line.max(1);
        let word = {
            let mut host = crate::exec::input::TextHost { shell };
            sandshell_syntax::parser::parse_word_text(&piece, line, &mut host)
        };
        let Ok(word) = word else {
            let message = [&*piece, b": bad substitution"].concat();
            return Err(shell.expansion_error(message));
        };
        let mut made = Vec::new();
        let mut b = crate::expand::Builder::fields(&mut made, false);
        shell.expand_parts(&word.parts, false, &mut b)?;
        b.end_field();
        list.extend(made.into_iter().map(|m| m.field.into_vec()).filter(|w| !w.is_empty()));
    }
    Ok(list)
}

// Splits text at IFS characters that are outside of quotes and expansions.
fn split_words(shell: &Shell, text: &[u8]) -> Vec<Vec<u8>> {
    let mut list = Vec::new();
    let mut word = Vec::new();
    // The closing quote or bracket of everything that is open, the innermost last.
    let mut open: Vec<u8> = Vec::new();
    let mut bytes = text.iter().copied().peekable();
    while let Some(b) = bytes.next() {
        let inner = open.last().copied();
        if inner.is_none() && shell.ifs.is(b) {
            list.push(std::mem::take(&mut word));
            continue;
        }
        word.push(b);
        match b {
            b'\\' if inner != Some(b'\'') => word.extend(bytes.next()),
            _ if inner == Some(b) => {
                open.pop();
            }
            _ if inner == Some(b'\'') => {}
            b'\'' if inner != Some(b'"') => open.push(b),
            b'"' | b'`' => open.push(b),
            b'$' => match bytes.peek() {
                Some(b'(') => {
                    word.extend(bytes.next());
                    open.push(b')');
                }
                Some(b'{') => {
                    word.extend(bytes.next());
                    open.push(b'}');
                }
                _ => {}
            },
            b'(' if inner == Some(b')') => open.push(b')'),
            _ => {}
        }
    }
    list.push(word);
    list.retain(|w| !w.is_empty());
    list
}

fn expand_text(shell: &mut Shell, source: &[u8]) -> Run<Vec<u8>> {
    if !source.iter().any(|b| matches!(b, b'$' | b'`' | b'\\' | b'"' | b'\'')) {
        return Ok(source.to_vec());
    }
    let line = shell.line.max(1);
    let word = {
        let mut host = crate::exec::input::TextHost { shell };
        sandshell_syntax::parser::parse_word_text(source, line, &mut host)
    };
    match word {
        Ok(word) => shell.expand_text(&word).map(Field::into_vec),
        Err(_) => Ok(source.to_vec()),
    }
}

/// The variables that describe a line.
fn context(call: Option<&Call>) -> Vec<(&'static [u8], Vec<u8>)> {
    let number = |n: usize| n.to_string().into_bytes();
    match call {
        Some(call) => vec![
            (b"COMP_LINE", call.line.clone()),
            (b"COMP_POINT", number(call.point)),
            (b"COMP_TYPE", number(call.kind.into())),
            (b"COMP_KEY", b"9".to_vec()),
            (b"COMP_CWORD", number(call.current)),
        ],
        None => vec![
            (b"COMP_LINE", Vec::new()),
            (b"COMP_POINT", b"0".to_vec()),
            (b"COMP_TYPE", b"0".to_vec()),
            (b"COMP_KEY", b"0".to_vec()),
            (b"COMP_CWORD", b"-1".to_vec()),
        ],
    }
}

/// Calls a completion function. Returns what it has put into `COMPREPLY`, and its status.
fn call_function(
    shell: &mut Shell,
    function: &[u8],
    word: &[u8],
    call: Option<&Call>,
) -> Run<(Vec<Vec<u8>>, i32)> {
    let Some(f) = shell.function_named(function).cloned() else {
        shell.error([b"completion: function `", function, b"' not found"].concat());
        return Ok((Vec::new(), 0));
    };
    let reply = Name::new(b"COMPREPLY");
    shell.unset_variable(reply);
    let command = call.map_or(&b"compgen"[..], |call| &call.command);
    let previous = call.map_or(&b""[..], |call| &call.previous);
    let fields = [function, command, word, previous].map(Field::from).to_vec();
    let context = context(call);
    for (name, value) in &context {
        let _ = shell.assign(Name::new(name), value, false);
    }
    let words = Name::new(b"COMP_WORDS");
    shell.assign_list(words, call.map(|call| call.words.clone()).unwrap_or_default())?;
    let called = shell.call_function(&f, fields, &[]);
    let status = shell.status;
    for name in context.iter().map(|c| Name::new(c.0)).chain([words]) {
        shell.unset_variable(name);
    }
    let _ = shell.flush();
    called?;
    let made = match shell.variable(reply).as_deref().map(|v| &v.value) {
        Some(Value::Indexed(a)) => a.values().map(<[u8]>::to_vec).collect(),
        Some(Value::Str(s)) => vec![s.clone()],
        _ => Vec::new(),
    };
    shell.unset_variable(reply);
    Ok((made, status))
}

/// Runs a completion command. Returns the lines of its output.
fn call_command(shell: &mut Shell, command: &[u8], word: &[u8], call: Option<&Call>) -> Run<Vec<Vec<u8>>> {
    let name = call.map_or(&b"compgen"[..], |call| &call.command);
    let previous = call.map_or(&b""[..], |call| &call.previous);
    let mut text = b"$(".to_vec();
    for (name, value) in call.map(|call| context(Some(call))).unwrap_or_default() {
        text.extend([b"export ", name, b"=", &*quote_single(&value), b"; "].concat());
    }
    text.extend_from_slice(command);
    for argument in [name, word, previous] {
        text.extend([b" ", &*quote_single(argument)].concat());
    }
    text.push(b')');
    let lines = expand_text(shell, &text)?;
    Ok(lines.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec).collect())
}

// Files (or only directories) whose path begins with `word`. A leading `~` stays in the results.
pub(crate) fn files(shell: &mut Shell, word: &[u8], directories: bool) -> Vec<Vec<u8>> {
    let slash = word.iter().rposition(|b| *b == b'/').map_or(0, |i| i + 1);
    let (dir, start) = word.split_at_checked(slash).unwrap_or((b"", word));
    let home = shell.names.home;
    let read = match (dir.strip_prefix(b"~/"), shell.value(home)) {
        (Some(rest), Some(home)) => [&*home, b"/", rest].concat(),
        _ if dir.is_empty() => b"./".to_vec(),
        _ => dir.to_vec(),
    };
    let entries = sys::read_dir(&read).unwrap_or_default().into_iter().map(|entry| entry.name);
    let entries = entries.filter(|name| !matches!(&**name, b"." | b".."));
    // These two are only meant where a dot was typed.
    let dots = if start.is_empty() { &[][..] } else { &[&b"."[..], b".."] };
    let mut list: Vec<Vec<u8>> = entries
        .chain(dots.iter().map(|name| name.to_vec()))
        .filter(|name| name.starts_with(start))
        .filter(|name| !directories || sys::stat(&[&*read, &**name].concat(), true).is_ok_and(|s| s.is_dir()))
        .map(|name| [dir, &*name].concat())
        .collect();
    list.sort_unstable();
    list
}

fn passwd_names(file: &[u8]) -> Vec<Vec<u8>> {
    let Ok(fd) = sys::open(file, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0) else {
        return Vec::new();
    };
    let data = sys::read_to_end(fd).unwrap_or_default();
    let _ = sys::close(fd);
    data.split(|b| *b == b'\n')
        .filter_map(|l| l.split(|b| *b == b':').next())
        .filter(|n| !n.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

pub(crate) fn action_names(shell: &mut Shell, action: &str, word: &[u8]) -> Vec<Vec<u8>> {
    let owned = |s: &str| s.as_bytes().to_vec();
    let jobs = |shell: &Shell, wanted: Option<bool>| -> Vec<Vec<u8>> {
        shell
            .jobs
            .list
            .iter()
            .filter(|j| wanted.is_none_or(|stopped| !j.done() && j.stopped() == stopped))
            .map(|j| j.text.split(|b| *b == b' ').next().unwrap_or_default().to_vec())
            .collect()
    };
    match action {
        "alias" => shell.aliases.keys().map(|k| k.to_vec()).collect(),
        "arrayvar" | "export" | "variable" => {
            let mut names = shell.vars.sorted();
            if action != "export" {
                names.extend(
                    crate::variables::dynamic::DYNAMIC.iter().map(|n| (Name::new(n).bytes(), Name::new(n))),
                );
                names.sort();
                names.dedup();
            }
            names
                .into_iter()
                .filter(|(text, name)| {
                    sandshell_syntax::name::is_name(text)
                        && match action {
                            "arrayvar" => shell.variable(*name).is_some_and(|v| v.is_array()),
                            "export" => {
                                shell.vars.get(*name).is_some_and(|v| v.has(crate::variables::attr::EXPORT))
                            }
                            _ => {
                                !shell.dead.contains(name)
                                    && shell
                                        .vars
                                        .get(*name)
                                        .is_none_or(|v| !v.has(crate::variables::attr::INVISIBLE))
                            }
                        }
                })
                .map(|(text, _)| text.to_vec())
                .collect()
        }
        "binding" => crate::editor::functions::names().iter().map(|(name, _)| owned(name)).collect(),
        "builtin" => super::all().iter().map(|b| owned(b.name)).collect(),
        "enabled" | "disabled" => super::all()
            .iter()
            .filter(|b| shell.disabled_builtins.contains(&b.name) == (action == "disabled"))
            .map(|b| owned(b.name))
            .collect(),
        "helptopic" => super::help::topics().map(owned).collect(),
        "keyword" => KEYWORDS.iter().map(|k| owned(k)).collect(),
        "function" => shell.all_functions().into_iter().map(|f| f.0.to_vec()).collect(),
        "directory" => files(shell, word, true),
        "file" => files(shell, word, false),
        "command" => {
            let mut list: Vec<Vec<u8>> = shell.aliases.keys().map(|k| k.to_vec()).collect();
            list.extend(KEYWORDS.iter().map(|k| owned(k)));
            list.extend(shell.all_functions().into_iter().map(|f| f.0.to_vec()));
            list.extend(super::all().iter().map(|b| owned(b.name)));
            for dir in shell.search_path().split(|b| *b == b':') {
                let mut names: Vec<Vec<u8>> = sys::read_dir(if dir.is_empty() { b"." } else { dir })
                    .unwrap_or_default()
                    .into_iter()
                    .map(|e| e.name)
                    .filter(|n| n.starts_with(word) && crate::path::is_executable(&crate::path::join(dir, n)))
                    .collect();
                names.sort_unstable();
                list.append(&mut names);
            }
            list
        }
        "group" => passwd_names(b"/etc/group"),
        "user" => passwd_names(b"/etc/passwd"),
        "hostname" => vec![sys::hostname()],
        "job" => jobs(shell, None),
        "running" => jobs(shell, Some(false)),
        "stopped" => jobs(shell, Some(true)),
        "setopt" => SET_OPTIONS.iter().map(|o| owned(o.0)).collect(),
        "shopt" => SHOPTS.iter().map(|o| owned(o.1)).collect(),
        "signal" => {
            let real = (1..=64).filter_map(crate::traps::real_name).map(|n| format!("SIG{n}").into_bytes());
            let pseudo = ["DEBUG", "ERR", "RETURN"].map(owned);
            std::iter::once(owned("EXIT")).chain(real).chain(pseudo).collect()
        }
        _ => Vec::new(),
    }
}
