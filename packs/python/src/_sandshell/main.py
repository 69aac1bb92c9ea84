"""The interpreter's command line: does what `Py_RunMain` does, for an interpreter that is already running."""

import atexit
import builtins
import gc
import io
import os
import sys
import types
import weakref
from importlib.machinery import BuiltinImporter, SourceFileLoader

from wit_world.imports import files as file_calls
from wit_world.imports import processes as calls

from . import clocks, environments, files, kernel, options, packages, prepare, processes, signals, threads, zones


class Run:
    """The exported interface `wasi:cli/run`."""

    def run(self):
        """Runs the interpreter's command line; does not return."""
        run()


def run():
    """Runs the program that the arguments name and exits; never returns."""
    started = calls.invoked()
    signals.start()
    clocks.start()
    argv = [argument.decode("utf-8", "surrogateescape") for argument in started.argv]
    _environment(started.env)
    files.follow_directory() if started.cwd != b"/" else None
    code = 1
    try:
        chosen = options.parse(argv, os.environ)
        _streams(chosen)
        code = options.ended(chosen)
        if code is None:
            packages.start()
            code = _run(chosen, argv)
    except _Ended as ended:
        code = ended.code
    except options.Fatal as error:
        print(error, file=sys.stderr, flush=True)
        code = 1
    except BaseException as error:
        # A signal handler raised this after the end of the program.
        code = _last(error)
    calls.exit(code & 0xff)


def _environment(entries):
    data = os.environ._data
    data.clear()
    for entry in entries:
        name, separator, value = entry.partition(b"=")
        if separator and name:
            data.setdefault(name, value)
    processes.environment, processes.begun = dict(data), True


