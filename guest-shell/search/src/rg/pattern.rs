//! The patterns.

use super::options::{Case, Options};
use crate::grep::translate_perl;
use crate::lines::without_newline;
use memchr::memchr;
use regex_automata::util::captures::Captures;
use regex_automata::{Input, meta};
use regex_syntax::ast::{self, Ast, Visitor};
use std::cell::RefCell;

pub(crate) struct Pattern {
    engine: Engine,
    terminator: u8,
    multiline: bool,
}

enum Engine {
    Automaton(Box<meta::Regex>, Box<RefCell<(meta::Cache, Captures)>>),
    Backtracking(Box<fancy_regex::Regex>),
}

impl Pattern {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// The text of the message.
    pub(crate) fn new(o: &Options) -> Result<Self, String> {
        let mut parts = Vec::new();
        for p in &o.patterns {
            let text =
                String::from_utf8(p.clone()).map_err(|_| "pattern given is not valid UTF-8".to_string())?;
            parts.push(if o.fixed {
                regex_syntax::escape(&text)
            } else if o.perl {
                translate_perl(&text, true)?
            } else {
                text
            });
        }
        let icase = match o.case {
            Case::Insensitive => true,
            Case::Sensitive => false,
            Case::Smart => o.patterns.iter().all(|p| is_lowercase(&String::from_utf8_lossy(p), o.fixed)),
        };
        let wrapped: Vec<String> = parts.iter().map(|p| wrap(p, o)).collect();
        let joined = if wrapped.len() == 1 { wrapped.concat() } else { wrapped.join("|") };
        let multiline = o.multiline;
        let terminator = o.terminator();
        let engine = if o.perl { perl(&joined, o, icase)? } else { automaton(&joined, o, icase)? };
        Ok(Self { engine, terminator, multiline })
    }

    /// The next match in a range of the text.
    pub(crate) fn find(&self, text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
        match &self.engine {
            Engine::Automaton(regex, scratch) => {
                let input = Input::new(text).span(start..end);
                regex.search_with(&mut scratch.borrow_mut().0, &input).map(|m| (m.start(), m.end()))
            }
            Engine::Backtracking(regex) => {
                let text = text.get(..end)?;
                let valid = std::str::from_utf8(text).ok()?;
                let mut start = start;
                while !valid.is_char_boundary(start) {
                    start += 1;
                }
                let m = regex.find_from_pos(valid, start).ok()??;
                Some((m.start(), m.end()))
            }
        }
    }

    /// A position in the first line from `start` on that has a match; only without multiline.
    pub(crate) fn matching_line(&self, text: &[u8], start: usize) -> Option<usize> {
        if let Engine::Automaton(regex, scratch) = &self.engine
            && !self.multiline
        {
            let input = Input::new(text).range(start..).earliest(true);
            let hit = regex.search_half_with(&mut scratch.borrow_mut().0, &input).map(|m| m.offset());
            return hit;
        }
        let mut at = start;
        while at < text.len() {
            let rest = text.get(at..)?;
            let len = memchr(self.terminator, rest).unwrap_or(rest.len());
            if self.find(rest.get(..len)?, 0, len).is_some() {
                return Some(at);
            }
            at += len + 1;
        }
        None
    }

    /// The text that replaces the match at `start`: `$1`, `${name}`, `$$`.
    pub(crate) fn expand(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        replacement: &[u8],
        out: &mut Vec<u8>,
    ) {
        match &self.engine {
            Engine::Automaton(regex, scratch) => {
                let (cache, caps) = &mut *scratch.borrow_mut();
                let input = Input::new(text).span(start..end);
                regex.search_captures_with(cache, &input, caps);
                let Some(pid) = caps.pattern() else { return };
                interpolate(replacement, out, &mut |name| {
                    let index =
                        name.parse::<usize>().ok().or_else(|| caps.group_info().to_index(pid, name))?;
                    text.get(caps.get_group(index)?.range())
                });
            }
            Engine::Backtracking(regex) => {
                let Some(valid) = text.get(..end).and_then(|t| std::str::from_utf8(t).ok()) else { return };
                let Ok(Some(caps)) = regex.captures_from_pos(valid, start) else { return };
                interpolate(replacement, out, &mut |name| {
                    let group = match name.parse::<usize>() {
                        Ok(i) => caps.get(i),
                        Err(_) => caps.name(name),
                    };
                    group.map(|m| m.as_str().as_bytes())
                });
            }
        }
    }
}

fn wrap(pattern: &str, o: &Options) -> String {
    let base = format!("(?:{pattern})");
    if o.line {
        format!("^{base}$")
    } else if o.word && o.perl {
        format!("(?<!\\w){base}(?!\\w)")
    } else if o.word {
        format!("\\b{{start-half}}{base}\\b{{end-half}}")
    } else {
        base
    }
}

