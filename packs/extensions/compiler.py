"""Compiles C and C++ for the interpreter: modules that become parts of its program, as shared libraries of WebAssembly.

zig's clang, its headers of wasi-libc and its libc++ are those that componentize-py's libraries were made with, of the
same major version. CPython's headers are Debian's; its configuration is read from componentize-py's own interpreter.

As a program, this file is the compiler: `compiler.py WORK cc|c++ ARGUMENTS`.
"""

import importlib.metadata
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: What both languages are compiled with. Without `THROWING`, C++ has no handlers of exceptions: what it throws ends the
#: program (`exceptions.c`).
COMPILE = [
    "--target=wasm32-wasip2", "-nostdinc", "-fPIC", "-msimd128", "-g0", "-w",
    "-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-DNPY_NO_SIGNAL",
]

#: For modules that throw and catch, in the form of WebAssembly's standard; longjmp of C is such an exception too. All that
#: such a module has of C++ is its own.
THROWING = [
    "-fwasm-exceptions", "-mllvm", "-wasm-enable-eh", "-mllvm", "-wasm-enable-sjlj", "-mllvm", "-wasm-use-legacy-eh=false",
    "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-fvisibility-global-new-delete=force-hidden",
    "-D_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS",
]

#: The parts of the libraries of C++ that such modules are linked with: what throws, and what is thrown.
PARTS = {
    "libcxxabi": """abort_message cxa_aux_runtime cxa_default_handlers cxa_demangle cxa_exception cxa_guard cxa_handlers cxa_personality cxa_vector
        cxa_virtual fallback_malloc private_typeinfo stdlib_exception stdlib_new_delete stdlib_stdexcept stdlib_typeinfo""".split(),
    "libcxx": "exception functional memory new_handler stdexcept string vector verbose_abort".split(),
}

#: A function of `throwing.c`.
CONSTRUCTORS = "sandshell_constructors"

#: What no module defines is in the interpreter or its libraries, which the program is linked with later.
LINK = ["-shared", "--experimental-pic", "--unresolved-symbols=import-dynamic", "--no-entry", "--gc-sections", "--strip-debug"]

#: Debian's package of CPython's headers, and the releases that may have it.
HEADERS, RELEASES = "libpython3.14-dev", ["forky", "sid"]
#: The source package that it is made of.
HEADERS_SOURCE = "python3.14"
VERSION = "3.14"
SUFFIX = ".cpython-314-wasm32-wasi.so"

DESCRIPTION = """\
[binaries]
c = {cc!r}
cpp = {cxx!r}
ar = [{zig!r}, 'ar']
python = {python!r}
cython = {cython!r}
pybind11-config = {pybind11!r}
[properties]
longdouble_format = 'IEEE_QUAD_LE'
needs_exe_wrapper = true
skip_sanity_check = true
[host_machine]
system = 'wasi'
cpu_family = 'wasm32'
cpu = 'wasm32'
endian = 'little'
"""


