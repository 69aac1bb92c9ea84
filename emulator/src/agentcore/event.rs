//! Messages of `application/vnd.amazon.eventstream`: lengths and checksums around headers and a payload.
//!
//! The form is described in the documentation of Amazon Transcribe's and S3 Select's event streams.

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::Value;

use crate::http::{HttpAnswer, answer, crowded};
use crate::room::held;

/// The type of a header's value that is a string.
const TEXT: u8 = 7;

/// A stream of one event.
pub(super) fn stream(name: &str, payload: &Value) -> HttpAnswer {
    let headers = [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")];
    match held(message(&headers, payload.to_string().as_bytes())) {
        Ok(message) => answer(200, "application/vnd.amazon.eventstream", message),
        Err(full) => crowded(full),
    }
}

fn message(headers: &[(&str, &str)], payload: &[u8]) -> Bytes {
    let mut head = BytesMut::new();
    for (name, value) in headers {
        // All names and values here are short.
        head.put_u8(u8::try_from(name.len()).unwrap_or(u8::MAX));
        head.put_slice(name.as_bytes());
        head.put_u8(TEXT);
        head.put_u16(u16::try_from(value.len()).unwrap_or(u16::MAX));
        head.put_slice(value.as_bytes());
    }
    let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let mut message = BytesMut::with_capacity(16 + head.len() + payload.len());
    message.put_u32(length(16 + head.len() + payload.len()));
    message.put_u32(length(head.len()));
    message.put_u32(crc32fast::hash(&message));
    message.put_slice(&head);
    message.put_slice(payload);
    message.put_u32(crc32fast::hash(&message));
    message.freeze()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use super::*;

    #[test]
    fn a_message_that_the_sdk_reads() {
        // From a conversation with boto3.
        let known = "AAAAtwAAAEy4rwbWCzpldmVudC10eXBlBwAGcmVzdWx0DTpjb250ZW50LXR5cGUHABBhcHBsaWNhdGlvbi9qc29uDTptZXNzYWdlLXR5cGUHAAVldmVudHsiY29udGVudCI6IFt7InR5cGUiOiAidGV4dCIsICJ0ZXh0IjogIlN1Y2Nlc3NmdWxseSB3cm90ZSBhbGwgMSBmaWxlcyJ9XSwgImlzRXJyb3IiOiBmYWxzZX07JfpN";
        let known = BASE64_STANDARD.decode(known).expect("base64");
        let headers =
            [(":event-type", "result"), (":content-type", "application/json"), (":message-type", "event")];
        let payload =
            br#"{"content": [{"type": "text", "text": "Successfully wrote all 1 files"}], "isError": false}"#;
        assert_eq!(message(&headers, payload), known);
    }
}
