//! Prime factors of numbers of any size.

use num_bigint::BigUint;

/// The prime factors in ascending order.
pub(super) fn factors(number: BigUint) -> Vec<BigUint> {
    let mut found = Vec::new();
    let mut rest = number;
    let twos = rest.trailing_zeros().unwrap_or(0);
    found.extend((0..twos).map(|_| BigUint::from(2u32)));
    rest >>= twos;
    for p in (3..1000u32).step_by(2) {
        while rest > BigUint::from(1u32) && &rest % p == BigUint::ZERO {
            found.push(p.into());
            rest /= p;
        }
    }
    if rest > BigUint::from(1u32) {
        split(rest, &mut found);
    }
    found.sort_unstable();
    found
}

fn split(n: BigUint, found: &mut Vec<BigUint>) {
    if n < BigUint::from(1_000_000u32) || is_prime(&n) {
        found.push(n);
        return;
    }
    let d = divisor(&n);
    split(&n / &d, found);
    split(d, found);
}

/// The Miller–Rabin test with the first primes as bases. No composite number that passes it is known.
fn is_prime(n: &BigUint) -> bool {
    let one = BigUint::from(1u32);
    let less = n - &one;
    let twos = less.trailing_zeros().unwrap_or(0);
    let odd = &less >> twos;
    [2u32, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41].into_iter().all(|base| {
        let mut x = BigUint::from(base).modpow(&odd, n);
        if x == one || x == less {
            return true;
        }
        (1..twos).any(|_| {
            x = &x * &x % n;
            x == less
        })
    })
}

/// Finds a divisor of a composite number with Pollard's rho algorithm and Brent's cycle detection.
fn divisor(n: &BigUint) -> BigUint {
    let one = BigUint::from(1u32);
    let mut c = 0u32;
    loop {
        c += 1;
        let step = |x: &BigUint| (x * x + c) % n;
        let (mut x, mut y) = (BigUint::from(2u32), BigUint::from(2u32));
        let (mut d, mut length, mut taken) = (one.clone(), 1u64, 0u64);
        while d == one {
            if taken == length {
                (x, length, taken) = (y.clone(), length * 2, 0);
            }
            let (mut product, mut count, start) = (one.clone(), 0, y.clone());
            while count < 64 && taken < length {
                y = step(&y);
                product = product * distance(&x, &y) % n;
                count += 1;
                taken += 1;
            }
            d = gcd(product, n.clone());
            if d == *n {
                // Several divisors were found together, so they are searched again one by one.
                (y, d) = (start, one.clone());
                for _ in 0..count {
                    y = step(&y);
                    d = gcd(distance(&x, &y), n.clone());
                    if d > one {
                        break;
                    }
                }
            }
        }
        if d != *n {
            return d;
        }
    }
}

fn distance(a: &BigUint, b: &BigUint) -> BigUint {
    if a > b { a - b } else { b - a }
}

fn gcd(mut a: BigUint, mut b: BigUint) -> BigUint {
    while b != BigUint::ZERO {
        (a, b) = (b.clone(), a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_come_apart() {
        let n =
            BigUint::from(1_000_003u32).pow(4) * BigUint::from(998_244_353u32) * BigUint::from(2u32).pow(70);
        let found = factors(n.clone());
        assert_eq!(found.iter().product::<BigUint>(), n);
        assert_eq!(found.len(), 75);
    }
}
