import os
for n in ("a","b"): open(n,"w").write(n)
os.mkdir("d"); os.rename("a","d/a"); print(sorted(os.listdir("."))); print(os.path.exists("d/a"))
for r,ds,fs in os.walk("."): print(r,sorted(ds),sorted(fs))
---
import os,stat
open("f","w").close(); os.chmod("f",0o640); print(oct(os.stat("f").st_mode), stat.filemode(os.stat("f").st_mode), os.access("f",os.R_OK), os.access("f",os.X_OK))
---
import os
try: os.rmdir("nope")
except OSError as e: print(type(e).__name__, e, e.errno, e.filename)
try: os.mkdir("/proc/x/y")
except OSError as e: print(type(e).__name__, e.errno)
os.makedirs("a/b/c", exist_ok=True)
try: os.rmdir("a")
except OSError as e: print(type(e).__name__, e)
try: os.mkdir("a")
except OSError as e: print(type(e).__name__, e)
try: open("a")
except OSError as e: print(type(e).__name__, e)
try: os.listdir("zz")
except OSError as e: print(type(e).__name__, e)
try: os.rename("q","r")
except OSError as e: print(type(e).__name__, e)
---
import pathlib
p=pathlib.Path("x/y"); p.mkdir(parents=True); (p/"f.txt").write_text("héllo\nworld"); print((p/"f.txt").read_text(), (p/"f.txt").stat().st_size, sorted(str(q) for q in pathlib.Path(".").rglob("*")), p.resolve().name, list(p.glob("*.txt")))
(p/"l").symlink_to("f.txt"); print((p/"l").is_symlink(), (p/"l").readlink(), (p/"l").read_bytes()); (p/"f.txt").unlink(); print((p/"l").exists()); print(p.owner() != "")
---
import shutil,os
os.makedirs("s/t"); open("s/t/f","w").write("x"*100000); shutil.copytree("s","c"); print(os.path.getsize("c/t/f")); shutil.move("c","m"); shutil.rmtree("s"); print(sorted(os.listdir("."))); shutil.copy2("m/t/f","g"); print(os.path.getsize("g")); print(shutil.disk_usage("/").total>0)
shutil.make_archive("z","zip","m"); print(sorted(os.listdir("."))); shutil.unpack_archive("z.zip","u"); print(os.listdir("u/t"))
shutil.make_archive("z","gztar","m"); shutil.unpack_archive("z.tar.gz","v"); print(os.listdir("v/t"))
---
import tempfile,os
with tempfile.NamedTemporaryFile("w+",suffix=".x") as f: f.write("abc"); f.flush(); print(open(f.name).read(), f.name.endswith(".x")); f.seek(0); print(f.read())
print(os.path.exists(f.name)); fd,p=tempfile.mkstemp(); os.write(fd,b"1"); os.close(fd); print(open(p).read(), oct(os.stat(p).st_mode)); os.remove(p)
with tempfile.TemporaryFile() as f: f.write(b"zz"); f.seek(0); print(f.read())
with tempfile.SpooledTemporaryFile(max_size=5) as f: f.write(b"123456789"); f.seek(0); print(f.read())
---
import subprocess
r=subprocess.run(["grep","-n","b"],input="a\nb\nc\n",capture_output=True,text=True); print(r)
p1=subprocess.Popen(["printf","c\nb\na\n"],stdout=subprocess.PIPE); p2=subprocess.Popen(["sort"],stdin=p1.stdout,stdout=subprocess.PIPE); p1.stdout.close(); print(p2.communicate()[0]); print(p1.wait())
print(subprocess.run("echo $0 $1; exit 2",shell=True).returncode)
print(subprocess.run(["sh","-c","echo out; echo err >&2"],stdout=subprocess.PIPE,stderr=subprocess.STDOUT).stdout)
---
import subprocess,sys
print(subprocess.run([sys.executable,"-c","import sys; print(sys.argv[1:]); sys.exit(4)","x","y z"],capture_output=True,text=True))
print(subprocess.check_output(["pwd"],cwd="/",text=True), subprocess.check_output(["sh","-c","echo $FOO"],env={"FOO":"bar","PATH":"/bin:/usr/bin"}))
with open("o","w") as f: subprocess.run(["echo","to file"],stdout=f)
print(open("o").read()); print(subprocess.call(["false"]), subprocess.call(["sh","-c","kill -9 $$"]))
try: subprocess.check_call(["sh","-c","exit 3"])
except subprocess.CalledProcessError as e: print(e, e.returncode, e.cmd)
print(subprocess.getstatusoutput("ls /nonexistent-x; exit 5")[0])
p=subprocess.Popen("cat; echo done",shell=True,stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True,bufsize=1)
p.stdin.write("line1\n"); p.stdin.flush(); print(p.stdout.readline()); p.stdin.close(); print(p.stdout.read(), p.wait())
---
import os
r,w=os.pipe(); os.write(w,b"hello"); os.close(w); print(os.read(r,100), os.read(r,100)); os.close(r)
try: os.read(r,1)
except OSError as e: print(e)
fd=os.open("f",os.O_RDWR|os.O_CREAT|os.O_TRUNC,0o644); print(os.write(fd,b"0123456789"), os.lseek(fd,2,os.SEEK_SET), os.read(fd,3), os.pread(fd,2,8), os.ftruncate(fd,5), os.fstat(fd).st_size); d=os.dup(fd); os.close(fd); print(os.lseek(d,0,2)); os.close(d)
print(os.get_inheritable(1))
---
import os,sys
sys.stdout.flush(); s=os.dup(1); f=os.open("out",os.O_WRONLY|os.O_CREAT); os.dup2(f,1); print("to file"); os.system("echo from sh"); sys.stdout.flush(); os.dup2(s,1); print("back"); print(open("out").read())
---
import io
f=open("t","w+",newline=""); f.write("a\r\nb\nc"); f.seek(0); print(repr(f.read())); f.close(); print(repr(open("t").read()), open("t","rb").read()); print([l for l in open("t")]); f=open("t","a"); f.write("zz"); print(f.tell()); f.close(); print(open("t",newline="").readlines())
f=open("b","wb",buffering=0); print(f, f.write(b"xyz")); f.close(); f=open("b","r+b"); f.seek(1); f.write(b"Q"); f.seek(0); print(f.read()); print(f, f.raw, f.mode, f.name, f.closed); f.close(); print(f.closed)
try: open("b","x")
except FileExistsError as e: print(e)
try: open("b").write("x")
except io.UnsupportedOperation as e: print(e)
for m in ("rw","z","","rbt"):
    try: open("b",m)
    except ValueError as e: print(e)
