import sys
def f(x):
    y = x + 1
    return y / 0
try:
    f(1)
except ZeroDivisionError as e:
    import traceback; traceback.print_exc(file=sys.stdout)
    print(sys.exc_info()[0], e.__traceback__.tb_lineno)
---
class E(Exception): pass
try:
    try: 1/0
    except ZeroDivisionError as z: raise E("outer") from z
except E as e:
    import traceback; print("".join(traceback.format_exception(e)))
try:
    raise ExceptionGroup("g",[ValueError(1),TypeError("t")])
except* ValueError as g: print(g.exceptions)
except* TypeError as g: print(g.exceptions)
---
#sh
cat > t.py <<'X'
import sys
def hook(t, v, tb): print("HOOK", t.__name__, v)
sys.excepthook = hook
raise ValueError("x")
X
python3 t.py; echo $?
---
#sh
cat > t.py <<'X'
import os, sys
print("start")
sys.stdout.flush()
os.execv(sys.executable, [sys.executable, "-c", "import sys; print('exec', sys.argv); sys.exit(5)", "a"])
X
python3 t.py; echo $?
---
#sh
python3 -c 'import os,sys; os.write(1,b"a"); sys.stdout.write("b"); os._exit(0)' ; echo; python3 -u -c 'import os,sys; sys.stdout.write("b"); os._exit(0)'; echo; PYTHONUNBUFFERED=1 python3 -c 'import os,sys; sys.stdout.write("c"); os._exit(0)'; echo
---
#sh
python3 -c 'print(__debug__); assert 0' ; echo $?; python3 -O -c 'print(__debug__); assert 0'; echo $?; python3 -OO -c 'def f():
 "doc"
print(f.__doc__)'; PYTHONOPTIMIZE=1 python3 -c 'assert 0; import sys; print(sys.flags.optimize)'
---
#sh
python3 -W ignore -c 'import warnings; warnings.warn("x"); print(1)'; python3 -W error::DeprecationWarning -c 'import warnings; warnings.warn("x"); warnings.warn("d",DeprecationWarning)'; echo $?; PYTHONWARNINGS=ignore python3 -c 'import sys; print(sys.warnoptions)'
---
#sh
mkdir -p lib1/p; echo 'print("p imported", __name__, __file__)' > lib1/p/__init__.py; echo 'v=1' > lib1/q.py; cd lib1; zip -q ../z.zip q.py 2>/dev/null || python3 -m zipfile -c ../z.zip q.py; cd ..; PYTHONPATH=lib1 python3 -c 'import p, q; print(q.v)'; PYTHONPATH=z.zip python3 -c 'import q; print(q.v, q.__file__.endswith("z.zip/q.py"))'; PYTHONPATH=lib1 python3 -E -c 'import q'; echo $?; PYTHONPATH=lib1 python3 -I -c 'import q'; echo $?
---
#sh
mkdir d; echo 'import helper; print(helper.x)' > d/main.py; echo 'x=42' > d/helper.py; python3 d/main.py; cd d; python3 main.py; python3 -m main; python3 -P main.py 2>/dev/null; echo $?
---
#sh
python3 -m nosuch; echo $?; python3 nosuch.py 2>/dev/null; echo $?; python3 -c; echo $?; python3 -Y 2>/dev/null; echo $?; python3 -V >/dev/null; echo $?; python3 --nonsense 2>/dev/null; echo $?; python3 / 2>/dev/null; echo $?; mkdir e; python3 e 2>/dev/null; echo $?
---
#sh
printf 'x = 1\nprint(x\n' > bad.py; python3 bad.py 2>&1; echo $?; printf 'def f():\nreturn 1\n' > bad2.py; python3 bad2.py 2>&1 | grep -v '\^'; printf 'print "a"\n' > b4.py; python3 b4.py 2>&1; printf '# -*- coding: latin-1 -*-\nprint(ascii("\xe9"))\n' > l1.py; python3 l1.py
---
#sh
cat > t.py <<'X'
import undefined_module
X
python3 t.py 2>&1; python3 -c 'import json.nope' 2>&1 | tail -1; python3 -c 'from os import nope' 2>&1 | tail -1 | cut -c 1-48; python3 -c 'import math; math.nope' 2>&1 | tail -1; python3 -c 'prnt("x")' 2>&1 | tail -1
---
#sh
echo 'import sys; sys.exit(3)' | python3; echo $?; echo 'raise SystemExit' | python3; echo $?; echo '1/0' | python3 2>&1; echo $?; python3 -c 'import sys; sys.exit(-1)'; echo $?; python3 -c 'import sys; sys.exit(256)'; echo $?; python3 -c 'import sys; sys.exit([1])'; echo $?; python3 -c 'exit(4)'; echo $?; python3 -c 'quit()'; echo $?
---
#sh
python3 -c 'import os; os.abort()' 2>/dev/null; echo $?; python3 -c 'import os; os.kill(os.getpid(), 9)'; echo $?; python3 -c 'import os,signal; signal.signal(signal.SIGTERM, lambda *a: (print("term"), exit(7))); os.kill(os.getpid(), 15)'; echo $?; timeout 0.3 python3 -c 'import time; time.sleep(5)'; echo $?; timeout -s INT 0.3 python3 -c 'import time
try: time.sleep(5)
except KeyboardInterrupt: print("ki")'; echo $?
---
#sh
python3 -c 'import sys
for l in sys.stdin: print(l.strip()); break' < <(seq 3); (echo a; sleep 0.2; echo b) | python3 -u -c 'import sys
for l in sys.stdin: print("got", l.strip())'; seq 5 | (python3 -c 'print(input())'; cat) | head -2; printf 'q\n' | python3 -c 'x=input("prompt: "); print("[%s]" % x)'
---
#sh
cat > srv.py <<'X'
import sys, json
for line in sys.stdin:
    req = json.loads(line)
    print(json.dumps({"r": req["a"] * 2}), flush=True)
