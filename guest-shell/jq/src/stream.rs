//! `--stream`: JSON as events, without storing whole values.

use crate::value::Val;
use std::collections::VecDeque;

/// The state between two events.
#[derive(Default)]
pub(crate) struct Streamer {
    /// The entry of each open container: an index (array), a key (object), or null while an object's key is not known.
    path: Vec<Val>,
    last: Last,
    output: VecDeque<Val>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Last {
    #[default]
    None,
    OpenArray,
    OpenObject,
    Colon,
    Comma,
    Value,
}

impl Streamer {
    pub(crate) fn depth(&self) -> usize {
        self.path.len()
    }

    pub(crate) fn path(&self) -> Val {
        Val::arr(self.path.clone())
    }

    pub(crate) fn has_output(&self) -> bool {
        !self.output.is_empty()
    }

    /// The next event that is complete. `next` is a scalar that has just been parsed.
    pub(crate) fn take_output(&mut self, next: &mut Option<Val>) -> Option<Val> {
        if self.path.is_empty()
            && self.output.is_empty()
            && let Some(v) = next.take()
        {
            return Some(Val::arr(vec![self.path(), v]));
        }
        self.output.pop_front()
    }

    /// Processes a scalar. Returns false if none is allowed here.
    pub(crate) fn value(&mut self) -> bool {
        if self.last == Last::Value {
            return false;
        }
        self.last = if self.path.is_empty() { Last::None } else { Last::Value };
        true
    }

    /// Processes a structural character.
    pub(crate) fn token(&mut self, next: &mut Option<Val>, c: u8) -> Result<(), &'static str> {
        match c {
            b'[' | b'{' => self.open(next, c == b'['),
            b':' => self.colon(next),
            b',' => self.comma(next),
            b']' => self.close_array(next),
            _ => self.close_object(next),
        }
    }

    fn open(&mut self, next: &Option<Val>, array: bool) -> Result<(), &'static str> {
        if (array && next.is_some()) || (!array && self.last == Last::Value) {
            return Err("Expected a separator between values");
        }
        if self.last == Last::OpenObject {
            return Err(if array {
                "Expected string key after '{', not '['"
            } else {
                "Expected string key after '{', not '{'"
            });
        }
        if self.last == Last::Comma && !self.in_array() {
            return Err(if array {
                "Expected string key after ',' in object, not '['"
            } else {
                "Expected string key after ',' in object, not '{'"
            });
        }
        self.path.push(if array { Val::Num(0.0) } else { Val::Null });
        self.last = if array { Last::OpenArray } else { Last::OpenObject };
        Ok(())
    }

    fn colon(&mut self, next: &mut Option<Val>) -> Result<(), &'static str> {
        if self.path.is_empty() || self.in_array() {
            return Err("':' not as part of an object");
        }
        match next.take() {
            None => return Err("Expected string key before ':'"),
            Some(_) if self.last == Last::None => return Err("Expected string key before ':'"),
            Some(key @ Val::Str(_)) if self.last == Last::Value => {
                if let Some(top) = self.path.last_mut() {
                    *top = key;
                }
            }
            Some(Val::Str(_)) => return Err("':' should follow a key"),
            Some(_) => return Err("Object keys must be strings"),
        }
        self.last = Last::Colon;
        Ok(())
    }

    fn comma(&mut self, next: &mut Option<Val>) -> Result<(), &'static str> {
        if self.last != Last::Value {
            return Err("Expected value before ','");
        }
        let advanced = match self.path.last() {
            None => return Err("',' not as part of an object or array"),
            Some(Val::Num(i)) => Val::Num(i + 1.0),
            Some(Val::Str(_)) => Val::Null,
            Some(_) => return Err("Objects must consist of key:value pairs"),
        };
        self.leaf(next);
        if let Some(top) = self.path.last_mut() {
            *top = advanced;
        }
        self.last = Last::Comma;
        Ok(())
    }

    fn close_array(&mut self, next: &mut Option<Val>) -> Result<(), &'static str> {
        if self.path.is_empty() {
            return Err("Unmatched ']' at the top-level");
        }
        if self.last == Last::Comma {
            return Err("Expected another array element");
        }
        if !self.in_array() {
            return Err("Unmatched ']' in the middle of an object");
        }
        self.close(next, self.last == Last::OpenArray, Val::arr(Vec::new()));
        Ok(())
    }

    fn close_object(&mut self, next: &mut Option<Val>) -> Result<(), &'static str> {
        if self.path.is_empty() {
            return Err("Unmatched '}' at the top-level");
        }
        if self.last == Last::Comma {
            return Err("Expected another key:value pair");
        }
        if self.in_array() {
            return Err("Unmatched '}' in the middle of an array");
        }
        if next.is_some() && !matches!(self.path.last(), Some(Val::Str(_))) {
            return Err("Objects must consist of key:value pairs");
        }
        if next.is_none() && self.last == Last::Colon {
            return Err("Missing value in key:value pair");
        }
        self.close(next, self.last == Last::OpenObject, Val::obj(crate::object::Object::new()));
        Ok(())
    }

    /// Ends a container. If it is `empty`, it is a leaf itself; otherwise its last element is followed by the closing
    /// event.
    fn close(&mut self, next: &mut Option<Val>, empty: bool, leaf: Val) {
        if !empty {
            self.leaf(next);
            self.output.push_back(Val::arr(vec![self.path()]));
        }
        self.path.pop();
        if empty {
            self.output.push_back(Val::arr(vec![self.path(), leaf]));
        }
        self.last = if self.path.is_empty() { Last::None } else { Last::Value };
    }

    fn leaf(&mut self, next: &mut Option<Val>) {
        if let Some(v) = next.take() {
            self.output.push_back(Val::arr(vec![self.path(), v]));
        }
    }

    fn in_array(&self) -> bool {
        matches!(self.path.last(), Some(Val::Num(_)))
    }
}
