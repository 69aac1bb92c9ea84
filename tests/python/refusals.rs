//! Features that cannot work fail at once with a clear error.

use super::{check, exec};

/// Runs a program that must fail before its timeout; returns its standard error.
fn refused(program: &str) -> String {
    let output = exec::<&str>([], &format!("timeout 20 python3 - <<'END'\n{program}\nEND"));
    assert_eq!(output.status.code(), Some(1), "{program}\n{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn processes_that_share_memory_or_listen() {
    for (program, why) in [
        ("import multiprocessing as m\nm.Value('i', 1)", "processes share no memory in this system"),
        ("import multiprocessing as m\nm.Array('i', 3)", "processes share no memory in this system"),
        ("import multiprocessing as m\nm.Barrier(2)", "processes share no memory in this system"),
        (
            "from multiprocessing.shared_memory import SharedMemory as S\nS(create=True, size=1)",
            "processes share no memory in this system",
        ),
        ("import multiprocessing as m\nm.Manager()", "a manager needs sockets that others can connect to"),
        ("import multiprocessing as m\nm.get_context('fork')", "cannot find context for 'fork'"),
        (
            "import multiprocessing as m\nq = m.Queue(); q.cancel_join_thread()\nfor i in range(70000): q.put(i)",
            "at most 65536 units here",
        ),
        ("import os; os.fork()", "there is no fork in this system"),
    ] {
        let said = refused(program);
        let last = said.lines().last().unwrap_or_default();
        assert!(last.contains(why), "{program}\n{said}");
    }
}

#[test]
fn the_network() {
    for program in [
        "import socket; socket.socket()",
        "import socket; socket.socketpair()[0].bind('/tmp/socket')",
        "import socket; socket.create_connection(('example.org', 80))",
        "import socket; socket.getaddrinfo('example.org', 80)",
        "import urllib.request; urllib.request.urlopen('http://example.org')",
        "import http.client; http.client.HTTPConnection('10.0.0.1').request('GET', '/')",
        "import asyncio; asyncio.run(asyncio.open_connection('127.0.0.1', 80))",
        "import asyncio\nasync def main(): await asyncio.start_server(print, '127.0.0.1', 80)\nasyncio.run(main())",
        "import http.server; http.server.test()",
    ] {
        let said = refused(program);
        assert!(said.contains("this sandbox has no network"), "{program}\n{said}");
    }
}

#[test]
fn indexes() {
    check(
        "python3 -m ensurepip | sed 's/[0-9.]*)$/VERSION)/'",
        0,
        "Requirement already satisfied: pip (VERSION)\n",
    );
    check(
        "timeout 60 pip install requests 2>&1 | tail -1",
        0,
        "pip: this sandbox has no network: packages come from wheels, archives and directories\n",
    );
}

#[test]
fn modules_that_are_not_there() {
    for module in ["readline", "curses", "tkinter", "dbm.gnu"] {
        let said = refused(&format!("import {module}"));
        assert!(said.contains("ModuleNotFoundError: "), "{module}: {said}");
    }
}
