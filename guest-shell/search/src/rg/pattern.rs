//! The patterns.

use super::options::{Case, Options};
use crate::grep::translate_perl;
use crate::lines::without_newline;
use grep_matcher::{Captures, LineTerminator, Match, Matcher, NoError};
use memchr::{memchr, memrchr};
use regex_automata::util::captures;
use regex_automata::{Input, PatternID, meta};
use regex_syntax::ast::{self, Ast, Visitor};
use std::cell::RefCell;

pub(crate) struct Pattern {
    engine: Engine,
    terminator: u8,
    multiline: bool,
    /// The line terminator that no match contains.
    within_lines: Option<LineTerminator>,
}

enum Engine {
    Automaton(Box<meta::Regex>, Box<RefCell<(meta::Cache, captures::Captures)>>),
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
        let engine = if o.perl { perl(&joined, o, icase)? } else { automaton(&joined, o, icase)? };
        let stays_in_line = !o.perl && !o.multiline && !o.null_data;
        let within_lines = stays_in_line.then(|| o.line_terminator());
        Ok(Self { engine, terminator: o.terminator(), multiline: o.multiline, within_lines })
    }

    /// The text for the backtracking engine, and where it begins: the line, or with multiline the whole text. `None` if
    /// it is not UTF-8.
    fn readable<'t>(&self, text: &'t [u8], at: usize) -> Option<(&'t str, usize)> {
        let (mut start, mut end) = (0, text.len());
        if !self.multiline {
            start = memrchr(self.terminator, text.get(..at)?).map_or(0, |end| end + 1);
            end = memchr(self.terminator, text.get(at..)?).map_or(end, |length| at + length);
        }
        Some((std::str::from_utf8(text.get(start..end)?).ok()?, start))
    }
}

impl Matcher for Pattern {
    type Captures = Groups;
    type Error = NoError;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, NoError> {
        Ok(match &self.engine {
            Engine::Automaton(regex, scratch) => {
                let found = regex.search_with(&mut scratch.borrow_mut().0, &Input::new(text).range(at..));
                found.map(|m| Match::new(m.start(), m.end()))
            }
            Engine::Backtracking(regex) => self.readable(text, at).and_then(|(text, base)| {
                let found = regex.find_from_pos(text, after_character(text, at - base)).ok()??;
                Some(Match::new(found.start(), found.end()).offset(base))
            }),
        })
    }

    fn shortest_match_at(&self, text: &[u8], at: usize) -> Result<Option<usize>, NoError> {
        if let Engine::Automaton(regex, scratch) = &self.engine {
            let input = Input::new(text).range(at..).earliest(true);
            return Ok(regex.search_half_with(&mut scratch.borrow_mut().0, &input).map(|m| m.offset()));
        }
        Ok(self.find_at(text, at)?.map(|found| found.end()))
    }

    fn new_captures(&self) -> Result<Groups, NoError> {
        Ok(Groups::default())
    }

    fn capture_index(&self, name: &str) -> Option<usize> {
        match &self.engine {
            Engine::Automaton(regex, _) => regex.group_info().to_index(PatternID::ZERO, name),
            Engine::Backtracking(regex) => regex.capture_names().position(|known| known == Some(name)),
        }
    }

    fn captures_at(&self, text: &[u8], at: usize, groups: &mut Groups) -> Result<bool, NoError> {
        groups.0.clear();
        match &self.engine {
            Engine::Automaton(regex, scratch) => {
                let (cache, found) = &mut *scratch.borrow_mut();
                regex.search_captures_with(cache, &Input::new(text).range(at..), found);
                groups.0.extend(found.iter().map(|group| group.map(|g| Match::new(g.start, g.end))));
            }
            Engine::Backtracking(regex) => {
                let found = self.readable(text, at).and_then(|(text, base)| {
                    let found = regex.captures_from_pos(text, after_character(text, at - base)).ok()??;
                    Some((found, base))
                });
                if let Some((found, base)) = found {
                    let span = |m: fancy_regex::Match<'_>| Match::new(m.start(), m.end()).offset(base);
                    groups.0.extend(found.iter().map(|group| group.map(span)));
                }
            }
        }
        Ok(groups.0.first().is_some_and(Option::is_some))
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.within_lines
    }
}

/// The groups of a match. The first one is the match itself.
#[derive(Debug, Default)]
pub(crate) struct Groups(Vec<Option<Match>>);

impl Captures for Groups {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> Option<Match> {
        self.0.get(index).copied().flatten()
    }
}

fn after_character(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
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

// For smart case: whether there is a literal character and no uppercase one.
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
