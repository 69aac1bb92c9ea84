"""Runs pandas' own tests natively and in a sandbox, by hand: `python3 tests/packs/pandas/suite.py [PART…]`, as `groupby/methods`.

`own_tests.py` says what it needs. Tests that need a network, a database or the clipboard are left out, as are those that pandas calls slow.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from own_tests import Suite

PARTS = """
api apply arithmetic arrays base computation config construction copy_view dtypes extension frame generic groupby indexes indexing
interchange internals io libs plotting reductions resample reshape scalar series strings test_aggregation.py test_algos.py test_col.py
test_common.py test_downstream.py test_errors.py test_expressions.py test_flags.py test_multilevel.py test_nanops.py
test_optional_dependency.py test_register_accessor.py test_sorting.py test_take.py tools tseries tslibs util window
""".split()
LEFT_OUT = "not network and not db and not clipboard and not slow"
#: pandas' tests were written for an older pytest.
NEWER = "ignore::pytest.PytestRemovedIn10Warning"


def words(part, place):
    """What pytest is told. pandas' settings for it are found by the path; its other options are for whom develops it."""
    return ["-o", "addopts=", "-W", NEWER, "-m", LEFT_OUT, "--no-strict-data-files", f"{place}/pandas/tests/{part}"]


if __name__ == "__main__":
    Suite("pandas", ["pandas==3.0.6", "numpy==2.3.5"], words, Path(__file__).with_name("suite.txt")).run(sys.argv[1:] or PARTS)