class Compiler:
    """A compiler in the directory `work`, which is made if it is missing."""

    #: Where packages are below the prefix of an installation.
    SITE = f"lib/python{VERSION}/site-packages"

    def __init__(self, work, throws=False):
        import ziglang
        self.work = Path(work).resolve()
        self.throws = throws or (self.work / "throwing").exists()
        self.zig = str(Path(ziglang.__file__).parent / "zig")
        self.lib = Path(ziglang.__file__).parent / "lib"
        self.include = self.work / "include"

    def description(self):
        """What meson is told of it: the path of a file for `--cross-file`."""
        self.work.mkdir(parents=True)
        os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(Path(sys.prefix) / "zig"))
        os.environ.setdefault("ZIG_LOCAL_CACHE_DIR", os.environ["ZIG_GLOBAL_CACHE_DIR"])
        variables = configuration()
        self._headers(variables)
        if self.throws:
            self._throwing()
        self._parts()
        scripts = Path(sys.executable).parent
        tools = {
            "cc": self._command("cc", f'exec {self._own("cc")} "$@"'),
            "cxx": self._command("c++", f'exec {self._own("c++")} "$@"'),
            "pybind11": str(self.work / "pybind11-config"),
            # meson asks the interpreter for its paths, and the packages' builds run programs with it.
            "python": self._command("python", (
                f"for word; do case $word in *python_info.py) exec cat {shlex.quote(str(self._told(variables)))} ;; esac; done\n"
                f'exec {shlex.quote(sys.executable)} "$@"')),
            "zig": self.zig, "cython": str(scripts / "cython"),
        }
        file = self.work / "cross.ini"
        file.write_text(DESCRIPTION.format(**tools))
        return file

    def run(self, language, words):
        """What the compiler of a language does with these words; its status."""
        if "-Wl,--version" in words:
            return subprocess.run([self.zig, "wasm-ld", "--version"]).returncode
        compile_only = {"-c", "-E", "-S", "-M", "--version", "-dumpversion"}
        if any(word in compile_only or word.startswith("-print") for word in words):
            return subprocess.run([*self._compile(language), *words]).returncode
        return self._link(language, words)

    def _compile(self, language):
        libc = self.lib / "libc/include"
        folders = [self.lib / "include", libc / "wasm-wasi-musl", libc / "generic-musl"]
        command = [self.zig, "clang", *COMPILE, *(THROWING if self.throws else ())]
        if language == "c++":
            folders[:0] = [self.lib / "libcxx/include", self.lib / "libcxxabi/include"]
            command += ["--driver-mode=g++", "-nostdinc++", "-include", str(HERE / "libcxx_config.h")]
        return [*command, *(word for folder in folders for word in ("-isystem", str(folder)))]

    def _link(self, language, words):
        """Links a module. Other programs are only linked to find out which functions there are."""
        output, inputs, flags, rest = "a.out", [], [], iter(words)
        for word in rest:
            if word == "-o":
                output = next(rest)
            elif word in ("-I", "-D", "-U", "-isystem", "-include", "-MF", "-MQ", "-x"):
                flags += [word, next(rest)]
            elif not word.startswith("-"):
                inputs.append(word)
            elif not word.startswith(("-Wl,", "-l", "-L", "-shared")):
                flags.append(word)
        for at, name in enumerate(inputs):
            if not name.endswith((".o", ".a")):
                inputs[at] = f"{output}.{at}.o"
                done = subprocess.run([*self._compile(language), *flags, "-c", name, "-o", inputs[at]])
                if done.returncode != 0:
                    return done.returncode
        runtime = str(self.work / "runtime.o")
        if "-shared" in words:
            parts = [*inputs, str(self.work / ("throwing.a" if self.throws else "exceptions.o")), runtime]
            exports = [f"--export={CONSTRUCTORS}"] if self.throws else []
            done = subprocess.run([self.zig, "wasm-ld", *LINK, *exports, "-o", output, *parts])
            if done.returncode == 0 and self.throws:
                construct(output)
            return done.returncode
        libraries = ["-lwasi-emulated-signal", "-lwasi-emulated-process-clocks"]
        return subprocess.run([self.zig, "cc", "-target", "wasm32-wasi", *inputs, *libraries, "-o", output]).returncode

    def _own(self, language):
        words = [sys.executable, str(HERE / "compiler.py"), str(self.work), language]
        return shlex.join(words)

    def _command(self, name, body):
        command = self.work / name
        command.write_text(f"#!/bin/sh\n{body}\n")
        command.chmod(0o755)
        return str(command)

    def module(self, name, sources, into, flags=()):
        """Compiles sources and objects to a module of this name in a directory: for packages whose build is another one."""
        folder = self.work / f"{name}.objects"
        objects = self.objects([source for source in sources if Path(source).suffix not in (".a", ".o")], folder, flags)
        given = [source for source in sources if Path(source).suffix in (".a", ".o")]
        if self._link("c++", ["-shared", "-o", str(into / f"{name}{SUFFIX}"), *map(str, [*objects, *given])]) != 0:
            sys.exit(f"{name} cannot be linked")

    def objects(self, sources, folder, flags=()):
        """Compiles each source into a directory; the objects, in the same order."""
        folder.mkdir(parents=True)

        def compile_one(source):
            target = folder / f"{Path(source).parent.name}.{Path(source).stem}.o"
            language = "c++" if Path(source).suffix == ".cpp" else "c"
            subprocess.run([*self._compile(language), "-O2", "-DNDEBUG", *flags, "-c", source, "-o", target], check=True)
            return target

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(compile_one, sources))

    def archive(self, objects, path):
        """A library of objects."""
        subprocess.run([self.zig, "ar", "rcsD", path, *objects], check=True)
        return path

    def _throwing(self):
        """What modules that throw are linked with."""
        folders = [self.lib / "libcxxabi/src", self.lib / "libcxx/src", self.lib / "libcxx",
                   self.lib / "libunwind/include", self.include]
        flags = ["-D_LIBUNWIND_HIDE_SYMBOLS", *(word for folder in folders for word in ("-I", str(folder)))]
        cxx = ["-std=c++23", "-DLIBCXX_BUILDING_LIBCXXABI", "-D_LIBCPP_BUILDING_LIBRARY", "-D_LIBCXXABI_BUILDING_LIBRARY",
               "-D_LIBCXXABI_HAS_NO_THREADS", "-D_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS"]
        sources = [self.lib / library / f"src/{part}.cpp" for library, parts in PARTS.items() for part in parts]
        objects = self.objects([HERE / "throwing.c", self.lib / "libunwind/src/Unwind-wasm.c"], self.work / "throwing", flags)
        objects += self.objects(sources, self.work / "throwing.cxx", [*cxx, *flags])
        tags = self.work / "throwing.o"
        target = ["--target=wasm32-wasip2", "-mexception-handling"]
        subprocess.run([self.zig, "clang", *target, "-c", HERE / "throwing.s", "-o", tags], check=True)
        self.archive([*objects, tags], self.work / "throwing.a")

    def _parts(self):
        """What each module is linked with: an end for exceptions, and arithmetic that the processor lacks, without functions that
        the interpreter's C library has."""
        subprocess.run([*self._compile("c"), "-O2", "-c", HERE / "exceptions.c", "-o", self.work / "exceptions.o"], check=True)
        sources = self.work / "runtime"
        shutil.copytree(self.lib / "compiler_rt", sources / "compiler_rt")
        text = (self.lib / "compiler_rt.zig").read_text()
        start, end = text.index('        _ = @import("compiler_rt/memcpy.zig");'), text.index('        symbol(&strlen, "strlen");')
        end = text.index("\n", end)
        (sources / "compiler_rt.zig").write_text(text[:start] + text[end:])
        options = ["-target", "wasm32-wasi", "-fPIC", "-OReleaseFast", "-fstrip", "--name", "runtime"]
        subprocess.run([self.zig, "build-obj", sources / "compiler_rt.zig", *options], check=True, cwd=self.work)

    def _headers(self, variables):
        """CPython's headers, with the interpreter's own configuration."""
        from libc import sources
        root = self.work / "debian"
        sources.note(HEADERS_SOURCE, package(HEADERS, root))
        shutil.copytree(root / f"usr/include/python{VERSION}", self.include)
        # Debian's file, of another processor, says which names there are.
        [native] = root.glob(f"usr/include/*-linux-gnu/python{VERSION}/pyconfig.h")
        names = sorted(set(re.findall(r"^\s*(?:/\* )?#\s*(?:undef|define)\s+(\w+)", native.read_text(), re.M)))
        lines = [f"#define {name} {variables[name]}\n" for name in names if variables.get(name) not in (None, 0, "")]
        (self.include / "pyconfig.h").write_text("#define _GNU_SOURCE 1\n" + "".join(lines))

    def _told(self, variables):
        """What the interpreter would answer to meson, as a file."""
        names = ("stdlib", "platstdlib", "purelib", "platlib", "include", "platinclude", "scripts", "data")
        paths = {name: str(self.include) if "include" in name else f"/usr/lib/python{VERSION}" for name in names}
        install = dict.fromkeys(names, f"/lib/python{VERSION}") | {"purelib": f"/{self.SITE}", "platlib": f"/{self.SITE}"}
        file = self.work / "told.json"
        file.write_text(json.dumps({
            "variables": variables | {"base_prefix": "/usr", "LIBPYTHON": ""}, "paths": paths, "sysconfig_paths": paths,
            "install_paths": install, "version": VERSION, "platform": "wasi-wasm32", "is_pypy": False, "is_venv": False,
            "link_libpython": False, "suffix": SUFFIX, "limited_api_suffix": ".abi3.so", "is_freethreaded": False,
        }))
        return file


