"""Forks: the child can create sandboxes of its own, and gets an error at once if it uses those of its parent."""

import asyncio
import concurrent.futures
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading

import pytest
import sandshell

FORK = multiprocessing.get_context("fork")
PATIENCE = 60


def in_child(work):
    """The result of `work` in a forked child, which is killed if it hangs."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        try:
            answer = work()
        except BaseException as error:
            answer = repr(error)
        with os.fdopen(writer, "wb") as file:
            pickle.dump(answer, file)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        answer = file.read()
    assert os.waitpid(child, 0)[1] == 0, "the child hung or crashed"
    return pickle.loads(answer)


def fresh(text="hi"):
    with sandshell.Sandbox(packs=[]) as box:
        box.write("f", text)
        return box.execute(f"cat f | tr a-z A-Z; echo {text}").output


def in_script(code):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_a_child_of_a_process_that_never_ran_anything():
    code = """
        import os, sandshell
        child = os.fork()
        if child == 0:
            print(sandshell.Sandbox(packs=[]).execute("echo child").output, end="", flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(sandshell.Sandbox(packs=[]).execute("echo parent").output, end="")
    """
    assert in_script(code) == "child\nparent\n"


def test_a_child_has_sandboxes_of_its_own_and_its_children_too():
    assert fresh() == "HIhi\n"
    assert in_child(fresh) == "HIhi\n"
    assert in_child(lambda: (fresh("a"), in_child(lambda: fresh("b")), fresh("c"))) == ("Aa\n", "Bb\n", "Cc\n")
    assert fresh() == "HIhi\n"


def test_many_guests_in_a_child_start_from_nothing():
    def work():
        with sandshell.Sandbox(packs=[]) as box:
            # A process's memory is cleared for the next one: leftovers would show here.
            return {box.execute(f"x=$(seq {n} | sort -n | tail -n1); echo ${{y-none}} $x; y=2").output for n in (7,) * 50}

    assert in_child(work) == {"none 7\n"}


def test_an_inherited_sandbox_says_what_to_do():
    box = sandshell.Sandbox(packs=[])
    box.write("f", "kept")
    snapshot, provider = box.snapshot(), sandshell.Provider("local", packs=[])
    uses = [
        lambda: box.execute("echo hi"),
        lambda: asyncio.run(box.aexecute("echo hi")),
        lambda: box.read("f"),
        lambda: box.write("f", "changed"),
        lambda: box.ls(),
        lambda: box.grep("x"),
        lambda: box.glob("*"),
        lambda: box.delete("f"),
        lambda: box.upload_files({"g": "x"}),
        lambda: box.download_files(["f"]),
        lambda: box.mount("/m"),
        lambda: box.diff(),
        lambda: box.snapshot(),
        lambda: box.fork(),
        lambda: box.restore(snapshot),
        lambda: sandshell.Sandbox.from_snapshot(snapshot),
        lambda: provider.create(),
        lambda: list(provider.list()),
    ]

    def failure(use):
        try:
            return use()
        except sandshell.SandboxError as error:
            return error.kind, str(error)

    for kind, message in in_child(lambda: [failure(use) for use in uses]):
        assert kind == "sandbox_ended" and "forked" in message and "spawn" in message
    assert in_child(lambda: (box.id, box.workdir, repr(provider))) == (box.id, box.workdir, repr(provider))
    # A child that ends it, or forgets it, leaves it to its parent.
    in_child(box.close)
    in_child(lambda: box.__exit__(None, None, None))
    assert box.execute("cat f").output == "kept"
    assert sandshell.Sandbox.from_snapshot(snapshot).execute("cat f").output == "kept"
    box.close()


def test_a_child_may_forget_its_parents_sandboxes():
    boxes = [sandshell.Sandbox(packs=[]) for _ in range(3)]
    for box in boxes:
        box.execute("sleep 100 &")
    kept = [box.snapshot() for box in boxes]

    def work():
        import gc

        boxes.clear()
        kept.clear()
        gc.collect()
        return fresh()

    assert in_child(work) == "HIhi\n"
    assert [box.execute("echo x").output for box in boxes] == ["x\n"] * 3


def test_a_fork_while_other_threads_execute():
    with sandshell.Sandbox(packs=[]) as box:
        stop = threading.Event()

        def busy(command):
            while not stop.is_set():
                box.execute(command, timeout=0.2)

        commands = ["while :; do :; done", "echo a | cat", "for i in 1 2 3; do (exit $i); done", "sleep 1"]
        threads = [threading.Thread(target=busy, args=[command]) for command in commands]
        for thread in threads:
            thread.start()
        try:
            assert [in_child(fresh) for _ in range(20)] == ["HIhi\n"] * 20
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert box.execute("echo still").output == "still\n"


def test_a_fork_within_an_event_loop():
    async def work():
        box = sandshell.Sandbox(packs=[])
        running = asyncio.create_task(box.aexecute("sleep 0.3; echo done"))
        await asyncio.sleep(0.05)
        assert in_child(fresh) == "HIhi\n"
        assert (await running).output == "done\n"
        await box.aclose()

    asyncio.run(work())


def test_multiprocessing():
    fresh()
    with FORK.Pool(4) as pool:
        assert pool.map(fresh, ["a", "b", "c", "d"] * 5) == ["Aa\n", "Bb\n", "Cc\n", "Dd\n"] * 5


def test_an_executor_of_processes():
    fresh()
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=FORK) as pool:
        assert list(pool.map(fresh, "abcd")) == ["Aa\n", "Bb\n", "Cc\n", "Dd\n"]


def test_servers_that_fork_workers_beforehand_and_again():
    """As gunicorn does with `--preload`: an application that has used a sandbox, workers that serve, die and are replaced."""
    code = """
        import os, sandshell
        application = sandshell.Sandbox(packs=[])
        application.write("greeting", "hello")
        greeting = application.read("greeting").text
        for generation in range(3):
            workers = []
            for number in range(3):
                worker = os.fork()
                if worker == 0:
                    for request in range(3):
                        with sandshell.Sandbox(packs=[], files={"g": greeting}) as box:
                            assert box.execute("cat g | wc -c").output == "5\\n"
                    # The interpreter takes itself down, with what it inherited.
                    raise SystemExit(0)
                workers.append(worker)
            assert [os.waitpid(worker, 0)[1] for worker in workers] == [0, 0, 0]
        print(application.execute("cat greeting").output)
    """
    assert in_script(code) == "hello\n"


def test_a_signal_handler_that_forks_while_a_call_waits():
    code = """
        import os, signal, sandshell
        box = sandshell.Sandbox(packs=[])
        children = []
        def handler(number, frame):
            child = os.fork()
            if child:
                children.append(child)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            print(box.execute("sleep 0.6; echo parent").output, end="")
        except RuntimeError as error:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 7
    """
    assert in_script(code) == "parent\n"


def test_programs_that_are_started_from_another_thread():
    fresh()
    started = threading.Thread(target=lambda: subprocess.run(["true"], preexec_fn=lambda: None, check=True))
    started.start()
    started.join()
    assert fresh() == "HIhi\n"
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run(["false"], check=True)
