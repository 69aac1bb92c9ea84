//! A name in a directory's listing.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A name. A short one lies in the value itself, because a listing of a host's directory would otherwise allocate
/// memory for each of its names; others are shared.
#[derive(Clone)]
pub struct Name(Kind);

/// The longest name that needs no memory of its own: with it a name is as large as three pointers.
const SHORT: usize = 22;

#[derive(Clone)]
enum Kind {
    Short(u8, [u8; SHORT]),
    Shared(Arc<[u8]>),
}

impl Deref for Name {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Kind::Short(len, bytes) => bytes.get(..usize::from(*len)).unwrap_or(bytes),
            Kind::Shared(bytes) => bytes,
        }
    }
}

impl From<&[u8]> for Name {
    fn from(name: &[u8]) -> Self {
        let mut bytes = [0; SHORT];
        Self(match (bytes.get_mut(..name.len()), u8::try_from(name.len())) {
            (Some(place), Ok(len)) => {
                place.copy_from_slice(name);
                Kind::Short(len, bytes)
            }
            _ => Kind::Shared(name.into()),
        })
    }
}

impl From<Arc<[u8]>> for Name {
    fn from(name: Arc<[u8]>) -> Self {
        Self(Kind::Shared(name))
    }
}

impl From<Name> for Arc<[u8]> {
    fn from(name: Name) -> Self {
        match name.0 {
            Kind::Short(..) => (*name).into(),
            Kind::Shared(bytes) => bytes,
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.escape_ascii())
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_are_what_they_were() {
        assert_eq!(size_of::<Name>(), 24);
        let long: Vec<u8> = (1..=255).collect();
        for len in 0..=255 {
            let (bytes, shared) = (&long[..len], Arc::<[u8]>::from(&long[..len]));
            let (name, other) = (Name::from(bytes), Name::from(shared.clone()));
            assert_eq!((&*name, &*other), (bytes, bytes));
            assert_eq!(name, other, "however it is kept");
            assert_eq!(name.cmp(&Name::from(&long[..len / 2])), bytes.cmp(&long[..len / 2]));
            assert_eq!((Arc::from(name), Arc::from(other)), (shared.clone(), shared));
        }
        assert_eq!(format!("{:?}", Name::from(&b"a\n\xff"[..])), r#""a\n\xff""#);
    }
}
