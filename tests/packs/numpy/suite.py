"""Runs numpy's own tests natively and in a sandbox, by hand: `python3 tests/packs/numpy/suite.py [PART…]`, as `numpy.fft`.

`own_tests.py` says what it needs.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from own_tests import Suite

PARTS = "numpy.fft numpy.linalg numpy.polynomial numpy.matrixlib numpy.testing numpy.ma numpy.random numpy.lib numpy._core".split()


def words(part, place):
    """What pytest is told."""
    return ["--pyargs", part]


if __name__ == "__main__":
    Suite("numpy", ["numpy==2.3.5"], words, Path(__file__).with_name("suite.txt")).run(sys.argv[1:] or PARTS)
