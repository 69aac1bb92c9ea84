//! Programs that use too much end within their limits with an error, and nothing else is affected.

use super::{check, check_with, exec};
use sandshell::{CreateOptions, LocalOptions, SandboxExt, pack};

#[test]
fn threads_have_a_limit_and_end_with_their_process() {
    let many = "python3 - <<'END'\nimport threading\nstop, started = threading.Event(), []\ntry:\n    for _ in range(5000):\n        thread = threading.Thread(target=stop.wait); thread.start(); started.append(thread)\nexcept RuntimeError as error: print(len(started), error)\nstop.set()\nfor thread in started: thread.join()\nthread = threading.Thread(target=print, args=('again',)); thread.start(); thread.join()\nEND";
    check(many, 0, "128 can't start new thread: a process can have 128\nagain\n");
    // All wait for one another.
    let locked = "timeout 1 python3 -c 'import threading\nlock = threading.Lock(); lock.acquire()\nthreading.Thread(target=lock.acquire).start(); lock.acquire()'";
    check(locked, 124, "");
    // Threads that never wait.
    let busy = "timeout 2 python3 -c 'import threading\ndef loop():\n    while True: pass\nfor _ in range(8): threading.Thread(target=loop).start()\nprint(\"started\", flush=True)'; echo $?";
    check(busy, 0, "started\n124\n");
}

#[test]
fn wrong_addresses_end_only_their_process() {
    let script = "for a in 0 1 -1 4294967295 2147483648; do python3 -c 'import ctypes, sys\nctypes.memset(int(sys.argv[1]), 0x41, 1 << 22)' $a 2>/dev/null; echo $(($? != 0)); done";
    check(script, 0, "1\n1\n1\n1\n1\n");
}

/// Each of these recurses too deeply. CPython raises an exception, and the program continues.
const DEEP: &str = r#"
import sys

def nested(make, depth=100_000):
    value = make(None)
    for _ in range(depth): value = make(value)
    return value

class Echo:
    def __repr__(self): return repr(self)
    def __getattr__(self, name): return getattr(self, name)
    def __eq__(self, other): return self == other
    def __call__(self): return self()

def f(): f()
def g():
    yield from g()
listed = nested(lambda x: [x])
def cases():
    import ast, copy, json, marshal, pickle, re
    yield f
    yield lambda: list(g())
    yield lambda: repr(Echo())
    yield lambda: Echo().name
    yield lambda: Echo() == 1
    yield lambda: Echo()()
    yield lambda: repr(listed)
    yield lambda: str(listed)
    yield lambda: listed == nested(lambda x: [x])
    yield lambda: repr(nested(lambda x: {1: x}))
    yield lambda: isinstance("", nested(lambda x: (x or int,)))
    yield lambda: json.loads("[" * 100_000)
    yield lambda: json.loads('{"a":' * 100_000)
    yield lambda: json.dumps(listed)
    yield lambda: pickle.dumps(listed)
    yield lambda: marshal.dumps(listed)
    yield lambda: copy.deepcopy(listed)
    yield lambda: re.compile("(" * 5000 + ")" * 5000)
    yield lambda: compile("(" * 100_000, "", "exec")
    yield lambda: compile("-" * 100_000 + "1", "", "eval")
    yield lambda: eval("+".join(["1"] * 100_000))
    yield lambda: ast.parse("x" + ".y" * 100_000)
    yield lambda: ast.literal_eval("-" * 50_000 + "1")
    import collections, functools, itertools, pyexpat, types, xml.etree.ElementTree as tree
    yield lambda: hash(nested(lambda x: (x,)))
    yield lambda: hash(nested(lambda x: slice(x)))
    yield lambda: nested(lambda x: types.MappingProxyType({} if x is None else x))[1]
    yield lambda: len(nested(lambda x: types.MappingProxyType({} if x is None else x)))
    yield lambda: repr(nested(lambda x: collections.deque([x])))
    yield lambda: copy.deepcopy(tree.fromstring("<a>" * 100_000 + "</a>" * 100_000))
    class Partial(functools.partial): pass
    def partial(inner):
        made = Partial(inner or print)
        made.attribute = 1
        return made
    yield nested(partial)
    def model():
        parser = pyexpat.ParserCreate()
        parser.ElementDeclHandler = print
        parser.Parse("<!DOCTYPE a [<!ELEMENT a " + "(" * 100_000 + "b" + ")" * 100_000 + ">]><a/>", True)
    yield model
    for wrap in (zip, enumerate, itertools.chain, itertools.cycle, itertools.accumulate, itertools.pairwise,
                 itertools.zip_longest, itertools.groupby, lambda x: map(bool, x), lambda x: filter(None, x),
                 lambda x: itertools.islice(x, 1), lambda x: itertools.takewhile(bool, x), lambda x: itertools.batched(x, 1),
                 lambda x: itertools.starmap(print, x), lambda x: itertools.compress(x, x)):
        yield lambda: next(nested(lambda x: wrap([1] if x is None else x)))
    yield lambda: ast.unparse(nested(lambda x: ast.UnaryOp(ast.USub(), x or ast.Constant(1)), 20_000))
