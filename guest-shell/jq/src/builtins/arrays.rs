//! Functions of arrays and objects.

use crate::builtins::operators::{self, type_error, type_error2};
use crate::builtins::{paths::alike, take};
use crate::code::Results;
use crate::dump;
use crate::object::Object;
use crate::text::Text;
use crate::value::{List, Val, compare};
use std::cmp::Ordering;
use std::rc::Rc;

type ValResult = Result<Val, Val>;

/// The elements of an array or the values of an object. For other values, the error of `.[]`.
fn elements(v: Val) -> Result<Vec<Val>, Val> {
    match v {
        Val::Arr(list) => Ok(match Rc::try_unwrap(list) {
            Ok(mut list) => std::mem::take(&mut list.0),
            Err(list) => list.0.clone(),
        }),
        Val::Obj(o) => Ok(o.entries().iter().map(|e| e.1.clone()).collect()),
        other => {
            let text = format!("Cannot iterate over {} ({})", other.kind(), dump::excerpt(&other, 14));
            Err(Val::from_string(text))
        }
    }
}

pub(crate) fn add(v: Val) -> ValResult {
    elements(v)?.into_iter().try_fold(Val::Null, operators::add)
}

pub(crate) fn any(v: Val) -> ValResult {
    Ok(Val::Bool(elements(v)?.iter().any(Val::truthy)))
}

pub(crate) fn all(v: Val) -> ValResult {
    Ok(Val::Bool(elements(v)?.iter().all(Val::truthy)))
}

pub(crate) fn length(v: Val) -> ValResult {
    Ok(Val::Num(match &v {
        Val::Arr(list) => list.0.len() as f64,
        Val::Obj(o) => o.len() as f64,
        Val::Str(s) => s.chars() as f64,
        Val::Null => 0.0,
        other => match other.num() {
            Some(n) => n.abs(),
            None => return Err(type_error(&v, "has no length")),
        },
    }))
}

pub(crate) fn keys(v: Val) -> ValResult {
    match &v {
        Val::Obj(o) => Ok(Val::arr(o.sorted().into_iter().map(|e| Val::Str(e.0.clone())).collect())),
        _ => keys_unsorted(v),
    }
}

pub(crate) fn keys_unsorted(v: Val) -> ValResult {
    match &v {
        Val::Obj(o) => Ok(Val::arr(o.entries().iter().map(|e| Val::Str(e.0.clone())).collect())),
        Val::Arr(list) => Ok(Val::arr((0..list.0.len()).map(|i| Val::Num(i as f64)).collect())),
        _ => Err(type_error(&v, "has no keys")),
    }
}

pub(crate) fn to_entries(v: Val) -> ValResult {
    let entry = |k: Val, v: &Val| Val::object([("key", k), ("value", v.clone())]);
    match &v {
        Val::Obj(o) => Ok(Val::arr(o.entries().iter().map(|(k, v)| entry(Val::Str(k.clone()), v)).collect())),
        Val::Arr(list) => {
            Ok(Val::arr(list.0.iter().enumerate().map(|(i, v)| entry(Val::Num(i as f64), v)).collect()))
        }
        _ => Err(type_error(&v, "has no keys")),
    }
}

/// Accepts entries with `key`, `Key`, `name` or `Name`, and with `value` or `Value`.
pub(crate) fn from_entries(v: Val) -> ValResult {
    let mut object = Object::new();
    for entry in elements(v)? {
        let mut key = Val::Null;
        for name in ["key", "Key", "name", "Name"] {
            key = super::paths::index(&entry, &Val::str(name))?;
            if key.truthy() {
                break;
            }
        }
        let value = match &entry {
            Val::Obj(o) => match o.get(&Text::from("value")) {
                Some(v) => v.clone(),
                None => o.get(&Text::from("Value")).cloned().unwrap_or_default(),
            },
            _ => Val::Null,
        };
        let Val::Str(key) = key else { return Err(operators::bad_key(&key)) };
        object.insert(key, value);
    }
    Ok(Val::obj(object))
}

