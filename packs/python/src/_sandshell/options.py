"""The interpreter's options, those of `python3 --help`, for an interpreter that is already initialised."""

import copy
import os
import sys
from dataclasses import dataclass, field

from . import environments, prepare

USAGE = "usage: {0} [option] ... [-c cmd | -m mod | file | -] [arg] ...\n"
HELP = USAGE + """\
Options (and corresponding environment variables):
-b     : warn where bytes are converted to a string or compared with one (-bb: an error)
-B     : don't write .pyc files on import; also PYTHONDONTWRITEBYTECODE=x
-c cmd : program passed in as string (terminates option list)
-E     : ignore PYTHON* environment variables (such as PYTHONPATH)
-h     : print this help message and exit (also -? or --help)
-i     : inspect interactively after running script; also PYTHONINSPECT=x
-I     : isolate Python from the user's environment (implies -E, -P and -s)
-m mod : run library module as a script (terminates option list)
-O     : remove assert and __debug__-dependent statements; also PYTHONOPTIMIZE=x
-OO    : do -O changes and also discard docstrings
-P     : don't prepend a potentially unsafe path to sys.path; also PYTHONSAFEPATH
-q     : don't print version and copyright messages on interactive startup
-s     : don't add user site directory to sys.path; also PYTHONNOUSERSITE=x
-S     : don't imply 'import site' on initialization
-u     : force the stdout and stderr streams to be unbuffered; also PYTHONUNBUFFERED=x
-v     : verbose (trace import statements); also PYTHONVERBOSE=x
-V     : print the Python version number and exit (also --version)
         when given twice, print more information about the build
-W arg : warning control (arg is action:message:category:module:lineno); also PYTHONWARNINGS=arg
-x     : skip first line of source, allowing use of non-Unix forms of #!cmd
-X opt : set implementation-specific option
--check-hash-based-pycs always|default|never:
         whether .pyc files with a hash of their source are compared with it
file   : program read from script file
-      : program read from stdin (default; interactive mode if a tty)
arg ...: arguments passed to program in sys.argv[1:]
"""
HELP_ENV = """\
Environment variables that have an effect:
PYTHON_CPU_COUNT        : the number of processors that os.cpu_count returns; also -X cpu_count
PYTHONDEVMODE           : enable the development mode; also -X dev
PYTHONDONTWRITEBYTECODE : don't write .pyc files (-B)
PYTHONFAULTHANDLER      : enable faulthandler; also -X faulthandler
PYTHONINSPECT           : inspect interactively after running a script (-i)
PYTHONINTMAXSTRDIGITS   : limit of digits in conversions of int and str; also -X int_max_str_digits
PYTHONIOENCODING        : encoding[:errors] of the standard streams
PYTHONNODEBUGRANGES     : compile without positions in lines; also -X no_debug_ranges
PYTHONNOUSERSITE        : disable the user site directory (-s)
PYTHONOPTIMIZE          : enable level 1 of optimizations (-O)
PYTHONPATH              : ':'-separated directories put before the default search path
PYTHONPROFILEIMPORTTIME : print how long each import takes; also -X importtime
PYTHONPYCACHEPREFIX     : root of the directory tree for bytecode cache; also -X pycache_prefix
PYTHONSAFEPATH          : don't prepend a potentially unsafe path to sys.path (-P)
PYTHONSTARTUP           : file executed on interactive startup
PYTHONTRACEMALLOC       : trace where memory is allocated; also -X tracemalloc
PYTHONUNBUFFERED        : disable buffering of stdout and stderr (-u)
PYTHONUSERBASE          : base directory of the user's own packages
PYTHONUTF8              : control the UTF-8 mode; also -X utf8
PYTHONVERBOSE           : trace import statements (-v)
PYTHONWARNDEFAULTENCODING: warn of text files without encoding; also -X warn_default_encoding
PYTHONWARNINGS          : warning control (-W)
PYTHONHOME, PYTHONHASHSEED and others that concern the start of the interpreter have none.
"""
HELP_X = """\
Implementation-specific options that have an effect:
-X cpu_count=N            : the number of processors that os.cpu_count returns
-X dev                    : enable the development mode
-X faulthandler           : enable faulthandler
-X importtime[=2]         : print how long each import takes; 2: also of modules that are imported already
-X int_max_str_digits=N   : limit of digits in conversions of int and str
-X no_debug_ranges        : compile without the positions in lines that tracebacks underline
-X pycache_prefix=DIR     : write .pyc files to a tree rooted at this directory
-X thread_inherit_context=0|1: whether threads start with a copy of the context of what starts them
-X tracemalloc[=N]        : trace where memory is allocated, with N frames
-X utf8[=0|1]             : control the UTF-8 mode
-X warn_default_encoding  : warn of text files that are opened without an encoding
"""
#: Members of the interpreter's configuration that it looks at while it runs.
MEMBERS = ("bytes_warning", "code_debug_ranges", "cpu_count", "dev_mode", "import_time", "optimization_level", "parser_debug", "verbose",
           "warn_default_encoding")
