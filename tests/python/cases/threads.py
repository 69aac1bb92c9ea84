import threading, time
def work(n):
    for i in range(3):
        done.append((n, i)); time.sleep(0.001)
done = []
threads = [threading.Thread(target=work, args=(n,), name=f"T{n}") for n in range(4)]
for thread in threads: thread.start()
print([thread.name for thread in threads], all(thread.ident for thread in threads))
for thread in threads: thread.join()
print(sorted(done), threading.active_count(), any(thread.is_alive() for thread in threads))
try: threads[0].start()
except RuntimeError as error: print(error)
try: threading.current_thread().join()
except RuntimeError as error: print(error)
---
from concurrent.futures import ThreadPoolExecutor, as_completed, wait, TimeoutError
import time
def square(x):
    time.sleep(0.001 * (5 - x)); return x * x
def fail(): raise KeyError("lost")
with ThreadPoolExecutor(3, thread_name_prefix="P") as pool:
    print(list(pool.map(square, range(5))))
    print(sorted(f.result() for f in as_completed([pool.submit(square, n) for n in range(4)])))
    try: pool.submit(fail).result()
    except KeyError as error: print("KeyError", error)
    slow = pool.submit(time.sleep, 0.1)
    try: slow.result(timeout=0.01)
    except TimeoutError: print("timeout")
    print(len(wait([slow]).done))
try: pool.submit(print)
except RuntimeError as error: print(error)
---
import queue, threading
box, seen = queue.Queue(2), []
def produce():
    for n in range(20): box.put(n)
    box.put(None)
def consume():
    while (n := box.get()) is not None: seen.append(n); box.task_done()
    box.task_done()
threads = [threading.Thread(target=produce), threading.Thread(target=consume)]
for thread in threads: thread.start()
box.join()
for thread in threads: thread.join()
print(seen == list(range(20)), box.empty())
try: box.get(timeout=0.01)
except queue.Empty: print("empty")
simple = queue.SimpleQueue(); threading.Timer(0.01, simple.put, ("late",)).start(); print(simple.get())
ordered = queue.PriorityQueue(); [ordered.put(n) for n in (3, 1, 2)]; print([ordered.get() for _ in range(3)])
---
import threading, time
event, ready = threading.Event(), threading.Condition()
log = []
def waiter():
    event.wait(); log.append("event")
    with ready: ready.wait_for(lambda: "go" in log); log.append("went")
thread = threading.Thread(target=waiter); thread.start(); time.sleep(0.005); log.append("set"); event.set(); time.sleep(0.005)
with ready: log.append("go"); ready.notify_all()
thread.join(); print(log)
barrier, order = threading.Barrier(3), []
def meet(n): order.append("before"); barrier.wait(); order.append("after")
threads = [threading.Thread(target=meet, args=(n,)) for n in range(3)]
[t.start() for t in threads]; [t.join() for t in threads]; print(order)
gate = threading.Semaphore(2); most = now = 0
def limited():
    global now, most
    with gate: now += 1; most = max(most, now); time.sleep(0.002); now -= 1
threads = [threading.Thread(target=limited) for _ in range(6)]; [t.start() for t in threads]; [t.join() for t in threads]; print(most)
lock = threading.RLock()
with lock, lock: print(lock.acquire(blocking=False))
other = []
with lock: t = threading.Thread(target=lambda: other.append(lock.acquire(timeout=0.01))); t.start(); t.join()
print(other)
---
import threading
local = threading.local(); local.x = "main"; seen = []
def own():
    seen.append(hasattr(local, "x")); local.x = threading.current_thread().name; seen.append(local.x)
threads = [threading.Thread(target=own, name=f"n{n}") for n in range(3)]
for t in threads: t.start(); t.join()
print(seen, local.x)
import contextvars
variable = contextvars.ContextVar("v", default="none"); variable.set("main")
found = []; t = threading.Thread(target=lambda: found.append(variable.get())); t.start(); t.join(); print(found, variable.get())
---
#py
import sys, threading
def hook(args): print("hook", args.exc_type.__name__, args.exc_value, args.thread.name)
threading.excepthook = hook
def bad(): raise ValueError("bad")
thread = threading.Thread(target=bad, name="B"); thread.start(); thread.join(); print("goes on", thread.is_alive())
thread = threading.Thread(target=sys.exit, args=(3,)); thread.start(); thread.join(); print("exit in a thread ends only that")
---
#sh
python3 - <<'END' 2>&1 | grep -v '^ '
import threading
def bad(): return 1 / 0
thread = threading.Thread(target=bad, name="B"); thread.start(); thread.join()
print("goes on")
END
echo $? ; python3 -c 'import threading, time
threading.Thread(target=lambda: (time.sleep(0.02), print("last"))).start(); print("main ends")'; echo $?
python3 -c 'import threading, time, atexit
atexit.register(print, "atexit")
threading.Thread(target=time.sleep, args=(100,), daemon=True).start(); print("main ends")'; echo $?
python3 -c 'import threading, os, time
threading.Thread(target=lambda: os._exit(7)).start(); time.sleep(100)'; echo $?
python3 -c 'import threading, time
def loop():
    while True: pass
