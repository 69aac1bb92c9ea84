"""Shells that live."""

import asyncio

import pytest
import sandshell


def test_a_shell_keeps_what_it_has():
    with sandshell.Sandbox() as box, box.session("main") as session:
        assert session.execute("x=1; cd /tmp; f() { echo $x in $PWD; }").result.exit_code == 0
        assert session.execute("f").result.stdout == "1 in /tmp\n"
        answer = session.execute("cat; echo oops >&2; (exit 3)", stdin="given\n")
        assert (answer.result.stdout, answer.result.stderr, answer.result.exit_code) == ("given\n", "oops\n", 3)
        assert answer.restarted is None and not answer.ended and answer.background == ""
        assert box.session("other").execute("echo [$x]").result.stdout == "[]\n"
        assert session.name == "main" and "main" in repr(session)
        assert box.sessions() == ["main", "other"]
        box.session("other").close()
        assert asyncio.run(box.asessions()) == ["main"]


def test_it_is_started_again_and_says_so():
    with sandshell.Sandbox() as box:
        session = box.session()
        assert session.execute("exit 7").ended
        pid = session.execute("echo $$").result.stdout
        box.execute(f"kill -9 {pid}")
        assert "killed by signal 9" in session.execute("true").restarted
        late = session.execute("sleep 100", timeout=0.2)
        assert late.result.timed_out and late.result.exit_code == 124 and not late.ended


def test_jobs_write_later():
    with sandshell.Sandbox() as box:
        session = box.session()
        session.execute("(sleep 0.1; echo from the job) &")
        assert "from the job\n" in session.execute("sleep 0.5; echo now").result.stdout
        session.execute("(sleep 0.2; echo later) & true")
        box.execute("sleep 0.6")
        assert session.output() == "later\n"
        assert session.output() == ""


def test_event_loops():
    async def main():
        async with await sandshell.Sandbox.acreate() as box, box.session("a") as session:
            await session.aexecute("x=1")
            running = asyncio.create_task(session.aexecute("sleep 100"))
            await asyncio.sleep(0.2)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            await session.aoutput()
            found = (await session.aexecute("echo $x")).result.stdout
            await session.aclose()
            return found

    assert asyncio.run(main()) == "1\n"


def test_what_is_refused():
    with sandshell.Sandbox() as box:
        for name in ("", "a\nb"):
            with pytest.raises(ValueError, match="session"):
                box.session(name).execute("true")
        with pytest.raises(TypeError):
            box.session(7)
        session = box.session()
        with pytest.raises(ValueError, match="timeout"):
            session.execute("true", timeout=-1)
    with pytest.raises(sandshell.SandboxError):
        session.execute("true")
