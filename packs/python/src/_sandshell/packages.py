"""Packages that a pack has besides the library, with C modules that are linked into the program."""

import importlib
import os
import sys
from importlib.machinery import ExtensionFileLoader

from . import extract, processes

#: Their modules that are imported during the build. A recipe of such a pack has another file in place of `additional`.
from .additional import MODULES, STARTS


def load():
    """Imports the modules."""
    if not MODULES:
        return
    place = extract.beside("site-packages")
    sys.path.append(place)
    # Some look at the system's name when they are imported; its kernel is not there yet.
    uname = os.uname
    os.uname = lambda: os.uname_result(("Linux", "", "", "", processes.MACHINE))
    try:
        for name in MODULES.split():
            importlib.import_module(name)
    finally:
        os.uname = uname
        sys.path.remove(place)


def start():
    """Gives a program what it has for itself: numpy's random numbers, whose state is otherwise that of the build. And what packages
    ask of its environment."""
    random = sys.modules.get("numpy.random")
    if random is not None:
        random.seed()
    for name in STARTS.split():
        sys.modules[name].start()


def install(library):
    """Makes C modules that are not imported yet come from the program: it knows them by their names during the build."""
    create = ExtensionFileLoader.create_module
    place, during_build = f"{library}/site-packages/", extract.beside("site-packages")

    def create_module(self, spec):
        if not spec.origin.startswith(place):
            return create(self, spec)
        origin = spec.origin
        spec.origin = f"{during_build}/{origin[len(place):]}"
        try:
            return create(self, spec)
        finally:
            spec.origin = origin

    ExtensionFileLoader.create_module = create_module
