//! `sandshell:kernel/sockets`.

use super::bindings::sandshell::kernel::sockets::Host;
use super::descriptors::insert;
use super::{KernelResult, State, answer, as_waiting_call, number};
use crate::error::Result;
use crate::fd::socket::Socket;
use crate::fd::socket::address::MAX_ADDRESS;
use crate::io::sockets;
use crate::io::transfer::MAX_TRANSFER;

impl State {
    pub(super) fn with_socket<T>(&self, fd: u32, work: impl FnOnce(&Socket) -> Result<T>) -> KernelResult<T> {
        answer(self.description_of(fd).and_then(|description| work(sockets::of(&description)?)))
    }
}

/// More than the longest address is as wrong as one byte too many.
fn address_of(bytes: &[u8]) -> &[u8] {
    bytes.get(..=MAX_ADDRESS).unwrap_or(bytes)
}

impl Host for &mut State {
    fn socket(&mut self, family: u32, kind: u32, cloexec: bool) -> KernelResult<u32> {
        let created = sockets::create(&self.kernel, &self.process, family, kind, false);
        answer(created.and_then(|created| insert(self, created, 0, cloexec)))
    }

    fn bind(&mut self, fd: u32, address: Vec<u8>) -> KernelResult<()> {
        let bind = |socket: &Socket| sockets::bind(&self.kernel, &self.process, socket, address_of(&address));
        self.with_socket(fd, bind)
    }

    fn listen(&mut self, fd: u32, backlog: u32) -> KernelResult<()> {
        self.with_socket(fd, |socket| socket.listen(backlog))
    }

    async fn accept(&mut self, fd: u32, cloexec: bool, waits: bool) -> KernelResult<u32> {
        let listening = self.description_of(fd).map_err(number)?;
        let accept = sockets::accept(&self.kernel, &self.process, &listening, waits, false);
        let accepted = as_waiting_call(&self.process, accept).await.map_err(number)?;
        answer(insert(self, accepted, 0, cloexec))
    }

    async fn connect(&mut self, fd: u32, address: Vec<u8>, waits: bool) -> KernelResult<()> {
        let description = self.description_of(fd).map_err(number)?;
        let address = address_of(&address);
        let connect = sockets::connect(&self.kernel, &self.process, &description, address, waits);
        answer(as_waiting_call(&self.process, connect).await)
    }

    fn name(&mut self, fd: u32, peer: bool) -> KernelResult<Vec<u8>> {
        self.with_socket(fd, |socket| sockets::name(socket, peer))
    }

    async fn send(
        &mut self,
        fd: u32,
        bytes: Vec<u8>,
        flags: u32,
        address: Option<Vec<u8>>,
    ) -> KernelResult<u32> {
        let description = self.description_of(fd).map_err(number)?;
        let address = address.as_deref().map(address_of);
        let bytes = bytes.get(..MAX_TRANSFER).unwrap_or(&bytes);
        let send = sockets::send(&self.kernel, &self.process, &description, bytes, flags, address);
        let sent = as_waiting_call(&self.process, send).await;
        answer(sent.map(|count| u32::try_from(count).unwrap_or(u32::MAX)))
    }

    async fn receive(&mut self, fd: u32, count: u32, flags: u32) -> KernelResult<(Vec<u8>, u32, Vec<u8>)> {
        let description = self.description_of(fd).map_err(number)?;
        let mut bytes = vec![0; (count as usize).min(MAX_TRANSFER)];
        let receive = sockets::receive(&self.process, &description, &mut bytes, flags);
        let received = as_waiting_call(&self.process, receive).await.map_err(number)?;
        bytes.truncate(received.count);
        let size = u32::try_from(received.count).unwrap_or(u32::MAX);
        Ok((bytes, size, received.from.unwrap_or_default()))
    }

    fn get_option(&mut self, fd: u32, level: u32, name: u32) -> KernelResult<u32> {
        self.with_socket(fd, |socket| sockets::option(socket, level, name))
    }

    fn set_option(&mut self, fd: u32, level: u32, name: u32, value: u32) -> KernelResult<()> {
        self.with_socket(fd, |socket| socket.set_option(level, name, value))
    }
}
