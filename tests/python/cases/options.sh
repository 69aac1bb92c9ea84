python3 -c 'print(1)'
---
python3 -c 'import sys; print(sys.argv)' a -b --c
---
python3 -c 'import sys; sys.exit(3)'
---
python3 -c 'import sys; sys.exit("message")' 2>&1
---
python3 -c 'import sys; sys.exit(None)'
---
python3 -c 'import sys; sys.exit(256+7)'
---
python3 -c 'import sys; sys.exit(-1)'
---
python3 -c 'import sys; sys.exit((1,2))' 2>&1
---
python3 -c 'raise SystemExit'
---
python3 -c 'raise SystemExit(True)'
---
python3 -c 'import os; os._exit(9)'
---
python3 -c 'import os, sys; sys.stdout.write("lost"); os._exit(0)'
---
python3 -c 'raise KeyboardInterrupt' 2>/dev/null
---
python3 -c '1/0' 2>/dev/null
---
python3 -c 'x =' 2>/dev/null
---
python3 -c ''
---
python3 -c
---
python3 -m
---
python3 -m nosuchmodule 2>&1
---
python3 -m nosuch.module 2>&1
---
python3 -m json 2>/dev/null; echo $?
---
python3 nosuchfile.py 2>/dev/null; echo $?
---
mkdir d; python3 d 2>&1 | sed "s:$PWD::; s:^/usr/bin/::"; echo ${PIPESTATUS[0]}
---
mkdir d; echo 'import sys; print(__name__, sys.argv, sys.path[0]==sys.argv[0], __package__ == "")' > d/__main__.py; python3 d x y
---
mkdir d; echo 'import helper; print(helper.A)' > d/__main__.py; echo 'A=7' > d/helper.py; python3 d
---
mkdir d; echo 'print(__name__, __file__.endswith("__main__.py"))' > d/__main__.py; (cd d; python3 -m zipfile -c ../z.zip __main__.py); python3 z.zip; python3 ./z.zip a
---
echo 'print(__name__)' > m.py; python3 -m m; python3 m.py; python3 -c 'import m'
---
mkdir -p p/q; echo 'print(__name__, __package__)' > p/q/__main__.py; python3 -m p.q; cd p; python3 -m q
---
echo 'import sys; print(sys.argv[1:], sys.flags.optimize, __debug__)' > a.py; python3 a.py -O x; python3 -O a.py; python3 -OO a.py -c
---
echo 'print(5)' | python3; echo 'print(6)' | python3 -; echo 'import sys; print(sys.argv)' | python3 - a b
---
echo 'import sys; print(repr(sys.stdin.read()))' > a.py; printf 'in\0put\n' | python3 a.py
---
printf 'print(input())\ninput line\n' | python3
---
printf 'x=1\nif x:\n  print("y")\n' | python3
---
printf 'def f():\n\treturn 1\nprint(f())' | python3
---
printf '#!/usr/bin/env python3\nimport sys\nprint("script", sys.argv[1:])\n' > s; chmod +x s; ./s 1 2
---
printf '#!/usr/bin/python3\nprint("direct")\n' > s; chmod +x s; ./s
---
printf '#!/usr/bin/python3 -O\nprint(__debug__)\n' > s; chmod +x s; ./s
---
printf '#!/usr/bin/env -S python3 -O -u\nprint(__debug__)\n' > s; chmod +x s; ./s
---
printf 'not python\nprint(2)\n' > s.py; python3 -x s.py
---
python3 -V | sed 's/[0-9].*//'; python3 --version | sed 's/[0-9].*//'
---
python3 -VV | wc -l
---
python3 -h | head -1 | grep -o 'usage: '; python3 --help > /dev/null; echo $?
---
python3 -Z 2>/dev/null; echo $?
---
python3 -Z 2>&1 | head -1
---
python3 --nosuch 2>&1 | head -1; python3 --nosuch 2>/dev/null; echo $?
---
python3 -c 'import sys; print(sys.flags.isolated, sys.flags.no_user_site, sys.flags.ignore_environment, sys.flags.safe_path)'
---
python3 -I -c 'import sys; print(sys.flags.isolated, sys.flags.no_user_site, sys.flags.ignore_environment, sys.flags.safe_path, "" in sys.path)'
---
python3 -E -c 'import sys; print(sys.flags.ignore_environment)'
---
PYTHONPATH=/nowhere python3 -E -c 'import sys; print("/nowhere" in sys.path)'; PYTHONPATH=/nowhere python3 -c 'import sys; print("/nowhere" in sys.path)'
---
PYTHONPATH=/a:/b python3 -c 'import sys; print(sys.path[:3])'
---
PYTHONPATH=/a:/b python3 -I -c 'import sys; print("/a" in sys.path)'
---
python3 -S -c 'import sys; print("site" in sys.modules, sys.flags.no_site)'
---
python3 -s -c 'import sys, site; print(sys.flags.no_user_site, site.ENABLE_USER_SITE)'
---
python3 -P -c 'import sys; print("" in sys.path, sys.flags.safe_path)'; PYTHONSAFEPATH=1 python3 -c 'import sys; print("" in sys.path)'
---
python3 -B -c 'import sys; print(sys.dont_write_bytecode)'; PYTHONDONTWRITEBYTECODE=x python3 -c 'import sys; print(sys.dont_write_bytecode)'; python3 -c 'import sys; print(sys.dont_write_bytecode)'
---
python3 -u -c 'import sys; sys.stdout.write("a"); sys.stderr.write("b"); sys.stdout.write("c")' 2>&1
---
python3 -c 'import sys; sys.stdout.write("a"); sys.stderr.write("b"); sys.stdout.write("c")' 2>&1
---
PYTHONUNBUFFERED=1 python3 -c 'import sys; sys.stdout.write("a"); sys.stderr.write("b"); sys.stdout.write("c")' 2>&1
---
python3 -c 'import sys; print(sys.stdout.line_buffering, sys.stderr.line_buffering, sys.stdout.write_through)'
---
python3 -u -c 'import sys; print(sys.stdout.line_buffering, sys.stdout.write_through)'
---
python3 -O -c 'assert 0; print("kept")'; python3 -c 'assert 0' 2>/dev/null; echo $?
---
PYTHONOPTIMIZE=1 python3 -c 'assert 0; print("kept")'; PYTHONOPTIMIZE=1 python3 -E -c 'print(__debug__)'
---
python3 -OO -c 'def f(): "doc"
print(f.__doc__)'
---
python3 -W error -c 'import warnings; warnings.warn("x")' 2>&1 | tail -1
---
python3 -W ignore -c 'import warnings; warnings.warn("x")' 2>&1
---
python3 -W default::DeprecationWarning -c 'import warnings; warnings.warn("old", DeprecationWarning)' 2>&1 | sed 's/.*: Dep/Dep/'
---
python3 -c 'import warnings; warnings.warn("w"); print("after")' 2>/dev/null
---
PYTHONWARNINGS=error python3 -c 'import warnings; warnings.warn("x")' 2>/dev/null; echo $?
---
python3 -Wonce -c 'import warnings, sys; print(sys.warnoptions)'; python3 -W bad -c 1 2>&1
---
python3 -X utf8 -c 'import sys; print(sys.flags.utf8_mode, sys._xoptions)'
---
python3 -X a=b -Xc -c 'import sys; print(sys._xoptions)'
---
python3 -X dev -c 'import sys; print(sys.flags.dev_mode)'
---
python3 -X int_max_str_digits=700 -c 'import sys; print(sys.get_int_max_str_digits())'
---
python3 -v -c 'print("x")' 2>/dev/null
---
python3 -q -c 'print(1)'
---
python3 -d -c 'print(1)'
---
python3 -Bsu -c 'import sys; print(sys.dont_write_bytecode, sys.flags.no_user_site)'
---
python3 -cprint\(5\)
---
python3 -mjson.tool <<< '[1]'
---
python3 -ic 'print(1)' <<< 'print(2)' 2>/dev/null
---
python3 -i -c 'x=5' <<< 'x+1' 2>/dev/null
---
python3 -i -q <<< '1+1
print("a")
for i in range(2):
  i

