"""The folder of programs that a suite finds first in PATH."""

import shutil


def link(folder, names, guests):
    """Fills `folder` with `names` from the folder `guests`, or the machine's own if that is None."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    script(folder / "getlimits", "cat <<'END'\n" + limits() + "END\n")
    if guests is None:
        for name in names:
            (folder / name).symlink_to(shutil.which(name))
    else:
        # The links lead to copies: the tests' user may be kept from the build's folder.
        for program in ("util", "sh"):
            shutil.copy(guests / program, folder / f".{program}")
        for name in names:
            (folder / name).symlink_to(".sh" if name in ("bash", "sh") else ".util")
    if "install" in names:
        # As coreutils' build calls it; the name decides what our program does.
        script(folder / "ginstall", f'exec {folder}/install "$@"\n')


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


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

    for name in ("CHAR", "SCHAR"):
        signed(name, 8)
    signed("SHRT", 16)
    for name in ("INT", "PID_T"):
        signed(name, 32)
    for name in ("LONG", "SSIZE", "TIME_T", "OFF_T", "INTMAX"):
        signed(name, 64)
    unsigned("UCHAR", 8)
    for name in ("UINT", "UID_T", "GID_T"):
        unsigned(name, 32)
    for name in ("ULONG", "SIZE", "UINTMAX"):
        unsigned(name, 64)
    out.append("FLT_MIN=1.17549435e-38\nFLT_MAX=3.40282347e+38\n")
    out.append("DBL_MIN=2.2250738585072014e-308\nDBL_MAX=1.7976931348623157e+308\n")
    out.append("LDBL_MIN=3.36210314311209350626e-4932\nLDBL_MAX=1.18973149535723176502e+4932\n")
    out.append("SIGRTMIN=34\nSIGRTMAX=64\nIO_BUFSIZE=131072\n")
    return "".join(out)
