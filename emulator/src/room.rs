//! Memory for what clients send and have not been sent yet, over all of them.
//!
//! What a client sends is held until somebody uses it, and what it asks for until it has read it. Both are as slow as
//! the client wants, so there is a budget for all of it.

use bytes::Bytes;
use sandshell_providers::{Error, ErrorKind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::sleep;

/// The unit in which memory is counted. Whatever is held takes at least one.
const UNIT: usize = 1 << 10;

/// What is this short is not counted, where requests are limited by their number.
pub(crate) const SHORT: usize = 64 << 10;

/// How many bytes of each kind are held at the same time.
const BYTES: usize = 2 << 30;

/// What is held. Each kind has a budget of its own, so that none keeps the others out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Bodies whose length was announced. Further ones wait.
    Bodies,
    /// The same of requests that are signed, which only the whole body proves: anybody can begin one.
    Unproven,
    /// What arrives in pieces until somebody takes it. Further pieces are refused.
    Pieces,
    /// What clients have asked for and have not read. Further answers are refused.
    Answers,
}

static BODIES: Semaphore = Semaphore::const_new(BYTES / UNIT);
static UNPROVEN: Semaphore = Semaphore::const_new(BYTES / UNIT);
static PIECES: Semaphore = Semaphore::const_new(BYTES / UNIT);
static ANSWERS: Semaphore = Semaphore::const_new(BYTES / UNIT);

/// How many wait for room for bodies, of either kind.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// How often it is looked whether somebody waits.
const LOOK: Duration = Duration::from_millis(500);

/// Somebody who waits for room.
struct Waiting;

impl Waiting {
    fn new() -> Self {
        WAITING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Ends after this time, as soon as somebody waits for room for a body.
pub(crate) async fn wanted_after(time: Duration) {
    sleep(time).await;
    while WAITING.load(Ordering::SeqCst) == 0 {
        sleep(LOOK).await;
    }
}

/// A part of the memory for clients. It is given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    what: What,
    permit: Option<SemaphorePermit<'static>>,
}

/// The bytes do not fit into what clients may have together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full(What);

impl What {
    fn units(self) -> &'static Semaphore {
        match self {
            Self::Bodies => &BODIES,
            Self::Unproven => &UNPROVEN,
            Self::Pieces => &PIECES,
            Self::Answers => &ANSWERS,
        }
    }
}

impl Room {
    /// Room for nothing, which can grow.
    pub(crate) fn none(what: What) -> Self {
        Self { what, permit: None }
    }

    /// Room for this many bytes, now.
    pub(crate) fn now(what: What, bytes: usize) -> Result<Self, Full> {
        let units = u32::try_from(bytes.div_ceil(UNIT).max(1)).map_err(|_| Full(what))?;
        let permit = what.units().try_acquire_many(units).map_err(|_| Full(what))?;
        Ok(Self { what, permit: Some(permit) })
    }

    /// Room for this many bytes, as soon as others have given it back. `None` if there is never so much.
    pub(crate) async fn soon(what: What, bytes: usize) -> Option<Self> {
        let units = u32::try_from(bytes.div_ceil(UNIT).max(1)).ok()?;
        if units as usize > BYTES / UNIT {
            return None;
        }
        let _waiting = Waiting::new();
        let permit = what.units().acquire_many(units).await.ok()?;
        Some(Self { what, permit: Some(permit) })
    }

    /// How many bytes it is for.
    pub(crate) fn bytes(&self) -> usize {
        self.permit.as_ref().map_or(0, |permit| permit.num_permits() * UNIT)
    }

    /// Makes it large enough for this many bytes.
    pub(crate) fn reach(&mut self, bytes: usize) -> Result<(), Full> {
        let missing = bytes.saturating_sub(self.bytes());
        if missing > 0 {
            // Not for each of many small pieces.
            let more = Self::now(self.what, missing.max(SHORT))?;
            match (&mut self.permit, more.permit) {
                (Some(own), Some(more)) => own.merge(more),
                (own, more) => *own = more,
            }
        }
        Ok(())
    }

    /// The bytes, together with the room that they take.
    pub(crate) fn holding(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Held { bytes, _room: self })
    }
}

/// The bytes of an answer, with room for them if they are many. They keep it until they are sent.
pub(crate) fn held(bytes: Bytes) -> Result<Bytes, Full> {
    if bytes.len() <= SHORT { Ok(bytes) } else { Ok(Room::now(What::Answers, bytes.len())?.holding(bytes)) }
}

struct Held {
    bytes: Bytes,
    _room: Room,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.0 {
            What::Bodies => "bodies of requests",
            What::Unproven => "bodies of requests that are signed",
            What::Pieces => "input that nobody has taken",
            What::Answers => "answers that nobody has read",
        };
        write!(f, "this server already holds {} MiB of {what}", BYTES >> 20)
    }
}

impl From<Full> for Error {
    fn from(full: Full) -> Self {
        Self::new(ErrorKind::Unavailable, full.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_is_slow_makes_room_for_those_that_wait() {
        let short = Duration::from_millis(10);
        let wanted = tokio::spawn(wanted_after(short));
        sleep(5 * short).await;
        // Another test may wait for a moment.
        let _waiting = Waiting::new();
        tokio::time::timeout(Duration::from_secs(20), wanted).await.expect("it is wanted").expect("no panic");
        let early = tokio::time::timeout(5 * short, wanted_after(Duration::from_secs(60))).await;
        assert!(early.is_err(), "it has its time");
    }

    #[tokio::test]
    async fn room_is_given_back_with_the_bytes() {
        // No other test uses so many bodies.
        let mut room = Room::none(What::Bodies);
        room.reach(BYTES / 2).expect("room");
        room.reach(BYTES).expect("room");
        assert_eq!(room.bytes(), BYTES);
        assert_eq!(Room::now(What::Bodies, 1).err(), Some(Full(What::Bodies)));
        assert!(Room::now(What::Answers, 1).is_ok());
        let bytes = room.holding(Bytes::from_static(b"x"));
        let part = bytes.slice(..1);
        drop(bytes);
        assert!(Room::now(What::Bodies, 1).is_err());
        drop(part);
        assert!(Room::now(What::Bodies, BYTES).is_ok());
        assert!(Room::soon(What::Bodies, BYTES + 1).await.is_none());
        assert!(Room::soon(What::Bodies, 1).await.is_some());
    }
}