def construct(file):
    """Makes a module's initialisation begin with the constructors of C++: the linker of the program would call them before there is
    an interpreter, which some ask."""
    if (recipes := str(HERE.parent)) not in sys.path:
        sys.path.append(recipes)
    from python.adapt.wasm import CALL, END, Module, leb
    module = Module(Path(file).read_bytes())
    [first] = [index for name, index in module.exports.items() if name.startswith("PyInit_")]
    calls = (module.exports[CONSTRUCTORS], module.copy(first))
    module.replace(first, b"\0" + b"".join(bytes([CALL]) + leb(index) for index in calls) + bytes([END]))
    Path(file).write_bytes(module.encode())


def configuration():
    """The variables of `sysconfig` of componentize-py's interpreter. Its library is in the tool, compressed."""
    import zstandard
    [tool] = [file.locate() for file in importlib.metadata.files("componentize-py") if file.name.startswith("componentize_py.")]
    data, at = tool.read_bytes(), 0
    while (at := data.find(b"\x28\xb5\x2f\xfd", at)) >= 0:
        at += 4
        try:
            frame = zstandard.ZstdDecompressor().decompressobj().decompress(data[at - 4:])
        except zstandard.ZstdError:
            continue
        if frame[257:262] == b"ustar":
            with tarfile.open(fileobj=io.BytesIO(frame)) as library:
                for name in library.getnames():
                    if name.startswith("_sysconfig_vars_"):
                        return json.load(library.extractfile(name))
    sys.exit("componentize-py has no library with a configuration")


