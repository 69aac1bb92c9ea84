//! Access by key, and by path.

use crate::builtins::take;
use crate::object::Object;
use crate::text::Text;
use crate::value::{List, Val, compare};
use std::cmp::Ordering;
use std::rc::Rc;

type ValResult = Result<Val, Val>;

/// Larger indices would use too much memory. This limit is not jq's.
const LARGEST_INDEX: i64 = 1 << 27;

/// `t[k]`
pub(crate) fn index(t: &Val, k: &Val) -> ValResult {
    match (t, k) {
        (Val::Obj(o), Val::Str(key)) => Ok(o.get(key).cloned().unwrap_or_default()),
        (Val::Null, Val::Str(_) | Val::Num(_) | Val::Literal(_) | Val::Obj(_)) => Ok(Val::Null),
        (Val::Arr(list), Val::Num(_) | Val::Literal(_)) => {
            let n = k.num().unwrap_or(f64::NAN);
            Ok(position(list, n).and_then(|i| list.0.get(i)).cloned().unwrap_or_default())
        }
        (Val::Arr(list), Val::Obj(bounds)) => {
            let (from, to) = slice(bounds, list.0.len())?;
            Ok(Val::arr(list.0.get(from..to).unwrap_or_default().to_vec()))
        }
        (Val::Str(text), Val::Obj(bounds)) => {
            let (from, to) = slice(bounds, text.chars())?;
            Ok(Val::Str(substring(text, from, to)))
        }
        (Val::Arr(list), Val::Arr(wanted)) => Ok(occurrences(list, wanted)),
        (t, Val::Str(key)) if key.bytes().len() < 30 => {
            Err(Val::from_string(format!("Cannot index {} with string \"{}\"", t.kind(), key.str())))
        }
        _ => Err(Val::from_string(format!("Cannot index {} with {}", t.kind(), k.kind()))),
    }
}

/// The part of a string from code point `from` to code point `to`.
pub(crate) fn substring(text: &Text, from: usize, to: usize) -> Text {
    let bytes = text.bytes();
    let mut starts = bytes.iter().enumerate().filter(|(_, b)| (**b & 0xC0) != 0x80).map(|(i, _)| i);
    let start = starts.nth(from).unwrap_or(bytes.len());
    let end = if to > from { starts.nth(to - from - 1).unwrap_or(bytes.len()) } else { start };
    Text::from_valid(bytes.get(start..end).unwrap_or_default())
}

pub(crate) fn get_path(root: &Val, path: &Val) -> ValResult {
    let Val::Arr(keys) = path else { return Err(Val::str("Path must be specified as an array")) };
    let mut at = root.clone();
    for key in &keys.0 {
        at = index(&at, key)?;
    }
    Ok(at)
}

pub(crate) fn set_path(root: Val, path: &Val, value: Val) -> ValResult {
    let Val::Arr(keys) = path else { return Err(Val::str("Path must be specified as an array")) };
    set_keys(root, &keys.0, value)
}

/// Takes each container out of its parent on the way down, and puts it back on the way up. Only shared containers are
/// therefore copied.
fn set_keys(root: Val, keys: &[Val], value: Val) -> ValResult {
    let mut parents = Vec::with_capacity(keys.len());
    let mut at = root;
    for key in keys {
        let child = take_child(&mut at, key)?;
        parents.push(at);
        at = child;
    }
    at = value;
    for (parent, key) in parents.into_iter().zip(keys).rev().collect::<Vec<_>>() {
        at = set(parent, key, at)?;
    }
    Ok(at)
}

/// `t[k]`. Where this is cheap, the value is moved out, and null remains in its place.
fn take_child(t: &mut Val, k: &Val) -> ValResult {
    match (&mut *t, k) {
        (Val::Obj(o), Val::Str(key)) => {
            Ok(Rc::make_mut(o).get_mut(key).map(std::mem::take).unwrap_or_default())
        }
        (Val::Arr(list), Val::Num(n)) => match position(list, *n) {
            Some(i) => Ok(Rc::make_mut(list).0.get_mut(i).map(std::mem::take).unwrap_or_default()),
            None => Ok(Val::Null),
        },
        _ => index(t, k),
    }
}