for number, case in enumerate(cases()):
    try:
        case(); print(number, "nothing")
    except (RecursionError, MemoryError, SyntaxError, ValueError): pass
    except BaseException as error: print(number, type(error), error)
del listed
print("alive")
"#;

#[test]
fn deep_nesting_raises() {
    check(&format!("python3 - <<'END'\n{DEEP}\nEND"), 0, "alive\n");
}

/// C functions that call Python code, which calls them again.
const THROUGH_C: &str = r#"
import copy, functools, json, operator, pickle, re, sqlite3, string

class Meta(type):
    def __call__(cls, *arguments): return cls()
    def __instancecheck__(cls, value): return isinstance(value, cls)
    def __getattr__(cls, name): return getattr(cls, name)
class Made(metaclass=Meta): pass
class Every:
    def __lt__(self, other): return sorted([Every(), Every()])
    def __format__(self, spec): return f"{self:x}"
    def __bool__(self): return bool(self)
    def __hash__(self): return hash(self)
    def __iter__(self): return iter(self)
    def __len__(self): return len(self)
    def __index__(self): return operator.index(self)
    def __contains__(self, value): return value in self
    def __add__(self, other): return sum([self, other], self)
    def __reduce__(self): return Every, (Every(),)
    def __deepcopy__(self, memo): return copy.deepcopy(Every())
    def __getattribute__(self, name): return getattr(self, name)
class Default(dict):
    def __missing__(self, key): return self[key]
class Property:
    @property
    def value(self): return self.value
def key(value): return sorted([1], key=key)
def smallest(value): return min([1], key=smallest)
def mapped(value): return list(map(mapped, [1]))
def reduced(*values): return functools.reduce(reduced, [1, 2])
def substituted(match): return re.sub("a", substituted, "a")
def compared(a, b): return sorted([1, 2], key=functools.cmp_to_key(compared))
def encoded(value): return json.dumps(object(), default=encoded)
def hooked(value): return json.loads("{}", object_hook=hooked)
def filled(value): return string.Template("$a").substitute(Default())
@functools.cache
def cached(value): return cached(value + 1)
cases = [
    lambda: key(1), lambda: smallest(1), lambda: mapped(1), lambda: reduced(), lambda: substituted(None),
    lambda: compared(1, 2), lambda: encoded(1), lambda: hooked(1), lambda: filled(1), lambda: cached(1),
    lambda: sorted([Every(), Every()]), lambda: format(Every()), lambda: not Every(), lambda: hash(Every()),
    lambda: list(Every()), lambda: len(Every()), lambda: operator.index(Every()), lambda: 1 in Every(),
    lambda: Every() + 1, lambda: pickle.dumps(Every()), lambda: copy.deepcopy(Every()), lambda: Every().name,
    lambda: Default()[1], lambda: Property().value, lambda: Made(), lambda: isinstance(1, Made), lambda: Made.name,
]
for number, case in enumerate(cases):
    try: case(); print(number, "nothing")
    except RecursionError: pass
    except BaseException as error: print(number, type(error), error)
base = sqlite3.connect(":memory:")
base.create_function("f", 1, lambda value: base.execute("select f(1)").fetchall())
try: base.execute("select f(1)").fetchall()
except sqlite3.Error: pass
def chained():
    try: raise ValueError
    except ValueError: chained()
try: chained()
except RecursionError: pass
objects = []
for _ in range(300_000): objects = [objects]
del objects
print("alive")
"#;

