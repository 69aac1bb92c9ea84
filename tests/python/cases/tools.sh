python3 -m json.tool --sort-keys --indent 2 <<< '{"b":1,"a":[1,2]}'; echo '{' | python3 -m json.tool; echo $?
---
python3 -m calendar 2026 1; python3 -m base64 -e <<< abc; python3 -m base64 -d <<< YWJj
---
echo hello > a; python3 -m gzip a; ls; rm a; python3 -m gzip -d a.gz; cat a
---
mkdir d; echo 1 > d/x; python3 -m tarfile -c t.tar d; python3 -m tarfile -l t.tar; python3 -m tarfile -e t.tar out; cat out/d/x; python3 -m tarfile -t t.tar; echo $?
---
mkdir d; echo 1 > d/x; python3 -m zipfile -c t.zip d/; python3 -m zipfile -l t.zip | awk '{print $1}'; python3 -m zipfile -e t.zip out; find out | sort; python3 -m zipfile -t t.zip
---
mkdir app; echo 'import sys; print("app", sys.argv[1:])' > app/__main__.py; python3 -m zipapp app -p '/usr/bin/env python3' -o a.pyz; chmod +x a.pyz; ./a.pyz 1 2; head -1 a.pyz
---
mkdir app; printf 'def main():\n    print("from main"); return 3\n' > app/m.py; python3 -m zipapp app -m m:main -o a.pyz; python3 a.pyz; echo $?
---
echo 'x = 1 +' > b.py; echo 'y=2' > g.py; python3 -m py_compile g.py && ls __pycache__ | sed 's/cpython-[0-9]*/V/'; python3 -m py_compile b.py 2>&1 | tail -2; echo ${PIPESTATUS[0]}; python3 -m compileall -q . 2>&1 | tail -1; echo ${PIPESTATUS[0]}
---
python3 -m tokenize <<< 'x = 1'
---
python3 -m timeit -n 1 -r 1 pass | sed 's/[0-9.]* [nu]*sec/T/'
---
mkdir tests; touch tests/__init__.py; printf 'import unittest\nclass T(unittest.TestCase):\n  def test_x(self): pass\n' > tests/test_x.py; python3 -m unittest -v 2>&1 | sed 's/in [0-9.]*s/in T/'; echo $?
---
cat > p.py <<'X'
def f(): return sum(range(100))
for _ in range(5): f()
X
python3 -m cProfile -s ncalls p.py | awk 'NR==1{print $1}/\(f\)|\{built-in method builtins.sum/{print $1, $NF}'
---
cat > p.py <<'X'
def f(a):
    if a:
        return 1
    return 2
f(1)
X
python3 -m trace --count --missing -C out p.py; sed 's/^ *//' out/p.cover
---
python3 -m site --user-site | sed 's/3\.[0-9]*/V/'; python3 -m site --user-base; echo $?
---
python3 -c 'import sys; print(sys.stdin.readline(), end=""); import os; print(os.read(0, 10))' <<< $'a\nb'
---
seq 1 100000 | python3 -c 'import sys
print(sum(int(l) for l in sys.stdin))'
---
seq 1 5 | python3 -c 'import fileinput
for l in fileinput.input(): print(fileinput.lineno(), l, end="")'
---
python3 -c 'import signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL)
for i in range(100000): print(i)' | head -1; echo ${PIPESTATUS[0]}
---
python3 -c 'import sys; sys.stdout.buffer.write(b"\xff\x00"); sys.stdout.flush(); sys.stdout.write("é\n")' | od -An -tx1
---
printf 'a\r\nb\rc\n' > f; python3 -c 'print(open("f").read().encode(), open("f", newline="").read().encode(), list(open("f","rb")))'
---
python3 -c 'import csv,sys; w=csv.writer(sys.stdout); w.writerow([1,"a,b","q\"x",None,1.5]); print(list(csv.DictReader(open("/dev/stdin"))))' <<< $'x,y\n1,"2,3"'
---
python3 -c 'import zoneinfo, datetime as d; z=zoneinfo.ZoneInfo("Europe/Berlin"); t=d.datetime(2026,7,1,12,tzinfo=z); print(t, t.utcoffset(), t.astimezone(zoneinfo.ZoneInfo("America/New_York")), "Asia/Tokyo" in zoneinfo.available_timezones())'
---
python3 -c 'import locale; print(locale.setlocale(locale.LC_ALL, "C")); print(locale.localeconv()["decimal_point"], locale.getpreferredencoding())
try: locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
except locale.Error as e: print(e)'
---
python3 -c 'import mmap
with open("f","wb") as f: f.write(b"hello world")
with open("f","r+b") as f:
  m=mmap.mmap(f.fileno(),0); print(m.find(b"world"), m[:5]); m[0:5]=b"HELLO"; m.flush(); m.close()
