//! The Connect protocol: enveloped messages, and errors.

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::{Value, json};

use crate::http::{self, HttpAnswer, json as answer};
use sandshell_providers::json_size;
use sandshell_providers::{Error, ErrorKind};

/// A message of a stream.
pub(super) fn message(body: &Value) -> Bytes {
    envelope(0, body)
}

/// The end of a successful stream.
pub(super) fn end() -> Bytes {
    envelope(2, &json!({}))
}

/// The end of a failed stream.
pub(super) fn failure(code: &str, message: &str) -> Bytes {
    envelope(2, &json!({"error": {"code": code, "message": message}}))
}

/// The messages of a whole request; `None` if they are malformed or have too many values.
pub(super) fn messages(mut body: Bytes) -> Option<Vec<Value>> {
    let (mut messages, mut values) = (Vec::new(), 0);
    while !body.is_empty() {
        let (&[flags, a, b, c, d], _) = body.split_first_chunk::<5>()?;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if body.len() - 5 < length || flags & 1 != 0 {
            return None;
        }
        let message = body.split_to(5 + length).slice(5..);
        if flags & 2 == 0 {
            values += json_size::values(&message) + 1;
            if values > http::MOST_VALUES {
                return None;
            }
            messages.push(serde_json::from_slice(&message).ok()?);
        }
    }
    Some(messages)
}

/// An error as the answer of a unary procedure.
pub(super) fn refuse(code: &str, message: &str) -> HttpAnswer {
    let status = match code {
        "invalid_argument" | "out_of_range" => 400,
        "unauthenticated" => 401,
        "permission_denied" => 403,
        "not_found" => 404,
        "already_exists" | "aborted" => 409,
        "resource_exhausted" => 429,
        "unimplemented" => 501,
        "unavailable" => 503,
        "deadline_exceeded" => 504,
        _ => 500,
    };
    answer(status, &json!({"code": code, "message": message}))
}

/// The code for an error of the provider.
pub(super) fn code(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::InvalidRequest => "invalid_argument",
        ErrorKind::NotFound => "not_found",
        ErrorKind::SandboxEnded | ErrorKind::Unavailable => "unavailable",
        ErrorKind::Unsupported => "unimplemented",
        ErrorKind::PermissionDenied => "permission_denied",
        ErrorKind::QuotaExceeded | ErrorKind::RateLimited => "resource_exhausted",
        ErrorKind::DeadlineExceeded => "deadline_exceeded",
        _ => "internal",
    }
}

fn envelope(flags: u8, body: &Value) -> Bytes {
    let body = body.to_string();
    let mut message = BytesMut::with_capacity(body.len() + 5);
    message.put_u8(flags);
    message.put_u32(u32::try_from(body.len()).unwrap_or(u32::MAX));
    message.put_slice(body.as_bytes());
    message.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_are_written() {
        let (one, two) = (json!({"a": 1}), json!({}));
        let body = Bytes::from([message(&one), message(&two), end()].concat());
        assert_eq!(messages(body.clone()), Some(vec![one, two]));
        assert_eq!(messages(body.slice(..body.len() - 1)), None);
        assert_eq!(messages(Bytes::from_static(b"\0\0\0")), None);
    }
}
