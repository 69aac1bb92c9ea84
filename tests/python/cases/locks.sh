python3 -c '
import fcntl, os
a, b = open("l", "w"), open("l", "w")
print(fcntl.flock(a, fcntl.LOCK_EX))
try: fcntl.flock(b, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError as e: print(e, e.errno)
fcntl.flock(a.fileno(), fcntl.LOCK_SH); fcntl.flock(b, fcntl.LOCK_SH | fcntl.LOCK_NB)
fcntl.flock(a, fcntl.LOCK_UN); fcntl.flock(b, fcntl.LOCK_EX | fcntl.LOCK_NB)
b.close(); fcntl.flock(a, fcntl.LOCK_EX | fcntl.LOCK_NB); print("free again")'
---
python3 -c '
import fcntl, subprocess, sys
f = open("l", "w"); fcntl.flock(f, fcntl.LOCK_EX)
child = [sys.executable, "-c", "import fcntl; fcntl.flock(open(\"l\"), fcntl.LOCK_SH | fcntl.LOCK_NB); print(\"got it\")"]
print(subprocess.run(child, capture_output=True, text=True).stderr.splitlines()[-1])
fcntl.flock(f, fcntl.LOCK_UN)
print(subprocess.run(child, capture_output=True, text=True).stdout, end="")'
---
python3 -c '
import fcntl, subprocess, sys, time
f = open("l", "w"); fcntl.flock(f, fcntl.LOCK_EX)
p = subprocess.Popen([sys.executable, "-c", "import fcntl; fcntl.flock(open(\"l\"), fcntl.LOCK_EX); print(open(\"l\").read())"])
time.sleep(0.2); print(p.poll()); f.write("written under the lock"); f.flush(); fcntl.flock(f, fcntl.LOCK_UN); print(p.wait())'
---
python3 -c '
import fcntl, subprocess, sys
f = open("l", "w+")
print(fcntl.lockf(f, fcntl.LOCK_EX, 10, 5))
code = """
import fcntl
f = open("l", "r+")
def attempt(*arguments):
    try: fcntl.lockf(f, *arguments); print(arguments, "locked")
    except OSError as e: print(arguments, type(e).__name__, e)
attempt(6, 1, 4); attempt(6, 1, 5); attempt(6, 5); attempt(6); attempt(5, 1, 14); attempt(6, 0, 15); attempt(8)
attempt(6, 0, -3); attempt(6, 1, 0, 7); attempt(6, 4, 4, 1)
"""
subprocess.run([sys.executable, "-c", code])
fcntl.lockf(f, fcntl.LOCK_UN, 5, 5); print("half of it free", flush=True); subprocess.run([sys.executable, "-c", code])'
---
python3 -c '
import fcntl, struct, subprocess, sys
form = "hhqqi4x"
f = open("l", "w+"); f.write("x" * 100); f.flush()
print(struct.unpack(form, fcntl.fcntl(f, fcntl.F_SETLK, struct.pack(form, fcntl.F_WRLCK, 0, 10, 20, 0))))
print(struct.unpack(form, fcntl.fcntl(f, fcntl.F_GETLK, struct.pack(form, fcntl.F_WRLCK, 0, 0, 0, 0))))
import os
code = """
import fcntl, struct, os, sys
f = open("l", "r+"); form = "hhqqi4x"
for kind, whence, start, length in [(1, 0, 0, 0), (0, 0, 25, 1), (1, 0, 30, 5), (1, 2, -80, 1), (0, 0, 40, -20)]:
    *rest, pid = struct.unpack(form, fcntl.fcntl(f, fcntl.F_GETLK, struct.pack(form, kind, whence, start, length, 0)))
    print(rest, pid == int(sys.argv[1]))
"""
subprocess.run([sys.executable, "-c", code, str(os.getpid())])'
---
python3 -c '
import fcntl, os
f = open("l", "w")
def attempt(function, *arguments):
    try: print(function(*arguments))
    except Exception as e: print(type(e).__name__, e)
attempt(fcntl.lockf, f, 4); attempt(fcntl.lockf, f, 0); attempt(fcntl.lockf, f, 1 | 4)
attempt(fcntl.flock, f, 0); attempt(fcntl.flock, f, 3); attempt(fcntl.flock, f, 16)
attempt(fcntl.flock, -1, 2); attempt(fcntl.flock, 99, 2); attempt(fcntl.lockf, 99, 2); attempt(fcntl.flock, "f", 2)
attempt(fcntl.flock, f, "x"); attempt(fcntl.fcntl, f, fcntl.F_SETLK, 0); attempt(fcntl.fcntl, f, 9999)
r, w = os.pipe(); attempt(fcntl.lockf, f, 6, -1); attempt(fcntl.lockf, f, 6, 0, 0, 3)'
---
python3 -c '
import fcntl, os
# A lock of a process is gone when it closes any descriptor of the file.
import subprocess, sys
f, g = open("l", "w"), open("l")
fcntl.lockf(f, fcntl.LOCK_EX)
child = [sys.executable, "-c", "import fcntl; fcntl.lockf(open(\"l\", \"w\"), fcntl.LOCK_EX | fcntl.LOCK_NB)"]
print(subprocess.run(child, stderr=-3).returncode); g.close(); print(subprocess.run(child, stderr=-3).returncode)'
---
python3 -c '
import fcntl, threading, time
a, b = open("l", "w"), open("l", "w")
fcntl.flock(a, fcntl.LOCK_EX); order = []
def other():
    fcntl.flock(b, fcntl.LOCK_EX); order.append("other")
t = threading.Thread(target=other); t.start(); time.sleep(0.1); order.append("first"); fcntl.flock(a, fcntl.LOCK_UN); t.join(); print(order)'
---
python3 -c '
import fcntl, signal, time
a, b = open("l", "w"), open("l", "w")
fcntl.flock(a, fcntl.LOCK_EX)
def late(*_): raise TimeoutError("too late")
signal.signal(signal.SIGALRM, late); signal.setitimer(signal.ITIMER_REAL, 0.1)
try: fcntl.flock(b, fcntl.LOCK_EX)
except TimeoutError as e: print(e)'
---
flock l python3 -c '
import fcntl
try: fcntl.flock(open("l"), fcntl.LOCK_SH | fcntl.LOCK_NB)
except OSError as e: print(e)'
---
cat > w.py <<'X'
import sqlite3, sys, time
db = sqlite3.connect("t.db", timeout=60, isolation_level=None)
for i in range(25):
    db.execute("begin immediate"); n = db.execute("select n from t").fetchone()[0]
    db.execute("update t set n = ?", (n + 1,)); db.execute("commit")
X
python3 -c 'import sqlite3; db = sqlite3.connect("t.db"); db.execute("create table t(n)"); db.execute("insert into t values(0)"); db.commit()'
for i in 1 2 3 4; do python3 w.py & done; wait
python3 -c 'import sqlite3; print(sqlite3.connect("t.db").execute("select n from t").fetchone(), sqlite3.connect("t.db").execute("pragma integrity_check").fetchone())'; ls
---
python3 -c '
import sqlite3, subprocess, sys
db = sqlite3.connect("t.db", isolation_level=None); db.execute("create table t(n)"); db.execute("begin immediate"); db.execute("insert into t values(1)")
code = """
import sqlite3, sys
db = sqlite3.connect("t.db", timeout=0, isolation_level=None)
print(db.execute("select count(*) from t").fetchone())
try: db.execute("insert into t values(2)")
except sqlite3.OperationalError as e: print(e, e.sqlite_errorname)
"""
def other(): print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout, end="")
other(); db.execute("commit"); other(); print(db.execute("select * from t").fetchall())
db.execute("begin exclusive")
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr.splitlines()[-1])'
---
python3 -c '
import os, signal, sqlite3, subprocess, sys
# A process that is killed leaves no lock and a journal that undoes its work.
code = """
import os, signal, sqlite3
db = sqlite3.connect("t.db", isolation_level=None); db.execute("pragma cache_size=5")
db.execute("create table t(n)"); db.execute("begin"); db.executemany("insert into t values(?)", [(b"x" * 3000,)] * 100); os.kill(os.getpid(), signal.SIGKILL)
"""
print(subprocess.run([sys.executable, "-c", code]).returncode, os.path.exists("t.db-journal"))
db = sqlite3.connect("t.db", timeout=0); print(db.execute("select count(*) from t").fetchone(), os.path.exists("t.db-journal")); db.execute("insert into t values(1)"); db.commit(); print("written")'
---
python3 -c '
import sqlite3, threading
first = sqlite3.connect("t.db", isolation_level=None, check_same_thread=False); first.execute("create table t(n)"); first.execute("begin immediate")
done = []
def other():
    db = sqlite3.connect("t.db", timeout=30, isolation_level=None); db.execute("insert into t values(2)"); db.close(); done.append("other")
