#!/usr/bin/env python3
"""Compares the cost of the Python and JavaScript packages with others of their languages in the same run.

    python3 benches/bindings/run.py WHEEL TARBALL [--dir DIR]

WHEEL is built by `bindings/python/wheel.py`, TARBALL by `npm pack` in `bindings/node`. Both are installed below DIR
(default: target/bench-bindings) together with the packages that they are compared with: bashkit and deepagents from
PyPI, just-bash and deepagents from npm. The goal is at most 1.3 times the time of the Rust bench (`cargo bench
--bench against_bash`, which this runs first). Exits with 1 if a goal is missed.
"""

import argparse
import json
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
OVERHEAD = 1.3
PYTHON = ["bashkit==0.20.1", "deepagents==0.7.32"]
NODE = ["just-bash@3.4.2", "deepagents@1.14.1"]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("wheel", type=Path)
    arguments.add_argument("tarball", type=Path)
    arguments.add_argument("--dir", type=Path, default=HERE.parents[1] / "target" / "bench-bindings")
    arguments = arguments.parse_args()
    own = rust()
    rows = [*python(arguments.dir / "python", arguments.wheel), *node(arguments.dir / "node", arguments.tarball)]
    print(f"{'what':44} {'sandshell':>12} {'beside it':>12} {'ratio':>9}  goal")
    missed = 0
    for row in rows:
        ratio = row["other"] / row["ours"] if row["other"] else None
        met = row["ours"] <= row.get("at_most", row["ours"]) and (ratio or 0) >= row.get("times", 0)
        if own.get(row.get("rust")):
            row["at_most"] = OVERHEAD * own[row["rust"]]
            met = met and row["ours"] <= row["at_most"]
        goal = f"at most {row['at_most'] * 1e6:,.0f} µs" if "at_most" in row else ""
        goal = f"at least {row['times']}x" if "times" in row else goal
        missed += not met
        shown = f"{ratio:,.1f}x" if ratio else ""
        other = f"{row['other'] * 1e6:,.1f} µs" if row["other"] else ""
        print(f"{row['what']:44} {row['ours'] * 1e6:9,.1f} µs {other:>12} {shown:>9}  {goal}{'' if met else ': MISSED'}")
    return int(missed > 0)


def rust() -> dict[str, float]:
    """How many seconds the library itself takes, by the names of its bench."""
    units = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}
    found = {}
    for name in ("create a sandbox", "execute"):
        command = ["cargo", "bench", "--quiet", "--bench", "against_bash", "--", name]
        table = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE.parents[1]).stdout
        for line in table.splitlines()[1:]:
            value, unit = line[44:].split()[:2]
            found[line[:44].strip()] = float(value) * units[unit]
    return found


def python(place: Path, wheel: Path) -> list[dict]:
    program = place / "bin" / "python"
    if not program.exists():
        venv.create(place, with_pip=True)
    pip = [program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *PYTHON], check=True)
    subprocess.run([*pip, "--force-reinstall", "--no-deps", wheel], check=True)
    return json.loads(subprocess.run([program, HERE / "python.py"], check=True, capture_output=True).stdout)


def node(place: Path, tarball: Path) -> list[dict]:
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text('{"private": true, "type": "module"}')
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *NODE, tarball.resolve()], check=True, cwd=place)
    # Node looks for packages beside the script that imports them.
    (place / "bench.mjs").write_text((HERE / "node.mjs").read_text())
    return json.loads(subprocess.run(["node", "bench.mjs"], check=True, capture_output=True, cwd=place).stdout)


if __name__ == "__main__":
    sys.exit(main())
