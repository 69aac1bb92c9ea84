//! Calls over gRPC: retried if that can help, each with a deadline.

use std::time::Duration;

use prost::Message;
use sandshell_modal::control::{RpcRetryPolicy, RpcStatus};
use tokio::time::Instant;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Status, Streaming};
use tonic_prost::ProstCodec;

use super::options::NAME;
use crate::cloud::{ClientOptions, backoff, bounded};
use crate::{Error, ErrorKind, Result};

/// The largest message of a stream, in bytes. Each holds one piece of output or of a file.
const LARGEST_PIECE: usize = 64 << 20;

/// A connection that is opened on first use.
pub(super) fn channel(url: &str, options: &ClientOptions) -> Result<Channel> {
    let wrong = |error: tonic::transport::Error| {
        Error::new(ErrorKind::InvalidRequest, format!("{NAME}: the address {url} is wrong"))
            .with_source(error)
    };
    let endpoint = Endpoint::from_shared(url.to_owned())
        .map_err(wrong)?
        .connect_timeout(options.connect_timeout)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(Duration::from_secs(30))
        .keep_alive_while_idle(false);
    let endpoint = if url.starts_with("https:") {
        endpoint.tls_config(ClientTlsConfig::new().with_native_roots()).map_err(wrong)?
    } else {
        endpoint
    };
    Ok(endpoint.connect_lazy())
}

/// One call.
pub(super) struct Call<'a> {
    pub(super) channel: &'a Channel,
    pub(super) path: String,
    pub(super) metadata: MetadataMap,
    /// The deadline for the call with all its retries; `None`: no deadline.
    pub(super) deadline: Option<Duration>,
    pub(super) options: &'a ClientOptions,
}

impl Call<'_> {
    /// Makes a call with one answer. Retries are safe: the ids in its metadata and in its message make sure that it
    /// has its effect only once.
    pub(super) async fn unary<Q, R>(self, request: Q) -> Result<R, Status>
    where
        Q: Message + Clone + 'static,
        R: Message + Default + 'static,
    {
        let end = self.deadline.map(|deadline| Instant::now() + deadline);
        let mut attempt = 0;
        loop {
            let once = async {
                let mut grpc = self.ready(self.options.max_answer).await?;
                let answer = grpc.unary(self.request(request.clone()), self.path()?, codec::<Q, R>()).await;
                answer.map(tonic::Response::into_inner)
            };
            let done = match end {
                None => once.await,
                Some(end) => tokio::time::timeout_at(end, once)
                    .await
                    .unwrap_or_else(|_| Err(Status::deadline_exceeded("no answer in time"))),
            };
            let asked = done.as_ref().err().and_then(retry_after);
            let wait = asked.unwrap_or_else(|| backoff(attempt));
            match done {
                Err(status)
                    if (asked.is_some() || is_passing(&status))
                        && attempt < self.options.retries
                        && end.is_none_or(|end| Instant::now() + wait < end) =>
                {
                    tokio::time::sleep(wait).await;
                    attempt += 1;
                }
                done => return done,
            }
        }
    }

    /// Makes a call with a stream of answers.
    pub(super) async fn streaming<Q, R>(self, request: Q) -> Result<Streaming<R>, Status>
    where
        Q: Message + 'static,
        R: Message + Default + 'static,
    {
        let mut grpc = self.ready(LARGEST_PIECE as u64).await?;
        let answer = grpc.server_streaming(self.request(request), self.path()?, codec::<Q, R>()).await;
        answer.map(tonic::Response::into_inner)
    }

    /// A connection that accepts messages of up to `longest` bytes.
    async fn ready(&self, longest: u64) -> Result<Grpc<Channel>, Status> {
        let longest = usize::try_from(longest).unwrap_or(usize::MAX);
        let mut grpc = Grpc::new(self.channel.clone()).max_decoding_message_size(longest);
        grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        Ok(grpc)
    }

    fn request<Q>(&self, message: Q) -> Request<Q> {
        let mut request = Request::new(message);
        *request.metadata_mut() = self.metadata.clone();
        request
    }

    fn path(&self) -> Result<PathAndQuery, Status> {
        self.path.parse().map_err(|_| Status::internal("the path of a call is wrong"))
    }
}

fn codec<Q, R>() -> ProstCodec<Q, R>
where
    Q: Message + 'static,
    R: Message + Default + 'static,
{
    ProstCodec::default()
}

/// Whether this status is temporary, so that a retry may succeed.
pub(super) fn is_passing(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Cancelled | Code::Internal | Code::Unknown)
}

/// How long the service asks to wait.
fn retry_after(status: &Status) -> Option<Duration> {
    let details = RpcStatus::decode(status.details()).ok()?.details;
    let policy = details.iter().find(|detail| detail.type_url.ends_with("/modal.client.RPCRetryPolicy"))?;
    let policy = RpcRetryPolicy::decode(&policy.value[..]).ok()?;
    Duration::try_from_secs_f32(policy.retry_after_secs).ok().map(bounded)
}

/// Converts a status to an error.
pub(super) fn error(status: &Status) -> Error {
    let asked = retry_after(status);
    let kind = match status.code() {
        // The service asks to wait, so this is a rate limit and not the account's quota.
        Code::ResourceExhausted if asked.is_some() => ErrorKind::RateLimited,
        Code::NotFound => ErrorKind::NotFound,
        Code::InvalidArgument | Code::OutOfRange => ErrorKind::InvalidRequest,
        Code::Unauthenticated => ErrorKind::Unauthenticated,
        Code::PermissionDenied => ErrorKind::PermissionDenied,
        Code::ResourceExhausted => ErrorKind::QuotaExceeded,
        Code::FailedPrecondition | Code::Aborted | Code::AlreadyExists => ErrorKind::Conflict,
        Code::Unimplemented => ErrorKind::Unsupported,
        Code::DeadlineExceeded => ErrorKind::DeadlineExceeded,
        Code::Unavailable | Code::Cancelled | Code::Internal | Code::Unknown => ErrorKind::Unavailable,
        _ => ErrorKind::Unexpected,
    };
    let error = Error::new(kind, format!("{NAME}: {}", status.message()));
    if asked.is_some() { error.retry_after(asked) } else { error }
}
