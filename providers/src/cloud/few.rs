//! Lists in long answers: an element in memory is far larger than the two bytes that it may be on the way.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};

/// The most elements of a list in an answer that may be as long as a file.
const MOST: usize = 10_000;

/// Reads a list, of nothing too long.
pub(crate) fn few<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_seq(Few(PhantomData))
}

struct Few<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Few<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MOST} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut taken = Vec::new();
        while let Some(element) = list.next_element()? {
            if taken.len() == MOST {
                return Err(A::Error::custom(format_args!("a list of more than {MOST} elements")));
            }
            taken.push(element);
        }
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_an_end() {
        let read = |count: usize| {
            let text = format!("[{}]", vec!["1"; count].join(","));
            few::<_, u8>(&mut serde_json::Deserializer::from_str(&text)).map(|list| list.len())
        };
        assert_eq!((read(0).ok(), read(MOST).ok()), (Some(0), Some(MOST)));
        assert!(read(MOST + 1).expect_err("too long").to_string().contains("more than 10000"));
    }
}