' 2>/dev/null
---
python3 -i -c '1/0' <<< 'print("still")' 2>/dev/null; echo $?
---
PYTHONINSPECT=1 python3 -c 'print(1)' <<< 'print(2)' 2>/dev/null
---
python3 -i <<< 'exit(4)' 2>/dev/null; echo $?
---
python3 -- /dev/stdin <<< 'print(3)'
---
python3 /dev/stdin a <<< 'import sys; print(sys.argv)'
---
python3 <(echo 'print("fd")')
---
python3 -c 'import sys; print(sys.orig_argv)' a
---
python3 -c 'import sys; print(sys.executable, sys.prefix, sys.base_prefix)'
---
python3 -c 'import sys; print(repr(sys.path[0]))'; echo 'import sys,os; print(sys.path[0]==os.getcwd())' > a.py; python3 a.py; python3 ./a.py
---
mkdir d; echo 'import sys,os; print(os.path.basename(sys.path[0]))' > d/a.py; ln -s d/a.py l.py; python3 l.py; python3 d/a.py
---
python3 -c 'print(__name__, __file__)' 2>&1 | tail -1
---
python3 -c 'import __main__; print(hasattr(__main__, "__file__"), __spec__, __package__)'
---
echo 'X=1' > mod.py; python3 -c 'import mod'; ls __pycache__ | wc -l; python3 -B -c 'import mod'
---
echo 'X=1' > mod.py; PYTHONPYCACHEPREFIX=$PWD/cache python3 -c 'import mod'; ls -d __pycache__ 2>/dev/null; ls -d cache
---
echo 'print("startup")' > st; PYTHONSTARTUP=$PWD/st python3 -i -q <<< 'print(1)' 2>/dev/null
---
PYTHONHASHSEED=nonsense python3 -c 1 2>/dev/null; echo $?
---
PYTHONIOENCODING=latin-1 python3 -c 'print("é")' | od -An -tx1
---
PYTHONIOENCODING=ascii:replace python3 -c 'print("é")'
---
python3 -c 'print("é", "\udc80")' | od -An -tx1
---
python3 -c 'import sys; print(sys.argv[1].encode("utf-8","surrogateescape"))' $'\xff'
---
python3 -c 'import sys; print(sys.stdin.encoding, sys.stdout.encoding, sys.stdin.errors, sys.stdout.errors, sys.stderr.errors, sys.getfilesystemencoding())'
---
LC_ALL=C python3 -c 'import sys; print(sys.stdin.encoding, sys.stdout.errors)'
---
python3 -c 'print("x")' > /dev/full; echo $?
---
python3 -c 'print("x")' >&-; echo $?
---
python3 -c 'import sys; print(sys.stdin)' <&-
---
python3 -c 'import sys; print(sys.stderr)' 2>&-
---
python3 -c 'import sys; print("a", file=sys.stderr)' 2>&- ; echo $?
---
python3 -c 'import sys; sys.stdout.close()'; echo $?
---
python3 -c 'import atexit; atexit.register(print, "bye"); print("hi"); raise SystemExit(2)'
---
python3 -c 'import atexit; atexit.register(lambda: 1/0); print("hi")' 2>/dev/null; echo $?
---
python3 -c 'import sys; sys.excepthook = lambda t, e, tb: print("hook", t.__name__, e); 1/0'
---
python3 -c 'import sys; sys.excepthook = lambda *a: sys.exit(8); 1/0'
---
python3 -c 'class A:
  def __del__(self): print("del")
