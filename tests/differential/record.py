#!/usr/bin/env python3
"""Runs the cases of this folder in the machine's own bash and GNU tools.

Without options it records: what the real tools answer is written beside the cases (`NAME.expected` for `NAME.lines`,
into the sections of `NAME.cases`). With `--compare DIR` nothing is written: each line runs twice, the second time with
the commands found in DIR in front of the machine's, and every difference is printed (for development with native builds
of the guests; if DIR has `bash`, it runs the lines).

Needs root: each run has mount and host name spaces of its own, in which the scripts see what a sandbox shows, as far as
that matters: user 1000 `user`, host name `sandbox`, an own /workspace, /home/user and /tmp. Names (`GROUP`,
`GROUP/NAME`) select files, `-k TEXT` the cases that contain TEXT.
"""

import argparse
import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/home/user",
    "USER": "user",
    "LOGNAME": "user",
    "LANG": "C.UTF-8",
    "SHELL": "/bin/bash",
    "TZ": "UTC",
    "PWD": "/workspace",
}
# The user accounts of a sandbox.
TEMPLATE = Path(__file__).resolve().parents[2] / "vfs/src/template"
USER = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"]
SECONDS = 30


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="GROUP or GROUP/NAME; all without any")
    parser.add_argument("--compare", metavar="DIR", help="compare with the commands in this directory, which may be cargo's of guest-shell")
    parser.add_argument("-k", metavar="TEXT", default="", help="only the cases that contain TEXT")
    options = parser.parse_args()
    if os.environ.get("SANDSHELL_NAMESPACE") != "1":
        again = ["unshare", "--mount", "--uts", "--propagation=private", sys.executable, *sys.argv]
        os.execvpe("unshare", again, {**os.environ, "SANDSHELL_NAMESPACE": "1"})
    ours = Ours(options.compare) if options.compare else None
    enter_sandbox_like_place()
    failed = 0
    for path in sorted([*HERE.rglob("*.lines"), *HERE.rglob("*.cases")]):
        name = str(path.relative_to(HERE).with_suffix(""))
        if not options.names or any(name == n or name.startswith(n.rstrip("/") + "/") for n in options.names):
            if path.suffix == ".lines":
                failed += lines(path, name, options.k, ours)
            elif ours is None:
                blocks(path, name, options.k)
    return 1 if failed else 0


class Ours:
    """The commands to compare with, copied to a place that user 1000 can read."""

    def __init__(self, directory):
        # Not below /tmp, which belongs to the scripts.
        self.directory = tempfile.mkdtemp(dir="/run")
        atexit.register(shutil.rmtree, self.directory)
        os.chmod(self.directory, 0o755)
        for name, target in commands(Path(directory)).items():
            copy = Path(self.directory) / f".{target.name}"
            if not copy.exists():
                shutil.copy(target, copy)
                copy.chmod(0o755)
            (Path(self.directory) / name).symlink_to(copy.name)
        bash = Path(self.directory) / "bash"
        self.shell = str(bash) if bash.exists() else "bash"


def commands(directory):
    """The name and file of each command. In cargo's directory: the shell, and the utilities that `util` lists."""
    util, shell = directory / "util", directory / "sh"
    if not util.is_file() and not (shell.is_file() and (directory / "deps").is_dir()):
        return {command.name: command.resolve() for command in directory.iterdir()}
    found = {}
    if shell.is_file():
        found = {name: shell.resolve() for name in ("bash", "sh")}
    if util.is_file():
        listed = subprocess.run([util], stderr=subprocess.PIPE, text=True).stderr
        found |= {line.split()[0]: util.resolve() for line in listed.splitlines() if line.startswith("  ")}
    return found


