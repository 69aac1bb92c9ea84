import threading

import pytest
import sandshell


def test_streams_status_and_order():
    with sandshell.Sandbox() as box:
        result = box.execute("printf 'b\\na\\n' | sort; echo oops >&2; exit 3")
    assert (result.stdout, result.stderr, result.exit_code) == ("a\nb\n", "oops\n", 3)
    assert result.output == "a\nb\noops\n"
    assert (result.truncated, result.timed_out, result.limits) == (False, False, [])
    assert result.duration > 0


def test_bytes_are_not_harmed():
    with sandshell.Sandbox() as box:
        result = box.execute("cat", stdin=bytes(range(256)))
    assert result.stdout_bytes == bytes(range(256))
    assert "\ufffd" in result.stdout


def test_where_and_with_what_a_command_runs():
    with sandshell.Sandbox(env={"A": "1"}, workdir="/home/user/work") as box:
        assert box.execute("pwd; echo $A$B", env={"B": "2"}).output == "/home/user/work\n12\n"
        assert box.execute("pwd", cwd="/tmp").output == "/tmp\n"
        assert box.execute("cd /; export C=3").exit_code == 0
        assert box.execute("pwd; echo ${C-none}").output == "/home/user/work\nnone\n"


def test_a_timeout_is_an_answer():
    with sandshell.Sandbox(timeout=0.2) as box:
        result = box.execute("echo begun; sleep 100")
        assert (result.exit_code, result.timed_out, result.output) == (124, True, "begun\n")
        assert [kind for kind, _ in result.limits] == ["wall_time"]
        assert box.execute("sleep 0.3; echo done", timeout=0).output == "done\n"


def test_limits_are_named():
    with sandshell.Sandbox(max_output=4, processes=4) as box:
        result = box.execute("echo 123456")
        assert (result.output, result.truncated) == ("1234", True)
        assert result.limits[0][0] == "output"
        assert "Resource temporarily unavailable" in box.execute("f() { f | f & }; f; wait", max_output=100_000, timeout=5).output


def test_seed_and_clock_repeat_themselves():
    def run():
        with sandshell.Sandbox(seed=7, clock="virtual:2026-01-01T00:00:00Z") as box:
            return box.execute("date; echo $RANDOM; head -c 8 /dev/urandom | od -An -tx1").output

    first = run()
    assert first == run()
    assert first.startswith("Thu Jan  1 00:00:00 UTC 2026\n")


def test_threads_share_a_sandbox_and_the_interpreter_runs_on():
    with sandshell.Sandbox() as box:
        box.write("/tmp/n", "x")
        answers = []
        # Each command waits for all the others, so they would never end if they ran one after another.
        meet = "touch /tmp/met-{0}; until [ $(echo /tmp/met-* | wc -w) = 8 ]; do sleep 0.01; done; echo {0}"
        threads = [
            threading.Thread(target=lambda i=i: answers.append(box.execute(meet.format(i)).output))
            for i in range(8)
        ]
        for thread in threads:
            thread.start()
        # While eight commands wait, this thread still computes.
        assert sum(range(1000)) == 499500
        for thread in threads:
            thread.join()
    assert sorted(answers) == [f"{i}\n" for i in range(8)]


def test_a_signal_handler_that_raises_ends_a_command():
    import signal

    def handler(number, frame):
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with sandshell.Sandbox() as box:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(InterruptedError):
                box.execute("sleep 100")
            assert box.execute("echo usable").output == "usable\n"
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "options",
    [
        {"clock": "noon"},
        {"timeout": -1},
        {"timeout": float("nan")},
        {"mounts": {"/x": "/no/such/directory"}},
        {"mounts": {"relative": None}},
        {"workdir": "relative"},
        {"packs": ["no-such-pack"]},
        {"packs": ["/no/such/pack"]},
        {"files": {"/dev/null/x": "y"}},
    ],
)
def test_impossible_options_are_value_errors(options):
    with pytest.raises(ValueError):
        sandshell.Sandbox(**options)


def test_impossible_arguments_are_value_errors():
    with sandshell.Sandbox() as box:
        for arguments in ({"command": "a\0b"}, {"command": ":", "cwd": "x"}, {"command": ":", "timeout": -1}):
            with pytest.raises(ValueError):
                box.execute(**arguments)


def test_a_closed_sandbox_says_so():
    box = sandshell.Sandbox()
    box.close()
    box.close()
    with pytest.raises(sandshell.SandboxError) as caught:
        box.execute("true")
    assert caught.value.kind == "sandbox_ended"
    with pytest.raises(sandshell.SandboxError):
        box.ls()


def test_ids_differ():
    assert sandshell.Sandbox().id != sandshell.Sandbox().id