threading.Thread(target=loop, daemon=True).start(); time.sleep(0.02); print("ends")'; echo $?
---
import threading, time
count, stop = 0, False
def spin():
    global count
    while not stop: count += 1
threads = [threading.Thread(target=spin) for _ in range(3)]
for t in threads: t.start()
time.sleep(0.05); stop = True
for t in threads: t.join()
print(count > 100)
lock, total = threading.Lock(), 0
def add():
    global total
    for _ in range(2000):
        with lock: total += 1
threads = [threading.Thread(target=add) for _ in range(5)]; [t.start() for t in threads]; [t.join() for t in threads]; print(total)
---
import asyncio, threading, time
def slow(n): time.sleep(0.01); return n, threading.current_thread() is threading.main_thread()
async def main():
    ticks = []
    async def tick():
        for n in range(3): ticks.append(n); await asyncio.sleep(0.001)
    results = await asyncio.gather(*(asyncio.to_thread(slow, n) for n in range(3)), tick())
    loop = asyncio.get_running_loop()
    print(results, ticks, await loop.run_in_executor(None, pow, 2, 5))
    future = loop.create_future()
    threading.Thread(target=lambda: loop.call_soon_threadsafe(future.set_result, "from a thread")).start()
    print(await future)
    print(await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asyncio.sleep(0, "done"), loop)))
asyncio.run(main())
---
import os, subprocess, threading, time
reader, writer = os.pipe()
got = []
thread = threading.Thread(target=lambda: got.append(os.read(reader, 100))); thread.start(); time.sleep(0.005)
os.write(writer, b"through"); thread.join(); print(got)
big = b"x" * 300_000
def fill():
    with os.fdopen(writer, "wb") as file: file.write(big)
thread = threading.Thread(target=fill); thread.start()
with os.fdopen(reader, "rb") as file: print(file.read() == big)
thread.join()
answers = []
def run(n): answers.append(subprocess.run(f"sleep 0.02; echo {n}", shell=True, capture_output=True, text=True).stdout)
threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]; [t.start() for t in threads]; [t.join() for t in threads]; print(sorted(answers))
child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
lines = []
thread = threading.Thread(target=lambda: lines.extend(child.stdout)); thread.start()
for n in range(3): child.stdin.write(b"%d\n" % n); child.stdin.flush()
child.stdin.close(); thread.join(); print(lines, child.wait())
---
import signal, threading, time, os
log = []
signal.signal(signal.SIGUSR1, lambda *_: log.append(threading.current_thread() is threading.main_thread()))
thread = threading.Thread(target=lambda: (time.sleep(0.01), os.kill(os.getpid(), signal.SIGUSR1), time.sleep(0.01))); thread.start(); thread.join()
print(log)
event = threading.Event(); threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try: event.wait(10); print("no")
except KeyboardInterrupt: print("interrupted")
try: signal.signal
except ValueError: pass
said = []
def handler():
    try: signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    except ValueError as error: said.append(str(error))
t = threading.Thread(target=handler); t.start(); t.join(); print(said)
---
import threading, sys
def deep(n): return deep(n + 1)
def try_deep():
    try: deep(0)
    except RecursionError as error: out.append("RecursionError")
    nested = []
    for _ in range(100_000): nested = [nested]
    try: repr(nested)
    except RecursionError: out.append("RecursionError in C")
out = []
t = threading.Thread(target=try_deep); t.start(); t.join(); print(out)
for _ in range(300):
    t = threading.Thread(target=out.append, args=(1,)); t.start(); t.join()
print(len(out), threading.stack_size(), sys.getswitchinterval())
---
from multiprocessing.pool import ThreadPool
import multiprocessing.dummy
with ThreadPool(3) as pool:
    print(pool.map(abs, [-1, 2, -3]), list(pool.imap(str, range(3))), pool.apply_async(pow, (2, 4)).get(), pool.starmap(max, [(1, 2)]))
    try: pool.apply(int, ("x",))
    except ValueError as error: print(error)
with multiprocessing.dummy.Pool(2) as pool: print(pool.map(len, ["a", "bc"]))
---
# What the main thread waits in is interrupted while other threads run.
import os, signal, select, subprocess, threading, time
class Stop(Exception): pass
def stop(*_): raise Stop
signal.signal(signal.SIGALRM, stop)
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
r, w = os.pipe(); poll = select.poll(); poll.register(r)
def tried(name, call):
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try: call()
    except Stop: print(name, "stopped")
    else: print(name, "not stopped")
