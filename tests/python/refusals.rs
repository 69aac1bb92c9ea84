//! Features that cannot work fail at once with a clear error.

use super::{check, exec};

/// Runs a program that must fail before its timeout; returns its standard error.
fn refused(program: &str) -> String {
    let output = exec::<&str>([], &format!("timeout 20 python3 - <<'END'\n{program}\nEND"));
    assert_eq!(output.status.code(), Some(1), "{program}\n{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn processes_that_share_memory() {
    for (program, why) in [
        ("import multiprocessing as m\nm.Value('i', 1)", "processes share no memory in this system"),
        ("import multiprocessing as m\nm.Array('i', 3)", "processes share no memory in this system"),
        ("import multiprocessing as m\nm.Barrier(2)", "processes share no memory in this system"),
        (
            "from multiprocessing.shared_memory import SharedMemory as S\nS(create=True, size=1)",
            "processes share no memory in this system",
        ),
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
        "import socket; socket.socket().connect(('10.0.0.1', 80))",
        "import socket; socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))",
        "import socket; socket.socket(2, 2).sendto(b'x', ('8.8.8.8', 53))",
        "import socket; socket.create_connection(('example.org', 80))",
        "import socket; socket.getaddrinfo('example.org', 80)",
        "import urllib.request; urllib.request.urlopen('http://example.org')",
        "import http.client; http.client.HTTPConnection('10.0.0.1').request('GET', '/')",
        "import asyncio; asyncio.run(asyncio.open_connection('169.254.169.254', 80))",
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

#[test]
fn other_users_and_events() {
    for (program, why) in [
        ("import os; os.setuid(0)", "PermissionError: [Errno 1] Operation not permitted"),
        ("import os; os.setresgid(0, -1, -1)", "PermissionError: [Errno 1] Operation not permitted"),
        ("import os; os.setgroups([os.getgid()])", "PermissionError: [Errno 1] Operation not permitted"),
        ("import os; os.initgroups('user', 1000)", "PermissionError: [Errno 1] Operation not permitted"),
        ("import os; os.chroot('/tmp')", "PermissionError: [Errno 1] Operation not permitted: '/tmp'"),
        (
            "import os; os.setpriority(os.PRIO_PROCESS, 0, -1)",
            "PermissionError: [Errno 13] Permission denied",
        ),
        ("import time; time.clock_settime(0, 0)", "PermissionError: [Errno 1] Operation not permitted"),
        ("import subprocess; subprocess.run('true', preexec_fn=print)", "there is no fork"),
        (
            "import subprocess; subprocess.run('true', user=0)",
            "PermissionError: [Errno 1] Operation not permitted",
        ),
        ("import subprocess; subprocess.run('true', extra_groups=[1])", "PermissionError: [Errno 1]"),
        ("import select; select.epoll().fileno()", "an epoll object has no descriptor here"),
        (
            "import os, select; select.epoll().register(os.pipe()[0], select.EPOLLET)",
            "no edge-triggered events here",
        ),
        (
            "import os; os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)",
            "only for the end of a certain child here",
        ),
    ] {
        let said = refused(program);
        let last = said.lines().last().unwrap_or_default();
        assert!(last.contains(why), "{program}\n{said}");
    }
}
