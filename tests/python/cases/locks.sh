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
