#!/usr/bin/env python3
"""Runs uutils' own tests of coreutils with a native build of the guests, and with the machine's GNU programs.

The crate `coreutils` is fetched by cargo; its tests are built without its programs (they are told by a variable what to
run), which takes some minutes and a network the first time. A test that GNU's programs fail asks for what is uutils' own,
and counts as skipped. What fails otherwise must be listed in `uutils.gaps`, as with `run.py`.

Names select programs (all without any). `--rewrite` writes the list anew, with the reasons kept.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import execute
import gaps
import programs
from run import ROOT, default_guests

VERSION = "0.12.0"
# Dependencies of the programs that the tests use too.
TESTS_USE = ("itertools", "chown", "env", "tail", "pinky")
# `uudoc` is a program of uutils' own; the tests of `more` never end.
LEFT_OUT = {"uudoc", "more"}
# Tests that wait for ever: native builds lose a signal that was ignored when they began, and `wc` takes the names of
# `--files0-from` when all have come.
ENDLESS = ("sigpipe_ignored", "test_dev_zero_closed", "test_files0_progressive_stream")
SECONDS = 300
LOG_SIZE = 16 << 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="such as ls or sort")
    parser.add_argument("--rewrite", action="store_true", help="write the list of gaps anew")
    parser.add_argument("--guests", type=Path, metavar="DIR", default=default_guests(), help="where `util` is")
    parser.add_argument("--work", type=Path, metavar="DIR", default=ROOT / "target/suites", help="where to build")
    options = parser.parse_args()
    if options.rewrite and options.programs:
        parser.error("--rewrite needs the results of all programs")
    work = options.work.resolve() / "uutils"
    tree = execute.place("uutils") / "source"
    names = unpack(fetch(work), tree)
    unknown = set(options.programs) - set(names)
    if unknown:
        parser.error(f"no tests of {' '.join(sorted(unknown))}")
    # A copy: the tests' user may be kept from the folder it was built in.
    tests = Path(shutil.copy(build(tree, names, work), tree / "run-tests"))
    logs = work / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    fronts = {"native": native_front(tree), "ours": Path(shutil.copy(options.guests / "util", tree / "coreutils"))}
    execute.give_away(execute.place("uutils"))
    chosen = options.programs or names
    found = {kind: run(tests, front, chosen, tree, logs / f"{kind}.log") for kind, front in fronts.items()}
    execute.clean("uutils")
    results = {name: judge(name, found["ours"]) for name, result in found["native"].items() if result == "ok"}
    passed = sum(result == "pass" for result in results.values())
    print(f"uutils: {passed} pass, {len(results) - passed} fail; {len(found['native']) - len(results)} skipped: GNU fails")
    if options.programs:
        listed = gaps.read(Path(__file__).with_name("uutils.gaps"))
        print("".join(f"  fails: {n}\n" for n, r in sorted(results.items()) if r == "fail" and n not in listed), end="")
        return 0
    return 0 if gaps.compare(Path(__file__).with_name("uutils.gaps"), results, logs, options.rewrite) else 1


def fetch(work):
    """The folder of the crate, in cargo's own."""
    project = work / "fetch"
    project.mkdir(parents=True, exist_ok=True)
    (project / "lib.rs").touch()
    (project / "Cargo.toml").write_text(
        '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2024"\n[lib]\npath = "lib.rs"\n'
        f'[workspace]\n[dependencies]\ncoreutils = {{ version = "={VERSION}", default-features = false }}\n'
    )
    listing = subprocess.run(
        ["cargo", "metadata", "--format-version", "1"], cwd=project, check=True, stdout=subprocess.PIPE
    )
    packages = json.loads(listing.stdout)["packages"]
    return Path(next(p["manifest_path"] for p in packages if p["name"] == "coreutils")).parent


def unpack(crate, tree):
    """Makes `tree` the crate without its programs; gives the names of those that have tests."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(crate, tree, ignore=shutil.ignore_patterns("src", "Cargo.lock"))
    manifest = tomllib.loads((tree / "Cargo.toml").read_text())
    names = sorted({path.stem.removeprefix("test_") for path in tree.glob("tests/by-util/test_*.rs")} - LEFT_OUT)
    unix = manifest["target"]["cfg(unix)"]["dev-dependencies"]
    needed = {**manifest["dev-dependencies"], **unix}
    needed.update((name, manifest["dependencies"][name]) for name in TESTS_USE)
    # The programs turn it on.
    needed["uucore"]["features"].append("fsxattr")
    features = sorted({*manifest["features"], *names, *LEFT_OUT} - {"default"})
    lines = [
        f'[package]\nname = "coreutils"\nversion = "{VERSION}"\nedition = "2024"\nautotests = false\nbuild = false',
        "[workspace]\n[profile.dev]\ndebug = false\n[features]",
        *(f"{name} = []" for name in features),
        '[[bin]]\nname = "coreutils"\npath = "empty.rs"\n[[test]]\nname = "tests"\npath = "tests/tests.rs"',
        "[dev-dependencies]",
        *(f"{name} = {inline(value)}" for name, value in needed.items()),
    ]
    (tree / "empty.rs").write_text("fn main() {}\n")
    (tree / "Cargo.toml").write_text("\n".join(lines) + "\n")
    return names


def inline(value):
    """A value of a manifest as TOML."""
    if isinstance(value, dict):
        kept = ((key, item) for key, item in value.items() if key != "optional")
        return "{ " + ", ".join(f"{key} = {inline(item)}" for key, item in kept) + " }"
    return json.dumps(value)


def build(tree, names, work):
    """The program of the tests of `names`."""
    command = ["cargo", "test", "--no-run", "--test", "tests", "--message-format=json-render-diagnostics"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(work / "target")}
    done = subprocess.run(
        [*command, "--features", ",".join(["feat_os_unix", *names])],
        cwd=tree, env=environment, check=True, stdout=subprocess.PIPE, text=True,
    )
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return next(m["executable"] for m in messages if m.get("target", {}).get("name") == "tests" and m.get("executable"))


def native_front(tree):
    """One program for all of the machine's, each by its own name."""
    path = tree / "native"
    path.write_text('#!/bin/bash\nname=$1\nshift\nexec -a "$name" "$(type -P "$name")" "$@"\n')
    path.chmod(0o755)
    return path


def run(tests, front, names, tree, log):
    """Names of tests with `ok`, `FAILED` or `ignored`; what they wrote is in `log`."""
    found = {}
    with open(log, "wb") as out:
        for name in names:
            text = run_one(tests, front, name, tree)
            out.write(text)
            lines = re.finditer(rb"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)", text, re.M)
            found.update((m[1].decode(), m[2].decode()) for m in lines)
    return found


def run_one(tests, front, name, tree):
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/tmp", "UUTESTS_BINARY_PATH": str(front),
    }
    command = [str(tests), f"test_{name}::", *(word for test in ENDLESS for word in ("--skip", test))]
    if os.geteuid() == 0:
        user = ["setpriv", f"--reuid={execute.USER}", f"--regid={execute.USER}", "--clear-groups"]
        # Nothing that a test leaves running outlives it.
        command = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *user, *command]
    process = subprocess.Popen(
        command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=execute.limit,
    )
    timer = threading.Timer(SECONDS, execute.end, [process])
    timer.start()
    # The results come first; what failing tests show after them has no limit.
    text = process.stdout.read(LOG_SIZE)
    while process.stdout.read(1 << 20):
        pass
    process.wait()
    timer.cancel()
    return text


def judge(name, ours):
    return "pass" if ours.get(name) == "ok" else "fail"


if __name__ == "__main__":
    sys.exit(main())
