//! Open WebSockets: whatever the client sends at once counts as a request, and what the service sends next as its
//! answer.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Proxy, reset};
use crate::HANG;
use crate::fault::Fault;

/// A text message that is not JSON, and then bytes that are not a message.
const NONSENSE: &[u8] = b"\x81\x07<{[,]}>\xff\xff\xff";

pub(super) async fn pass(
    proxy: &Proxy,
    mut client: TcpStream,
    mut service: TcpStream,
) -> std::io::Result<()> {
    let (mut sent, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    // The fault of the next answer.
    let mut spoiled = None;
    loop {
        tokio::select! {
            length = client.read(&mut sent) => {
                let length = length?;
                if length == 0 {
                    return service.shutdown().await;
                }
                match proxy.next() {
                    Some(Fault::Reset) => return reset(&client),
                    Some(Fault::Stall) => {
                        tokio::time::sleep(HANG).await;
                        return Ok(());
                    }
                    Some(Fault::Status(status, _)) => return close(client, status).await,
                    fault => {
                        spoiled = spoiled.or(fault);
                        service.write_all(&sent[..length]).await?;
                    }
                }
            }
            length = service.read(&mut answered) => {
                let length = length?;
                if length == 0 {
                    return client.shutdown().await;
                }
                let Some(fault) = spoiled else {
                    client.write_all(&answered[..length]).await?;
                    continue;
                };
                if matches!(fault, Fault::Cut | Fault::Short | Fault::Hang) {
                    client.write_all(&answered[..length / 2]).await?;
                }
                match fault {
                    Fault::Cut => {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        return reset(&client);
                    }
                    Fault::Garbage => client.write_all(NONSENSE).await?,
                    Fault::Hang => tokio::time::sleep(HANG).await,
                    _ => {}
                }
                return client.shutdown().await;
            }
        }
    }
}

/// Closes the socket with the code that corresponds best to a status.
async fn close(mut client: TcpStream, status: u16) -> std::io::Result<()> {
    let code: u16 = match status {
        401 => 1008,
        429 | 503 => 1013,
        _ => 1011,
    };
    client.write_all(&[0x88, 2]).await?;
    client.write_all(&code.to_be_bytes()).await?;
    client.shutdown().await
}
