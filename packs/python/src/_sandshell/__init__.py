"""What makes CPython a program of sandshell's kernel.

The interpreter is built for WASI, which has no processes, pipes, signals, modes or owners. These modules replace the
functions of CPython's C modules that deal with them (`posix`, `_io`, `_signal`, `select`, ...) by the kernel's own calls,
before the standard library's modules are imported and remembered in the program.
"""
