#!/usr/bin/env python3
"""Random bash scripts, run in the machine's bash and in another shell: what differs is made small and printed.

    generate.py --shell PATH [--seed N] [--count N] [--minutes M]    compare
    generate.py --emit N [--seed N] [--shell PATH]                   write generated/scripts.cases

PATH is a native build of the shell, or a command that ends in `exec` (`sandshell exec`), which gets the directory by
`--mount`. A seed gives the same scripts on every machine. The grammar below makes only scripts that end and whose
output does not depend on time, process numbers or on which of two processes is faster: loops count, functions call only
those defined before, and whoever reads a pipe reads all of it.

Each script runs in a fresh directory that generated/setup.sh filled. Compared are standard output, the exit status, the
files afterwards, and the lines of standard error (in any order: two processes may both write). A differing script is
cut down, first by lines, then by words, as long as the same things differ.

`--emit` writes scripts whose answers are the same in several runs; record.py then records them as it does all cases.
With `--shell`, those that this shell does not answer alike are left out and printed.
"""

import argparse
import atexit
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 5
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/home/user",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shell", help="the shell to compare with bash")
    parser.add_argument("--seed", type=int, default=1, help="the first seed; each script has one of its own")
    parser.add_argument("--count", type=int, default=1000, help="how many scripts")
    parser.add_argument("--minutes", type=float, help="stop after this time")
    parser.add_argument("--emit", type=int, metavar="N", help="write N scripts as cases")
    parser.add_argument("--show", action="store_true", help="print the scripts and run nothing")
    parser.add_argument("--keep-going", action="store_true", help="do not make differing scripts small")
    options = parser.parse_args()
    if options.show:
        for seed in range(options.seed, options.seed + options.count):
            print(f"# seed {seed}\n{Script(seed).text()}")
        return 0
    real = Shell("bash")
    ours = Shell(options.shell) if options.shell else None
    if options.emit:
        return emit(options, real, ours)
    if ours is None:
        parser.error("--shell is needed")
    return compare(options, real, ours)


def compare(options, real, ours):
    end = time.monotonic() + options.minutes * 60 if options.minutes else None
    ran = differing = 0
    for seed in range(options.seed, options.seed + options.count):
        if end and time.monotonic() > end:
            break
        ran += 1
        script = Script(seed).text()
        fields = difference(script, real, ours)
        if not fields:
            continue
        differing += 1
        if not options.keep_going:
            script = minimised(script, lambda s: difference(s, real, ours) == fields)
        print(f"# seed {seed} differs in {', '.join(fields)}\n{script}")
        answers = real.run(script), ours.run(script)
        for field in fields:
            print(f"#   {field:6} bash {answers[0][field]!r}\n#          ours {answers[1][field]!r}")
        print(flush=True)
    print(f"{ran - differing} of {ran} scripts are equal")
    return 1 if differing else 0


def emit(options, real, ours):
    cases, seed = [], options.seed - 1
    while len(cases) < options.emit:
        seed += 1
        script = Script(seed).text()
        answer = real.run(script, ordered=True)
        if answer["status"] == "timeout" or any(real.run(script, ordered=True) != answer for _ in range(2)):
            continue
        if ours and any(ours.run(script, ordered=True) != answer for _ in range(2)):
            print(f"# seed {seed} is left out\n{script}")
            continue
        guarded = "\n".join("\\" + l if l.startswith(("===", "---", "\\")) else l for l in script.split("\n"))
        cases.append(f"=== seed {seed}\n{guarded}\n")
    head = "# Written by generate.py --emit, which says what these are.\n\n"
    (HERE / "generated" / "scripts.cases").write_text(head + "\n".join(cases))
    return 0


