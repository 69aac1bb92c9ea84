import asyncio

import pytest
import sandshell


def test_the_same_answers_without_blocking():
    async def work():
        async with sandshell.Sandbox() as box:
            await box.awrite("f", "one\ntwo\n")
            ticks = 0

            async def tick():
                nonlocal ticks
                while True:
                    await asyncio.sleep(0.01)
                    ticks += 1

            ticking = asyncio.create_task(tick())
            answers = await asyncio.gather(*(box.aexecute(f"sleep 0.3; echo {i}") for i in range(5)))
            ticking.cancel()
            assert [answer.output for answer in answers] == [f"{i}\n" for i in range(5)]
            assert ticks > 3
            assert (await box.aread("f")).text == "one\ntwo"
            assert (await box.aedit("f", "one", "1")).occurrences == 1
            assert [entry.path for entry in await box.als()] == ["/workspace/f"]
            assert (await box.agrep("two")).matches[0].line == 2
            assert (await box.aglob("*")).matches[0].size == 6
            assert (await box.aupload_files({"g": "x"}))[0].error is None
            assert (await box.adownload_files(["g"]))[0].content == b"x"
            kept = await box.asnapshot()
            await box.adelete("f")
            fork = await box.afork()
            await box.arestore(kept)
            assert len(await box.als()) == 2 and len(await fork.als()) == 1
            await fork.aclose()

    asyncio.run(work())


def test_every_method_that_waits_has_a_twin():
    # Four methods do not wait, and the synchronous variant of `Sandbox.acreate` is the constructor.
    alone = {"keep", "describe", "session", "terminal", "acreate"}
    for kind in (sandshell.Sandbox, sandshell.Snapshot, sandshell.Provider):
        methods = {name for name in vars(kind) if not name.startswith("_") and callable(getattr(kind, name))}
        assert not {name for name in methods if f"a{name}" not in methods and name[1:] not in methods} - alone


def test_twins_of_what_only_takes_long(tmp_path):
    (tmp_path / "f").write_text("old\n")

    async def work():
        provider = sandshell.Provider()
        async with sandshell.Sandbox(packs=[]) as box:
            await box.amount("/mnt/host", tmp_path)
            await box.aexecute("echo new > /mnt/host/f")
            assert "-old\n+new\n" in await box.adiff()
            assert await box.aapply() == 1
            kept = await box.asnapshot()
            async with await sandshell.Sandbox.afrom_snapshot(kept) as other:
                assert (await other.aread("/mnt/host/f")).text == "new"
            await kept.adelete()
            with pytest.raises(sandshell.SandboxError):
                await sandshell.Sandbox.afrom_snapshot(kept)
        async with await provider.acreate() as box:
            listed = [info.id async for info in provider.alist()]
            assert listed == [info.id for info in provider.list()] and len(listed) == 1
            await provider.adelete(listed[0])
            with pytest.raises(sandshell.SandboxError):
                await box.aexecute("true")
        await provider.adelete_snapshot("no such snapshot")

    asyncio.run(work())
    assert (tmp_path / "f").read_text() == "new\n"


def test_cancelling_stops_the_command():
    async def work():
        async with sandshell.Sandbox() as box:
            running = asyncio.create_task(box.aexecute("sleep 100; echo late > /tmp/late"))
            await asyncio.sleep(0.2)
            running.cancel()
            try:
                await running
            except asyncio.CancelledError:
                pass
            for _ in range(100):
                if "sleep" not in (await box.aexecute("ps")).output:
                    return
                await asyncio.sleep(0.05)
            raise AssertionError("the command still runs")

    asyncio.run(work())
