//! Sockets: streams and datagrams between processes of the sandbox, and to nowhere else. `socket(7)`, `tcp(7)`,
//! `udp(7)` and `unix(7)` say what they do.

pub(crate) mod address;
pub(crate) mod datagram;
pub(crate) mod listener;
pub(crate) mod names;
pub(crate) mod options;
pub(crate) mod stream;

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use super::Ready;
use super::pipe::{CAPACITY, Pipe, PipePermit};
use crate::error::{Errno, Result};
use address::Address;
use datagram::{MAX_DATAGRAM, Mailbox};
use listener::Listener;
use names::{Bound, Name, Other, Place};
use options::Options;
use stream::Connection;

/// A family of addresses, with Linux's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Unix = 1,
    Inet = 2,
    Inet6 = 10,
}

/// A kind of socket, with Linux's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Stream = 1,
    Datagram = 2,
}

/// A socket.
pub(crate) struct Socket {
    id: u64,
    pub(crate) family: Family,
    pub(crate) kind: Kind,
    place: Place,
    state: Mutex<State>,
    /// Set once, when it is connected.
    connection: OnceLock<Connection>,
    /// Set once, when it listens.
    listener: OnceLock<Arc<Listener>>,
    /// Of a socket for datagrams.
    mailbox: Option<Arc<Mailbox>>,
}

#[derive(Default)]
struct State {
    /// Taken until it is closed.
    name: Option<Name>,
    local: Option<Address>,
    options: Options,
    /// Where datagrams go, if it is connected.
    peer: Option<Address>,
    attempt: Attempt,
    /// An error that the next operation reports.
    error: Option<Errno>,
    reads_end: bool,
    writes_end: bool,
}

/// A connection that is made while the program does something else.
#[derive(Default)]
enum Attempt {
    #[default]
    None,
    /// The queue of whom it connects to is full.
    Waits(Box<Pending>),
    /// It is over, and the program has not asked yet.
    Over(Result<()>),
}

/// Whom a socket connects to: its address, and what was bound there.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) address: Address,
    pub(crate) bound: Option<Arc<Bound>>,
}

/// A connection that is being made.
pub(crate) struct Pending {
    listener: Arc<Listener>,
    /// Both sides, until they are where they belong.
    own: Option<Connection>,
    others: Option<Connection>,
}

/// What makes pipes, within the sandbox's limits.
pub(crate) type NewPipe<'a> = &'a dyn Fn() -> Result<Arc<Pipe>>;

impl Socket {
    /// A socket without a name. `permit` is for the datagrams that wait, for a socket of that kind.
    pub(crate) fn new(
        id: u64,
        place: Place,
        family: Family,
        kind: Kind,
        permit: Option<PipePermit>,
    ) -> Socket {
        Socket {
            id,
            family,
            kind,
            place,
            state: Mutex::default(),
            connection: OnceLock::new(),
            listener: OnceLock::new(),
            mailbox: permit.map(|permit| Arc::new(Mailbox::new(permit))),
        }
    }

    /// Two sockets that are joined with each other.
    pub(crate) fn pair(
        ids: (u64, u64),
        places: (Place, Place),
        one: &Arc<Pipe>,
        other: &Arc<Pipe>,
    ) -> (Socket, Socket) {
        let nameless = || Address::unspecified(Family::Unix);
        let (one, other) = Connection::pair(one, other, (nameless(), nameless()));
        (
            Socket::connected(ids.0, places.0, Family::Unix, one),
            Socket::connected(ids.1, places.1, Family::Unix, other),
        )
    }

    /// A socket with a connection.
    pub(crate) fn connected(id: u64, place: Place, family: Family, connection: Connection) -> Socket {
        let socket = Socket::new(id, place, family, Kind::Stream, None);
        socket.state.lock().local = Some(connection.local.clone());
        socket.connection.get_or_init(|| connection);
        socket
    }

    /// Gives it an IP address. `EINVAL` if it has one.
    pub(crate) fn bind(&self, address: SocketAddr) -> Result<()> {
        self.bind_locked(&mut self.state.lock(), address)
    }

