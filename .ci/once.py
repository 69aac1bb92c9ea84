"""Checks that no crate is compiled twice: wasmtime and Cranelift are most of a build, and the guests' build script has
them as well as the program. One setting of a profile or one feature that differs is enough for a second compilation.

`python3 .ci/once.py [OPTIONS OF CARGO BUILD]`; without options, two builds are checked that share a directory: the
README's first command, and then the whole program.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
from collections import defaultdict

#: What the README's command and then a plain build give to cargo.
README = [
    re.search(r"cargo run (--release .*?) -- ", pathlib.Path(__file__).parent.parent.joinpath("README.md").read_text())[1].split(),
    ["--release"],
]
# The whole program has more of these.
AGAIN = {"sandshell", "sandshell-providers"}


def libraries(options):
    """The libraries that cargo would compile, each with an identity: cargo compiles once what is equal in it."""
    # Only an unstable option of cargo tells.
    command = ["cargo", "build", "--locked", *options, "--unit-graph", "-Z", "unstable-options"]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, "RUSTC_BOOTSTRAP": "1"})
    units = json.loads(told.stdout)["units"]

    @functools.cache
    def identity(number):
        unit = units[number]
        own = {key: unit[key] for key in ("pkg_id", "target", "profile", "platform", "mode", "features")}
        return hash((json.dumps(own, sort_keys=True), *(identity(used["index"]) for used in unit["dependencies"])))

    for number, unit in enumerate(units):
        if unit["mode"] == "build" and {"lib", "rlib", "proc-macro"} & set(unit["target"]["kind"]):
            yield identity(number), unit


compiled = defaultdict(dict)
for build, options in enumerate([sys.argv[1:]] if len(sys.argv) > 1 else README):
    for identity, unit in libraries(options):
        name = unit["pkg_id"].split("/")[-1].split("#")
        # An own package's id is `…/FOLDER#VERSION` or `…#NAME@VERSION`.
        name = name[-1].split("@")[0] if "@" in name[-1] else name[0]
        compiled[unit["pkg_id"], build if name in AGAIN else None][identity] = unit
twice = {name: list(units.values()) for (name, _), units in compiled.items() if len(units) > 1}
for name, (one, other, *_) in twice.items():
    print(f"{name.split('#')[-1]} is compiled {len(twice[name])} times")
    for key in ("features", "platform", "profile"):
        if one[key] != other[key]:
            print(f"  {key}: {one[key]}\n  {' ' * len(key)}  {other[key]}")
print(f"crates: {len({name for name, _ in compiled})}, compiled more than once: {len(twice)}")
sys.exit(bool(twice))
