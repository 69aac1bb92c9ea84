python3 -c 'import os; print(os.system("exit 3"), os.WEXITSTATUS(os.system("exit 4")))'
---
python3 -c 'import os; print(os.popen("echo hi; echo there").read())'
---
python3 -c 'import os; p = os.popen("cat > f", "w"); p.write("data"); print(p.close()); print(open("f").read())'
---
python3 -c 'import subprocess as s; print(s.run(["echo","a b"], capture_output=True))'
---
python3 -c 'import subprocess as s; print(s.run("echo $0 $1; exit 5", shell=True, capture_output=True, text=True))'
---
python3 -c 'import subprocess as s; print(s.check_output(["tr","a-z","A-Z"], input=b"abc"))'
---
python3 -c 'import subprocess as s; s.check_call(["false"])' 2>&1 | tail -1
---
python3 -c 'import subprocess as s
try: s.check_output("echo out; echo err >&2; exit 7", shell=True, stderr=s.STDOUT)
except s.CalledProcessError as e: print(e.returncode, e.output, e)'
---
python3 -c 'import subprocess as s
try: s.run(["nosuchcommand"])
except FileNotFoundError as e: print(e, e.filename, e.errno)'
---
python3 -c 'import subprocess as s
try: s.run(["/etc/passwd"])
except PermissionError as e: print(e)'
---
python3 -c 'import subprocess as s
try: s.run(["true"], cwd="/nowhere")
except OSError as e: print(e)'
---
python3 -c 'import subprocess as s
try: s.run(["sleep","5"], timeout=0.1)
except s.TimeoutExpired as e: print(e.cmd)'
---
python3 -c 'import subprocess as s
p = s.Popen(["sleep","5"]); p.terminate(); print(p.wait(), p.returncode)
p = s.Popen(["sleep","5"]); p.kill(); print(p.wait())
p = s.Popen(["sleep","5"]); print(p.poll()); p.send_signal(10); print(p.wait())'
---
python3 -c 'import subprocess as s; p = s.Popen("cat; echo e >&2", shell=True, stdin=s.PIPE, stdout=s.PIPE, stderr=s.PIPE); print(p.communicate(b"x"*200000)[1], p.returncode)'
---
python3 -c 'import subprocess as s; p = s.Popen(["cat"], stdin=s.PIPE, stdout=s.PIPE, text=True, bufsize=1); p.stdin.write("l\n"); p.stdin.flush(); print(p.stdout.readline()); p.stdin.close(); print(p.wait())'
---
python3 -c 'import subprocess as s; a = s.Popen(["seq","5"], stdout=s.PIPE); b = s.Popen(["tail","-2"], stdin=a.stdout, stdout=s.PIPE); a.stdout.close(); print(b.communicate()[0])'
---
python3 -c 'import subprocess as s; print(s.run(["env"], env={"A":"1"}, capture_output=True).stdout)'
---
python3 -c 'import subprocess as s; print(s.run(["pwd"], cwd="/usr", capture_output=True).stdout)'
---
python3 -c 'import subprocess as s; print(s.getoutput("echo a; echo b >&2"), s.getstatusoutput("exit 3"))'
---
python3 -c 'import subprocess as s; print(s.run("kill -9 $$", shell=True).returncode, s.run("kill -TERM $$", shell=True))'
---
python3 -c 'import subprocess as s, sys; print(s.run([sys.executable, "-c", "import sys; print(sys.stdin.read()); sys.exit(4)"], input="nested", text=True, capture_output=True))' | sed 's:/[^ ]*python3[.0-9]*:python3:'
---
python3 -c 'import subprocess as s; s.run(["sh","-c","echo direct; echo err >&2"])' 2>&1
---
python3 -c 'print("buffered"); import subprocess as s; s.run(["echo","child"])'
---
python3 -c 'print("flushed", flush=True); import subprocess as s; s.run(["echo","child"])'
---
python3 -c 'import subprocess as s; f=open("o","w"); s.run(["echo","x"], stdout=f); f.close(); print(open("o").read()); print(s.run(["cat"], stdin=open("o"), capture_output=True).stdout); s.run(["ls","/"], stdout=s.DEVNULL)'
---
python3 -c 'import os; r, w = os.pipe(); os.write(w, b"abc"); os.close(w); print(os.read(r, 10), os.read(r, 10))'
---
python3 -c 'import os, subprocess as s; r, w = os.pipe(); s.run(f"echo via {w} >&{w}", shell=True, pass_fds=[w]); os.close(w); print(os.read(r, 100).startswith(b"via"))'
---
python3 -c 'import os; fd = os.open("f", os.O_CREAT|os.O_RDWR); os.dup2(fd, 1); print("to file", flush=True)'; cat f
---
python3 -c 'import os; pid = os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", "exit 6"); print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))'
---
python3 -c 'import os; pid = os.posix_spawn("/bin/sh", ["sh","-c","echo spawned; exit 2"], os.environ); print(os.waitpid(pid,0)[1])'
---
python3 -c 'import os; print(os.spawnvp(os.P_WAIT, "false", ["false"]))'
---
python3 -c 'import os; os.execvp("echo", ["echo", "replaced"])'
---
python3 -c 'import os; os.execvpe("sh", ["sh","-c","echo $A"], {"A":"env","PATH":"/bin"})'
---
python3 -c 'import os
try: os.execv("/nowhere", ["x"])
except OSError as e: print(e)'
---
python3 -c 'import os, signal; os.kill(os.getpid(), signal.SIGTERM)'; echo $?
---
python3 -c 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)'; echo $?
---
python3 -c 'import os; os.abort()' 2>/dev/null; echo $?
---
python3 -c 'import os, signal; signal.signal(signal.SIGTERM, lambda s, f: print("handled", s)); os.kill(os.getpid(), 15); print("after")'
---
python3 -c 'import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.getsignal(signal.SIGPIPE), signal.getsignal(signal.SIGTERM))'
---
python3 -c 'import signal, time; signal.signal(signal.SIGALRM, lambda *a: print("alarm")); signal.setitimer(signal.ITIMER_REAL, 0.05); time.sleep(0.2); print("slept")'
---
python3 -c 'import signal
def h(*a): raise TimeoutError("late")
signal.signal(signal.SIGALRM, h); signal.setitimer(signal.ITIMER_REAL, 0.05)
def loop():
  while True: pass