---
import sys
print(sys.argv, __name__, sys.stdin.fileno() if sys.stdin else None, sys.stdout.isatty(), sys.byteorder)
---
import json,re,math,collections,itertools,functools,datetime,decimal,fractions,statistics,random,string,textwrap,hashlib,base64,zlib,struct,csv,io
print(json.dumps({"a":[1,2.5,None,True],"é":"ü"},indent=2,ensure_ascii=False), re.sub(r"(\w+) (\w+)",r"\2 \1","hello world"), math.pi, math.factorial(30), collections.Counter("abracadabra").most_common(2))
random.seed(5); print(random.random(), random.randint(1,100), random.sample(range(100),5)); print(hashlib.sha256(b"x").hexdigest(), hashlib.md5(b"x").hexdigest(), hashlib.blake2b(b"x").hexdigest()[:20], hashlib.sha3_256(b"").hexdigest(), hashlib.new("sha1",b"q").hexdigest(), sorted(hashlib.algorithms_guaranteed))
print(base64.b64encode(b"hi"), zlib.crc32(b"hi"), zlib.decompress(zlib.compress(b"q"*100))[:3], struct.pack("<IhQ",1,2,3)); print(datetime.datetime(2024,2,29,12,30).isoformat(), datetime.timedelta(days=1.5), datetime.date(2024,1,1).strftime("%A %d %B %Y %j"), decimal.Decimal("1.1")+decimal.Decimal("2.2"), fractions.Fraction(1,3)+1, statistics.stdev([1,2,3,4]))
w=csv.writer(s:=io.StringIO()); w.writerow([1,"a,b",'q"']); print(s.getvalue()); print(textwrap.fill("the quick brown fox "*5,30))
---
import time
t=time.monotonic(); time.sleep(0.05); print(0.04<time.monotonic()-t, time.strftime("%Y-%m-%d",time.gmtime(0)), time.tzname, time.localtime(86400)[:6], time.mktime((2020,1,1,0,0,0,0,0,0)))
---
import signal,os,time
def h(s,f): print("handler",s)
print(signal.signal(signal.SIGTERM,h), signal.getsignal(signal.SIGTERM) is h); os.kill(os.getpid(),signal.SIGTERM); signal.raise_signal(signal.SIGTERM)
signal.signal(signal.SIGALRM,h); signal.alarm(1); t=time.time(); time.sleep(1.5); print(1.4<time.time()-t)
signal.setitimer(signal.ITIMER_REAL,0.1); signal.pause(); print(signal.Signals(15).name, signal.strsignal(9), signal.SIGKILL, len(signal.valid_signals())); 
class T(Exception): pass
def a(s,f): raise T("late")
signal.signal(signal.SIGALRM,a); signal.setitimer(signal.ITIMER_REAL,0.1)
try: time.sleep(5)
except T as e: print("timeout", e)
---
import asyncio
async def prod(q):
    for i in range(3): await q.put(i); await asyncio.sleep(0.01)
    await q.put(None)
