"""The component: CPython, prepared during the build, and its `run` function."""

import sys

from _sandshell import extract

extract.copy_library()


def _made_ready():
    from _sandshell import prepare
    prepare.prepare()
    from _sandshell import main
    return main.Run


def __getattr__(name):
    """The build looks up `Run` as its last step, so the preparation runs then."""
    if name != "Run":
        raise AttributeError(name)
    try:
        globals()[name] = run = _made_ready()
        return run
    except BaseException as error:
        # The library's own functions that show errors need files, which now need the kernel.
        traceback = error.__traceback__
        while traceback is not None:
            code = traceback.tb_frame.f_code
            sys.__stderr__.write(f"{code.co_filename}:{traceback.tb_lineno}: {code.co_name}\n")
            traceback = traceback.tb_next
        sys.__stderr__.write(f"{type(error).__name__}: {error}\n")
        sys.__stderr__.flush()
        raise
