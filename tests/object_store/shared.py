#!/usr/bin/env python3
"""Two machines that share sandboxes through a real server on loopback that speaks S3's protocol or Azure's (`stores.py`).

By hand, as installing the server takes longer than all that it is needed for here. PROGRAM has the features
`object-store` and `langsmith`:

    python3 tests/object_store/shared.py PROGRAM [--store azure] [--kills 20]

A machine is a home directory. One is killed while it writes, again and again; what the other one finds then has at least
every step that was acknowledged, and nothing half done. The same with two servers, of which one serves and the other
stands by: each time the one that serves is killed, the other goes on. And with three that share the work: each step goes to
one of them at random, and one of them at random is killed, again and again.
"""

import argparse
import copy
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stores import STORES

LEASE = 2
# Whose protocol the servers speak.
VENDOR = "langsmith"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", type=Path)
    arguments.add_argument("--kills", type=int, default=20)
    arguments.add_argument("--server-kills", type=int, default=8)
    arguments.add_argument("--store", choices=STORES, default="s3")
    arguments.add_argument("--tools", type=Path, help="where the server is installed, to keep it",
                           default=Path(tempfile.gettempdir()) / "sandshell-object-stores")
    asked = arguments.parse_args()
    with tempfile.TemporaryDirectory() as at, STORES[asked.store](asked.tools / asked.store, Path(at)) as store:
        store.make_bucket()
        machines = [Machine(asked.program.resolve(), Path(at) / name, store) for name in ("one", "other")]
        goes_on(*machines)
        bad_input(machines[0], store)
        killed(*machines, asked.kills)
        servers(*machines, asked.server_kills)
        together(machines[0], Path(at), asked.server_kills)
    print("object store: 5 passed, 0 failed")


class Machine:
    def __init__(self, program, home, store):
        self.program, self.home = program, home
        home.mkdir()
        self.env = {
            "HOME": str(home),
            "PATH": "/usr/bin:/bin",
            "SANDSHELL_DATA_DIR": f"{store.scheme}://bucket/some/where",
            "SANDSHELL_LEASE": str(LEASE),
            **store.variables(store.url),
        }

    def start(self, *arguments, **more):
        env = {**self.env, **more.pop("env", {})}
        return subprocess.Popen([self.program, *arguments], env=env, cwd=self.home, text=True, **more)

    def run(self, *arguments, status=0, **more):
        process = self.start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        out, err = process.communicate(timeout=120)
        assert process.returncode == status, (arguments, process.returncode, out, err)
        return err if status == 2 else out.strip()


def goes_on(one, other):
    started = time.monotonic()
    sandbox = one.run("create", "--label", "job=7")
    print(f"the first sandbox of a bucket: {time.monotonic() - started:.2f} s")
    one.run("exec", "--sandbox-id", sandbox, "seq 100000 > numbers; echo one > note")
    started = time.monotonic()
    assert other.run("exec", "--sandbox-id", sandbox, "cat note; tail -n 1 numbers") == "one\n100000"
    print(f"its first command on another machine: {time.monotonic() - started:.2f} s")
    started = time.monotonic()
    for step in range(10):
        other.run("exec", "--sandbox-id", sandbox, f"echo {step} > note")
    print(f"a small command after that: {(time.monotonic() - started) / 10:.2f} s")
    assert sandbox in other.run("list", "--label", "job=7")
    one.run("snapshot", sandbox, "--name", "prepared")
    copy = other.run("create", "--snapshot", "prepared")
    assert one.run("exec", "--sandbox-id", copy, "cat note") == "9"
    assert "in use" not in one.run("log", sandbox)
    assert one.run("gc", "--check").endswith(" 0 damaged")
    one.run("gc")
    one.run("delete", copy)