/// `t` with `t[k] = v`
fn set(t: Val, k: &Val, v: Val) -> ValResult {
    match (t, k) {
        (Val::Null, Val::Str(key)) => {
            let mut object = Object::new();
            object.insert(key.clone(), v);
            Ok(Val::obj(object))
        }
        (Val::Obj(mut object), Val::Str(key)) => {
            *Rc::make_mut(&mut object).entry(key) = v;
            Ok(Val::Obj(object))
        }
        (t @ (Val::Null | Val::Arr(_)), Val::Num(_) | Val::Literal(_)) => {
            set_element(as_list(t), k.num().unwrap_or(f64::NAN), v)
        }
        (t @ (Val::Null | Val::Arr(_)), Val::Obj(bounds)) => set_slice(as_list(t), bounds, v),
        (Val::Str(_), Val::Obj(_)) => Err(Val::str("Cannot update string slices")),
        (t, k) => Err(Val::from_string(format!("Cannot update field at {} index of {}", k.kind(), t.kind()))),
    }
}

fn as_list(t: Val) -> Rc<List> {
    match t {
        Val::Arr(list) => list,
        _ => Rc::default(),
    }
}

fn set_element(mut list: Rc<List>, n: f64, v: Val) -> ValResult {
    if n.is_nan() {
        return Err(Val::str("Cannot set array element at NaN index"));
    }
    let mut i = n as i64;
    if i < 0 {
        i += list.0.len() as i64;
    }
    if i < 0 {
        return Err(Val::str("Out of bounds negative array index"));
    }
    if i > LARGEST_INDEX {
        return Err(Val::str("Array index too large"));
    }
    let elements = &mut Rc::make_mut(&mut list).0;
    let i = i as usize;
    if i >= elements.len() {
        elements.resize(i + 1, Val::Null);
    }
    if let Some(place) = elements.get_mut(i) {
        *place = v;
    }
    Ok(Val::Arr(list))
}

fn set_slice(mut list: Rc<List>, bounds: &Object, v: Val) -> ValResult {
    let (from, to) = slice(bounds, list.0.len())?;
    let Val::Arr(new) = v else {
        return Err(Val::str("A slice of an array can only be assigned another array"));
    };
    Rc::make_mut(&mut list).0.splice(from..to, new.0.iter().cloned());
    Ok(Val::Arr(list))
}

/// The position of index `n`, which counts from the end if it is negative.
fn position(list: &List, n: f64) -> Option<usize> {
    if n.is_nan() {
        return None;
    }
    let i = n.clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i64;
    usize::try_from(if i < 0 { i + list.0.len() as i64 } else { i }).ok()
}

/// The range for `{"start": …, "end": …}` in a value of `len` elements.
fn slice(bounds: &Object, len: usize) -> Result<(usize, usize), Val> {
    let bound = |name: &str, default: usize| match bounds.get(&Text::from(name)) {
        Some(Val::Null) => Ok(default as f64),
        v => v.and_then(Val::num).ok_or_else(|| Val::str("Array/string slice indices must be integers")),
    };
    let length = len as f64;
    let mut from = bound("start", 0)?;
    let mut to = bound("end", len)?;
    if from.is_nan() {
        from = 0.0;
    }
    if from < 0.0 {
        from += length;
    }
    let start = from.clamp(0.0, length) as usize;
    if to.is_nan() {
        to = length;
    }
    if to < 0.0 {
        to += length;
    }
    if to < 0.0 {
        to = start as f64;
    }
    let end = (to.ceil().min(length) as usize).max(start);
    Ok((start, end))
}

/// The indices at which an array contains another one.
pub(crate) fn occurrences(list: &List, wanted: &List) -> Val {
    if wanted.0.is_empty() {
        return Val::arr(Vec::new());
    }
    let found = list.0.windows(wanted.0.len()).enumerate().filter(|(_, w)| **w == *wanted.0);
    Val::arr(found.map(|(i, _)| Val::Num(i as f64)).collect())
}

pub(crate) fn has(args: &mut [Val]) -> ValResult {
    let (t, k) = (take(args, 0), take(args, 1));
    match (&t, &k) {
        (Val::Null, _) => Ok(Val::Bool(false)),
        (Val::Obj(o), Val::Str(key)) => Ok(Val::Bool(o.get(key).is_some())),
        (Val::Arr(list), Val::Num(_) | Val::Literal(_)) => {
            let n = k.num().unwrap_or(f64::NAN);
            Ok(Val::Bool(!n.is_nan() && n > -1.0 && (n.max(0.0) as usize) < list.0.len()))
        }
        _ => Err(Val::from_string(format!("Cannot check whether {} has a {} key", t.kind(), k.kind()))),
    }
}