X
cat > cli.py <<'X'
import subprocess, sys, json
p = subprocess.Popen([sys.executable, "srv.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for i in range(3):
    print(json.dumps({"a": i}), file=p.stdin, flush=True)
    print(p.stdout.readline().strip())
p.stdin.close(); print(p.wait())
X
python3 cli.py
---
#sh
cat > test_x.py <<'X'
import unittest
class T(unittest.TestCase):
    def setUp(self): self.x = 1
    def test_ok(self): self.assertEqual(self.x, 1)
    def test_fail(self): self.assertIn(2, [1])
    @unittest.skip("why")
    def test_skip(self): pass
    def test_sub(self):
        for i in range(2):
            with self.subTest(i=i): self.assertEqual(i, 0)
if __name__ == "__main__": unittest.main()
X
python3 -m unittest test_x 2>&1 | sed 's/in [0-9.]*s/in Ts/; s/~/^/g'; python3 test_x.py T.test_ok 2>&1 | tail -1; python3 -m unittest -v test_x.T.test_ok 2>&1 | tail -1
---
#sh
python3 - <<'X' | sed 's/items had/item had/; s/failures/failure/'
import doctest
def f(x):
    """
    >>> f(2)
    4
    >>> f(3)
    10
    """
    return x*2
print(doctest.testmod())
X
---
#sh
printf '1,2\n3,4\n' | python3 -c 'import csv,sys; print([r for r in csv.reader(sys.stdin)])'; python3 -c 'import pathlib; print(pathlib.Path("~").expanduser())'; cd /; python3 -c 'import os; print(os.getcwd(), os.path.abspath("x"))'; mkdir -p /tmp/zz/y; cd /tmp/zz/y; python3 -c 'import os; os.chdir(".."); print(os.getcwd()); open("f","w").write("1"); os.system("pwd; ls")'; rm -r /tmp/zz
---
#sh
umask 077; python3 -c 'open("f","w"); import os; os.mkdir("d"); print(oct(os.stat("f").st_mode), oct(os.stat("d").st_mode))'; python3 -c 'import os; os.umask(0); os.open("g", os.O_CREAT|os.O_WRONLY, 0o666)'; stat -c %a g
---
import os
d=os.open(".",os.O_RDONLY|os.O_DIRECTORY); fd=os.open("x",os.O_CREAT|os.O_WRONLY,dir_fd=d); os.write(fd,b"hi"); os.close(fd); print(os.stat("x",dir_fd=d).st_size, os.listdir(d)); os.rename("x","y",src_dir_fd=d,dst_dir_fd=d); os.mkdir("sub",dir_fd=d); print(sorted(os.listdir(d))); os.unlink("y",dir_fd=d); os.fchdir(d); print(os.supports_dir_fd >= {os.open}, os.stat in os.supports_follow_symlinks, os.scandir in os.supports_fd)
for root,dirs,files,rfd in os.fwalk("."): print(root,dirs,files)
import shutil; print(shutil.rmtree.avoids_symlink_attacks)
---
import os
for f,a in ((os.mkdir,(None,)),(open,(None,)),(os.path.join,(1,"a")),(os.chmod,("nope",1)),(os.read,(99,1)),(os.close,(99,)),(os.fdopen,(99,)),(open,(99,)),(os.write,(1,"str")),(os.readlink,("/etc/passwd",)),(os.unlink,("/",)),(os.remove,("d",)),(os.symlink,("a","/etc/passwd")),(os.link,("nope","x")),(os.truncate,("nope",1)),(os.lseek,(0,0,9)),(os.dup,(99,)),(os.scandir,("nope",)),(os.chdir,("nope",)),(os.kill,(1,100)),(os.getpgid,(99999,)),(os.waitpid,(99999,0))):
    try: print(f.__name__, f(*a))
    except BaseException as e: print(f.__name__, type(e).__name__, str(e).replace("stat","stat"))
---
import io,os
r,w=os.pipe(); f=os.fdopen(w,"w"); print(f.seekable(), f.fileno()==w, f.isatty()); f.write("abc"); f.close(); g=open(r,"rb"); print(g.read(2), g.peek(1), g.read(), g.read())
try: g.seek(0)
except OSError as e: print(type(e).__name__, e)
os.set_blocking(0,True) if False else None; r,w=os.pipe(); os.set_blocking(r,False); print(os.get_blocking(r)); 
try: os.read(r,1)
except BlockingIOError as e: print(e.errno, e)
h=open(r,"rb",buffering=0); print(h.read(5), h.readinto(bytearray(3)))
os.close(r) if False else None; h.close()
try: os.write(w,b"x")
except BrokenPipeError as e: print(e)
---
f=open("a","w"); f.write("hello"); f.seek(2); f.truncate(); print(f.tell()); f.close(); f=open("a","r+"); print(f.read(3), f.tell()); f.seek(0,2); f.write("END"); f.seek(0); print(f.read()); print(f.encoding, f.errors, f.newlines, f.line_buffering, f.buffer.raw.readall())
import io; b=io.BufferedReader(io.FileIO("a")); print(b.read1(2), b.readline(), io.FileIO("a","rb").readinto(bytearray(2)), io.open is open, io.DEFAULT_BUFFER_SIZE>0)
with open("a","ab") as q: print(q.tell()); q.write(b"1"); print(q.tell(), q.seekable(), q.readable(), q.writable())
print(open("a","rb").readlines(), list(open("a")))
import os; fd=os.open("a",os.O_RDONLY); x=open(fd,closefd=False); x.close(); os.close(fd); y=open("o",opener=lambda p,fl: os.open(p,fl|os.O_CREAT),mode="w"); y.close(); print(os.path.exists("o"))
class R(io.RawIOBase): pass
print(isinstance(io.FileIO("a"), io.RawIOBase), isinstance(open("a","rb").raw, io.FileIO), issubclass(io.FileIO, io.IOBase))
---
import gc,weakref,sys
class N:
    def __init__(s): s.me=s
    def __del__(s): print("collected")
N(); gc.collect(); print("after"); x=N(); del x; print("end")
---
import sys,types
print(types.ModuleType, sys.modules["__main__"].__name__, __builtins__.__name__, __spec__, __doc__, __loader__ is not None, "__file__" in globals(), sorted(k for k in globals() if k != '__annotations__'))
---
#py
print(sorted(k for k in globals() if k != '__annotations__'), __spec__, __package__, __loader__.__class__.__name__, __doc__, __cached__)
import sys; print(sys.modules["__main__"].__file__ == __file__)
---
#sh
cat > p.py <<'X'
import pickle, sys
class C:
    def __init__(self, v): self.v = v
if __name__ == "__main__":
    d = pickle.dumps(C(5)); print(pickle.loads(d).v, C.__module__)
X
python3 p.py; python3 -m p
---
import cProfile,pstats,io,sys
p=cProfile.Profile(); p.enable(); sum(range(10)); p.disable(); s=io.StringIO(); pstats.Stats(p,stream=s).print_stats(); print("function calls" in s.getvalue()); import timeit; print(timeit.timeit("1",number=10)>=0); import tracemalloc; tracemalloc.start(); x=[0]*1000; print(tracemalloc.get_traced_memory()[0]>0)
---
import datetime,zoneinfo,time
print(datetime.datetime(2024,7,1,12,tzinfo=zoneinfo.ZoneInfo("America/New_York")).utcoffset(), datetime.datetime.fromtimestamp(0,datetime.UTC), datetime.datetime.strptime("2024-03-05 10:11","%Y-%m-%d %H:%M"), "Asia/Tokyo" in zoneinfo.available_timezones())
---
import string,calendar,heapq,bisect,operator,array,queue,sched,copy,numbers,cmath,colorsys
print(array.array("i",[1,2]).tobytes(), heapq.nsmallest(2,[3,1,2]), bisect.bisect([1,3],2), cmath.sqrt(-1), calendar.isleap(2024), operator.itemgetter(1)([5,6]))
---
import difflib,pprint,shlex,getopt,optparse,cmd,gettext,ipaddress,mimetypes,email.message,http.cookies,wsgiref,xmlrpc.client,plistlib,netrc,stringprep,rlcompleter,codeop,symtable,tabnanny,pyclbr,compileall,zipapp,ensurepip,venv,turtle if False else 0
print("".join(difflib.unified_diff(["a\n","b\n"],["a\n","c\n"],"x","y")), shlex.split("a 'b c'"), ipaddress.ip_network("10.0.0.0/30").num_addresses, mimetypes.guess_type("a.html"))
---
import importlib,importlib.metadata,importlib.resources,pkgutil,sys
m=importlib.import_module("json.decoder"); print(m.__name__); print(importlib.util.find_spec("nosuch"), importlib.util.find_spec("csv").name); open("dyn.py","w").write("v=1"); importlib.invalidate_caches(); sys.path.insert(0,"."); import dyn; open("dyn.py","w").write("v=22"); importlib.reload(dyn); print(dyn.v); print(len([1 for _ in pkgutil.iter_modules()])>100)
spec=importlib.util.spec_from_file_location("zz","dyn.py"); z=importlib.util.module_from_spec(spec); spec.loader.exec_module(z); print(z.v); import runpy; print(runpy.run_path("dyn.py")["v"])
---
import sys
print(sys.version_info[:1], sys.implementation.name, sys.api_version>0, sys.float_info.max, sys.int_info.bits_per_digit in (15,30), sys.getfilesystemencoding(), sys.getdefaultencoding(), sys.stdlib_module_names>{"os"}, sys.intern("a"), sys.getsizeof(1)>0, sys.orig_argv[-2:], sys.base_prefix==sys.prefix, sys.pycache_prefix, sys.hexversion>0)
---
x = 10**5000
try: str(x)
except ValueError as e: print(e)
print(2**1000 % 97, pow(3,-1,7), int("ff",16), round(2.675,2), 0.1+0.2, float("inf"), divmod(-7,2), 1e308*10, hash(1.0)==hash(1), (255).to_bytes(2,"big"), int.from_bytes(b"\1\0"), complex(1,2)*1j, -7//2, "%.3e"%12345.678)
---
import atexit, logging, logging.handlers, sys
handler = logging.handlers.MemoryHandler(100, target=logging.StreamHandler(sys.stdout)); logging.getLogger().addHandler(handler)
atexit.register(lambda: logging.warning("before the end")); logging.error("kept until the end")

---
import datetime, time
# strftime(3) of Linux: conversions, flags and widths that other systems lack.
T = (2024, 2, 29, 3, 5, 9, 3, 60, -1)
for f in ["%" + c for c in "aAbBcdHIjmMpSUwWxXyYzZeDFTRhuVGgCklPQEO+Lvq"] + ["%-d", "%-m", "%-H", "%-I", "%_d", "%_H", "%0e", "%^a", "%^B",
          "%#Z", "%#p", "%#a", "%10Y", "%010d", "%-10d", "%_5m", "%5a", "%^5p", "%Ey", "%Od", "%EY", "%", "%%d", "a%", "%-", "%-%", "%é",
          "%::z", "%-e", "%-k", "%-l", "%_3S", "%3N", "%N", "%-d. %B %Y, %-I:%M %P"]:
    print(repr(f), repr(time.strftime(f, T)), repr(f"{datetime.datetime(2024, 2, 29, 15, 5, 9):{f}}"))
try: time.strftime("%P", (1, 2))
except TypeError as error: print(error)
---
import socket, threading, os
for family in (socket.AF_INET, socket.AF_INET6, 99):
    for text in ("1.2.3.4", "::1", "::ffff:1.2.3.4", "256.1.1.1", ""):
        try: packed = socket.inet_pton(family, text); print(packed, socket.inet_ntop(family, packed))
        except OSError as error: print(error)
    for packed in (bytes(4), bytes(16), b"abc"):
        try: print(socket.inet_ntop(family, packed))
        except ValueError as error: print(error)
ids = []
t = threading.Thread(target=lambda: ids.append(threading.get_native_id())); t.start(); t.join()
print(threading.get_native_id() == os.getpid() == threading.main_thread().native_id, ids == [t.native_id] != [os.getpid()])
---
import errno, mmap, os, resource, time
print(sorted((number, name, os.strerror(number)) for number, name in errno.errorcode.items() if name not in ("ENOTSUP", "EOPNOTSUPP", "EDEADLK", "EDEADLOCK", "EAGAIN", "EWOULDBLOCK")))
print(time.clock_gettime(time.CLOCK_MONOTONIC_RAW) > 0, time.clock_gettime_ns(time.CLOCK_BOOTTIME) > 0, resource.RLIMIT_NICE, resource.RLIMIT_OFILE)
def attempt(f, *a):
    try: return f(*a)
    except Exception as x: return type(x).__name__, str(x)
m = mmap.mmap(-1, 8192); print(m.madvise(mmap.MADV_WILLNEED), m.madvise(mmap.MADV_SEQUENTIAL, 4096), m.madvise(mmap.MADV_NORMAL, 0, 99999), attempt(m.madvise, mmap.MADV_RANDOM, 100000), attempt(m.madvise, 0, -1), attempt(m.madvise, 77), attempt(m.madvise, 0, 1), attempt(m.madvise, "x")); m.close()
---
#sh
cat > prog.py <<'X'
import os, syslog
print(syslog.setlogmask(0)); syslog.syslog("unseen")
syslog.openlog(logoption=syslog.LOG_PERROR); syslog.syslog("default name"); syslog.syslog(syslog.LOG_ERR | syslog.LOG_MAIL, "two\n")
syslog.openlog("id", syslog.LOG_PERROR | syslog.LOG_CONS, syslog.LOG_LOCAL0); syslog.syslog("é"); print(syslog.setlogmask(syslog.LOG_UPTO(syslog.LOG_ERR))); syslog.syslog("not wanted"); syslog.closelog(); print(syslog.setlogmask(0), syslog.LOG_MASK(3))
for a in [(), (1,), ("a", "b"), (1, 2), (1, "a", 3)]:
    try: syslog.syslog(*a)
    except Exception as e: print(repr(e))
X
python3 prog.py 2>&1
---
import os, time
def attempt(f, *a):
    try: return f(*a)
    except Exception as x: return type(x).__name__, str(x)
print(time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, abs(time.clock_gettime(0) - time.time()) < 9, abs(time.clock_gettime(1) - time.monotonic()) < 9, time.clock_gettime_ns(1) > 0, 0 < time.clock_getres(0) < 1, attempt(time.clock_gettime, 99), attempt(time.clock_gettime, "x"), attempt(time.clock_settime, 99, 0))
print(os.NGROUPS_MAX, os.POSIX_FADV_RANDOM, os.POSIX_FADV_SEQUENTIAL, os.RTLD_LOCAL)
---
import os, signal, socket, sys, time, traceback
def names(f, *a):
    try: f(*a)
    except BaseException as e:
        tb, found = e.__traceback__, []
        while tb: found.append(tb.tb_frame.f_code.co_name); tb = tb.tb_next
        print(found, len(traceback.extract_tb(e.__traceback__)), len(traceback.extract_tb(e.__traceback__, -1)))
def inner(): 1 / 0
class Path:
    def __fspath__(self): inner()
class Number:
    def __index__(self): inner()
for call in (os.mkdir, "/missing/a"), (os.listdir, Path()), (os.stat, Path()), (open, "/missing"), (os.kill, Number(), 0), (time.sleep, "x"), (os.waitpid, 1 << 20, 0), (signal.signal, 99, 1), (socket.inet_pton, 99, "x"), (os.execv, "/missing", ["x"]), (os.get_terminal_size, 99): names(*call)
signal.signal(signal.SIGUSR1, lambda *a: inner()); names(os.kill, os.getpid(), signal.SIGUSR1); names(signal.raise_signal, signal.SIGUSR1)
