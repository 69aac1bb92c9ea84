//! `help`, and the `--help` of builtins.

mod topics;

use super::args;
use crate::field::Field;
use crate::shell::{Run, Shell};
use sandshell_syntax::pattern::{Pattern, PatternOptions, is_glob};
use topics::{SYNTAX, TOPICS, Topic};

fn synopsis(name: &str) -> &'static str {
    match super::find(name.as_bytes()) {
        Some(b) => b.usage,
        None => SYNTAX.iter().find(|s| s.0 == name).map_or("", |s| s.1),
    }
}

impl Topic {
    /// The summary and the details, with each line indented.
    fn description(&self) -> String {
        let lines = std::iter::once(self.summary).chain(self.details.lines());
        lines.map(|line| format!("    {line}\n")).collect()
    }

    fn full(&self) -> String {
        format!("{}: {}\n{}", self.name, synopsis(self.name), self.description())
    }

    /// The topic in the form of a manual page.
    fn page(&self) -> String {
        let Topic { name, summary, .. } = self;
        let description = self.description();
        format!(
            "NAME\n    {name} - {summary}\n\nSYNOPSIS\n    {}\n\nDESCRIPTION\n{description}",
            synopsis(name)
        )
    }
}

/// Prints the help of a builtin, as its `--help` does.
pub(super) fn print_help(shell: &mut Shell, name: &[u8]) {
    if let Some(topic) = TOPICS.iter().find(|t| t.name.as_bytes() == name) {
        shell.put(topic.full().as_bytes());
    }
}

/// The names that `help` knows.
pub(super) fn topics() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|t| t.name)
}

// Prints all synopses in two columns. Long ones are cut with `>`; disabled builtins are marked with a star.
fn list_topics(shell: &mut Shell) {
    const WIDTH: usize = 40;
    let height = TOPICS.len().div_ceil(2);
    let cell = |shell: &Shell, name: &str, room: usize| {
        let off = shell.builtin_disabled(name.as_bytes());
        let text = synopsis(name);
        let cut = text.get(..room).filter(|_| text.len() > room);
        let text = cut.map_or_else(|| text.to_string(), |t| format!("{t}>"));
        format!("{}{text}", if off { '*' } else { ' ' })
    };
    for row in 0..height {
        let left = TOPICS.get(row).map(|t| cell(shell, t.name, WIDTH - 3)).unwrap_or_default();
        let line = match TOPICS.get(row + height) {
            Some(t) => format!("{left:WIDTH$}{}\n", cell(shell, t.name, WIDTH - 4)),
            None => format!("{left}\n"),
        };
        shell.put(line.as_bytes());
    }
}

// The topics that a word selects: as a pattern, as a name, or as the beginning of names.
fn matching(word: &[u8]) -> Vec<&'static Topic> {
    let all = |test: &dyn Fn(&[u8]) -> bool| -> Vec<&'static Topic> {
        TOPICS.iter().filter(|t| test(t.name.as_bytes())).collect()
    };
    if is_glob(word, true) {
        let pattern = Pattern::new(word, PatternOptions { extglob: true, nocase: false });
        let found = all(&|name| pattern.matches(name));
        if !found.is_empty() {
            return found;
        }
    }
    let exact = all(&|name| name == word);
    if exact.is_empty() { all(&|name| name.starts_with(word)) } else { exact }
}

pub(super) fn help(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "dms") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let words = args.get(at..).unwrap_or_default();
    if words.is_empty() {
        shell.put(
            b"GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nThese commands are built into the shell. `help NAME' tells more about the command NAME.\n\n",
        );
        list_topics(shell);
        // As in bash, a failed write of the list is not reported here.
        if shell.flush().is_err() {
            shell.out.clear();
        }
        return Ok(0);
    }
    if words.first().is_some_and(|w| is_glob(w, true)) {
        let several = if words.len() > 1 { "s" } else { "" };
        let names = words.iter().map(|w| &**w).collect::<Vec<_>>().join(&b", "[..]);
        let start = format!("Shell commands matching keyword{several} `");
        shell.put(&[start.as_bytes(), &names, b"'\n\n"].concat());
    }
    let mut found = false;
    let mut missing = Vec::new();
    for word in words {
        let topics = matching(word);
        if topics.is_empty() {
            let message = [
                b"no help topics match `".as_slice(),
                word,
                b"'.  Try `help help' or `man -k ",
                word,
                b"' or `info ",
                word,
                b"'.",
            ];
            missing = message.concat();
            continue;
        }
        found = true;
        for topic in topics {
            let text = if has(b'd') {
                format!("{} - {}\n", topic.name, topic.summary)
            } else if has(b's') {
                format!("{}: {}\n", topic.name, synopsis(topic.name))
            } else if has(b'm') {
                topic.page()
            } else {
                topic.full()
            };
            shell.put(text.as_bytes());
        }
    }
    if found { Ok(0) } else { Ok(args::fail(shell, args, missing)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_is_a_topic() {
        let names: Vec<&str> = topics().collect();
        for builtin in crate::builtins::all() {
            assert!(names.contains(&builtin.name), "{}", builtin.name);
        }
        assert!(names.is_sorted());
    }

    #[test]
    fn every_topic_has_a_synopsis() {
        for topic in TOPICS {
            assert!(!synopsis(topic.name).is_empty(), "{}", topic.name);
        }
    }
}