def bad_input(machine, store):
    def refused(why, **env):
        error = machine.run("create", status=2, env=env)
        assert why in error and error.count("\n") == 1, error
        print(f"  {error.strip()}")

    refused("there is no such bucket", SANDSHELL_DATA_DIR=f"{store.scheme}://missing/x")
    refused("cannot be reached", **store.variables("http://127.0.0.1:9"))
    sandbox = machine.run("create")
    at = f"some/where/sandboxes/{sandbox}"
    whole = store.request("GET", at)
    for bytes_, why in [(whole[:-1] + b"?", "damaged"), (whole[:8] + b"\x09" + whole[9:], "use a newer sandshell")]:
        store.request("PUT", at, bytes_)
        error = machine.run("exec", "--sandbox-id", sandbox, "true", status=2)
        assert why in error and error.count("\n") == 1, error
        print(f"  {error.strip()}")
    store.request("DELETE", at)
    assert "there is no sandbox" in machine.run("exec", "--sandbox-id", sandbox, "true", status=2)


def killed(one, other, kills):
    """Kills the writer at random times; a step is acknowledged when its command has ended."""
    sandbox = one.run("create")
    acknowledged, waited = 0, []
    for kill in range(kills):
        writer, reader = (one, other) if kill % 2 else (other, one)
        commands = "; ".join(
            f'"$PROGRAM" exec --sandbox-id {sandbox} "echo $N > a; echo $N > b; head -c 100000 /dev/zero | tr \'\\0\' x > c"'
            f" && echo $N; N=$((N+1))"
            for _ in range(50)
        )
        env = {"PROGRAM": str(writer.program), "N": str(acknowledged + 1)}
        script = subprocess.Popen(
            ["sh", "-c", commands], env={**writer.env, **env}, cwd=writer.home, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )
        time.sleep(random.uniform(0.2, 3))
        os.killpg(script.pid, 9)
        said = script.communicate()[0].split()
        acknowledged = int(said[-1]) if said else acknowledged
        started = time.monotonic()
        a, b, size = reader.run("exec", "--sandbox-id", sandbox, "cat a b 2> /dev/null || echo 0 0; wc -c < c || echo 0").split()
        waited.append(time.monotonic() - started)
        assert a == b, f"half a command: {a} {b}"
        # The last one may be done and not acknowledged.
        assert int(a) in (acknowledged, acknowledged + 1), f"acknowledged {acknowledged}, found {a}"
        acknowledged = int(a)
    print(f"{kills} kills, {acknowledged} steps, none lost; the other went on after {max(waited):.1f} s at most")
    assert one.run("gc", "--check").endswith(" 0 damaged")


