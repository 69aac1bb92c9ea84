//! Sorts many lines. Where possible, it compares machine words.
//!
//! Each line is paired with a word made from the beginning of its key: eight bytes of text, or a number. Words are
//! compared first, and the keys only if the words are equal. The order of the words is consistent with that of the
//! keys: a word is smaller only if its key is.

use crate::sort::key::{Key, Kind};
use std::cmp::Ordering;

/// A line (or its key), and its word.
struct Item<'a> {
    word: u64,
    line: &'a [u8],
}

/// Groups with up to this many lines are sorted by comparing whole lines.
const FEW: usize = 12;

/// Sorts lines by their bytes.
pub(crate) fn by_bytes(lines: &mut [&[u8]]) {
    let mut items: Vec<Item<'_>> = lines.iter().map(|line| Item { word: eight(line, 0), line }).collect();
    // Groups of lines that are equal up to a depth. They must still be sorted by the following bytes.
    let mut groups = vec![(0, items.len(), 0)];
    while let Some((from, to, depth)) = groups.pop() {
        let group = &mut items[from..to];
        if group.len() <= FEW {
            group.sort_unstable_by(|a, b| a.line[depth..].cmp(&b.line[depth..]));
            continue;
        }
        let left = |item: &Item<'_>| (item.line.len() - depth).min(8);
        if depth > 0 {
            for item in group.iter_mut() {
                item.word = eight(item.line, depth);
            }
        }
        group.sort_unstable_by(|a, b| a.word.cmp(&b.word).then_with(|| left(a).cmp(&left(b))));
        let mut start = 0;
        for end in 1..=group.len() {
            if group.get(end).is_some_and(|i| i.word == group[start].word && left(i) == left(&group[start])) {
                continue;
            }
            // Lines that end here are equal.
            if end - start > 1 && left(&group[start]) == 8 {
                groups.push((from + start, from + end, depth + 8));
            }
            start = end;
        }
    }
    for (line, item) in lines.iter_mut().zip(items) {
        *line = item.line;
    }
}

/// Sorts lines by a key (including its `-r`), and lines with equal keys by `rest`. `stable` tells whether lines that
/// are still equal must keep their order.
pub(crate) fn by_key(
    lines: &mut [&[u8]],
    key: &Key,
    tab: Option<u8>,
    salt: &[u8; 16],
    stable: bool,
    rest: impl Fn(&[u8], &[u8]) -> Ordering,
) {
    struct Keyed<'a> {
        word: u64,
        key: &'a [u8],
        line: &'a [u8],
    }
    let flip = |order: Ordering| if key.reverse { order.reverse() } else { order };
    let mut items: Vec<Keyed<'_>> = lines
        .iter()
        .map(|line| {
            let text = key.slice(line, tab);
            Keyed { word: word(key, text), key: text, line }
        })
        .collect();
    let order = |a: &Keyed<'_>, b: &Keyed<'_>| {
        flip(a.word.cmp(&b.word).then_with(|| key.compare(a.key, b.key, salt)))
            .then_with(|| rest(a.line, b.line))
    };
    if stable {
        items.sort_by(order);
    } else {
        items.sort_unstable_by(order);
    }
    for (line, item) in lines.iter_mut().zip(items) {
        *line = item.line;
    }
}

/// The eight bytes from `depth` on as a number with the same order. After the end there are zeros.
fn eight(line: &[u8], depth: usize) -> u64 {
    let rest = &line[depth..];
    match rest.first_chunk::<8>() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => rest.iter().enumerate().fold(0, |word, (i, b)| word | u64::from(*b) << (56 - 8 * i)),
    }
}

/// The word of a key, without `-r`.
fn word(key: &Key, text: &[u8]) -> u64 {
    const MIDDLE: u64 = 1 << 63;
    match key.kind() {
        Kind::Text if key.is_bytes() => eight(text, 0),
        Kind::Numeric => {
            let (negative, magnitude) = thousandths(text);
            if negative { MIDDLE - magnitude } else { MIDDLE + magnitude }
        }
        _ => 0,
    }
}

/// The sign and magnitude of a decimal number in thousandths. Further digits are cut off, and the magnitude is at most
/// 10^18.
fn thousandths(text: &[u8]) -> (bool, u64) {
    const LARGEST: u64 = 1_000_000_000_000_000_000;
    let blanks = text.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n')).count();
    let text = &text[blanks..];
    let negative = text.first() == Some(&b'-');
    let text = &text[usize::from(negative)..];
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut value = 0u64;
    for digit in &text[..digits] {
        value = (value * 10 + u64::from(digit - b'0')).min(LARGEST);
    }
    let fraction = text[digits..].strip_prefix(b".").unwrap_or_default();
    let mut places = fraction.iter().take_while(|b| b.is_ascii_digit());
    for _ in 0..3 {
        let digit = places.next().map_or(0, |d| u64::from(d - b'0'));
        value = (value * 10 + digit).min(LARGEST);
    }
    (negative, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_any_mixture_are_ordered_as_slices() {
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..200 {
            let long = random(40);
            let lines: Vec<Vec<u8>> = (0..random(300))
                .map(|_| (0..random(long + 1)).map(|_| [0, 1, b'a', b'b', 255][random(5) as usize]).collect())
                .collect();
            let mut expected: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
            let mut sorted = expected.clone();
            expected.sort();
            by_bytes(&mut sorted);
            assert_eq!(sorted, expected);
        }
    }

    #[test]
    fn long_equal_lines_end() {
        let line = vec![b'x'; 1 << 20];
        let mut lines: Vec<&[u8]> = vec![&line; 50];
        lines.push(&line[1..]);
        by_bytes(&mut lines);
        assert_eq!(lines[0].len(), line.len() - 1);
    }

    #[test]
    fn a_word_never_contradicts_the_number() {
        let texts: Vec<String> =
            ["0", "-0", "1", "-1", ".5", "-.5", "0.0001", "-0.0001", "12.345", "12.3456"]
                .iter()
                .map(|t| (*t).to_owned())
                .chain([18, 17, 16, 15, 14].iter().flat_map(|n| {
                    let digits = "9".repeat(*n);
                    [digits.clone(), format!("-{digits}"), format!("{digits}.9999"), format!("1{digits}")]
                }))
                .collect();
        let mut key = Key::default();
        key.order(b'n');
        for a in &texts {
            for b in &texts {
                let (a, b) = (a.as_bytes(), b.as_bytes());
                let words = word(&key, a).cmp(&word(&key, b));
                assert!(words == Ordering::Equal || words == key.compare(a, b, &[0; 16]));
            }
        }
    }
}
