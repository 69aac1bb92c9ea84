"""What pandas answers, natively and in the sandbox. `cases.expected` is what native pandas 3.0.6 with numpy 2.3.5 answered on x86-64.

A case is some lines; the last one is an expression, whose text is printed.
"""

import ast
import io
import json
import os
import tempfile
import warnings

import numpy as np
import pandas as pd

CASES = r'''
pd.__version__, np.__version__

# Reading text.
pd.read_csv(io.StringIO("a,b,c\n1,2.5,x\n3,,y\n"))

pd.read_csv(io.StringIO("a,b,c\n1,2.5,x\n3,,y\n")).dtypes

pd.read_csv(io.StringIO("a;b\n1,5;2\n1.000,25;3\n"), sep=";", decimal=",", thousands=".")

pd.read_csv(io.StringIO("a\tb\n1\t\n\t2\n"), sep="\t", dtype="Int64")

pd.read_csv(io.StringIO("a  b   c\n1 2   3\n4   5 6\n"), sep=r"\s+")

pd.read_csv(io.StringIO("x||y\n1||2\n"), sep=r"\|\|", engine="python")

pd.read_csv(io.StringIO("# note\na,b\n1,2 # end\n\n3,4\n"), comment="#")

pd.read_csv(io.StringIO('a,b\n"1, 2","say ""hi"""\n"two\nlines",z\n')).to_dict("records")

pd.read_csv(io.StringIO("a,b\n'x, y',1\n"), quotechar="'")

pd.read_csv(io.StringIO("a,b\nx\\,y,1\n"), escapechar="\\")

pd.read_csv(io.StringIO("1,2\n3,4\n"), header=None, names=["p", "q"], index_col="p")

pd.read_csv(io.StringIO("skip\nskip\na,b\n1,2\n3,4\nend,end\n"), skiprows=2, skipfooter=1, engine="python")

pd.read_csv(io.StringIO("a,b,c,d\n1,2,3,4\n5,6,7,8\n9,8,7,6\n"), usecols=["d", "a"], nrows=2)

pd.read_csv(io.StringIO("a,b\nNA,n/a\n-,null\nNone,5\n"), na_values=["-"])

pd.read_csv(io.StringIO("a,b\nNA,\n"), keep_default_na=False).to_dict("list")

pd.read_csv(io.StringIO("d,v\n2024-01-31,1\n2024-02-29,2\n"), parse_dates=["d"], index_col="d").index

pd.read_csv(io.StringIO("d,v\n31/01/2024,1\n01/02/2024,2\n"), parse_dates=["d"], dayfirst=True).dtypes

pd.read_csv(io.StringIO("d\n2024|03|01\n"), parse_dates=["d"], date_format="%Y|%m|%d")

pd.read_csv(io.StringIO("a,b\nyes,1\nno,0\n"), true_values=["yes"], false_values=["no"]).dtypes

pd.read_csv(io.StringIO("a,a,b,b\n1,2,3,4\n")).columns.tolist()

pd.read_csv(io.StringIO("a,b\n1,x\n2,y\n3,x\n"), dtype={"a": "int8", "b": "category"}).dtypes

pd.read_csv(io.StringIO("a,b\n1,2\n"), converters={"a": lambda text: text * 3})

[len(part) for part in pd.read_csv(io.StringIO("a\n" + "1\n" * 25), chunksize=10)]

pd.read_csv(io.StringIO("a,b\n,,\n1,2\n"), on_bad_lines="skip")

pd.read_csv(io.StringIO("a,b\n1,2,3\n4,5\n"), on_bad_lines=lambda words: words[:2], engine="python")

pd.read_csv(io.BytesIO("n,v\nä,ß\n".encode("latin-1")), encoding="latin-1").to_dict("list")

pd.read_csv(io.BytesIO(b"\xef\xbb\xbfn,v\n1,2\n")).columns.tolist()

pd.read_csv(io.StringIO("v\n0.1\n1e-300\n123456789012345678\n1e400\n-0\n"))["v"].tolist()

pd.read_csv(io.StringIO("v\n9223372036854775807\n"))["v"].dtype, pd.read_csv(io.StringIO("v\n18446744073709551615\n"))["v"].dtype

pd.read_csv(io.StringIO("v\n18446744073709551616\n"))["v"].tolist()

pd.read_csv(io.StringIO("v\n0.30000000000000004\n2.2250738585072014e-308\n"), float_precision="round_trip")["v"].tolist()

pd.read_csv(io.StringIO("v\n0.30000000000000004\n17.123456789012345\n"), float_precision="high")["v"].tolist()

pd.read_csv(io.StringIO("h1,h1,h2\na,b,c\n1,2,3\n"), header=[0, 1])

pd.read_fwf(io.StringIO("id  name  n\n1   ann   10\n22  bob   7\n"))

pd.read_table(io.StringIO("a\tb\n1\t2\n"))

pd.read_csv(io.StringIO("a,b\r\n1,2\r\n3,4\r"))

pd.read_csv(io.StringIO("a,b,c\n" + "\n".join(f"{i},{i/7},name{i%13}" for i in range(20000)))).describe(include="all")

# What is refused, and how it is said.
pd.read_csv(io.StringIO(""))

pd.read_csv(io.StringIO("a,b\n1,2\n3,4,5\n"))

pd.read_csv(io.StringIO('a,b\n"1,2\n'))

pd.read_csv(io.StringIO("a\nx\n"), dtype={"a": int})

pd.read_csv(io.StringIO("a\n1\n"), usecols=["z"])

pd.read_csv("/no/such/file.csv")

pd.read_csv(io.BytesIO(b"a\n\xff\n"))

pd.DataFrame({"a": [1]})["b"]

pd.DataFrame({"a": [1, 2], "b": [1]})

pd.Series([1, 2]).loc[5]

pd.Series([1, 2]).iloc[5]

bool(pd.Series([1, 2]))

pd.to_datetime("not a date")

pd.to_numeric(["1", "x"])

pd.Series(["a"]).astype(int)

pd.Timestamp("2300-01-01", tz="Nowhere/Place")

pd.concat([])

pd.DataFrame({"a": [1]}).merge(pd.DataFrame({"b": [1]}))

pd.DataFrame({"a": [1, 1]}).merge(pd.DataFrame({"a": [1, 1]}), on="a", validate="1:1")

pd.DataFrame({"a": [1, 1], "b": [1, 1], "c": [1, 2]}).pivot(index="a", columns="b", values="c")

pd.read_json(io.StringIO('{"a": [1, 2'))

pd.Series([1, None]).astype("int64")

pd.date_range("2024-01-01", periods=3, freq="XYZ")

pd.DataFrame({"a": ["x"]}).mean()

pd.read_excel("book.xlsx")

pd.DataFrame({"a": [1]}).to_parquet("f.parquet")

pd.DataFrame({"a": [1]}).to_markdown()

pd.DataFrame({"a": [1]}).plot()

# Types.
pd.Series([1, 2, 3]).dtype, pd.Series([1.5]).dtype, pd.Series(["a"]).dtype, pd.Series([True]).dtype, pd.Series([1, "a"]).dtype

pd.DataFrame({"i": [1], "f": [0.5], "s": ["x"], "b": [True], "d": [pd.Timestamp(2024, 1, 1)], "t": [pd.Timedelta("1h")]}).dtypes

pd.DataFrame({"i": [1, 2], "s": ["x", None]}).convert_dtypes().dtypes

pd.array([1, None, 3]), pd.array([True, None]), pd.array(["a", None]), pd.array([0.5, None])

pd.array([1, None, 3]) + 1, pd.array([1, 2, None]) > 1

pd.Series([1, 2, 300]).astype("uint8").tolist(), pd.Series(["1", "2"]).astype("int64").sum()

pd.to_numeric(pd.Series(["1", "2.5", "x"]), errors="coerce"), pd.to_numeric(pd.Series([1, 2]), downcast="integer").dtype

pd.Series([2**62, 2**62]).sum(), pd.Series([2**31, 1]).cumsum().tolist(), (pd.Series([3_000_000_000]) * 2).tolist()

pd.Series(range(3)).dtype, pd.Series(np.arange(3, dtype="int64")).dtype, pd.RangeIndex(3).dtype, pd.Index([1, 2]).dtype

pd.DataFrame({"a": [1, 2]}).sum().dtype, pd.Series([1, 2]).value_counts().dtype, pd.Series([1, 1]).groupby([1, 1]).size().dtype

pd.Series([1, 2, 3]).astype("category").cat.codes.dtype, pd.factorize(np.array(["b", "a", "b"]))[0].tolist()

pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).select_dtypes("number").columns.tolist()

pd.Series([1, 2, 3], dtype="int32").astype("float32").dtype, pd.Series([1], dtype="Int8") + 200

# Groups.
sales = pd.DataFrame({"shop": list("abcabcab"), "year": [2022, 2022, 2023, 2023, 2023, 2022, 2022, 2023], "n": [3, 1, 4, 1, 5, 9, 2, 6], "price": [2.5, 1.0, None, 4.0, 0.5, 2.0, 1.5, 3.0]})
sales

sales.groupby("shop")["n"].sum()

sales.groupby(["shop", "year"]).agg({"n": ["sum", "max"], "price": "mean"})

sales.groupby("shop").agg(total=("n", "sum"), mean=("price", "mean"), rows=("n", "size"))

sales.groupby("year", as_index=False)["n"].mean()

sales.groupby("shop")["n"].transform("mean").tolist()

sales.groupby("shop")["n"].rank().tolist(), sales.groupby("shop").cumcount().tolist(), sales.groupby("shop").ngroup().tolist()

sales.groupby("shop")["price"].apply(lambda prices: prices.max() - prices.min())

sales.groupby("shop").filter(lambda part: part["n"].sum() > 9)

sales.groupby("shop").first(), sales.groupby("shop").nth(1)

sales.groupby("shop")["n"].agg(["count", "std", "var", "sem", "median", "min", "nunique", "skew"])

sales.groupby("shop")["n"].quantile([0.25, 0.5])

sales.groupby("shop")["n"].describe()

sales.groupby(["shop", "year"])["n"].sum().unstack(fill_value=0)

sales.groupby("shop")["n"].shift(), sales.groupby("shop")["n"].cumsum(), sales.groupby("shop")["price"].ffill()

sales.groupby(pd.cut(sales["n"], [0, 2, 5, 10]), observed=False)["n"].count()

sales.groupby("shop")[["n", "price"]].corr().round(6)

{name: part["n"].tolist() for name, part in sales.groupby("shop")}

sales["shop"].value_counts(normalize=True), sales[["shop", "year"]].value_counts()

# Putting together.
left = pd.DataFrame({"k": ["a", "b", "c", "d"], "x": [1, 2, 3, 4]})
right = pd.DataFrame({"k": ["b", "d", "d", "e"], "y": [5.0, 6.0, 7.0, 8.0]})
left.merge(right), left.merge(right, how="left"), left.merge(right, how="right")

left.merge(right, how="outer", indicator=True)

left.merge(right, how="cross").shape, left.merge(right, left_on="x", right_on="y", suffixes=("_l", "_r")).columns.tolist()

left.set_index("k").join(right.set_index("k"), how="left")

pd.merge_asof(pd.DataFrame({"t": [1, 5, 10], "a": list("xyz")}), pd.DataFrame({"t": [1, 2, 3, 6, 7], "b": [1, 2, 3, 6, 7]}), on="t", direction="nearest")

pd.concat([left, right], ignore_index=True)

pd.concat([left, right], axis=1, keys=["l", "r"])

left["x"].map({1: "one", 2: "two"}), left["k"].isin(["a", "d"]).tolist(), left["x"].combine_first(pd.Series([9] * 6)).tolist()

left.compare(left.assign(x=[1, 0, 3, 0])), left.align(right, axis=0)[0].shape

# Shapes.
sales.pivot_table(index="shop", columns="year", values="n", aggfunc="sum", margins=True)

sales.pivot_table(index="shop", values=["n", "price"], aggfunc={"n": "max", "price": "mean"})

wide = pd.DataFrame({"id": [1, 2], "x": [3, 4], "y": [5, 6]})
wide.melt(id_vars="id", var_name="what", value_name="much")

wide.set_index("id").stack(), wide.T, wide.set_index(["id", "x"]).unstack()

pd.wide_to_long(pd.DataFrame({"id": [1, 2], "a1": [3, 4], "a2": [5, 6]}), ["a"], i="id", j="n")

pd.crosstab(sales["shop"], sales["year"]), pd.get_dummies(sales["shop"]).sum().tolist()

pd.DataFrame({"a": [[1, 2], [3]], "b": [1, 2]}).explode("a")

pd.json_normalize([{"a": {"b": 1, "c": [1, 2]}}, {"a": {"b": 2}}])

pd.json_normalize({"n": "x", "items": [{"v": 1}, {"v": 2}]}, "items", ["n"])

pd.cut([1, 5, 9], 3).tolist(), pd.qcut(range(10), 4, labels=False).tolist()

# Selecting and changing.
sales.loc[sales["n"] > 3, ["shop", "n"]], sales.query("n > 3 and shop == 'b'"), sales.eval("n * price").tolist()

sales.sort_values(["shop", "n"], ascending=[True, False]).index.tolist(), sales.nlargest(2, "n"), sales.sample(3, random_state=1).index.tolist()

sales.assign(total=lambda d: d["n"] * d["price"]).iloc[::3, [0, -1]]

sales.drop_duplicates("shop", keep="last"), sales.duplicated(["shop", "year"]).tolist()

changed = sales.copy()
changed.loc[changed["shop"] == "a", "n"] = 0
changed.at[1, "price"] = 99
changed[["n", "price"]].sum().tolist(), sales["n"].sum()

sales.rename(columns={"n": "number"}).columns.tolist(), sales.reindex([0, 99])["n"].tolist(), sales.set_index("shop").loc["c"]

sales["n"].where(sales["n"] > 2, -1).tolist(), sales["n"].clip(2, 5).tolist(), sales["n"].between(2, 4).tolist(), sales["n"].diff().tolist()

sales[["n", "price"]].apply(np.sqrt).round(3).iloc[:2], sales[["n", "price"]].apply(sum, axis=1).tolist(), sales[["n"]].map(lambda n: n * 2)["n"].tolist()

sales.select_dtypes("number").corr(), sales["n"].cov(sales["year"])

sales["n"].corr(sales["year"], method="spearman")

sales["n"].describe(), sales["n"].mode().tolist(), sales["n"].pct_change().round(4).tolist(), sales["n"].kurt()

multi = sales.set_index(["shop", "year"]).sort_index()
multi.loc[("a", 2023)], multi.xs(2022, level="year"), multi.index.get_level_values(0).unique().tolist()

multi.groupby(level=0).sum(), multi.swaplevel().sort_index().head(2), multi.reset_index().shape

pd.DataFrame(np.arange(6).reshape(2, 3), columns=pd.MultiIndex.from_product([["a"], ["x", "y", "z"]])).droplevel(0, axis=1)

# Missing data.
holes = pd.DataFrame({"a": [1, None, 3, None], "b": ["x", None, None, "y"], "c": [None, 2.0, None, 4.0]})
holes.isna().sum(), holes.dropna(thresh=2), holes.fillna({"a": 0, "b": "-"})

holes["a"].interpolate().tolist(), holes.ffill(), holes["c"].bfill().tolist(), holes["a"].fillna(holes["a"].mean()).tolist()

holes["a"].sum(), holes["a"].mean(), holes["a"].sum(skipna=False), holes.count().tolist(), pd.NA is pd.array([None], dtype="Int64")[0]

pd.NA == 1, pd.NA | True, pd.isna([1, None, np.nan, pd.NaT]).tolist()

# Time.
pd.date_range("2024-01-30", periods=4, freq="D"), pd.date_range("2024-01-31", periods=4, freq="ME"), pd.bdate_range("2024-03-29", periods=3)

series = pd.Series(range(10), index=pd.date_range("2024-02-27 22:00", periods=10, freq="7h"), dtype="float64")
series.resample("D").agg(["sum", "count", "mean"])

series.resample("2h").asfreq().head(3), series.resample("W").ohlc(), series.asfreq("14h")

series.rolling(3).mean().round(3).tolist(), series.rolling("1D").sum().tolist(), series.expanding().max().tolist(), series.ewm(span=3).mean().round(4).tolist()

series.rolling(3, center=True).apply(lambda part: part.iloc[-1] - part.iloc[0]).tolist(), series.rolling(4).std().round(4).tolist(), series.rolling(3).median().tolist()

series.rolling(4).quantile(0.3).tolist(), series.rolling(4).skew().round(3).tolist(), series.rolling(3, win_type=None).sum().tolist()

series["2024-02-28"], series.between_time("00:00", "06:00"), series.shift(1, freq="D").index[0], series.truncate(after="2024-02-29").shape

series.tz_localize("Europe/Berlin").tz_convert("America/New_York").index[:2]

pd.Timestamp("2024-03-31 01:30", tz="Europe/Berlin") + pd.Timedelta("1h"), pd.Timestamp("2024-10-27 02:30").tz_localize("Europe/Berlin", ambiguous=True)

pd.Timestamp("2024-03-31 02:30").tz_localize("Europe/Berlin")

pd.to_datetime(["2024-01-02", "2024-03-04T05:06:07.123456789"], format="ISO8601"), pd.to_datetime("3 Jan 2024 4pm"), pd.to_datetime(1700000000, unit="s")

pd.to_datetime(["1/2/2024", "bad"], errors="coerce", format="%d/%m/%Y"), pd.to_datetime({"year": [2024], "month": [2], "day": [29]})

moment = pd.Timestamp("2024-02-29 13:14:15.678901")
moment.day_name(), moment.quarter, moment.isocalendar(), moment.floor("h"), moment.normalize(), moment + pd.DateOffset(years=1), moment.strftime("%d.%m.%y %H:%M")

moment + pd.offsets.BMonthEnd(), moment - pd.Timestamp(2024, 1, 1), pd.Timedelta(days=1.5).components, pd.Timedelta("2 days 03:04:05").total_seconds()

pd.Series(pd.date_range("2024-01-01", periods=3, freq="MS")).dt.month_name().tolist(), pd.Series(pd.to_timedelta(["1h", "2 days"])).dt.total_seconds().tolist()

pd.period_range("2024Q1", periods=3, freq="Q"), pd.Period("2024-02").end_time, series.to_period("M").index.unique(), pd.Period("2024-01", "M") + 3

pd.Timestamp.max, pd.Timestamp.min, pd.Timestamp("9999-12-31", unit=None).year, pd.Timestamp("1677-01-01").unit

pd.Series(["2024-01-01", "2024-06-01"]).pipe(pd.to_datetime).diff().dt.days.tolist(), pd.infer_freq(pd.date_range("2024", periods=4, freq="W-TUE"))

pd.interval_range(0, 4, periods=2), pd.Interval(0, 1).overlaps(pd.Interval(1, 2)), pd.IntervalIndex.from_breaks([0, 1, 2]).get_indexer([0.5, 5]).tolist()

# Text.
words = pd.Series(["Ann Lee", "bob", None, "Zoë 12"])
words.str.upper().tolist(), words.str.len().tolist(), words.str.contains("o", na=False).tolist(), words.str.split().str[0].tolist()

words.str.extract(r"(?P<first>\w+) (?P<second>\w+)"), words.str.replace(r"\d", "#", regex=True).tolist(), words.str.pad(8, fillchar=".").tolist()

words.str.get_dummies(" "), words.str.cat(sep="|"), words.str.findall("[aeiou]").tolist(), words.str.encode("utf-8").tolist(), words.str.normalize("NFD").str.len().tolist()

words.str.startswith(("A", "b")).tolist(), words.str.slice(1, 3).tolist(), words.str.partition(" ").iloc[0].tolist(), words.str.title().tolist(), words.str.zfill(8).tolist()

# Categories.
size = pd.Categorical(["s", "l", "m", "s", None], categories=["s", "m", "l"], ordered=True)
size, size.codes.tolist(), size.min(), (size > "s").tolist()

pd.Series(size).value_counts(), pd.Series(size).cat.rename_categories({"s": "small"}).tolist(), pd.Series(size).sort_values().tolist(), pd.Series(size).cat.remove_unused_categories().cat.categories.tolist()

size.add_categories("xl").categories.tolist(), pd.Categorical.from_codes([0, 1], ["a", "b"]), pd.api.types.union_categoricals([pd.Categorical(["a"]), pd.Categorical(["b"])])

# Writing.
sales.to_csv(index=False), sales.to_csv(sep=";", decimal=",", na_rep="NA", float_format="%.2f", columns=["n", "price"], header=["N", "P"])

print(sales.to_string(index=False, formatters={"price": "{:.1f}".format}, na_rep="?"))
sales.to_json(), sales.to_json(orient="records", lines=True), sales.head(2).to_json(orient="split"), sales.head(1).to_json(orient="table")

pd.DataFrame({"d": [pd.Timestamp("2024-01-01")], "t": [pd.Timedelta("1h")], "u": ["ä\"/\n"], "f": [1 / 3], "n": [None]}).to_json(date_format="iso", double_precision=15, force_ascii=False)

pd.read_json(io.StringIO(sales.to_json(orient="records")), orient="records").equals(sales), pd.read_json(io.StringIO('{"a":{"x":1,"y":2}}')), pd.read_json(io.StringIO('{"a":1}\n{"a":2}\n'), lines=True)

sales.head(2).to_dict(), sales.head(2).to_dict("list"), sales.head(2).to_records(index=False).tolist(), sales.head(2).to_numpy().tolist()

sales.head(2).to_html(), sales.head(2).to_xml(parser="etree"), pd.read_xml(io.StringIO(sales.head(2).to_xml(parser="etree")), parser="etree")

sales.to_latex()

pd.Series([1.123456789, 1e10, 1e-10]), pd.Series([0.1 + 0.2, 1 / 3]).round(2).tolist(), pd.DataFrame({"x": [1234567.891]})

pd.DataFrame({f"c{i}": range(100) for i in range(30)})

pd.DataFrame({"text": ["long " * 30]})

with pd.option_context("display.max_rows", 4, "display.precision", 2, "display.width", 60): print(pd.DataFrame(np.linspace(0, 1, 60).reshape(10, 6)))
repr(pd.DataFrame()), repr(pd.Series(dtype="float64")), pd.Index([]).dtype

place = tempfile.mkdtemp()
names = [os.path.join(place, "t" + end) for end in (".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zip", ".pkl", ".json")]
for name in names[:5]: sales.to_csv(name, index=False)
sales.to_pickle(names[5]); sales.to_json(names[6])
[pd.read_csv(name).equals(sales) for name in names[:5]], pd.read_pickle(names[5]).equals(sales), pd.read_json(names[6]).equals(sales)

import sqlite3
base = sqlite3.connect(":memory:")
sales.to_sql("sales", base, index=False), pd.read_sql("select shop, sum(n) as n from sales group by shop", base), base.close()

# Arithmetic.
a, b = pd.Series([1, 2, 3], index=list("abc")), pd.Series([10, 20], index=list("bc"))
a + b, a.add(b, fill_value=0), a // 0, a / 0, a % 0, a ** 2, -a, a.dot(a), a @ a

pd.DataFrame({"x": [1.0, 0.0]}) / 0, pd.Series([1, -1]) / 0, pd.Series([np.inf, -np.inf]).sum(), np.log(pd.Series([1.0, 0.0]))

pd.Series([1e308, 1e308]).sum(), pd.Series([0.1] * 10).sum(), pd.Series([0.1] * 10).cumsum().iloc[-1], pd.Series([1, 2, 3]).prod()

pd.Series([3, 1, 2]).rank().tolist(), pd.Series([1, 2, 2, 3]).rank(method="dense", pct=True).tolist(), pd.Series([3, 1, 2]).argsort().tolist(), pd.Series([1, 2]).hasnans

pd.util.hash_pandas_object(pd.Series(["a", "b"])).tolist(), pd.util.hash_pandas_object(pd.Series([1, 2])).tolist()

pd.Series(pd.arrays.SparseArray([0, 0, 1])).sparse.density, pd.Series([1 + 2j]).dtype, pd.Series([1, 2, 3]).astype(object).infer_objects().dtype

big = pd.DataFrame({"k": np.random.default_rng(1).integers(0, 1000, 100_000, dtype="int64"), "v": np.random.default_rng(2).normal(size=100_000)})
big.groupby("k")["v"].mean().describe().round(6), big["v"].rolling(100).mean().iloc[-1].round(9), big.sort_values("v").iloc[[0, -1]], big["k"].nunique()

big.merge(big.groupby("k")["v"].sum().rename("s"), left_on="k", right_index=True).shape, big.pivot_table(index=big["k"] % 7, columns=big["k"] % 3, values="v").round(6)
'''


def run(case, names):
    """Prints what the last line of a case gives, or the error."""
    body = ast.parse(case).body
    last = ast.Expression(body.pop().value)
    exec(compile(ast.Module(body, []), "case", "exec"), names)
    answer = eval(compile(last, "case", "eval"), names)
    for part in answer if isinstance(answer, tuple) else [answer]:
        print(part)


names = dict(io=io, json=json, os=os, tempfile=tempfile, np=np, pd=pd)
for case in CASES.strip().split("\n\n"):
    print(">>>", case)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            run(case, names)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    for warning in told:
        print(f"{warning.category.__name__}: {warning.message}")