    fn bind_locked(&self, state: &mut State, address: SocketAddr) -> Result<()> {
        if state.local.is_some() {
            return Err(Errno::INVAL);
        }
        let dual = self.family == Family::Inet6 && !state.options.is_v6_only();
        let shared =
            state.options.reuses_port() || self.kind == Kind::Datagram && state.options.reuses_address();
        let (name, port) = self.place.names().take(self.kind, address, dual, shared)?;
        self.put_mailbox(&name);
        state.name = Some(name);
        let mut address = address;
        address.set_port(port);
        state.local = Some(Address::Ip(address));
        Ok(())
    }

    /// Whether it has a name already.
    pub(crate) fn is_bound(&self) -> bool {
        self.state.lock().local.is_some()
    }

    /// Gives it the name of a Unix socket, `address` as the program wrote it. `EINVAL` if it has one.
    pub(crate) fn bind_other(&self, other: Other, address: Address) -> Result<()> {
        let mut state = self.state.lock();
        if state.local.is_some() {
            return Err(Errno::INVAL);
        }
        let name = self.place.names().take_other(other)?;
        name.bound.address.get_or_init(|| address.clone());
        self.put_mailbox(&name);
        state.name = Some(name);
        state.local = Some(address);
        Ok(())
    }

    fn put_mailbox(&self, name: &Name) {
        if let Some(mailbox) = &self.mailbox {
            name.bound.mailbox.get_or_init(|| Arc::downgrade(mailbox));
        }
    }

    /// Accepts connections from now on, so many of which may wait. A socket without an address gets one.
    pub(crate) fn listen(&self, backlog: u32) -> Result<()> {
        if self.kind != Kind::Stream {
            return Err(Errno::NOTSUP);
        }
        if self.connection.get().is_some() {
            return Err(Errno::INVAL);
        }
        let mut state = self.state.lock();
        if state.name.is_none() {
            let Address::Ip(any) = Address::unspecified(self.family) else { return Err(Errno::INVAL) };
            self.bind_locked(&mut state, any)?;
        }
        let listener = self.listener.get_or_init(Arc::default);
        listener.set_backlog(backlog);
        if let Some(name) = &state.name {
            name.bound.listener.get_or_init(|| Arc::downgrade(listener));
        }
        Ok(())
    }

    /// The next connection, as a socket's own.
    pub(crate) fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<Result<Connection>> {
        if self.kind != Kind::Stream {
            return Poll::Ready(Err(Errno::NOTSUP));
        }
        match self.listener.get() {
            Some(listener) => listener.poll_accept(cx),
            None => Poll::Ready(Err(Errno::INVAL)),
        }
    }

    /// Begins to connect a socket for streams.
    pub(crate) fn begin_connecting(&self, target: &Target, new_pipe: NewPipe<'_>) -> Result<Pending> {
        if self.connection.get().is_some() || self.listener.get().is_some() {
            return Err(Errno::ISCONN);
        }
        let listener = target.bound.as_ref().and_then(|bound| bound.listener.get()?.upgrade());
        let listener = listener.ok_or(Errno::CONNREFUSED)?;
        let addresses = (self.local_for(&target.address)?, target.address.clone());
        let (own, others) = Connection::pair(&new_pipe()?, &new_pipe()?, addresses);
        Ok(Pending { listener, own: Some(own), others: Some(others) })
    }

    /// Ready when it is connected, or when it is clear that it will not be.
    pub(crate) fn poll_connect(&self, cx: &mut Context<'_>, pending: &mut Pending) -> Poll<Result<()>> {
        pending.listener.poll_offer(cx, &mut pending.others).map_ok(|()| {
            if let Some(own) = pending.own.take() {
                // Another process that has this socket may have connected it first: then this connection ends.
                let _ = self.connection.set(own);
            }
        })
    }

    /// The address that it has, or gets, when it sends to another.
    fn local_for(&self, target: &Address) -> Result<Address> {
        let mut state = self.state.lock();
        let Address::Ip(target) = target else {
            return Ok(state.local.clone().unwrap_or_else(|| Address::unspecified(self.family)));
        };
        let source = names::source_of(target.ip());
        if state.local.is_none() {
            // Datagrams may go to others later.
            let any = Address::unspecified(self.family);
            let address = match any {
                Address::Ip(any) if self.kind == Kind::Datagram => any,
                _ => SocketAddr::new(source, 0),
            };
            self.bind_locked(&mut state, address)?;
        }
        match &state.local {
            Some(Address::Ip(local)) if local.ip().is_unspecified() => {
                Ok(Address::Ip(SocketAddr::new(source, local.port())))
            }
            Some(local) => Ok(local.clone()),
            None => Err(Errno::INVAL),
        }
    }

