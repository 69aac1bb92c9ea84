//! Limits the length of lists in long answers: an element that takes two bytes in JSON may take far more in memory.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};

/// The most elements of such a list.
const MOST: usize = 10_000;

/// Deserialises a list; one that is too long is an error.
pub(crate) fn bounded_list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_seq(BoundedList(PhantomData))
}

struct BoundedList<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedList<T> {
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
            bounded_list::<_, u8>(&mut serde_json::Deserializer::from_str(&text)).map(|list| list.len())
        };
        assert_eq!((read(0).ok(), read(MOST).ok()), (Some(0), Some(MOST)));
        assert!(read(MOST + 1).expect_err("too long").to_string().contains("more than 10000"));
    }
}
