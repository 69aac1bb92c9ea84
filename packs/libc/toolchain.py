"""Compiles C programs for the sandbox: zig's clang and wasi-libc, with what this directory adds.

A recipe of a C program makes a `Toolchain` in a directory of its own, and either gives its `cc` to the program's own
build or calls `objects` and `link`. It needs the requirement `ziglang`, whose version decides what the program is made
of.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: wasi-libc emulates some of what this library does. Its headers want these words before they declare anything.
EMULATED = ["SIGNAL", "PROCESS_CLOCKS", "MMAN", "GETPID"]

#: For each object. zig adds checks of undefined behaviour to code that is not optimised, so that -O2 is always there. A
#: longjmp is an exception of WebAssembly's, in the form of its standard. Programs convert a number with a fraction to an
#: integer and back to see whether it is one: without the last word, the compiler takes for granted that it fits.
COMPILE = [
    "-mcpu=generic+exception_handling+simd128", "-mllvm", "-wasm-enable-sjlj", "-mllvm", "-wasm-use-legacy-eh=false",
    "-target", "wasm32-wasi", "-O2", "-D_GNU_SOURCE", "-fno-sanitize=all", "-I", str(HERE / "include"),
    "-fno-strict-float-cast-overflow",
    *(f"-D_WASI_EMULATED_{name}" for name in EMULATED),
]

#: With these words a program sees errors with Linux's numbers (`linux/errno.h`).
LINUX = ["-I", str(HERE / "linux")]

#: Members of wasi-libc's archive that this library is there instead of.
REPLACED = """
abort accept-wasip1 chdir clock clock_getres clock_gettime clock_nanosleep closedir dirfd faccessat fcntl fdclosedir fdopendir fstat fstatat
futimens getcwd getpid getrusage getsockopt inet_aton inet_ntop inet_pton ioctl isatty linkat mkdirat mman nanosleep openat opendirat poll posix preopens pselect read
readdir readlinkat readv recv renameat rewinddir scandirat seekdir select send shutdown signal sleep strerror strerror_r symlinkat telldir times
truncate unlinkat usleep utimensat write writev __tz __wasilibc_fd_renumber __wasilibc_rmdirat __wasilibc_unlinkat
""".split()

#: For a program. The kernel starts a clone in a function of the table, with the stack pointer that its parent had; it
#: copies the memory that is in use, which the last two tell. A stack that is too deep runs into address 0 and no data.
LINK = [
    "--export-table", "--export=__stack_pointer", "--export=__heap_base", "--export=__data_end", "--stack-first",
    "-z", "stack-size=8388608", "--gc-sections", "--strip-all", "--undefined=sandshell_streams", "--undefined=__main_argc_argv",
    "--build-id=none", *(f"--wrap=strto{kind}" for kind in ("f", "d", "ld")),
]

#: Libraries of other systems whose functions are in this one, or that are of no use without threads and modules.
WITHIN = {"c", "m", "rt", "pthread", "dl", "util", "resolv", "crypt"}


class Toolchain:
    """A compiler in `work`, which is made if it is missing."""

    def __init__(self, work):
        self.work = Path(work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        # zig compiles wasi-libc when it is first asked. Kept with the environment that has zig: nothing else has this
        # version.
        os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(Path(sys.prefix) / "zig"))
        os.environ.setdefault("ZIG_LOCAL_CACHE_DIR", os.environ["ZIG_GLOBAL_CACHE_DIR"])

    @property
    def zig(self):
        """The program that is everything: compiler, linker, archiver."""
        import ziglang
        return str(Path(ziglang.__file__).parent / "zig")

    @property
    def cc(self):
        """A command that behaves as a C compiler: give it to `make` or `configure`."""
        command = self.work / "cc"
        if not command.exists():
            self.library()
            only = shlex.join([self.zig, "cc", *COMPILE])
            both = shlex.join([sys.executable, str(HERE / "toolchain.py"), str(self.work)])
            command.write_text(
                "#!/bin/sh\n"
                "# Without linking, it is the compiler itself.\n"
                f'for word; do case $word in -c | -S | -E | -M | -MM) exec {only} "$@" ;; esac; done\n'
                f'exec {both} "$@"\n'
            )
            command.chmod(0o755)
        return str(command)

    @property
    def ar(self):
        """A command that behaves as `ar`."""
        command = self.work / "ar"
        if not command.exists():
            command.write_text(f'#!/bin/sh\nexec {shlex.quote(self.zig)} ar "$@"\n')
            command.chmod(0o755)
        return str(command)

    def run(self, *command, **options):
        """Runs a program; its output is shown if it fails."""
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
        if done.returncode != 0:
            sys.exit(f"{shlex.join(str(word) for word in command)}\nfailed\n{done.stdout}{done.stderr}")
        return done.stdout

    def objects(self, sources, flags=(), name="objects"):
        """Compiles each source; the objects, in the same order."""
        folder = self.work / name
        folder.mkdir(exist_ok=True)

        def compile_one(source):
            target = folder / (Path(source).stem + ".o")
            self.run(self.zig, "cc", *COMPILE, *flags, "-c", source, "-o", target)
            return target

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(compile_one, sources))

    def archive(self, objects, path):
        """A library of objects."""
        Path(path).unlink(missing_ok=True)
        self.run(self.zig, "ar", "rcsD", path, *objects)
        return Path(path)

    def library(self):
        """What every program is linked with, in this order: the start of wasi-libc, this library, the rest of wasi-libc."""
        start, ours, rest = (self.work / name for name in ("start.o", "libsandshell.a", "libwasi.a"))
        others = self.work / "others"
        if not others.exists():
            given = self.wasi()
            if os.environ.get("SANDSHELL_LICENCES"):
                from libc import sources  # As a program of its own, this file is not in a package.
                sources.notice("wasi-libc", [], Path(self.zig).parent / "lib/libc/wasi")
            # Ours must be alone: the linker takes members of an archive whole, and some of wasi-libc's define both what
            # is replaced and what is not.
            rest.write_bytes(given["libc.a"].read_bytes())
            self.run(self.zig, "ar", "dD", rest, *(f"{name}.o" for name in REPLACED))
            start.write_bytes(given["crt1-command.o"].read_bytes())
            flags = ["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fno-builtin"]
            self.archive(self.objects(sorted((HERE / "src").glob("*.c")), flags, "libsandshell"), ours)
            others.write_text(f"{given['libzigc.a']}\n{given['libcompiler_rt.a']}\n")
        return [start], [ours, rest, *map(Path, others.read_text().split())]

    def symbols(self):
        """The names of all functions that a program can be linked with."""
        return set().union(*(defined(path) for path in self.library()[1]))

    def header(self, name):
        """Whether there is a header."""
        command = [self.zig, "cc", *COMPILE, "-E", "-include", name, "-x", "c", os.devnull, "-o", os.devnull]
        return subprocess.run(command, capture_output=True).returncode == 0

    def wasi(self):
        """The files of zig's wasi-libc by their names, which only its own call of the linker tells."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "empty.c")
            source.write_text("int main(void) { return 0; }\n")
            libraries = [f"-lwasi-emulated-{name.lower().replace('_', '-')}" for name in EMULATED]
            command = [self.zig, "cc", "-target", "wasm32-wasi", "-O2", source, "-o", Path(folder, "empty.wasm"), *libraries, "-v"]
            told = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stderr
        line = next(line for line in told.splitlines() if line.startswith("wasm-ld "))
        paths = [Path(word).resolve() for word in shlex.split(line) if re.search(r"\.[ao]$", word)]
        return {path.name: path for path in paths}

    def link(self, objects, program, flags=()):
        """Links a program."""
        before, after = self.library()
        self.run(self.zig, "wasm-ld", *before, *objects, *after, *LINK, *flags, "-o", program)
        return Path(program)


