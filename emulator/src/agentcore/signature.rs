//! Verifies signatures of requests, following the documentation of AWS Signature Version 4.

use std::time::{Duration, SystemTime};

use axum::http::HeaderMap;
use axum::http::request::Parts;
use bytes::Bytes;
use hmac::{Hmac, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

use crate::http::text;
use crate::time::rfc3339;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const SERVICE: &str = "bedrock-agentcore";

/// How much the client's clock may differ from ours.
const SKEW: Duration = Duration::from_secs(15 * 60);

const UNRESERVED: AsciiSet =
    NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// The error's name and message.
type Refusal = (&'static str, &'static str);

/// Whether `secret` signed this request, for this service, now.
pub(super) fn verify(request: &Parts, body: &Bytes, secret: &str) -> Result<(), Refusal> {
    let Some(authorization) = text(&request.headers, "authorization") else {
        return Err(("MissingAuthenticationTokenException", "the request is not signed"));
    };
    let incomplete = ("IncompleteSignatureException", "the signature cannot be read");
    let parts = authorization.strip_prefix(ALGORITHM).ok_or(incomplete)?;
    let part = |name: &str| {
        let mut parts = parts.split(',').filter_map(|part| part.trim().split_once('='));
        parts.find(|(other, _)| *other == name).map(|(_, value)| value).ok_or(incomplete)
    };
    let (_, scope) = part("Credential")?.split_once('/').ok_or(incomplete)?;
    let signed: Vec<&str> = part("SignedHeaders")?.split(';').collect();
    // Otherwise a short head could name a long header so often that the text that is signed fills the memory.
    if !signed.windows(2).all(|pair| pair[0] < pair[1]) {
        return Err(("InvalidSignatureException", "the signed headers must be in order, each once"));
    }
    let date = text(&request.headers, "x-amz-date").ok_or(incomplete)?;
    let [day, region, service, end] = scope.split('/').collect::<Vec<_>>()[..] else {
        return Err(incomplete);
    };
    if service != SERVICE || end != "aws4_request" || !date.starts_with(day) {
        return Err(("InvalidSignatureException", "the credential is scoped to something else"));
    }
    // Every header that affects the request must be signed.
    let needed = |name: &&str| !name.starts_with("x-amz-") || signed.contains(name);
    if !signed.contains(&"host") || !request.headers.keys().map(|name| name.as_str()).all(|n| needed(&n)) {
        return Err(("InvalidSignatureException", "host and every x-amz- header must be signed"));
    }
    let now = SystemTime::now();
    if date < compact(now - SKEW).as_str() || date > compact(now + SKEW).as_str() {
        return Err(("InvalidSignatureException", "the signature's time is over or is not yet"));
    }
    let canonical = canonical(request, &signed, body);
    let string_to_sign = format!("{ALGORITHM}\n{date}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
    let mut key = mac(format!("AWS4{secret}").as_bytes(), day);
    for step in [region, service, end] {
        key = mac(&key.finalize().into_bytes(), step);
    }
    let given = unhex(part("Signature")?).ok_or(incomplete)?;
    mac(&key.finalize().into_bytes(), &string_to_sign)
        .verify_slice(&given)
        .map_err(|_| ("InvalidSignatureException", "the signature does not match"))
}

/// The request in the canonical form that is signed.
fn canonical(request: &Parts, signed: &[&str], body: &Bytes) -> String {
    let path = utf8_percent_encode(request.uri.path(), &UNRESERVED);
    let mut query: Vec<&str> =
        request.uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()).collect();
    query.sort_unstable();
    let headers: String =
        signed.iter().map(|name| format!("{name}:{}\n", value(&request.headers, name))).collect();
    let (method, query) = (&request.method, query.join("&"));
    let body = hex(&Sha256::digest(body));
    format!("{method}\n{path}\n{query}\n{headers}\n{}\n{body}", signed.join(";"))
}

/// All values of a header, each with single spaces.
fn value(headers: &HeaderMap, name: &str) -> String {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let values: Vec<String> =
        values.map(|value| value.split_ascii_whitespace().collect::<Vec<_>>().join(" ")).collect();
    values.join(",")
}

/// A time in the form `20261120T174846Z`.
fn compact(time: SystemTime) -> String {
    let text = rfc3339(time);
    let whole = text.split('.').next().unwrap_or_default();
    format!("{}Z", whole.replace(['-', ':'], ""))
}

fn mac(key: &[u8], text: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key has any length");
    mac.update(text.as_bytes());
    mac
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes().chunks(2).map(|pair| Some(digit(*pair.first()?)? * 16 + digit(*pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    #[test]
    fn the_form_that_is_signed() {
        let request = Request::builder()
            .method("GET")
            .uri("/a%3Ab/c?z=1&sessionId=%2F")
            .header("host", "h:1")
            .header("x-amz-date", " 20261120T174846Z  x ")
            .body(())
            .expect("a request");
        let (parts, ()) = request.into_parts();
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(
            canonical(&parts, &["host", "x-amz-date"], &Bytes::new()),
            format!(
                "GET\n/a%253Ab/c\nsessionId=%2F&z=1\nhost:h:1\nx-amz-date:20261120T174846Z x\n\nhost;x-amz-date\n{empty}"
            )
        );
    }

    #[test]
    fn times_and_digits() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_795_196_512_500);
        assert_eq!(compact(time), "20261120T174152Z");
        assert_eq!(unhex("00fF"), Some(vec![0, 255]));
        for bad in ["0", "0g", "\u{fc}"] {
            assert_eq!(unhex(bad), None, "{bad}");
        }
    }

    #[test]
    fn requests_without_a_good_signature() {
        let refused = |authorization: Option<&str>| {
            let request =
                Request::builder().uri("/").header("host", "h").header("x-amz-date", "20260101T000000Z");
            let request = match authorization {
                Some(value) => request.header("authorization", value),
                None => request,
            };
            let (parts, ()) = request.body(()).expect("a request").into_parts();
            verify(&parts, &Bytes::new(), "secret").expect_err("a refusal").0
        };
        assert_eq!(refused(None), "MissingAuthenticationTokenException");
        for bad in [
            "",
            "Bearer x",
            "AWS4-HMAC-SHA256 Credential=x",
            "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=0",
        ] {
            assert_eq!(refused(Some(bad)), "IncompleteSignatureException", "{bad}");
        }
        let twice = "AWS4-HMAC-SHA256 Credential=A/20260101/r/bedrock-agentcore/aws4_request, SignedHeaders=host;host;x-amz-date, Signature=00";
        let request =
            Request::builder().uri("/").header("host", "h").header("x-amz-date", "20260101T000000Z");
        let (parts, ()) = request.header("authorization", twice).body(()).expect("a request").into_parts();
        let why = verify(&parts, &Bytes::new(), "secret").expect_err("a refusal").1;
        assert!(why.contains("each once"), "{why}");
        let old = "AWS4-HMAC-SHA256 Credential=A/20260101/r/bedrock-agentcore/aws4_request, SignedHeaders=host;x-amz-date, Signature=00";
        assert_eq!(refused(Some(old)), "InvalidSignatureException");
    }
}
