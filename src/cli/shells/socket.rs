//! Where the process that keeps a sandbox's sessions listens.

use crate::cli::failure::{Failure, note, path as name_of, reason};
use crate::cli::places;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use tokio::net::{UnixListener, UnixStream};

/// The longest path of a socket (`sun_path` in `unix(7)`, less its final NUL), on the strictest system.
const LONGEST: usize = 103;

/// The socket of a sandbox; an error if there cannot be one. It lies in the directory of the store, which only its user
/// may enter.
pub(super) fn place(id: &str) -> Result<PathBuf, Failure> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.is_empty() || id.starts_with('.') || !id.chars().all(plain) {
        return Err(Failure::about(format!("{id:?}"), "no sandbox has this id"));
    }
    let directory = places::sandboxes()?.directory;
    let place = directory.join("sessions").join(id);
    if place.as_os_str().len() > LONGEST {
        let why = format!("a socket's path has at most {LONGEST} bytes: name a shorter --data-dir");
        return Err(Failure::about(name_of(&place), why));
    }
    Ok(place)
}

/// Connects to the process that keeps the sandbox's sessions; `None` if there is none.
pub(super) async fn connect(id: &str) -> Result<Option<UnixStream>, Failure> {
    // Where no process can listen, none does.
    let Ok(place) = place(id) else { return Ok(None) };
    let stream = match UnixStream::connect(&place).await {
        Ok(stream) => stream,
        // Without a socket, or with one that a killed process has left.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(Failure::about(name_of(&place), reason(&error))),
    };
    same_user(&stream)?;
    Ok(Some(stream))
}

/// Tells the user when the sandbox is in use because a process keeps its sessions, and what to do.
pub(crate) async fn explain(id: &str) {
    if let Ok(Some(_)) = connect(id).await {
        note(&format!("{id}: its sessions keep it in use; `sandshell session end {id}` ends them"));
    }
}

/// Listens. Only the process that has the right to change the sandbox may do so: what lies at the place is then a
/// dead process's.
pub(super) fn listen(id: &str) -> Result<UnixListener, Failure> {
    let place = place(id)?;
    let failed = |error: std::io::Error| Failure::about(name_of(&place), reason(&error));
    if let Some(directory) = place.parent() {
        match std::fs::DirBuilder::new().mode(0o700).create(directory) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
    }
    remove(id);
    UnixListener::bind(&place).map_err(failed)
}

/// Removes the socket.
pub(super) fn remove(id: &str) {
    if let Ok(place) = place(id) {
        // There may be none.
        let _ = std::fs::remove_file(place);
    }
}

/// Whether a killed process has left its socket, and so its shells are lost.
pub(super) async fn is_left(id: &str) -> bool {
    let Ok(place) = place(id) else { return false };
    matches!(UnixStream::connect(&place).await, Err(error) if error.kind() == ErrorKind::ConnectionRefused)
}

/// Refuses whoever is another user, should the directory let one in.
pub(super) fn same_user(stream: &UnixStream) -> Result<(), Failure> {
    let other = stream.peer_cred().map_err(|error| Failure::about("the socket", reason(&error)))?;
    if other.uid() == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    Err(Failure::new("the other end of the socket is another user's"))
}