thread = threading.Thread(target=other); thread.start(); thread.join(0.3); done.append("first"); first.execute("insert into t values(1)"); first.execute("commit"); thread.join()
print(done, first.execute("select n from t order by rowid").fetchall())'
---
mkdir d; cd d; python3 -c '
import os, sqlite3
db = sqlite3.connect("t.db"); os.chdir("/"); db.execute("create table t(a)"); db.execute("insert into t values(1)"); db.commit(); os.chdir(os.path.dirname(os.path.abspath(db.execute("pragma database_list").fetchone()[2])))
db.execute("attach ? as other", ("o.db",)); db.execute("create table other.u(b)"); db.execute("insert into t values(2)"); db.execute("insert into other.u values(3)"); db.commit()
print(sorted(os.listdir(".")), db.execute("select a, b from t, other.u").fetchall())
try: sqlite3.connect("missing/x.db").execute("create table t(a)")
except sqlite3.OperationalError as e: print(e)
try: sqlite3.connect("file:t.db?mode=ro", uri=True).execute("insert into t values(9)")
except sqlite3.OperationalError as e: print(e)
os.chmod("t.db", 0o600); os.symlink("t.db", "l.db"); print(sqlite3.connect("l.db").execute("select count(*) from t").fetchone(), oct(os.stat("o.db").st_mode))
db.execute("vacuum into ?", ("v.db",)); copy = sqlite3.connect("v.db"); print(copy.execute("select sum(a) from t").fetchone()); target = sqlite3.connect("b.db"); db.backup(target); print(target.execute("select sum(a) from t").fetchone())'
---
#py
import os, subprocess, sys
def attempt(f, *a):
    try: return f(*a)
    except OSError as x: return type(x).__name__, str(x)
open("f", "w").write("x" * 100); fd = os.open("f", os.O_RDWR); print(os.lockf(fd, os.F_LOCK, 10), os.lockf(fd, os.F_TEST, 0)); os.lseek(fd, 20, 0); os.lockf(fd, os.F_TLOCK, -5)
print(subprocess.run([sys.executable, "-c", """
import os
fd = os.open("f", os.O_RDWR)
for command in os.F_TEST, os.F_TLOCK:
    for at, length in (0, 0), (9, 1), (10, 5), (15, 1), (20, 0):
        os.lseek(fd, at, 0)
        try: print(at, os.lockf(fd, command, length))
        except OSError as e: print(at, type(e).__name__)
"""], stdout=subprocess.PIPE, text=True).stdout)
os.lseek(fd, 0, 0); print(os.lockf(fd, os.F_ULOCK, 0), attempt(os.lockf, fd, 9, 0), attempt(os.lockf, 99, 1, 0))
