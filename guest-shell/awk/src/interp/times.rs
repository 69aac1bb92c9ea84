//! `strftime` and `mktime`.

use super::{Interp, R};
use crate::array::Key;
use crate::ast::*;
use crate::special;
use crate::time;
use crate::value::Value;

impl<'p> Interp<'p> {
    #[inline(never)]
    pub(super) fn strftime(&mut self, args: &'p [Expr]) -> R<Value> {
        let format = match args.first() {
            Some(e) => self.text(e)?,
            None => {
                let set = match self.globals.get(special::PROCINFO as usize) {
                    Some(Value::Array(info)) => {
                        info.borrow().get(Key::Text(b"strftime")).map(|v| self.text_of(v))
                    }
                    _ => None,
                };
                set.unwrap_or_else(|| b"%a %b %e %H:%M:%S %Z %Y".to_vec())
            }
        };
        let seconds = match args.get(1) {
            Some(e) => self.num(e)?,
            None => (sandshell_sys::realtime() / 1_000_000_000) as f64,
        };
        let utc = match args.get(2) {
            Some(e) => self.truth(e)?,
            None => false,
        };
        if format.is_empty() {
            return Ok(Value::text(b""));
        }
        Ok(match time::format(&format, seconds.floor() as i64, utc) {
            Some(text) => Value::text(&text),
            None => Value::text(b""),
        })
    }

    #[inline(never)]
    pub(super) fn mktime(&mut self, args: &'p [Expr]) -> R<Value> {
        let Some(e) = args.first() else { return Ok(Value::Num(-1.0)) };
        let text = self.text(e)?;
        let utc = match args.get(1) {
            Some(e) => self.truth(e)?,
            None => false,
        };
        Ok(Value::Num(time::parse(&text, utc).map_or(-1.0, |n| n as f64)))
    }
}
