//! Arithmetic on limbs, least significant first: natural numbers in base 10^9.

/// One more than the largest limb.
pub(crate) const BASE: u32 = 1_000_000_000;

const WIDE: u64 = BASE as u64;

/// If the shorter factor has at least this length, Karatsuba's method is faster.
const KARATSUBA: usize = 48;

/// Removes zeros at the top.
pub(crate) fn trim(a: &mut Vec<u32>) {
    while a.last() == Some(&0) {
        a.pop();
    }
}

pub(crate) fn add(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let mut out = long.to_vec();
    let carry = add_into(&mut out, short);
    if carry > 0 {
        out.push(carry);
    }
    out
}

/// `a - b`. The result must not be negative.
pub(crate) fn sub(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = a.to_vec();
    sub_into(&mut out, b);
    out
}

/// `a * b`.
pub(crate) fn mul(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    if short.len() < KARATSUBA {
        return school(long, short);
    }
    if long.len() >= 2 * short.len() {
        // The longer factor is split into pieces of the shorter one's length.
        let mut out = vec![0; a.len() + b.len()];
        for (i, piece) in long.chunks(short.len()).enumerate() {
            add_into(out.get_mut(i * short.len()..).unwrap_or_default(), &mul(piece, short));
        }
        return out;
    }
    karatsuba(long, short)
}

/// Divides by a small number. Returns the remainder.
pub(crate) fn div_small(a: &mut [u32], by: u32) -> u32 {
    let by = u64::from(by.max(1));
    let mut rest = 0;
    for limb in a.iter_mut().rev() {
        let part = rest * WIDE + u64::from(*limb);
        *limb = (part / by) as u32;
        rest = part % by;
    }
    rest as u32
}

/// Multiplies by a small number and adds another one.
pub(crate) fn mul_add_small(a: &mut Vec<u32>, by: u32, plus: u32) {
    let mut carry = u64::from(plus);
    for limb in a.iter_mut() {
        let part = u64::from(*limb) * u64::from(by) + carry;
        *limb = (part % WIDE) as u32;
        carry = part / WIDE;
    }
    while carry > 0 {
        a.push((carry % WIDE) as u32);
        carry /= WIDE;
    }
}

/// The quotient of `a` and `b`, rounded down. Empty if `b` is zero.
///
/// Knuth's algorithm D (The Art of Computer Programming, 4.3.1).
pub(crate) fn div(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    trim(&mut a);
    trim(&mut b);
    let n = b.len();
    if n == 0 || a.len() < n {
        return Vec::new();
    }
    if let [only] = b.as_slice() {
        div_small(&mut a, *only);
        return a;
    }
    // Both numbers are scaled so that the divisor's top limb is at least half the base.
    let factor = BASE / (b.last().copied().unwrap_or(1) + 1);
    mul_add_small(&mut b, factor, 0);
    let m = a.len() - n;
    mul_add_small(&mut a, factor, 0);
    a.resize(n + m + 1, 0);
    let (top, next) = (u64::from(b[n - 1]), u64::from(b[n - 2]));
    let mut quotient = vec![0; m + 1];
    for j in (0..=m).rev() {
        let head = u64::from(a[j + n]) * WIDE + u64::from(a[j + n - 1]);
        let (mut guess, mut rest) = (head / top, head % top);
        while guess >= WIDE || guess * next > rest * WIDE + u64::from(a[j + n - 2]) {
            guess -= 1;
            rest += top;
            if rest >= WIDE {
                break;
            }
        }
        let mut carry = 0;
        let mut borrow = 0i64;
        for (x, y) in a[j..=j + n].iter_mut().zip(b.iter().chain(std::iter::once(&0))) {
            let product = guess * u64::from(*y) + carry;
            carry = product / WIDE;
            let difference = i64::from(*x) - (product % WIDE) as i64 - borrow;
            borrow = i64::from(difference < 0);
            *x = (difference + borrow * i64::from(BASE)) as u32;
        }
        if borrow > 0 {
            guess -= 1;
            add_into(&mut a[j..=j + n], &b);
        }
        quotient[j] = guess as u32;
    }
    quotient
}

// Adds `b` to the longer `a`. Returns the carry.
fn add_into(a: &mut [u32], b: &[u32]) -> u32 {
    let mut carry = 0;
    let (low, high) = a.split_at_mut(b.len().min(a.len()));
    for (x, y) in low.iter_mut().zip(b) {
        let sum = *x + *y + carry;
        carry = u32::from(sum >= BASE);
        *x = sum - carry * BASE;
    }
    for x in high {
        if carry == 0 {
            break;
        }
        let sum = *x + carry;
        carry = u32::from(sum >= BASE);
        *x = sum - carry * BASE;
    }
    carry
}

fn sub_into(a: &mut [u32], b: &[u32]) {
    let mut borrow = 0;
    let (low, high) = a.split_at_mut(b.len().min(a.len()));
    for (x, y) in low.iter_mut().zip(b) {
        let less = *y + borrow;
        borrow = u32::from(*x < less);
        *x = *x + borrow * BASE - less;
    }
    for x in high {
        if borrow == 0 {
            break;
        }
        borrow = u32::from(*x == 0);
        *x = *x + borrow * BASE - 1;
    }
}

// School multiplication by columns: 16 products of limbs and a carry fit into 64 bits.
fn school(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = vec![0; a.len() + b.len()];
    if a.is_empty() || b.is_empty() {
        return out;
    }
    let mut carry = 0u64;
    for (k, limb) in out.iter_mut().enumerate() {
        let first = k.saturating_sub(b.len() - 1);
        let last = k.min(a.len() - 1);
        let mut low = carry;
        let mut high = 0;
        if first <= last {
            let xs = &a[first..=last];
            let ys = &b[k - last..=k - first];
            for (xs, ys) in xs.chunks(16).zip(ys.rchunks(16)) {
                for (x, y) in xs.iter().zip(ys.iter().rev()) {
                    low += u64::from(*x) * u64::from(*y);
                }
                high += low / WIDE;
                low %= WIDE;
            }
        }
        *limb = (low % WIDE) as u32;
        carry = high + low / WIDE;
    }
    out
}

fn karatsuba(a: &[u32], b: &[u32]) -> Vec<u32> {
    let half = a.len().div_ceil(2).min(b.len());
    let (a0, a1) = a.split_at(half);
    let (b0, b1) = b.split_at(half);
    let low = mul(a0, b0);
    let high = mul(a1, b1);
    let mut middle = mul(&add(a0, a1), &add(b0, b1));
    sub_into(&mut middle, &low);
    sub_into(&mut middle, &high);
    trim(&mut middle);
    let mut out = low;
    out.resize(2 * half, 0);
    out.extend_from_slice(&high);
    out.resize(a.len() + b.len(), 0);
    add_into(out.get_mut(half..).unwrap_or_default(), &middle);
    out
}
