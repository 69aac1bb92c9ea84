"""E2B's code interpreter, with its official Python SDK."""

import asyncio
import time

from checks import check, main, raises
from e2b import NotFoundException, SandboxException, TimeoutException
from e2b_code_interpreter import AsyncSandbox, Sandbox


@check
def the_quickstart():
    sandbox = Sandbox.create()
    execution = sandbox.run_code("print('hello world')")
    assert execution.logs.stdout == ["hello world\n"], execution
    assert "home" in [entry.name for entry in sandbox.files.list("/")]
    sandbox.kill()


@check
def state_is_kept():
    with Sandbox.create(envs={"G": "global"}) as sandbox:
        assert sandbox.run_code("x = 1").results == []
        execution = sandbox.run_code("x += 1; x")
        assert (execution.text, execution.error, execution.results[0].is_main_result) == ("2", None, True)
        assert sandbox.run_code("'text'").text == "text"
        assert execution.execution_count == 2
        show = "import os; os.environ.get('A'), os.environ['G'], os.environ['E2B_SANDBOX'], os.getcwd()"
        assert sandbox.run_code(show, envs={"A": "1"}).text == "('1', 'global', 'true', '/home/user')"
        assert sandbox.run_code("os.environ.get('A') is None").text == "True"
        sandbox.run_code("open('f.txt', 'w').write('from code')")
        assert sandbox.files.read("/home/user/f.txt") == "from code"
        assert sandbox.run_code("await __import__('asyncio').sleep(0.01)\n5").text == "5"


@check
def errors():
    with Sandbox.create() as sandbox:
        error = sandbox.run_code("def f():\n    return 1 / 0\nf()").error
        assert (error.name, error.value) == ("ZeroDivisionError", "division by zero")
        assert "line 2, in f" in error.traceback and "kernel" not in error.traceback, error.traceback
        assert sandbox.run_code("x ==== 1").error.name == "SyntaxError"
        # The context keeps working even after the interpreter has ended.
        assert sandbox.run_code("1 + 1").text == "2"
        assert sandbox.run_code("import os; os._exit(3)").error is not None
        assert sandbox.run_code("1 + 2").text == "3"


@check
def output_is_streamed():
    with Sandbox.create() as sandbox:
        seen = []
        code = "import sys, time\nprint('one', flush=True)\ntime.sleep(0.5)\nprint('two', file=sys.stderr)\n'three'"
        execution = sandbox.run_code(
            code,
            on_stdout=lambda message: seen.append((time.monotonic(), message.line)),
            on_stderr=lambda message: seen.append((time.monotonic(), message.line)),
            on_result=lambda result: seen.append((time.monotonic(), result.text)),
        )
        assert sorted(line for _, line in seen) == ["one\n", "three", "two\n"], seen
        assert seen[1][0] - seen[0][0] > 0.3
        assert (execution.logs.stdout, execution.logs.stderr) == (["one\n"], ["two\n"])
        execution = sandbox.run_code("import subprocess; print(subprocess.run(['echo', 'child']).returncode)")
        assert "".join(execution.logs.stdout) == "child\n0\n", execution
        execution = sandbox.run_code("print('x' * 1_000_000)")
        assert len("".join(execution.logs.stdout)) == 1_000_001


@check
def rich_output():
    with Sandbox.create() as sandbox:
        code = """
class Rich:
    def _repr_html_(self): return "<b>x</b>"
    def _repr_png_(self): return b"\\x89PNG"
    def _repr_markdown_(self): return "**x**"
    def _repr_json_(self): return {"x": 1}
    def _repr_mimebundle_(self, include=None, exclude=None): return {"application/x-own": "own"}
from IPython.display import HTML
display(HTML("<i>shown</i>"), 7)
Rich()
"""
        execution = sandbox.run_code(code)
        shown, seven, rich = execution.results
        assert (shown.html, shown.is_main_result, seven.text) == ("<i>shown</i>", False, "7")
        assert (rich.html, rich.markdown, rich.json, rich.png) == ("<b>x</b>", "**x**", {"x": 1}, "iVBORw==")
        assert rich.extra == {"application/x-own": "own"} and rich.is_main_result
        assert {"text", "html", "markdown", "png", "json"} <= set(rich.formats())


@check
def contexts():
    with Sandbox.create() as sandbox:
        sandbox.commands.run("mkdir /tmp/there")
        sandbox.run_code("x = 'default'")
        context = sandbox.create_code_context(cwd="/tmp/there")
        assert (context.language, context.cwd) == ("python", "/tmp/there")
        assert sandbox.run_code("import os; os.getcwd()", context=context).text == "/tmp/there"
        assert sandbox.run_code("x", context=context).error.name == "NameError"
        sandbox.run_code("x = 'own'", context=context)
        assert (sandbox.run_code("x").text, sandbox.run_code("x", context=context).text) == ("default", "own")
        assert len(sandbox.list_code_contexts()) == 2
        sandbox.restart_code_context(context)
        assert sandbox.run_code("x", context=context).error.name == "NameError"
        sandbox.remove_code_context(context)
        raises(NotFoundException, lambda: sandbox.run_code("x", context=context))
        assert len(sandbox.list_code_contexts()) == 1


@check
def what_takes_too_long_is_interrupted():
    with Sandbox.create() as sandbox:
        sandbox.run_code("x = 'kept'")
        raises(TimeoutException, lambda: sandbox.run_code("while True: pass", timeout=1))
        assert sandbox.run_code("x").text == "kept"


@check
def other_languages_are_refused():
    with Sandbox.create() as sandbox:
        for language in ("javascript", "r", "bash"):
            told = str(raises(SandboxException, lambda: sandbox.run_code("1", language=language)))
            assert f"{language}: not emulated" in told, told
        assert sandbox.run_code("1", language="python").text == "1"


@check
def at_the_same_time():
    async def run():
        sandbox = await AsyncSandbox.create()
        await sandbox.run_code("x = []")
        await asyncio.gather(*(sandbox.run_code(f"x.append({n})") for n in range(8)))
        assert (await sandbox.run_code("sorted(x)")).text == str(list(range(8)))
        await sandbox.kill()

    asyncio.run(run())


main()