a = A()'
---
python3 -c 'import sys; sys.tracebacklimit=0; 1/0' 2>&1
---
python3 -c 'import sys; print(sys.getrecursionlimit(), sys.getswitchinterval(), sys.getrefcount is not None)'
---
python3 -c 'exit(3)'; echo $?; python3 -c 'quit()'; echo $?
---
python3 -c 'print(exit, copyright is not None)' | head -1 | cut -c1-20
---
py=$(python3 -c 'import sys; print(sys.executable)')
for a in -B -I "-X utf8" "-X utf8=0"; do for e in A= LC_ALL=C LANG=C LANG=de_DE.UTF-8 LC_CTYPE=C "LC_CTYPE=POSIX LANG=C.UTF-8" PYTHONCOERCECLOCALE=0 "LANG=C PYTHONCOERCECLOCALE=warn" LC_ALL=C.UTF-8 LANG=C.utf8 PYTHONUTF8=1 PYTHONUTF8=0 LANG= "LC_ALL= LANG=C"; do echo "[$a] [$e] $(env -i $e $py $a -c 'import os,sys; print({k:v for k,v in os.environ.items() if k[0]=="L"}, sys.flags.utf8_mode); os.system("echo $LC_CTYPE")' 2>&1)"; done; done
---
python3 -b -c 'import sys; print(str(b"a"), b"a" == "a", bytearray(b"a") == "a", sys.flags.bytes_warning, sys.warnoptions)' 2>&1 | grep -v '^  '
---
for program in 'b"a" == "a"' 'str(b"a")' '{b"a": 1, "a": 2}' 'print("%s" % b"a")'; do python3 -bb -c "$program" 2>&1 | tail -1; done
---
python3 -b -W ignore -c 'import sys; str(b"a"); print(sys.warnoptions)' 2>/dev/null; PYTHONWARNINGS=ignore,error python3 -X dev -W default -b -c 'import sys, warnings; print(sys.warnoptions); print([f[0] for f in warnings.filters][:5])'
---
python3 -X dev -c 'import faulthandler, sys; print(faulthandler.is_enabled(), sys.warnoptions)'; PYTHONFAULTHANDLER=1 python3 -c 'import faulthandler; print(faulthandler.is_enabled())'; python3 -c 'import faulthandler; print(faulthandler.is_enabled())'
---
python3 -X dev -c 'f = open("/dev/null"); f = None' 2>&1 | grep -v '^  ' | sed 's/UTF/utf/'; python3 -W error -c 'open("/dev/null", "rb").read()' 2>&1 | grep -c ResourceWarning
---
python3 -X no_debug_ranges -c 'def f(): return (1)/0
f()' 2>&1 | grep -c '\^'; python3 -X importtime -c 'import this' 2>&1 >/dev/null | awk -F'|' '{print $3}' | tail -1; python3 -X importtime -c 'import this' 2>&1 >/dev/null | awk -F'|' 'NR==1{print $3}'
---
python3 -X tracemalloc -c 'import tracemalloc; print(tracemalloc.is_tracing(), tracemalloc.get_traceback_limit())'; PYTHONTRACEMALLOC=7 python3 -c 'import tracemalloc; print(tracemalloc.get_traceback_limit())'; python3 -X tracemalloc=0 -c 'import tracemalloc; print(tracemalloc.is_tracing())'; python3 -X tracemalloc=x -c 1 2>&1; echo $?
---
python3 -X warn_default_encoding -c 'open("/dev/null"); open("/dev/null", "rb", 0).close(); open("/dev/null", encoding="utf-8"); import sys; print(sys.flags.warn_default_encoding)' 2>&1 | grep -v '^  '
---
python3 -O -c 'exec("assert 0"); print(eval("__debug__"), compile("assert 0", "x", "exec").co_consts)'; echo 'assert 0; print(__debug__)' > m.py; python3 -O -m m; python3 -OO -c 'import m'; ls __pycache__ | sed 's/cpython-[0-9]*/V/'
---
for arguments in '--check-hash-based-pycs x -c 1' --check-hash-based-pycs -J -W -X '-X utf8=x -c 1' '-X utf8=2 -c 1'; do python3 $arguments 2>&1 | head -1; done; python3 -R -t -c 'print("fine")'; PYTHONUTF8=x python3 -c 1 2>&1 | head -1
---
echo 'X = 1' > m.py; python3 -m py_compile --help >/dev/null; python3 -m compileall -q --invalidation-mode unchecked-hash m.py; echo 'X = 2' > m.py; for how in always never default; do python3 --check-hash-based-pycs $how -c 'import m; print(m.X)'; done
---
echo 'X = 1' > m.py; python3 -v -c 'import m' 2>&1 | grep -E "m\.py|'m'" | sed 's/0x[0-9a-f]*/ADDRESS/; s/cpython-[0-9]*/V/; s:from .*/m.py:from m.py:; s:/.*/m.py:m.py:; s:/.*__pyc:__pyc:'
