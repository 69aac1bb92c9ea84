//! Calls and answers as JSON: the form of cassettes and of the protocol for command providers.
//!
//! Bytes are a string if they are UTF-8, otherwise `{"base64": "…"}`. Times are in seconds. Default values are left
//! out when encoding, and may be missing when decoding.

mod decode;
mod encode;
mod request;

pub(crate) use decode::{answer, bytes, error, file_result, provider_capabilities, sandbox_capabilities};
pub(crate) use encode::{answer as encode_answer, bytes as encode_bytes, error as encode_error, params};
pub(crate) use request::call;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;

    use super::*;
    use crate::calls::{Call, Handle, Reply};
    use crate::{Capabilities, Error, ErrorKind, ExecuteRequest, ExecuteResponse, LimitReached, Retry};

    #[test]
    fn answers_come_back_as_they_were() {
        let response = ExecuteResponse {
            exit_code: Some(124),
            output: Bytes::from_static(b"o\xffe"),
            stdout: Bytes::from_static(b"o\xff"),
            stderr: Bytes::from_static(b"e"),
            timed_out: true,
            limits: vec![LimitReached::timeout(Duration::from_secs(2))],
            duration: Duration::from_millis(1500),
            ..ExecuteResponse::default()
        };
        let handle = Handle::remote("s", Capabilities::default());
        let call = Call::Execute(handle, ExecuteRequest::new("x"));
        let json = encode_answer(&Reply::Executed(response.clone()));
        let Ok(Reply::Executed(again)) = answer(&call, json, Capabilities::default()) else {
            panic!("another answer")
        };
        assert_eq!(again, response);
    }

    #[test]
    fn errors_come_back_as_they_were() {
        let original =
            Error::new(ErrorKind::RateLimited, "slowly").retry_after(Some(Duration::from_millis(1500)));
        let again = error(&encode_error(&original));
        assert_eq!((again.kind(), again.to_string()), (ErrorKind::RateLimited, "slowly".to_owned()));
        assert_eq!(again.retry(), Retry::Later(Some(Duration::from_millis(1500))));
        let nonsense = error(&serde_json::json!({"kind": "x", "retry": -1}));
        assert_eq!((nonsense.kind(), nonsense.retry()), (ErrorKind::Unexpected, Retry::Never));
    }

    #[test]
    fn nonsense_is_refused() {
        let call = Call::Pause { id: "s".to_owned() };
        let download = Call::Download(Handle::remote("s", Capabilities::default()), vec!["/a".to_owned()]);
        let none = Capabilities::default();
        for (call, text) in [
            (&Call::Fork { id: "s".to_owned() }, "{}"),
            (&Call::Fork { id: "s".to_owned() }, r#"{"id": ""}"#),
            (&Call::Snapshot { id: "s".to_owned(), name: None }, "7"),
            (&download, "[]"),
            (&download, r#"[{"path": "/a", "content": {"base64": "?"}}]"#),
            (&download, r#"[{"path": "/a"}]"#),
        ] {
            let value = serde_json::from_str(text).expect("JSON");
            assert!(answer(call, value, none).is_err(), "{text}");
        }
        assert!(answer(&call, serde_json::Value::Null, none).is_ok());
    }
}