    /// Connects a socket that does not wait: `EINPROGRESS` at first, then `EALREADY`, until the outcome is asked for
    /// once. A Unix socket tells it at once, `EAGAIN` for a full queue.
    pub(crate) fn start_connecting(&self, target: &Target, new_pipe: NewPipe<'_>) -> Result<()> {
        let mut cx = Context::from_waker(Waker::noop());
        if self.poll_attempt(&mut cx).is_pending() {
            return Err(Errno::ALREADY);
        }
        if let Attempt::Over(outcome) = std::mem::take(&mut self.state.lock().attempt) {
            return outcome;
        }
        let polled = match self.begin_connecting(target, new_pipe) {
            Ok(mut pending) => match self.poll_connect(&mut cx, &mut pending) {
                Poll::Ready(outcome) => Ok(outcome),
                Poll::Pending => Err(pending),
            },
            Err(errno @ Errno::CONNREFUSED) => Ok(Err(errno)),
            Err(errno) => return Err(errno),
        };
        let attempt = match (polled, self.family) {
            (Ok(outcome), Family::Unix) => return outcome,
            (Err(_), Family::Unix) => return Err(Errno::AGAIN),
            (Ok(outcome), _) => Attempt::Over(outcome),
            (Err(pending), _) => Attempt::Waits(Box::new(pending)),
        };
        self.state.lock().attempt = attempt;
        Err(Errno::INPROGRESS)
    }

    /// Goes on with a connection that is being made. Pending while it waits.
    fn poll_attempt(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state.lock();
        let Attempt::Waits(pending) = &mut state.attempt else { return Poll::Ready(()) };
        let Poll::Ready(outcome) = self.poll_connect(cx, pending) else { return Poll::Pending };
        state.attempt = Attempt::Over(outcome);
        Poll::Ready(())
    }

    /// The outcome of a connection that was begun without waiting. `None` if none was.
    pub(crate) fn poll_outcome(&self, cx: &mut Context<'_>) -> Poll<Option<Result<()>>> {
        self.poll_attempt(cx).map(|()| match std::mem::take(&mut self.state.lock().attempt) {
            Attempt::Over(outcome) => Some(outcome),
            Attempt::None | Attempt::Waits(_) => None,
        })
    }

    /// Its connection, if there is one by now.
    fn connected_by_now(&self) -> Option<&Connection> {
        if self.connection.get().is_none() {
            // What it says is in the state.
            let _ = self.poll_attempt(&mut Context::from_waker(Waker::noop()));
        }
        self.connection.get()
    }

    /// Sets whom a socket for datagrams sends to and receives from.
    pub(crate) fn connect_datagrams(&self, target: Option<Address>) -> Result<()> {
        if let Some(target) = &target {
            let local = self.local_for(target)?;
            self.state.lock().local = Some(local);
        }
        if let Some(mailbox) = &self.mailbox {
            mailbox.receive_only(target.clone());
        }
        self.state.lock().peer = target;
        Ok(())
    }

    /// Sends a datagram, to `target` or whom it is connected to. One of UDP that cannot be delivered is lost.
    pub(crate) fn poll_send_to(
        &self,
        cx: &mut Context<'_>,
        bytes: &[u8],
        target: Option<&Target>,
    ) -> Poll<Result<usize>> {
        self.try_send_to(cx, bytes, target).map_ok(|()| bytes.len())
    }

    fn try_send_to(&self, cx: &mut Context<'_>, bytes: &[u8], target: Option<&Target>) -> Poll<Result<()>> {
        if bytes.len() > MAX_DATAGRAM {
            return Poll::Ready(Err(Errno::MSGSIZE));
        }
        let peer = {
            let mut state = self.state.lock();
            if state.writes_end {
                return Poll::Ready(Err(Errno::PIPE));
            }
            if let Some(errno) = state.error.take() {
                return Poll::Ready(Err(errno));
            }
            state.peer.clone()
        };
        let connected = target.is_none();
        let target = match (target, peer) {
            (Some(target), _) => target.clone(),
            (None, Some(peer)) => Target { bound: self.find(&peer), address: peer },
            (None, None) => {
                let none = if self.family == Family::Unix { Errno::NOTCONN } else { Errno::DESTADDRREQ };
                return Poll::Ready(Err(none));
            }
        };
        let local = match self.local_for(&target.address) {
            Ok(local) => local,
            Err(errno) => return Poll::Ready(Err(errno)),
        };
        let mailbox = target.bound.as_ref().and_then(|bound| bound.mailbox.get()?.upgrade());
        let sent = match mailbox {
            Some(mailbox) => mailbox.poll_put(cx, bytes, &local),
            None => Poll::Ready(Err(Errno::CONNREFUSED)),
        };
        if self.family == Family::Unix {
            return sent;
        }
        if connected && sent == Poll::Ready(Err(Errno::CONNREFUSED)) {
            self.state.lock().error = Some(Errno::CONNREFUSED);
        }
        Poll::Ready(Ok(()))
    }

