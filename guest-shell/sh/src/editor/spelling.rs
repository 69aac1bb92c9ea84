//! Corrects small mistakes in the names of files, by the distances of `spname` in Kernighan and Pike, The UNIX
//! Programming Environment (1984), chapter 7. bash's answers are those of these distances.

use super::Editor;
use sandshell_sys as sys;

/// How far a name is from another one, the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    Same,
    /// Two neighbouring characters are exchanged.
    Exchanged,
    /// One character is wrong, missing, or too many.
    OneWrong,
    Far,
}

impl Editor<'_> {
    /// Corrects the nth word from the one at the point, or before it.
    pub(super) fn correct_word(&mut self, n: i64) {
        let words = self.buffer.shell_words();
        let first = self.buffer.shell_word(&words, self.buffer.point(), true);
        let mut end = first;
        for _ in 0..n.clamp(0, super::LARGEST_ARGUMENT) {
            let next = self.buffer.shell_word(&words, end, false);
            if next == end {
                break;
            }
            end = next;
        }
        let start = self.buffer.shell_word(&words, end, true);
        let word = self.buffer.part(start, end).to_vec();
        match corrected(&word) {
            Some(name) => {
                self.buffer.change(start, end, &name);
            }
            None => self.bell(),
        }
    }
}

/// The path of a file, in which each name is the nearest to what was typed. `None` if there is none.
pub(super) fn corrected(typed: &[u8]) -> Option<Vec<u8>> {
    let mut path = Vec::new();
    for piece in typed.split_inclusive(|byte| *byte == b'/') {
        let (name, slash) = match piece.split_last() {
            Some((b'/', name)) => (name, &b"/"[..]),
            _ => (piece, &b""[..]),
        };
        if !name.is_empty() {
            let directory = if path.is_empty() { b"." } else { &*path };
            let found = nearest(directory, name)?;
            path.extend(found);
        }
        path.extend_from_slice(slash);
    }
    (!path.is_empty()).then_some(path)
}

/// The name in a directory that is nearest to what was typed.
fn nearest(directory: &[u8], typed: &[u8]) -> Option<Vec<u8>> {
    if matches!(typed, b"." | b"..") {
        return Some(typed.to_vec());
    }
    let entries = sys::read_dir(directory).ok()?.into_iter().map(|entry| entry.name);
    let near = entries.map(|name| (distance(&name, typed), name)).filter(|near| near.0 != Distance::Far);
    near.min_by_key(|near| near.0).map(|near| near.1)
}

fn distance(name: &[u8], typed: &[u8]) -> Distance {
    let same = name.iter().zip(typed).take_while(|(a, b)| a == b).count();
    let (name, typed) = (name.get(same..).unwrap_or_default(), typed.get(same..).unwrap_or_default());
    match (name, typed) {
        ([], []) => Distance::Same,
        ([a, b, rest @ ..], [c, d, others @ ..]) if (a, b) == (d, c) && rest == others => Distance::Exchanged,
        ([_, rest @ ..], [_, others @ ..]) if rest == others => Distance::OneWrong,
        ([_, rest @ ..], others) if rest == others => Distance::OneWrong,
        (rest, [_, others @ ..]) if rest == others => Distance::OneWrong,
        _ => Distance::Far,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mistake_is_near() {
        assert_eq!(distance(b"usr", b"usr"), Distance::Same);
        assert_eq!(distance(b"bin", b"bni"), Distance::Exchanged);
        assert_eq!(distance(b"usr", b"ust"), Distance::OneWrong);
        assert_eq!(distance(b"abc", b"abbc"), Distance::OneWrong);
        assert_eq!(distance(b"abc", b"ac"), Distance::OneWrong);
        assert_eq!(distance(b"abc", b"ca"), Distance::Far);
        assert_eq!(distance(b"in1", b"in22"), Distance::Far);
    }
}
