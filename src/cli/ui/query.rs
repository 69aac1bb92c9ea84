//! What a request asks for.

use super::answer::Refusal;
use axum::extract::Request;
use percent_encoding::percent_decode_str;
use sandshell::names;

/// The part of an address after `?`.
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn of(request: &Request) -> Self {
        Self::parse(request.uri().query().unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let decoded = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decoded(name), decoded(value))
        };
        Self(text.split('&').filter(|part| !part.is_empty()).map(pair).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| &**value)
    }

    /// What must be there.
    pub(super) fn text(&self, name: &str) -> Result<&str, Refusal> {
        self.get(name).ok_or_else(|| Refusal::bad(format!("{name} is missing")))
    }

    /// A number; 0 if it is not there.
    pub(super) fn number(&self, name: &str) -> Result<u64, Refusal> {
        let parse = |text: &str| text.parse().map_err(|_| Refusal::bad(format!("{name} is not a number")));
        self.get(name).map_or(Ok(0), parse)
    }

    /// The bytes of an absolute path in a sandbox.
    pub(super) fn path(&self, name: &str) -> Result<Vec<u8>, Refusal> {
        let path = names::bytes(self.text(name)?).into_owned();
        if path.first() == Some(&b'/') { Ok(path) } else { Err(Refusal::bad("the path is not absolute")) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_once() {
        let query = Query::parse("id=a%2Fb&path=%2Fx%2520+y&empty&n=12&n=13");
        assert_eq!((query.get("id"), query.get("empty"), query.get("none")), (Some("a/b"), Some(""), None));
        assert_eq!(query.path("path").unwrap(), b"/x%20+y");
        assert_eq!((query.number("n").unwrap(), query.number("none").unwrap()), (12, 0));
        assert!(query.number("id").is_err() && query.path("id").is_err());
    }

    #[test]
    fn names_that_are_no_text_come_back() {
        let name = names::text(b"/caf\xe9").into_owned();
        let encoded: String = name.bytes().map(|byte| format!("%{byte:02x}")).collect();
        assert_eq!(Query::parse(&format!("path={encoded}")).path("path").unwrap(), b"/caf\xe9");
    }
}