fn perl(pattern: &str, o: &Options, icase: bool) -> Result<Engine, String> {
    let regex = fancy_regex::RegexBuilder::new(pattern)
        .case_insensitive(icase)
        .multi_line(true)
        .dot_matches_new_line(o.multiline && o.dotall)
        .backtrack_limit(10_000_000)
        .build()
        .map_err(|e| format!("PCRE2: error compiling pattern: {e}"))?;
    Ok(Engine::Backtracking(Box::new(regex)))
}

fn automaton(pattern: &str, o: &Options, icase: bool) -> Result<Engine, String> {
    let mut builder = regex_syntax::ParserBuilder::new();
    builder
        .utf8(false)
        .unicode(o.unicode)
        .case_insensitive(icase)
        .multi_line(true)
        .crlf(o.crlf)
        .line_terminator(o.terminator())
        .dot_matches_new_line(o.multiline && o.dotall);
    let hir = builder.build().parse(pattern).map_err(|e| explain(&e.to_string(), o))?;
    let hir = if o.multiline || o.null_data {
        hir
    } else {
        without_newline(&hir).ok_or(
            "the literal \"\\n\" is not allowed in a regex\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).\nWhen multiline mode is enabled, new line characters can be matched.",
        )?
    };
    let config = meta::Config::new()
        .utf8_empty(o.unicode)
        .line_terminator(o.terminator())
        .nfa_size_limit(Some(100 << 20))
        .hybrid_cache_capacity(8 << 20);
    let regex = meta::Builder::new()
        .configure(config)
        .build_from_hir(&hir)
        .map_err(|e| format!("regex could not be compiled: {e}"))?;
    let scratch = (regex.create_cache(), regex.create_captures());
    Ok(Engine::Automaton(Box::new(regex), Box::new(RefCell::new(scratch))))
}

fn explain(error: &str, o: &Options) -> String {
    let look = error.contains("look-around") || error.contains("backreferences");
    if look && !o.perl {
        return format!(
            "{error}\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\nand look-around."
        );
    }
    error.to_string()
}

// `$name`, `${name}` and `$$`.
fn interpolate<'t>(replacement: &[u8], out: &mut Vec<u8>, group: &mut dyn FnMut(&str) -> Option<&'t [u8]>) {
    let mut at = 0;
    while let Some(&b) = replacement.get(at) {
        if b != b'$' {
            out.push(b);
            at += 1;
            continue;
        }
        if replacement.get(at + 1) == Some(&b'$') {
            out.push(b'$');
            at += 2;
            continue;
        }
        let rest = replacement.get(at + 1..).unwrap_or_default();
        let (name, used) = if rest.first() == Some(&b'{') {
            match memchr(b'}', rest) {
                Some(end) => (rest.get(1..end).unwrap_or_default(), end + 1),
                None => (&rest[..0], 0),
            }
        } else {
            let end =
                rest.iter().position(|c| !(c.is_ascii_alphanumeric() || *c == b'_')).unwrap_or(rest.len());
            (rest.get(..end).unwrap_or_default(), end)
        };
        if used == 0 {
            out.push(b'$');
            at += 1;
            continue;
        }
        if let Some(text) = std::str::from_utf8(name).ok().and_then(&mut *group) {
            out.extend_from_slice(text);
        }
        at += 1 + used;
    }
}

// Smart case: there is a literal character and none is uppercase.
fn is_lowercase(pattern: &str, fixed: bool) -> bool {
    struct Case {
        literal: bool,
        upper: bool,
    }
    impl Case {
        fn see(&mut self, c: char) {
            self.literal = true;
            self.upper |= c.is_uppercase();
        }
    }
    impl Visitor for Case {
        type Output = (bool, bool);
        type Err = ();
        fn finish(self) -> Result<(bool, bool), ()> {
            Ok((self.literal, self.upper))
        }
        fn visit_pre(&mut self, node: &Ast) -> Result<(), ()> {
            if let Ast::Literal(l) = node {
                self.see(l.c);
            }
            Ok(())
        }
        fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), ()> {
            match item {
                ast::ClassSetItem::Literal(l) => self.see(l.c),
                ast::ClassSetItem::Range(r) => {
                    self.see(r.start.c);
                    self.see(r.end.c);
                }
                _ => {}
            }
            Ok(())
        }
    }
    let plain = || !pattern.chars().any(char::is_uppercase);
    if fixed {
        return plain() && !pattern.is_empty();
    }
    match ast::parse::Parser::new().parse(pattern) {
        Ok(tree) => {
            let (literal, upper) =
                ast::visit(&tree, Case { literal: false, upper: false }).unwrap_or((false, true));
            literal && !upper
        }
        Err(_) => plain(),
    }
}
