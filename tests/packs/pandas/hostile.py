"""Hostile input for pandas, one piece each: `hostile.py NAME`. `hostile.py --list` tells the names."""

import io
import json
import pickle
import sys

import numpy as np
import pandas as pd

DEEP = 200_000


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def circle():
    value = {}
    value["itself"] = value
    return value


class Endless(io.RawIOBase):
    """A file without an end, on one line."""

    def readable(self):
        return True

    def readinto(self, into):
        into[:] = b"x" * len(into)
        return len(into)


class Strange:
    """Objects that pandas asks, and that misbehave."""

    def __hash__(self):
        raise RuntimeError("no hash")

    def __eq__(self, other):
        raise RuntimeError("not comparable")

    def __lt__(self, other):
        raise RuntimeError("not ordered")


def growing():
    parts = [pd.DataFrame({"x": np.ones(1_000_000)})]
    while True:
        parts.append(pd.concat(parts))


def unique():
    seen = 0
    while True:
        seen = pd.Series(np.arange(2**24 + seen)).unique().size * 2


#: What raises an exception, natively too.
ERRORS = {
    "array": lambda: pd.DataFrame(np.ones((100_000, 100_000))),
    "growing": growing,
    "strings": lambda: pd.Series(["x" * 1_000_000] * 100_000).str.cat(),
    "repeat": lambda: pd.Series([1]).repeat(2**31 - 1).repeat(8),
    "product": lambda: pd.MultiIndex.from_product([range(100_000)] * 3),
    "cross": lambda: pd.DataFrame({"a": range(1_000_000)}).merge(pd.DataFrame({"b": range(1_000_000)}), how="cross"),
    "join": lambda: pd.Index(np.zeros(300_000)).join(pd.Index(np.zeros(300_000)), how="inner"),
    "pivot": lambda: pd.DataFrame({"a": range(100_000), "b": range(100_000), "c": 1}).pivot(index="a", columns="b", values="c"),
    "line": lambda: pd.read_csv(Endless()),
    "quoted": lambda: pd.read_csv(io.BytesIO(b'a\n"' + b"x" * 50_000_000)),
    "nul": lambda: pd.read_csv(io.BytesIO(b"a,b\n\0\0,1\n2,\0\n\0"), dtype="int64"),
    "buffer": lambda: pd.read_csv(io.BytesIO(b"\x00\xff\xfe" * 1000), encoding="utf-16"),
    "json lists": lambda: pd.read_json(io.StringIO("[" * DEEP)),
    "json objects": lambda: pd.read_json(io.StringIO('{"a":' * DEEP)),
    "json text": lambda: pd.read_json(io.StringIO('{"a":"\\ud800\\u12')),
    "json number": lambda: pd.read_json(io.StringIO('{"a":[' + "9" * 400 + "]}")),
    "json cut": lambda: pd.read_json(io.StringIO('{"a":tru')),
    "json circle": lambda: pd.Series([circle()]).to_json(),
    "json deep": lambda: pd.Series([nested(DEEP)]).to_json(),
    "normalize": lambda: pd.json_normalize(circle()),
    "query": lambda: pd.DataFrame({"a": [1]}).query("(" * 50_000 + "a" + ")" * 50_000),
    "eval": lambda: pd.eval("+".join(["1"] * 100_000)),
    "pattern": lambda: pd.Series(["a"]).str.contains("(" * 5000 + ")" * 4000),
    "pickle cut": lambda: pickle.loads(pickle.dumps(pd.DataFrame({"a": [1, 2]}))[:-20]),
    "pickle noise": lambda: pd.read_pickle(io.BytesIO(bytes(range(256)) * 10)),
    "pickle state": lambda: pickle.loads(pickle.dumps(pd.Timestamp("2024-01-01")).replace(b"2024", b"x")).__setstate__(("x",)),
    "seconds": lambda: pd.to_datetime(10**30, unit="s"),
    "float seconds": lambda: pd.to_datetime([1e300], unit="s"),
    "year": lambda: pd.Timestamp("99999999-01-01"),
    "nanoseconds": lambda: pd.Timestamp.max + pd.Timedelta(1),
    "timedelta": lambda: pd.Timedelta("99999999999999999999 days"),
    "timedelta sum": lambda: pd.Timedelta.max * 3,
    "range": lambda: pd.date_range("2000", "2200", freq="ns"),
    "periods": lambda: pd.date_range("2000", periods=2**62, freq="YE"),
    "offset": lambda: pd.Timestamp(2000, 1, 1) + pd.offsets.BDay(2**62),
    "months": lambda: pd.Timestamp(2000, 1, 1) + pd.DateOffset(months=2**40),
    "zone": lambda: pd.Timestamp(2000, 1, 1, tz="../../etc/passwd"),
    "zone name": lambda: pd.Timestamp(2000, 1, 1, tz="A" * 100_000),
    "zero step": lambda: pd.date_range("2000", "2001", freq="0D"),
    "division": lambda: pd.Timedelta.min // pd.Timedelta(0),
    "negative window": lambda: pd.Series([1.0, 2.0]).rolling(-5).sum(),
    "bins": lambda: pd.cut([1.0, 2.0], 2**40),
    "take": lambda: pd.Series([1, 2]).take([2**31, -(2**31)]),
    "codes": lambda: pd.Categorical.from_codes([2**31, -5], ["a"]),
    "levels": lambda: pd.MultiIndex(levels=[["a"]], codes=[[5]]),
    "hash": lambda: pd.Series([Strange(), Strange()]).unique(),
    "order": lambda: pd.Series([Strange(), Strange()]).sort_values(),
    "compare": lambda: bool((pd.Series([Strange()]) == pd.Series([Strange()])).all()),
    "recursion": lambda: pd.Series([1]).apply(recursive),
    "shape": lambda: pd.Series(range(6)).to_numpy().reshape(2**31, -1),
    "fwf": lambda: pd.read_fwf(io.StringIO("a b\n1 2\n"), colspecs=[(5, 2), (2**40, 1)], widths=[1]),
    "stata": lambda: pd.read_stata(io.BytesIO(b"<stata_dta><header><release>118</release>" + b"\xff" * 1000)),
    "sas": lambda: pd.read_sas(io.BytesIO(b"\0" * 12 + b"\xc2\xea\x81\x60" + b"\xff" * 5000), format="sas7bdat"),
    "xport": lambda: pd.read_sas(io.BytesIO(b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!000000000000000000000000000000  " + b"9" * 400), format="xport"),
    "xml": lambda: pd.read_xml(io.StringIO("<a>" * DEEP), parser="etree"),
    "html": lambda: pd.read_html(io.StringIO("<table>" * 1000)),
    "style": lambda: pd.DataFrame({"a": [1]}).style,
    "sql": lambda: pd.read_sql("select 1", "sqlite:///nowhere.db"),
    "network": lambda: pd.read_csv("http://example.com/a.csv"),
}


class Bounds(pd.api.indexers.BaseIndexer):
    """Windows outside of the data."""

    def get_window_bounds(self, num_values=0, min_periods=None, center=None, closed=None, step=None):
        return np.array([-(2**40), 5], dtype="int64"), np.array([2**40, 2**41], dtype="int64")


def recursive(value):
    return pd.Series([value]).apply(recursive).sum()


#: What crashes natively too; and a hash table for which there is no memory.
FATAL = {
    "unique": unique,
    "json handler": lambda: pd.Series([object()]).to_json(default_handler=lambda value: object()),
    "bounds": lambda: pd.Series([1.0, 2.0]).rolling(Bounds()).sum(),
}

#: What does not end by itself.
ENDLESS = {
    "loop": lambda: [None for _ in iter(lambda: pd.DataFrame({"a": [1]}).groupby("a").sum().empty, None)],
    "big loop": lambda: pd.Series(np.random.default_rng(1).random(3_000_000)).rolling(1_000_000).apply(np.median),
    "columns": lambda: pd.read_csv(io.StringIO("," * 5000 + "\n" + "," * 5_000_000)),
}


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print(json.dumps([[*ERRORS], [*FATAL], [*ENDLESS]]))
    else:
        ({**ERRORS, **FATAL, **ENDLESS})[sys.argv[1]]()
        print("no error")
