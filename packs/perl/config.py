"""perl's config.sh for the sandbox.

Debian's source has one of each machine that it builds perl for by another. That of a 32-bit Linux is the start;
`config.txt` says what the machine and the system have otherwise; a function that the C library lacks, or a header, is
not there.
"""

import re
from pathlib import Path

#: Names of `d_NAME` that are another word for a function.
FUNCTIONS = {
    "gettimeod": "gettimeofday", "getgrps": "getgroups", "setgrps": "setgroups", "gethname": "gethostname", "getpagsz": "getpagesize",
    "getprior": "getpriority", "setprior": "setpriority", "sockpair": "socketpair", "inetaton": "inet_aton", "inetntop": "inet_ntop",
    "inetpton": "inet_pton", "locconv": "localeconv", "getspnam": "getspnam", "phostname": "gethostname", "htonl": "htonl",
}
for what, function in {"h": "host", "n": "net", "p": "proto", "s": "serv"}.items():
    for name in ("get%sent", "set%sent", "end%sent", "get%sbyname", "get%sbyaddr", "get%sbynumber", "get%sbyport"):
        FUNCTIONS[name % what] = name % function

#: Names that are no functions: types, members, macros, properties.
OTHERS = re.compile(
    r"PRI.*|SCN.*|attribute_.*|builtin_.*|c99_.*|cast.*|.*_s|.*proto|.*protos|double_.*|eofnblk|fcntl_can_lock|fd_macros|fd_set|fds_bits"
    r"|flexfnam|.*_uses_prototypes|getenv_preserves.*|grpasswd|.*_t|ip_mreq.*|ipv6_mreq.*|isfinite|isless|isinf|isinfl|isnan|isnanl|isnormal"
    r"|signbit|fpclassify|finite|finitel|ldbl_dig|lc_monetary_2008|long_double.*|longdbl|longlong|localtime_r_needs_tzset|msg_.*|non_int_.*"
    r"|nv_.*|open3|portable|pwgecos|pwpasswd|quad|siginfo_.*|sigsetjmp|sin6_.*|sockaddr_.*|scm_rights|statblks|static_inline|stat|thread_local|tm_.*"
    r"|u32align|voidsig|tzname|fork|timeval|.*dirfd|isascii|isblank|sig.*set|archlib|sitearch|vendor.*|void.*|htonl|stdstdio"
)


def write(tree, tools, out):
    """Writes config.sh."""
    values = read(tree / "debian/cross/i386/config.sh.static")
    symbols = tools.symbols()
    for name, value in values.items():
        if name.startswith("d_") and value == "define" and not OTHERS.fullmatch(name[2:]):
            values[name] = "define" if FUNCTIONS.get(name[2:], name[2:]) in symbols else "undef"
    # glibc takes `L` for integers, too.
    values.update((name, re.sub(r'^"L([diouxX])"$', r'"ll\1"', value)) for name, value in values.items())
    for name, header in headers(tree).items():
        if values.get(name) == "define":
            values[name] = "define" if tools.header(header) else "undef"
    for line in (Path(__file__).parent / "config.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            values[name] = value
    values.update(cf_time="-", cf_by="-", cf_email="-", myhostname="sandbox", mydomain="", myuname="wasi", perladmin="-")
    values.update((name, "") for name in values if name.startswith("config_arg"))
    values["config_argc"] = "0"
    values.update((name, "") for name in ("cppsymbols", "cppccsymbols", "ccsymbols", "incpth", "libspath", "libsfound", "libsdirs"))
    out.write_text("#!/bin/sh\n" + "".join(f"{name}='{value}'\n" for name, value in values.items()) + "PERL_CONFIG_SH=true\n")


def read(path):
    """The values of a config.sh."""
    found = re.findall(r"^([A-Za-z_][A-Za-z0-9_]*)='((?:[^']|'\"'\"')*)'$", path.read_text(), re.M)
    return {name: value.replace("'\"'\"'", "'") for name, value in found}


def headers(tree):
    """Which header each `i_NAME` is about: config_h.SH says it."""
    text = (tree / "config_h.SH").read_text()
    about = {symbol: re.search(r"<([\w/.]+)>", words) for symbol, words in re.findall(r"^/\* (I_\w+):\n(.*?)\*/", text, re.M | re.S)}
    pairs = re.findall(r"^#\$(i_\w+)\s+(I_\w+)", text, re.M)
    return {name: about[symbol][1] for name, symbol in pairs if about.get(symbol)}