try: loop()
except TimeoutError as e: print(e)'
---
python3 -c 'import signal
n = 0
def h(*a):
  global n
  n += 1
signal.signal(signal.SIGUSR1, h)
import os, subprocess
subprocess.Popen(["sh","-c",f"kill -USR1 {os.getpid()}"])
while not n: pass
print(n)'
---
python3 -c 'while True: pass' & sleep 0.5; kill $!; wait $!; echo $?
---
timeout 0.3 python3 -c 'while True: pass'; echo $?
---
timeout -s INT 0.5 python3 -c 'import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
def loop():
  while True: pass
try: loop()
except KeyboardInterrupt: print("interrupted")'; echo $?
---
python3 -c 'import time, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
try: time.sleep(9)
except KeyboardInterrupt: print("interrupted")' & sleep 0.5; kill -INT $!; wait $!; echo $?
---
python3 -c 'import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); signal.raise_signal(2); print("ignored")'
---
python3 -c 'import signal
try: signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt: print("raised")'
---
python3 -c 'import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])); signal.raise_signal(10); print(signal.sigpending() == {10})'
---
python3 -c 'import signal; print(signal.strsignal(9), signal.Signals(15).name, signal.Signals.SIGINT, len(signal.valid_signals()) > 60)'
---
python3 -c 'import os; print(os.getppid() > 0, os.getpgrp() == os.getpgid(0), os.getsid(0) > 0)'
---
python3 -c 'import os; print(os.cpu_count() > 0, os.getloadavg() is not None, os.umask(0o22), oct(os.umask(0o77)))'
---
python3 -c 'import os
try: os.kill(999999, 0)
except ProcessLookupError as e: print(e)'
---
python3 -c 'import os
try: os.waitpid(-1, 0)
except ChildProcessError as e: print(e)'
---
python3 -c 'import os; print(os.get_terminal_size.__name__)
try: os.get_terminal_size(0)
except OSError as e: print(type(e).__name__)' < /dev/null
---
python3 -c 'import shutil; print(shutil.get_terminal_size((70, 20)), shutil.which("sh") is not None, shutil.which("nosuch"))'
---
python3 -c 'import os; print(os.environ["HOME"]); os.environ["Q"] = "1"; os.system("echo $Q"); os.unsetenv("Q"); os.system("echo [$Q]")'
---
python3 -c 'import resource; s, h = resource.getrlimit(resource.RLIMIT_NOFILE); resource.setrlimit(resource.RLIMIT_NOFILE, (20, h)); l = []
try:
  while True: l.append(open("/dev/null"))