    /// Receives a datagram: how many bytes it has, of which those were copied that fit, and who sent it.
    pub(crate) fn poll_receive(
        &self,
        cx: &mut Context<'_>,
        buf: &mut [u8],
        peek: bool,
    ) -> Poll<Result<(usize, Address)>> {
        let Some(mailbox) = &self.mailbox else { return Poll::Ready(Err(Errno::INVAL)) };
        {
            let mut state = self.state.lock();
            if let Some(errno) = state.error.take() {
                return Poll::Ready(Err(errno));
            }
            if state.reads_end {
                return Poll::Ready(Ok((0, Address::unspecified(self.family))));
            }
        }
        let received = mailbox.poll_take(cx, peek, |datagram| {
            let count = buf.len().min(datagram.bytes.len());
            buf[..count].copy_from_slice(&datagram.bytes[..count]);
            (datagram.bytes.len(), datagram.from.clone())
        });
        received.map(Ok)
    }

    /// What is bound at an address of its family.
    pub(crate) fn find(&self, address: &Address) -> Option<Arc<Bound>> {
        match address {
            Address::Ip(address) => self.place.names().find(self.kind, *address),
            Address::Unix(name) => self.place.names().find_other(&Other::Abstract(self.kind, name.clone())),
        }
    }

    /// What is bound at a file.
    pub(crate) fn find_other(&self, other: &Other) -> Option<Arc<Bound>> {
        self.place.names().find_other(other)
    }

    /// Reads as `read(2)` does. A socket for datagrams gives the next one, as much of it as fits.
    pub(crate) fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<Result<usize>> {
        if self.kind == Kind::Datagram {
            let room = buf.len();
            return self.poll_receive(cx, buf, false).map_ok(|(size, _)| size.min(room));
        }
        self.poll_receive_stream(cx, buf, false)
    }

    /// Reads a stream as `recv(2)` does; with `peek` the bytes stay.
    pub(crate) fn poll_receive_stream(
        &self,
        cx: &mut Context<'_>,
        buf: &mut [u8],
        peek: bool,
    ) -> Poll<Result<usize>> {
        match self.readable() {
            Ok(connection) if peek => connection.poll_peek(cx, buf),
            Ok(connection) => connection.poll_read(cx, buf),
            Err(errno) => Poll::Ready(Err(errno)),
        }
    }

    /// The connection to read from, or why there is none.
    fn readable(&self) -> Result<&Connection> {
        self.connected_by_now().ok_or_else(|| {
            let refused = self.take_error();
            refused.unwrap_or(if self.family == Family::Unix { Errno::INVAL } else { Errno::NOTCONN })
        })
    }

    /// Writes as `write(2)` does.
    pub(crate) fn poll_write(&self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        if self.kind == Kind::Datagram {
            return self.poll_send_to(cx, buf, None);
        }
        match self.connected_by_now() {
            Some(connection) => connection.poll_write(cx, buf),
            None => Poll::Ready(Err(self.take_error().unwrap_or(if self.family == Family::Unix {
                Errno::NOTCONN
            } else {
                Errno::PIPE
            }))),
        }
    }

    pub(crate) fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<Ready> {
        if let Some(connection) = self.connection.get() {
            return connection.poll_readable(cx);
        }
        if let Some(listener) = self.listener.get().filter(|_| self.listens()) {
            return listener.poll_waits(cx).map(|hangup| Ready { bytes: 1, hangup });
        }
        if let Some(mailbox) = &self.mailbox {
            let state = self.state.lock();
            if state.error.is_some() || state.reads_end {
                return Poll::Ready(Ready { bytes: 0, hangup: state.reads_end });
            }
            drop(state);
            return mailbox.poll_first(cx).map(|size| Ready { bytes: size as u64, hangup: false });
        }
        self.poll_unconnected(cx)
    }

