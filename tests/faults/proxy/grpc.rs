//! gRPC over HTTP/2: each stream is a request.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use bytes::Bytes;
use h2::{Reason, RecvStream, SendStream, client, server};
use http::{HeaderMap, Request, Response};
use prost::Message as _;
use sandshell_modal::control::{Any, RpcRetryPolicy, RpcStatus};
use tokio::net::TcpStream;

use super::{Proxy, reset};
use crate::HANG;
use crate::fault::Fault;

type Passed<T = ()> = Result<T, h2::Error>;

pub(super) async fn pass(proxy: Arc<Proxy>, stream: TcpStream) -> Passed {
    let upstream = TcpStream::connect(proxy.upstream).await.map_err(|_| Reason::CONNECT_ERROR)?;
    let (service, connection) = client::handshake(upstream).await?;
    tokio::spawn(connection);
    // Dropping the stream resets it.
    drop(reset(&stream));
    let mut clients = server::handshake(stream).await?;
    let (end, mut ended) = tokio::sync::mpsc::channel(1);
    loop {
        let (request, answer) = tokio::select! {
            accepted = clients.accept() => match accepted {
                Some(accepted) => accepted?,
                None => return Ok(()),
            },
            _ = ended.recv() => return Ok(()),
        };
        let (fault, service, end) = (proxy.next(), service.clone(), end.clone());
        if fault == Some(Fault::Reset) {
            return Ok(());
        }
        tokio::spawn(async move {
            if matches!(one(request, answer, service, fault).await, Ok(End::Connection)) {
                // If the receiver is gone, it has already ended.
                let _ = end.send(()).await;
            }
        });
    }
}

/// What a request ends: the stream or the connection.
enum End {
    Stream,
    Connection,
}

async fn one(
    request: Request<RecvStream>,
    mut answer: server::SendResponse<Bytes>,
    service: client::SendRequest<Bytes>,
    fault: Option<Fault>,
) -> Passed<End> {
    match fault {
        Some(Fault::Stall) => {
            tokio::time::sleep(HANG).await;
            return Ok(End::Stream);
        }
        Some(Fault::Status(status, retry_after)) => {
            answer.send_response(refusal(status, retry_after), true)?;
            return Ok(End::Stream);
        }
        _ => {}
    }
    let (head, mut body) = request.into_parts();
    let mut service = service.ready().await?;
    let (response, mut sending) = service.send_request(Request::from_parts(head, ()), false)?;
    let sent = tokio::spawn(async move { copy(&mut body, &mut sending).await });
    let (head, mut body) = response.await?.into_parts();
    let head = Response::from_parts(head, ());
    let Some(fault) = fault else {
        // A refusal has no body.
        let bare = body.is_end_stream();
        let mut sending = answer.send_response(head, bare)?;
        if !bare {
            copy(&mut body, &mut sending).await?;
        }
        drop(sent);
        return Ok(End::Stream);
    };
    let first = body.data().await.transpose()?.unwrap_or_default();
    let half = first.slice(..first.len() / 2);
    match fault {
        Fault::Cut => {
            let mut sending = answer.send_response(head, false)?;
            sending.send_data(half, false)?;
            sending.send_reset(Reason::INTERNAL_ERROR);
        }
        Fault::Short => {
            let mut sending = answer.send_response(head, false)?;
            sending.send_data(half, true)?;
        }
        Fault::Garbage => {
            let mut sending = answer.send_response(head, false)?;
            sending.send_data(Bytes::from_static(b"<html>\0\xff{[,]"), true)?;
        }
        Fault::Hang => {
            let mut sending = answer.send_response(head, false)?;
            sending.send_data(half, false)?;
            tokio::time::sleep(HANG).await;
        }
        _ => return Ok(End::Connection),
    }
    Ok(End::Stream)
}

/// A body with its trailers.
async fn copy(from: &mut RecvStream, to: &mut SendStream<Bytes>) -> Passed {
    while let Some(data) = from.data().await {
        let data = data?;
        from.flow_control().release_capacity(data.len())?;
        to.send_data(data, false)?;
    }
    match from.trailers().await? {
        Some(trailers) => to.send_trailers(trailers),
        None => to.send_data(Bytes::new(), true),
    }
}

/// The gRPC form of an HTTP status.
fn refusal(status: u16, retry_after: Option<&str>) -> Response<()> {
    let code = match status {
        401 => 16,
        429 => 8,
        503 => 14,
        _ => 13,
    };
    let mut headers = HeaderMap::new();
    headers.insert("content-type", "application/grpc".parse().expect("a value"));
    headers.insert("grpc-status", code.into());
    headers.insert("grpc-message", "injected".parse().expect("a value"));
    if let Some(seconds) = retry_after {
        let policy = RpcRetryPolicy { retry_after_secs: seconds.parse().expect("a number") };
        let type_url = "type.modal.com/modal.client.RPCRetryPolicy".to_owned();
        let details = vec![Any { type_url, value: policy.encode_to_vec() }];
        let status = RpcStatus { code, message: "injected".to_owned(), details };
        let text = BASE64_STANDARD_NO_PAD.encode(status.encode_to_vec());
        headers.insert("grpc-status-details-bin", text.parse().expect("a value"));
    }
    let mut response = Response::new(());
    *response.headers_mut() = headers;
    response
}