async def cons(q):
    while (x:=await q.get()) is not None: print("got",x)
async def main():
    q=asyncio.Queue(); await asyncio.gather(prod(q),cons(q))
    try: await asyncio.wait_for(asyncio.sleep(10),0.05)
    except asyncio.TimeoutError: print("timeout")
    p=await asyncio.create_subprocess_exec("cat",stdin=asyncio.subprocess.PIPE,stdout=asyncio.subprocess.PIPE); print(await p.communicate(b"data"), p.returncode)
    async with asyncio.TaskGroup() as tg: tg.create_task(asyncio.sleep(0.01)); t=tg.create_task(asyncio.sleep(0,"r"))
    print(t.result()); ev=asyncio.Event(); asyncio.get_running_loop().call_later(0.02,ev.set); await ev.wait(); print("ev"); print(await asyncio.to_thread(lambda: 5)) if False else None
    async with asyncio.timeout(1): await asyncio.sleep(0)
    p=await asyncio.create_subprocess_shell("exit 7"); print(await p.wait())
asyncio.run(main())
---
import sqlite3
c=sqlite3.connect(":memory:"); c.execute("create table t(a int,b text)"); c.executemany("insert into t values(?,?)",[(i,str(i)*2) for i in range(5)]); print(c.execute("select sum(a),group_concat(b) from t where a>1").fetchone())
c=sqlite3.connect("f.db"); c.execute("create table x(y)"); c.commit(); c.close(); import os; print(os.path.getsize("f.db"))
os.mkdir("sub"); os.chdir("sub"); c=sqlite3.connect("g.db"); c.execute("create table x(y)"); c.commit(); c.close(); print(os.listdir("."))
---
import unittest
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1,1)
    def test_b(self): self.assertEqual(1,2)
import sys
r=unittest.TextTestRunner(stream=open("/dev/null","w")).run(unittest.defaultTestLoader.loadTestsFromTestCase(T)); print(r)
unittest.main(argv=["x"],exit=True)
---
raise ValueError("bad\nmulti")
---
import sys
sys.exit("message")
---
import sys
sys.exit(300)
---
import os
os._exit(3)
---
import atexit
atexit.register(print,"bye"); 
class A:
    def __del__(self): print("del")
a=A(); print("end")
---
import sys
print("no newline",end=""); sys.stderr.write("x"); raise SystemExit(2)
---
def f(n): return f(n+1)
try: f(0)
except RecursionError as e: print(e)
import sys; print(sys.getrecursionlimit()); sys.setrecursionlimit(5000)
def g(n): return 0 if n==0 else 1+g(n-1)
print(g(4000))
---
import threading, queue
l=threading.Lock()
with l: print("locked", l.locked())
e=threading.Event(); e.set(); print(e.wait(1), threading.current_thread().name, threading.active_count()); q=queue.Queue(); q.put(1); print(q.get())
loc=threading.local(); loc.x=1; print(loc.x); t=threading.Timer
---
import platform,os,sys,getpass
print(platform.system(), os.name, sys.platform, os.sep, os.linesep=="\n", os.pathsep, platform.python_implementation(), os.devnull)
---
import glob,fnmatch,os
for n in ("a.py","b.txt",".h","c.py"): open(n,"w").close()
print(sorted(glob.glob("*")), sorted(glob.glob("*.py")), glob.glob("[!a]*.py"), sorted(os.listdir()), sorted(e.name for e in os.scandir() if e.is_file()))
---
import os
os.symlink("nowhere","l"); print(os.path.islink("l"), os.path.exists("l"), os.path.lexists("l"), os.readlink("l"), os.lstat("l").st_size); open("f","w").write("x"); os.link("f","g"); print(os.stat("f").st_nlink, os.path.samefile("f","g")); os.utime("f",(1,2)); print(os.stat("f").st_mtime, os.stat("f").st_atime_ns); os.truncate("f",0); print(os.path.getsize("g")); os.mkfifo("p"); import stat; print(stat.S_ISFIFO(os.stat("p").st_mode)); print(oct(os.umask(0o27)), oct(os.umask(0o22)))
---
import os
print(os.environ.get("HOME"), os.getenv("NOPE","d")); os.environ["X1"]="v"; os.system("echo $X1"); os.putenv("Y","1"); del os.environ["X1"]; print("X1" in os.environ); print(os.path.expanduser("~/x"), os.path.expandvars("$HOME/y")); p = os.popen("echo a; exit 2"); print(p.read(), p.close())
---
import os
pid=os.posix_spawn("/bin/sh",["sh","-c","exit 6"],os.environ); print(os.waitstatus_to_exitcode(os.waitpid(pid,0)[1])); print(os.spawnlp(os.P_WAIT,"sh","sh","-c","exit 8"))
try: os.waitpid(-1,0)
except ChildProcessError as e: print(e)
try: os.kill(99999,0)
except ProcessLookupError as e: print(e)
os.execvp("echo",["echo","exec'd"])
---
#py
import sys,os
print(__file__.endswith("t.py"), os.path.basename(sys.argv[0]), sys.argv[1:], os.path.basename(sys.path[0])==os.path.basename(os.getcwd()))
import traceback
def f():
    raise KeyError("k")