pub(crate) fn reverse(v: Val) -> ValResult {
    match v {
        Val::Arr(mut list) => {
            Rc::make_mut(&mut list).0.reverse();
            Ok(Val::Arr(list))
        }
        Val::Str(s) if s.bytes().is_empty() => Ok(Val::arr(Vec::new())),
        Val::Null => Ok(Val::arr(Vec::new())),
        Val::Obj(ref o) if o.is_empty() => Ok(Val::arr(Vec::new())),
        Val::Num(_) | Val::Literal(_) if v.num() == Some(0.0) => Ok(Val::arr(Vec::new())),
        Val::Bool(_) => Err(type_error(&v, "has no length")),
        other => Err(Val::from_string(format!("Cannot index {} with number", other.kind()))),
    }
}

pub(crate) fn flatten(v: Val) -> ValResult {
    let mut out = Vec::new();
    flatten_into(&mut out, elements(v)?, f64::INFINITY);
    Ok(Val::arr(out))
}

pub(crate) fn flatten_to(args: &mut [Val]) -> ValResult {
    let (v, depth) = (take(args, 0), take(args, 1));
    if compare(&depth, &Val::Num(0.0)) == Ordering::Less {
        return Err(Val::str("flatten depth must not be negative"));
    }
    let list = elements(v)?;
    let n = match depth.num() {
        Some(n) => n,
        None if list.iter().any(|v| matches!(v, Val::Arr(_))) => {
            return Err(type_error2(&depth, &Val::Num(1.0), "cannot be subtracted"));
        }
        None => 0.0,
    };
    let mut out = Vec::new();
    flatten_into(&mut out, list, n);
    Ok(Val::arr(out))
}

fn flatten_into(out: &mut Vec<Val>, list: Vec<Val>, depth: f64) {
    // The arrays that are being flattened, with the remaining depths.
    let mut open = vec![(list.into_iter(), depth)];
    while let Some((iter, depth)) = open.last_mut() {
        let depth = *depth;
        match iter.next() {
            None => {
                open.pop();
            }
            Some(Val::Arr(inner)) if depth != 0.0 => open.push((inner.0.clone().into_iter(), depth - 1.0)),
            Some(v) => out.push(v),
        }
    }
}

pub(crate) fn sort(v: Val) -> ValResult {
    match v {
        Val::Arr(mut list) => {
            Rc::make_mut(&mut list).0.sort_by(compare);
            Ok(Val::Arr(list))
        }
        other => Err(type_error(&other, "cannot be sorted, as it is not an array")),
    }
}

pub(crate) fn unique(v: Val) -> ValResult {
    match v {
        Val::Arr(list) => {
            let keys = Val::Arr(Rc::clone(&list));
            first_of_groups(&list, &keys)
        }
        other => {
            // The message shows the keys: each element in an array of its own.
            let keys = elements(other.clone())?.into_iter().map(|v| Val::arr(vec![v]));
            let keys = Val::arr(keys.collect());
            Err(type_error2(&other, &keys, "cannot be sorted, as they are not both arrays"))
        }
    }
}

pub(crate) fn sort_by(args: &mut [Val]) -> ValResult {
    let (list, keys) = both(args)?;
    Ok(Val::arr(sorted(&list, &keys).into_iter().map(|(_, v)| v.clone()).collect()))
}

pub(crate) fn group_by(args: &mut [Val]) -> ValResult {
    let (list, keys) = both(args)?;
    let mut groups: Vec<Val> = Vec::new();
    let mut current: Vec<Val> = Vec::new();
    let mut key: Option<&Val> = None;
    for (k, v) in sorted(&list, &keys) {
        if key.is_some_and(|old| old != k) {
            groups.push(Val::arr(std::mem::take(&mut current)));
        }
        key = match key {
            Some(old) if old == k => key,
            _ => Some(k),
        };
        current.push(v.clone());
    }
    if !current.is_empty() {
        groups.push(Val::arr(current));
    }
    Ok(Val::arr(groups))
}