except OSError as e: print(e.errno, e.strerror, 10 < len(l) <= 20)'
---
python3 -c 'import fcntl, os; r, w = os.pipe(); print(fcntl.fcntl(r, fcntl.F_GETFD), fcntl.fcntl(r, fcntl.F_GETFL) & os.O_NONBLOCK); os.set_blocking(r, False)
try: os.read(r, 1)
except BlockingIOError as e: print(e)'
---
python3 -c 'import select, os; r, w = os.pipe(); print(select.select([r], [w], [], 0)[0], select.select([r], [w], [], 0)[1] == [w]); os.write(w, b"x"); print(select.select([r], [], [], 1)[0] == [r])'
---
python3 -c 'import select, os; r, w = os.pipe(); p = select.poll(); p.register(r, select.POLLIN); print(p.poll(10)); os.write(w, b"x"); print(p.poll(10) == [(r, select.POLLIN)]); os.close(w); os.read(r, 9); print(p.poll(10) == [(r, select.POLLHUP)])'
---
python3 -c 'import selectors, os; s = selectors.DefaultSelector(); r, w = os.pipe(); s.register(r, selectors.EVENT_READ, "d"); os.write(w, b"1"); print([(k.data, e) for k, e in s.select()])'
---
timeout -s INT 0.5 python3 -c 'while True: pass' 2>/dev/null; echo $?
---
#py
import os, signal, subprocess, sys, threading, time
def attempt(f, *a):
    try: return f(*a)
    except Exception as x: return type(x).__name__, str(x)
c = subprocess.Popen(["sh", "-c", "exit 3"]); i = os.waitid(os.P_PID, c.pid, os.WEXITED | os.WNOWAIT); print(i.si_status, i.si_code == os.CLD_EXITED, i.si_pid == c.pid, i.si_signo, i.si_uid == os.getuid(), repr(i).split("=")[0])
print(os.kill(c.pid, 0), os.kill(c.pid, 9), attempt(os.kill, c.pid, 99), os.waitid(os.P_PID, c.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT).si_status, c.wait(), attempt(os.waitid, os.P_PID, c.pid, os.WEXITED))
c = subprocess.Popen(["sleep", "9"]); print(os.waitid(os.P_PID, c.pid, os.WEXITED | os.WNOHANG)); c.kill(); i = os.waitid(os.P_ALL, 0, os.WEXITED); print(i.si_status, i.si_code == os.CLD_KILLED)
c = subprocess.Popen(["true"]); os.waitid(os.P_PID, c.pid, os.WEXITED | os.WNOWAIT); print(os.waitpid(-1, os.WNOHANG) == (c.pid, 0), attempt(os.waitpid, -1, 0))
c = subprocess.Popen(["true"]); os.waitid(os.P_PID, c.pid, os.WEXITED | os.WNOWAIT); print(os.waitpid(0, 0) == (c.pid, 0), attempt(os.waitid, 9, 0, os.WEXITED), attempt(os.waitid, os.P_PID, 1 << 20, 0))
c = subprocess.Popen(["sleep", "0.1"]); t = threading.Thread(target=lambda: print(os.waitid(os.P_PID, c.pid, os.WEXITED | os.WNOWAIT).si_status)); t.start(); t.join(); print(c.wait())
---
#py
import os, subprocess, sys
for f in os.setsid, os.setpgrp: print(subprocess.run([sys.executable, "-c", "import os; print(os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid())"], preexec_fn=f, stdout=subprocess.PIPE).stdout)
def attempt(f, *a):
    try: return f(*a)
    except Exception as x: return type(x).__name__, str(x)
print(os.setuid(os.getuid()), os.setgid(os.getgid()), os.setreuid(-1, -1), os.setresgid(-1, -1, -1), os.setegid(os.getgid()), attempt(os.setuid, "x"), attempt(os.setgid, -2), os.getgrouplist("nobody", 5)[:1], attempt(os.chroot, "missing"))
print(os.getpriority(os.PRIO_PROCESS, 0), os.nice(2), os.getpriority(os.PRIO_PROCESS, os.getpid()), os.setpriority(os.PRIO_PROCESS, 0, 7), os.nice(0), os.nice(99), attempt(os.getpriority, 7, 0), attempt(os.tcgetpgrp, 0), attempt(os.tcsetpgrp, 99, 1))
---
#py
import os, signal, sys, threading, time
signal.signal(signal.SIGUSR1, lambda n, f: print("got", n, threading.current_thread() is threading.main_thread())); signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
t = threading.Thread(target=signal.pthread_kill, args=(threading.main_thread().ident, signal.SIGUSR1)); t.start(); t.join(); time.sleep(0.01)
try: signal.pthread_kill(threading.get_ident(), 99)
except OSError as e: print(e)
print(signal.pthread_kill(threading.get_ident(), 0), signal.pthread_kill); signal.signal(signal.SIGUSR1, signal.SIG_DFL); sys.stdout.flush()
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
