//! Numeric functions.

use super::{Interp, R};
use crate::ast::*;
use crate::builtin::Builtin;
use crate::random::Random;
use crate::value::Value;

/// Up to this value, numbers are exact integers.
const EXACT: f64 = 18_446_744_073_709_551_615.0;

impl<'p> Interp<'p> {
    #[inline(never)]
    pub(super) fn math(&mut self, b: Builtin, args: &'p [Expr]) -> R<Value> {
        let two = args.len() == 2;
        let arg = |s: &mut Self, n: usize| match args.get(n) {
            Some(e) if two => s.number_argument(b, e, if n == 0 { "first " } else { "second " }),
            Some(e) => s.number_argument(b, e, ""),
            None => Ok(0.0),
        };
        let n = match b {
            Builtin::Sin => arg(self, 0)?.sin(),
            Builtin::Cos => arg(self, 0)?.cos(),
            Builtin::Atan2 => {
                let y = arg(self, 0)?;
                let x = arg(self, 1)?;
                y.atan2(x)
            }
            Builtin::Exp => {
                let x = arg(self, 0)?;
                let r = x.exp();
                if (r.is_infinite() || r == 0.0) && x.is_finite() {
                    let mut shown = Vec::new();
                    crate::float::push_g(&mut shown, x, 6);
                    self.warn(crate::diag::bytes!("exp: argument ", shown, " is out of range"));
                }
                r
            }
            Builtin::Log => {
                let x = arg(self, 0)?;
                if x < 0.0 {
                    self.number_warning("log", "received negative argument", x);
                    -f64::NAN
                } else {
                    x.ln()
                }
            }
            Builtin::Sqrt => {
                let x = arg(self, 0)?;
                if x < 0.0 {
                    self.number_warning("sqrt", "received negative argument", x);
                    -f64::NAN
                } else {
                    x.sqrt()
                }
            }
            Builtin::Int => arg(self, 0)?.trunc() + 0.0,
            Builtin::Rand => self.random.number(),
            Builtin::Srand => {
                let old = self.seed;
                self.seed = match args.first() {
                    Some(e) => self.number_argument(b, e, "")?.trunc(),
                    None => (sandshell_sys::realtime() / 1_000_000_000) as f64,
                };
                self.random = Random::new(self.seed as i64 as u32);
                old
            }
            Builtin::And | Builtin::Or | Builtin::Xor => {
                let mut all = Vec::with_capacity(args.len());
                for (i, e) in args.iter().enumerate() {
                    let n = self.bit_argument(b, i, e)?;
                    all.push(self.bits(b, i, n)?);
                }
                let result = match b {
                    Builtin::And => all.iter().fold(u64::MAX, |a, n| a & n),
                    Builtin::Or => all.iter().fold(0, |a, n| a | n),
                    _ => all.iter().fold(0, |a, n| a ^ n),
                };
                exact(result)
            }
            Builtin::Lshift | Builtin::Rshift => {
                let value = arg(self, 0)?;
                let shift = arg(self, 1)?;
                if value < 0.0 || shift < 0.0 {
                    let name = b.name();
                    let mut shown = Vec::new();
                    crate::float::push(&mut shown, value, b'f', crate::float::Spec::default());
                    shown.extend_from_slice(b", ");
                    crate::float::push(&mut shown, shift, b'f', crate::float::Spec::default());
                    return Err(self.fatal(crate::diag::bytes!(
                        name,
                        "(",
                        shown,
                        "): negative values are not allowed"
                    )));
                }
                let (value, shift) = (value as u64, shift as u32);
                exact(match b {
                    Builtin::Lshift => value.wrapping_shl(shift),
                    _ => value.wrapping_shr(shift),
                })
            }
            Builtin::Compl => {
                let value = arg(self, 0)?;
                if value < 0.0 {
                    let mut shown = Vec::new();
                    crate::float::push(&mut shown, value, b'f', crate::float::Spec::default());
                    return Err(self.fatal(crate::diag::bytes!(
                        "compl(",
                        shown,
                        "): negative value is not allowed"
                    )));
                }
                exact(!(value.min(EXACT) as u64))
            }
            _ => 0.0,
        };
        Ok(Value::Num(n))
    }

    fn bit_argument(&mut self, b: Builtin, i: usize, e: &'p Expr) -> R<f64> {
        if !self.lints() {
            return self.num(e);
        }
        let value = self.eval(e)?;
        if !value.is_number() && !value.is_unset() {
            self.lint(format!("{}: argument {} is non-numeric", b.name(), i + 1))?;
        }
        Ok(value.num())
    }

    fn bits(&mut self, b: Builtin, i: usize, n: f64) -> R<u64> {
        if n < 0.0 {
            let mut shown = Vec::new();
            crate::float::push_g(&mut shown, n, 6);
            let name = b.name();
            let number = (i + 1).to_string();
            return Err(self.fatal(crate::diag::bytes!(
                name,
                ": argument ",
                number,
                " negative value ",
                shown,
                " is not allowed"
            )));
        }
        Ok(n as u64)
    }
}

// Converts the result of a bit operation to a number. If it needs more than 53 bits, the highest bits are lost.
fn exact(n: u64) -> f64 {
    if n <= 1 << 53 {
        return n as f64;
    }
    let low = n.trailing_zeros();
    let kept = n >> low;
    if kept < 1 << 53 { n as f64 } else { ((kept & ((1 << 53) - 1)) << low) as f64 }
}
