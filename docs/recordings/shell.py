#!/usr/bin/env python3
"""Records the interactive shell as an asciicast: `python3 docs/recordings/shell.py PROGRAM > docs/recordings/shell.cast`.

It types on a terminal of its own what is listed below. Times are made up, so that a recording shows how the shell looks
and not how busy the machine was.
"""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import tempfile
import termios
import time

ROWS, COLUMNS = 24, 80
PROMPT = "demo$ "

# What is typed, and what must be seen before the next line is.
STEPS = [
    ("echo 'alpha 1\nbeta 2\ngamma 3' > numbers.txt\r", PROMPT),
    # Tab completes the name of the command and of the file.
    ("awk '{ sum += $2 } END { print sum }' num\t\r", "6"),
    # Ctrl-R finds it again.
    ("\x12awk", "reverse-i-search"),
    ("\r", "6"),
    # A job is stopped, continues in the background and comes back.
    ("sleep 100 | cat\r", ""),
    ("\x1a", "Stopped"),
    ("bg\r", "cat &"),
    ("jobs\r", "Running"),
    ("fg\r", "sleep 100"),
    ("\x03", PROMPT),
    ("complete -W 'build deploy test' task; task() { echo \"doing $1\"; }\r", PROMPT),
    ("task de\t\r", "doing deploy"),
    ("seq 1000 | less\r", ":"),
    ("/50.\r", "500"),
    ("q", PROMPT),
    ("vi numbers.txt\r", "3L"),
    ("Godelta 4\x1b:wq\r", PROMPT),
    ("tail -n 1 numbers.txt\r", "delta 4"),
    ("exit\r", "exit"),
]


def main() -> None:
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        record(program, home)


def record(program: str, home: str) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(home)
        environment = {"HOME": home, "TERM": "xterm-256color", "PATH": "/usr/bin:/bin"}
        os.execve(program, [program, "shell", "--env", f"PS1={PROMPT}"], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    clock = 0.0
    emit({"version": 2, "width": COLUMNS, "height": ROWS, "title": "sandshell shell"})
    shown = wait(terminal, PROMPT)
    emit([round(clock, 3), "o", shown])
    for keys, expected in STEPS:
        clock += 1.0
        last = len(keys) - 1
        for number, key in enumerate(keys):
            clock += 0.06
            os.write(terminal, key.encode())
            shown = wait(terminal, expected if number == last else "")
            if shown:
                emit([round(clock, 3), "o", shown])
    os.waitpid(child, 0)


def wait(terminal: int, expected: str) -> str:
    """What is shown until `expected` has come and nothing more does."""
    shown = b""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        quiet = 0.15 if expected.encode() in shown else 5.0
        if not select.select([terminal], [], [], quiet)[0]:
            if expected.encode() not in shown:
                raise SystemExit(f"{expected!r} does not come: {shown!r}")
            break
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    return shown.decode(errors="replace")


def emit(line: object) -> None:
    print(json.dumps(line, ensure_ascii=False))


main()
