"""Running code with Daytona's official Python SDK."""

import asyncio

from checks import check, main, raises
from daytona import CodeRunParams, CreateSandboxFromSnapshotParams, Daytona, DaytonaError

daytona = Daytona()


@check
def the_quickstart():
    sandbox = daytona.create()
    response = sandbox.process.code_run('print("Sum of 3 and 4 is " + str(3 + 4))')
    assert (response.exit_code, response.result) == (0, "Sum of 3 and 4 is 7\n"), response
    sandbox.delete()


@check
def code_runs_once():
    sandbox = daytona.create(CreateSandboxFromSnapshotParams(env_vars={"A": "1"}))
    code = "import os, sys; print(sys.argv[1:], os.environ['A'], os.environ['B'], os.getcwd())"
    response = sandbox.process.code_run(code, CodeRunParams(argv=["x y", "z"], env={"B": "2"}))
    assert response.result == "['x y', 'z'] 1 2 /home/daytona\n", response
    response = sandbox.process.code_run("print('before'); 1 / 0")
    assert response.exit_code == 1 and response.result.startswith("before\nTraceback"), response
    assert "ZeroDivisionError" in response.result and response.artifacts.charts == []
    # The SDK does not translate the errors of this call.
    raises(Exception, lambda: sandbox.process.code_run("while True: pass", timeout=1))
    sandbox.delete()


@check
def typescript_needs_node():
    sandbox = daytona.create(CreateSandboxFromSnapshotParams(language="typescript"))
    told = str(raises(Exception, lambda: sandbox.process.code_run("console.log(1)")))
    assert "typescript needs the command node" in told, told
    # If there is a command of this name, it runs the code.
    sandbox.process.exec("mkdir -p bin && printf '#!/bin/bash\\necho \"$@\"; cat' > bin/node && chmod +x bin/node")
    params = CodeRunParams(argv=["x"], env={"PATH": "/home/daytona/bin:/usr/bin"})
    assert sandbox.process.code_run("console.log(1)", params).result.endswith("- x\nconsole.log(1)")
    sandbox.delete()


@check
def the_interpreter_keeps_its_state():
    sandbox = daytona.create()
    interpreter = sandbox.code_interpreter
    assert interpreter.run_code("x = 1").error is None
    seen = []
    result = interpreter.run_code(
        "import sys\nx += 1\nprint(x)\nprint('e', file=sys.stderr)\nx", on_stdout=lambda message: seen.append(message.output)
    )
    assert (result.stdout, result.stderr, seen) == ("2\n", "e\n", ["2\n"]), result
    error = interpreter.run_code("1 / 0").error
    assert (error.name, error.value) == ("ZeroDivisionError", "division by zero")
    assert interpreter.run_code("exit()").error is None
    sandbox.process.exec("mkdir /tmp/there")
    context = interpreter.create_context(cwd="/tmp/there")
    assert interpreter.run_code("import os; print(os.getcwd())", context=context).stdout == "/tmp/there\n"
    assert interpreter.run_code("x", context=context).error.name == "NameError"
    assert [entry.id for entry in interpreter.list_contexts()] == [context.id]
    envs = {"E": "1"}
    assert interpreter.run_code("print(os.environ['E'])", context=context, envs=envs).stdout == "1\n"
    interpreter.delete_context(context)
    assert interpreter.list_contexts() == []
    raises(DaytonaError, lambda: interpreter.run_code("x", context=context))
    told = str(raises(DaytonaError, lambda: interpreter.run_code("while True: pass", timeout=1)))
    assert "timed out" in told, told
    assert interpreter.run_code("print(x)").stdout == "2\n"
    sandbox.delete()


main()
