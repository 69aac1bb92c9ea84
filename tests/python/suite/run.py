"""Runs CPython's own tests in sandboxes: `run.py SANDSHELL PACK OUT [MODULE...]`.

PACK is a copy of the installed pack in whose `lib` is CPython's package `test` (Debian: libpython3.14-testsuite and
libpython3.14-stdlib): tests start interpreters that find it only there. OUT gets a line of JSON for each module.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Packages whose modules CPython's runner takes one by one (`SPLITTESTDIRS`).
SPLIT = {"test_asyncio", "test_concurrent_futures", "test_future_stmt", "test_gdb", "test_inspect", "test_pydoc",
         "test_multiprocessing_fork", "test_multiprocessing_forkserver", "test_multiprocessing_spawn"}


def main(sandshell, pack, out, *names):
    """Runs these modules, or all."""
    sandshell, pack = os.path.abspath(sandshell), os.path.abspath(pack)
    tests = Path(pack, "lib", "test")
    names = names or [name for found in modules(tests) for name in
                      ([f"{found}.{part}" for part in modules(tests / found)] if found in SPLIT else [found])]
    with open(out, "a") as file:
        for name in names:
            file.write(json.dumps(one(sandshell, pack, name)) + "\n")
            file.flush()


def modules(directory):
    """The names of the modules and packages of tests in a directory."""
    return sorted({name.removesuffix(".py") for name in os.listdir(directory) if re.fullmatch(r"test_\w+(\.py)?", name)})


def one(sandshell, pack, name):
    """What `one.py` says of a module, or how it ended instead."""
    # Not below the directory of these programs, where tests would write.
    command = [sandshell, "exec", "--timeout", "100s", "--no-packs", "--pack", pack, "--mount", f"{HERE}:/run:ro",
               f"python3 -P -u /run/one.py {name}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    found = re.search(rb"RESULT (.*)", done.stdout)
    if found:
        return json.loads(found[1])
    return {"module": name, "died": done.returncode, "said": done.stderr[-300:].decode(errors="replace")}


if __name__ == "__main__":
    main(*sys.argv[1:])
