//! Sockets: who reaches whom, what stays within the sandbox, and what a hostile guest cannot do with them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::guest::errno::*;
use common::guest::{At, Guest, I};
use common::{builder, check, command, engine, kernel, run};
use sandshell_runtime::{ExitStatus, Limit, Limits};

/// Where addresses are in a guest's memory, and how long they are.
const ADDRESS: i32 = 400;
const SIZE: i32 = 16;

/// Linux's address of a host and port 8080.
fn address(guest: &mut Guest, host: [u8; 4]) {
    let [a, b, c, d] = host;
    guest.bytes(400, &[2, 0, 0x1f, 0x90, a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/// A socket at address 32 that listens at port 8080.
fn listen(guest: &mut Guest, backlog: i32) {
    address(guest, [127, 0, 0, 1]);
    guest.call("socket", &[I(2), I(1), I(0), I(32)], OK);
    guest.call("bind", &[At(32), I(ADDRESS), I(SIZE)], OK);
    guest.call("listen", &[At(32), I(backlog)], OK);
}

#[tokio::test]
async fn a_child_reaches_its_parent() {
    let mut guest = Guest::new();
    let child = guest.function();
    guest.call("socket", &[I(2), I(1), I(0), I(48)], OK);
    guest.call("connect", &[At(48), I(ADDRESS), I(SIZE)], OK);
    guest.call("send", &[At(48), I(ADDRESS), I(4), I(0), I(0), I(0), I(52)], OK).word(52, 4);
    guest.end(0);
    listen(&mut guest, 5);
    guest.call("clone", &[I(child), I(0), I(0), I(16)], OK);
    guest.call("accept", &[At(32), I(0), I(36)], OK);
    guest.call("recv", &[At(36), I(600), I(100), I(0x100), I(40), I(0), I(0), I(0)], OK).word(40, 4);
    guest.word(600, i32::from_le_bytes([2, 0, 0x1f, 0x90]));
    guest.call("getname", &[At(36), I(0), I(700), I(4), I(44)], OK).word(44, SIZE);
    guest.word(700, i32::from_le_bytes([2, 0, 0x1f, 0x90])).word(704, 0);
    guest.call("wait", &[At(16), I(0), I(512)], OK).word(520, 0);
    check(&kernel(), &guest).await;
}

#[tokio::test]
async fn nothing_outside_of_the_sandbox_is_reached() {
    let mut guest = Guest::new();
    guest.call("socket", &[I(2), I(1), I(0), I(32)], OK);
    for host in [[10, 0, 0, 1], [192, 168, 0, 1], [169, 254, 169, 254], [8, 8, 8, 8], [255, 255, 255, 255]] {
        address(&mut guest, host);
        let [a, b, c, d] = host;
        // The address is data of the module: the last one written is there, so each is stored anew.
        guest.raw(&format!("(i32.store (i32.const 404) (i32.const {}))", i32::from_le_bytes([a, b, c, d])));
        guest.call("connect", &[At(32), I(ADDRESS), I(SIZE)], NETUNREACH);
        guest.call("bind", &[At(32), I(ADDRESS), I(SIZE)], ADDRNOTAVAIL);
    }
    for family in [0, 3, 16, 17, 38, 40, -1] {
        guest.call("socket", &[I(family), I(1), I(0), I(32)], AFNOSUPPORT);
    }
    check(&kernel(), &guest).await;
    // Another sandbox has other ports.
    let (engine, mut server) = (engine(&[]), Guest::new());
    listen(&mut server, 5);
    server.call("accept", &[At(32), I(0), I(36)], OK);
    let one = builder(&engine, &[]).build().unwrap();
    let job = one.spawn(command(&server.wat())).await.unwrap();
    let mut client = Guest::new();
    address(&mut client, [127, 0, 0, 1]);
    client.call("socket", &[I(2), I(1), I(0), I(32)], OK);
    client.call("connect", &[At(32), I(ADDRESS), I(SIZE)], CONNREFUSED);
    client.call("bind", &[At(32), I(ADDRESS), I(SIZE)], OK);
    check(&builder(&engine, &[]).build().unwrap(), &client).await;
    job.kill();
}

#[tokio::test]
async fn a_port_is_taken_as_long_as_its_process_lives() {
    let kernel = kernel();
    let (mut server, mut other) = (Guest::new(), Guest::new());
    listen(&mut server, 5);
    server.print(I(1), "listens");
    server.call("accept", &[At(32), I(0), I(36)], OK);
    address(&mut other, [127, 0, 0, 1]);
    other.call("socket", &[I(2), I(1), I(0), I(32)], OK);
    other.call("bind", &[At(32), I(ADDRESS), I(SIZE)], ADDRINUSE);
    let job = kernel.spawn(command(&server.wat())).await.unwrap();
    let mut free = Guest::new();
    address(&mut free, [127, 0, 0, 1]);
    free.call("socket", &[I(2), I(1), I(0), I(32)], OK);
    free.call("bind", &[At(32), I(ADDRESS), I(SIZE)], OK);
    // It may need a moment to begin.
    while run(&kernel, &other.wat()).await.status != ExitStatus::Exited(0) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    job.kill();
    job.wait().await;
    check(&kernel, &free).await;
}

#[tokio::test]
async fn connections_and_datagrams_stay_within_the_limit_of_pipes() {
    let limits = Limits { pipes: 5, ..Limits::default() };
    let kernel = builder(&engine(&[]), &[]).limits(limits.clone()).build().unwrap();
    let mut guest = Guest::new();
    listen(&mut guest, 100);
    for _ in 0..2 {
        guest.call("socket", &[I(2), I(1), I(0), I(36)], OK);
        guest.call("connect", &[At(36), I(ADDRESS), I(SIZE)], OK);
    }
    guest.call("socket", &[I(2), I(1), I(0), I(36)], OK);
    guest.call("connect", &[At(36), I(ADDRESS), I(SIZE)], MFILE);
    assert_eq!(check(&kernel, &guest).await.limit, Some(Limit::Pipes(5)));
    assert_eq!(kernel.usage().pipes, 0);
    let kernel = builder(&engine(&[]), &[]).limits(limits).build().unwrap();
    let mut guest = Guest::new();
    for _ in 0..5 {
        guest.call("socket", &[I(2), I(2), I(0), I(36)], OK);
    }
    guest.call("socket", &[I(2), I(2), I(0), I(36)], MFILE);
    assert_eq!(check(&kernel, &guest).await.limit, Some(Limit::Pipes(5)));
    assert_eq!(kernel.usage().pipes, 0);
}

#[tokio::test]
async fn who_waits_for_a_socket_ends_at_the_deadline() {
    let mut accepts = Guest::new();
    listen(&mut accepts, 5);
    accepts.ignore("accept", &[At(32), I(0), I(36)]);
    let mut receives = Guest::new();
    receives.call("socket", &[I(2), I(2), I(0), I(32)], OK);
    receives.ignore("recv", &[At(32), I(600), I(9), I(0), I(40), I(0), I(0), I(0)]);
    let mut connects = Guest::new();
    listen(&mut connects, 0);
    for _ in 0..2 {
        connects.call("socket", &[I(2), I(1), I(0), I(36)], OK);
        connects.ignore("connect", &[At(36), I(ADDRESS), I(SIZE)]);
    }
    for guest in [accepts, receives, connects] {
        let kernel = kernel();
        let mut command = command(&guest.wat());
        command.timeout = Some(Duration::from_millis(500));
        let outcome = kernel.spawn(command).await.unwrap().wait().await;
        assert!(outcome.timed_out, "{outcome:?}");
        assert_eq!(kernel.usage().pipes, 0);
    }
}

#[tokio::test]
async fn wrong_addresses_are_errors() {
    let mut guest = Guest::new();
    address(&mut guest, [127, 0, 0, 1]);
    guest.call("socket", &[I(2), I(1), I(0), I(32)], OK);
    guest.call("socket", &[I(10), I(1), I(0), I(36)], OK);
    guest.call("socket", &[I(1), I(1), I(0), I(40)], OK);
    for (size, errno) in [(0, INVAL), (1, INVAL), (3, INVAL), (7, INVAL), (111, INVAL), (-1, INVAL)] {
        guest.call("bind", &[At(32), I(ADDRESS), I(size)], errno);
        guest.call("connect", &[At(32), I(ADDRESS), I(size)], errno);
    }
    guest.call("bind", &[At(36), I(ADDRESS), I(SIZE)], AFNOSUPPORT);
    guest.call("bind", &[At(40), I(ADDRESS), I(SIZE)], INVAL);
    guest.call("bind", &[At(32), I(-8), I(SIZE)], FAULT);
    guest.call("connect", &[I(1), I(ADDRESS), I(SIZE)], NOTSOCK);
    guest.call("connect", &[I(99), I(ADDRESS), I(SIZE)], BADF);
    guest.call("accept", &[At(32), I(0), I(44)], INVAL);
    guest.call("getname", &[At(32), I(1), I(700), I(16), I(44)], NOTCONN);
    guest.call("recv", &[At(32), I(600), I(9), I(0), I(44), I(0), I(0), I(0)], NOTCONN);
    guest.call("getname", &[At(32), I(0), I(-8), I(16), I(44)], FAULT);
    check(&kernel(), &guest).await;
}
