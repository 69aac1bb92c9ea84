"""The folder of programs that a suite finds first in PATH."""

import re
import shutil
import subprocess


def link(folder, names, guests):
    """Fills `folder`: with `names` (all for None) from the folder `guests`, or the machine's own if that is None."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    helper = folder / "getlimits"
    helper.write_text("#!/bin/sh\ncat <<'END'\n" + limits() + "END\n")
    helper.chmod(0o755)
    if guests is None:
        for name in ["ginstall"] if names is None else names:
            (folder / name).symlink_to(shutil.which("install" if name == "ginstall" else name))
        return
    # The links lead to copies: the tests' user may be kept from the build's folder.
    for program in ("util", "sh"):
        shutil.copy(guests / program, folder / f".{program}")
    for name in applets(guests / "util") if names is None else names:
        (folder / name).symlink_to(".sh" if name in ("bash", "sh") else ".util")
    if names is None:
        # As coreutils' build calls it; the name decides what our program does.
        wrapper = folder / "ginstall"
        wrapper.write_text(f'#!/bin/sh\nexec {folder}/install "$@"\n')
        wrapper.chmod(0o755)


def applets(util):
    """The names that `util` knows, without those that are the shell's business in a test."""
    listing = subprocess.run([util], capture_output=True, text=True).stderr
    found = re.findall(r"^  (\S+) ", listing, re.MULTILINE)
    return [name for name in found if name not in ("make", "awk", "gawk", "sed", "grep", "egrep", "fgrep", "[", "kill")]


def limits():
    """What coreutils' helper `getlimits` prints."""
    out = []

    def integer(name, low, high):
        out.append(f"{name}_MAX={high}\n{name}_OFLOW={high + 1}\n")
        if low < 0:
            out.append(f"{name}_MIN={low}\n{name}_UFLOW={low - 1}\n")

    def signed(name, bits):
        integer(name, -(1 << bits - 1), (1 << bits - 1) - 1)

    def unsigned(name, bits):
        integer(name, 0, (1 << bits) - 1)

    for name, bits in dict(CHAR=8, SCHAR=8, SHRT=16, INT=32, LONG=64, SSIZE=64, TIME_T=64, PID_T=32, OFF_T=64, INTMAX=64).items():
        signed(name, bits)
    for name, bits in dict(UCHAR=8, UINT=32, ULONG=64, SIZE=64, UID_T=32, GID_T=32, UINTMAX=64).items():
        unsigned(name, bits)
    out.append("FLT_MIN=1.17549435e-38\nFLT_MAX=3.40282347e+38\n")
    out.append("DBL_MIN=2.2250738585072014e-308\nDBL_MAX=1.7976931348623157e+308\n")
    out.append("LDBL_MIN=3.36210314311209350626e-4932\nLDBL_MAX=1.18973149535723176502e+4932\n")
    out.append("SIGRTMIN=34\nSIGRTMAX=64\nIO_BUFSIZE=131072\n")
    return "".join(out)
