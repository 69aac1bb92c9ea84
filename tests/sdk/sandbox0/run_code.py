"""Sandbox0's interpreters, with its official Python SDK."""

import os

from checks import check, main, raises
from sandbox0 import APIError, Client

CLIENT = Client(token=os.environ["SANDBOX0_TOKEN"], base_url=os.environ["SANDBOX0_BASE_URL"], timeout=60)


@check
def the_quickstart():
    with CLIENT.sandboxes.open("default") as sandbox:
        result = sandbox.run("python", "print('Hello, Sandbox0!')")
        assert result.output_raw == "Hello, Sandbox0!\n", result


@check
def state_is_kept():
    with CLIENT.sandboxes.open("default") as sandbox:
        first = sandbox.run("python", "x = 20")
        assert sandbox.run("python", "x * 2").output_raw == "40\n"
        assert "ZeroDivisionError" in sandbox.run("python", "1 / 0").output_raw
        assert sandbox.run("python", "import os; print(os.getcwd())").output_raw == "/workspace\n"
        (context,) = sandbox.list_contexts()
        assert (context.id, context.type_) == (first.context_id, "repl"), context
        sandbox.restart_context(first.context_id)
        assert "NameError" in sandbox.run("python", "x").output_raw
        sandbox.delete_context(first.context_id)
        assert raises(APIError, lambda: sandbox.run("python", "1")).status_code == 404


main()