class Server:
    """`sandshell serve` on a machine. It writes its variables when it begins to serve."""

    def __init__(self, machine, *more):
        self.machine = machine
        self.variables = machine.home / "variables"
        self.variables.unlink(missing_ok=True)
        # A server keeps its state only where an option says so.
        command = ["--data-dir", machine.env["SANDSHELL_DATA_DIR"], "serve", "--emulate", VENDOR]
        command += ["--port", "0", "--no-packs", "--env-file", self.variables, *more]
        self.process = machine.start(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def serves(self):
        """Waits until it does, and returns what a client needs."""
        for _ in range(1200):
            assert self.process.poll() is None, "a server ended"
            if self.variables.exists() and self.variables.read_text().endswith("\n"):
                words = shlex.split(self.variables.read_text())
                return dict(word.split("=", 1) for word in words if "=" in word)
            time.sleep(0.05)
        raise AssertionError("nobody serves")

    def kill(self):
        os.killpg(self.process.pid, 9)
        self.process.wait()


def servers(one, other, kills):
    """Kills the server that serves while a client writes through it; the client goes on with the other one."""
    client = copy.copy(one)
    client.home = one.home.parent / "client"
    client.home.mkdir()
    client.env = {"HOME": str(client.home), "PATH": "/usr/bin:/bin"}
    serving = Server(one)
    variables = serving.serves()
    standing = Server(other)
    sandbox = client.run("create", "--sandbox", VENDOR, env=variables)
    acknowledged, waited = 0, []
    for _ in range(kills):
        until = time.monotonic() + random.uniform(0.5, 4)
        while True:
            step = acknowledged + 1
            command = f"echo {step} > a; echo {step} > b; head -c 100000 /dev/zero | tr '\\0' x > c"
            exec_ = ["exec", "--sandbox", VENDOR, "--sandbox-id", sandbox, command]
            writer = client.start(*exec_, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if time.monotonic() > until:
                time.sleep(random.uniform(0, 0.3))
                serving.kill()
                acknowledged += writer.wait() == 0
                break
            assert writer.wait() == 0, step
            acknowledged = step
        started = time.monotonic()
        variables = standing.serves()
        found = client.run("exec", "--sandbox", VENDOR, "--sandbox-id", sandbox, "cat a b; wc -c < c", env=variables).split()
        waited.append(time.monotonic() - started)
        assert found[0] == found[1] and found[2] == "100000", f"half a command: {found}"
        # The last one may be done and not acknowledged.
        assert int(found[0]) in (acknowledged, acknowledged + 1), f"acknowledged {acknowledged}, found {found[0]}"
        acknowledged = int(found[0])
        serving, standing = standing, Server(serving.machine)
    serving.kill()
    standing.kill()
    print(f"{kills} servers killed, {acknowledged} steps, none lost; the other served after {max(waited):.1f} s at most")
    assert one.run("gc", "--check").endswith(" 0 damaged")


def together(machine, at, kills):
    """Servers share the work; clients connect to any of them, and any of them is killed."""
    client = copy.copy(machine)
    client.env = {"HOME": str(machine.home.parent / "client"), "PATH": "/usr/bin:/bin"}
    join = ["--join", "127.0.0.1:0"]
    running = []
    for name in ("first", "second", "third"):
        home = copy.copy(machine)
        home.home = at / name
        home.home.mkdir()
        home.env = {**machine.env, "HOME": str(home.home)}
        running.append(Server(home, *join))
        running[-1].serves()
    sandboxes = [client.run("create", "--sandbox", VENDOR, env=running[number % 3].serves()) for number in range(6)]
    acknowledged, steps, waited = [0] * len(sandboxes), 0, 0
    for kill in range(kills):
        until = time.monotonic() + random.uniform(0.5, 4)
        victim = random.randrange(3)
        entrance = random.choice([number for number in range(3) if number != victim])
        while True:
            number = random.randrange(len(sandboxes))
            step = acknowledged[number] + 1
            command = f"echo {step} > a; echo {step} > b; head -c 100000 /dev/zero | tr '\\0' x > c"
            exec_ = ["exec", "--sandbox", VENDOR, "--sandbox-id", sandboxes[number], command]
            env = running[entrance].serves()
            writer = client.start(*exec_, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if time.monotonic() > until:
                time.sleep(random.uniform(0, 0.3))
                running[victim].kill()
                acknowledged[number] += writer.wait() == 0
                break
            assert writer.wait() == 0, (number, step)
            acknowledged[number], steps = step, steps + 1
        started = time.monotonic()
        for number, sandbox in enumerate(sandboxes):
            if not acknowledged[number]:
                continue
            exec_ = ["exec", "--sandbox", VENDOR, "--sandbox-id", sandbox, "cat a b; wc -c < c"]
            found = client.run(*exec_, env=running[entrance].serves()).split()
            assert found[0] == found[1] and found[2] == "100000", f"half a command: {found}"
            # The last one may be done and not acknowledged.
            assert int(found[0]) in (acknowledged[number], acknowledged[number] + 1), (acknowledged[number], found[0])
            acknowledged[number] = int(found[0])
        waited = max(waited, time.monotonic() - started)
        running[victim] = Server(running[victim].machine, *join)
        running[victim].serves()
    for server in running:
        server.kill()
    print(f"{kills} of three servers killed, {steps} steps, none lost; all sandboxes went on after {waited:.1f} s at most")
    assert machine.run("gc", "--check").endswith(" 0 damaged")


if __name__ == "__main__":
    sys.exit(main())
