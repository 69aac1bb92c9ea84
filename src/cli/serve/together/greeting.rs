//! How servers on one store meet: each proves to the other one that it knows the store's secret.
//!
//! The one that calls sends [`MAGIC`], the [`Purpose`], its session and 32 random bytes; the other one answers with 32
//! random bytes and its proof, and gets the caller's proof. The proofs are about the session of the one that is called
//! as well: what has the address of a server that is gone cannot pass the greeting on to another one. What is said
//! after that is not encrypted.

use sandshell::store::{Secret, Server};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Its last letter is the version of the greeting.
const MAGIC: &[u8; 8] = b"sandpee2";

/// How long a greeting may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest session in a greeting.
const LONGEST_SESSION: usize = 64;

/// What a connection between servers is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A client's connection is passed on.
    Client = 1,
    /// Sandboxes are used.
    Work = 2,
}

/// Who called.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) purpose: Purpose,
    pub(super) session: String,
}

/// Calls this server.
pub(super) async fn call(
    server: &Server,
    purpose: Purpose,
    session: &str,
    secret: &Secret,
) -> io::Result<TcpStream> {
    within(async {
        let address = &server.address;
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let own = nonce()?;
        let mut hello = MAGIC.to_vec();
        hello.extend([purpose as u8, u8::try_from(session.len()).map_err(io::Error::other)?]);
        hello.extend_from_slice(session.as_bytes());
        hello.extend(own);
        stream.write_all(&hello).await?;
        let (other, proof) = (array(&mut stream).await?, array(&mut stream).await?);
        if !secret.is_proof(&proven("answer", &server.session, &hello, other), proof) {
            return Err(io::Error::other(format!("{address} does not know the secret of this store")));
        }
        stream.write_all(&secret.proof(&proven("caller", &server.session, &hello, other))).await?;
        Ok(stream)
    })
    .await
}

/// Answers a call of the server with this session. An error also tells that whoever called is no server on this store,
/// or called another one.
pub(super) async fn answer(stream: &mut TcpStream, called: &str, secret: &Secret) -> io::Result<Caller> {
    within(async {
        stream.set_nodelay(true)?;
        let mut hello = [0; MAGIC.len() + 2].to_vec();
        stream.read_exact(&mut hello).await?;
        let [rest @ .., purpose, length] = &hello[..] else { return Err(stranger()) };
        let purpose = match purpose {
            1 => Purpose::Client,
            2 => Purpose::Work,
            _ => return Err(stranger()),
        };
        let length = usize::from(*length);
        if rest != MAGIC || length > LONGEST_SESSION {
            return Err(stranger());
        }
        let mut session = vec![0; length];
        stream.read_exact(&mut session).await?;
        hello.extend_from_slice(&session);
        let session = String::from_utf8(session).map_err(|_| stranger())?;
        hello.extend(array(stream).await?);
        let own = nonce()?;
        let proof = secret.proof(&proven("answer", called, &hello, own));
        stream.write_all(&[own, proof].concat()).await?;
        let proof = array(stream).await?;
        if !secret.is_proof(&proven("caller", called, &hello, own), proof) {
            return Err(stranger());
        }
        Ok(Caller { purpose, session })
    })
    .await
}

/// What a proof is about: who gives it, what both have said, and the session of the one that is called.
fn proven(who: &str, called: &str, hello: &[u8], answer: [u8; 32]) -> Vec<u8> {
    [who.as_bytes(), hello, &answer, called.as_bytes()].concat()
}

async fn within<T>(greeting: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(PATIENCE, greeting).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

async fn array(stream: &mut TcpStream) -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

fn nonce() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

fn stranger() -> io::Error {
    io::Error::other("no server on this store")
}
