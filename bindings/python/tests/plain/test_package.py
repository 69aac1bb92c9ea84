import subprocess
import sys


def test_importing_brings_little():
    code = "import sys; before = set(sys.modules); import sandshell; print(sorted(set(sys.modules) - before))"
    added = subprocess.run([sys.executable, "-Ic", code], check=True, capture_output=True, text=True).stdout
    for heavy in ("asyncio", "dataclasses", "typing", "json", "importlib.metadata"):
        assert repr(heavy) not in added


def test_the_fixture_is_fresh_seeded_and_has_its_options(pytester):
    pytester.mkdir("data").joinpath("f").write_text("host")
    pytester.makepyfile(
        """
        import pytest

        def test_fresh(sandbox):
            test_fresh.random = sandbox.execute("echo $RANDOM").output
            assert sandbox.execute("ls; echo x > f; date +%Y").output == "2000\\n"

        def test_seeded(sandbox):
            assert sandbox.ls() == []
            assert sandbox.execute("echo $RANDOM").output == test_fresh.random

        @pytest.mark.sandbox(mounts={"/workspace": "data"}, env={"A": "1"})
        def test_marked(sandbox):
            assert sandbox.execute("cat f; echo $A; echo y > f").output == "host1\\n"
        """
    )
    pytester.runpytest("-p", "no:cacheprovider", "--strict-markers").assert_outcomes(passed=3)
    assert pytester.path.joinpath("data/f").read_text() == "host"


def test_sandboxes_from_a_snapshot(pytester):
    pytester.makepyfile(
        """
        import pytest, sandshell

        @pytest.fixture(scope="session")
        def sandbox_snapshot():
            with sandshell.Sandbox(files={"f": "kept"}) as box:
                yield box.snapshot()

        @pytest.mark.parametrize("number", [1, 2])
        def test_it(sandbox, number):
            assert sandbox.execute("cat f; echo more >> f").output == "kept"
        """
    )
    pytester.runpytest("-p", "no:cacheprovider").assert_outcomes(passed=2)


def test_sandboxes_of_a_recording(pytester):
    pytester.makepyfile(
        """
        import pytest, sandshell

        def work(sandbox):
            return sandbox.execute("sort f; date +%s%N").output

        @pytest.fixture(scope="session")
        def cassette(tmp_path_factory):
            file = tmp_path_factory.mktemp("tape") / "cassette.jsonl"
            with sandshell.record("local", file).create(files={"f": "b\\na\\n"}) as box:
                cassette.output = work(box)
            return file

        @pytest.fixture
        def sandbox_provider(cassette):
            return sandshell.replay(cassette, in_order=True)

        @pytest.mark.sandbox(files={"f": "b\\na\\n"})
        @pytest.mark.parametrize("number", [1, 2])
        def test_it(sandbox, number):
            assert work(sandbox) == cassette.output
        """
    )
    pytester.runpytest("-p", "no:cacheprovider").assert_outcomes(passed=2)