    pub(crate) fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<Ready> {
        if let Some(connection) = self.connection.get() {
            return connection.poll_writable(cx);
        }
        if self.listens() {
            return Poll::Pending;
        }
        if self.mailbox.is_some() {
            return Poll::Ready(Ready { bytes: CAPACITY as u64, hangup: false });
        }
        self.poll_unconnected(cx)
    }

    /// A stream without a connection hangs up, unless the connection is being made.
    fn poll_unconnected(&self, cx: &mut Context<'_>) -> Poll<Ready> {
        match self.poll_attempt(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => Poll::Ready(Ready { bytes: 0, hangup: self.connection.get().is_none() }),
        }
    }

    /// Ends the direction to this socket, the one from it, or both. What was written before can still be read.
    pub(crate) fn shut_down(&self, reads: bool, writes: bool) -> Result<()> {
        if let Some(connection) = self.connection.get() {
            connection.shut_down(reads, writes);
            return Ok(());
        }
        let mut state = self.state.lock();
        match (&self.listener.get(), &self.mailbox) {
            (Some(listener), _) if reads => listener.close(),
            (None, Some(mailbox)) if state.peer.is_some() => {
                state.reads_end |= reads;
                state.writes_end |= writes;
                mailbox.close();
            }
            (Some(_), _) => {}
            _ => return Err(Errno::NOTCONN),
        }
        Ok(())
    }

    /// Bytes that can be read at once.
    pub(crate) fn available(&self) -> usize {
        let noop = &mut Context::from_waker(Waker::noop());
        match (self.connection.get(), &self.mailbox) {
            (Some(connection), _) => connection.available(),
            (None, Some(mailbox)) => match mailbox.poll_first(noop) {
                Poll::Ready(size) => size,
                Poll::Pending => 0,
            },
            (None, None) => 0,
        }
    }

    /// Whether an operation is to fail.
    pub(crate) fn has_error(&self) -> bool {
        let state = self.state.lock();
        state.error.is_some()
            || matches!(state.attempt, Attempt::Over(Err(_)))
            || self.connection.get().is_some_and(Connection::has_error)
    }

    /// The error that `SO_ERROR` reports, once.
    pub(crate) fn take_error(&self) -> Option<Errno> {
        let mut state = self.state.lock();
        if let Attempt::Over(Err(errno)) = state.attempt {
            state.attempt = Attempt::None;
            return Some(errno);
        }
        let error = state.error.take();
        let was_reset = || self.connection.get().is_some_and(Connection::take_error);
        error.or_else(|| was_reset().then_some(Errno::CONNRESET))
    }

    /// Whether there is, or was, anything to read from: all but a stream that was never connected.
    pub(crate) fn was_connected(&self) -> bool {
        self.connection.get().is_some() || self.listens() || self.mailbox.is_some()
    }

    /// Whether it accepts connections. A Unix socket still counts as one that does when it was shut down.
    pub(crate) fn listens(&self) -> bool {
        let closes = self.family != Family::Unix;
        self.listener.get().is_some_and(|listener| !(closes && listener.is_closed()))
    }

    /// Its own address.
    pub(crate) fn local(&self) -> Address {
        if let Some(connection) = self.connection.get() {
            return connection.local.clone();
        }
        self.state.lock().local.clone().unwrap_or_else(|| Address::unspecified(self.family))
    }

    /// The address of whom it is connected to. `ENOTCONN` if there is none.
    pub(crate) fn peer(&self) -> Result<Address> {
        match self.connected_by_now() {
            Some(connection) => Ok(connection.peer.clone()),
            None => self.state.lock().peer.clone().ok_or(Errno::NOTCONN),
        }
    }

    /// The options of a socket that this one accepts.
    pub(crate) fn pass_options(&self, accepted: &Socket) {
        accepted.state.lock().options = self.state.lock().options.clone();
    }

    pub(crate) fn option(&self, level: u32, name: u32) -> Result<u32> {
        self.state.lock().options.get(self.family, self.kind, level, name)
    }

