"""Makes CPython a program of sandshell's kernel.

The interpreter is built for WASI, which has no processes, pipes, signals, modes or owners. These modules replace
the functions of CPython's C modules for them (`posix`, `_io`, `_signal`, `select`, ...) with the kernel's own
calls, before the standard library's modules are imported and saved in the program.
"""
