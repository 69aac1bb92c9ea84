"""Deep Agents' unmodified `BaseSandbox` runs Python scripts with `execute`. They must give the same answers as the
native operations."""

import os

import pytest
from deepagents.backends.protocol import FileDownloadResponse, FileUploadResponse
from deepagents.backends.sandbox import BaseSandbox

from sandshell.deepagents import SandshellSandbox


class Scripts(BaseSandbox):
    """Implements only what a backend must provide; the rest is Deep Agents' own."""

    def __init__(self, backend):
        self.backend = backend

    @property
    def id(self):
        return self.backend.id

    def execute(self, command, *, timeout=None):
        return self.backend.execute(command, timeout=timeout)

    def upload_files(self, files) -> list[FileUploadResponse]:
        return self.backend.upload_files(files)

    def download_files(self, paths) -> list[FileDownloadResponse]:
        return self.backend.download_files(paths)


FILES = {
    "/p/a.txt": b"one\ntwo\nthree\ntwo\n",
    "/p/b.py": b"import os\nprint('two')\n",
    "/p/deep/er/c.py": "gr\u00fc\u00dfe two \u4e2d\n".encode(),
    "/p/deep/d.md": b"# title\r\ntwo\r\n",
    "/p/empty": b"",
    "/p/.hidden": b"two\n",
    "/p/with space/$(x) 'q'.txt": b"two\n",
    "/p/long.txt": b"".join(b"line %d\n" % n for n in range(3000)),
    "/p/data.bin": bytes(range(256)),
}

#: (operation, arguments), in this order, in both.
CALLS = [
    ("ls", "/p"),
    ("ls", "/p/deep"),
    ("ls", "/p/with space"),
    ("ls", "/p/empty directory"),
    ("read", "/p/a.txt"),
    ("read", "/p/a.txt", 1, 2),
    ("read", "/p/a.txt", 3, 100),
    ("read", "/p/deep/er/c.py"),
    ("read", "/p/deep/d.md"),
    ("read", "/p/empty"),
    ("read", "/p/long.txt", 2990, 5),
    ("read", "/p/with space/$(x) 'q'.txt"),
    ("read", "/p/nothing"),
    ("write", "/p/new/file.txt", "a\nb\n"),
    ("write", "/p/quotes.txt", "'\"$HOME`id`\\n\n"),
    ("read", "/p/quotes.txt"),
    ("edit", "/p/a.txt", "one", "1"),
    ("edit", "/p/a.txt", "two", "2", True),
    ("edit", "/p/a.txt", "nowhere", "x"),
    ("edit", "/p/b.py", "import os\n", ""),
    ("edit", "/p/deep/er/c.py", "\u4e2d", "\u6587"),
    ("edit", "/p/nothing", "a", "b"),
    ("read", "/p/a.txt"),
    ("read", "/p/b.py"),
    ("grep", "two", "/p"),
    ("grep", "two", "/p", "*.py"),
    ("grep", "line 29", "/p/long.txt"),
    ("grep", "$(x)", "/p"),
    ("grep", "nowhere", "/p"),
    ("glob", "*.txt", "/p"),
    ("glob", "**/*.py", "/p"),
    ("glob", "*", "/p/deep"),
    ("glob", "nowhere*", "/p"),
]


@pytest.fixture
def both():
    packs = os.environ.get("SANDSHELL_TEST_PACKS")
    if packs is None:
        pytest.skip("needs the Python pack")
    options = {"packs": [packs]}
    with SandshellSandbox(**options) as native, SandshellSandbox(**options) as other:
        for backend in (native, other):
            assert all(answer.error is None for answer in backend.upload_files(list(FILES.items())))
            assert backend.execute("mkdir '/p/empty directory'").exit_code == 0
        yield native, Scripts(other)


def plain(answer):
    """An answer in comparable form: entries are sorted, and sizes and times, which the scripts do not report, are
    left out."""
    told = {name: value for name, value in vars(answer).items() if value is not None}
    for name in ("entries", "matches"):
        if isinstance(told.get(name), list):
            kept = [{key: entry[key] for key in entry if key not in ("size", "modified_at")} for entry in told[name]]
            told[name] = sorted(kept, key=repr)
    return told


def test_scripts_answer_as_the_native_operations_do(both):
    native, scripts = both
    differences = []
    for name, *arguments in CALLS:
        ours, theirs = (plain(getattr(backend, name)(*arguments)) for backend in (native, scripts))
        if ours != theirs:
            differences.append(f"{name}{tuple(arguments)}\n  native  {ours}\n  scripts {theirs}")
    assert not differences, "\n".join(differences)


def test_files_are_the_same_afterwards(both):
    native, scripts = both
    for name, *arguments in CALLS:
        for backend in (native, scripts):
            getattr(backend, name)(*arguments)
    listed = "cd /p && find . -type f -exec sha256sum {} + | sort"
    assert native.execute(listed).output == scripts.execute(listed).output
