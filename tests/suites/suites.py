"""The suites: what package, which programs of ours stand in for the machine's, and what its tests are.

Nothing is configured or compiled. What a test wants of a build (`config.h`, a program of the build) it finds missing and
skips.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from execute import Test


@dataclass
class Suite:
    """`tests(tree, bin_dir)` lists the tests of the unpacked source; `programs` are put first in PATH."""

    package: str
    programs: list
    tests: object
    one_at_a_time: bool = False


# Scripts of gnulib's test framework -----------------------------------------------------------------------------------

NO_TESTS = {
    "init.sh", "init.cfg", "test-lib.sh", "envvar-check", "lang-default", "other-fs-tmpdir", "bsd-wrapper.sh", "no-perl",
    "sample-test", "d_type-check", "get-mb-cur-max", "t-local.sh", "create-test.sh", "run.sh",
    "GNUmakefile", "Makefile", "Makefile.in",
}


def gnulib(folder, version, at_top=False):
    """Executable scripts below `folder`, run there or (`at_top`) where the source is."""

    def tests(tree, bin_dir):
        (tree / "config.h").touch()
        top = tree if at_top else tree / folder
        # Some tests name a program by where the build would have put it.
        for program in bin_dir.iterdir():
            if program.is_symlink() and (tree / "src").is_dir() and not (tree / "src" / program.name).exists():
                (tree / "src" / program.name).symlink_to(program)
        for path in sorted((tree / folder).rglob("*")):
            if path.name in NO_TESTS or not is_script(path):
                continue
            name = str(path.relative_to(tree / folder))
            environment = {
                "VERSION": version,
                "PACKAGE_VERSION": version,
                "PACKAGE_BUGREPORT": "bug-reports",
                "LOCALE_FR": "none",
                "LOCALE_FR_UTF8": "none",
                "LOCALE_JA": "none",
                "AWK": "awk",
                "EGREP": "grep -E",
                "GREP": "grep",
                "CC": "gcc",
                "MAKE": "make",
                "PERL": "perl",
                "CONFIG_HEADER": str(tree / "config.h"),
                "abs_top_builddir": str(tree),
                "abs_top_srcdir": str(tree),
                "abs_srcdir": str(top),
                "srcdir": ".",
                "top_srcdir": str(os.path.relpath(tree, top)),
                "built_programs": " ".join(p.name for p in bin_dir.iterdir() if p.is_symlink()),
                "host_triplet": "x86_64-pc-linux-gnu",
                "fail": "0",
                "SED_TEST_NAME": name.replace("/", "-"),
                "TEST_NAME": name.replace("/", "-"),
                "PATCH": str(bin_dir / "patch") if (bin_dir / "patch").exists() else "/usr/bin/patch",
                "TERM": "dumb",
            }
            command = ["bash", path]
            if path.suffix == ".pl":
                modules = [f"-I{tree / folder}", "-MCuSkip", "-MCoreutils", f"-MCuTmpdir qw({name.replace('/', '-')})"]
                command = ["perl", "-w", *modules, path]
            yield Test(name, command, top, environment)

    return tests


def is_script(path):
    if not path.is_file() or path.suffix not in ("", ".sh", ".pl"):
        return False
    with open(path, "rb") as file:
        first = file.readline()
    return first.startswith(b"#")


# gawk: each test is a target of a Makefile, which leaves `_NAME` when the output differs ------------------------------


def gawk(tree, bin_dir):
    text = (tree / "test/Makefile.in").read_text()
    text = re.sub(r"^@[A-Z_]+@", "", text, flags=re.MULTILINE)
    text = text.replace("@PATH_SEPARATOR@", ":")
    text = re.sub(r"@[A-Za-z_]+@", "", text)
    # Tests read the second one.
    for name in ("GNUmakefile", "Makefile"):
        (tree / "test" / name).write_text(text)
    words = []
    for variable in ("BASIC_TESTS", "UNIX_TESTS", "GAWK_EXT_TESTS"):
        words += re.search(rf"^{variable} = ((?:.*\\\n)*.*)", text, re.MULTILINE)[1].replace("\\\n", " ").split()
    awk = bin_dir / "gawk" if (bin_dir / "gawk").exists() else "/usr/bin/gawk"
    # Some tests run what was built.
    (tree / "gawk").symlink_to(awk)
    for name in sorted(set(words)):
        command = ["make", "-s", f"AWKPROG={awk}", "srcdir=.", "CMP=cmp", "SHELL=/bin/bash", "abs_srcdir=.", name]

        def judge(status, log, name=name):
            return "pass" if status == 0 and not (tree / f"test/_{name}").exists() else "fail"

        yield Test(name, command, tree / "test", {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"}, judge)


# bash: scripts that print how the output differs from what is right ---------------------------------------------------


def bash(tree, bin_dir):
    shell = bin_dir / "bash" if (bin_dir / "bash").exists() else "/bin/bash"
    folder = tree / "tests"
    compile_printers(tree)
    for path in sorted(folder.glob("run-*")):
        if path.name in ("run-all", "run-minimal", "run-gprof", "run-jobs") or path.suffix:
            continue
        name = path.name.removeprefix("run-")
        environment = {
            "THIS_SH": str(shell),
            "BUILD_DIR": str(tree),
            "BASH_TSTOUT": str(tree / f"out-{name}"),
            "PATH": f".:{folder}:/usr/local/bin:/usr/bin:/bin",
            "LC_ALL": "",
            "LANG": "C.UTF-8",
            "HOME": str(folder),
            "TERM": "dumb",
            "USER": "user",
            "LOGNAME": "user",
        }
        yield Test(name, ["sh", path.name], folder, environment, no_difference)


def compile_printers(tree):
    """The programs that the tests print with, which the package compiles with bash."""
    (tree / "tests/config.h").write_text("".join(f"#define HAVE_{name}_H 1\n" for name in ("STDLIB", "STRING", "UNISTD")))
    includes = [f"-I{tree / folder}" for folder in ("tests", ".", "include")]
    for name in ("recho", "zecho", "printenv", "xcase"):
        command = ["gcc", "-w", "-DHAVE_CONFIG_H", *includes, "-o", tree / "tests" / name, tree / f"support/{name}.c"]
        subprocess.run(command, check=True)


def no_difference(status, log):
    return "pass" if status == 0 and not re.search(rb"^[<>] ", log, re.MULTILINE) else "fail"


# jq: programs with their inputs and outputs, run one by one -----------------------------------------------------------


def jq(tree, bin_dir):
    program = bin_dir / "jq" if (bin_dir / "jq").exists() else "/usr/bin/jq"
    runner = shutil.copy(Path(__file__).with_name("jq_case.py"), tree)
    for path in sorted((tree / "tests").glob("*.test")):
        blocks = re.split(r"\n\s*\n", re.sub(r"^#.*\n?", "", path.read_text(), flags=re.MULTILINE))
        for number, block in enumerate(filter(str.strip, blocks), 1):
            name = f"{path.stem}-{number:03}"
            case = tree / f"case-{name}"
            case.write_text(block.strip("\n") + "\n")
            yield Test(name, ["python3", runner, program, tree / "tests/modules", case], tree, {"LC_ALL": "C.UTF-8"})


# What Debian has from coreutils. Of `kill`, `hostname` and `uptime` it has others.
COREUTILS = """
    arch b2sum base32 base64 basename basenc cat chgrp chmod chown chroot cksum comm cp csplit cut date dd df dir
    dircolors dirname du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls
    md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pr printenv printf ptx pwd readlink
    realpath rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty sum
    sync tac tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq unlink users vdir wc who whoami yes
""".split()

SUITES = {
    "coreutils": Suite("coreutils", COREUTILS, gnulib("tests", "9.1", at_top=True)),
    "diffutils": Suite("diffutils", ["diff", "cmp", "diff3", "sdiff"], gnulib("tests", "3.8")),
    "findutils": Suite("findutils", ["find", "xargs"], gnulib("tests", "4.9.0", at_top=True)),
    "grep": Suite("grep", ["grep", "egrep", "fgrep"], gnulib("tests", "3.8")),
    "gzip": Suite("gzip", ["gzip", "gunzip", "zcat", "zgrep", "zegrep", "zfgrep"], gnulib("tests", "1.12")),
    "patch": Suite("patch", ["patch"], gnulib("tests", "2.7.6")),
    "sed": Suite("sed", ["sed"], gnulib("testsuite", "4.9", at_top=True)),
    "gawk": Suite("gawk", ["gawk"], gawk),
    "bash": Suite("bash", ["bash"], bash),
    "jq": Suite("jq", ["jq"], jq),
}
