"""Virtual environments: which one the interpreter was called from, and making one."""

import os
import sys

from . import prepare

#: Directories whose `python3` is the interpreter itself.
OWN = ("/usr/bin", "/bin")
#: What a new environment has: pip, and what it builds packages with, which it cannot download.
PACKAGES = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
#: What runs pip in an environment. `python3 -m pip` has the settings that fit a sandbox.
PIP = "#!{}\nimport os, sys\nos.execv(sys.executable, [sys.executable, '-m', 'pip', *sys.argv[1:]])\n"


def enter(name):
    """Sets the paths of the interpreter, which was called by this name: those of a virtual environment if it is in one."""
    executable = _called(name)
    if executable is None:
        return
    sys.executable = executable
    sys.modules["multiprocessing.spawn"].set_executable(executable)
    directory = os.path.dirname(executable)
    for place in (directory, os.path.dirname(directory)):
        if os.path.exists(f"{place}/pyvenv.cfg"):
            sys.prefix = sys.exec_prefix = os.path.dirname(directory)
            return


def _called(name):
    """The path of the file by which the interpreter was called; None if it is the interpreter itself."""
    if "/" in name:
        path = os.path.abspath(name)
        return None if os.path.dirname(path) in OWN else path
    for directory in os.environ.get("PATH", "").split(":"):
        if directory in OWN:
            return None
        if os.path.exists(f"{directory or '.'}/{name}"):
            return os.path.abspath(os.path.join(directory, name))
    return None


def is_entered():
    """Whether the interpreter was called from a virtual environment."""
    return sys.prefix != sys.base_prefix


def _with_pip(self, context):
    """Copies the interpreter's pip and setuptools into a new environment: there is nothing to download them from."""
    import shutil
    own = f"{prepare.LIBRARY}/site-packages"
    for name in os.listdir(own):
        if name.partition("-")[0] in PACKAGES:
            shutil.copytree(f"{own}/{name}", os.path.join(context.lib_path, name), dirs_exist_ok=True)
    for name in ("pip", "pip3", f"pip{prepare.VERSION}"):
        path = os.path.join(context.bin_path, name)
        with open(path, "w") as file:
            file.write(PIP.format(context.env_exe))
        os.chmod(path, 0o755)


def install():
    """Makes `venv` work without a network, and `ensurepip` find pip where it is."""
    import ensurepip
    import venv
    venv.EnvBuilder._setup_pip = _with_pip

    def bootstrap(**options):
        """Bootstrap pip into the current Python installation: it is there."""
        import importlib.metadata
        print(f"Requirement already satisfied: pip ({importlib.metadata.version('pip')})")
        return 0

    ensurepip.bootstrap = ensurepip._bootstrap = bootstrap