/// `pick`: a new value that contains only the values at these paths.
pub(crate) fn pick(args: &mut [Val]) -> ValResult {
    let (root, wanted) = (take(args, 0), take(args, 1));
    let Val::Arr(paths) = wanted else { return Ok(Val::Null) };
    paths.0.iter().try_fold(Val::Null, |picked, path| set_path(picked, path, get_path(&root, path)?))
}

pub(crate) fn delete_paths(root: Val, paths: &Val) -> ValResult {
    let Val::Arr(list) = paths else { return Err(Val::str("Paths must be specified as an array")) };
    let mut sorted = list.0.clone();
    sorted.sort_by(compare);
    let mut keys: Vec<&[Val]> = Vec::with_capacity(sorted.len());
    for path in &sorted {
        match path {
            Val::Arr(path) => keys.push(&path.0),
            other => {
                let text = format!("Path must be specified as array, not {}", other.kind());
                return Err(Val::from_string(text));
            }
        }
    }
    match keys.first() {
        None => Ok(root),
        Some([]) => Ok(Val::Null),
        Some(_) => delete_sorted(root, &keys, 0),
    }
}

/// The maximum length of a path to delete, which keeps the stack small. This limit is not jq's.
const LONGEST_PATH: usize = 2000;

/// Deletes sorted paths, which have the first `depth` keys in common.
fn delete_sorted(mut root: Val, paths: &[&[Val]], depth: usize) -> ValResult {
    if depth > LONGEST_PATH {
        return Err(Val::str("Path too deep"));
    }
    let mut keys = Vec::new();
    let mut rest = paths;
    while let Some(first) = rest.first() {
        let Some(key) = first.get(depth) else { break };
        let same = rest.iter().take_while(|p| p.get(depth).is_some_and(|k| k == key)).count().max(1);
        let (group, others) = rest.split_at(same);
        rest = others;
        if first.len() == depth + 1 {
            keys.push(key.clone());
        } else {
            let child = index(&root, key)?;
            if !child.is_null() {
                let child = match take_child(&mut root, key)? {
                    Val::Null => child,
                    taken => {
                        drop(child);
                        taken
                    }
                };
                root = set(root, key, delete_sorted(child, group, depth + 1)?)?;
            }
        }
    }
    delete_keys(root, &keys)
}

fn delete_keys(t: Val, keys: &[Val]) -> ValResult {
    if keys.is_empty() {
        return Ok(t);
    }
    match t {
        Val::Null => Ok(t),
        Val::Arr(mut list) => {
            let len = list.0.len();
            let mut doomed = vec![false; len];
            for key in keys {
                match key {
                    Val::Num(_) | Val::Literal(_) => {
                        let n = key.num().unwrap_or(f64::NAN);
                        if let Some(flag) = position(&list, n).and_then(|i| doomed.get_mut(i)) {
                            *flag = true;
                        }
                    }
                    Val::Obj(bounds) => {
                        let (from, to) = slice(bounds, len)?;
                        doomed.get_mut(from..to).unwrap_or_default().fill(true);
                    }
                    other => {
                        let text = format!("Cannot delete {} element of array", other.kind());
                        return Err(Val::from_string(text));
                    }
                }
            }
            let mut i = 0;
            Rc::make_mut(&mut list).0.retain(|_| {
                i += 1;
                !doomed.get(i - 1).copied().unwrap_or(false)
            });
            Ok(Val::Arr(list))
        }
        Val::Obj(mut object) => {
            let mut names = Vec::with_capacity(keys.len());
            for key in keys {
                match key {
                    Val::Str(name) => names.push(name.clone()),
                    other => {
                        let text = format!("Cannot delete {} field of object", other.kind());
                        return Err(Val::from_string(text));
                    }
                }
            }
            Rc::make_mut(&mut object).remove_all(&names);
            Ok(Val::Obj(object))
        }
        other => Err(Val::from_string(format!("Cannot delete fields from {}", other.kind()))),
    }
}

/// Whether two values are equal in the order of `compare`.
pub(crate) fn alike(a: &Val, b: &Val) -> bool {
    compare(a, b) == Ordering::Equal
}
