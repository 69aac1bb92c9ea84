//! `${x:offset:length}`: parts of values and of arrays.

use super::param::{Fetch, Target};
use crate::options::flag;
use crate::shell::{Flow, Run, Shell};
use crate::text;
use crate::variables::{Value, Variable, attr};
use sandshell_syntax::ast::Arith;

impl Shell {
    /// `${a[@]:offset:length}` of an indexed array, without copying it. `None`: it is not one, or it is empty.
    fn slice_indexed(
        &mut self,
        target: &Target,
        label: &[u8],
        offset: &Arith,
        length: Option<&Arith>,
    ) -> Run<Option<Fetch>> {
        let Target::Array(name, star) = target else { return Ok(None) };
        let (base, None) = self.resolve_nameref(*name) else { return Ok(None) };
        let places = match self.vars.get(base) {
            Some(v) if !v.has(attr::INVISIBLE) => match &v.value {
                Value::Indexed(a) if a.len() > 0 => i64::try_from(a.next_index()).unwrap_or(i64::MAX),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let from = self.arith_in(offset, Some(label))?;
        let start = if from < 0 { places.saturating_add(from) } else { from };
        if start < 0 || start > places - 1 {
            return Ok(Some(Fetch::Many(Vec::new(), *star)));
        }
        let count = match length {
            Some(a) => self.arith_in(a, Some(label))?,
            None => i64::MAX,
        };
        if count < 0 {
            return Err(self.negative_length(length));
        }
        let (start, count) = (start.unsigned_abs(), usize::try_from(count).unwrap_or(usize::MAX));
        let list = match self.vars.get(base).map(|v| &v.value) {
            Some(Value::Indexed(a)) => {
                a.iter().filter(|e| e.0 >= start).take(count).map(|e| e.1.to_vec()).collect()
            }
            _ => Vec::new(),
        };
        Ok(Some(Fetch::Many(list, *star)))
    }

    /// `${x:offset:length}`
    pub(super) fn slice(
        &mut self,
        target: &Target,
        label: &[u8],
        offset: &Arith,
        length: Option<&Arith>,
    ) -> Run<Fetch> {
        if let Some(fetch) = self.slice_indexed(target, label, offset, length)? {
            return Ok(fetch);
        }
        let mut fetch = self.fetch(target)?;
        if let Target::Array(name, _) = target
            && let (base, None) = self.resolve_nameref(*name)
            && self.variable(base).is_some_and(|v| matches!(v.value, Value::Str(_)))
        {
            // For a variable that is not an array, it is a substring.
            fetch = self.fetch(&Target::Variable(base))?;
        }
        if matches!(fetch, Fetch::Unset) && self.opts.has(flag::NOUNSET) {
            return Err(self.refuse_unset(label));
        }
        // As in bash, offset and length are evaluated only if needed.
        if matches!(fetch, Fetch::Unset) {
            return Ok(Fetch::Unset);
        }
        let positional = matches!(target, Target::Special(_));
        if matches!(&fetch, Fetch::Many(list, _) if list.is_empty() && !positional) {
            return Ok(fetch);
        }
        let from = self.arith_in(offset, Some(label))?;
        let total = self.slice_total(&fetch, target);
        let last = if matches!(target, Target::Array(..)) { total - 1 } else { total };
        let outside = if from < 0 { total.saturating_add(from) < 0 } else { from > last };
        if outside {
            return Ok(match fetch {
                Fetch::Many(_, star) => Fetch::Many(Vec::new(), star),
                _ => Fetch::One(Vec::new()),
            });
        }
        let count = match length {
            Some(a) => Some(self.arith_in(a, Some(label))?),
            None => None,
        };
        match fetch {
            Fetch::Unset => Ok(Fetch::Unset),
            Fetch::One(v) => self.slice_text(&v, from, count, length).map(Fetch::One),
            Fetch::Many(..) if count.is_some_and(|n| n < 0) => Err(self.negative_length(length)),
            Fetch::Many(list, star) => {
                let mut rest = self.elements_from(target, list, from, total);
                if let Some(count) = count.and_then(|n| usize::try_from(n).ok()) {
                    rest.truncate(count);
                }
                Ok(Fetch::Many(rest, star))
            }
        }
    }

    /// How many places there are: characters, or elements and what precedes the first.
    fn slice_total(&mut self, fetch: &Fetch, target: &Target) -> i64 {
        match (fetch, target) {
            (Fetch::Unset, _) => 0,
            (Fetch::One(v), _) => i64::try_from(text::char_count(v)).unwrap_or(i64::MAX),
            (Fetch::Many(..), Target::Array(name, _)) => {
                let (base, _) = self.resolve_nameref(*name);
                match self.variable(base).as_deref() {
                    Some(Variable { value: Value::Indexed(a), .. }) => {
                        i64::try_from(a.next_index()).unwrap_or(i64::MAX)
                    }
                    Some(Variable { value: Value::Assoc(a), .. }) => {
                        i64::try_from(a.iter().count()).unwrap_or(i64::MAX).saturating_add(1)
                    }
                    _ => 1,
                }
            }
            (Fetch::Many(list, _), _) => i64::try_from(list.len()).unwrap_or(i64::MAX).saturating_add(1),
        }
    }

    fn slice_text(
        &mut self,
        v: &[u8],
        from: i64,
        count: Option<i64>,
        length: Option<&Arith>,
    ) -> Run<Vec<u8>> {
        let total = i64::try_from(text::char_count(v)).unwrap_or(i64::MAX);
        let start = if from < 0 { total.saturating_add(from) } else { from };
        if start < 0 || start > total {
            return Ok(Vec::new());
        }
        let end = match count {
            None => total,
            Some(n) if n < 0 => total.saturating_add(n),
            Some(n) => start.saturating_add(n).min(total),
        };
        if end < start {
            return Err(self.negative_length(length));
        }
        let byte = |n: i64| text::char_offset(v, usize::try_from(n).unwrap_or(0));
        Ok(v.get(byte(start)..byte(end)).unwrap_or_default().to_vec())
    }

    /// The elements from an offset on, which counts from the end if it is negative.
    fn elements_from(
        &mut self,
        target: &Target,
        mut list: Vec<Vec<u8>>,
        from: i64,
        total: i64,
    ) -> Vec<Vec<u8>> {
        let mut is_assoc = false;
        if let Target::Array(name, _) = target {
            let (base, _) = self.resolve_nameref(*name);
            is_assoc = self.is_assoc(base);
            if let Some(Variable { value: Value::Indexed(a), .. }) = self.variable(base).as_deref() {
                let places = i64::try_from(a.next_index()).unwrap_or(i64::MAX);
                let start = if from < 0 { places.saturating_add(from) } else { from };
                let Ok(start) = u64::try_from(start) else { return Vec::new() };
                return a.iter().filter(|e| e.0 >= start).map(|e| e.1.to_vec()).collect();
            }
        }
        // Positional parameters are counted from 1, and offset 0 includes $0. Associative arrays are counted from 1
        // too.
        let mut start = from;
        if matches!(target, Target::Special(_)) {
            list.insert(0, self.arg0.clone());
            if from < 0 {
                start = i64::try_from(list.len()).unwrap_or(0).saturating_add(from);
            }
        } else {
            if from < 0 {
                start = total.saturating_add(from);
            }
            if is_assoc && start > 0 {
                start -= 1;
            }
        }
        let Ok(start) = usize::try_from(start) else { return Vec::new() };
        list.into_iter().skip(start).collect()
    }

    fn negative_length(&mut self, length: Option<&Arith>) -> Flow {
        let source = length.map(|a| a.source.to_vec()).unwrap_or_default();
        self.error([&*source, b": substring expression < 0"].concat());
        self.status = 1;
        Flow::Discard
    }
}
