"""Checks that no crate is compiled twice: wasmtime and Cranelift are most of a build, and the guests' build script has
them as well as the program. One setting of a profile that differs is enough for a second compilation.

`python3 .ci/once.py [OPTIONS OF CARGO BUILD]`; without options, the README's first command is checked.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict

# Only an unstable option of cargo tells what will be compiled.
options = sys.argv[1:] or ["--release"]
command = ["cargo", "build", "--locked", *options, "--unit-graph", "-Z", "unstable-options"]
told = subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, "RUSTC_BOOTSTRAP": "1"})
compiled = defaultdict(list)
for unit in json.loads(told.stdout)["units"]:
    if unit["mode"] == "build" and {"lib", "rlib", "proc-macro"} & set(unit["target"]["kind"]):
        compiled[unit["pkg_id"]].append(unit)
twice = {name: units for name, units in compiled.items() if len(units) > 1}
for name, (one, other, *_) in twice.items():
    print(f"{name.split('#')[-1]} is compiled {len(twice[name])} times")
    for key in ("features", "platform", "profile"):
        if one[key] != other[key]:
            print(f"  {key}: {one[key]}\n  {' ' * len(key)}  {other[key]}")
print(f"crates: {len(compiled)}, compiled more than once: {len(twice)}")
sys.exit(bool(twice))
