"""What numpy computes: `arrays.py NAME` prints the seconds of one of these, without the start and the import."""

import io
import sys
import time

import numpy

random = numpy.random.default_rng(1)
floats = random.random(1_000_000)
whole = random.integers(0, 1 << 30, 1_000_000).astype("int32")
place, flags = numpy.empty_like(floats), numpy.empty(floats.shape, bool)
left, right = random.random((400, 400)), random.random((400, 400))
text = "\n".join(",".join(f"{value:.6f}" for value in row) for row in random.random((20_000, 5)))


def table():
    """A typical job: a table is read, and its columns are described and fitted."""
    rows = numpy.loadtxt(io.StringIO(text), delimiter=",")
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    numpy.linalg.lstsq(scaled[:, :4], scaled[:, 4], rcond=None)
    numpy.percentile(rows, [5, 50, 95], axis=0)
    numpy.histogram(rows[:, 0], bins=50)
    numpy.argsort(rows[:, 1])


JOBS = {
    "table": table,
    "matmul": lambda: left @ right,
    "matmul-int32": lambda: left.astype("int32") @ right.astype("int32"),
    "solve": lambda: numpy.linalg.solve(left, right),
    "sort": lambda: numpy.sort(floats),
    "sort-int32": lambda: numpy.sort(whole),
    "argsort": lambda: numpy.argsort(floats),
    "add": lambda: [numpy.add(floats, floats, out=place) for _ in range(20)],
    "sum": lambda: [floats.sum() for _ in range(20)],
    "maximum": lambda: [floats.max() for _ in range(20)],
    "new": lambda: [floats * floats for _ in range(20)],
    "sqrt": lambda: [numpy.sqrt(floats, out=place) for _ in range(20)],
    "exp": lambda: [numpy.exp(floats, out=place) for _ in range(5)],
    "sin": lambda: [numpy.sin(floats, out=place) for _ in range(5)],
    "compare": lambda: [numpy.less(floats, 0.5, out=flags) for _ in range(20)],
    "fft": lambda: numpy.fft.fft(floats[: 1 << 18]),
    "random": lambda: numpy.random.default_rng(2).normal(size=1_000_000),
}

job = JOBS[sys.argv[1]]
job()
begun = time.perf_counter()
job()
print(time.perf_counter() - begun)
