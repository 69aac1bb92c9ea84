"""Commands of LangSmith's sandboxes as server-sent events, which a variable enables in its Python SDK."""

import os

os.environ["LANGSMITH_EXPERIMENTAL_FEATURES"] = "sandbox_sse_exec"

from checks import check, main, raises
from langsmith.sandbox import CommandTimeoutError, SandboxClient

CLIENT = SandboxClient()


@check
def commands():
    with CLIENT.sandbox() as box:
        done = box.run("echo out; echo err >&2; echo $A; pwd; exit 3", env={"A": "1 2"}, cwd="/tmp")
        assert (done.stdout, done.stderr, done.exit_code) == ("out\n1 2\n/tmp\n", "err\n", 3)
        assert box.run("cat").exit_code == 0
        raises(CommandTimeoutError, lambda: box.run("sleep 30", timeout=1))


@check
def streams():
    with CLIENT.sandbox() as box:
        handle = box.run("printf '\\303'; sleep 0.2; printf '\\274\\n'; echo two", wait=False)
        assert handle.result.stdout == "ü\ntwo\n"
        later = box.reconnect(handle.command_id, stdout_offset=len("ü\n".encode()))
        assert later.result.stdout == "two\n"


main()
