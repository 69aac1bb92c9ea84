"""The modules that are imported during the build, so that importing them later costs nothing."""

import importlib.util
import sys

MODULES = """
__future__ _compat_pickle _strptime abc argparse array ast asyncio atexit base64 binascii bisect bz2 calendar cmath code
codecs codeop collections collections.abc colorsys compileall concurrent.futures concurrent.futures.process
concurrent.futures.thread configparser contextlib contextvars copy
copyreg csv ctypes ctypes._layout ctypes.util ctypes.wintypes dataclasses datetime decimal difflib dis doctest email email.message email.mime.multipart
email.mime.text email.parser encodings.ascii encodings.cp1252 encodings.idna encodings.latin_1 encodings.utf_16
encodings.utf_8_sig enum errno faulthandler filecmp fileinput fnmatch fractions functools gc getopt getpass gettext glob
graphlib gzip hashlib heapq hmac html html.entities html.parser http http.client http.cookies imaplib importlib
importlib.machinery importlib.metadata importlib.resources importlib.util inspect io ipaddress itertools json
json.decoder json.encoder keyword linecache locale logging logging.config logging.handlers lzma marshal math mimetypes
mmap multiprocessing
multiprocessing.connection multiprocessing.context multiprocessing.managers multiprocessing.pool
multiprocessing.popen_spawn_posix multiprocessing.process multiprocessing.resource_tracker multiprocessing.spawn
multiprocessing.queues multiprocessing.synchronize numbers opcode operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib
posixpath pprint pstats queue quopri random re reprlib rlcompleter runpy sched secrets select selectors shelve shlex
shutil signal site smtplib socket sqlite3 sre_compile ssl stat statistics string struct subprocess symtable sys sysconfig
tabnanny tarfile tempfile textwrap threading time timeit token tokenize tomllib trace traceback tracemalloc types typing
unicodedata unittest unittest.mock urllib.error urllib.parse urllib.request uuid venv warnings weakref xml.dom.minidom
xml.etree.ElementTree zipfile zipimport zlib zoneinfo zoneinfo._zoneinfo
"""


def load():
    """Imports what there is of the list."""
    from . import packages
    _platform()
    _with_fork()
    for name in MODULES.split():
        try:
            importlib.import_module(name)
        except ImportError:
            # Some modules need C modules that WASI's interpreter lacks.
            pass
    packages.load()
    from . import aio, bytecode, environments, hashes, refusals, semaphores
    aio.install()
    hashes.install()
    refusals.install_network()
    bytecode.install()
    environments.install()
    semaphores.limit()
    refusals.install_absent()
    import sysconfig
    import tempfile
    # The directory that was found during the build is not that of a later program.
    tempfile.tempdir = None
    sysconfig._CONFIG_VARS = None
    sysconfig._CONFIG_VARS_INITIALIZED = False


def _with_fork():
    """Imports the module that defines classes only where there is `fork`; they are there, and calling it fails."""
    import os
    import selectors
    import socket
    import threading

    from . import processes
    os.fork = processes.fork
    import socketserver
    del os.fork


def _platform():
    """Makes `sysconfig` describe the build, and name a platform for which no binary packages exist."""
    import sysconfig
    data = next((name for name in _names_of_data() if importlib.util.find_spec(name)), None)
    if data:
        known = sys.modules[sysconfig._get_sysconfigdata_name()] = importlib.import_module(data)
        # An empty path is not a directory for wheels.
        known.build_time_vars.pop("WHEEL_PKG_DIR", None)
        arguments = known.build_time_vars.get("CONFIG_ARGS", "")
        if arguments.count("'") % 2:
            # The build truncated it in the middle of an argument; CPython's own tests parse it like a shell.
            known.build_time_vars["CONFIG_ARGS"] = f"{arguments}'"
    sysconfig.get_platform = lambda: "wasi-wasm32"


def _names_of_data():
    for platform in ("wasi", "linux"):
        yield f"_sysconfigdata__{platform}_{sys.implementation._multiarch}"