#: Where each is in the configuration: 32 bits, which the recipe's `adapt/options.py` writes here.
OFFSETS = bytes(4 * len(MEMBERS))


def place():
    """For the build: the address of the offsets, and the members."""
    return (id(OFFSETS) + 16).to_bytes(4, "little") + " ".join(MEMBERS).encode()


@dataclass
class Options:
    """What a command line asks for."""

    name: str = "python3"
    argv: list = field(default_factory=lambda: [""])
    command: str | None = None
    module: str | None = None
    script: str | None = None
    environment: bool = True
    interactive: bool = False
    inspect: bool = False
    isolated: bool = False
    safe_path: bool = False
    user_site: bool = True
    site: bool = True
    unbuffered: bool = False
    bytecode: bool = True
    optimize: int = 0
    quiet: bool = False
    verbose: int = 0
    debug: int = 0
    bytes_warning: int = 0
    skip_line: bool = False
    version: int = 0
    help: bool | str = False
    warnings: list = field(default_factory=list)
    x: dict = field(default_factory=dict)
    #: The values of variables that mean the same as an option of -X.
    x_variables: dict = field(default_factory=dict)
    random: bool = False
    pycs: str = "default"
    wrong: str | None = None


PYCS = ("default", "always", "never")
HELPS = {"--help": [HELP], "--help-env": [HELP_ENV], "--help-xoptions": [HELP_X], "--help-all": [HELP, HELP_ENV, HELP_X]}
#: Options that work only before the interpreter is initialised.
WITHOUT_EFFECT = {"-X perf", "-X perf_jit", "-X context_aware_warnings"}
#: The entry that was put first in `sys.path`; None if there is none.
path_0 = [None]

_FLAGS = {"E": ("environment", False), "i": ("interactive", True), "s": ("user_site", False), "S": ("site", False),
          "u": ("unbuffered", True), "B": ("bytecode", False), "q": ("quiet", True), "P": ("safe_path", True),
          "x": ("skip_line", True), "h": ("help", True), "?": ("help", True), "I": ("isolated", True),
          # Without effect, as in CPython: hashes are randomised anyway.
          "R": ("random", True), "t": ("random", True)}
_COUNTED = {"O": "optimize", "v": "verbose", "V": "version", "b": "bytes_warning", "d": "debug"}


def parse(argv, environ):
    """Reads a command line as getopt does."""
    chosen = Options(name=argv[0] if argv else "python3")
    base = os.path.basename(chosen.name)
    rest = argv[1:]
    if base.startswith("pip"):
        rest = ["-m", "pip", *rest]
    index = 0
    while index < len(rest) and chosen.command is None and chosen.module is None:
        word = rest[index]
        if word == "-" or not word.startswith("-"):
            break
        index += 1
        if word == "--":
            break
        if word.startswith("--"):
            if word == "--version":
                chosen.version += 1
            elif word in HELPS:
                chosen.help = word
            elif word == "--check-hash-based-pycs":
                if index == len(rest):
                    chosen.wrong = f"Argument expected for the {word} options"
                    return chosen
                chosen.pycs = rest[index]
                index += 1
                if chosen.pycs not in PYCS:
                    chosen.wrong = f"{word} must be one of 'default', 'always', or 'never'"
            else:
                chosen.wrong = f"unknown option {word}"
            if chosen.wrong:
                return chosen
            continue
        at = 1
        while at < len(word):
            letter = word[at]
            at += 1
            if letter in _FLAGS:
                name, value = _FLAGS[letter]
                setattr(chosen, name, value)
            elif letter in _COUNTED:
                setattr(chosen, _COUNTED[letter], getattr(chosen, _COUNTED[letter]) + 1)
            elif letter in "cmWX":
                if at < len(word):
                    value = word[at:]
                elif index < len(rest):
                    value = rest[index]
                    index += 1
                else:
                    chosen.wrong = f"Argument expected for the -{letter} option"
                    return chosen
                at = len(word)
                _value(chosen, letter, value)
            else:
                chosen.wrong = "-J is reserved for Jython" if letter == "J" else f"Unknown option: -{letter}"
                return chosen
    rest = rest[index:]
    if chosen.command is not None:
        chosen.argv = ["-c", *rest]
    elif chosen.module is not None:
        chosen.argv = ["-m", *rest]
    elif rest:
        chosen.argv = rest
        if rest[0] != "-":
            chosen.script = rest[0]
    if chosen.isolated:
        chosen.environment, chosen.user_site, chosen.safe_path = False, False, True
    if chosen.environment:
        _variables(chosen, environ)
    chosen.inspect = chosen.interactive and (chosen.command is not None or chosen.module is not None
                                             or chosen.script is not None)
    return chosen


