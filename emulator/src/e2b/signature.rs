//! Signed URLs of files. Whoever has such a URL may use it. The sandbox's token is the key.

use std::time::SystemTime;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::http::Query;
use crate::ids::is_secret;

/// Verifies that a query is signed for this operation; the error says why it is not.
pub(super) fn verify(query: &Query, operation: &str, token: &str) -> Result<(), &'static str> {
    let given = query.get("signature").unwrap_or_default();
    let (path, user) = (query.get("path").unwrap_or_default(), query.get("username").unwrap_or_default());
    let mut signed = format!("{path}:{operation}:{user}:{token}");
    let until = query.get("signature_expiration").filter(|until| !until.is_empty());
    if let Some(until) = until {
        signed = format!("{signed}:{until}");
    }
    let expected = format!("v1_{}", BASE64_STANDARD_NO_PAD.encode(Sha256::digest(signed)));
    if !is_secret(given, &expected) {
        return Err("invalid signature");
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    match until.map(str::parse::<u64>) {
        None => Ok(()),
        Some(Ok(until)) if until >= now => Ok(()),
        Some(_) => Err("signature is already expired"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_sdk_signs() {
        // `get_signature("/a b", "read", None, "ea_x")` of the Python SDK.
        let query = |text: &str| Query::new(Some(text));
        let good = "path=%2Fa%20b&signature=v1_YPGxtOO3xR1yXuYs%2FgdMgmTucBEfaX7wtUrOQgcgifY";
        assert_eq!(verify(&query(good), "read", "ea_x"), Ok(()));
        assert!(verify(&query(good), "write", "ea_x").is_err());
        assert!(verify(&query(good), "read", "ea_y").is_err());
        assert!(verify(&query("path=%2Fa%20b"), "read", "ea_x").is_err());
        assert!(verify(&query(&format!("{good}&signature_expiration=99999999999")), "read", "ea_x").is_err());
    }
}
