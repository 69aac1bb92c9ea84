//! `factor`: machine numbers for up to 128 bits, [`factor_big`](crate::factor::big) for larger ones.

mod big;

use num_bigint::BigUint;
use sandshell_cli::input::Input;
use sandshell_cli::options::{self, Spec, hidden};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "factor",
    usage: "\
Usage: factor [NUMBER]...
  or:  factor OPTION
Prints the prime factors of whole numbers; without NUMBER, of those on standard input.
",
    options: &[hidden("debug", "---debug")],
    ..Spec::DEFAULT
};

/// Runs `factor` and returns its exit status.
pub fn factor_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut good = true;
    if parsed.operands.is_empty() {
        let mut input = Input::of(0);
        let mut record = Vec::new();
        loop {
            match input.record(b'\n', &mut record) {
                Ok(true) => {}
                Ok(false) => break,
                Err(e) => {
                    warn!("factor", "error reading input: ", e);
                    return 1;
                }
            }
            for word in record.split(|b| matches!(b, b'\n' | b' ' | b'\t')).filter(|w| !w.is_empty()) {
                // As in C, a NUL ends the word.
                good &= print(word.split(|b| *b == 0).next().unwrap_or_default());
            }
        }
    }
    for operand in &parsed.operands {
        good &= print(operand);
    }
    out::finish("factor", i32::from(!good), 1)
}

fn print(word: &[u8]) -> bool {
    let text = word.trim_ascii_start();
    let text = text.strip_prefix(b"+").unwrap_or(text);
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        warn!("factor", quote(word), " is not a valid positive integer");
        return false;
    }
    let zeros = text.iter().take_while(|b| **b == b'0').count().min(text.len() - 1);
    let text = &text[zeros..];
    let number = std::str::from_utf8(text).ok().and_then(|t| t.parse::<u128>().ok());
    let Some(number) = number else {
        return print_big(text);
    };
    let mut factors = Vec::new();
    split(number, &mut factors);
    factors.sort_unstable();
    out::put(bytes!(text, ":"));
    for f in factors {
        out::put(format!(" {f}"));
    }
    out::put("\n");
    true
}

fn print_big(text: &[u8]) -> bool {
    let Some(number) = BigUint::parse_bytes(text, 10) else { return false };
    out::put(bytes!(text, ":"));
    for f in crate::factor::big::factors(number) {
        out::put(format!(" {f}"));
    }
    out::put("\n");
    true
}

fn split(n: u128, out: &mut Vec<u128>) {
    let mut n = n;
    for p in (2..=3u128).chain((5..1000).step_by(2)) {
        while n > 1 && n.is_multiple_of(p) {
            out.push(p);
            n /= p;
        }
    }
    if n > 1 {
        split_large(n, out);
    }
}

fn split_large(n: u128, out: &mut Vec<u128>) {
    if n < 1_000_000 || is_prime(n) {
        out.push(n);
        return;
    }
    let d = divisor(n);
    split_large(d, out);
    split_large(n / d, out);
}

fn multiply(a: u128, b: u128, n: u128) -> u128 {
    if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
        return u128::from(a) * u128::from(b) % n;
    }
    let product = BigUint::from(a) * BigUint::from(b) % BigUint::from(n);
    product.iter_u64_digits().enumerate().map(|(i, d)| u128::from(d) << (64 * i)).sum()
}

fn power(base: u128, exponent: u128, n: u128) -> u128 {
    let (mut result, mut base, mut exponent) = (1, base % n, exponent);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base, n);
        }
        base = multiply(base, base, n);
        exponent >>= 1;
    }
    result
}

/// The Miller–Rabin test. These bases are sufficient for 64 bits. For more bits, no composite number that passes it is
/// known.
fn is_prime(n: u128) -> bool {
    let (odd, twos) = ((n - 1) >> (n - 1).trailing_zeros(), (n - 1).trailing_zeros());
    'bases: for base in [2u128, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41] {
        if n == base {
            return true;
        }
        let mut x = power(base, odd, n);
        if x == 1 || x == n - 1 {
            continue;
        }
        for _ in 1..twos {
            x = multiply(x, x, n);
            if x == n - 1 {
                continue 'bases;
            }
        }
        return false;
    }
    true
}

/// Finds a divisor of a composite number with Pollard's rho algorithm and Brent's cycle detection.
fn divisor(n: u128) -> u128 {
    for c in 1u128.. {
        let step = |x: u128| {
            let square = multiply(x, x, n);
            let room = n - square;
            if c < room { square + c } else { c - room }
        };
        let (mut x, mut y, mut d, mut length, mut taken) = (2u128, 2u128, 1u128, 1u64, 0u64);
        while d == 1 {
            if taken == length {
                (x, length, taken) = (y, length * 2, 0);
            }
            let (mut product, mut count) = (1u128, 0);
            let start = y;
            while count < 64 && taken < length {
                y = step(y);
                product = multiply(product, x.abs_diff(y), n);
                count += 1;
                taken += 1;
            }
            d = gcd(product, n);
            if d == n {
                // Several divisors were found together, so they are searched again one by one.
                y = start;
                d = 1;
                for _ in 0..count {
                    y = step(y);
                    d = gcd(x.abs_diff(y), n);
                    if d > 1 {
                        break;
                    }
                }
            }
        }
        if d != n {
            return d;
        }
    }
    n
}

fn gcd(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
