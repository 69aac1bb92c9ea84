//! The automata. Each is built on first use.

use crate::syntax::Flags;
use regex_automata::hybrid::dfa;
use regex_automata::meta;
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures, pikevm};
use regex_automata::util::look::LookMatcher;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::Hir;
use std::cell::{OnceCell, RefCell};

/// Finds the start of a match.
pub(crate) struct Finder {
    regex: meta::Regex,
    cache: RefCell<meta::Cache>,
}

impl Finder {
    /// `None` if the automaton would be too large.
    pub(crate) fn new(hir: &Hir, flags: Flags) -> Option<Self> {
        let config = meta::Config::new()
            .utf8_empty(!flags.bytes)
            .line_terminator(flags.lines.unwrap_or(b'\n'))
            .nfa_size_limit(Some(256 << 20))
            .which_captures(WhichCaptures::Implicit)
            .hybrid_cache_capacity(8 << 20);
        let regex = meta::Builder::new().configure(config).build_from_hir(hir).ok()?;
        let cache = RefCell::new(regex.create_cache());
        Some(Self { regex, cache })
    }

    /// The leftmost match in a range, by priority of alternatives. The longest match has the same start.
    pub(crate) fn find(&self, text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
        let input = Input::new(text).span(start..end);
        self.regex.search_with(&mut self.cache.borrow_mut(), &input).map(|m| (m.start(), m.end()))
    }

    /// The end of the match that ends earliest.
    pub(crate) fn earliest_end(&self, text: &[u8], start: usize, end: usize) -> Option<usize> {
        let input = Input::new(text).span(start..end).earliest(true);
        self.regex.search_half_with(&mut self.cache.borrow_mut(), &input).map(|m| m.offset())
    }
}

/// Finds the end of the longest match.
pub(crate) struct Longest {
    nfa: NFA,
    dfa: Option<(dfa::DFA, RefCell<dfa::Cache>)>,
    pike: OnceCell<Option<(pikevm::PikeVM, RefCell<pikevm::Cache>)>>,
}

impl Longest {
    /// `None` if the automaton would be too large.
    pub(crate) fn new(hir: &Hir, flags: Flags) -> Option<Self> {
        let mut look = LookMatcher::new();
        look.set_line_terminator(flags.lines.unwrap_or(b'\n'));
        let config = thompson::Config::new()
            .utf8(!flags.bytes)
            .which_captures(WhichCaptures::Implicit)
            .nfa_size_limit(Some(256 << 20))
            .look_matcher(look);
        let nfa = thompson::Compiler::new().configure(config).build_from_hir(hir).ok()?;
        let config = dfa::Config::new()
            .match_kind(MatchKind::All)
            .unicode_word_boundary(true)
            .skip_cache_capacity_check(true)
            .cache_capacity(4 << 20);
        let dfa = dfa::Builder::new().configure(config).build_from_nfa(nfa.clone()).ok();
        let dfa = dfa.map(|d| {
            let cache = RefCell::new(d.create_cache());
            (d, cache)
        });
        Some(Self { nfa, dfa, pike: OnceCell::new() })
    }

    /// The end of the longest match that begins at `start`.
    pub(crate) fn end(&self, text: &[u8], start: usize, end: usize) -> Option<usize> {
        let input = Input::new(text).span(start..end).anchored(Anchored::Yes);
        if let Some((dfa, cache)) = &self.dfa
            && let Ok(found) = dfa.try_search_fwd(&mut cache.borrow_mut(), &input)
        {
            return found.map(|m| m.offset());
        }
        // The lazy automaton does not support word boundaries next to non-ASCII characters. This slower one does.
        let pike = self.pike.get_or_init(|| {
            let config = pikevm::Config::new().match_kind(MatchKind::All);
            let vm = pikevm::Builder::new().configure(config).build_from_nfa(self.nfa.clone()).ok()?;
            let cache = RefCell::new(vm.create_cache());
            Some((vm, cache))
        });
        let (vm, cache) = pike.as_ref()?;
        let mut slots = [None, None];
        vm.search_slots(&mut cache.borrow_mut(), &input, &mut slots)?;
        slots[1].map(|e| e.get())
    }
}