def main(work, *words):
    """What a C compiler does with these words."""
    tools = Toolchain(work)
    if {"-c", "-S", "-E", "-M", "-MM"} & set(words):
        sys.exit(subprocess.run([tools.zig, "cc", *COMPILE, *words]).returncode)
    inputs, flags, folders, program = [], [], [], "a.out"
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "-o":
            program = words.pop(0)
        elif word in ("-L", "-l"):
            words.insert(0, word + words.pop(0))
        elif word.startswith("-L"):
            folders.append(Path(word[2:]))
        elif word.startswith("-l"):
            inputs += library(word[2:], folders)
        elif word in ("-I", "-D", "-U", "-include", "-isystem"):
            flags += [word, words.pop(0)]
        elif word.startswith("-"):
            flags.append(word)
        else:
            inputs.append(Path(word))
    flags = [flag for flag in flags if not flag.startswith("-Wl,")]
    with tempfile.TemporaryDirectory() as folder:
        for index, path in enumerate(inputs):
            if path.suffix == ".c":
                inputs[index] = Path(folder, f"{index}.o")
                tools.run(tools.zig, "cc", *COMPILE, *flags, "-c", path, "-o", inputs[index])
        tools.link(inputs, program)


def defined(archive):
    """The names that an archive's own table tells, its first member."""
    data = archive.read_bytes()
    size = int(data[56:66]) if data[8:10] == b"/ " else 0
    count = int.from_bytes(data[68:72], "big") if size else 0
    return {name.decode() for name in data[72 + 4 * count:68 + size].split(b"\0") if name}


def library(name, folders):
    """The archive that `-lNAME` means."""
    found = [folder / f"lib{name}.a" for folder in folders if (folder / f"lib{name}.a").exists()]
    if not found and name not in WITHIN:
        sys.exit(f"cc: no library {name}")
    return found[:1]


if __name__ == "__main__":
    main(*sys.argv[1:])