try: f()
except KeyError: print(traceback.format_exc().replace(os.getcwd(),"/W").replace("~", "^"))
import inspect; print(inspect.getsource(f)); traceback.print_stack(file=sys.stdout)
---
#py
import logging,warnings,sys
logging.basicConfig(stream=sys.stdout,format="%(levelname)s:%(name)s:%(funcName)s:%(lineno)d:%(message)s"); logging.warning("w %d",1); logging.getLogger("a.b").error("e")
warnings.showwarning=lambda m,c,f,l,*a: print(c.__name__,m,l); warnings.warn("dep",DeprecationWarning)
---
#sh
echo 'print("from stdin")' | python3; echo 'print("dash")' | python3 - x; python3 -c 'import sys; print(sys.argv)' -x --y; python3 -m json.tool <<< '{"a":1}'; python3 -m base64 -e <<< hi; python3 -m calendar 2024 2; python3 -m this | head -2; python3 -m timeit -n1 -r1 pass >/dev/null; echo $?; python3 -m py_compile nope.py 2>/dev/null; echo $?
---
#sh
python3 -c 'import sys; print(repr(sys.stdin.read()))' < /dev/null; printf 'a\0b\xff\n' | python3 -c 'import sys; print(sys.stdin.buffer.read())'; printf '\xff\n' | python3 -c 'print(ascii(input()))'; python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)))' | md5sum; python3 -c 'print("x"*200000)' | wc -c
---
#sh
mkdir m; echo 'X=5
def f(): return 1/0' > m/mod.py; touch m/__init__.py; python3 -c 'import m.mod; print(m.mod.X); m.mod.f()' 2>&1 | grep -v 'import m.mod' | sed 's/~*\^*~*$//' | grep -v '^ *$' ; ls m; python3 -B -c 'import m'; PYTHONDONTWRITEBYTECODE=1 python3 -c 'import m'; python3 -c 'import nomod' 2>/dev/null; echo $?
---
#sh
printf '#!/usr/bin/env python3\nimport sys\nprint(sys.argv[0])\nsys.exit(3)\n' > s.py; chmod +x s.py; ./s.py; echo $?; sed -i 's,#!.*,#!/usr/bin/python3 -u,' s.py; ./s.py; echo $?
---
#sh
cat > w.py <<'X'
import sys
for line in sys.stdin:
    sys.stdout.write(line.upper())
X
printf 'a\nb\n' | python3 w.py | python3 w.py; seq 100000 | python3 -c 'import sys; print(sum(map(int,sys.stdin)))'
---
#sh
python3 - <<'X'
import os, sys
print(os.getppid() > 0, os.getpgrp() > 0, os.getuid() >= 0, len(os.getgroups()) >= 0, os.cpu_count() > 0, os.getloadavg()[0] >= 0)
print(os.path.realpath("/proc/self/cwd") == os.getcwd(), os.get_terminal_size.__name__)
try: os.get_terminal_size()
except OSError as e: print(e)
import shutil; print(shutil.get_terminal_size())
X
---
import dataclasses,enum,typing,abc,contextlib,types
@dataclasses.dataclass(order=True)
class P: x:int; y:list=dataclasses.field(default_factory=list)
print(P(1), P(1)<P(2), dataclasses.asdict(P(3)));
class E(enum.Flag): A=1; B=2
print(E.A|E.B, E(3), list(E));
with contextlib.redirect_stdout(__import__("io").StringIO()) as s: print("x")
print(repr(s.getvalue())); match {"k":[1,2]}:
    case {"k":[a,*r]}: print(a,r)
