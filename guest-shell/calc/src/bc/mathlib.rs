//! The mathematical library of `-l`.
//!
//! GNU bc's results are truncated and not rounded, so the number of guard digits and the argument reductions show in
//! the last digit. The series here use the same ones.

use crate::num::Num;
use std::cmp::Ordering;

/// A function of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Exp,
    Log,
    Sine,
    Cosine,
    ArcTangent,
    Bessel,
}

/// Name, function, number of parameters.
pub(crate) const FUNCTIONS: &[(&[u8], Builtin, usize)] = &[
    (b"e", Builtin::Exp, 1),
    (b"l", Builtin::Log, 1),
    (b"s", Builtin::Sine, 1),
    (b"c", Builtin::Cosine, 1),
    (b"a", Builtin::ArcTangent, 1),
    (b"j", Builtin::Bessel, 2),
];

impl Builtin {
    /// The value of the function, computed at this scale.
    pub(crate) fn value(self, arguments: &[Num], scale: usize) -> Num {
        let x = arguments.first().cloned().unwrap_or_default();
        let result = match self {
            Self::Exp => exp(x, scale),
            Self::Log => log(x, scale),
            Self::Sine => sine(x, scale),
            Self::Cosine => cosine(&x, scale),
            Self::ArcTangent => arctangent(x, scale),
            Self::Bessel => bessel(&x, &arguments.get(1).cloned().unwrap_or_default(), scale),
        };
        // This never happens: no divisor is zero.
        result.unwrap_or_default()
    }
}

fn n(value: i64) -> Num {
    Num::from(value)
}

fn decimal(text: &str) -> Num {
    Num::parse_decimal(text.as_bytes())
}

fn less(a: &Num, b: &Num) -> bool {
    a.compare(b) == Ordering::Less
}

// `tenths / 10` of a scale, truncated as in the language.
fn part(scale: usize, tenths: usize) -> usize {
    scale * tenths / 10
}

fn exp(x: Num, scale: usize) -> Option<Num> {
    let minus = x.is_negative() && !x.is_zero();
    let mut x = x.abs();
    // .44 x digits before the decimal point, and six more after it.
    let whole = x.mul(&decimal(".44"), scale).add(&n(6 + scale as i64));
    let work = usize::try_from(whole.to_i64()?).ok()?;
    let mut fine = x.scale() + 1;
    let mut halvings = 0;
    while less(&n(1), &x) {
        halvings += 1;
        x = x.div(&n(2), fine)?;
        fine += 1;
    }
    let mut sum = n(1).add(&x);
    let mut power = x.clone();
    let mut factorial = n(1);
    for i in 2.. {
        power = power.mul(&x, work);
        factorial = factorial.mul(&n(i), work);
        let term = power.div(&factorial, work)?;
        if term.is_zero() {
            break;
        }
        sum = sum.add(&term);
    }
    for _ in 0..halvings {
        sum = sum.mul(&sum, work);
    }
    if minus { n(1).div(&sum, scale) } else { sum.div(&n(1), scale) }
}

fn log(mut x: Num, scale: usize) -> Option<Num> {
    if x.is_zero() || x.is_negative() {
        let power = n(10).raise(&n(scale as i64), scale).ok()?;
        return n(1).sub(&power).div(&n(1), scale);
    }
    let work = scale + 6;
    let mut factor = n(2);
    while !less(&x, &n(2)) {
        factor = factor.mul(&n(2), work);
        x = x.sqrt(work)?;
    }
    let half = decimal(".5");
    while !less(&half, &x) {
        factor = factor.mul(&n(2), work);
        x = x.sqrt(work)?;
    }
    let mut power = x.sub(&n(1)).div(&x.add(&n(1)), work)?;
    let square = power.mul(&power, work);
    let mut sum = power.clone();
    for i in (3..).step_by(2) {
        power = power.mul(&square, work);
        let term = power.div(&n(i), work)?;
        if term.is_zero() {
            break;
        }
        sum = sum.add(&term);
    }
    factor.mul(&sum, work).div(&n(1), scale)
}

