"""Runs pieces of Python code one after another with shared state, as a notebook does.

The directory in the first argument has three FIFOs. A piece is read as JSON from `in`. Its standard output and
error go to `out` and `err`. Events about it also go to `out`, as lines that begin with NUL and the second argument.
"""

import ast
import base64
import builtins
import contextlib
import json
import linecache
import os
import signal
import subprocess
import sys
import traceback
import types

PLACE, MARK = sys.argv[1:3]
REPRESENTATIONS = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_svg_": "image/svg+xml",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_pdf_": "application/pdf",
    "_repr_latex_": "text/latex",
    "_repr_json_": "application/json",
    "_repr_javascript_": "application/javascript",
}

user = types.ModuleType("__main__")
loop = None


def tell(what):
    """Writes an event about the running piece, after all its output so far."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    line = f"\0{MARK}{json.dumps(what)}\n".encode()
    while line:
        line = line[os.write(1, line) :]


def representations(value):
    """The representations of a value by MIME type."""
    found = {}
    with contextlib.suppress(Exception):
        found["text/plain"] = repr(value)
    if isinstance(value, type):
        return found
    with contextlib.suppress(Exception):
        bundle = value._repr_mimebundle_(include=None, exclude=None)
        found |= bundle[0] if isinstance(bundle, tuple) else bundle
    for method, kind in REPRESENTATIONS.items():
        with contextlib.suppress(Exception):
            form = getattr(value, method)()
            if form is not None:
                # Some representations come with metadata.
                found[kind] = form[0] if isinstance(form, tuple) else form
    text = lambda form: base64.b64encode(form).decode() if isinstance(form, bytes) else form
    return {kind: text(form) for kind, form in found.items()}


def display(*values, raw=False, **_):
    """Shows values in addition to the piece's result."""
    for value in values:
        tell({"result": value if raw else representations(value), "main": False})


class Shown:
    """An object with a single representation."""

    def __init__(self, data=None, filename=None, **_):
        self.data = data
        if filename is not None:
            with open(filename, "rb" if self.binary else "r") as file:
                self.data = file.read()

    binary = False


def notebook():
    """Defines IPython's functions for showing values, unless IPython itself is installed."""
    try:
        import IPython.display  # noqa: F401
    except ImportError:
        module, parent = types.ModuleType("IPython.display"), types.ModuleType("IPython")
        for name in ("html", "markdown", "svg", "latex", "json", "javascript"):
            form = {f"_repr_{name}_": lambda self: self.data, "__module__": module.__name__}
            title = {"html": "HTML", "svg": "SVG", "json": "JSON"}.get(name, name.capitalize())
            setattr(module, title, type(title, (Shown,), form))
        image = lambda kind: lambda self: self.data if self.data.startswith(kind) else None
        forms = {"_repr_png_": image(b"\x89PNG"), "_repr_jpeg_": image(b"\xff\xd8"), "binary": True, "__module__": module.__name__}
        module.Image = type("Image", (Shown,), forms)
        module.display = display
        parent.display = module
        sys.modules |= {"IPython": parent, "IPython.display": module}


def shell(line):
    """Runs `!command` of a notebook."""
    sys.stdout.flush()
    subprocess.run(["bash", "-c", line], check=False)


def tree(code, name):
    """The piece's syntax tree. Lines that begin with `!` are commands, unless the piece is valid Python as it
    is."""
    try:
        return ast.parse(code, name)
    except SyntaxError as error:
        lines = code.split("\n")
        changed = [line for line in lines if line.lstrip().startswith(("!", "%"))]
        if not changed:
            raise
        magic = next((line.split()[0] for line in changed if line.lstrip().startswith("%")), None)
        if magic:
            raise NotImplementedError(f"{magic}: magics are not emulated") from None
        indent = lambda line: line[: len(line) - len(line.lstrip())]
        call = lambda line: f"{indent(line)}__shell__({line.lstrip()[1:]!r})" if line in changed else line
        try:
            return ast.parse("\n".join(map(call, lines)), name)
        except SyntaxError:
            raise error from None


def run(code, name):
    """Runs a piece; the value of an expression at its end is its result."""
    body = tree(code, name)
    last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) else None
    evaluate(compile(body, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
    if last is not None:
        value = evaluate(compile(ast.Expression(last.value), name, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
        if value is not None and not code.rstrip().endswith(";"):
            user._ = value
            tell({"result": representations(value), "main": True})


def evaluate(code):
    global loop
    value = eval(code, user.__dict__)
    if code.co_flags & 0x80:  # A coroutine: the piece awaits at its top level.
        import asyncio

        loop = loop or asyncio.new_event_loop()
        return loop.run_until_complete(value)
    return value


@contextlib.contextmanager
def variables(extra):
    """Sets environment variables for one piece."""
    before = {name: os.environ.get(name) for name in extra}
    os.environ.update(extra)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def failure(error, name):
    """An exception as a notebook shows it, without our own frames in the traceback."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != name:
        frames = frames.tb_next
    kind = type(error).__name__
    lines = "".join(traceback.format_exception(type(error), error, frames))
    title = f"{'-' * 75}\n{kind:<42}Traceback (most recent call last)\n"
    text = title + lines.removeprefix("Traceback (most recent call last):\n").rstrip("\n")
    return {"error": {"name": kind, "value": str(error), "traceback": text}}


def serve():
    user.__builtins__ = builtins
    user.display, user.__shell__ = display, shell
    sys.modules["__main__"] = user
    sys.path[0] = ""
    notebook()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    # The parent may have set SIGINT to be ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nowhere = os.open("/dev/null", os.O_RDWR)
    os.write(1, f"{os.getpid()}\n".encode())
    count = 0
    while True:
        try:
            with open(f"{PLACE}/in") as file:
                piece = json.load(file)
            for descriptor, name in ((1, "out"), (2, "err")):
                opened = os.open(f"{PLACE}/{name}", os.O_WRONLY)
                os.dup2(opened, descriptor)
                os.close(opened)
            count += 1
            name = f"Cell In[{count}]"
            code = piece["code"]
            linecache.cache[name] = (len(code), None, code.splitlines(True), name)
            try:
                tell({"count": count})
                with variables(piece["env"]):
                    run(code, name)
            except BaseException as error:
                tell(failure(error, name))
            tell({"end": True})
        except (KeyboardInterrupt, BrokenPipeError, ValueError):
            # The interrupt came too late for its piece, or nobody reads the output any more.
            pass
        finally:
            for descriptor in (1, 2):
                os.dup2(nowhere, descriptor)


serve()
