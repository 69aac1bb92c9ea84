//! The numbers of `numfmt`: exact fractions with unit suffixes, and their rounding and formatting.

use num_bigint::{BigInt, Sign};

/// The units of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scale {
    None,
    Auto,
    Si,
    Iec,
    IecI,
}

/// How a number is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Round {
    Up,
    Down,
    FromZero,
    TowardsZero,
    Nearest,
    /// To the nearest number, ties to even, as in `printf`.
    Even,
}

/// The fraction `above / below`. `below` is positive.
#[derive(Clone, Debug)]
pub(crate) struct Fraction {
    pub(crate) above: BigInt,
    pub(crate) below: BigInt,
}

/// What is wrong with a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    Invalid,
    Large,
    Forbidden,
    Suffix,
    /// This text follows a valid number.
    Rest(Vec<u8>),
    MissingI,
}

const SUFFIXES: &[u8] = b"KMGTPEZY";

/// Parses a number. Returns the number of digits after its point too.
pub(crate) fn parse(text: &[u8], scale: Scale) -> Result<(Fraction, usize), Bad> {
    let negative = text.first() == Some(&b'-');
    let body = &text[usize::from(negative)..];
    let digits = |t: &[u8]| t.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(body);
    let mut rest = &body[whole..];
    let mut all = body[..whole].to_vec();
    let mut precision = 0;
    if whole == 0 && rest.first() != Some(&b'.') {
        return Err(Bad::Invalid);
    }
    if let Some(after) = rest.strip_prefix(b".") {
        precision = digits(after);
        if precision == 0 {
            return Err(if after.starts_with(b".") { Bad::Suffix } else { Bad::Invalid });
        }
        all.extend_from_slice(&after[..precision]);
        rest = &after[precision..];
    }
    let significant = all[..whole].iter().skip_while(|d| **d == b'0').count();
    if significant > 27 {
        return Err(Bad::Large);
    }
    let mut above = BigInt::parse_bytes(&all, 10).unwrap_or_default();
    if negative {
        above = -above;
    }
    let below = BigInt::from(10).pow(precision as u32);
    if !rest.is_empty() {
        while let Some(after) = rest.strip_prefix(b" ").or(rest.strip_prefix(b"\t")) {
            rest = after;
        }
        let Some(power) = rest.first().and_then(|c| SUFFIXES.iter().position(|s| s == c)) else {
            return Err(Bad::Suffix);
        };
        if scale == Scale::None {
            return Err(Bad::Forbidden);
        }
        rest = &rest[1..];
        let mut base = if matches!(scale, Scale::Iec | Scale::IecI) { 1024 } else { 1000 };
        if scale == Scale::Auto && rest.first() == Some(&b'i') {
            base = 1024;
            rest = &rest[1..];
        }
        precision = 0;
        if scale == Scale::IecI {
            rest = rest.strip_prefix(b"i").ok_or(Bad::MissingI)?;
        }
        above *= BigInt::from(base).pow(power as u32 + 1);
    } else if scale == Scale::IecI {
        return Err(Bad::MissingI);
    }
    if rest.is_empty() { Ok((Fraction { above, below }, precision)) } else { Err(Bad::Rest(rest.to_vec())) }
}

impl Fraction {
    fn rounded(&self, how: Round) -> BigInt {
        let (negative, size) = (self.above.sign() == Sign::Minus, self.above.magnitude());
        let below = self.below.magnitude();
        let (mut whole, rest) = (size / below, size % below);
        let up = match how {
            Round::Up => !negative,
            Round::Down => negative,
            Round::FromZero => true,
            Round::TowardsZero => false,
            Round::Nearest => &rest * 2u8 >= *below,
            Round::Even => {
                let twice = &rest * 2u8;
                twice > *below || twice == *below && whole.bit(0)
            }
        };
        if up && rest.sign_is_positive() {
            whole += 1u8;
        }
        BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, whole)
    }

    /// Whether the absolute value is at least `n`.
    fn reaches(&self, n: u32) -> bool {
        *self.above.magnitude() >= self.below.magnitude() * n
    }

    /// The number of digits of the integer part, minus one.
    pub(crate) fn magnitude(&self) -> usize {
        (self.above.magnitude() / self.below.magnitude()).to_string().len() - 1
    }

    /// Formats the number without units: with `precision` digits after the point, padded with zeros to `width`.
    pub(crate) fn plain(&self, precision: usize, how: Round, width: usize) -> String {
        let ten = BigInt::from(10).pow(precision as u32);
        let scaled = Self { above: &self.above * &ten, below: self.below.clone() };
        let rounded = scaled.rounded(how);
        // As in `printf`, a negative number rounded to zero keeps its sign.
        let negative =
            rounded.sign() == Sign::Minus || how == Round::Even && self.above.sign() == Sign::Minus;
        decimal(rounded.magnitude(), negative, precision, width)
    }

    /// Formats the number with a unit: with about three digits, or with `precision` digits after the point.
    pub(crate) fn scaled(&self, scale: Scale, precision: Option<usize>, how: Round, width: usize) -> String {
        let base = if scale == Scale::Si { 1000u32 } else { 1024 };
        let mut now = self.clone();
        let mut power = 0usize;
        while now.reaches(base) && power < SUFFIXES.len() {
            now.below *= base;
            power += 1;
        }
        let adjust = match precision {
            Some(p) => p.min(power * 3),
            None => usize::from(!now.reaches(10)),
        };
        let ten = BigInt::from(10).pow(adjust as u32);
        let value = Self { above: &now.above * &ten, below: now.below.clone() }.rounded(how);
        let mut shown = Self { above: value, below: ten };
        if shown.reaches(base) && power < SUFFIXES.len() {
            shown.below *= base;
            power += 1;
        }
        let zero = shown.above.sign() == Sign::NoSign;
        let point = !zero && !shown.reaches(10) && power > 0;
        let places = precision.unwrap_or(usize::from(point));
        let mut text = shown.plain(places, Round::Even, width);
        if power > 0 {
            text.push(char::from(SUFFIXES[power - 1]));
            if scale == Scale::IecI {
                text.push('i');
            }
        }
        text
    }
}

/// Formats `value / 10^precision` as a decimal number.
fn decimal(value: &num_bigint::BigUint, negative: bool, precision: usize, width: usize) -> String {
    let mut digits = value.to_string();
    if digits.len() <= precision {
        digits.insert_str(0, &"0".repeat(precision + 1 - digits.len()));
    }
    if precision > 0 {
        digits.insert(digits.len() - precision, '.');
    }
    let sign = if negative { "-" } else { "" };
    let zeros = width.saturating_sub(sign.len() + digits.len());
    format!("{sign}{}{digits}", "0".repeat(zeros))
}

/// Whether an unsigned number is greater than 0.
trait Positive {
    fn sign_is_positive(&self) -> bool;
}

impl Positive for num_bigint::BigUint {
    fn sign_is_positive(&self) -> bool {
        *self != Self::ZERO
    }
}
