import asyncio
async def f(n):
    await asyncio.sleep(n / 100); return n
async def main():
    print(await asyncio.gather(f(3), f(1), f(2)))
    print([await t for t in asyncio.as_completed([f(3), f(1), f(2)])])
    done, pending = await asyncio.wait([asyncio.create_task(f(1)), asyncio.create_task(f(50))], return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pending)); [t.cancel() for t in pending]
asyncio.run(main())
---
import asyncio
async def main():
    try: await asyncio.wait_for(asyncio.sleep(5), 0.05)
    except asyncio.TimeoutError: print("timeout")
    async with asyncio.timeout(1): print("in time")
    try:
        async with asyncio.timeout(0.01): await asyncio.sleep(1)
    except TimeoutError: print("out")
asyncio.run(main())
---
import asyncio
async def producer(q):
    for i in range(5): await q.put(i); await asyncio.sleep(0)
    await q.put(None)
async def consumer(q):
    while (i := await q.get()) is not None: print(i)
async def main():
    q = asyncio.Queue(2); await asyncio.gather(producer(q), consumer(q))
asyncio.run(main())
---
import asyncio
async def main():
    p = await asyncio.create_subprocess_exec("tr", "a-z", "A-Z", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    print(await p.communicate(b"hello"), p.returncode)
    p = await asyncio.create_subprocess_shell("echo out; echo err >&2; exit 3", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    print(await p.communicate(), p.returncode)
    p = await asyncio.create_subprocess_exec("sleep", "9"); p.kill(); print(await p.wait())
    p = await asyncio.create_subprocess_exec("seq", "3", stdout=asyncio.subprocess.PIPE)
    async for line in p.stdout: print(line)
    print(await p.wait())
asyncio.run(main())
---
import asyncio
async def main():
    async with asyncio.TaskGroup() as g:
        a = g.create_task(asyncio.sleep(0.01, "a")); b = g.create_task(asyncio.sleep(0.02, "b"))
    print(a.result(), b.result())
    async def bad(): raise ValueError("x")
    try:
        async with asyncio.TaskGroup() as g: g.create_task(bad()); g.create_task(asyncio.sleep(5))
    except* ValueError as e: print(e.exceptions)
asyncio.run(main())
---
import asyncio
async def main():
    l, e, s = asyncio.Lock(), asyncio.Event(), asyncio.Semaphore(2)
    async def w(i):
        async with s: await e.wait()
        async with l: print(i)
    t = [asyncio.create_task(w(i)) for i in range(3)]
    await asyncio.sleep(0); e.set(); await asyncio.gather(*t)
asyncio.run(main())
---
import asyncio
async def gen():
    for i in range(3):
        yield i; await asyncio.sleep(0)
async def main():
    print([i async for i in gen()], {i: i async for i in gen()})
    t = asyncio.create_task(asyncio.sleep(9)); await asyncio.sleep(0); t.cancel("why")
    try: await t
    except asyncio.CancelledError as e: print("cancelled", t.cancelled())
    loop = asyncio.get_running_loop(); f = loop.create_future(); loop.call_later(0.01, f.set_result, 5); print(await f)
    r = await asyncio.gather(asyncio.sleep(0, 1), asyncio.sleep(0, 2), return_exceptions=True); print(r)
asyncio.run(main())
---
import asyncio, signal, os
async def main():
    loop = asyncio.get_running_loop(); e = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, e.set); os.kill(os.getpid(), signal.SIGUSR1); await asyncio.wait_for(e.wait(), 2); print("signal")
    r, w = os.pipe(); got = loop.create_future(); loop.add_reader(r, lambda: got.done() or got.set_result(os.read(r, 9))); os.write(w, b"pipe"); print(await got)
asyncio.run(main())
---
import asyncio
async def boom(): raise RuntimeError("b")
try: asyncio.run(boom())
except RuntimeError as e: print(e)
async def leave(): raise SystemExit(3)
asyncio.run(leave())
