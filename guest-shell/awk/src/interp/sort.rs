//! Orders of elements: `PROCINFO["sorted_in"]`, `asort`, `asorti`.

use super::{Interp, Origin, R};
use crate::array::{Key, OwnKey, int_text};
use crate::ast::*;
use crate::diag::bytes;
use crate::special;
use crate::value::{ArrayRef, Value};
use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    IndexText,
    IndexNumber,
    ValueType,
    ValueText,
    ValueNumber,
}

#[derive(Clone, Copy, Debug)]
enum Order {
    Unsorted,
    By(By, bool),
    Function(u32),
}

struct Item {
    key: OwnKey,
    /// The index as loops and comparison functions get it.
    index: Value,
    value: Value,
    /// The text of the index or of the value.
    text: Vec<u8>,
    number: f64,
}

impl<'p> Interp<'p> {
    /// The indices of an array in the order of `for (i in a)`.
    #[inline(never)]
    pub(super) fn sorted_keys(&mut self, array: &ArrayRef) -> R<Vec<Value>> {
        let how = match self.globals.get(special::PROCINFO as usize) {
            Some(Value::Array(info)) => info.borrow().get(Key::Text(b"sorted_in")).map(|v| self.text_of(v)),
            _ => None,
        };
        let how = match how {
            Some(how) if !how.is_empty() => how,
            _ => return Ok(array.borrow().keys().iter().map(Self::index_value).collect()),
        };
        let order = self.order_named(&how)?;
        Ok(self.sorted(array, order)?.into_iter().map(|i| i.index).collect())
    }

