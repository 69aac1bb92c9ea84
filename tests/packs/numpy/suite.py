"""Runs numpy's own tests natively and in a sandbox, by hand: `python3 tests/packs/numpy/suite.py [PART…]`, as `numpy.fft`.

`numpy._core` is one part for each of its files, as `numpy._core/test_umath`: what ends the process ends only those of the file. Of these
files, the tests that numpy calls slow are left out.

`own_tests.py` says what it needs.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from own_tests import Suite

PARTS = "numpy.fft numpy.linalg numpy.polynomial numpy.matrixlib numpy.testing numpy.ma numpy.random numpy.lib numpy._core".split()


def words(part, place):
    """What pytest is told."""
    left_out = ["-m", "not slow"] if part.startswith("numpy._core") else []
    return ["--rootdir", str(place), *left_out, "--pyargs", part.replace("/", ".tests.")]


def expand(parts, suite):
    """The parts, with the files of those that run file by file."""
    for part in parts:
        if part != "numpy._core":
            yield part
            continue
        suite.install()
        for file in sorted(suite.native.glob("lib/python3.*/site-packages/numpy/_core/tests/test_*.py")):
            yield f"{part}/{file.stem}"


if __name__ == "__main__":
    numpy = Suite("numpy", ["numpy==2.3.5"], words, Path(__file__).with_name("suite.txt"))
    numpy.run(list(expand(sys.argv[1:] or PARTS, numpy)))