#[test]
fn recursion_through_c_functions_raises() {
    check(&format!("python3 - <<'END'\n{THROUGH_C}\nEND"), 0, "alive\n");
}

#[test]
fn a_raised_limit_of_recursion_does_not_end_the_process() {
    let script = "import sys; sys.setrecursionlimit(10**6)\n\
                  class A:\n    def __getattr__(self, name): return getattr(self, name)\n\
                  try: A().x\nexcept RecursionError: print('caught')\n\
                  def f(n): return n and f(n - 1)\nprint(f(20000))";
    check(&format!("python3 -c \"{script}\""), 0, "caught\n0\n");
}

/// A kernel call at any recursion depth returns or raises an exception.
#[test]
fn calls_at_the_end_of_the_stack_raise() {
    let script = "
import hashlib, os, sys
data = bytes(10_000)
def calls():
    os.stat('/'), os.getpid(), os.getcwd(), os.listdir('/usr'), os.path.exists('/nowhere'), open('/dev/null').close()
    hashlib.sha256(data).digest()
def down(n):
    calls()
    down(n + 1)
class Echo:
    def __repr__(self):
        calls()
        return repr(self)
for limit in 1000, 1003, 1007, 10**6:
    sys.setrecursionlimit(limit)
    for start in (lambda: repr(Echo()), lambda: down(0) if limit < 2000 else repr([Echo()])):
        try: start()
        except RecursionError: print('caught')
";
    check(&format!("python3 - <<'END'\n{script}\nEND"), 0, &"caught\n".repeat(8));
}

#[test]
fn a_traceback_is_shown_for_deep_recursion() {
    let output = exec::<&str>([], "echo 'f = lambda: f()\nf()' | python3 -");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr.contains("more times]") && stderr.contains("RecursionError: maximum recursion depth"),
        "{stderr}"
    );
}

#[test]
fn an_endless_loop_ends_at_its_time() {
    check_with(&["--timeout", "2s"], "python3 -c 'while True: pass'", 124, "");
    check("timeout 0.5 python3 -c 'while True: pass'; echo $?", 0, "124\n");
    check("timeout 0.5 python3 -c 'sum(range(10**12))'; echo $?", 0, "124\n");
}

/// The host computes hashes for a program: in pieces, so that the program can be stopped in between, and counted if
/// instructions are counted.
#[test]
fn hashing_ends_at_its_time() {
    for script in [
        "import hashlib; d = bytes(1 << 26)\nwhile True: hashlib.sha256(d), hashlib.sha512(d)",
        "import hashlib; hashlib.pbkdf2_hmac(\"sha256\", b\"p\", b\"s\", 1 << 50)",
        "import hashlib; hashlib.pbkdf2_hmac(\"sha512\", b\"p\", b\"s\", 1 << 50)",
        "import hashlib\nwhile True: hashlib.scrypt(b\"\", salt=b\"\", n=2, r=8192, p=3, maxmem=1 << 30)",
    ] {
        check_with(&["--timeout", "2s"], &format!("python3 -c '{script}'"), 124, "");
        check(&format!("timeout 0.5 python3 -c '{script}'; echo $?"), 0, "124\n");
        let virtually = format!("timeout 5 python3 -c '{script}'; echo $?");
        check_with(&["--clock", "virtual"], &virtually, 0, "124\n");
    }
}

/// The host answers nothing to what is of another size than it says, or more than it does at once.
#[test]
fn hashing_of_other_sizes_is_refused() {
    let script = "python3 - <<'END'
from wit_world.imports import digests
most, a, b = 2 ** 32 - 1, bytes(32), bytes(64)
print([len(digests.stretch256(a, a, a, a, rounds)) for rounds in (0, 1, 8192, 8193, most)],
      [len(digests.stretch512(b, b, b, b, rounds)) for rounds in (0, 1, 4096, 4097, most)],
      [len(digests.stretch256(*[b if at == wrong else a for at in range(4)], 1)) for wrong in range(4)])
print([len(digests.scrypt_mix(bytes(block), bytes(other), times)) for block, other, times in (
    (128, 0, 1), (128, 128, 2), (128, 0, 1 << 13), (1 << 20, 0, 1), (0, 0, most), (128, 0, 0), (64, 0, 1), (128, 64, 1),
    (128, 0, (1 << 13) + 1), (128, 0, most), ((1 << 20) + 128, 0, 1), (0, 128, 1))])
END";
    check(
        script,
        0,
        "[64, 64, 64, 0, 0] [128, 128, 128, 0, 0] [0, 0, 0, 0]\n[128, 256, 1048576, 1048576, 0, 0, 0, 0, 0, 0, 0, 0]\n",
    );
}