def enter_sandbox_like_place():
    run("hostname", "sandbox")
    files = {
        "/etc/passwd": (TEMPLATE / "passwd").read_text(),
        "/etc/group": (TEMPLATE / "group").read_text(),
        "/etc/hostname": "sandbox\n",
    }
    for path, content in files.items():
        with tempfile.NamedTemporaryFile("w", delete=False) as file:
            file.write(content)
        os.chmod(file.name, 0o644)
        run("mount", "--bind", file.name, path)
    os.makedirs("/workspace", exist_ok=True)
    # On a disk, because sizes and blocks of directories differ on a tmpfs.
    workspace = tempfile.mkdtemp(dir="/var/tmp")
    atexit.register(shutil.rmtree, workspace)
    os.chmod(workspace, 0o755)
    os.chown(workspace, 1000, 1000)
    run("mount", "--bind", workspace, "/workspace")
    run("mount", "-t", "tmpfs", "-o", "mode=1777", "sandshell", "/tmp")
    # /home contains only /home/user, and nothing else of the machine.
    run("mount", "-t", "tmpfs", "-o", "mode=755", "sandshell", "/home")
    os.mkdir("/home/user", 0o755)
    os.chown("/home/user", 1000, 1000)


def lines(path, name, text, ours):
    """Runs the cases of a file of lines. Returns how many differ."""
    needs = [l.split(":", 1)[1].split() for l in path.read_text().splitlines() if l.startswith("#needs:")]
    absent = [tool for tools in needs for tool in tools if shutil.which(tool) is None]
    if absent and ours is None:
        print(f"{name}: kept as it is, the machine has no {' '.join(absent)}")
        return 0
    expected = path.with_suffix(".expected")
    old = {}
    if text and expected.exists():
        old = {l.split("\t", 3)[3]: l for l in expected.read_text().splitlines()}
    out, count, failed = [], 0, 0
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if text not in line:
            if line in old:
                out.append(old[line])
            continue
        count += 1
        answer = answer_of(path, line)
        out.append("\t".join([*answer, line]))
        if ours:
            theirs = answer_of(path, line, ours=ours)
            if theirs != answer:
                failed += 1
                print(f"{name}: {line}")
                for what, real, got in zip(("status", "stdout", "stderr"), answer, theirs):
                    if real != got:
                        print(f"  {what:6} real {real}\n         ours {got}")
    if ours:
        print(f"{name}: {count - failed} of {count} lines are equal")
    else:
        expected.write_text("".join(l + "\n" for l in out))
        print(f"{name}: {count} lines recorded")
    return failed


def answer_of(path, script, ours=None):
    """Status, stdout and stderr of a line, the last two escaped."""
    prepare(path.parent / "setup.sh")
    status, out, err = execute(script, b"", ours)
    return [str(status), escape(out), escape(err)]


def prepare(setup):
    """Empties the working directory and fills it with the files of the group's setup."""
    empty(Path("/workspace"))
    empty(Path("/home/user"))
    empty(Path("/tmp"))
    if setup.exists():
        done = subprocess.run(
            [*USER, "bash", "-s"], stdin=setup.open(), cwd="/workspace", env=ENVIRONMENT, capture_output=True
        )
        if done.returncode != 0:
            sys.exit(f"{setup}: {done.stderr.decode()}")


def empty(directory):
    run("find", directory, "-mindepth", "1", "-delete")


def execute(script, stdin, ours=None):
    shell, environment = "bash", dict(ENVIRONMENT)
    if ours:
        shell = ours.shell
        environment["PATH"] = f"{ours.directory}:{environment['PATH']}"
    out, err = Pipe(), Pipe()
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        child = subprocess.Popen(
            # `exec -a`: messages show the same name of the shell as in a sandbox.
            [*USER, "/bin/bash", "-c", 'exec -a bash "$0" -c "$1"', shell, script],
            cwd="/workspace",
            env=environment,
            stdin=given if stdin else subprocess.DEVNULL,
            stdout=out.write_end,
            stderr=err.write_end,
            start_new_session=True,
        )
    out.start()
    err.start()
    try:
        status = child.wait(SECONDS)
    except subprocess.TimeoutExpired:
        status = "timeout"
    # As at the end of a sandbox, all processes of the session end, including those in other process groups.
    subprocess.run(["pkill", "-KILL", "--session", str(child.pid)], check=False)
    child.wait()
    if isinstance(status, int) and status < 0:
        status = 128 - status
    found = [out.content(), err.content()]
    if ours:
        found = [t.replace(ours.directory.encode(), b"/usr/bin") for t in found]
    return status, *found


