"""Sessions on a terminal."""

import asyncio

import pytest
import sandshell


def test_a_shell_has_a_screen():
    with sandshell.Sandbox() as box, box.terminal(rows=10, columns=40) as terminal:
        terminal.type("PS1='> '; clear() { printf '\\e[H\\e[2J'; }\r")
        screen = terminal.type("clear; stty size; read -p 'name? ' n\r")
        assert (screen.text, screen.size, screen.cursor, screen.settled) == ("10 40\nname?", (10, 40), (1, 6), True)
        screen = terminal.type("me\recho got $n\r")
        assert screen.text.splitlines()[-2:] == ["got me", ">"]
        assert screen.ended is None and screen.restarted is None
        terminal.resize(5, 20)
        assert "5 20" in terminal.type("stty size\r").text
        late = terminal.type("sleep 100\r", wait=0.3, until="never")
        assert not late.settled
        assert terminal.type("\x03").settled
        assert terminal.screen().size == (5, 20)
        assert box.sessions() == ["terminal"]
        assert terminal.type("exit 3\r", wait=10, until="never").ended == 3
        assert "name" not in terminal.type("\r").text
        assert terminal.name == "terminal" and "terminal" in repr(terminal)


def test_event_loops():
    async def main():
        async with await sandshell.Sandbox.acreate() as box, box.terminal("a") as terminal:
            await terminal.atype("x=1\r")
            await terminal.aresize(7, 30)
            await terminal.ascreen()
            text = (await terminal.atype("echo [$x] $LINES\r")).text
            await terminal.aclose()
            return text

    assert "[1] 7" in asyncio.run(main())


def test_what_is_refused():
    with sandshell.Sandbox() as box:
        for rows, columns in ((0, 80), (24, 0), (70000, 80), (24, 5000)):
            with pytest.raises(ValueError, match="rows|columns"):
                box.terminal("x", rows=rows, columns=columns).screen()
        box.terminal("one").screen()
        with pytest.raises(sandshell.SandboxError, match="terminal"):
            box.session("one").execute("true")
        box.session("two").execute("true")
        with pytest.raises(sandshell.SandboxError, match="no terminal"):
            box.terminal("two").screen()