def _value(chosen, letter, value):
    if letter == "c":
        chosen.command = value + "\n"
    elif letter == "m":
        chosen.module = value
    elif letter == "W":
        chosen.warnings.append(value)
    else:
        name, separator, text = value.partition("=")
        chosen.x[name] = text if separator else True


def _variables(chosen, environ):
    def number(name):
        text = environ.get(name, "")
        return int(text) if text.isdecimal() else 1 if text else 0
    chosen.optimize = max(chosen.optimize, number("PYTHONOPTIMIZE"))
    chosen.verbose = max(chosen.verbose, number("PYTHONVERBOSE"))
    chosen.debug = max(chosen.debug, number("PYTHONDEBUG"))
    chosen.unbuffered |= bool(environ.get("PYTHONUNBUFFERED"))
    chosen.bytecode &= not environ.get("PYTHONDONTWRITEBYTECODE")
    chosen.user_site &= not environ.get("PYTHONNOUSERSITE")
    chosen.safe_path |= bool(environ.get("PYTHONSAFEPATH"))
    for option, name in _VARIABLES_OF_X.items():
        if environ.get(name):
            chosen.x_variables[option] = environ[name]
    if environ.get("PYTHONWARNINGS"):
        chosen.warnings[:0] = environ["PYTHONWARNINGS"].split(",")


#: The variables that mean the same as an option of -X.
_VARIABLES_OF_X = {
    "cpu_count": "PYTHON_CPU_COUNT", "dev": "PYTHONDEVMODE", "faulthandler": "PYTHONFAULTHANDLER",
    "importtime": "PYTHONPROFILEIMPORTTIME", "int_max_str_digits": "PYTHONINTMAXSTRDIGITS",
    "no_debug_ranges": "PYTHONNODEBUGRANGES", "tracemalloc": "PYTHONTRACEMALLOC",
    "thread_inherit_context": "PYTHON_THREAD_INHERIT_CONTEXT", "warn_default_encoding": "PYTHONWARNDEFAULTENCODING",
}


def _number_of(chosen, option, wrong, least, otherwise=None):
    """The number that an option of -X has, or its variable; None if neither is given."""
    value = chosen.x.get(option, chosen.x_variables.get(option))
    if value is None:
        return None
    if value is True and otherwise is not None:
        return otherwise
    if not (isinstance(value, str) and value.isdecimal() and value.isascii() and least <= int(value) < 1 << 31):
        raise Fatal(wrong)
    return int(value)


class Fatal(Exception):
    """An option with a value that CPython does not start with."""

    def __init__(self, message, state="preinitialized"):
        super().__init__(f"Fatal Python error: {message}\nPython runtime state: {state}\n")


def _seed_is_wrong(environ):
    """Whether the hash seed is invalid; a valid one has no effect."""
    seed = environ.get("PYTHONHASHSEED") or "random"
    return seed != "random" and not (seed.isdecimal() and int(seed) < 1 << 32)


def ended(chosen):
    """The exit status if the options do not run a program; None otherwise."""
    if chosen.environment and _seed_is_wrong(os.environ):
        print('Fatal Python error: config_init_hash_seed: PYTHONHASHSEED must be "random" or an integer in range '
              "[0; 4294967295]\nPython runtime state: preinitialized\n", file=sys.stderr)
        return _flushed(1)
    for name in sorted(WITHOUT_EFFECT & {f"-X {x}" for x in chosen.x}):
        print(f"{chosen.name}: {name} has no effect here: the interpreter was started when it was built",
              file=sys.stderr)
    if chosen.wrong:
        name = chosen.name
        print(chosen.wrong, file=sys.stderr)
        print(USAGE.format(name) + f"Try `python -h' for more information.", file=sys.stderr)
        return _flushed(2)
    if chosen.help:
        parts = HELPS.get(chosen.help, HELPS["--help"])
        print("\n".join(parts).format(chosen.name), end="")
        return _flushed(0)
    if chosen.version:
        print(f"Python {sys.version if chosen.version > 1 else sys.version.split()[0]}")
        return _flushed(0)
    return None