tried("sleep", lambda: time.sleep(20))
tried("select", lambda: select.select([r], [], [], 20))
tried("poll", lambda: poll.poll(20000))
tried("read", lambda: os.read(r, 1))
tried("file", lambda: open(r, "rb", closefd=False).read())
tried("child", lambda: subprocess.run(["sleep", "20"]))
tried("event", lambda: threading.Event().wait(20))
signal.signal(signal.SIGALRM, lambda *_: print("handled"))
signal.setitimer(signal.ITIMER_REAL, 0.1); time.sleep(0.3); print("slept")
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start(); print(signal.sigwait([signal.SIGUSR1]).name)
---
#py
import os, signal, threading, time
os.mkfifo("p")
def h(*_): print("handled", flush=True); os._exit(3)
signal.signal(signal.SIGALRM, h)
signal.setitimer(signal.ITIMER_REAL, 0.2)
threading.Thread(target=lambda: open("p"), daemon=True).start()
time.sleep(20)
---
import os, signal, threading, time, select
# Many interruptions of waits leave nothing behind.
count = 0
def h(*_):
    global count
    count += 1
signal.signal(signal.SIGALRM, h)
r, w = os.pipe()
done = threading.Event()
def worker():
    while not done.is_set(): time.sleep(0.001)
t = threading.Thread(target=worker); t.start()
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
for _ in range(30): select.select([r], [], [], 0.01); time.sleep(0.01)
signal.setitimer(signal.ITIMER_REAL, 0)
done.set(); t.join(); os.write(w, b"x")
print(count > 5, select.select([r], [], [], 5)[0] == [r], os.read(r, 1))
---
import threading
def fails(): raise KeyError("at the end")
threading._register_atexit(fails)
print("kept")
---
import io, os, threading
# Writing waits until all is written, as without threads; only what does not wait writes a part.
r, w = os.pipe()
got = []
def reader():
    while data := os.read(r, 65536): got.append(len(data))
t = threading.Thread(target=reader); t.start()
print(os.write(w, bytes(300_000)), io.FileIO(w, "w", closefd=False).write(bytes(300_000)))
text = io.TextIOWrapper(io.FileIO(w, "w", closefd=False), write_through=True)
text.write("x" * 300_000); text.detach()
os.close(w); t.join(); print(sum(got))
r, w = os.pipe(); os.set_blocking(w, False)
part = os.write(w, bytes(300_000)); print(part < 300_000, len(os.read(r, 300_000)) == part)
os.close(r)
for write in (os.write, lambda fd, data: io.FileIO(fd, "w", closefd=False).write(data)):
    try: write(w, bytes(10_000))
    except OSError as error: print(repr(error))
---
#py
import faulthandler, sys, signal, os, time, threading, io
def attempt(f, *a, **k):
    try: return f(*a, **k)
    except Exception as x: return type(x).__name__
def inner(): faulthandler.dump_traceback(f, all_threads=False); faulthandler.dump_traceback(f.fileno())
f = open("out", "w+"); inner()
faulthandler.register(signal.SIGUSR1, f); os.kill(os.getpid(), signal.SIGUSR1); print(signal.getsignal(signal.SIGUSR1), faulthandler.unregister(signal.SIGUSR1), faulthandler.unregister(signal.SIGUSR1))
def work():
    end = time.monotonic() + 0.4
    while time.monotonic() < end: pass
faulthandler.dump_traceback_later(0.1, file=f); work(); print(faulthandler.cancel_dump_traceback_later())
for i in range(50): faulthandler.dump_traceback_later(5 + i, file=f); faulthandler.cancel_dump_traceback_later()
g = open("repeated", "wb+"); faulthandler.dump_traceback_later(0.05, repeat=True, file=g)
while os.path.getsize("repeated") < 200: time.sleep(0.01)
faulthandler.cancel_dump_traceback_later(); time.sleep(0.1); g.seek(0); print(g.read().count(b"Timeout (0:00:00.050000)!\n") > 1)
faulthandler.dump_traceback_later(1, file=f); faulthandler.dump_traceback_later(0.05, file=f); t = threading.Thread(target=time.sleep, args=(1,)); t.start(); t.join()
signal.signal(signal.SIGUSR2, lambda *a: print("handler")); faulthandler.register(signal.SIGUSR2, f, all_threads=False, chain=True); os.kill(os.getpid(), signal.SIGUSR2); signal.signal(signal.SIGUSR2, lambda *a: print("other")); os.kill(os.getpid(), signal.SIGUSR2)
print(attempt(faulthandler.dump_traceback_later, 0), attempt(faulthandler.dump_traceback_later, "x"), attempt(faulthandler.dump_traceback, -1), attempt(faulthandler.dump_traceback, io.StringIO()), attempt(faulthandler.register, 99), attempt(faulthandler.register, signal.SIGSEGV))
import re
f.seek(0); text = f.read(); text = re.sub("0x[0-9a-f]+", "ID", text); text = re.sub(r'".*/', '"', text); text = re.sub(r'  File "threading.py".*\n', "", text); print(re.sub(r" \[.*\]", "", text)); sys.stdout.flush()
---
#py
import faulthandler, signal, sys, time
f = open("out", "w+"); faulthandler.register(signal.SIGHUP, f, chain=True); faulthandler.dump_traceback_later(0.1, exit=True, file=f)
time.sleep(5)
---
#py
import faulthandler, os, signal, time
f = open("out", "w+"); faulthandler.register(signal.SIGHUP, f, chain=True); os.kill(os.getpid(), signal.SIGHUP); time.sleep(5)
