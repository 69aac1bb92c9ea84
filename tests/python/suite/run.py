"""Runs CPython's own tests in sandboxes: `run.py SANDSHELL PACK OUT [MODULE...]`.

PACK is a copy of the installed pack with CPython's package `test` in its `lib` (Debian: libpython3.14-testsuite and
libpython3.14-stdlib): tests start interpreters that find it only there. A line of JSON for each module is written
to OUT.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Packages whose modules CPython's runner runs separately (`SPLITTESTDIRS`).
SPLIT = {"test_asyncio", "test_concurrent_futures", "test_ctypes", "test_future_stmt", "test_gdb", "test_inspect", "test_pydoc",
         "test_multiprocessing_fork", "test_multiprocessing_forkserver", "test_multiprocessing_spawn"}


def main(sandshell, pack, out, *names):
    """Runs these modules, or all modules."""
    sandshell, pack = os.path.abspath(sandshell), os.path.abspath(pack)
    tests = Path(pack, "lib", "test")
    names = names or [name for found in modules(tests) for name in
                      ([f"{found}.{part}" for part in modules(tests / found)] if found in SPLIT else [found])]
    with open(out, "a") as file:
        for name in names:
            file.write(json.dumps(one(sandshell, pack, name)) + "\n")
            file.flush()


def modules(directory):
    """The names of the test modules and packages in a directory."""
    return sorted({name.removesuffix(".py") for name in os.listdir(directory) if re.fullmatch(r"test_\w+(\.py)?", name)})


def one(sandshell, pack, name):
    """The result of `one.py` for a module, or how it ended without one."""
    # Not in the directory of these programs, because tests write files.
    command = [sandshell, "exec", "--timeout", "100s", "--no-packs", "--pack", pack, "--mount", f"{HERE}:/run:ro",
               f"python3 -P -u /run/one.py {name}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    found = re.search(rb"RESULT (.*)", done.stdout)
    if found:
        return json.loads(found[1])
    return {"module": name, "died": done.returncode, "said": done.stderr[-300:].decode(errors="replace")}


if __name__ == "__main__":
    main(*sys.argv[1:])
