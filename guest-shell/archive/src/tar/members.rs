//! Selects the members that an operation is about.

use super::header::Entry;
use super::log::{self, Fatal};
use super::names::{Pattern, is_vcs, trim};
use super::options::Options;
use super::places::Places;
use super::transform::Of;

/// The operands as patterns.
pub(crate) struct Members<'o> {
    options: &'o Options,
    pub(crate) places: Places<'o>,
    wanted: Vec<Wanted>,
}

/// An operand, and how many members it matched.
struct Wanted {
    pattern: Pattern,
    dir: usize,
    recursive: bool,
    found: u64,
}

impl<'o> Members<'o> {
    pub(crate) fn of(options: &'o Options) -> Result<Self, Fatal> {
        let places = Places::of(options)?;
        let pattern = |text: &[u8]| Pattern {
            text: text.to_vec(),
            wildcards: options.wildcards,
            anchored: !options.no_anchored,
            match_slash: !options.no_match_slash,
            ignore_case: options.ignore_case,
        };
        let wanted = places
            .names
            .iter()
            .map(|p| Wanted { pattern: pattern(&p.name), dir: p.dir, recursive: p.recursive, found: 0 })
            .collect();
        Ok(Self { options, places, wanted })
    }

    /// The directory to which the member belongs; `None` if it is not selected.
    pub(crate) fn place(&mut self, entry: &Entry) -> Option<usize> {
        let name = entry.name.as_slice();
        let place = if self.wanted.is_empty() {
            self.places.last
        } else {
            let wanted = self.wanted.iter_mut().find(|w| {
                let p = &w.pattern;
                p.matches(name) && (w.recursive || p.wildcards || trim(&p.text) == trim(name))
            })?;
            wanted.found += 1;
            if self.options.occurrence.is_some_and(|n| n != wanted.found) {
                return None;
            }
            wanted.dir
        };
        (!excluded(self.options, &self.places.excludes, name)).then_some(place)
    }

    /// Whether each operand was found as often as asked for, so that reading can stop.
    pub(crate) fn all_found(&self) -> bool {
        let Some(occurrence) = self.options.occurrence else { return false };
        !self.wanted.is_empty() && self.wanted.iter().all(|w| w.found >= occurrence)
    }

    /// Reports operands that were not found.
    pub(crate) fn report(&self) {
        let special = |p: &Pattern| p.text.iter().any(|b| b"*?[".contains(b));
        if !self.options.wildcards && self.wanted.iter().any(|w| w.found == 0 && special(&w.pattern)) {
            log::warn("Pattern matching characters used in file names");
            log::warn(
                "Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning",
            );
        }
        for Wanted { pattern, found, .. } in &self.wanted {
            if *found < self.options.occurrence.unwrap_or(1) {
                let text: &[u8] = match self.options.occurrence {
                    Some(_) if *found > 0 => b": Required occurrence not found in archive",
                    _ => b": Not found in archive",
                };
                log::error([&log::colon(&pattern.text)[..], text].concat());
            }
        }
    }
}

/// Whether an exclusion matches the name.
pub(crate) fn excluded(options: &Options, listed: &[Pattern], name: &[u8]) -> bool {
    options.excludes.iter().chain(listed).any(|p| p.matches(name))
        || (options.exclude_vcs && name.split(|b| *b == b'/').any(is_vcs))
}

/// The name after `--transform` and `--strip-components`; `None` if nothing is left of it.
pub(crate) fn changed(options: &Options, name: &[u8], of: Of) -> Option<Vec<u8>> {
    let mut name = name.to_vec();
    for transform in &options.transforms {
        name = transform.apply(&name, of);
    }
    if of == Of::Symlink {
        return Some(name);
    }
    let mut rest = name.as_slice();
    for _ in 0..options.strip {
        while let Some(shorter) = rest.strip_prefix(b"/") {
            rest = shorter;
        }
        let slash = rest.iter().position(|b| *b == b'/')?;
        rest = rest.get(slash + 1..)?;
        while let Some(shorter) = rest.strip_prefix(b"/") {
            rest = shorter;
        }
    }
    (!rest.is_empty()).then(|| rest.to_vec())
}
