"""Many commands at once take turns."""

import asyncio
import concurrent.futures

import sandshell


def test_two_hundred_calls_at_once():
    async def work():
        async with sandshell.Sandbox(packs=[]) as box:
            command = "seq {} | sort -n | tail -n 1 | cat; sleep 0.01"
            calls = (box.aexecute(command.format(number)) for number in range(1, 201))
            return await asyncio.gather(*calls)

    results = asyncio.run(work())
    assert [result.output for result in results] == [f"{number}\n" for number in range(1, 201)]
    assert {result.exit_code for result in results} == {0} and not any(result.limits for result in results)


def test_threads_too():
    with sandshell.Sandbox(packs=[], processes=24) as box, concurrent.futures.ThreadPoolExecutor(50) as pool:
        results = list(pool.map(lambda number: box.execute(f"echo {number} | cat | cat"), range(50)))
    assert [result.output for result in results] == [f"{number}\n" for number in range(50)]


def test_commands_that_wait_for_each_other_meet():
    async def work():
        async with sandshell.Sandbox(packs=[], processes=32) as box:
            await box.aexecute("mkfifo p1 p2 p3 p4 p5 p6")
            # More commands than can run at a time wait for the last one.
            readers = [asyncio.create_task(box.aexecute(f"read x < p{number}; echo $x")) for number in range(1, 7)]
            writer = asyncio.create_task(box.aexecute("for i in 1 2 3 4 5 6; do echo hi > p$i; done"))
            return [result.output for result in await asyncio.gather(*readers, writer)]

    assert asyncio.run(work()) == ["hi\n"] * 6 + [""]


def test_waiting_counts_as_the_commands_time():
    async def work():
        async with sandshell.Sandbox(packs=[], processes=8) as box:
            first = asyncio.create_task(box.aexecute("sleep 30"))
            second = asyncio.create_task(box.aexecute("sleep 30 & sleep 30 & sleep 30 & sleep 30 & wait"))
            await asyncio.sleep(0.1)
            late = await box.aexecute("echo never", timeout=0.3)
            first.cancel()
            second.cancel()
            return late

    late = asyncio.run(work())
    assert (late.timed_out, late.exit_code, late.output) == (True, 124, "")
    assert [kind for kind, _ in late.limits] == ["wall_time", "processes"]


def test_what_was_left_behind_is_an_error_at_once():
    with sandshell.Sandbox(packs=[], processes=10) as box:
        box.execute("(while :; do sleep 100 & sleep 0.05; done) > /dev/null 2>&1 &")
        for _ in range(600):
            try:
                box.execute("sleep 0.1")
            except sandshell.SandboxError as error:
                assert error.kind == "quota_exceeded" and "process limit of 10" in str(error)
                return
        raise AssertionError("the sandbox was never full")


def test_a_cancelled_call_gives_its_turn_up():
    async def work():
        async with sandshell.Sandbox(packs=[], processes=8) as box:
            running = asyncio.create_task(box.aexecute("sleep 100"))
            await asyncio.sleep(0.05)
            queued = [asyncio.create_task(box.aexecute("sleep 100")) for _ in range(3)]
            await asyncio.sleep(0.05)
            for task in (*queued, running):
                task.cancel()
            return (await box.aexecute("echo now")).output

    assert asyncio.run(work()) == "now\n"