print(f"{1.5:>10.3f}|{'x':^5}|{255:#x}|{1000000:,}")
---
import pickle,copy,marshal,shelve,gzip,zipfile,tarfile,io
print(pickle.loads(pickle.dumps({1:[2,(3,)]})), copy.deepcopy([[1]]), gzip.decompress(gzip.compress(b"abc")))
with zipfile.ZipFile("z.zip","w",zipfile.ZIP_DEFLATED) as z: z.writestr("a/b.txt","content"*100)
with zipfile.ZipFile("z.zip") as z: print(z.namelist(), len(z.read("a/b.txt")))
with tarfile.open("t.tgz","w:gz") as t: i=tarfile.TarInfo("f"); i.size=3; t.addfile(i,io.BytesIO(b"xyz"))
print(tarfile.open("t.tgz").getnames()); import xml.etree.ElementTree as ET; print(ET.tostring(ET.fromstring("<a><b c='1'/>t</a>"))); import html,urllib.parse; print(html.escape("<&>"), urllib.parse.quote("a b/ü"), urllib.parse.parse_qs("a=1&b=2"))
import configparser; c=configparser.ConfigParser(); c.read_string("[s]\nk=v"); print(c["s"]["k"]); import tomllib; print(tomllib.loads("a=1\n[b]\nc='x'")); import argparse; p=argparse.ArgumentParser(prog="p"); p.add_argument("--n",type=int,default=3); print(p.parse_args([])); p.parse_args(["--bad"])
---
import argparse,sys
p=argparse.ArgumentParser(prog="p",description="d"); p.add_argument("f"); p.add_argument("-v",action="store_true"); p.print_help()
---
import mmap
open("f","wb").write(b"hello world"); f=open("f","r+b"); m=mmap.mmap(f.fileno(),0); print(m[:5], m.find(b"world"), len(m)); m[0:5]=b"HELLO"; m.close(); f.close(); print(open("f").read())
---
import select,os
r,w=os.pipe(); print(select.select([r],[w],[],0)); os.write(w,b"x"); print(select.select([r],[],[],1)[0]==[r]); p=select.poll(); p.register(r,select.POLLIN); print(p.poll(10)); os.close(w); os.read(r,1); print(p.poll(10))
import selectors; s=selectors.DefaultSelector(); s.register(r,selectors.EVENT_READ,"d"); print([k.data for k,e in s.select(0.1)])
---
import concurrent.futures, sys
try:
    with concurrent.futures.ThreadPoolExecutor() as ex: pass
    print("made")
except Exception as e: print(type(e))
---
import uuid,secrets,os
print(len(str(uuid.uuid4())), len(secrets.token_hex(8)), len(os.urandom(5)), uuid.uuid5(uuid.NAMESPACE_DNS,"x")); print(hash(5), isinstance(hash("a"),int))
---
import linecache,ast,dis,tokenize,inspect
print(ast.dump(ast.parse("x=1").body[0])); exec(compile("print('exec')","<s>","exec")); print(eval("1+1")); tree=ast.parse("a+b"); print(ast.unparse(tree))
---
import locale,gettext
print(locale.getpreferredencoding(), "ß".upper(), "İ".lower(), sorted(["b","A","a"]), "naïve".encode("ascii","ignore"), b"\xff".decode("utf-8","replace"), "a\u0301".isalpha()); import unicodedata; print(unicodedata.name("é"), unicodedata.normalize("NFD","é").encode())
---
with open("big","w") as f:
    for i in range(200000): f.write(f"line {i}\n")
n=0
with open("big") as f:
    for l in f: n+=len(l)
print(n); import os; print(os.path.getsize("big"), sum(1 for _ in open("big","rb")))
---
import fileinput,sys
open("a","w").write("x\ny\n"); 
for l in fileinput.input("a",inplace=True): print(l.strip()*2)
print(open("a").read())
---
import os, errno
print(errno.ENOENT, errno.errorcode[13], os.strerror(2), os.strerror(32), OSError(errno.EEXIST,"m","f"), FileNotFoundError(2,"No such file or directory","x")); print([e for e in (errno.EAGAIN,errno.EPIPE,errno.ECONNREFUSED)]); e=OSError(2,"x"); print(type(e), e.args)
---
import shlex, sysconfig
print(bool(shlex.split(sysconfig.get_config_var("CONFIG_ARGS"))), sysconfig.get_python_version().count("."))