def _flushed(code):
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def apply(chosen):
    """Applies the options. Raises Fatal for a value that is wrong."""
    if chosen.x.get("gil", "1") != "1":
        raise Fatal("config_read_gil: Disabling the GIL is not supported by this build")
    if chosen.x.get("frozen_modules", "on") not in ("on", "off", True):
        raise Fatal('bad value for option -X frozen_modules (expected "on" or "off")')
    utf8_mode = _utf8_mode(chosen)
    _coerce_locale(chosen)
    dev = "dev" in chosen.x or "dev" in chosen.x_variables
    if chosen.bytes_warning:
        chosen.warnings.append(f"{'default' if chosen.bytes_warning == 1 else 'error'}::BytesWarning")
    if dev:
        chosen.warnings.insert(0, "default")
    chosen.warnings = list(dict.fromkeys(chosen.warnings))
    changes = dict(
        debug=chosen.debug, inspect=int(chosen.interactive), interactive=int(chosen.interactive),
        optimize=chosen.optimize, dont_write_bytecode=int(not chosen.bytecode),
        no_user_site=int(not chosen.user_site), no_site=int(not chosen.site),
        ignore_environment=int(not chosen.environment), verbose=chosen.verbose, bytes_warning=chosen.bytes_warning,
        quiet=int(chosen.quiet), isolated=int(chosen.isolated), safe_path=chosen.safe_path, dev_mode=dev, utf8_mode=utf8_mode,
        warn_default_encoding=int(_is_given(chosen, "warn_default_encoding")), thread_inherit_context=_inherits(chosen))
    different = {name: value for name, value in changes.items() if getattr(sys.flags, name) != value}
    if different:
        sys.flags = copy.replace(sys.flags, **different)
    _configure(chosen, different)
    sys._xoptions = chosen.x
    sys.dont_write_bytecode = not chosen.bytecode
    sys.warnoptions[:] = chosen.warnings
    if chosen.warnings:
        import warnings
        warnings._processoptions(chosen.warnings)
    if chosen.pycs != "default":
        import _imp
        _imp.check_hash_based_pycs = chosen.pycs
    if "int_max_str_digits" in chosen.x or "int_max_str_digits" in chosen.x_variables:
        _digits(chosen.x.get("int_max_str_digits", chosen.x_variables.get("int_max_str_digits")))
    _trace(chosen, dev)
    prefix = chosen.x.get("pycache_prefix", os.environ.get("PYTHONPYCACHEPREFIX") if chosen.environment else None)
    if prefix and isinstance(prefix, str):
        sys.pycache_prefix = prefix
    _path(chosen)
    if not chosen.site:
        _without_site()


def _is_given(chosen, option):
    return option in chosen.x or option in chosen.x_variables


def _inherits(chosen):
    given = chosen.x.get("thread_inherit_context", chosen.x_variables.get("thread_inherit_context", "0"))
    if given not in ("0", "1"):
        raise Fatal("config_init_thread_inherit_context: -X thread_inherit_context must be \"0\" or \"1\"")
    return int(given)


#: Members of the configuration whose flag in `sys.flags` has another name.
_FLAG_OF = {"optimization_level": "optimize", "parser_debug": "debug"}


def _configure(chosen, flags):
    """Changes the interpreter's configuration: as these flags of `sys.flags`, and what has no flag."""
    changes = {name: int(flags[flag]) for name in MEMBERS if (flag := _FLAG_OF.get(name, name)) in flags}
    if _is_given(chosen, "importtime"):
        value = chosen.x.get("importtime", chosen.x_variables.get("importtime"))
        changes["import_time"] = 2 if value == "2" else 1
    if _is_given(chosen, "no_debug_ranges"):
        changes["code_debug_ranges"] = 0
    wrong = "config_init_cpu_count: -X cpu_count=n option: n is missing or an invalid number, n must be greater than 0"
    if chosen.x.get("cpu_count", chosen.x_variables.get("cpu_count")) != "default":
        count = _number_of(chosen, "cpu_count", wrong, 1)
        if count is not None:
            changes["cpu_count"] = count
            os.process_cpu_count = os.cpu_count
    if changes:
        from .foreign import memory
        place = memory.configuration()
        for name, value in changes.items():
            at = 4 * MEMBERS.index(name)
            memory.set_word(place + int.from_bytes(OFFSETS[at:at + 4], "little"), value)


def _trace(chosen, dev):
    """Starts what -X and variables ask for at the beginning."""
    frames = _number_of(chosen, "tracemalloc", "config_init_tracemalloc: -X tracemalloc=NFRAME: invalid number of frames", 0, 1)
    if frames:
        import tracemalloc
        tracemalloc.start(frames)
    if dev or _is_given(chosen, "faulthandler"):
        import faulthandler
        faulthandler.enable()