def _last(error):
    """The status for an exception that nothing else catches; it is reported if standard error still exists."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else error.code is not None
    try:
        sys.__excepthook__(type(error), error, error.__traceback__)
        sys.stderr.flush()
    except BaseException:
        pass
    return 1


class _Ended(BaseException):
    """The program has ended with this status."""

    def __init__(self, code):
        self.code = code


def _streams(chosen):
    """Opens sys.stdin, stdout and stderr as CPython does."""
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "").partition(":") if chosen.environment else ("",) * 3
    encoding = encoding or "utf-8"
    strict = errors or "surrogateescape"
    sys.stdin = sys.__stdin__ = _stream(0, "r", "<stdin>", encoding, strict, chosen)
    sys.stdout = sys.__stdout__ = _stream(1, "w", "<stdout>", encoding, strict, chosen)
    sys.stderr = sys.__stderr__ = _stream(2, "w", "<stderr>", encoding, "backslashreplace", chosen)


def _stream(fd, mode, name, encoding, errors, chosen):
    try:
        raw = io.FileIO(fd, mode, False)
    except OSError:
        return None
    terminal = file_calls.isatty(fd)
    raw.name = name
    if mode == "r":
        buffer = io.BufferedReader(raw, io.DEFAULT_BUFFER_SIZE)
    else:
        buffer = raw if chosen.unbuffered else io.BufferedWriter(raw, io.DEFAULT_BUFFER_SIZE)
    writes_through = mode == "w" and chosen.unbuffered
    stream = io.TextIOWrapper(buffer, encoding, errors, None if mode == "r" else "\n",
                              line_buffering=terminal or fd == 2, write_through=writes_through)
    stream.mode = mode
    return stream


def _run(chosen, argv):
    sys.modules["__main__"] = _main_module()
    sys.argv = chosen.argv
    sys.orig_argv = argv
    code = 0
    try:
        options.apply(chosen)
        zones.start(os.environ._data.get(b"TZ"))
        code = _guarded(_program, chosen, sys.modules["__main__"])
        if chosen.inspect or chosen.environment and os.environ.get("PYTHONINSPECT") and file_calls.isatty(0):
            code = _guarded(_interact, chosen, sys.modules.get("__main__") or _main_module())
    finally:
        code = _finish(code)
    return code


def _main_module():
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    main.__loader__ = BuiltinImporter
    return main


def _guarded(function, *arguments):
    """Runs a program; returns its status."""
    try:
        function(*arguments)
    except SystemExit as error:
        return _exit_status(error)
    except _Ended:
        raise
    except BaseException as error:
        return _uncaught(error)
    return 0


def _exit_status(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code)
    print(code, file=sys.stderr)
    return 1


def _uncaught(error):
    """Reports an exception that nobody caught."""
    kernel.end()
    traceback = error.__traceback__
    sys.last_exc, sys.last_type, sys.last_value, sys.last_traceback = error, type(error), error, traceback
    hook = sys.excepthook
    try:
        hook(type(error), error, traceback)
    except SystemExit as exit:
        return _exit_status(exit)
    except BaseException as other:
        print("Error in sys.excepthook:", file=sys.stderr)
        sys.__excepthook__(type(other), other, other.__traceback__)
        print("\nOriginal exception was:", file=sys.stderr)
        sys.__excepthook__(type(error), error, traceback)
    if isinstance(error, KeyboardInterrupt):
        _finish(0)
        calls.sigaction(signals.SIGINT, calls.Disposition.DEFAULT)
        calls.kill(calls.ids().pid, signals.SIGINT)
    return 1


def _program(chosen, main):
    if chosen.command is not None:
        _run_command(chosen.command, main, chosen)
    elif chosen.module is not None:
        _run_module(chosen.module)
    elif chosen.script is not None:
        source = _script(chosen.script, main)
        if source is not None:
            data, name = source
            _run_source(_without_first_line(data) if chosen.skip_line else data, name, main, chosen)
    elif chosen.interactive or file_calls.isatty(0):
        _interact(chosen, main)
    else:
        _run_source(sys.stdin.buffer.read(), "<stdin>", main, chosen)


def _run_command(command, main, chosen):
    import textwrap
    source = textwrap.dedent(command)
    code = compile(source, "<string>", "exec", 0, True, chosen.optimize)
    import linecache
    linecache._register_code(code, source, "<string>")
    exec(code, main.__dict__)


def _run_source(data, name, main, chosen):
    main.__file__ = name
    main.__cached__ = None
    main.__loader__ = SourceFileLoader("__main__", name)
    exec(_compiled(data, name, chosen), main.__dict__)


def _compiled(data, name, chosen):
    try:
        return compile(data, name, "exec", 0, True, chosen.optimize)
    except UnicodeDecodeError:
        pass
    except SyntaxError as error:
        if not error.msg.startswith("(unicode error) 'utf-8' codec"):
            raise
    # Decode it as a file, which differs from compiling bytes.
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SyntaxError(f"Non-UTF-8 code starting with '\\x{data[error.start]:02x}' in file {name} on line {line}, but no encoding "
                          "declared; see https://peps.python.org/pep-0263/ for details", (name, line, 0, None)) from None
    return compile(data, name, "exec", 0, True, chosen.optimize)


def _run_module(name):
    import runpy
    sys.argv[0] = "-m"
    if name != "pip":
        runpy._run_module_as_main(name)
        return
    # There is no package index, so pip cannot get build tools either.
    for variable, value in PIP.items():
        os.environ.setdefault(variable, value)
    if not environments.is_entered() and not any(word.startswith(("-t", "--target", "--prefix", "--root")) for word in sys.argv):
        os.environ.setdefault("PIP_USER", "1")
    try:
        runpy._run_module_as_main(name)
    except SystemExit as error:
        if error.code and ("install" in sys.argv or "download" in sys.argv):
            print("pip: this sandbox has no network: packages come from wheels, archives and directories",
                  file=sys.stderr)
        raise


#: The default settings of pip.
PIP = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
       "PIP_USE_DEPRECATED": "legacy-certs"}


def _without_first_line(data):
    """Removes the first line but keeps the line numbers."""
    return b"\n" + data.partition(b"\n")[2]


def _script(script, main):
    """The source of a script and its name; None if it was a package or archive and has been run."""
    try:
        found = os.stat(script)
    except OSError as error:
        print(f"{_typed()}: can't open file {os.path.join(os.getcwd(), script)!r}: "
              f"[Errno {error.errno}] {error.strerror}", file=sys.stderr)
        raise _Ended(2) from None
    import stat
    if stat.S_ISDIR(found.st_mode) or _is_zip(script, found):
        _run_package(script)
        return None
    name = os.path.join(os.getcwd(), script)
    try:
        with open(script, "rb") as file:
            data = file.read()
    except OSError as error:
        print(f"{_typed()}: can't open file {name!r}: [Errno {error.errno}] {error.strerror}", file=sys.stderr)
        raise _Ended(2) from None
    if script.endswith(".pyc"):
        import marshal
        main.__file__ = name
        exec(marshal.loads(data[16:]), main.__dict__)
        return None
    return data, name


def _typed():
    """The interpreter's name in messages: as it was typed."""
    return sys.orig_argv[0] if sys.orig_argv else sys.executable


