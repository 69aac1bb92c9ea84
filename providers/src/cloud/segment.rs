//! Ids in URLs. An id may come from anyone, so it must be exactly one segment of a path.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;

use super::http::encode;
use crate::{CreateOptions, Error, Result};

/// The longest id, in bytes.
const LONGEST: usize = 512;

/// Characters that begin another part of a URL, or that some proxies treat so.
const SEPARATORS: [char; 5] = ['/', '\\', '?', '#', '%'];

/// An id that is known to be exactly one segment of a path. Written out, it is encoded for an address.
///
/// There is no other way to make one than the check, and what is sent to a service about something takes it instead of
/// a string.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Id(String);

impl Id {
    /// Checks an id.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` for what no service uses as an id: an empty string, one of only dots, separators of URLs, and
    /// control characters. A URL with a segment `..` means something else, even if the dots are encoded.
    pub(crate) fn new(id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        check_id(&id)?;
        Ok(Self(id))
    }

    /// The id as the service knows it.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Id {
    type Error = Error;

    fn try_from(id: String) -> Result<Self> {
        Self::new(id)
    }
}

impl From<Id> for String {
    fn from(id: Id) -> Self {
        id.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode(&self.0))
    }
}

/// The id, if these options are for a sandbox that exists.
///
/// # Errors
///
/// `InvalidRequest` if there is any other option, or the id cannot be one.
pub(crate) fn existing(options: &CreateOptions) -> Result<Option<Id>> {
    let Some(id) = options.id.as_deref() else { return Ok(None) };
    if *options != CreateOptions::existing(id) {
        return Err(Error::invalid_request("an id excludes every other option"));
    }
    Id::new(id).map(Some)
}

/// Encodes a name of several ids with slashes between them as one segment of a path.
pub(crate) fn segment_of_parts(name: &str) -> Result<Cow<'_, str>> {
    name.split('/').try_for_each(check_id)?;
    Ok(encode(name))
}

fn check_id(id: &str) -> Result<()> {
    let before_parameters = id.split(';').next().unwrap_or_default();
    let why = match () {
        () if id.is_empty() => "it is empty",
        () if id.len() > LONGEST => "it is longer than 512 bytes",
        () if before_parameters.bytes().all(|byte| byte == b'.') => "it is a place in a path",
        () if id.contains(SEPARATORS) => "it contains one of / \\ ? # %",
        () if id.chars().any(char::is_control) => "it contains a control character",
        () => return Ok(()),
    };
    let shown: String = id.chars().take(100).collect();
    Err(Error::invalid_request(format!("{shown:?} cannot be an id: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_one_segment() {
        for (id, encoded) in
            [("sbx_1-a.b~c", "sbx_1-a.b~c"), ("a b:é", "a%20b%3A%C3%A9"), ("a..b", "a..b"), (".a", ".a")]
        {
            assert_eq!(Id::new(id).expect("an id").to_string(), encoded);
        }
        let long = "a".repeat(513);
        let bad = [
            "", ".", "..", "...", "..;a", ";", "a/b", "../a", "a\\b", "a%2fb", "%2e%2e", "a?b", "a#b",
            "a\nb", "\0", "\u{85}", &long,
        ];
        for id in bad {
            assert_eq!(Id::new(id).expect_err(id).kind(), crate::ErrorKind::InvalidRequest);
        }
    }

    #[test]
    fn names_may_have_parts() {
        assert_eq!(segment_of_parts("team/name:tag").expect("a name"), "team%2Fname%3Atag");
        for bad in ["team/..", "/a", "a/", "a//b", "", "../a"] {
            segment_of_parts(bad).expect_err(bad);
        }
    }
}