    pub(crate) fn set_option(&self, level: u32, name: u32, value: u32) -> Result<()> {
        self.state.lock().options.set(self.family, self.kind, level, name, value)
    }

    /// A number that is unique in the sandbox.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Some(listener) = self.listener.get() {
            listener.close();
        }
        if let Some(mailbox) = &self.mailbox {
            mailbox.close();
        }
        if self.state.lock().options.resets()
            && let Some(connection) = self.connection.get()
        {
            connection.reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::names::Names;
    use super::*;

    fn cx() -> Context<'static> {
        Context::from_waker(Waker::noop())
    }

    fn ip(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    fn stream(names: &Arc<Names>) -> Socket {
        Socket::new(1, names.place().expect("a place"), Family::Inet, Kind::Stream, None)
    }

    fn datagrams(names: &Arc<Names>) -> Socket {
        let permit = PipePermit::take(&Arc::new(AtomicU32::new(0)), 1).ok();
        Socket::new(1, names.place().expect("a place"), Family::Inet, Kind::Datagram, permit)
    }

    fn listening(names: &Arc<Names>, at: &str, backlog: u32) -> Socket {
        let socket = stream(names);
        socket.bind(ip(at)).expect("it is free");
        socket.listen(backlog).expect("it listens");
        socket
    }

    fn new_pipe() -> Result<Arc<Pipe>> {
        Ok(Pipe::new(1, None))
    }

    fn target(socket: &Socket, at: &str) -> Target {
        let address = Address::Ip(ip(at));
        Target { bound: socket.find(&address), address }
    }

    fn connect(socket: &Socket, at: &str) -> Result<()> {
        let mut pending = socket.begin_connecting(&target(socket, at), &new_pipe)?;
        match socket.poll_connect(&mut cx(), &mut pending) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Err(Errno::AGAIN),
        }
    }

    #[test]
    fn a_connection_has_both_addresses_and_carries_bytes() {
        let names = Arc::default();
        let server = listening(&names, "0.0.0.0:80", 5);
        let client = stream(&names);
        connect(&client, "127.0.0.1:80").expect("a connection");
        let Poll::Ready(Ok(accepted)) = server.poll_accept(&mut cx()) else { panic!("it waits") };
        assert_eq!(accepted.local, Address::Ip(ip("127.0.0.1:80")));
        assert_eq!(accepted.peer, client.local());
        assert_eq!(client.peer(), Ok(Address::Ip(ip("127.0.0.1:80"))));
        assert_eq!(client.poll_write(&mut cx(), b"abc"), Poll::Ready(Ok(3)));
        let mut buf = [0; 9];
        assert_eq!(accepted.poll_peek(&mut cx(), &mut buf), Poll::Ready(Ok(3)));
        assert_eq!(accepted.poll_read(&mut cx(), &mut buf), Poll::Ready(Ok(3)));
        assert_eq!(connect(&client, "127.0.0.1:80"), Err(Errno::ISCONN));
    }

    #[test]
    fn names_are_taken_once_and_free_when_closed() {
        let names = Arc::default();
        let server = listening(&names, "127.0.0.1:80", 5);
        for taken in ["127.0.0.1:80", "0.0.0.0:80"] {
            assert_eq!(stream(&names).bind(ip(taken)), Err(Errno::ADDRINUSE), "{taken}");
        }
        assert_eq!(stream(&names).bind(ip("127.0.0.2:80")), Ok(()));
        assert_eq!(stream(&names).bind(ip("10.0.0.1:80")), Err(Errno::ADDRNOTAVAIL));
        assert_eq!(connect(&stream(&names), "127.0.0.3:80"), Err(Errno::CONNREFUSED));
        drop(server);
        assert_eq!(connect(&stream(&names), "127.0.0.1:80"), Err(Errno::CONNREFUSED));
        assert_eq!(stream(&names).bind(ip("0.0.0.0:80")), Ok(()));
        let shared = || {
            let socket = stream(&names);
            socket.set_option(1, 15, 1).expect("an option");
            socket
        };
        let (one, other) = (shared(), shared());
        assert_eq!((one.bind(ip("127.0.0.1:9")), other.bind(ip("127.0.0.1:9"))), (Ok(()), Ok(())));
    }

    #[test]
    fn there_are_so_many_sockets_and_no_more() {
        let names: Arc<Names> = Arc::default();
        let places: Vec<_> =
            std::iter::repeat_with(|| names.place()).map_while(std::result::Result::ok).collect();
        assert_eq!((places.len(), names.place().is_err()), (16_384, true));
        drop(places);
        assert!(names.place().is_ok());
    }

    #[test]
    fn every_port_is_given_once() {
        let names: Arc<Names> = Arc::default();
        let taken: Vec<_> =
            std::iter::repeat_with(|| names.take(Kind::Stream, ip("127.0.0.1:0"), false, false))
                .map_while(std::result::Result::ok)
                .collect();
        let ports: std::collections::HashSet<u16> = taken.iter().map(|(_, port)| *port).collect();
        assert_eq!((taken.len(), ports.len()), (28_232, 28_232));
        drop(taken);
        assert!(names.take(Kind::Stream, ip("127.0.0.1:0"), false, false).is_ok());
    }

    #[test]
    fn who_comes_when_the_queue_is_full_waits_and_is_connected_later() {
        let names = Arc::default();
        let server = listening(&names, "127.0.0.1:80", 0);
        connect(&stream(&names), "127.0.0.1:80").expect("there is room for one");
        let client = stream(&names);
        let start = || client.start_connecting(&target(&client, "127.0.0.1:80"), &new_pipe);
        assert_eq!((start(), start()), (Err(Errno::INPROGRESS), Err(Errno::ALREADY)));
        assert!(client.poll_writable(&mut cx()).is_pending());
        assert!(server.poll_accept(&mut cx()).is_ready());
        assert!(client.poll_writable(&mut cx()).is_ready());
        assert_eq!((client.take_error(), start(), start()), (None, Ok(()), Err(Errno::ISCONN)));
        let late = stream(&names);
        assert_eq!(late.start_connecting(&target(&late, "127.0.0.1:80"), &new_pipe), Err(Errno::INPROGRESS));
        drop(server);
        let Poll::Ready(ready) = late.poll_writable(&mut cx()) else { panic!("it waits") };
        assert!(ready.hangup && late.has_error());
        assert_eq!((late.take_error(), late.take_error()), (Some(Errno::CONNREFUSED), None));
    }

    #[test]
    fn a_connection_that_nobody_accepts_is_reset() {
        let names = Arc::default();
        let server = listening(&names, "127.0.0.1:80", 5);
        let client = stream(&names);
        connect(&client, "127.0.0.1:80").expect("a connection");
        drop(server);
        assert_eq!(client.poll_read(&mut cx(), &mut [0; 9]), Poll::Ready(Err(Errno::CONNRESET)));
    }

    #[test]
    fn datagrams_keep_their_bounds_and_are_lost_when_there_is_no_room() {
        let names = Arc::default();
        let (one, other) = (datagrams(&names), datagrams(&names));
        one.bind(ip("127.0.0.1:53")).expect("it is free");
        let to = target(&other, "127.0.0.1:53");
        for _ in 0..10_000 {
            assert_eq!(other.poll_send_to(&mut cx(), &[7; 100], Some(&to)), Poll::Ready(Ok(100)));
        }
        let mut buf = [0; 10];
        let Poll::Ready(Ok((size, from))) = one.poll_receive(&mut cx(), &mut buf, false) else {
            panic!("it waits")
        };
        let (Address::Ip(from), Address::Ip(own)) = (from, other.local()) else { panic!("other addresses") };
        // It may send elsewhere, and so has no address of its own yet.
        assert_eq!((size, from.port(), buf), (100, own.port(), [7; 10]));
        assert!(from.ip().is_loopback() && own.ip().is_unspecified());
        let left = std::iter::repeat_with(|| one.poll_receive(&mut cx(), &mut [0; 10], false));
        assert!(left.take_while(Poll::is_ready).count() < CAPACITY / 100);
        assert_eq!(
            other.poll_send_to(&mut cx(), &[7; MAX_DATAGRAM + 1], Some(&to)),
            Poll::Ready(Err(Errno::MSGSIZE))
        );
        other.connect_datagrams(Some(Address::Ip(ip("127.0.0.1:54")))).expect("it is connected");
        assert_eq!(other.poll_write(&mut cx(), b"lost"), Poll::Ready(Ok(4)));
        assert_eq!(other.poll_write(&mut cx(), b"x"), Poll::Ready(Err(Errno::CONNREFUSED)));
    }
}