    fn order_named(&mut self, name: &[u8]) -> R<Order> {
        let Some(rest) = name.strip_prefix(b"@") else {
            return match self.find_function(name) {
                Some(id) => Ok(Order::Function(id)),
                None if name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') => {
                    Err(self.fatal(bytes!("sort comparison function `", name, "' is not defined")))
                }
                None => Err(self.fatal(bytes!("sort comparison function `", name, "' is not defined"))),
            };
        };
        Ok(match rest {
            b"unsorted" => Order::Unsorted,
            b"ind_str_asc" => Order::By(By::IndexText, false),
            b"ind_str_desc" => Order::By(By::IndexText, true),
            b"ind_num_asc" => Order::By(By::IndexNumber, false),
            b"ind_num_desc" => Order::By(By::IndexNumber, true),
            b"val_type_asc" => Order::By(By::ValueType, false),
            b"val_type_desc" => Order::By(By::ValueType, true),
            b"val_str_asc" => Order::By(By::ValueText, false),
            b"val_str_desc" => Order::By(By::ValueText, true),
            b"val_num_asc" => Order::By(By::ValueNumber, false),
            b"val_num_desc" => Order::By(By::ValueNumber, true),
            _ => return Err(self.fatal(bytes!("sort comparison function `", name, "' is not defined"))),
        })
    }

    #[inline(never)]
    fn sorted(&mut self, array: &ArrayRef, order: Order) -> R<Vec<Item>> {
        let mut items = Vec::with_capacity(array.borrow().len());
        array.borrow().each(&mut |key, value| {
            let key = Self::own_key(key);
            let (text, number) = match order {
                Order::By(By::IndexText, _) => (key_text(&key), 0.0),
                Order::By(By::IndexNumber, _) => {
                    let text = key_text(&key);
                    let n = crate::number::prefix(&text);
                    (text, n)
                }
                Order::By(By::ValueText | By::ValueNumber, _) => (self.text_of(value), value.num()),
                Order::By(By::ValueType, _) => (self.text_of(value), value.num()),
                _ => (Vec::new(), 0.0),
            };
            let index = Self::index_value(&key);
            if let (Value::Index(i), Order::By(By::IndexText, _)) = (&index, order) {
                i.seen_as_text.set(true);
            }
            items.push(Item { key, index, value: value.clone(), text, number });
        });
        match order {
            Order::Unsorted => {}
            Order::By(by, descending) => {
                items.sort_by(|a, b| {
                    let o = self.order_items(by, a, b);
                    if descending { o.reverse() } else { o }
                });
            }
            Order::Function(id) => self.sort_by_function(&mut items, id)?,
        }
        Ok(items)
    }

    fn order_items(&self, by: By, a: &Item, b: &Item) -> Ordering {
        let numbers = |x: f64, y: f64| match (x.is_nan(), y.is_nan()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => x.partial_cmp(&y).unwrap_or(Ordering::Equal),
        };
        let texts = |x: &[u8], y: &[u8]| self.order_texts(x, y);
        match by {
            By::IndexText => texts(&a.text, &b.text),
            By::IndexNumber => numbers(a.number, b.number).then_with(|| texts(&a.text, &b.text)),
            By::ValueNumber | By::ValueText | By::ValueType => {
                // Arrays come last.
                match (&a.value, &b.value) {
                    (Value::Array(_), Value::Array(_)) => {
                        return texts(&key_text(&a.key), &key_text(&b.key));
                    }
                    (Value::Array(_), _) => return Ordering::Greater,
                    (_, Value::Array(_)) => return Ordering::Less,
                    _ => {}
                }
                let by_index = || texts(&key_text(&a.key), &key_text(&b.key));
                match by {
                    By::ValueNumber => {
                        numbers(a.number, b.number).then_with(|| texts(&a.text, &b.text)).then_with(by_index)
                    }
                    By::ValueText => texts(&a.text, &b.text).then_with(by_index),
                    _ => {
                        let kind = |v: &Value| if v.is_number() || v.is_unset() { 0 } else { 1 };
                        let (x, y) = (kind(&a.value), kind(&b.value));
                        x.cmp(&y)
                            .then_with(|| {
                                if x == 0 { numbers(a.number, b.number) } else { texts(&a.text, &b.text) }
                            })
                            .then_with(by_index)
                    }
                }
            }
        }
    }

    // A merge sort, because the comparison function may be inconsistent and may fail.
    fn sort_by_function(&mut self, items: &mut Vec<Item>, id: u32) -> R<()> {
        if items.len() < 2 {
            return Ok(());
        }
        let mut right = items.split_off(items.len() / 2);
        self.sort_by_function(items, id)?;
        self.sort_by_function(&mut right, id)?;
        let mut merged = Vec::with_capacity(items.len() + right.len());
        let mut a = std::mem::take(items).into_iter().peekable();
        let mut b = right.into_iter().peekable();
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            let args = vec![
                (x.index.clone(), Origin::None),
                (x.value.clone(), Origin::None),
                (y.index.clone(), Origin::None),
                (y.value.clone(), Origin::None),
            ];
            let params = self.program.functions.get(id as usize).map_or(0, |f| f.params.len());
            let args = args.into_iter().take(params).collect();
            let pos = self.pos;
            let order = self.enter(id, args, pos)?.num();
            let next = if order <= 0.0 { a.next() } else { b.next() };
            merged.extend(next);
        }
        merged.extend(a);
        merged.extend(b);
        *items = merged;
        Ok(())
    }

    #[inline(never)]
    pub(super) fn asort(&mut self, args: &'p [Expr], indices: bool) -> R<Value> {
        let name = if indices { "asorti" } else { "asort" };
        let Some(first) = args.first() else { return Ok(Value::Num(0.0)) };
        let source = self.array_argument(first, &format!("{name}: first argument is not an array"))?;
        let target = match args.get(1) {
            Some(e) => self.array_argument(e, &format!("{name}: second argument is not an array"))?,
            None => source.clone(),
        };
        let how = match args.get(2) {
            Some(e) => self.text(e)?,
            None => Vec::new(),
        };
        let order = match (how.as_slice(), indices) {
            (b"", true) => Order::By(By::IndexText, false),
            (b"", false) => Order::By(By::ValueType, false),
            (how, _) => self.order_named(how)?,
        };
        let items = self.sorted(&source, order)?;
        let count = items.len();
        let mut target = target.borrow_mut();
        target.clear();
        for (i, item) in items.into_iter().enumerate() {
            let value = if indices { Value::Str(item.key.text()) } else { copied(&item.value) };
            *target.slot(Key::Int(i as i64 + 1)) = value;
        }
        Ok(Value::Num(count as f64))
    }
}

fn key_text(key: &OwnKey) -> Vec<u8> {
    match key {
        OwnKey::Int(n) => int_text(*n).as_bytes().to_vec(),
        OwnKey::Text(t) => t.as_bytes().to_vec(),
    }
}

// Copies a value for another array. Subarrays are copied deeply.
fn copied(value: &Value) -> Value {
    let Value::Array(old) = value else { return value.clone() };
    let new = Value::new_array();
    old.borrow().each(&mut |key, v| *new.borrow_mut().slot(key) = copied(v));
    Value::Array(new)
}
