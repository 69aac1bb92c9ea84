import asyncio

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
