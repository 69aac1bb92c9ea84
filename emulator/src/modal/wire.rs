//! Checks every field of a message on the wire before it is decoded, because decoding skips unknown fields.

use axum::body::Body;
use bytes::{Buf as _, Bytes};
use serde_json::{Value, json};

use super::FIELDS;
use super::grpc::{
    Called, INTERNAL, LARGEST_CALL, LARGEST_MESSAGE, RESOURCE_EXHAUSTED, Status, UNIMPLEMENTED,
};
use crate::fields::{Known, Refused};
use crate::http::{Unread, collect};

/// Checks that the only message of a request has no refused field. Malformed framing is left to the decoder.
pub(super) async fn checked(method: &str, body: Body) -> Called<Body> {
    let Some(known) = FIELDS.procedure(method) else { return Ok(body) };
    if let Some(what) = &known.refused {
        return Err(Status(UNIMPLEMENTED, format!("{method}: {what}: not emulated by sandshell")));
    }
    // Input streams have no fields to refuse.
    if method == "TaskExecStdinWriteStream" {
        return Ok(body);
    }
    let longest = match method {
        "TaskExecStdinWrite" | "SandboxStdinWriteV2" => LARGEST_MESSAGE,
        _ => LARGEST_CALL,
    };
    // The form around a message has five bytes.
    let body = collect(body, longest + 5).await.map_err(|why| match why {
        Unread::TooLong => {
            Status(RESOURCE_EXHAUSTED, format!("a message of {method} has at most {longest} bytes"))
        }
        Unread::Broken => Status(INTERNAL, "the request breaks off".to_owned()),
        Unread::Full(full) => full.into(),
    })?;
    if body.first() == Some(&0) && body.len() >= 5 {
        check(known, &[], body.slice(5..)).map_err(|refused| Status(UNIMPLEMENTED, refused.to_string()))?;
    }
    Ok(Body::from(body))
}

/// Checks the message in the field with these numbers. The recursion is only as deep as the numbers in the file.
fn check(known: &Known, above: &[u64], mut message: Bytes) -> Result<(), Refused> {
    while let Some((number, value)) = next(&mut message) {
        let numbers = [above, &[number]].concat();
        let mut fields = known.fields.iter().filter(|field| field.numbers == numbers).peekable();
        if fields.peek().is_none() && !value.is_nothing() {
            let name = numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".");
            return Err(Refused::unknown(&format!("field {name} of {}", known.name)));
        }
        for field in fields {
            field.check(&value.shown())?;
        }
        let below = |numbers: &[u64]| numbers.len() > above.len() + 1 && numbers.starts_with(above);
        if let Piece::Bytes(inner) = value
            && known
                .fields
                .iter()
                .any(|field| below(&field.numbers) && field.numbers.get(above.len()) == Some(&number))
        {
            check(known, &numbers, inner)?;
        }
    }
    Ok(())
}

/// A field's value.
enum Piece {
    Number(u64),
    Bytes(Bytes),
}

impl Piece {
    fn is_nothing(&self) -> bool {
        match self {
            Self::Number(number) => *number == 0,
            Self::Bytes(bytes) => bytes.is_empty(),
        }
    }

    /// The value for comparisons. The wire format does not tell whether bytes are text, a message or packed
    /// numbers.
    fn shown(&self) -> Value {
        match self {
            Self::Number(number) => json!(number),
            Self::Bytes(bytes) => json!(String::from_utf8_lossy(bytes)),
        }
    }
}

/// The next field; `None` at the end or if it is malformed.
fn next(message: &mut Bytes) -> Option<(u64, Piece)> {
    let tag = number(message)?;
    let piece = match tag & 7 {
        0 => Piece::Number(number(message)?),
        1 => Piece::Number(message.try_get_u64_le().ok()?),
        5 => Piece::Number(message.try_get_u32_le().ok()?.into()),
        2 => {
            let length = usize::try_from(number(message)?).ok().filter(|length| *length <= message.len())?;
            Piece::Bytes(message.split_to(length))
        }
        _ => return None,
    };
    Some((tag >> 3, piece))
}

fn number(message: &mut Bytes) -> Option<u64> {
    prost::encoding::decode_varint(message).ok()
}

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use sandshell_modal::control::{GpuConfig, PortSpecs, Resources, Sandbox, SandboxCreateV2Request};

    use super::*;

    fn refused(definition: Sandbox) -> Option<String> {
        let request =
            SandboxCreateV2Request { definition: Some(definition), ..SandboxCreateV2Request::default() };
        let known = FIELDS.procedure("SandboxCreateV2").expect("a procedure");
        check(known, &[], request.encode_to_vec().into()).err().map(|refused| refused.to_string())
    }

    #[test]
    fn fields_of_messages_are_found() {
        let plain = Sandbox {
            timeout_secs: 5,
            // The SDKs always send this.
            open_ports: Some(PortSpecs::default()),
            resources: Some(Resources {
                memory_mb: 1,
                gpu_config: Some(GpuConfig::default()),
                ..Resources::default()
            }),
            ..Sandbox::default()
        };
        assert_eq!(refused(plain.clone()), None);
        let gpu = GpuConfig { count: 1, ..GpuConfig::default() };
        let resources = Some(Resources { gpu_config: Some(gpu), ..Resources::default() });
        let why = refused(Sandbox { resources, ..plain }).expect("an error");
        assert!(why.starts_with("definition.resources.gpu_config.count: GPUs"), "{why}");
    }

    #[test]
    fn unknown_numbers_are_refused() {
        let known = FIELDS.procedure("SandboxWaitV2").expect("a procedure");
        // Field 99 with the value 1, then with 0.
        assert!(check(known, &[], Bytes::from_static(b"\x98\x06\x01")).is_err());
        assert!(check(known, &[], Bytes::from_static(b"\x98\x06\x00")).is_ok());
        // A truncated message is left to the decoder.
        assert!(check(known, &[], Bytes::from_static(b"\x0a\xff\xff\xff\xff\xff\xff")).is_ok());
    }
}
