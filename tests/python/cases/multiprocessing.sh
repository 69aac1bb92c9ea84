cat > m.py <<'X'
import multiprocessing, os
def square(x): return x * x
def fail(x): raise ValueError(f"no {x}")
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(square, range(10)), pool.apply(square, (7,)), sorted(pool.imap_unordered(square, [3, 1, 2])))
        print(pool.starmap(pow, [(2, 3), (3, 2)]), pool.apply_async(square, (5,)).get(timeout=60))
        try: pool.map(fail, [1])
        except ValueError as e: print("error", e)
X
python3 m.py
---
cat > m.py <<'X'
import concurrent.futures, multiprocessing, os
def work(n): return sum(range(n)), os.getpid() != parent_of(os.getpid())
def parent_of(pid): return os.getppid()
def broken(): os._exit(3)
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as executor:
        print(list(executor.map(work, [10, 100, 1000])), executor.submit(work, 5).result())
        print([f.result() for f in concurrent.futures.as_completed([executor.submit(pow, 2, 10)])])
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as executor:
        try: executor.submit(broken).result()
        except concurrent.futures.process.BrokenProcessPool as e: print(type(e).__name__)
X
python3 m.py
---
cat > m.py <<'X'
import multiprocessing, queue, sys
def worker(tasks, results, lock, event, connection):
    event.wait()
    while (n := tasks.get()) is not None:
        with lock: results.put((n, n * n))
    connection.send({"done": True}); print(connection.recv()); connection.close(); sys.exit(5)
if __name__ == "__main__":
    c = multiprocessing.get_context("spawn")
    tasks, results, lock, event = c.Queue(), c.SimpleQueue(), c.Lock(), c.Event()
    ours, theirs = c.Pipe()
    p = c.Process(target=worker, args=(tasks, results, lock, event, theirs), name="worker"); p.start(); theirs.close()
    for n in (1, 2, 3, None): tasks.put(n)
    print(p.is_alive(), p.exitcode); event.set()
    print([results.get() for _ in range(3)], ours.recv()); ours.send("bye"); p.join(); print(p.exitcode, p)
    try: ours.recv()
    except EOFError: print("end")
    try: tasks.get(timeout=0.1)
    except queue.Empty: print("empty")
X
python3 m.py 2>&1 | sed 's/pid=[0-9]*/pid=N/; s/parent=[0-9]*/parent=N/'
---
cat > m.py <<'X'
import multiprocessing
c = multiprocessing.get_context("spawn")
def take(semaphore, results):
    with semaphore: results.put("taken")
if __name__ == "__main__":
    s, r = c.Semaphore(2), c.Queue()
    print(s.acquire(), s.acquire(timeout=1), s.acquire(False), s.acquire(timeout=0.05))
    p = c.Process(target=take, args=(s, r)); p.start(); p.join(0.3); print(p.is_alive()); s.release(); print(r.get()); p.join(); s.release()
    b = c.BoundedSemaphore(1)
    try: b.release()
    except ValueError as e: print(e)
    l = c.RLock(); print(l.acquire(), l.acquire(), l.release(), l.release())
    try: l.release()
    except AssertionError as e: print(e)
    condition = c.Condition()
    with condition: print(condition.wait(0.05))
    print(c.get_start_method(), c.current_process().name, c.active_children())
X
python3 m.py
---
cat > m.py <<'X'
import multiprocessing, time
def endless():
    while True: time.sleep(1)
def fails(): raise RuntimeError("as planned")
if __name__ == "__main__":
    c = multiprocessing.get_context("spawn")
    p = c.Process(target=endless); p.start(); p.terminate(); p.join(); print(p.exitcode)
    p = c.Process(target=endless, daemon=True); p.start(); p.kill(); p.join(); print(p.exitcode)
    p = c.Process(target=fails); p.start(); p.join(); print(p.exitcode)
    c.Process(target=endless, daemon=True).start(); print("over")
X
python3 m.py 2>err; grep -c 'RuntimeError: as planned' err
