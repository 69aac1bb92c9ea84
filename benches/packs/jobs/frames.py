"""What pandas computes: `frames.py NAME` prints the seconds of one of these, without the start and the import."""

import io
import sys
import time

import numpy
import pandas

random = numpy.random.default_rng(1)
size = 300_000 if sys.argv[1] == "heavy" else 20_000
frame = pandas.DataFrame({
    "shop": random.choice([f"shop-{n}" for n in range(100)], size),
    "day": pandas.Timestamp("2026-01-01") + pandas.to_timedelta(random.integers(0, 365, size), unit="D"),
    "amount": random.integers(1, 1000, size).astype("int64"),
})
text = frame.to_csv(index=False)


def typical():
    """A table is read, grouped, pivoted and written."""
    rows = pandas.read_csv(io.StringIO(text), parse_dates=["day"])
    rows.groupby("shop")["amount"].agg(["count", "sum", "mean"]).sort_values("sum").to_csv()
    rows.pivot_table(index=rows["day"].dt.month, columns="shop", values="amount", aggfunc="sum").describe()


def heavy():
    """Many rows are joined, sorted and summed over windows."""
    means = frame.groupby("shop", as_index=False)["amount"].mean().rename(columns={"amount": "mean"})
    joined = frame.merge(means, on="shop").sort_values(["shop", "day", "amount"])
    joined.groupby("shop")["amount"].rolling(7).sum()
    joined["shop"].str.upper().str.slice(0, 6).value_counts()


job = {"typical": typical, "heavy": heavy}[sys.argv[1]]
job()
begun = time.perf_counter()
job()
print(time.perf_counter() - begun)
