//! Requests over HTTP until they are answered: together they have a budget, and none takes far more memory than its
//! text.

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use sandshell::json_size::values;
use sandshell_server::steady;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::stdio::MAX_MESSAGE;

/// The unit in which memory is counted.
const UNIT: usize = 1 << 10;

/// What is this short is not counted, as there are a limited number of requests.
const SHORT: usize = 64 << 10;

/// How many bytes of requests are held at the same time.
const HELD: usize = 4 * MAX_MESSAGE;

/// How many values a request may have. Each takes up to a hundred times the memory of its text.
const MOST_VALUES: usize = 1 << 16;

/// How long a request may pause while its body is sent.
const SILENCE: Duration = Duration::from_secs(60);

/// The budget for what clients send.
#[derive(Clone, Debug)]
pub(super) struct Budget(Arc<Semaphore>);

/// A part of it, for as long as anybody has this.
#[derive(Clone, Debug)]
pub(super) struct Place {
    _permit: Option<Arc<OwnedSemaphorePermit>>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(HELD / UNIT)))
    }

    /// The whole body, which takes its place as it arrives, or the answer that refuses it.
    pub(super) async fn read(&self, body: Body) -> Result<(Bytes, Place), Response> {
        let (mut body, mut bytes) = (steady(body, SILENCE), Vec::new());
        let mut permit = None::<OwnedSemaphorePermit>;
        while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            let broken = || refused(StatusCode::BAD_REQUEST, "the body breaks off");
            let Ok(data) = frame.map_err(|_| broken())?.into_data() else { continue };
            let length = bytes.len() + data.len();
            if length > MAX_MESSAGE {
                let why = format!("the message has more than {MAX_MESSAGE} bytes, which is the limit");
                return Err(refused(StatusCode::PAYLOAD_TOO_LARGE, &why));
            }
            let has = permit.as_ref().map_or(0, |permit| permit.num_permits() * UNIT);
            if length > SHORT && length > has {
                let units = u32::try_from((length - has).max(SHORT).div_ceil(UNIT)).unwrap_or(u32::MAX);
                let more = self.0.clone().try_acquire_many_owned(units).map_err(|_| {
                    let why = format!("this server already holds {} MiB of requests", HELD >> 20);
                    refused(StatusCode::SERVICE_UNAVAILABLE, &why)
                })?;
                match &mut permit {
                    Some(own) => own.merge(more),
                    none => *none = Some(more),
                }
            }
            bytes.extend_from_slice(&data);
        }
        let values = values(&bytes);
        if values > MOST_VALUES {
            let why = format!("the message has {values} values: the limit is {MOST_VALUES}");
            return Err(refused(StatusCode::PAYLOAD_TOO_LARGE, &why));
        }
        Ok((bytes.into(), Place { _permit: permit.map(Arc::new) }))
    }
}

/// An answer that says why there is none.
pub(super) fn refused(status: StatusCode, why: &str) -> Response {
    let text = format!("{why}\n");
    match status {
        StatusCode::SERVICE_UNAVAILABLE => (status, [("retry-after", "10")], text).into_response(),
        _ => (status, text).into_response(),
    }
}
