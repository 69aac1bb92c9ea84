#!/usr/bin/env python3
"""Runs other projects' own test suites with native builds of the guests.

A suite's source is Debian's source package, fetched with `apt-get source` into the work folder and never checked in. Each
of its tests runs as a user without privileges. What fails must be listed in `SUITE.gaps` (lines `TEST: REASON`): the run
fails when another test fails, or a listed one passes.

Names select suites (all without any), `-k TEXT` tests whose name contains TEXT, `--native` runs the machine's own
programs instead of ours (what fails then is no gap of ours). `--rewrite` writes the list anew, with the reasons kept.
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import execute
import gaps
import programs
import source
from suites import SUITES

ROOT = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=" ".join(SUITES))
    parser.add_argument("-k", metavar="TEXT", default="", help="only tests whose name contains TEXT")
    parser.add_argument("-j", metavar="N", type=int, default=os.cpu_count(), help="tests at the same time")
    parser.add_argument("--native", action="store_true", help="run the machine's own programs")
    parser.add_argument("--rewrite", action="store_true", help="write the list of gaps anew")
    parser.add_argument("--guests", type=Path, metavar="DIR", default=default_guests(), help="where `util` and `sh` are")
    parser.add_argument("--work", type=Path, metavar="DIR", default=ROOT / "target/suites", help="where to unpack and run")
    options = parser.parse_args()
    unknown = [n for n in options.suites if n not in SUITES]
    if unknown:
        parser.error(f"no such suite: {' '.join(unknown)}")
    wrong = [name for name in options.suites or SUITES if not run(name, options)]
    return 1 if wrong else 0


def run(name, options):
    """Runs one suite; whether the results are those that are listed."""
    suite = SUITES[name]
    packages = options.work.resolve() / "packages"
    tree = execute.place(name) / "source"
    source.unpack(suite.package, packages, tree)
    bin_dir = execute.place(name) / "bin"
    programs.link(bin_dir, suite.programs, None if options.native else options.guests.resolve())
    tests = [t for t in suite.tests(tree, bin_dir) if options.k in t.name]
    execute.give_away(execute.place(name))
    logs = options.work.resolve() / "logs" / name
    logs.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(1 if suite.one_at_a_time else options.j) as pool:
        results = dict(pool.map(lambda t: execute.run(t, logs, bin_dir), tests))
    execute.clean(name)
    count = {kind: sum(r == kind for r in results.values()) for kind in ("pass", "fail", "skip")}
    print(f"{name}: {count['pass']} pass, {count['fail']} fail, {count['skip']} skipped of {len(results)}", flush=True)
    if options.native:
        print("".join(f"  {n}\n" for n, r in sorted(results.items()) if r == "fail"), end="")
        return True
    return gaps.compare(Path(__file__).with_name(f"{name}.gaps"), results, logs, options.rewrite)


def default_guests():
    target = os.environ.get("CARGO_TARGET_DIR") or ROOT / "guest-shell/target"
    return Path(target) / "debug"


if __name__ == "__main__":
    sys.exit(main())