class Pipe:
    """A pipe that user 1000 owns, so that scripts may open /dev/stdout. It collects what is written to it."""

    def __init__(self):
        self.read_end, self.write_end = os.pipe()
        os.fchown(self.write_end, 1000, 1000)
        self.data = b""
        self.thread = threading.Thread(target=self.read)

    def start(self):
        os.close(self.write_end)
        self.thread.start()

    def read(self):
        with open(self.read_end, "rb") as pipe:
            self.data = pipe.read()

    def content(self):
        self.thread.join()
        return self.data


def escape(data):
    """Escapes as the replaying side does: backslash, newline, tab, and \\xNN for other unprintable bytes."""
    names = {0x5C: "\\\\", 0x0A: "\\n", 0x09: "\\t"}
    return "".join(names.get(b) or (chr(b) if 0x20 <= b < 0x7F else f"\\x{b:02x}") for b in data)


def blocks(path, name, text):
    """Records the cases of a file of blocks. Only the sections with answers are changed."""
    cases = path.read_text().split("\n=== ")
    recorded = 0
    for i, case in enumerate(cases):
        if i == 0 and not case.startswith("=== ") or text not in case:
            continue
        sections = sections_of(case)
        prepare(path.parent / "setup.sh")
        stdin = b""
        for header, content in sections[1:]:
            kind, _, rest = header.partition(" ")
            data = content_of(header, content)
            if kind == "file":
                file = Path("/workspace") / rest.replace(" (escaped)", "").replace(" (no newline)", "")
                missing = [p for p in file.parents if not p.exists()]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
                for made in [file, *missing]:
                    os.chown(made, 1000, 1000)
            elif kind == "stdin":
                stdin = data
        script = "\n".join(unguard(l) for l in sections[0][1]).rstrip("\n")
        status, out, err = execute(script, stdin)
        kept = [(h, c) for h, c in sections if h.split(" ")[0] not in ("stdout", "stderr", "status", "gap")]
        gaps = [(h, c) for h, c in sections if h.split(" ")[0] == "gap"]
        answers = [section_of("stdout", out), section_of("stderr", err)]
        answers += [(f"status {status}", [])] if status else []
        written = []
        for header, content in [*kept, *[a for a in answers if a], *gaps]:
            written += [header if header is sections[0][0] else f"--- {header}", *content]
        cases[i] = "\n".join(written)
        recorded += 1
    path.write_text("\n=== ".join(c.rstrip("\n") for c in cases) + "\n")
    print(f"{name}: {recorded} cases recorded")


def sections_of(case):
    sections = []
    for line in case.split("\n"):
        if not sections:
            sections.append((line, []))
        elif line.startswith("--- "):
            sections.append((line[4:], []))
        else:
            sections[-1][1].append(line)
    while sections[-1][1] and not sections[-1][1][-1]:
        sections[-1][1].pop()
    return sections


def unguard(line):
    return line[1:] if line.startswith("\\") else line


def content_of(header, content):
    text = "\n".join(unguard(l) for l in content)
    if content and not header.endswith((" (no newline)", " (no newline) (escaped)")):
        text += "\n"
    if header.endswith(" (escaped)"):
        return text.encode().decode("unicode_escape").encode("latin-1")
    return text.encode()


def section_of(name, data):
    if not data:
        return None
    try:
        text, mark = data.decode(), ""
        if any(ord(c) < 0x20 and c not in "\n\t" or 0x7F <= ord(c) < 0xA0 for c in text):
            raise ValueError
    except ValueError:
        text = "".join(
            "\\\\" if b == 0x5C else chr(b) if b in (9, 10) or 0x20 <= b < 0x7F else f"\\x{b:02x}" for b in data
        )
        mark = " (escaped)"
    bare = "" if text.endswith("\n") else " (no newline)"
    content = text[:-1].split("\n") if text.endswith("\n") else text.split("\n")
    guarded = [f"\\{l}" if l.startswith(("===", "---", "\\")) else l for l in content]
    return f"{name}{bare}{mark}", guarded


def run(*command):
    subprocess.run(list(map(str, command)), check=True)


if __name__ == "__main__":
    sys.exit(main())
