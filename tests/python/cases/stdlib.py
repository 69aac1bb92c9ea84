import json
print(json.dumps({"a": [1, 2.5, None, True, "é\n"], "b": {}}, indent=2), json.dumps({2: 1, 1: 2}, sort_keys=True, separators=(",", ":")), json.dumps("é", ensure_ascii=False))
print(json.loads('[1, 1e5, -0.0, "\\ud83d\\ude00", NaN]'))
try: json.loads('{"a": 1,}')
except json.JSONDecodeError as e: print(type(e).__name__, e.lineno)
---
import re
print(re.findall(r"(\w)(\d+)", "a1 b22 c333"), re.sub(r"(?P<x>\d)", r"<\g<x>>", "a1b2"), re.split(r"[,;]\s*", "a, b;c"), re.fullmatch("a+", "aaa").span())
print(re.compile(r"""(?x) \d+ # number
 \s* """).search("abc 42 ").group(), re.escape("a.b*c"), re.match("(?i)ÀB", "àb") is not None, re.sub("a|b", lambda m: m[0].upper(), "cabd"))
---
import datetime as d
x = d.datetime(2024, 2, 29, 12, 30, 15, 123456, tzinfo=d.timezone.utc)
print(x.isoformat(), x + d.timedelta(days=366), x.strftime("%Y %j %a %b %U %H:%M:%S.%f %z"), d.datetime.strptime("2023-01-02 03:04", "%Y-%m-%d %H:%M"), d.date.fromisoformat("2024-12-31").isocalendar(), repr(d.timedelta(1.5)))
import zoneinfo
print(x.astimezone(zoneinfo.ZoneInfo("Europe/Berlin")), x.astimezone(zoneinfo.ZoneInfo("America/New_York")).tzname(), d.datetime(2024, 3, 31, 2, 30, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")).utcoffset())
---
import collections as c, itertools as i, functools as f, operator as o
print(c.Counter("abracadabra").most_common(2), c.deque([1, 2, 3], 2), c.defaultdict(list, a=[1]), c.ChainMap({"a": 1}, {"b": 2})["b"], c.namedtuple("P", "x y")(1, 2))
print(list(i.accumulate([1, 2, 3], o.mul)), list(i.groupby("aabbc"))[0][0], list(i.combinations("abc", 2)), list(i.islice(i.count(5, 2), 3)), list(i.pairwise([1, 2, 3])), list(i.zip_longest("ab", "c")), f.reduce(o.add, range(5)), f.partial(int, base=2)("101"))
@f.lru_cache
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(90), fib.cache_info())
---
import hashlib, hmac, base64, binascii, zlib, secrets, uuid
for n in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s"): print(n, hashlib.new(n, b"x").hexdigest())
print(hashlib.shake_128(b"x").hexdigest(8), hmac.new(b"k", b"m", "sha256").hexdigest(), hashlib.pbkdf2_hmac("sha256", b"p", b"s", 10).hex(), base64.b85encode(b"hello"), base64.b32encode(b"hi"), binascii.crc32(b"x"), zlib.crc32(b"x"), zlib.adler32(b"x"), zlib.decompress(zlib.compress(b"y" * 1000)) == b"y" * 1000, len(secrets.token_hex(8)), uuid.uuid5(uuid.NAMESPACE_DNS, "a"))
---
import sqlite3
c = sqlite3.connect("t.db"); c.execute("create table t(a integer primary key, b text, c blob)"); c.executemany("insert into t(b,c) values(?,?)", [("x", b"1"), ("é", None)]); c.commit(); c.close()
c = sqlite3.connect("t.db"); c.row_factory = sqlite3.Row
print([tuple(r) for r in c.execute("select * from t")], c.execute("select count(*), max(b) from t").fetchone()[:], c.execute("select json_extract('{\"a\":[1,2]}', '$.a[1]')").fetchone()[0])
c.create_function("twice", 1, lambda x: x * 2); print(c.execute("select twice(21)").fetchone()[0])
try: c.execute("select nope")
except sqlite3.OperationalError as e: print(e)
try: c.execute("insert into t values(1, 2, 3)")
except sqlite3.IntegrityError as e: print(e)
with c: c.execute("delete from t")
print(c.total_changes, open("t.db", "rb").read(15))
---
import csv, io, configparser, tomllib, plistlib
w = io.StringIO(); csv.writer(w).writerows([["a", 'q"x', "c,d"], [1, None, 2.5]]); print(repr(w.getvalue())); print(list(csv.DictReader(io.StringIO("a,b\n1,2\n")))); print(csv.Sniffer().sniff("a;b\n1;2\n").delimiter)
p = configparser.ConfigParser(); p.read_string("[s]\na=1\nb=%(a)s2\n[t]\n"); print(p.sections(), p["s"]["b"], p.getint("s", "a")); print(tomllib.loads('a=1\n[b]\nc=[1,2]\nd=2024-01-01')); print(plistlib.loads(plistlib.dumps({"a": 1})))
---
import xml.etree.ElementTree as E, xml.dom.minidom as m, html
t = E.fromstring("<a x='1'><b>t</b><b/>tail</a>"); print(t.find("b").text, t.attrib, [e.tag for e in t.iter()], E.tostring(t)); E.indent(t); print(E.tostring(t, "unicode")); print(m.parseString("<r><c/></r>").toprettyxml(" ")); print(html.escape("<a&\">"), html.unescape("&eacute;&#65;"))
try: E.fromstring("<a>")
except E.ParseError as e: print(e)
---
import decimal as d, fractions as f, statistics as s, math, cmath, random, numbers
print(d.Decimal("0.1") + d.Decimal("0.2"), d.Decimal(1) / 3, d.getcontext().prec, d.Decimal("1e400").sqrt(), f.Fraction(3, 4) + f.Fraction("0.25"), s.mean([1, 2, 4]), s.stdev([1, 2, 4]), s.median([3, 1, 2]), s.quantiles([1, 2, 3, 4]))
print(math.pi, math.sin(1), math.exp(10), math.gamma(5.5), math.comb(50, 25), math.isqrt(10**40), math.fsum([0.1] * 10), math.dist((0, 0), (3, 4)), math.lcm(4, 6), math.nextafter(1, 2), math.log(1e300), math.erf(0.3), cmath.sqrt(-1), 0.1 + 0.2, 1e22, 1e16, 5e-324, float("1.7976931348623157e308"))
random.seed(42); print(random.random(), random.randint(1, 100), random.sample(range(100), 3), random.choice("abc"), random.gauss(0, 1), random.shuffle(l := [1, 2, 3]), l, random.getrandbits(70))
---
import struct, array, codecs, io, string, textwrap, difflib, pprint
print(struct.pack("<IhQ3sd", 1, -2, 3, b"abc", 1.5), struct.unpack(">H", b"\1\2"), struct.calcsize("<iq"), array.array("d", [1, 2]).tobytes(), codecs.encode("abc", "rot13"), "é".encode("utf-16-le"), b"\xff".decode("latin-1"), "ß".encode("ascii", "xmlcharrefreplace"), "a\u0300".encode("utf-8"))
print(string.Template("$a ${b}").substitute(a=1, b=2), string.ascii_letters, textwrap.fill("the quick brown fox jumps over", 12), textwrap.dedent("  a\n  b"), "\n".join(difflib.unified_diff(["a", "b"], ["a", "c"], lineterm="")), difflib.get_close_matches("appl", ["ape", "apple"])); pprint.pprint({"k" * 30: list(range(30)), "b": ("x" * 50, "y" * 50)})
try: b"\xff".decode()
except UnicodeDecodeError as e: print(e)
try: "\ud800".encode()
except UnicodeEncodeError as e: print(e)
---
import dataclasses as d, enum, typing, abc
@d.dataclass(order=True)
class P: x: int; y: list = d.field(default_factory=list)
print(P(1), P(1) < P(2), d.asdict(P(3, [1])), d.replace(P(1), x=9), [f.name for f in d.fields(P)])
class C(enum.Enum): A = 1; B = enum.auto()
class F(enum.Flag): R = 1; W = 2
print(C.A, C(2), list(C), F.R | F.W, C["B"].value, C.A.name, repr(C.A))
class Abs(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
try: Abs()
except TypeError as e: print("abstract")
match {"k": [1, 2, 3]}:
    case {"k": [a, *r]}: print(a, r)
---
import pickle, copy, marshal, shelve, copyreg
class A:
    def __init__(s): s.x = [1, {2}]
for p in range(6): assert pickle.loads(pickle.dumps([1, "a", b"b", None, 1.5, {1: 2}, (1,), {3}], p)) == [1, "a", b"b", None, 1.5, {1: 2}, (1,), {3}]
print(pickle.dumps([1, "a"], 2), pickle.loads(pickle.dumps(A())).x, copy.deepcopy([[1]]), marshal.loads(marshal.dumps((1, "x"))))
with shelve.open("s") as s: s["k"] = [1]
with shelve.open("s") as s: print(s["k"], list(s))
try: pickle.dumps(lambda: 0)
except Exception as e: print(type(e).__name__)
---
import zipfile, tarfile, gzip, io, os, shutil
with zipfile.ZipFile("z.zip", "w", zipfile.ZIP_DEFLATED) as z: z.writestr("a/b.txt", "x" * 1000); z.writestr("c", b"y")
with zipfile.ZipFile("z.zip") as z: print(z.namelist(), z.read("c"), z.getinfo("a/b.txt").file_size, z.testzip()); z.extractall("out")
print(sorted(os.listdir("out")), zipfile.is_zipfile("z.zip"))
with tarfile.open("t.tgz", "w:gz") as t: t.add("out", "renamed")
with tarfile.open("t.tgz") as t: print(sorted(t.getnames()))
with gzip.open("g.gz", "wt") as g: g.write("text")
print(gzip.open("g.gz", "rt").read(), gzip.decompress(gzip.compress(b"q")))
---
import io, os
with open("f", "w+b") as f: f.write(b"line1\r\nline2\nline3"); f.seek(0); print(f.readlines(), f.tell(), f.seek(-3, 2), f.read(), f.truncate(3), os.path.getsize("f"))
print(open("f", newline="").read(), list(open("f")), open("f").readline())
with open("t", "w", newline="\r\n") as f: f.write("a\nb\n")
print(open("t", "rb").read(), open("t").read(), open("t").newlines)
with open("t", "a") as f: print(f.tell() > 0, f.write("c"), f.mode, f.name, f.encoding, f.closed)
try: open("t", "x")
except FileExistsError as e: print(e)
try: open("t").write("x")
except io.UnsupportedOperation as e: print(e)
try: open("t", "q")
except ValueError as e: print(e)
try: f.write("x")
except ValueError as e: print(e)
b = io.BytesIO(b"abcdef"); print(b.read(2), b.getbuffer()[2:4].tobytes()); s = io.StringIO("a\nb"); print(s.readlines()); print(io.TextIOWrapper(io.BytesIO("é".encode("latin-1")), "latin-1").read())
---
import os, os.path as p
print(p.join("a", "/b"), p.normpath("a/../b//c"), p.split("/a/b"), p.splitext("a.tar.gz"), p.basename("/a/"), p.commonpath(["/a/b", "/a/c"]), p.relpath("/a/b", "/a/c"), p.isabs("x"), p.expanduser("~nosuch"), p.realpath("/usr/../tmp"))
os.makedirs("d/e"); open("d/f", "w").close(); os.symlink("f", "d/l"); os.link("d/f", "d/h")
print(sorted((e.name, e.is_dir(), e.is_symlink(), e.is_file(follow_symlinks=False)) for e in os.scandir("d")), os.stat("d/f").st_nlink, os.readlink("d/l"), p.islink("d/l"), p.samefile("d/f", "d/l"))
os.replace("d/f", "d/g"); print(sorted(os.listdir("d")), p.lexists("d/l"), p.exists("d/l")); os.utime("d/g", (1, 2)); print(os.stat("d/g").st_mtime, os.path.getatime("d/g")); os.truncate("d/g", 5); print(open("d/g", "rb").read()); os.removedirs("d/e") ; print(os.path.exists("d"))
fd = os.open("x", os.O_CREAT | os.O_RDWR, 0o600); print(os.write(fd, b"hello"), os.lseek(fd, 1, 0), os.read(fd, 2), os.pread(fd, 2, 3), os.fstat(fd).st_size, os.pwrite(fd, b"J", 0)); os.ftruncate(fd, 2); os.close(fd); print(open("x").read())
d = os.open(".", os.O_RDONLY); print(os.stat("x", dir_fd=d).st_size, "x" in os.listdir(d)); os.mkdir("sub", dir_fd=d); os.rename("x", "sub/x", src_dir_fd=d, dst_dir_fd=d); os.chdir("sub"); print(os.listdir()); os.fchdir(d); os.mkfifo("p"); import stat; print(stat.S_ISFIFO(os.stat("p").st_mode))
---
import glob, fnmatch, pathlib, os
for n in ("a.py", "b.txt", "d/c.py", "d/e/f.py", ".h"): pathlib.Path(n).parent.mkdir(parents=True, exist_ok=True); pathlib.Path(n).touch()
print(sorted(glob.glob("*")), sorted(glob.glob("**/*.py", recursive=True)), glob.glob("[!a]*.txt"), fnmatch.filter(["a", "bc"], "?"), sorted(map(str, pathlib.Path(".").glob("**/*.py"))), sorted(p.name for p in pathlib.Path(".").iterdir()))
p = pathlib.PurePosixPath("/a/b.tar.gz"); print(p.parts, p.suffixes, p.stem, p.with_suffix(".x"), p.parent, p.relative_to("/a"), p.match("*.gz"), p / "c", p.as_uri(), pathlib.Path("d").resolve() == pathlib.Path.cwd() / "d", pathlib.Path("d/e/f.py").unlink(), pathlib.Path("d/e").rmdir(), pathlib.Path("a.py").rename("z.py"), pathlib.Path("nope").exists())
---
import inspect, ast, dis, tokenize, io, symtable, keyword, types, code
def f(a, b=1, *c, d, **e): "doc"
print(inspect.signature(f), inspect.getdoc(f), ast.unparse(ast.parse("x = [i for i in y if i]\nasync def g(): await z")), ast.literal_eval("{'a': (1, 2)}"), eval(compile(ast.Expression(ast.BinOp(ast.Constant(1), ast.Add(), ast.Constant(2), lineno=1, col_offset=0, end_lineno=1, end_col_offset=0), lineno=1, col_offset=0), "x", "eval")) if False else "", [t.string for t in tokenize.generate_tokens(io.StringIO("a+1").readline)], keyword.iskeyword("for"), types.SimpleNamespace(a=1), code.compile_command("if x:"))
for s in ("x = ", "for", "a b", "'abc", "f(", "def f(:", "1 = x", "return", "x = 5 +* 3"):
    try: compile(s, "<s>", "exec")
    except SyntaxError as e: print(type(e).__name__, e.lineno)
---
import logging, sys, warnings, contextlib, traceback, io
logging.basicConfig(stream=sys.stdout, format="%(levelname)s:%(name)s:%(message)s", level=logging.INFO); logging.getLogger("x").info("hi %s", 1); logging.debug("no")
try: 1 / 0
except ZeroDivisionError: logging.exception("bad") if False else print(traceback.format_exc().splitlines()[-1])
with contextlib.suppress(KeyError): {}["a"]
with contextlib.redirect_stdout(io.StringIO()) as o: print("captured")
print(o.getvalue(), end="")
with warnings.catch_warnings(record=True) as w: warnings.simplefilter("always"); warnings.warn("w"); print(w[0].message, w[0].category.__name__)
with contextlib.ExitStack() as s: s.callback(print, "cleanup")
try: raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
except* ValueError as e: print("v", e.exceptions)
except* TypeError as e: print("t", e.exceptions)
e = ValueError("x"); e.add_note("note"); print("".join(traceback.format_exception(e)))
---
import argparse, getopt, shlex, sys
p = argparse.ArgumentParser(prog="p"); p.add_argument("x", type=int); p.add_argument("-v", "--verbose", action="count", default=0); p.add_argument("--o", choices=["a", "b"]); s = p.add_subparsers; print(p.parse_args(["5", "-vv", "--o", "a"]))
print(getopt.getopt(["-a", "-b", "v", "r"], "ab:"), shlex.split("a 'b c' \"d\\\"e\""), shlex.quote("a'b"), shlex.join(["a", "b c"]))
try: p.parse_args(["x"])
except SystemExit as e: print(e.code)
---
import unittest, doctest, sys, io
class T(unittest.TestCase):
    def test_ok(self): self.assertEqual(1, 1)
    def test_bad(self): self.assertEqual(1, 2)
    @unittest.skip("s")
    def test_skip(self): pass
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i): self.assertNotEqual(i, 1)
r = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(T)); print(r)
def f():
    """
    >>> 1 + 1
    2
    """