fn sine(x: Num, scale: usize) -> Option<Num> {
    let minus = x.is_negative() && !x.is_zero();
    let mut x = x.abs();
    let work = part(scale, 11) + 2;
    // Pi divided by 4.
    let quarter = arctangent(n(1), work)?;
    let turns = x.div(&quarter, 0)?.add(&n(2)).div(&n(4), 0)?;
    x = x.sub(&n(4).mul(&turns, 0).mul(&quarter, 0));
    if !turns.rem(&n(2), 0)?.is_zero() {
        x = x.negated();
    }
    let work = scale + 2;
    let square = x.clone().negated().mul(&x, work);
    let mut term = x.clone();
    let mut sum = x;
    for i in (3i64..).step_by(2) {
        term = term.mul(&square.div(&n(i * (i - 1)), work)?, work);
        if term.is_zero() {
            break;
        }
        sum = sum.add(&term);
    }
    if minus { sum.negated().div(&n(1), scale) } else { sum.div(&n(1), scale) }
}

fn cosine(x: &Num, scale: usize) -> Option<Num> {
    let work = part(scale, 12);
    let right = arctangent(n(1), work)?.mul(&n(2), work);
    sine(x.add(&right), work)?.div(&n(1), scale)
}

fn arctangent(x: Num, scale: usize) -> Option<Num> {
    let minus = x.is_negative() && !x.is_zero();
    let mut x = x.abs();
    let sign = n(if minus { -1 } else { 1 });
    let fifth = decimal(".2");
    if x.compare(&n(1)) == Ordering::Equal
        && let Some(known) = known(scale, &QUARTER_PI)
    {
        return known.div(&sign, scale);
    }
    if x.compare(&fifth) == Ordering::Equal
        && let Some(known) = known(scale, &ARCTANGENT_OF_A_FIFTH)
    {
        return known.div(&sign, scale);
    }
    let of_fifth = if less(&fifth, &x) { arctangent(fifth.clone(), scale + 5)? } else { n(0) };
    let work = scale + 3;
    let mut steps = 0;
    while less(&fifth, &x) {
        steps += 1;
        x = x.sub(&fifth).div(&n(1).add(&x.mul(&fifth, work)), work)?;
    }
    let square = x.clone().negated().mul(&x, work);
    let mut power = x.clone();
    let mut sum = x;
    for i in (3..).step_by(2) {
        power = power.mul(&square, work);
        let term = power.div(&n(i), work)?;
        if term.is_zero() {
            break;
        }
        sum = sum.add(&term);
    }
    n(steps).mul(&of_fifth, scale).add(&sum).div(&sign, scale)
}

// The largest scales for which the constants below are precise enough.
const GOOD: [usize; 3] = [25, 40, 60];

const QUARTER_PI: [&str; 3] = [
    ".7853981633974483096156608",
    ".7853981633974483096156608458198757210492",
    ".785398163397448309615660845819875721049292349843776455243736",
];

const ARCTANGENT_OF_A_FIFTH: [&str; 3] = [
    ".1973955598498807583700497",
    ".1973955598498807583700497651947902934475",
    ".197395559849880758370049765194790293447585103787852101517688",
];

fn known(scale: usize, digits: &[&str; 3]) -> Option<Num> {
    let at = GOOD.iter().position(|good| scale <= *good)?;
    digits.get(at).map(|d| decimal(d))
}

fn bessel(order: &Num, x: &Num, scale: usize) -> Option<Num> {
    let order = order.div(&n(1), 0)?;
    let odd = order.is_negative() && !order.rem(&n(2), 0)?.is_zero();
    let order = order.abs().to_i64()?;
    let mut factorial = n(1);
    for i in 2..=order {
        factorial = factorial.mul(&n(i), 0);
    }
    let work = scale * 3 / 2;
    let first = x
        .raise(&n(order), work)
        .ok()?
        .div(&n(2).raise(&n(order), work).ok()?, work)?
        .div(&factorial, work)?;
    let square = x.clone().negated().mul(x, work).div(&n(4), work)?;
    let fine = work + first.length() - first.scale();
    let mut term = n(1);
    let mut sum = n(1);
    for i in 1.. {
        term = term.mul(&square, fine).div(&n(i), fine)?.div(&n(order + i), fine)?;
        if term.is_zero() {
            break;
        }
        sum = sum.add(&term);
    }
    let value = first.mul(&sum, fine);
    if odd { value.negated().div(&n(1), scale) } else { value.div(&n(1), scale) }
}