pub(crate) fn unique_by(args: &mut [Val]) -> ValResult {
    let (list, keys) = both(args)?;
    let keys = Val::Arr(keys);
    first_of_groups(&list, &keys)
}

fn first_of_groups(list: &List, keys: &Val) -> ValResult {
    let Val::Arr(keys) = keys else { return Ok(Val::Null) };
    let mut out = Vec::new();
    let mut key: Option<&Val> = None;
    for (k, v) in sorted(list, keys) {
        if key.is_none_or(|old| old != k) {
            out.push(v.clone());
            key = Some(k);
        }
    }
    Ok(Val::arr(out))
}

fn both(args: &mut [Val]) -> Result<(Rc<List>, Rc<List>), Val> {
    match (take(args, 0), take(args, 1)) {
        (Val::Arr(list), Val::Arr(keys)) if list.0.len() == keys.0.len() => Ok((list, keys)),
        (a, b) => Err(type_error2(&a, &b, "cannot be sorted, as they are not both arrays")),
    }
}

/// Pairs of keys and elements, sorted by key. The sort is stable.
fn sorted<'a>(list: &'a List, keys: &'a List) -> Vec<(&'a Val, &'a Val)> {
    let mut pairs: Vec<(&Val, &Val)> = keys.0.iter().zip(&list.0).collect();
    pairs.sort_by(|a, b| compare(a.0, b.0));
    pairs
}

pub(crate) fn min(v: Val) -> ValResult {
    extreme(&v, &v, true)
}

pub(crate) fn max(v: Val) -> ValResult {
    extreme(&v, &v, false)
}

pub(crate) fn min_by(args: &mut [Val]) -> ValResult {
    extreme(&take(args, 0), &take(args, 1), true)
}

pub(crate) fn max_by(args: &mut [Val]) -> ValResult {
    extreme(&take(args, 0), &take(args, 1), false)
}

/// The element with the least or the greatest key. Of several, the first is the least and the last the greatest.
fn extreme(values: &Val, keys: &Val, least: bool) -> ValResult {
    let (Val::Arr(list), Val::Arr(by)) = (values, keys) else {
        return Err(type_error2(values, keys, "cannot be iterated over"));
    };
    if list.0.len() != by.0.len() {
        return Err(type_error2(values, keys, "have wrong length"));
    }
    let mut best: Option<(&Val, &Val)> = None;
    for (k, v) in by.0.iter().zip(&list.0) {
        if best.is_none_or(|(old, _)| (compare(k, old) == Ordering::Less) == least) {
            best = Some((k, v));
        }
    }
    Ok(best.map(|(_, v)| v.clone()).unwrap_or_default())
}

pub(crate) fn transpose(v: Val) -> ValResult {
    let rows = elements(v)?;
    let mut width = 0;
    for row in &rows {
        width = width.max(length(row.clone())?.num().unwrap_or(0.0) as usize);
    }
    let mut columns = Vec::with_capacity(width);
    for i in 0..width {
        let at = Val::Num(i as f64);
        let column: Result<Vec<Val>, Val> = rows.iter().map(|row| super::paths::index(row, &at)).collect();
        columns.push(Val::arr(column?));
    }
    Ok(Val::arr(columns))
}

/// All ways to choose one element from each list in `v`. The choice from the last list changes fastest.
pub(crate) fn combinations(v: Val) -> Result<Results, Val> {
    let lists = match v {
        Val::Arr(ref list) => list.0.clone(),
        other if length(other.clone())?.num() == Some(0.0) => Vec::new(),
        other => return Err(Val::from_string(format!("Cannot index {} with number", other.kind()))),
    };
    let mut columns = Vec::with_capacity(lists.len());
    for list in lists {
        let column = elements(list)?;
        if column.is_empty() {
            return Ok(Box::new(std::iter::empty()));
        }
        columns.push(column);
    }
    Ok(Box::new(Choices { at: Some(vec![0; columns.len()]), columns }))
}

