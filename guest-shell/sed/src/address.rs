//! Addresses: the lines to which a command applies.

use crate::Result;
use crate::pattern::Pattern;
use sandshell_regex::Regex;
use std::rc::Rc;

/// One address.
#[derive(Debug)]
pub(crate) enum Address {
    /// `N`. 0 is valid only before `,/re/`.
    Line(u64),
    /// `FIRST~STEP` with a step above 0.
    Step(u64, u64),
    /// `$`.
    Last,
    /// `/re/`.
    Match(Pattern),
}

/// The second address of a range.
#[derive(Debug)]
pub(crate) enum End {
    Address(Address),
    /// `+N`.
    Lines(u64),
    /// `~N`: up to the next line whose number is a multiple of N.
    Multiple(u64),
}

/// The address part of a command.
#[derive(Debug, Default)]
pub(crate) struct Condition {
    pub(crate) first: Option<Address>,
    pub(crate) end: Option<End>,
    pub(crate) negated: bool,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    Inside,
    /// Inside the range until this line.
    Until(u64),
    /// A range that began at a line number has ended. It does not begin again.
    Over,
}

/// The line to be tested.
pub(crate) trait Line {
    fn number(&self) -> u64;
    /// Whether it is the last line.
    fn is_last(&mut self) -> Result<bool>;
    fn text(&self) -> &[u8];
    fn last_regex(&mut self) -> &mut Option<Rc<Regex>>;
}

impl Condition {
    pub(crate) fn new(first: Option<Address>, end: Option<End>) -> Self {
        let mut new = Self { first, end, ..Self::default() };
        new.reset();
        new
    }

    /// Resets the range at the first line of a separate file.
    pub(crate) fn reset(&mut self) {
        let from_start = matches!(self.first, Some(Address::Line(0)));
        self.state = if from_start { State::Inside } else { State::Outside };
    }

    /// Whether a range continues after the last line that was tested.
    pub(crate) fn is_open(&self) -> bool {
        self.end.is_some() && matches!(self.state, State::Inside | State::Until(_))
    }

    /// Whether the command applies to the line.
    pub(crate) fn holds(&mut self, line: &mut impl Line) -> Result<bool> {
        let Some(first) = &self.first else { return Ok(!self.negated) };
        let holds = match &self.end {
            None => first.matches(line)?,
            Some(end) => {
                let (holds, state) = range(first, end, self.state, line)?;
                self.state = state;
                holds
            }
        };
        Ok(holds != self.negated)
    }
}

// Whether a line is in a range. As in GNU sed, a range that begins at a line number can also begin on a later line, if
// that line was skipped.
fn range(first: &Address, end: &End, state: State, line: &mut impl Line) -> Result<(bool, State)> {
    let number = line.number();
    let after = if matches!(first, Address::Line(_)) { State::Over } else { State::Outside };
    match state {
        State::Outside | State::Over => {
            let begins = match first {
                Address::Line(n) => state == State::Outside && number >= *n,
                _ => first.matches(line)?,
            };
            if !begins {
                return Ok((false, state));
            }
            let until = match end {
                End::Address(Address::Line(n)) => {
                    let holds = number <= *n || first.matches(line)?;
                    return Ok((holds, if *n > number { State::Until(*n) } else { after }));
                }
                End::Lines(n) => number.saturating_add(*n),
                End::Multiple(0) => number,
                End::Multiple(n) => (number / n + 1).saturating_mul(*n),
                End::Address(Address::Last) if line.is_last()? => number,
                End::Address(_) => return Ok((true, State::Inside)),
            };
            Ok((true, if until > number { State::Until(until) } else { after }))
        }
        State::Until(until) => {
            let holds = number <= until || !matches!(end, End::Address(_));
            Ok((holds, if number < until { state } else { after }))
        }
        State::Inside => {
            let ends = match end {
                End::Address(address) => address.matches(line)?,
                End::Lines(_) | End::Multiple(_) => true,
            };
            Ok((true, if ends { after } else { State::Inside }))
        }
    }
}

impl Address {
    fn matches(&self, line: &mut impl Line) -> Result<bool> {
        Ok(match self {
            Address::Line(n) => line.number() == *n,
            Address::Step(first, step) => {
                line.number().checked_sub(*first).is_some_and(|past| past.is_multiple_of(*step))
            }
            Address::Last => line.is_last()?,
            Address::Match(pattern) => {
                let regex = pattern.resolve(line.last_regex())?;
                regex.is_match(line.text())
            }
        })
    }
}