/// If there is no memory for the call, the interpreter computes the hash itself.
#[test]
fn hashing_needs_no_memory() {
    let script = "python3 - <<'END'
import hashlib
data, kept = bytes(4 << 20), []
for size in 1 << 20, 1 << 16, 1 << 13, 1 << 10:
    try:
        while True: kept.append(bytearray(size))
    except MemoryError: pass
    found = hashlib.sha256(data).hexdigest()
kept.clear()
print(found == hashlib.sha256(data).hexdigest(), found[:8])
END";
    check_with(&["--memory", "128m"], script, 0, "True bb9f8df6\n");
}

#[test]
fn too_much_memory_is_memory_error() {
    let script = "python3 -c '
l = []
try:
    while True: l.append(bytearray(1 << 20))
except MemoryError: print(\"MemoryError\", len(l) > 50)
l.clear(); print(len(bytearray(10 << 20)))
'; python3 -c 'print(2)'";
    check_with(&["--memory", "256m"], script, 0, "MemoryError True\n10485760\n2\n");
    check_with(
        &["--memory", "256m"],
        "python3 -c 'x = \"a\" * (1 << 40)' 2>&1 | tail -1",
        0,
        "OverflowError: cannot fit 'int' into an index-sized integer\n",
    );
    check_with(&["--memory", "256m"], "python3 -c 'x = [0] * (1 << 29)' 2>&1 | tail -1", 0, "MemoryError\n");
}

/// Using up memory at once or gradually raises an exception, and the next program has all memory again.
#[test]
fn bombs_of_memory_are_exceptions() {
    for program in [
        "bytearray(10 ** 12)",
        "bytearray(2 ** 31 - 1)",
        "'x' * 10 ** 10",
        "[0] * 5 * 10 ** 8",
        "1 << (1 << 33)",
        "list(range(10 ** 10))",
        "'%2000000000d' % 1",
        "f'{1:2000000000}'",
        "' '.join(['x' * 10 ** 6] * 10 ** 5)",
        "import itertools; list(itertools.permutations(range(50)))",
        "import zlib\nc = zlib.compress(bytes(50 << 20))\nl = []\nwhile True: l.append(zlib.decompress(c))",
        "l = []\nwhile True: l.append('x' * 1000 + str(len(l)))",
        "d = {}\nwhile True: d[len(d)] = len(d)",
        "s = set()\nwhile True: s.add((len(s),))",
        "s = 'x'\nwhile True: s += s",
        "class A: pass\nl = []\nwhile True:\n    a = A(); a.me = a; l.append(a)",
        "import io\nb = io.BytesIO()\nwhile True: b.write(bytes(1 << 20))",
        "def f():\n    while True: yield f()\nl = []\nfor g in f(): l.append(g)",
    ] {
        let script = format!(
            "cat > t.py <<'END'\n{program}\nEND\npython3 t.py 2>&1 | tail -n 1 | grep -o '^[A-Za-z]*'; echo ${{PIPESTATUS[0]}}
            python3 -c 'print(len(bytearray(50 << 20)))'"
        );
        let output = exec(["--memory", "128m"], &script);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let (error, rest) = said.split_once('\n').unwrap_or_default();
        assert!(["MemoryError", "OverflowError"].contains(&error), "{program}: {said}");
        assert_eq!(rest, "1\n52428800\n", "{program}");
    }
}

/// What a program gives to calls takes no memory when they have returned: bytes to write and to hash, long paths,
/// arguments.
#[test]
fn what_calls_are_given_costs_no_memory_afterwards() {
    let script = "python3 - <<'END'
import hashlib, os, socket, subprocess
data, null = bytes(1 << 20), os.open('/dev/null', os.O_WRONLY)
for _ in range(400): os.write(null, data)
print('written')
for make in hashlib.sha256, hashlib.sha512:
    found = make()
    for _ in range(400): found.update(data)
print('hashed')
one, other = socket.socketpair()
for _ in range(8000):
    one.send(data[:1 << 15])
    other.recv(1 << 15)
print('sent')
for _ in range(40000): os.path.exists('x/../' * 800)
print('looked up')
for _ in range(400): subprocess.run(['true', 'x' * 100000, 'y' * 30000])
print('started')
END";
    let done = "written\nhashed\nsent\nlooked up\nstarted\n";
    check_with(&["--memory", "128m"], script, 0, done);
}

/// The bytes of a read are copied by code that cannot raise exceptions, so memory must be checked before.
#[test]
fn endless_input_is_memory_error() {
    for program in [
        "open('/dev/zero', 'rb').read()",
        "open('/dev/zero').read()",
        "open('/dev/zero').readline()",
        "import sys; sys.stdin.read()",
        "import subprocess; subprocess.run(['cat', '/dev/zero'], stdout=subprocess.PIPE)",
        "import os\nkept = []\nwhile True: kept.append(os.read(0, 1 << 20))",
    ] {
        let script = format!("python3 -c \"{program}\" < /dev/zero 2>&1 | tail -1; echo ${{PIPESTATUS[0]}}");
        check_with(&["--memory", "128m"], &script, 0, "MemoryError\n1\n");
    }
}

#[test]
fn an_error_can_be_told_when_no_memory_is_left() {
    let script = "python3 -c '
kept = []
for size in 20, 16, 12, 8, 4, 0:
    try:
        while True: kept.append(bytearray(1 << size))
    except MemoryError: pass
raise ValueError' 2>&1 | tail -1 | grep -xcE 'ValueError|MemoryError'; echo ${PIPESTATUS[0]}";
    // If not even this exception can be created, another one is raised.
    check_with(&["--memory", "128m"], script, 0, "1\n1\n");
}

/// The environment, and a zone file that it names, can influence only the local time.
#[test]
fn a_zone_can_be_anything() {
    let script = "head -c 60 /usr/lib/python3.14/site-packages/tzdata/zoneinfo/Asia/Tokyo > cut
(printf TZif2; head -c 400 /dev/urandom) > junk
(printf 'TZif2'; head -c 15 /dev/zero; head -c 24 /dev/zero | tr '\\0' '\\377') > huge
for zone in /dev/zero /dev/null $PWD/cut $PWD/junk $PWD/huge ../../../etc/passwd / . '<>5' \\
            EST99999999 EST5EDT,M13.9.9,M1.1.1 $'\\377' $(printf 'A%.0s' {1..5000}); do
    TZ=$zone timeout 20 python3 -c 'import time; print(time.gmtime(0)[:6], time.mktime(time.localtime(1.7e9)))'
done 2>&1 | uniq -c";
    check(script, 0, "     13 (1970, 1, 1, 0, 0, 0) 1700000000.0\n");
}

/// xz files with wrong headers or data, or that would decompress to more than all memory.
const XZ: &str = r##"
import base64, lzma, os, random, subprocess, zlib

def answer(data, **options):
    try: return len(lzma.decompress(data, **options))
    except (lzma.LZMAError, MemoryError) as error: return f"{type(error).__name__}: {error}"

def with_header(data, place, new):
    """A file whose first block has other options."""
    data = bytearray(data)
    data[place:place + len(new)] = new
    end = 12 + 4 * (data[12] + 1)
    data[end - 4:end] = zlib.crc32(data[12:end - 4]).to_bytes(4, "little")
    return bytes(data)

small, large = lzma.compress(b"x" * 100), lzma.compress(os.urandom(50000) + bytes(10 ** 6))
# Dictionaries of 4 GiB that are not needed.
for data in small, large: print(answer(with_header(data, 16, b"\x28")), answer(with_header(data, 16, b"\x28"), memlimit=1 << 30))
print(answer(b"\x5d\xff\xff\xff\xff" + lzma.compress(b"y" * 100, lzma.FORMAT_ALONE)[5:]))
# A wrong check, and sizes that are not right, of what the sandbox's xz reads.
for place in -13, -20, -30, -40, 4000, 40000: print(answer(large[:place] + bytes([large[place] ^ 1]) + large[place:][1:]))
# What would be larger than all memory comes little by little.
with open("bomb", "wb") as file: subprocess.run("head -c 400000000 /dev/zero | xz -0", shell=True, stdout=file)
decompressor, count = lzma.LZMADecompressor(), 0
data = open("bomb", "rb").read()
while count < 50_000_000:
    count += len(decompressor.decompress(data, 1 << 20))
    data = b""
del decompressor
with lzma.open("bomb") as file: print(len(file.read(10)), file.seek(10 ** 8), file.read(3))
print(answer(open("bomb", "rb").read()))
# Nonsense with right headers.
random.seed(1)
for _ in range(300):
    for start, options in ((large[:24], {}), (b"\x5d\0\0\1\0" + b"\xff" * 8 + b"\0", {}), (b"", {"format": lzma.FORMAT_ALONE}),
                           (b"\xe0\xff\xff\xff\xff\x5d\0", {"format": lzma.FORMAT_RAW, "filters": [{"id": lzma.FILTER_LZMA2}]})):
        said = answer(start + random.randbytes(random.randrange(300)), **options)
        if "LZMAError" not in str(said): print(said)
print(subprocess.run(["ps", "-ef"], capture_output=True).stdout.count(b"xz -dc"))
"##;

#[test]
fn a_file_of_xz_can_be_anything() {
    let said =
        "100 LZMAError: Memory usage limit exceeded\n1050000 LZMAError: Memory usage limit exceeded\n100\n"
            .to_string()
            + &"LZMAError: Corrupt input data\n".repeat(6)
            + "10 100000000 b'\\x00\\x00\\x00'\nMemoryError: \n0\n";
    check_with(&["--memory", "256m"], &format!("cat > t.py <<'END'\n{XZ}\nEND\npython3 t.py"), 0, &said);
}

/// A traceback of the deepest possible recursion is reported too.
#[test]
fn what_nobody_can_catch_is_told_without_frames_of_the_pack() {
    let script = "cat > t.py <<'END'
class Deep:
    def __del__(self): self.__del__()
class File:
    def __del__(self): open('/nowhere')
deep = Deep(); del deep
file = File(); del file
END
python3 t.py > told 2>&1; echo $?; grep -c _sandshell told; grep -E '^[A-Z][A-Za-z]*Error' told";
    check(
        script,
        0,
        "0\n0\nRecursionError: maximum recursion depth exceeded\n\
         FileNotFoundError: [Errno 2] No such file or directory: '/nowhere'\n",
    );
}

#[test]
fn children_have_a_limit() {
    check(
        "python3 -c 'import os; os.fork()' 2>&1 | tail -1; echo after",
        0,
        "OSError: [Errno 38] Function not implemented: there is no fork in this system, use subprocess\nafter\n",
    );
    let script = "python3 -c '
import subprocess
children = []
try:
    while len(children) < 100000: children.append(subprocess.Popen([\"sleep\", \"100\"]))
except OSError as error: print(type(error).__name__, error.errno, len(children) > 10)
for child in children: child.kill()
for child in children: child.wait()
print(subprocess.run([\"echo\", \"works\"], capture_output=True).stdout)
'; echo after";
    check(script, 0, "BlockingIOError 11 True\nb'works\\n'\nafter\n");
}

/// Interpreters that start interpreters until no process or memory is left.
#[test]
fn interpreters_that_start_interpreters_have_a_limit() {
    let script = "cat > t.py <<'END'
import subprocess, sys
try: sys.exit(subprocess.run([sys.executable, __file__]).returncode)
except OSError: sys.exit(3)
END
python3 t.py && echo ended; python3 -c 'print(1)'";
    check(script, 0, "1\n");
}

#[test]
fn a_million_descriptors_have_a_limit() {
    let script = "python3 -c '
import os
def many(make):
    made = []
    try:
        while True: made.append(make())
    except OSError as error: return error.errno, len(made) > 100
print(many(lambda: os.dup(0)))
os.closerange(3, 5000)
print(many(os.pipe))
os.closerange(3, 5000)
print(many(lambda: os.open(\"/\", os.O_RDONLY)))
'; cat /dev/null; echo after";
    check(script, 0, "(24, True)\n(24, True)\n(24, True)\nafter\n");
}

/// Pairs until nothing is left; pairs that nobody reads; pairs that end with their processes.
#[test]
fn pairs_of_sockets_have_limits_and_end_with_their_processes() {
    let many = "python3 -c '
import socket
made = []
try:
    while len(made) < 100000: made.append(socket.socketpair())
except OSError as error: print(error, len(made) > 100)
for pair in made:
    for one in pair: one.close()
for _ in range(3000):
    for one in socket.socketpair(): one.close()
print(\"again\")'";
    check(many, 0, "[Errno 24] Too many open files True\nagain\n");
    let full = "cat > t.py <<'END'
import os, resource, select, socket, subprocess, sys
pairs, sent = [socket.socketpair() for _ in range(100)], 0
for one, other in pairs:
    one.setblocking(False)
    try:
        while True: sent += one.send(bytes(1 << 20))
    except BlockingIOError: pass
print(sent, select.select([], [one for one, _ in pairs], [], 0.01)[1])
# A child that holds both ends goes on with them, and takes them with it when it is killed.
one, other = socket.socketpair()
both = one.fileno(), other.fileno()
child = subprocess.Popen(['sleep', '1000'], pass_fds=both)
other.close(); one.settimeout(0.05)
try: one.recv(1)
except TimeoutError: print('held')
child.kill(); child.wait()
one.settimeout(None); print(one.recv(1))
END
for i in 1 2 3; do python3 t.py; done";
    check(full, 0, &"6553600 []\nheld\nb''\n".repeat(3));
    // Each waits for bytes, for room, or for events that never come, and is killed.
    for waits in ["b.recv(1)", "a.sendall(bytes(1 << 20))", "p.poll()", "b.recv(9, socket.MSG_WAITALL)"] {
        let script = format!(
            "timeout 0.5 python3 -c 'import select, socket\na, b = socket.socketpair(); p = select.poll(); p.register(a, select.POLLIN)\n{waits}'; echo $?"
        );
        check(&script, 0, "124\n");
    }
}

/// Who was killed with a semaphore leaves it taken, as natively; nothing of it is left when the program has ended.
#[test]
fn processes_of_multiprocessing_end_with_their_parent() {
    let script = "cat > t.py <<'END'
import multiprocessing as m, os, sys, time
def take(lock, ready): lock.acquire(); ready.send(1); time.sleep(1000)
if __name__ == '__main__':
    lock, (ours, theirs) = m.Lock(), m.Pipe()
    p = m.Process(target=take, args=(lock, theirs)); p.start(); ours.recv(); p.kill(); p.join()
    print(p.exitcode, lock.acquire(timeout=0.1))
    other = m.Lock(); m.Process(target=take, args=(other, theirs), daemon=True).start(); ours.recv()
END
python3 t.py; sleep 1; ls -A /tmp | grep -c sem; ps -e -o comm= | grep -c python3
cat > bomb.py <<'END'
import multiprocessing as m
def more(): m.Process(target=more).start()
if __name__ == '__main__': more()
END
timeout 10 python3 bomb.py > told 2>&1; python3 -c 'print(\"after\")'";
    check(script, 0, "-9 False\n0\n0\nafter\n");
}

#[test]
fn a_million_files_cannot_be_open() {
    let script = "python3 -c '
files = []
try:
    for _ in range(1000000): files.append(open(\"/dev/null\"))
except OSError as error: print(error.errno, error.strerror, len(files) > 100)
del files
print(open(\"/dev/null\").read() == \"\")
'; cat /dev/null; echo after";
    check(script, 0, "24 Too many open files True\nTrue\nafter\n");
}

#[test]
fn numbers_that_no_call_takes_are_refused() {
    let script = "
import os, select, mmap, signal, resource
bad = [-1, -(1 << 31), 1 << 31, 1 << 32, 1 << 63, 1 << 64, 1 << 100, -(1 << 100), 'a', None, 1.5, b'x', object(), True]
calls = [os.read, os.write, os.pread, os.pwrite, os.lseek, os.close, os.fstat, os.dup, os.dup2, os.isatty, os.ftruncate,
    os.fsync, os.fchmod, os.fchown, os.chmod, os.chown, os.open, os.mkdir, os.mkfifo, os.umask, os.kill, os.killpg, os.waitpid,
    os.getpgid, os.setpgid, os.set_blocking, os.set_inheritable, os.truncate, os.utime, os.access, os.listdir, os.scandir,
    os.statvfs, os.fstatvfs, os.posix_fallocate if hasattr(os, 'posix_fallocate') else os.stat, os.sendfile
    if hasattr(os, 'sendfile') else os.stat, os.readv if hasattr(os, 'readv') else os.stat, os.get_terminal_size, os.ttyname,
    os.sysconf, os.pipe2, signal.signal, signal.alarm, signal.setitimer, signal.getsignal, signal.strsignal,
    resource.getrlimit, resource.setrlimit, mmap.mmap, select.select, open]
import itertools
keep = os.dup(1)
for call in calls:
    for arguments in itertools.chain(((a,) for a in bad), itertools.product(bad, bad), itertools.product([keep, 0], bad),
                                     itertools.product([keep], bad, [0, 1 << 70]), itertools.product(bad[:9], bad[:9], bad[:9])):
        if call in (os.kill, os.killpg) and type(arguments[0]) is not str and (len(arguments) < 2 or arguments[1] == 1): continue
        if call in (os.close, os.dup2) and keep in arguments[-1:]: continue
        if call is open and arguments[0] is keep: continue
        if call is os.setpgid or call is resource.setrlimit and arguments[0] is True: continue
        if call is os.waitpid and len(arguments) == 2 and arguments[0] == -1: continue
        try: call(*arguments)
        except (OSError, OverflowError, TypeError, ValueError, MemoryError): pass
        except BaseException as error: os.write(keep, f'{call} {arguments} {error!r}\\n'.encode())
p = select.poll()
for fd in bad:
    for events in bad:
        try: p.register(fd, events); p.poll(0); p.unregister(fd)
        except (OSError, OverflowError, TypeError, ValueError): pass
os.write(keep, b'alive\\n')
os._exit(0)
";
    check(
        &format!(
            "cat > t.py <<'END'\n{script}\nEND\npython3 t.py 2>err | tail -c 6; exit ${{PIPESTATUS[0]}}"
        ),
        0,
        "alive\n",
    );
}

#[test]
fn many_databases_can_be_open_and_their_limit_is_named() {
    let many = "python3 -c '
import sqlite3
databases = [sqlite3.connect(f\"d{i}\") for i in range(40)]
for one in databases: one.execute(\"create table t(a)\"); one.execute(\"insert into t values(1)\")
for one in databases: one.commit()
print(sum(one.execute(\"select a from t\").fetchone()[0] for one in databases), type(one) is sqlite3.Connection)
del databases, one
for _ in range(500): sqlite3.connect(\"d1\").execute(\"select a from t\")
print(\"again\")'";
    check(many, 0, "40 True\nagain\n");
    let too_many = "python3 -c '
import sqlite3
databases = []
try:
    for i in range(100000): databases.append(sqlite3.connect(f\"d{i}\"))
except sqlite3.OperationalError as error: print(error, len(databases) > 40)
'; python3 -c 'print(\"after\")'";
    check(too_many, 0, "unable to open database file True\nafter\n");
}

/// Where several sandboxes share an engine, a process gets few handles of it; databases are descriptors.
#[tokio::test(flavor = "multi_thread")]
async fn many_databases_can_be_open_and_attached_where_sandboxes_share_an_engine() {
    let installed = super::built::home().join(".local/share/sandshell/packs");
    let cache = super::built::home().join(".cache/sandshell/modules");
    let provider =
        pack::provider(LocalOptions::default(), &pack::installed(&installed), Some(cache)).unwrap();
    let sandbox = provider.create(CreateOptions::default()).unwrap();
    let open = |count: u32| {
        format!(
            "python3 -c 'import sqlite3\nall = [sqlite3.connect(f\"d{{i}}\") for i in range({count})]\n\
             for one in all: one.execute(\"create table if not exists t(a)\"); one.execute(\"insert into t values(1)\")\n\
             print(len(all))'"
        )
    };
    let answer = sandbox.run(&open(20)).await.unwrap();
    assert_eq!((answer.exit_code, &*answer.text()), (Some(0), "20\n"));
    let attached = "python3 -c 'import sqlite3\none = sqlite3.connect(\"main\")\n\
                    for i in range(10): one.execute(f\"attach \\\"a{i}\\\" as a{i}\"); one.execute(f\"create table a{i}.t(a)\")\n\
                    one.execute(\"begin\")\n\
                    for i in range(10): one.execute(f\"insert into a{i}.t values(1)\")\nprint(\"attached\")'";
    let answer = sandbox.run(attached).await.unwrap();
    assert_eq!((answer.exit_code, &*answer.text()), (Some(0), "attached\n"));
}
