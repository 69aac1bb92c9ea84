//! Functions of numbers, as in C's math library.

use crate::builtins::operators::{negate, type_error};
use crate::builtins::take;
use crate::code::Native;
use crate::value::{Val, compare};
use std::cmp::Ordering;

type ValResult = Result<Val, Val>;

/// Defines functions of one number.
macro_rules! unary {
    ($name:expr, $($known:literal => $f:expr),* $(,)?) => {
        match $name {
            $($known => Some({
                fn wrapped(v: Val) -> ValResult {
                    let f: fn(f64) -> f64 = $f;
                    number(&v).map(|n| Val::Num(f(n)))
                }
                wrapped
            }),)*
            _ => None,
        }
    };
}

/// Defines functions of two numbers.
macro_rules! binary {
    ($name:expr, $($known:literal => $f:expr),* $(,)?) => {
        match $name {
            $($known => Some({
                fn wrapped(args: &mut [Val]) -> ValResult {
                    let f: fn(f64, f64) -> f64 = $f;
                    let (a, b) = (number(&take(args, 1))?, number(&take(args, 2))?);
                    Ok(Val::Num(f(a, b)))
                }
                wrapped as Native
            }),)*
            _ => None,
        }
    };
}

pub(crate) fn unary(name: &str) -> Option<fn(Val) -> ValResult> {
    unary!(name,
        "acos" => f64::acos, "acosh" => libm::acosh, "asin" => f64::asin, "asinh" => libm::asinh,
        "atan" => f64::atan, "atanh" => libm::atanh, "cbrt" => f64::cbrt, "ceil" => f64::ceil,
        "cos" => f64::cos, "cosh" => f64::cosh, "erf" => libm::erf, "erfc" => libm::erfc,
        "exp" => f64::exp, "exp10" => exp10, "exp2" => f64::exp2, "expm1" => f64::exp_m1,
        "fabs" => f64::abs, "floor" => f64::floor, "gamma" => libm::lgamma, "j0" => libm::j0,
        "j1" => libm::j1, "lgamma" => libm::lgamma, "log" => f64::ln, "log10" => f64::log10,
        "log1p" => f64::ln_1p, "log2" => f64::log2, "logb" => logb, "nearbyint" => f64::round_ties_even,
        "pow10" => exp10, "rint" => f64::round_ties_even, "round" => f64::round,
        "significand" => significand, "sin" => f64::sin, "sinh" => f64::sinh, "sqrt" => f64::sqrt,
        "tan" => f64::tan, "tanh" => f64::tanh, "tgamma" => libm::tgamma, "trunc" => f64::trunc,
        "y0" => libm::y0, "y1" => libm::y1,
    )
}

pub(crate) fn native(name: &str, arity: usize) -> Option<Native> {
    if (name, arity) == ("fma", 3) {
        return Some(fma);
    }
    if arity != 2 {
        return None;
    }
    binary!(name,
        "atan2" => f64::atan2, "copysign" => f64::copysign, "drem" => libm::remainder,
        "fdim" => libm::fdim, "fmax" => f64::max, "fmin" => f64::min, "fmod" => |a, b| a % b,
        "hypot" => f64::hypot, "jn" => |n, x| libm::jn(n as i32, x), "ldexp" => |x, n| libm::ldexp(x, n as i32),
        "nextafter" => libm::nextafter, "nexttoward" => libm::nextafter, "pow" => f64::powf,
        "remainder" => libm::remainder, "scalb" => |x, n| x * n.exp2(),
        "scalbln" => |x, n| libm::scalbn(x, n as i32), "yn" => |n, x| libm::yn(n as i32, x),
    )
}

pub(crate) fn is_infinite(v: Val) -> ValResult {
    Ok(Val::Bool(v.num().is_some_and(f64::is_infinite)))
}

pub(crate) fn is_nan(v: Val) -> ValResult {
    Ok(Val::Bool(v.num().is_some_and(f64::is_nan)))
}

pub(crate) fn is_normal(v: Val) -> ValResult {
    Ok(Val::Bool(v.num().is_some_and(f64::is_normal)))
}

/// Whether the value is a number that is not infinite. NaN is one.
pub(crate) fn is_bounded(v: &Val) -> bool {
    v.num().is_some_and(|n| !n.is_infinite())
}

/// Negates a number below 0. Other numbers are returned unchanged.
pub(crate) fn absolute(v: Val) -> ValResult {
    if compare(&v, &Val::Num(0.0)) == Ordering::Less { negate(v) } else { Ok(v) }
}

pub(crate) fn frexp(v: Val) -> ValResult {
    let (fraction, exponent) = libm::frexp(number(&v)?);
    Ok(Val::arr(vec![Val::Num(fraction), Val::Num(f64::from(exponent))]))
}

pub(crate) fn modf(v: Val) -> ValResult {
    let n = number(&v)?;
    let fraction = if n.is_infinite() { 0.0 } else { n.fract() };
    Ok(Val::arr(vec![Val::Num(fraction.copysign(n)), Val::Num(n.trunc())]))
}

pub(crate) fn lgamma_r(v: Val) -> ValResult {
    let (value, sign) = libm::lgamma_r(number(&v)?);
    Ok(Val::arr(vec![Val::Num(value), Val::Num(f64::from(sign))]))
}

fn number(v: &Val) -> Result<f64, Val> {
    v.num().ok_or_else(|| type_error(v, "number required"))
}

fn fma(args: &mut [Val]) -> ValResult {
    let (a, b, c) = (number(&take(args, 1))?, number(&take(args, 2))?, number(&take(args, 3))?);
    Ok(Val::Num(a.mul_add(b, c)))
}

fn exp10(x: f64) -> f64 {
    libm::exp10(x)
}

fn logb(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_infinite() {
        f64::INFINITY
    } else if x.is_nan() {
        x
    } else {
        f64::from(libm::ilogb(x))
    }
}

fn significand(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() { x } else { libm::scalbn(x, -libm::ilogb(x)) }
}