def _is_zip(script, found):
    import stat
    if not stat.S_ISREG(found.st_mode) or script.endswith(".py"):
        return False
    import zipfile
    return zipfile.is_zipfile(script)


def _run_package(path):
    """A directory or an archive with a module `__main__`."""
    if not sys.flags.isolated:
        if sys.path and chosen_path_0[0] is not None:
            sys.path.pop(0)
        sys.path.insert(0, os.path.abspath(path))
    import runpy
    if not _has_main(path):
        print(f"{_typed()}: can't find '__main__' module in {os.path.abspath(path)!r}", file=sys.stderr)
        raise _Ended(1)
    runpy._run_module_as_main("__main__", False)


#: The entry that was put first in `sys.path`, if any.
chosen_path_0 = options.path_0


def _has_main(path):
    from importlib.machinery import PathFinder
    import importlib
    importlib.invalidate_caches()
    return PathFinder.find_spec("__main__", [path]) is not None


def _interact(chosen, main):
    import code
    if not chosen.quiet:
        print(f"Python {sys.version} on {sys.platform}\n"
              'Type "help", "copyright", "credits" or "license" for more information.', file=sys.stderr)
    for name, prompt in (("ps1", ">>> "), ("ps2", "... ")):
        if not hasattr(sys, name):
            setattr(sys, name, prompt)
    startup = os.environ.get("PYTHONSTARTUP") if chosen.environment else None
    if startup:
        with open(startup, "rb") as file:
            exec(compile(file.read(), startup, "exec"), main.__dict__)
    code.interact(banner="", readfunc=_prompt, local=main.__dict__, exitmsg="")


def _prompt(prompt):
    sys.stdout.flush()
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _finish(code):
    """Does what the interpreter does at its end: threads, atexit, the main module's objects, flush."""
    import threading
    try:
        threading._shutdown()
    except BaseException as error:
        print("Exception ignored on threading shutdown:", file=sys.stderr)
        sys.__excepthook__(type(error), error, error.__traceback__)
    atexit._run_exitfuncs()
    code = _flush_at_end(code)
    signals.stop()
    threads.stop()
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        if hasattr(sys, name):
            setattr(sys, name, None)
    _forget_main()
    return _flush_at_end(code)


def _forget_main():
    """Drops the main module. Finalizers still find its names; only if objects survive are the names cleared, those
    with one underscore first."""
    main = sys.modules.pop("__main__", None)
    try:
        main = weakref.ref(main)
    except TypeError:
        return
    gc.collect()
    module = main()
    if isinstance(module, types.ModuleType):
        names = module.__dict__
        for chosen in (lambda name: name[:1] == "_" != name[1:2], lambda name: name != "__builtins__"):
            for name in [name for name in names if isinstance(name, str) and chosen(name)]:
                names[name] = None
        gc.collect()


def _flush_at_end(code):
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException as error:
            if stream is sys.stdout and code == 0 or stream is sys.stdout:
                code = 120
                try:
                    print(f"Exception ignored while flushing sys.stdout:\n{type(error).__name__}: {error}",
                          file=sys.stderr)
                except BaseException:
                    pass
                sys.stdout = None
    return code