class Shell:
    """A shell to run scripts in."""

    def __init__(self, command):
        self.words = shlex.split(command)
        self.sandbox = self.words[-1] == "exec"
        if not self.sandbox and "/" in self.words[0]:
            # User 1000 must be able to read it.
            copy = tempfile.mkdtemp()
            atexit.register(shutil.rmtree, copy)
            os.chmod(copy, 0o755)
            self.words[0] = shutil.copy(Path(self.words[0]).resolve(), copy)

    def run(self, script, ordered=False):
        """The results of a script: status, out, err and files."""
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory) / "workspace"
            place.mkdir()
            user = {}
            if os.getuid() == 0:
                os.chmod(directory, 0o755)
                os.chown(place, 1000, 1000)
                user = {"user": 1000, "group": 1000, "extra_groups": []}
            setup = ["/bin/bash", str(HERE / "generated" / "setup.sh")]
            subprocess.run(setup, cwd=place, check=True, env=ENVIRONMENT, stdin=open(setup[1]), **user)
            if self.sandbox:
                command = [*self.words, "--mount", f"{place}:/workspace:rw", script]
            else:
                command = ["/bin/bash", "-c", 'exec -a bash "$0" -c -- "$1"', *self.words, script]
            done = subprocess.Popen(
                command,
                cwd=place,
                env=ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                **({} if self.sandbox else user),
            )
            try:
                out, err = done.communicate(timeout=SECONDS)
                status = done.returncode if done.returncode >= 0 else 128 - done.returncode
            except subprocess.TimeoutExpired:
                subprocess.run(["pkill", "-KILL", "--session", str(done.pid)], check=False)
                done.communicate()
                return {"status": "timeout", "out": b"", "err": [], "files": {}}
            files = {str(p.relative_to(place)): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}
            out = out.replace(bytes(place), b"/workspace")
            err = err.replace(bytes(place), b"/workspace")
            lines = err.split(b"\n")
            return {"status": status, "out": out, "err": lines if ordered else sorted(lines), "files": files}


def difference(script, real, ours):
    """The names of the fields that differ. Empty if bash itself timed out."""
    a, b = real.run(script), ours.run(script)
    if a["status"] == "timeout":
        return []
    return [field for field in a if a[field] != b[field]]


