"""Builds the pack: `build.py RECIPE OUT`.

Debian's source of perl with Debian's patches, and with the few edits of `edits.py`. perl is built twice: first by the
machine's own compiler, as that makes the modules, the tables of Unicode, and the C sources of modules; then those
sources are compiled for the sandbox, with the modules in C as parts of the program.
"""

import os
import re
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

import config
import edits
from libc import sources
from libc.toolchain import LINUX, Toolchain

VERSION = "5.36.0-7+deb12u3"
PERL = {
    "perl_5.36.0.orig-regen-configure.tar.xz": "10ac353bc5a933403afe60ed1817e7a456f99bdbcaf80c1cdb0eb3a08ea56d4e",
    "perl_5.36.0.orig.tar.xz": "0f386dccbee8e26286404b2cca144e1005be65477979beb9b1ba272d4819bcf0",
    "perl_5.36.0-7+deb12u3.debian.tar.xz": "5dfbe06b76fd23a4cc4aef586220845de535b245a9066ec0658eb60fbe21be1b",
}

#: What needs a library, threads or modules of the kernel that the sandbox does not have.
WITHOUT = """
DB_File GDBM_File NDBM_File ODBM_File SDBM_File Thread/Queue Thread/Semaphore threads threads/shared IPC/SysV Sys/Syslog
Compress/Raw/Bzip2 IO/Compress/Bzip2 Devel/PPPort
""".split()

#: How the machine's own perl is configured: all modules in the program itself, as there.
CONFIGURE = ["-des", "-Uusedl", "-Uusethreads", "-Duse64bitint", "-Uman1dir", "-Uman3dir", "-Uusenm", "-Doptimize=-O1", "-Dprefix=/usr"]

#: What modules read besides modules.
TABLES = {"Blocks.txt", "NamedSequences.txt", "SpecialCasing.txt", "allkeys.txt", "keys.txt", "version"}

FLAGS = ["-fwrapv", "-fno-strict-aliasing", "-D_FILE_OFFSET_BITS=64", "-w", *LINUX]


def main(out):
    """Builds `out/perl.wasm` and `out/lib`."""
    for needed in ("cc", "make"):
        if not shutil.which(needed):
            sys.exit(f"perl's modules are made with {needed}, which this machine does not have")
    with tempfile.TemporaryDirectory() as work:
        tools = Toolchain(Path(work) / "tools")
        tree = sources.unpack("perl", VERSION, PERL, Path(work))
        native(tools, tree)
        sources.apply(tree, edits.ALL)
        configure(tools, tree)
        compile_all(tools, tree, out / "perl.wasm")
        modules(tools, tree, out / "lib")
        scripts(tree, out / "lib/bin")


def native(tools, tree):
    """perl and its modules for this machine."""
    jobs = f"-j{os.cpu_count()}"
    environment = {**os.environ, "LC_ALL": "C", "PERL_BUILD_DATE": ""}
    tools.run("sh", "Configure", *CONFIGURE, f"-Dnoextensions={' '.join(WITHOUT)}", cwd=tree, env=environment)
    tools.run("make", jobs, cwd=tree, env=environment)


def configure(tools, tree):
    """The configuration of the sandbox, in place of this machine's. Nothing that was made from it is out of date."""
    old = (tree / "config.h").stat().st_mtime
    config.write(tree, tools, tree / "config.sh")
    tools.run("sh", "./config_h.SH", cwd=tree)
    tools.run("./miniperl", "-Ilib", "configpm", "--no-glossary", cwd=tree)
    for name in ("config.h", "config.sh", "lib/Config.pm", "lib/Config_heavy.pl"):
        os.utime(tree / name, (old, old))


def compile_all(tools, tree, program):
    """perl itself, its modules in C, and all of them in one program."""
    flags = [*FLAGS, f"-I{tree}"]
    names = [path.stem for path in tree.glob("*.o")]
    core = [tree / f"{name}.c" for name in names if name not in ("perlmain", "miniperlmain", "generate_uudmap", "DynaLoader") and
            not (name.endswith("mini") and name[:-4] in names)]
    objects = tools.objects(sorted(core), [*flags, "-DPERL_CORE"], "core")
    objects += tools.objects([tree / "ext/DynaLoader/DynaLoader.c"], flags, "main")
    objects += tools.objects([tree / "perlmain.c"], [*flags, "-Dmain=perl_main"], "main")
    objects += tools.objects([Path(__file__).with_name("commands.c")], [], "main")
    archives = sorted((tree / "lib/auto").rglob("*.a"))
    for archive in archives:
        archive.unlink()
    words = [f"CC={tools.cc}", f"CCFLAGS={' '.join(FLAGS)}", "CCCDLFLAGS=", "OPTIMIZE=-O2"]
    words += [f"AR={tools.ar}", f"FULL_AR={tools.ar}", "RANLIB=:"]
    for folder in extensions(tree):
        for old in folder.glob("*.o"):
            old.unlink()
        tools.run("make", *words, "LINKTYPE=static", "static", cwd=folder)
    tools.link([*objects, *archives], program)


def extensions(tree):
    """The folders of modules in C, each before what is in it."""
    found = {path.parent for part in ("ext", "dist", "cpan") for path in (tree / part).rglob("Makefile")}
    return sorted(folder for folder in found if re.search(r"^OBJECT = *\S", (folder / "Makefile").read_text(), re.M))


def modules(tools, tree, out):
    """The modules in Perl, and what they read."""
    for file in (tree / "lib").rglob("*"):
        name = file.relative_to(tree / "lib")
        wanted = file.suffix in (".pm", ".pl", ".al", ".ix", ".enc") or file.name in TABLES
        if file.is_file() and (wanted or name.parts[:2] == ("unicore", "lib")):
            place = out / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
    (out / "pod").mkdir()
    shutil.copyfile(tree / "pod/perldiag.pod", out / "pod/perldiag.pod")


def scripts(tree, out):
    """The commands besides perl; `commands.c` runs them."""
    commands = tomllib.loads(Path(__file__).with_name("pack.toml").read_text())["commands"]
    out.mkdir()
    for name in commands:
        if name != "perl":
            places = [tree / "utils" / name, *tree.glob(f"cpan/*/{name}"), *tree.glob(f"cpan/*/scripts/{name}")]
            source = next(path for path in places if path.is_file())
            shutil.copyfile(source, out / name)


if __name__ == "__main__":
    main(Path(sys.argv[2]).absolute())
