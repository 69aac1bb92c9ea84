"""Gives SQLite the kernel's descriptors instead of the C library's files, so that its locks are those of other
programs.

SQLite makes most system calls through a table (`aSyscall`), which is in the program's initial memory. And the default
way of locking becomes that of Unix: this build's would make a directory beside the database, which a program that is
killed leaves behind.
"""

from .system import place

#: Names in SQLite's table, and the functions of `system.wat`.
IN_TABLE = {name: name for name in ("close", "access", "getcwd", "stat", "fstat", "ftruncate", "fcntl", "read", "write", "fchmod",
                                    "unlink", "readlink", "lstat")} | {"open": "sqlite_open"}
#: An entry of the table: a name, the function, and the one that was replaced.
ENTRY = 12
#: The size of `sqlite3_vfs`; where its name and the way of locking are.
SYSTEM, NAME, LOCKING = 88, 16, 20


def use(component, memory):
    """Puts the functions into SQLite's table, and makes the locks of Unix the default."""
    start = memory.pointer_to("openDirectory", ENTRY)
    while memory.text(memory.word(start)) != "open":
        start -= ENTRY
    names = {}
    while (name := memory.text(memory.word(start))) and len(names) < 29:
        names[name] = start
        start += ENTRY
    for name, function in IN_TABLE.items():
        memory.set_word(names[name] + 4, place(component, function))
    own = memory.pointer_to("unix-dotfile", SYSTEM) - NAME
    around = [own + SYSTEM * at for at in range(-3, 4)]
    unix = [system for system in around if memory.text(memory.word(system + NAME)) == "unix"]
    if len(unix) != 1:
        raise LookupError("SQLite has not one way of locking with the name unix")
    memory.set_word(own + LOCKING, memory.word(unix[0] + LOCKING))