def package(name, into):
    """Unpacks the newest version of one of Debian's packages, which apt verifies; nothing of it is installed. Its version."""
    if not shutil.which("apt-get"):
        sys.exit("CPython's headers come from Debian's archive: this recipe needs a machine with apt")
    asked = ["apt-get", "indextargets", "--format", "$(ORIGIN)\t$(REPO_URI)", "Created-By: Packages"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    places = {line.split("\t")[1] for line in answer.splitlines() if line.startswith("Debian\t") and line.endswith("/debian/")}
    said = ""
    for place in sorted(places):
        for release in RELEASES:
            apt = into / release
            for folder in ("lists/partial", "cache/archives/partial"):
                (apt / folder).mkdir(parents=True)
            (apt / "sources.list").write_text(f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {place} {release} main\n")
            (apt / "apt.conf").write_text(
                f'Dir::Etc::sourcelist "{apt}/sources.list";\nDir::Etc::sourceparts "/dev/null";\nDir::State::lists "{apt}/lists";\n'
                f'Dir::Cache "{apt}/cache";\nAPT::Sandbox::User "root";\nAcquire::Retries "3";\n')
            environment = {**os.environ, "APT_CONFIG": str(apt / "apt.conf")}
            for command in (["update"], ["download", name]):
                done = subprocess.run(["apt-get", "-qq", *command], cwd=apt, env=environment, capture_output=True, text=True)
                said += done.stderr
            for archive in apt.glob("*.deb"):
                subprocess.run(["dpkg", "-x", archive, into], check=True)
                return archive.name.split("_")[1].replace("%3a", ":")
    sys.exit(f"Debian's archive does not give {name}\n{said}")


if __name__ == "__main__":
    sys.exit(Compiler(sys.argv[1]).run(sys.argv[2], sys.argv[3:]))
