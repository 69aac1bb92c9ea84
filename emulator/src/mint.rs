//! Names that are not guessed.

/// `length` letters and digits by chance, lower case.
pub(crate) fn mint(length: usize) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut bytes = vec![0; length];
    // Without random numbers names still have to be names; they are then all the same, which the caller refuses.
    drop(getrandom::fill(&mut bytes));
    bytes.iter().map(|byte| char::from(DIGITS[usize::from(*byte) % DIGITS.len()])).collect()
}

/// As [`mint`], of hexadecimal digits alone.
pub(crate) fn mint_hex(length: usize) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut bytes = vec![0; length];
    drop(getrandom::fill(&mut bytes));
    bytes.iter().map(|byte| char::from(DIGITS[usize::from(*byte) % DIGITS.len()])).collect()
}