print(doctest.testmod())
from unittest import mock
m = mock.Mock(return_value=3); print(m(1), m.call_args, mock.patch("os.getcwd", return_value="x").__enter__()())
---
import threading, queue
print(threading.current_thread().name, threading.active_count(), threading.main_thread().is_alive()); l = threading.Lock(); print(l.acquire(), l.locked(), l.acquire(False), l.release()); r = threading.RLock()
with r, r: print("re-entered")
q = queue.Queue(); q.put(1); print(q.get(), q.empty())
try: q.get(timeout=0.01)
except queue.Empty: print("empty")
e = threading.Event(); print(e.wait(0.01), e.set(), e.wait()); c = threading.Condition(); d = threading.local(); d.x = 1; print(d.x)
---
import contextvars, weakref, gc, heapq, bisect, sched, time, calendar, locale, gettext, platform
v = contextvars.ContextVar("v", default=1); print(v.get(), contextvars.copy_context().run(lambda: (v.set(2), v.get())[1]), v.get())
class A: pass
a = A(); w = weakref.ref(a, lambda r: print("dead")); print(w() is a); del a; print(w()); weakref.finalize(b := A(), print, "final"); del b
h = [3, 1, 2]; heapq.heapify(h); print(heapq.heappop(h), heapq.nlargest(2, [1, 5, 3]), bisect.bisect([1, 2, 3], 2)); s = sched.scheduler(time.monotonic, time.sleep); s.enter(0.01, 1, print, ("sched",)); s.run(); print(calendar.monthrange(2024, 2)[1], time.strftime("%Y-%m-%d", time.gmtime(0)), time.mktime(time.gmtime(86400)), platform.system(), locale.setlocale(locale.LC_ALL, "C"))
---
import urllib.parse as u, ipaddress, email, email.message, mimetypes, http, netrc, quopri, string
print(u.urlparse("http://u:p@h:80/a;b?c=d#e"), u.quote("a b/é"), u.unquote("%C3%A9"), u.parse_qs("a=1&a=2"), u.urlencode({"a": "x y"}), u.urljoin("http://a/b/c", "../d"))
print(ipaddress.ip_network("10.0.0.0/30").num_addresses, list(ipaddress.ip_network("10.0.0.0/30").hosts()), ipaddress.ip_address("::1").is_loopback, mimetypes.guess_type("a.html"), http.HTTPStatus(404).phrase, quopri.encodestring(b"\xe9="))
m = email.message.EmailMessage(); m["Subject"] = "é"; m.set_content("body"); print(m.as_string()); print(email.message_from_string("A: b\n\nc").get_payload())
---
print(*(x for x in (1, 2)), sep="-", end="!\n"); print(f"{3.14159:.2f} {'a':>5} {5:03d} {1000000:,} {255:#x} {0.5:%} {'q'!r} {1+1=}", "%5.1f|%-5s|%x" % (2.25, "ab", 255), "{:^9}{!r}".format("mid", 1), 10**30, -7 // 2, -7 % 3, 2**-1, 1 << 70, 0b101, int("ff", 16), round(2.5), round(2.675, 2), divmod(-7, 2), complex(1, -2), 1_000, bool([]), (0.1).hex(), (5).to_bytes(2, "big"), (10).bit_length())
print([*range(3)], {**{"a": 1}}, {1, 2} ^ {2, 3}, "abc"[::-1], "a,b".split(","), " x ".strip(), "é".upper(), "ǆ".title(), "ß".casefold(), "x".zfill(3), "a\tb".expandtabs(4), "ab" * 2, "b" in "abc", sorted("bca", reverse=True), max([1, 3, 2], key=lambda v: -v), list(zip("ab", [1, 2], strict=True)), any([]), all([]), sum([0.1] * 3), list(map(str, [1])), [*enumerate("ab", 1)])
---
class M(type):
    def __new__(m, n, b, d, **k): print("meta", n, k); return super().__new__(m, n, b, d)
class A(metaclass=M, flag=1):
    __slots__ = ("x",)
    def __set_name__(s, o, n): print(n)
    def __init_subclass__(c, **k): print("sub", c.__name__)
class B(A): pass
try: A().y = 1
except AttributeError as e: print(type(e).__name__)
class D:
    def __get__(s, i, o): return 42
    @property
    def p(s): return 1
class E: d = D()
print(E().d, E.d, B.__mro__[1].__name__, isinstance(B(), A))
def g():
    try:
        r = yield 1; print("got", r); yield 2
    finally: print("closed")
i = g(); print(next(i), i.send("v")); i.close()
try: next(iter([]))
except StopIteration: print("stop")
x = [1]; x += x; a, *b = x; print(a, b); del x
try: x
except NameError as e: print(e)
print((lambda *a, k=1, **q: (a, k, q))(1, k=2, z=3)); global_ = 1
def outer():
    n = 0
    def inner():
        nonlocal n; n += 1; return n
    return inner
o = outer(); o(); print(o())
---
import sys
for n in ("1/0", "[][1]", "{}['k']", "int('x')", "None.a", "f()", "1+'a'", "len(5)", "'a'+1", "object().x", "[].remove(1)", "next(iter(()))", "import nope_", "from os import nope_", "raise", "raise 5", "assert False, 'm'", "open('/nope')", "'%d' % 'a'", "'{}'.format()", "int('1'*5000)", "(1).__foo__()", "b'a'.decode('nope')", "chr(-1)", "range(1,2,0)", "[1,2][::0]", "{[]}", "class A(int, str): pass", "a, b = 1", "a, b = [1]", "a, b = 1, 2, 3", "print(1, foo=2)", "(lambda a: 0)()", "float('x')", "2.0**10000", "-1 << -1", "bytes([300])", "memoryview(1)", "super()", "{}.fromkeys()", "eval('1 +')", "ord('ab')", "'a'.join([1])", "sum(['a'])", "hash([])", "list(5)", "dict([1])", "set(1)", "isinstance(1, 1)", "__import__('')", "compile('a', 'b', 'c')"):
    try: exec(n)
    except BaseException as e: print(n[:20], "|", type(e).__name__)
---
#py
import importlib, sys, os, runpy, pkgutil, importlib.util, importlib.resources, importlib.metadata
os.makedirs("pk/sub"); open("pk/__init__.py", "w").write("from . import sub\nV = 1\n"); open("pk/sub/__init__.py", "w").write("from .. import x\n"); open("pk/x.py", "w").write("print('x loaded', __name__)\n"); open("pk/data.txt", "w").write("resource")
import pk; print(pk.sub.__name__, [m.name for m in pkgutil.walk_packages(["pk"])], importlib.resources.files("pk").joinpath("data.txt").read_text(), pk.__path__ == [os.path.abspath("pk")])
importlib.reload(pk.x); print(runpy.run_path("pk/x.py")["__name__"], importlib.util.find_spec("nope"), importlib.util.find_spec("pk.x").origin.endswith("pk/x.py"))
sys.modules.pop("pk.x"); sys.path.insert(0, "z.zip")
import zipfile; zipfile.ZipFile("z.zip", "w").writestr("inzip.py", "W = __file__")
import inzip; print(inzip.W); open("bad.py", "w").write("x = (")
try: import bad
except SyntaxError as e: print(e.filename.endswith("bad.py"), e.lineno)
open("circ1.py", "w").write("from circ2 import a"); open("circ2.py", "w").write("from circ1 import b")
try: import circ1
except ImportError as e: print("partially initialized" in str(e))
os.mkdir("ns"); open("ns/m.py", "w").write(""); import ns.m; print(ns.__file__ if hasattr(ns, "__file__") else None, ns.__spec__.origin)
---
#sh
python3 -m json.tool --sort-keys <<< '{"b":1,"a":[1,2]}'; echo 'a,b' | python3 -m base64 -e; python3 -m calendar 2024 3; python3 -m zipfile -c z.zip /etc/passwd; python3 -m zipfile -l z.zip | wc -l; python3 -m tarfile -c t.tar z.zip; python3 -m tarfile -l t.tar; python3 -m gzip z.zip; ls; python3 -m quopri <<< 'é='; python3 -m timeit -n 1 -r 1 'pass' > /dev/null; echo $?
---
#sh
printf 'def f():\n    raise ValueError("deep")\ndef g(): f()\n' > mod.py; printf 'import mod\nmod.g()\n' > main.py; python3 main.py 2>&1 | grep -v '[~^]$' | sed "s:$PWD/::"; echo ${PIPESTATUS[0]}
---
#sh
printf 'try:\n    raise KeyError(1)\nexcept KeyError as e:\n    raise ValueError("second") from e\n' > main.py; python3 main.py 2>&1 | sed "s:$PWD/::"
---
#sh
printf 'try:\n    raise KeyError(1)\nexcept KeyError as e:\n    raise ValueError("second")\n' > main.py; python3 main.py 2>&1 | sed "s:$PWD/::"
---
#sh
printf 'def f():\n    f()\nf()\n' > main.py; python3 main.py 2>&1 | grep -v '\^' | sed "s:$PWD/::" | tail -3; printf 'x = 1\n  y = 2\n' > i.py; python3 i.py 2>&1 | sed "s:$PWD/::"
---
#sh
printf 'class E(Exception): pass\nraise E("multi\\nline")\n' > main.py; python3 main.py 2>&1 | sed "s:$PWD/::"; printf 'raise ExceptionGroup("g", [ValueError(1), ExceptionGroup("h", [TypeError("t")])])\n' > g.py; python3 g.py 2>&1 | sed "s:$PWD/::"
---
#sh
mkdir t; printf 'import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertTrue(True)\n' > t/test_x.py; touch t/__init__.py; python3 -m unittest t.test_x 2>&1 | sed 's/in .*s$//'; python3 -m unittest discover -s t 2>&1 | tail -1; python3 -m doctest t/test_x.py; echo $?; python3 -m compileall -q t; ls t | sort
---
#sh
seq 1 100000 | python3 -c 'import sys; print(sum(int(l) for l in sys.stdin))'; seq 5 | python3 -c 'import fileinput; [print(l, end="") for l in fileinput.input()]'; printf 'a\nb' | python3 -c 'import sys; print(sys.stdin.readlines(), sys.stdin.read())'; printf 'l1\nl2\n' | python3 -c 'print(input("p> ")); print(input())
try: input()
except EOFError as e: print(e)'; head -c 100000 /dev/zero | python3 -c 'import sys; print(len(sys.stdin.buffer.read()))'
