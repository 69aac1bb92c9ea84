//! Numbers with the precision of GNU's `printf` and `seq` (80-bit extended: 64 bits of mantissa). Conversions from and
//! to decimal text are exact.

/// A number: `mantissa * 2^exponent`, with 64 significant bits unless it is 0 or subnormal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extended {
    pub negative: bool,
    pub kind: Kind,
}

/// The kind of number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Finite { mantissa: u64, exponent: i32 },
    Infinite,
    Nan,
}

/// The exponent of the lowest bit of the smallest numbers.
const LEAST: i32 = -16445;
/// Above this, the exponent of a 64-bit mantissa overflows.
const GREATEST: i32 = 16383 - 63;

/// Whether a number was in the range of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    Fits,
    Overflow,
    /// Too small to keep the full precision.
    Underflow,
}

/// Unsigned integers of any size, least significant digit first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Big(Vec<u32>);

impl Big {
    fn new(value: u64) -> Big {
        let mut big = Big(vec![value as u32, (value >> 32) as u32]);
        big.trim();
        big
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn bits(&self) -> usize {
        self.0.last().map_or(0, |last| self.0.len() * 32 - last.leading_zeros() as usize)
    }

    fn bit(&self, at: usize) -> bool {
        self.0.get(at / 32).is_some_and(|digit| digit >> (at % 32) & 1 == 1)
    }

    fn multiply_add(&mut self, by: u32, add: u32) {
        let mut carry = u64::from(add);
        for digit in &mut self.0 {
            carry += u64::from(*digit) * u64::from(by);
            *digit = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn power_of_ten(&mut self, exponent: usize) {
        for _ in 0..exponent / 9 {
            self.multiply_add(1_000_000_000, 0);
        }
        self.multiply_add(10u32.pow((exponent % 9) as u32), 0);
    }

    fn shift_left(&mut self, by: usize) {
        if self.0.is_empty() {
            return;
        }
        let (digits, bits) = (by / 32, by % 32);
        if bits > 0 {
            self.multiply_add(1 << bits, 0);
        }
        self.0.splice(0..0, std::iter::repeat_n(0, digits));
    }

    /// Shifts right by `by` bits, rounding to the nearest, ties to even.
    fn shift_right_rounding(&mut self, by: usize) {
        if by == 0 {
            return;
        }
        let half = self.bit(by - 1);
        let sticky = (0..(by - 1) / 32).any(|index| self.0.get(index).is_some_and(|digit| *digit != 0))
            || ((by - 1) / 32 * 32..by - 1).any(|at| self.bit(at));
        let (digits, bits) = (by / 32, by % 32);
        self.0.drain(..digits.min(self.0.len()));
        if bits > 0 {
            let mut carry = 0;
            for digit in self.0.iter_mut().rev() {
                let low = *digit << (32 - bits);
                *digit = *digit >> bits | carry;
                carry = low;
            }
        }
        self.trim();
        if half && (sticky || self.bit(0)) {
            self.add_one();
        }
    }

    fn add_one(&mut self) {
        for digit in &mut self.0 {
            let (sum, carry) = digit.overflowing_add(1);
            *digit = sum;
            if !carry {
                return;
            }
        }
        self.0.push(1);
    }

    fn at_least(&self, other: &Big) -> bool {
        if self.0.len() != other.0.len() {
            return self.0.len() > other.0.len();
        }
        self.0.iter().rev().ge(other.0.iter().rev())
    }

    fn subtract(&mut self, other: &Big) {
        let mut borrow = 0i64;
        for (index, digit) in self.0.iter_mut().enumerate() {
            let value = i64::from(*digit) - i64::from(other.0.get(index).copied().unwrap_or(0)) - borrow;
            *digit = value as u32;
            borrow = i64::from(value < 0);
        }
        self.trim();
    }

    /// The decimal digits, empty for 0.
    fn decimal(mut self) -> Vec<u8> {
        let mut groups = Vec::new();
        while !self.0.is_empty() {
            let mut rest = 0u64;
            for digit in self.0.iter_mut().rev() {
                rest = rest << 32 | u64::from(*digit);
                *digit = (rest / 1_000_000_000) as u32;
                rest %= 1_000_000_000;
            }
            self.trim();
            groups.push(rest as u32);
        }
        let mut out = Vec::new();
        for (index, group) in groups.iter().rev().enumerate() {
            if index == 0 {
                out.extend_from_slice(group.to_string().as_bytes());
            } else {
                out.extend_from_slice(format!("{group:09}").as_bytes());
            }
        }
        out
    }
}

impl Extended {
    /// The number for an integer, rounded if necessary.
    pub fn from_integer(value: i128) -> Extended {
        let kind = round(Big::new(value.unsigned_abs() as u64), 0, false).0;
        Extended { negative: value < 0, kind }
    }

    /// The number from an IEEE format with these numbers of fraction and exponent bits. `explicit`: the format stores
    /// the first bit of the mantissa, as long double does.
    pub fn from_bits(bits: u128, fraction: u32, exponent_bits: u32, explicit: bool) -> Extended {
        let low = fraction + u32::from(explicit);
        let mantissa = (bits & ((1 << low) - 1)) as u64;
        let top = (1u128 << exponent_bits) - 1;
        let exponent = (bits >> low & top) as i32;
        let negative = bits >> (low + exponent_bits) & 1 == 1;
        let bias = (1 << (exponent_bits - 1)) - 1;
        let integer = 1u64 << fraction;
        let kind = if exponent as u128 == top {
            let infinite = if explicit { mantissa == integer } else { mantissa == 0 };
            if infinite { Kind::Infinite } else { Kind::Nan }
        } else if explicit && exponent != 0 && mantissa & integer == 0 {
            // The processor treats numbers without the first bit as invalid.
            Kind::Nan
        } else {
            let mantissa = if exponent == 0 || explicit { mantissa } else { mantissa | integer };
            Kind::Finite { mantissa, exponent: exponent.max(1) - bias - fraction as i32 }
        };
        Extended { negative, kind }
    }

    /// The number for a double.
    pub fn from_f64(value: f64) -> Extended {
        Self::from_bits(value.to_bits().into(), 52, 11, false)
    }

    /// The number for a long double in x86's format.
    pub fn from_long_double(bits: u128) -> Extended {
        Self::from_bits(bits, 63, 15, true)
    }

    /// Parses the number at the start of a text, as `strtold` does. Also returns how many bytes it takes (0: there is
    /// none).
    pub fn parse(text: &[u8]) -> (Extended, usize, Range) {
        let mut at = text.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 11).count();
        let negative = text.get(at) == Some(&b'-');
        if matches!(text.get(at), Some(b'-' | b'+')) {
            at += 1;
        }
        let rest = text.get(at..).unwrap_or_default();
        let named = |name: &[u8]| rest.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
        for (name, kind) in
            [(&b"infinity"[..], Kind::Infinite), (b"inf", Kind::Infinite), (b"nan", Kind::Nan)]
        {
            if named(name) {
                let mut length = name.len();
                if kind == Kind::Nan && rest.get(length) == Some(&b'(') {
                    let inside = rest.get(length + 1..).unwrap_or_default();
                    let word = inside
                        .iter()
                        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                        .count();
                    if inside.get(word) == Some(&b')') {
                        length += word + 2;
                    }
                }
                return (Extended { negative, kind }, at + length, Range::Fits);
            }
        }
        let hexadecimal = matches!(rest, [b'0', b'x' | b'X', b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..])
            || matches!(rest, [b'0', b'x' | b'X', b'.', b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..]);
        let (radix, mut position) = if hexadecimal { (16, 2) } else { (10, 0) };
        let mut value = Big::default();
        let (mut seen, mut point, mut scale, mut sticky) = (false, false, 0i64, false);
        let mut significant = 0usize;
        while let Some(&byte) = rest.get(position) {
            if byte == b'.' && !point {
                point = true;
            } else if let Some(digit) = char::from(byte).to_digit(radix) {
                seen = true;
                // Digits beyond all that can affect the result only tell whether there is a remainder.
                if significant < 6000 {
                    value.multiply_add(radix, digit);
                    if value.0 == [0] {
                        value.trim();
                    }
                    significant += usize::from(!value.0.is_empty());
                    scale -= i64::from(point);
                } else {
                    sticky |= digit != 0;
                    scale += i64::from(!point);
                }
            } else {
                break;
            }
            position += 1;
        }
        let zero = Extended { negative, kind: Kind::Finite { mantissa: 0, exponent: 0 } };
        if !seen {
            return (Extended { negative: false, ..zero }, 0, Range::Fits);
        }
        if hexadecimal {
            scale *= 4;
        }
        let mark: &[u8] = if hexadecimal { b"pP" } else { b"eE" };
        if rest.get(position).is_some_and(|byte| mark.contains(byte)) {
            let mut end = position + 1;
            let minus = rest.get(end) == Some(&b'-');
            if matches!(rest.get(end), Some(b'-' | b'+')) {
                end += 1;
            }
            if rest.get(end).is_some_and(u8::is_ascii_digit) {
                let mut power = 0i64;
                while let Some(digit) = rest.get(end).filter(|byte| byte.is_ascii_digit()) {
                    power = (power * 10 + i64::from(digit - b'0')).min(1_000_000);
                    end += 1;
                }
                scale += if minus { -power } else { power };
                position = end;
            }
        }
        if value.0.is_empty() {
            return (zero, at + position, Range::Fits);
        }
        let scale = scale.clamp(-30_000, 30_000);
        let (kind, range) = if hexadecimal {
            round(value, scale as i32, sticky)
        } else if scale >= 0 {
            value.power_of_ten(scale as usize);
            round(value, 0, sticky)
        } else {
            let mut divisor = Big::new(1);
            divisor.power_of_ten((-scale) as usize);
            divide(value, divisor, sticky)
        };
        (Extended { negative, kind }, at + position, range)
    }

    /// `%f` of the absolute value.
    pub fn fixed(self, precision: usize) -> Vec<u8> {
        let Kind::Finite { mantissa, exponent } = self.kind else { return self.name() };
        let mut value = Big::new(mantissa);
        if exponent >= 0 {
            value.shift_left(exponent as usize);
            value.power_of_ten(precision);
        } else {
            value.power_of_ten(precision);
            value.shift_right_rounding(exponent.unsigned_abs() as usize);
        }
        let mut digits = value.decimal();
        while digits.len() <= precision {
            digits.insert(0, b'0');
        }
        if precision > 0 {
            digits.insert(digits.len() - precision, b'.');
        }
        digits
    }

    /// The first `count` decimal digits, rounded, and the exponent of the first one.
    pub fn digits(self, count: usize) -> (Vec<u8>, i32) {
        let Kind::Finite { mantissa, exponent } = self.kind else { return (Vec::new(), 0) };
        if mantissa == 0 {
            return (vec![b'0'; count], 0);
        }
        // An estimate of the decimal exponent, corrected below.
        let bits = f64::from(exponent) + (mantissa as f64).log2();
        let mut power = (bits * std::f64::consts::LOG10_2).floor() as i32;
        loop {
            // The number times 10^(count - 1 - power), rounded to an integer.
            let scale = count as i32 - 1 - power;
            let mut value = Big::new(mantissa);
            if scale >= 0 {
                value.power_of_ten(scale as usize);
                if exponent >= 0 {
                    value.shift_left(exponent as usize);
                } else {
                    value.shift_right_rounding(exponent.unsigned_abs() as usize);
                }
            } else {
                if exponent >= 0 {
                    value.shift_left(exponent as usize);
                }
                let mut divisor = Big::new(1);
                divisor.power_of_ten(scale.unsigned_abs() as usize);
                if exponent < 0 {
                    divisor.shift_left(exponent.unsigned_abs() as usize);
                }
                value = divide_rounding(value, &divisor);
            }
            let digits = value.decimal();
            match digits.len() {
                length if length == count => return (digits, power),
                // Too many digits: rounding reached a power of ten, or the estimate was too low. Too few: the estimate
                // was too high.
                length if length > count => power += 1,
                _ => power -= 1,
            }
        }
    }

    /// `inf` or `nan`.
    pub fn name(self) -> Vec<u8> {
        if self.kind == Kind::Infinite { b"inf".to_vec() } else { b"nan".to_vec() }
    }
}

/// Computes `value / divisor`, rounded to the nearest integer, ties to even.
fn divide_rounding(value: Big, divisor: &Big) -> Big {
    let (quotient, rest) = long_division(value, divisor);
    let mut quotient = quotient;
    let mut double = rest;
    double.shift_left(1);
    if double.at_least(divisor) && (double != *divisor || quotient.bit(0)) {
        quotient.add_one();
    }
    quotient
}

fn long_division(value: Big, divisor: &Big) -> (Big, Big) {
    let mut quotient = Big::default();
    let mut rest = value;
    let mut shift = rest.bits().saturating_sub(divisor.bits());
    loop {
        let mut part = divisor.clone();
        part.shift_left(shift);
        quotient.shift_left(1);
        if rest.at_least(&part) {
            rest.subtract(&part);
            quotient.add_one();
        }
        if shift == 0 {
            return (quotient, rest);
        }
        shift -= 1;
    }
}

fn divide(value: Big, divisor: Big, sticky: bool) -> (Kind, Range) {
    // The quotient must have at least 66 bits.
    let shift = (divisor.bits() + 66).saturating_sub(value.bits());
    let mut value = value;
    value.shift_left(shift);
    let (quotient, rest) = long_division(value, &divisor);
    round(quotient, -(shift as i32), sticky || !rest.0.is_empty())
}

/// Rounds `value * 2^exponent` (and a bit more if `sticky`) to 64 bits.
fn round(value: Big, exponent: i32, sticky: bool) -> (Kind, Range) {
    let mut value = value;
    let mut exponent = exponent;
    if value.0.is_empty() {
        return (Kind::Finite { mantissa: 0, exponent: 0 }, Range::Fits);
    }
    if sticky {
        value.shift_left(2);
        value.add_one();
        exponent -= 2;
    }
    let excess = (value.bits() as i32 - 64).max(LEAST - exponent);
    let subnormal = value.bits() as i32 - excess < 64 && exponent + excess == LEAST;
    let mut inexact = false;
    if excess > 0 {
        inexact = (0..excess as usize).any(|at| value.bit(at));
        value.shift_right_rounding(excess as usize);
        exponent += excess;
        if value.bits() > 64 {
            value.shift_right_rounding(1);
            exponent += 1;
        }
    }
    let low = u64::from(value.0.first().copied().unwrap_or(0));
    let high = u64::from(value.0.get(1).copied().unwrap_or(0));
    let mut mantissa = high << 32 | low;
    let range = if subnormal && inexact { Range::Underflow } else { Range::Fits };
    if mantissa == 0 {
        return (Kind::Finite { mantissa: 0, exponent: 0 }, range);
    }
    let room = mantissa.leading_zeros().min(exponent.saturating_sub(LEAST).max(0) as u32);
    mantissa <<= room;
    exponent -= room as i32;
    if exponent > GREATEST {
        return (Kind::Infinite, Range::Overflow);
    }
    (Kind::Finite { mantissa, exponent }, range)
}

/// The same arithmetic as the processor's: exact results, rounded to 64 bits, ties to even.
impl Extended {
    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        let (Kind::Finite { mantissa: a, exponent: ea }, Kind::Finite { mantissa: b, exponent: eb }) =
            (self.kind, other.kind)
        else {
            return if matches!(self.kind, Kind::Finite { .. }) { other } else { self };
        };
        if a == 0 {
            return other;
        }
        if b == 0 {
            return self;
        }
        let low = ea.min(eb);
        // If the numbers are far apart, the smaller one only decides that there is a remainder.
        if ea.abs_diff(eb) > 4000 {
            return if ea > eb { self } else { other };
        }
        let shifted = |m: u64, e: i32| {
            let mut big = Big::new(m);
            big.shift_left((e - low) as usize);
            big
        };
        let (mut x, mut y) = (shifted(a, ea), shifted(b, eb));
        let mut negative = self.negative;
        if self.negative == other.negative {
            x = x.sum(&y);
        } else if x.at_least(&y) {
            x.subtract(&y);
        } else {
            negative = other.negative;
            y.subtract(&x);
            x = y;
        }
        let kind = round(x, low, false).0;
        let zero = matches!(kind, Kind::Finite { mantissa: 0, .. });
        Self { negative: negative && !zero, kind }
    }

    /// The product.
    pub fn times(self, other: Self) -> Self {
        let negative = self.negative != other.negative;
        match (self.kind, other.kind) {
            (Kind::Finite { mantissa: a, exponent: ea }, Kind::Finite { mantissa: b, exponent: eb }) => {
                let product = u128::from(a) * u128::from(b);
                let mut big = Big(vec![
                    product as u32,
                    (product >> 32) as u32,
                    (product >> 64) as u32,
                    (product >> 96) as u32,
                ]);
                big.trim();
                Self { negative, kind: round(big, ea.saturating_add(eb), false).0 }
            }
            (Kind::Nan, _) | (_, Kind::Nan) => Self { negative, kind: Kind::Nan },
            _ => Self { negative, kind: Kind::Infinite },
        }
    }

    /// Compares two numbers. NaN is equal to every number.
    pub fn compare(self, other: Self) -> std::cmp::Ordering {
        use std::cmp::Ordering;
        let sign = |x: Self| match x.kind {
            Kind::Finite { mantissa: 0, .. } | Kind::Nan => 0,
            _ => 1 - 2 * i32::from(x.negative),
        };
        if self.kind == Kind::Nan || other.kind == Kind::Nan {
            return Ordering::Equal;
        }
        let order = sign(self).cmp(&sign(other));
        if order != Ordering::Equal || sign(self) == 0 {
            return order;
        }
        let magnitude = match (self.kind, other.kind) {
            (Kind::Infinite, Kind::Infinite) => Ordering::Equal,
            (Kind::Infinite, _) => Ordering::Greater,
            (_, Kind::Infinite) => Ordering::Less,
            (Kind::Finite { mantissa: a, exponent: ea }, Kind::Finite { mantissa: b, exponent: eb }) => {
                // Both have 64 significant bits, or are subnormal with the same exponent.
                ea.cmp(&eb).then(a.cmp(&b))
            }
            _ => Ordering::Equal,
        };
        if self.negative { magnitude.reverse() } else { magnitude }
    }
}

impl Big {
    fn sum(&self, other: &Self) -> Self {
        let length = self.0.len().max(other.0.len());
        let mut out = Vec::with_capacity(length + 1);
        let mut carry = 0u64;
        for i in 0..length {
            let digit = |b: &Self| u64::from(b.0.get(i).copied().unwrap_or(0));
            carry += digit(self) + digit(other);
            out.push(carry as u32);
            carry >>= 32;
        }
        out.push(carry as u32);
        let mut big = Self(out);
        big.trim();
        big
    }
}