def minimised(script, differs):
    """The script reduced, first by lines and then by words, as long as it still differs; with a limit of attempts."""
    attempts = 250
    for split, join in ((lambda s: s.split("\n"), "\n".join), (lambda s: re.findall(r"\S+\s*", s), "".join)):
        parts = split(script)
        size = max(1, len(parts) // 2)
        while size and attempts > 0:
            at, smaller = 0, False
            while at < len(parts) and attempts > 0:
                attempts -= 1
                candidate = parts[:at] + parts[at + size :]
                if candidate and differs(join(candidate)):
                    parts, smaller = candidate, True
                else:
                    at += size
            if not smaller or size > 1:
                size = size // 2 if size > 1 else 0
        script = join(parts)
    return script


NAMES = ["a", "b", "c", "v", "w"]
ARRAYS = ["arr", "list"]
MAPS = ["map"]
FILES = ["f1", "f2", "f3"]
READ = ["fruit", "fields", "bare", "empty", "sub/one.txt", "f1", "f2"]
TEXTS = [
    "x", "foo", "bar baz", "a b  c", "", "*", "f*", "3", "12", "-5", "08", "a:b:c", "é", "tab\there", "it's", 'say "hi"',
    "back\\slash", "$a", "[x]", "A-B", "hello world", "foo.txt", "/usr/lib/x.so", "1 2 3", "=", "-n", "%s", "{a,b}", "~",
]  # fmt: skip
PATTERNS = ["*", "f*", "?", "[a-c]*", "*o*", "[!x]*", "*.txt", "foo", "[[:digit:]]*", "a?b", "*[ ]*", "'*'", "x|y"]


class Script:
    """One random script."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.functions = []
        self.in_function = self.in_loop = 0
        self.loops = self.documents = 0
        self.budget = self.r.choice([6, 10, 16, 24])

    def text(self):
        lines = self.prologue()
        while self.budget > 0:
            lines += self.statement(3)
        lines += self.pick([[], ['echo "end $?"'], ["declare -p a b arr map 2>&1"], ["exit $?"]])
        return "\n".join(lines)

    def pick(self, options):
        return self.r.choice(options)

    def chance(self, p):
        return self.r.random() < p

    def prologue(self):
        lines = []
        for option in ["set -e", "set -u", "set -o pipefail", "set -f", "set -x", "set -E", "set -T", "set -C", "set -a"]:
            if self.chance(0.07):
                lines.append(option)
        for option in ["nullglob", "extglob", "dotglob", "nocasematch", "lastpipe", "inherit_errexit", "failglob"]:
            if self.chance(0.05):
                lines.append(f"shopt -s {option}")
        if self.chance(0.5):
            lines.append(f"a={self.quoted()} b={self.quoted()}")
        if self.chance(0.4):
            lines.append(f"arr=({self.words(3)})")
        if self.chance(0.25):
            lines.append(f"declare -A map=([k]={self.quoted()} ['a b']={self.quoted()})")
        if self.chance(0.3):
            lines.append(f"set -- {self.words(3)}")
        return lines

    # Statements: lists of lines.

    def statement(self, depth):
        self.budget -= 1
        if depth <= 0 or self.chance(0.5):
            return [self.simple(depth)] if self.chance(0.9) else self.heredoc(depth)
        kind = self.pick(
            ["if", "for", "while", "case", "group", "subshell", "function", "call", "pipeline", "list", "list", "cfor",
             "until", "read_loop", "trap", "option", "eval", "source", "select", "list", "call", "pipeline", "coproc"]
        )  # fmt: skip
        return getattr(self, kind + "_statement")(depth - 1)

    def body(self, depth, most=3):
        lines = []
        for _ in range(self.r.randint(1, most)):
            lines += self.statement(depth)
        return ["  " + l if not self.documents_open(lines) else l for l in lines]

    def documents_open(self, lines):
        return any("<<" in l and "<<<" not in l for l in lines)

    def if_statement(self, depth):
        lines = [f"if {self.condition(depth)}; then", *self.body(depth)]
        if self.chance(0.3):
            lines += [f"elif {self.condition(depth)}; then", *self.body(depth)]
        if self.chance(0.5):
            lines += ["else", *self.body(depth)]
        return [*lines, "fi" + self.redirections(0.15)]

    def loop(self, heading, depth, tail=""):
        self.in_loop += 1
        lines = [heading, *self.body(depth)]
        self.in_loop -= 1
        return [*lines, "done" + tail + self.redirections(0.1)]

    def for_statement(self, depth):
        name = self.pick(NAMES + ["i"])
        values = self.pick([self.words(3), "{1..3}", '"$@"', f'"${{{self.pick(ARRAYS)}[@]}}"', "f*", "1 2"])
        if self.chance(0.1):
            return self.loop(f"for {name}; do", depth)
        return self.loop(f"for {name} in {values}; do", depth)

    def cfor_statement(self, depth):
        name = self.counter()
        return self.loop(f"for (({name} = 0; {name} < {self.r.randint(1, 3)}; {name}++)); do", depth)

    def counter(self):
        self.loops += 1
        return f"n{self.loops}"

    def counted(self, word, test, depth):
        name, most = self.counter(), self.r.randint(1, 3)
        self.in_loop += 1
        lines = [f"{name}=0", f"{word} [ ${name} {test} {most} ]; do", f"  {name}=$(({name} + 1))", *self.body(depth)]
        self.in_loop -= 1
        return [*lines, "done" + self.redirections(0.1)]

    def while_statement(self, depth):
        return self.counted("while", "-lt", depth)

    def until_statement(self, depth):
        return self.counted("until", "-ge", depth)

    def read_loop_statement(self, depth):
        options = self.pick(["-r ", "", "-r -d : ", "-ra arr; v=x", "-r a "])
        heading = f"while IFS={self.pick(['', ':', ' '])} read {options}{'' if ';' in options else 'v'}; do"
        self.in_loop += 1
        inner = ["  " + self.simple(0) for _ in range(self.r.randint(1, 2))]
        self.in_loop -= 1
        inner = [l for l in inner if "break" not in l and "exit" not in l and "return" not in l]
        source = self.pick([f" < {self.pick(READ)}", f" <<< {self.quoted()}", f" < <({self.producer()})"])
        return [heading, *inner, "  :", f"done{source}"]

    def select_statement(self, depth):
        return [f"PS3='? '; select v in {self.words(2)}; do echo \"$REPLY:$v\"; break; done <<< {self.pick(['1', '2', '9', 'x'])}"]

    def case_statement(self, depth):
        lines = [f"case {self.word()} in"]
        for _ in range(self.r.randint(1, 3)):
            lines += [f"  {self.pick(['', '('])}{self.pick(PATTERNS)})", *self.body(depth, 2)]
            lines.append("  " + self.pick([";;", ";;", ";;", ";&", ";;&"]))
        return [*lines, "esac"]

    def group_statement(self, depth):
        return ["{", *self.body(depth), "}" + self.redirections(0.4)]

    def subshell_statement(self, depth):
        loops, self.in_loop = self.in_loop, 0
        lines = ["(", *self.body(depth), ")" + self.redirections(0.3)]
        self.in_loop = loops
        return lines

    def function_statement(self, depth):
        name = f"fn{len(self.functions) + 1}"
        loops, self.in_loop = self.in_loop, 0
        self.in_function += 1
        lines = [self.pick([f"{name}() {{", f"function {name} {{"])]
        if self.chance(0.5):
            lines.append(f"  local {self.pick(NAMES)}={self.pick([self.quoted(), '$1', '$#'])}")
        lines += self.body(depth)
        if self.chance(0.3):
            lines.append(f"  return {self.pick(['', '0', '1', '3', '$?'])}")
        self.in_function -= 1
        self.in_loop = loops
        lines.append("}" + self.redirections(0.1))
        self.functions.append(name)
        return [*lines, f"{name} {self.words(2)}"]

    def call_statement(self, depth):
        if not self.functions:
            return [self.simple(depth)]
        # Only functions that were defined earlier are called, so that calls cannot be endless.
        return [f"{self.pick(self.functions)} {self.words(2)}{self.redirections(0.2)}"] if not self.in_function else [":"]

    def pipeline_statement(self, depth):
        stages = [self.pick([self.producer(), self.producer(), self.simple(0)])]
        for _ in range(self.r.randint(1, 2)):
            stages.append(self.consumer())
        lines = [self.pick(["", "", "", "! "]) + self.pick([" | ", " | ", " |& "]).join(stages)]
        if self.chance(0.4):
            lines.append('echo "${PIPESTATUS[@]}"')
        return lines

    def list_statement(self, depth):
        parts = [self.simple(0)]
        for _ in range(self.r.randint(1, 3)):
            parts += [self.pick([" && ", " || ", "; "]), self.pick(["! ", "", "", ""]) + self.simple(0)]
        return ["".join(parts)]

    def trap_statement(self, depth):
        signal = self.pick(["EXIT", "ERR", "DEBUG", "RETURN", "USR1", "EXIT", "ERR"])
        action = self.pick([f"echo {signal.lower()} $?", "echo $LINENO", "", f"echo t; {self.simple(0)}", "echo $BASH_COMMAND"])
        if signal in ("DEBUG", "RETURN") and self.chance(0.5):
            action = "echo trapped"
        lines = [f"trap {shlex.quote(action)} {signal}"]
        if signal == "USR1":
            # `set -x` would show the process ID of `$$`.
            lines.append("bash -c 'kill -USR1 $PPID'" if not self.in_function else ":")
        if self.chance(0.2):
            lines.append(self.pick(["trap", f"trap -p {signal}", f"trap - {signal}"]))
        return lines

    def option_statement(self, depth):
        return [self.pick(["set -e", "set +e", "set -u", "set +u", "set -o pipefail", "set +o pipefail", "set -x", "set +x",
            "set -f", "set +f", "shopt -s nullglob", "shopt -u nullglob", "shopt -s nocasematch", "set -o posix",
            "set +o posix", "shopt -s expand_aliases", "IFS=:", "IFS=", "unset IFS", "IFS=' '", "set -v", "set +v"])]  # fmt: skip

    def eval_statement(self, depth):
        return [f"eval {shlex.quote(chr(10).join(self.statement(depth)))}"]

    def source_statement(self, depth):
        inner = self.statement(0)
        if self.documents_open(inner):
            return inner
        return ["cat > lib.sh <<'LIB'", *inner, self.pick(["echo $BASH_SOURCE $LINENO", "return 3", ":"]), "LIB",
            f"{self.pick(['.', 'source'])} ./lib.sh {self.words(2)}"]  # fmt: skip

    def coproc_statement(self, depth):
        return ["coproc { cat; }", 'echo "to it" >&"${COPROC[1]}"', 'exec {COPROC[1]}>&-', 'read -r v <&"${COPROC[0]}"; echo "$v"', "wait"]

    def heredoc(self, depth):
        self.documents += 1
        mark = f"EOF{self.documents}"
        quote, dash = self.pick([mark, mark, f"'{mark}'", f"\\{mark}"]), self.pick(["", "", "-"])
        tabs = "\t" if dash else ""
        inside = [tabs + self.pick(["text", self.inner(), f"a {self.inner()} b", "$((1 + 2))", "\\$a `echo x`", '"q" $a'])
            for _ in range(self.r.randint(0, 3))]  # fmt: skip
        target = self.pick(["cat", "cat", "sort", f"cat > {self.pick(FILES)}", "tr a-z A-Z", "read -r v", "mapfile -t arr"])
        return [f"{target} <<{dash}{quote}", *inside, tabs + mark]

    # Single lines.

    def simple(self, depth):
        roll = self.r.random()
        if roll < 0.25:
            return f"echo {self.pick(['', '', '-n ', '-e '])}{self.words(3)}{self.redirections(0.2)}"
        if roll < 0.33:
            form = self.pick(["%s\\n", "[%s]\\n", "%s-%s\\n", "%q\\n", "%5s|%-5s|\\n", "%d\\n", "%b\\n", "%03d %x\\n"])
            return f"printf '{form}' {self.words(3)}{self.redirections(0.15)}"
        if roll < 0.45:
            return self.assignment()
        if roll < 0.5:
            return f"{self.pick(NAMES)}={self.quoted()} {self.pick(['env | grep ^a=', 'eval echo $a', 'bash -c ' + shlex.quote('echo $a-$b'), 'true'])}"
        if roll < 0.56:
            return f"(({self.arith(2)})){self.redirections(0.05)}"
        if roll < 0.62:
            return self.test()
        if roll < 0.68:
            return self.producer() + self.redirections(0.3)
        if roll < 0.72:
            return self.pick(['echo "$?"', 'echo "$#" "$*"', "echo $LINENO", 'echo "${FUNCNAME[@]}"', 'echo "${PIPESTATUS[@]}"', "echo $-", 'echo "$_"'])
        if roll < 0.76:
            return f"declare -p {self.pick(NAMES + ARRAYS + MAPS)}{self.pick(['', ' 2>/dev/null', ' 2>&1'])}"
        if roll < 0.80:
            return f"read {self.pick(['', '-r ', '-n 2 ', '-a arr '])}{self.pick(['a b', 'v', 'w'])} <<< {self.word()}"
        if roll < 0.83:
            return self.pick([f"mapfile -t arr < <({self.producer()})", "shift", "shift 2", f"set -- {self.words(3)}", f"printf -v {self.pick(NAMES)} '%s,' {self.words(2)}", "wait", f"getopts ab:c v {self.pick(['-a', '-b x', '-z', 'y'])}"])
        if roll < 0.86:
            return self.pick([f"unset {self.pick(NAMES + ARRAYS)}", "unset 'arr[0]'", f"export {self.pick(NAMES)}", f"let '{self.arith(1)}'", f"type -t {self.pick(['echo', 'cat', 'fn1', 'if'])}"])
        if roll < 0.89:
            return self.pick(["true", "false", ":", "nosuchcommand", "(exit 3)", "command false", "builtin echo b", "! true"])
        if roll < 0.92 and self.in_loop:
            return self.pick(["break", "continue", "[ $? -eq 0 ] && break", "false || continue"])
        if roll < 0.95 and self.in_function:
            return self.pick(["return", "return 2", f"local {self.pick(NAMES)}={self.word()}", "caller 0", "local -n v=a", 'local arr=(l "$@")'])
        if roll < 0.955:
            return self.pick(["exit", "exit 4", "exit $?"])
        if roll < 0.975:
            return self.pick(["cat < nofile", "echo x > nodir/f", f"exec 3> {self.pick(FILES)}; echo three >&3; exec 3>&-", "cat fruit 2>&1 >&2 | wc -l", f"echo a{{b,c}}{self.words(1)}"])
        return f"{self.pick(NAMES)}=$({self.producer()}); echo \"$? ${self.pick(NAMES)}\""

    def assignment(self):
        name = self.pick(NAMES)
        return self.pick([
            f"{name}={self.word()}", f"{name}={self.word()}", f"{name}+={self.quoted()}", f"{name}=$(({self.arith(2)}))",
            f"{self.pick(ARRAYS)}=({self.words(3)})", f"{self.pick(ARRAYS)}+=({self.words(2)})", f"arr[{self.r.randint(0, 4)}]={self.word()}",
            f"arr[-1]={self.quoted()}", f"declare -A map; map[{self.pick(['k', 'x y', '$a'])!r}]={self.word()}".replace("'$a'", "\"$a\""),
            f"declare -i {name}={self.r.randint(0, 9)}+2", f"declare -u {name}={self.quoted()}", f"declare -l {name}={self.quoted()}",
            f"export {name}={self.word()}", f"declare -a arr=([2]={self.quoted()} {self.quoted()})", f"readonly r={self.quoted()}",
            f"typeset {name}={self.word()}", f"{name}={self.quoted()} w={self.inner()}",
        ])  # fmt: skip

    def test(self):
        word, name = self.word(), self.pick(NAMES)
        return self.pick([
            f"[ {word} = {self.word()} ]", f"[ -n {word} ]", f"[ -z \"${name}\" ]", f"[[ {word} == {self.pick(PATTERNS[:-1])} ]]",
            f"[[ -n ${name} && {word} != x ]]", f"test -f {self.pick(READ)}", f"[[ ${name} =~ ^([a-z]+)(.*)$ ]] && echo \"${{BASH_REMATCH[1]}}\"",
            f"[ \"${name}\" -gt 2 ]", f"[[ -v {name} ]]", f"[[ {self.r.randint(0, 5)} -lt {self.r.randint(0, 5)} || -e fruit ]]",
            f"[ -d sub -a ! -e nofile ]", f"[[ a < ${name} ]]",
        ]) + self.pick(["", "", "; echo $?", " && echo yes", " || echo no"])  # fmt: skip

    def condition(self, depth):
        return self.pick([self.test(), self.test(), "true", "false", f"(({self.arith(1)}))", f"! {self.test()}",
            f"grep -q {self.pick(['a', 'zzz'])} {self.pick(READ)} 2>/dev/null", f"{self.producer()} | grep -q a"]) if self.chance(0.9) else "(exit 1)"  # fmt: skip

    # Commands that write a little, and commands that read their whole input.

    def producer(self):
        return self.pick([
            f"echo {self.words(2)}", f"printf '%s\\n' {self.words(3)}", f"cat {self.pick(READ)}", f"sort {self.pick(READ)}",
            "seq 3", f"grep {self.pick(['a', '-c a', '-i apple', '-v e', 'zzz'])} {self.pick(READ)}", f"sed -n {self.pick(['1p', '$p', 's/a/X/gp'])} fruit",
            f"cut -d: -f2 fields", "ls", "ls sub", f"tr a-z A-Z < {self.pick(READ)}", "false", f"cat <(echo {self.word()}) fields",
            f"wc -l < {self.pick(READ)}", "printf 'b\\na\\n'", f"{{ echo g; {self.pick(['false', 'true', 'cat bare'])}; }}", "(echo s; exit 2)",
            f"awk '{{ print $1 }}' {self.pick(READ)}", f"head -n 1 {self.pick(READ)}",
        ])  # fmt: skip

    def consumer(self):
        return self.pick(["cat", "sort", "sort -r", "tr a-z A-Z", "wc -l", "sed 's/^/> /'", "grep -v zzz", "cat -n", "while read -r v; do echo \"<$v>\"; done",
            "{ cat; echo more; }", "(cat; exit 3)", "{ read -r v; cat; echo \"$v\"; }", "tail -n 2", "grep -c a", "paste -sd, -", "sort | uniq -c"])  # fmt: skip

    def redirections(self, p):
        if not self.chance(p):
            return ""
        return self.pick([f" > {self.pick(FILES)}", f" >> {self.pick(FILES)}", " 2>/dev/null", " 2>&1", " >&2", f" < {self.pick(READ)}", f" &> {self.pick(FILES)}",
            f" >| {self.pick(FILES)}", " > /dev/null", f" 3> {self.pick(FILES)}", " 2>&1 1>/dev/null", f" <<< {self.quoted()}"])  # fmt: skip

    # Words.

    def words(self, most):
        return " ".join(self.word() for _ in range(self.r.randint(0 if most > 2 else 1, most)))

    def quoted(self):
        return shlex.quote(self.pick(TEXTS))

    def word(self):
        roll = self.r.random()
        if roll < 0.3:
            return self.quoted()
        if roll < 0.5:
            return f'"{self.inner()}"'
        if roll < 0.65:
            return self.inner()
        if roll < 0.75:
            return self.pick(["plain", "f*", "sub/*", "{x,y}z", "{1..3}", "a\\ b", "~", "$'t\\tb'", "no*match", '"$@"', "$*", '"$*"', "*.txt", "[fb]*"])
        if roll < 0.85:
            return f"pre{self.inner()}post"
        return f'"x {self.inner()} {self.inner()} y"'

    def inner(self):
        name = self.pick(NAMES)
        roll = self.r.random()
        if roll < 0.2:
            return f"${name}"
        if roll < 0.55:
            return self.parameter(name)
        if roll < 0.7:
            return f"$(({self.arith(2)}))"
        if roll < 0.85:
            return f"$( {self.producer()})"
        if roll < 0.9:
            return "`echo bq`"
        array = self.pick(ARRAYS)
        return self.pick([f"${{{array}[@]}}", f"${{{array}[*]}}", f"${{#{array}[@]}}", f"${{!{array}[@]}}", f"${{{array}[0]}}", f"${{{array}[-1]}}", f"${{{array}[@]:1:2}}",
            f"${{{array}[@]/a/X}}", "${map[k]}", "${#map[@]}", f"${{{array}[@]^^}}", f"${{{array}[@]@Q}}"])  # fmt: skip

    def parameter(self, name):
        value = self.pick(["d", "$b", "x y", "", "$(echo s)", "${c:-n}"])
        return self.pick([
            f"${{{name}:-{value}}}", f"${{{name}-{value}}}", f"${{{name}:={value}}}", f"${{{name}:+{value}}}", f"${{{name}+set}}", f"${{#{name}}}",
            f"${{{name}#{self.pick(PATTERNS[:9])}}}", f"${{{name}##*[ /]}}", f"${{{name}%{self.pick(PATTERNS[:9])}}}", f"${{{name}%%[ .]*}}", f"${{{name}/o/0}}",
            f"${{{name}//[aeiou]/_}}", f"${{{name}/#f/F}}", f"${{{name}/%r/R}}", f"${{{name}:1}}", f"${{{name}:1:2}}", f"${{{name}: -2}}", f"${{{name}^}}",
            f"${{{name}^^}}", f"${{{name},,}}", f"${{{name}@Q}}", f"${{{name}@U}}", f"${{!{name}}}", "${1}", "${@:2}", "${#}", "${*:1:1}", f"${{{name}:?gone}}", f"${{{name}@A}}",
        ])  # fmt: skip

    def arith(self, depth):
        if depth <= 0 or self.chance(0.4):
            return self.pick([str(self.r.randint(0, 20)), str(self.r.randint(0, 20)), "a", "b", "$#", "arr[0]", "0x1f", "2#101", "-3", "c"])
        a, b = self.arith(depth - 1), self.arith(depth - 1)
        return self.pick([f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} / ({b})", f"{a} % ({b})", f"{a} ** 2", f"{a} < {b}", f"{a} == {b}", f"{a} && {b}",
            f"{a} || {b}", f"{a} ? {b} : 7", f"({a}, {b})", f"!{a}", f"~{a}", f"{a} << 2", f"{a} & {b}", f"c = {a}", "a++", "--b", f"c += {a}", f"{a} ^ {b}"])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