print(open("f").read())'
---
python3 -c 'import tempfile, os
with tempfile.TemporaryDirectory() as d:
  p=os.path.join(d,"x"); open(p,"w").close(); print(os.listdir(d), oct(os.stat(d).st_mode))
print(os.path.exists(d))
with tempfile.NamedTemporaryFile("w+") as f: f.write("a"); f.seek(0); print(f.read(), os.path.dirname(f.name), oct(os.stat(f.name).st_mode))
print(tempfile.gettempdir())'
---
python3 -c 'import shutil, os
os.makedirs("a/b"); open("a/b/f","w").write("x"); os.symlink("f","a/b/l"); shutil.copytree("a","c",symlinks=True); print(sorted(os.listdir("c/b")), os.readlink("c/b/l")); shutil.make_archive("z","zip","a"); shutil.make_archive("g","gztar","a"); shutil.unpack_archive("z.zip","o"); print(os.listdir("o/b")); shutil.move("c","m"); shutil.rmtree("a"); print(sorted(os.listdir(".")), shutil.which("sh"), shutil.disk_usage("/").total > 0)'
---
python3 -c 'import asyncio, sys
async def main():
  p = await asyncio.create_subprocess_exec("cat", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
  print(await p.communicate(b"data"), p.returncode)
  p = await asyncio.create_subprocess_shell("echo out; echo err >&2; exit 3", stdout=-1, stderr=-1)
  print(await p.communicate(), p.returncode)
  try: await asyncio.wait_for(asyncio.sleep(5), 0.01)
  except TimeoutError: print("timeout")
  async with asyncio.TaskGroup() as g:
    a = g.create_task(asyncio.sleep(0.01, 1)); b = g.create_task(asyncio.sleep(0.02, 2))
  print(a.result(), b.result())
  p = await asyncio.create_subprocess_exec("sleep", "9"); p.kill(); print(await p.wait())
  r, w = await asyncio.create_subprocess_exec("sh","-c","for i in 1 2 3; do echo $i; done", stdout=-1), None
  async for line in r.stdout: print(line)
  q = asyncio.Queue(1)
  async def prod():
    for i in range(3): await q.put(i)
    await q.put(None)
  t = asyncio.create_task(prod())
  while (i := await q.get()) is not None: print(i)
  print(await asyncio.to_thread(lambda: 5)) if 0 else None
asyncio.run(main())'
---
python3 -c 'import asyncio, signal, os
async def main():
  loop = asyncio.get_running_loop(); e = asyncio.Event()
  loop.add_signal_handler(signal.SIGUSR1, e.set)
  os.kill(os.getpid(), signal.SIGUSR1); await e.wait(); print("got")
  loop.call_later(0.01, lambda: os.kill(os.getpid(), signal.SIGINT))
  await asyncio.sleep(5)
try: asyncio.run(main())
except KeyboardInterrupt: print("kbd")'
---
python3 -c 'import sqlite3
c=sqlite3.connect("t.db"); c.execute("create table t(a integer primary key, b text)"); c.executemany("insert into t(b) values(?)",[("x",),("é",)]); c.commit(); print(c.execute("select * from t order by a desc").fetchall())
c.row_factory=sqlite3.Row; r=c.execute("select * from t").fetchone(); print(r["b"], r.keys()); c.create_function("dbl",1,lambda x:x*2); print(c.execute("select dbl(b) from t").fetchone()[0])
try: c.execute("insert into t values(1,2)")
except sqlite3.IntegrityError as e: print(e)
print(c.execute("select json_extract(?, ?)", ("{\"a\":[1,2]}", "$.a[1]")).fetchone()[0]); c.close()
d=sqlite3.connect("t.db"); print(d.execute("select count(*) from t").fetchone()); print(list(d.iterdump())[1][:12])'
---
python3 -c 'import select, os, time
r,w=os.pipe(); p=select.poll(); p.register(r, select.POLLIN); print(p.poll(1)); os.write(w,b"x"); print(p.poll(10)==[(r,1)]); print(select.select([r],[],[],0)[0]==[r]); os.close(w); print(os.read(r,1), p.poll(1)==[(r,16)])'
---
python3 -c 'import selectors, os
s=selectors.DefaultSelector(); r,w=os.pipe(); s.register(r, selectors.EVENT_READ, "d"); print(s.select(0)); os.write(w,b"1"); print(s.select(1)[0][0].data)'
---
python3 -c 'import subprocess as s, sys
p=s.Popen([sys.executable,"-u","-c","import time\nfor i in range(3): print(i)\ntime.sleep(9)"],stdout=s.PIPE,text=True)
print([p.stdout.readline() for _ in range(3)])
try: p.communicate(timeout=0.05)
except s.TimeoutExpired as e: print(type(e).__name__)
p.terminate(); print(p.wait())
with s.Popen(["cat"],stdin=s.PIPE,stdout=s.PIPE) as p:
  p.stdin.write(b"q"); p.stdin.close(); print(p.stdout.read())
print(s.run("exit 3", shell=True, check=False).returncode, s.call(["sh","-c","exit 4"]))
print(s.run(["sh","-c","echo $PPID"],capture_output=True).stdout.strip().isdigit())
print(s.run("cat", input="é", text=True, encoding="utf-8", capture_output=True).stdout)
print(s.run(["sort","-r"], input=b"a\nb\n", stdout=s.PIPE).stdout)
print(s.list2cmdline(["a b","c"]))
try: s.run(["sh","-c","sleep 9 & sleep 9"], capture_output=True, timeout=0.1)
except s.TimeoutExpired as e: print(e)'
---
python3 -c 'import os, signal, time
def h(s,f): print("sig", signal.Signals(s).name)
for s in (signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP): signal.signal(s,h)
for s in (signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP): os.kill(os.getpid(), s)
print(signal.sigwait.__name__, signal.alarm(0)); signal.signal(signal.SIGALRM, h); signal.alarm(1); signal.pause(); print("end")'
---
python3 -c 'import time,os
def f():
  time.sleep(30)
import signal
f()' & sleep 0.7; kill -INT $!; wait $!; echo $?
---
sh -c 'python3 -c "
import signal,os,sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.kill(os.getpid(), signal.SIGINT)
import time; time.sleep(5)"' 2>&1 | tail -1; echo ${PIPESTATUS[0]}
---
python3 - <<'X' 2>&1 | sed 's/3\.[0-9.]*/V/g'
import threading, queue, concurrent.futures
l = threading.Lock()
with l: print("locked", l.locked())
e = threading.Event(); e.set(); print(e.wait(0.1)); print(threading.current_thread().name, threading.active_count())
t = threading.local(); t.x = 1; print(t.x)
q = queue.Queue(); q.put(1); print(q.get())
X
---
python3 -c 'import argparse
p=argparse.ArgumentParser(prog="x", description="d"); p.add_argument("f"); p.add_argument("-n", type=int, default=3, help="num"); p.print_help(); print(p.parse_args(["a","-n","4"])); p.parse_args(["a","-n","x"])'; echo $?
---
printf 'def f(:\n  pass\n' > e.py; python3 e.py 2>&1 | sed 's:".*/e.py":F:'; printf 'x = "abc\n' > e.py; python3 e.py 2>&1 | tail -1; printf 'if 1:\nx\n' > e.py; python3 e.py 2>&1 | tail -1; printf 'print "a"\n' | python3 2>&1 | tail -1
---
python3 -c 'import hashlib, hmac, zlib, base64, struct, binascii, secrets
for n in ("md5","sha1","sha256","sha512","sha3_256","blake2b","shake_128"): print(n, (hashlib.new(n,b"a").hexdigest(8) if n=="shake_128" else hashlib.new(n,b"a").hexdigest())[:16])
print(hmac.new(b"k",b"m","sha256").hexdigest()[:16], zlib.crc32(b"a"), zlib.adler32(b"a"), base64.b85encode(b"abc"), struct.pack(">IhQ",1,-2,3), binascii.hexlify(b"a",), len(secrets.token_hex(4)), hashlib.pbkdf2_hmac("sha256",b"p",b"s",10).hex()[:16], hashlib.file_digest(open("/dev/null","rb"),"md5").hexdigest()[:8], hashlib.scrypt.__name__ if hasattr(hashlib,"scrypt") else "no scrypt")' 2>&1 | grep -v scrypt
---
python3 -c 'import xml.etree.ElementTree as E, html, urllib.parse as u, configparser, tomllib, email.message as m, io
r=E.fromstring("<a><b c=\"1\">t</b></a>"); print(r.find("b").attrib, E.tostring(r)); print(html.escape("<&>"), html.unescape("&eacute;"), u.urlparse("http://u:p@h:80/p?q=1#f"), u.quote("a b/é"), u.parse_qs("a=1&a=2"))
c=configparser.ConfigParser(); c.read_string("[s]\na=1\n"); print(dict(c["s"]), tomllib.loads("a=[1,2]\n[t]\nb=2026-01-01"))
e=m.EmailMessage(); e["Subject"]="é"; e.set_content("x"); print(e.as_string())'
---
python3 -c 'import os; r,w=os.pipe(); f=os.fdopen(w,"wb",0); print(os.writev(w,[b"a",b"b"]), os.readv(r,[b1:=bytearray(1),b2:=bytearray(3)]), b1,b2); fd=os.open("x",os.O_CREAT|os.O_RDWR); os.posix_fallocate(fd,0,100); print(os.fstat(fd).st_size); os.write(fd,b"hello"); os.lseek(fd,0,0); print(os.sendfile(w,fd,0,5), os.read(r,9)); print(os.copy_file_range(fd, os.open("y",os.O_CREAT|os.O_RDWR), 5, 0))' 2>&1 | tail -4
---
python3 -c 'import os, inspect; print(os.stat, type(os.stat).__name__, inspect.isbuiltin(os.stat), callable(os.stat), os.stat.__module__, os.stat.__qualname__)' 2>&1
---
python3 -c 'import pickle, os, builtins; print(pickle.loads(pickle.dumps(os.getcwd)) is os.getcwd, pickle.loads(pickle.dumps(open)) is open, pickle.loads(pickle.dumps(len)) is len)'
---
python3 -c 'import copy, os; print(copy.deepcopy([os.stat, open]) == [os.stat, open])'
---
python3 -c 'import sys
def t(f,e,a):
  print(e, f.f_code.co_name); return t
def g():
  import os
  os.getcwd()
  return 1
sys.settrace(t); g(); sys.settrace(None); print(sys.gettrace())'
---
python3 -c 'import gc, weakref, sys
class A: pass
a=A(); a.a=a; r=weakref.ref(a); del a; print(gc.collect()>0, r() is None, sys.getsizeof(1)>0, gc.isenabled(), gc.get_threshold()[0]>0)'
---
python3 -c 'import contextvars, types, typing, abc, operator, warnings, linecache, tracemalloc; v=contextvars.ContextVar("v",default=1); print(v.get(), typing.get_type_hints(lambda: 0), types.SimpleNamespace(a=1), linecache.getline("/etc/passwd",1)[:4])
tracemalloc.start(); x=[0]*1000; print(tracemalloc.get_traced_memory()[0]>0)'
---
python3 -c 'import cmd
class C(cmd.Cmd):
  def do_hi(self,a): print("hi",a)
  def do_q(self,a): return True
C().cmdloop()' <<< $'hi x\nbad\nq'
---
python3 -c 'print(input("p> ") + input())' <<< $'a\nb'; python3 -c 'input()' </dev/null 2>&1 | tail -1
---
python3 -i -c 'print("x")' <<< $'1+1\ndef f():\n  return 3\n\nf()\n1/0\nprint("end")' 2>/dev/null
---
python3 -c 'import sys; sys.stderr.write("e1\n"); print("o1"); sys.stderr.write("e2\n")' 2>&1
---
python3 -W error::ResourceWarning -X dev -c 'open("/dev/null"); print(1)' 2>&1 | tail -1
---
python3 -c 'import os,sys; pid=os.posix_spawn("/bin/echo",["echo","hi"],os.environ,file_actions=[(os.POSIX_SPAWN_OPEN,1,"o",os.O_WRONLY|os.O_CREAT,0o644)]); os.waitpid(pid,0); print(open("o").read(), os.wait3 is not None)'
---
python3 -c 'import glob, pathlib, fnmatch
for n in ("a.py","b.txt",".h"): pathlib.Path(n).touch()
pathlib.Path("s/t").mkdir(parents=True); pathlib.Path("s/t/c.py").write_text("x")
print(sorted(glob.glob("*")), sorted(glob.glob("**/*.py", recursive=True)), sorted(map(str,pathlib.Path(".").rglob("*.py"))), pathlib.Path("s/t/c.py").read_text(), pathlib.Path("s").is_dir(), pathlib.Path("x/../y").resolve().name, pathlib.Path("a.py").with_suffix(".c"), pathlib.Path("a.py").stat().st_size, pathlib.Path.home(), pathlib.Path("a.py").owner() != "")'
---
python3 -c 'import multiprocessing as m; print(m.cpu_count()>0, m.current_process().name)'
---
python3 -c 'import fcntl, os
f=open("l","w"); print(fcntl.fcntl(f, fcntl.F_GETFD), fcntl.fcntl(f.fileno(), fcntl.F_GETFL) & 3); r,w=os.pipe(); fl=fcntl.fcntl(r,fcntl.F_GETFL); fcntl.fcntl(r,fcntl.F_SETFL,fl|os.O_NONBLOCK)
try: os.read(r,1)
except BlockingIOError as e: print(e)'
---
python3 -c 'import time; t=time.time(); time.sleep(0.02); print(0.015<time.time()-t, time.monotonic()>0, time.perf_counter_ns()>0, time.gmtime(0)[:6], time.strftime("%Y",time.gmtime(0)), time.process_time()>0, time.get_clock_info("time").adjustable)'
---
python3 -c 'import subprocess,sys; r=subprocess.run([sys.executable,"-m","pip","--version"],capture_output=True,text=True); print(r.returncode, r.stdout[:4])'
---
pip --version | cut -c1-4; pip list >/dev/null 2>&1; echo $?; pip3 help | head -2; python3 -m pip show pip | head -1
---
printf '\xef\xbb\xbfprint("bom")\n' > b.py; python3 b.py; printf 'print("\xff")\n' > c.py; python3 c.py 2>&1 | tail -1 | cut -c1-40
---
echo 'raise SystemExit("bye")' > x.py; python3 x.py; echo $?; echo 'import x' | python3 - ; echo $?
---
mkdir p; echo 'from . import b; print(__package__, b.v)' > p/__init__.py; echo 'v=1' > p/b.py; python3 -c 'import p'; python3 -m p 2>&1 | sed 's/.*python3[0-9.]*:/python3:/'; echo 'from .b import v; print(v)' > p/c.py; python3 -m p.c; python3 p/c.py 2>&1 | tail -1
---
python3 -c 'import importlib.resources as r, importlib.metadata as m; print(m.version("pip")!="", r.files("email").joinpath("charset.py").is_file())'
---
printf 'import sys\nprint(sys.argv, __file__)\n' > a.py; python3 -m a x; python3 ./a.py; cd /; python3 "$OLDPWD/a.py" | sed "s:$OLDPWD::g"
---
env =x=1 python3 -c 'print("began")'
---
python3 -c 'import resource, os
cur, most = resource.getrlimit(resource.RLIMIT_FSIZE); resource.setrlimit(resource.RLIMIT_FSIZE, (1024, most))
f = open("f", "wb"); f.write(b"x" * 1025)
for _ in range(2):
  try: f.flush()
  except OSError as e: print(e)
resource.setrlimit(resource.RLIMIT_FSIZE, (cur, most)); f.close(); print(os.path.getsize("f"))' | cat
---
python3 -c 'import gc, os
gc.disable()
class A:
  def __del__(self): print("freed")
def f(call, *arguments):
  a = A()
  try: call(*arguments)
  except OSError as e: print(e.strerror)
f(os.stat, "/nowhere"); f(open, "/nowhere"); f(os.read, 99, 1); f(os.mkdir, "/nowhere/x"); f(os.path.exists, "/nowhere")'
---
python3 -c 'import _thread
try: _thread.interrupt_main()
except KeyboardInterrupt: print("interrupted")'
---
python3 -c 'import os, signal
class Stop(Exception): pass
def handler(*a): raise Stop
signal.signal(signal.SIGALRM, handler)
stopped = failed = 0
while stopped < 40 or failed < 100:
  try:
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    while True:
      try: os.stat("/nowhere")
      except FileNotFoundError: failed += 1
  except Stop: stopped += 1
print(stopped >= 40, failed >= 100)' 2>&1 | tail -1
---
python3 -c 'import os, signal
n = []
def second(*a): n.append(2)
def first(*a): os.kill(os.getpid(), 12); n.append(1)
signal.signal(10, first); signal.signal(12, second); signal.pthread_sigmask(signal.SIG_BLOCK, [10, 12])
os.kill(os.getpid(), 10); os.kill(os.getpid(), 12); signal.pthread_sigmask(signal.SIG_UNBLOCK, [10, 12])
while len(set(n)) < 2: pass
print(sorted(set(n)))'
---
python3 -c 'import os
for name in ("", "=a", "a=b", "a="):
  try: os.putenv(name, "x")
  except (OSError, ValueError): print("refused", repr(name))
try: os.copy_file_range(0, 1, -1)
except ValueError: print("negative")
it = os.scandir("/"); next(it)
import warnings
with warnings.catch_warnings(record=True) as w:
  warnings.simplefilter("always"); del it; print([x.category.__name__ for x in w])' </dev/null
---
python3 -c 'import unittest.mock as m, os, inspect
class A: unlink = os.unlink; opened = open
print(A().opened("/dev/null").read() == "", inspect.isbuiltin(A().unlink) or callable(A().unlink), os.stat.__self__.__name__)
with m.patch("os.remove", autospec=True) as p: os.remove("x"); print(p.call_args)'
---
python3 -c 'import select
p = select.poll()
for mask in (-1, 1 << 64):
  try: p.register(0, mask)
  except (ValueError, OverflowError) as e: print(type(e).__name__)'
---
python3 -c 'f = open("/dev/stdout", "a"); print(f.write("appended\n"), file=f)' | cat; python3 -c 'import logging; logging.basicConfig(filename="/dev/stderr"); logging.error("x")' 2>&1 | cat