/// `combinations` of a list with itself. The number of lists is the sum of all numbers in `times`.
pub(crate) fn powers(v: &Val, times: &Val) -> Result<Results, Val> {
    let mut count = 0;
    for n in elements(times.clone())? {
        count += n.num().unwrap_or(0.0).ceil().clamp(0.0, LONGEST_CHOICE as f64 + 1.0) as usize;
        if count > LONGEST_CHOICE {
            return Err(Val::str("Too many lists to combine"));
        }
    }
    combinations(Val::arr(vec![v.clone(); count]))
}

/// Checks the number of lists for `combinations`.
pub(crate) fn checked_count(n: Val) -> ValResult {
    if n.num().is_some() { Ok(n) } else { Err(Val::str("Range bounds must be numeric")) }
}

/// The maximum number of lists to combine. This limit is not jq's.
const LONGEST_CHOICE: usize = 1 << 24;

/// Enumerates the choices like an odometer.
struct Choices {
    columns: Vec<Vec<Val>>,
    /// The index of the next choice in each column, if there is one.
    at: Option<Vec<usize>>,
}

impl Iterator for Choices {
    type Item = Val;

    fn next(&mut self) -> Option<Val> {
        let at = self.at.as_mut()?;
        let choice = at.iter().zip(&self.columns).filter_map(|(i, column)| column.get(*i).cloned()).collect();
        // The last index that can be increased is; the indices after it start again at 0.
        let up = at.iter().zip(&self.columns).rposition(|(i, column)| i + 1 < column.len());
        match up {
            Some(up) => {
                at[up] += 1;
                at[up + 1..].fill(0);
            }
            None => self.at = None,
        }
        Some(Val::arr(choice))
    }
}

pub(crate) fn contains(args: &mut [Val]) -> ValResult {
    let (a, b) = (take(args, 0), take(args, 1));
    if a.kind() != b.kind() || (matches!(a, Val::Bool(_)) && a != b) {
        return Err(type_error2(&a, &b, "cannot have their containment checked"));
    }
    holds(&a, &b, 0).map(Val::Bool)
}

/// The maximum depth for searching values, which keeps the stack small. This limit is not jq's.
const DEEPEST: usize = 2000;

fn holds(a: &Val, b: &Val, depth: usize) -> Result<bool, Val> {
    if depth > DEEPEST {
        return Err(Val::str("Containment check too deep"));
    }
    match (a, b) {
        (Val::Obj(a), Val::Obj(b)) => {
            for (k, v) in b.entries() {
                match a.get(k) {
                    Some(w) if holds(w, v, depth + 1)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Val::Arr(a), Val::Arr(b)) => {
            for v in &b.0 {
                let mut found = false;
                for w in &a.0 {
                    if holds(w, v, depth + 1)? {
                        found = true;
                        break;
                    }
                }
                if !found {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Val::Str(a), Val::Str(b)) => Ok(a.str().contains(b.str())),
        _ => Ok(a == b),
    }
}

/// The index of a value in a sorted array. If it is missing and belongs before index `i`, the result is `-1 - i`.
pub(crate) fn bsearch(args: &mut [Val]) -> ValResult {
    let (v, target) = (take(args, 0), take(args, 1));
    let Val::Arr(list) = &v else {
        return match length(v.clone())?.num() {
            Some(0.0) => Ok(Val::Num(-1.0)),
            _ => Err(Val::from_string(format!("Cannot index {} with number", v.kind()))),
        };
    };
    let found = list.0.binary_search_by(|x| compare(x, &target));
    Ok(Val::Num(match found {
        Ok(i) => {
            debug_assert!(list.0.get(i).is_some_and(|x| alike(x, &target)));
            i as f64
        }
        Err(i) => -1.0 - i as f64,
    }))
}