def _utf8_mode(chosen):
    """UTF-8 mode is on if it was asked for or if the locale is C; the standard streams are UTF-8 in any case."""
    asked = chosen.x.get("utf8", (os.environ.get("PYTHONUTF8") or None) if chosen.environment else None)
    if asked not in (None, True, "0", "1"):
        given = "-X utf8 option" if "utf8" in chosen.x else "PYTHONUTF8 environment variable"
        raise Fatal(f"preconfig_init_utf8_mode: invalid {given} value", "preinitializing")
    return int(asked in (True, "1") if asked is not None else _is_c("LC_ALL", "LC_CTYPE", "LANG"))


def _coerce_locale(chosen):
    """If the locale is C, sets LC_CTYPE to C.UTF-8 for this program and its children (PEP 538)."""
    asked = os.environ.get("PYTHONCOERCECLOCALE") if chosen.environment else None
    if asked == "0" or os.environ.get("LC_ALL") or not _is_c("LC_CTYPE", "LANG"):
        return
    if asked == "warn":
        print("Python detected LC_CTYPE=C: LC_CTYPE coerced to C.UTF-8 (set another locale or PYTHONCOERCECLOCALE=0 to disable this "
              "locale coercion behavior).", file=sys.stderr)
    os.environ["LC_CTYPE"] = "C.UTF-8"


def _is_c(*names):
    """Whether the first of these variables that is set means the C locale; the only other locale is C.UTF-8."""
    chosen = next((os.environ[name] for name in names if os.environ.get(name)), "C")
    return chosen.lower().replace("-", "") != "c.utf8"


def _digits(limit):
    try:
        sys.set_int_max_str_digits(int(limit))
    except (TypeError, ValueError):
        raise Fatal("config_init_int_max_str_digits: -X int_max_str_digits: invalid limit; must be >= 640 or 0 for "
                    "unlimited.") from None


def _without_site():
    """Removes what importing `site` added."""
    import builtins
    sys.modules.pop("site", None)
    for name in ("exit", "quit", "copyright", "credits", "license", "help"):
        if hasattr(builtins, name):
            delattr(builtins, name)


def _path(chosen):
    """Builds sys.path as `getpath` and `site` do."""
    library = prepare.LIBRARY
    environments.enter(chosen.name)
    first = []
    if not chosen.safe_path:
        if chosen.module is not None:
            first = [os.getcwd()]
        elif chosen.script is not None:
            first = [os.path.dirname(os.path.realpath(chosen.script))]
        else:
            first = [""]
    path_0[0] = first[0] if first else None
    listed = os.environ.get("PYTHONPATH", "") if chosen.environment else ""
    variables = [os.path.abspath(entry) for entry in listed.split(":")] if listed else []
    version = prepare.VERSION
    sys.path[:] = variables + [f"/usr/lib/python{version.replace('.', '')}.zip", library, f"{library}/lib-dynload"]
    if chosen.site:
        _site(chosen)
    sys.path[:0] = first


def _site(chosen):
    """Adds the directories of installed packages with their .pth files, and runs sitecustomize."""
    import site
    site.ENABLE_USER_SITE = chosen.user_site
    site.USER_BASE = os.path.join(os.environ.get("HOME", "/home/user"), ".local")
    if chosen.environment and os.environ.get("PYTHONUSERBASE"):
        site.USER_BASE = os.environ["PYTHONUSERBASE"]
    site.USER_SITE = f"{site.USER_BASE}/lib/python{prepare.VERSION}/site-packages"
    site.PREFIXES = [sys.prefix, sys.exec_prefix]
    known = set(sys.path)
    directories = []
    if environments.is_entered():
        site.venv(known)
    if site.ENABLE_USER_SITE:
        directories.append(site.USER_SITE)
    if sys.base_prefix in site.PREFIXES:
        directories.append(f"/usr/local/lib/python{prepare.VERSION}/site-packages")
        directories.append(f"{prepare.LIBRARY}/site-packages")
    for directory in directories:
        if _is_directory(directory):
            site.addsitedir(directory, known)
    # The default directories do not contain such modules.
    if chosen.environment and os.environ.get("PYTHONPATH") or site.USER_SITE in sys.path or environments.is_entered():
        site.execsitecustomize()
        if site.ENABLE_USER_SITE:
            site.execusercustomize()


def _is_directory(path):
    try:
        return os.stat(path).st_mode & 0o170000 == 0o040000
    except OSError:
        return False
