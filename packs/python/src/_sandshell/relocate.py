"""Changes the directory of imported modules: their file names, and the names in code for tracebacks."""

import sys
import types


#: A flag of code that CPython does not use: tracebacks leave it out (the recipe's `tracebacks.wat`).
HIDDEN = 0x40000000


def relocate(old, new):
    """Makes everything that was imported from below `old` appear to be from below `new`. All code objects are
    created again; those of these modules are marked."""
    own = f"{new}/{__package__}/"
    frozen = f"{old}/lib/{new.rsplit('/', 1)[1]}/"

    def moved(path):
        if isinstance(path, str) and f"{path}/".startswith(frozen):
            return f"{new}/{path[len(frozen):]}".rstrip("/")
        if isinstance(path, str) and (path == old or path.startswith(old + "/")):
            return new + path[len(old):]
        if isinstance(path, str) and path.startswith(("/0/", "/1/", "/bundled/", "/world/")):
            return f"{new}/{path.split('/', 2)[2]}"
        return path

    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType):
            _module(module, moved)
    _functions(moved, own)


def _module(module, moved):
    if isinstance(module.__dict__.get("__path__"), list):
        module.__path__[:] = [moved(path) for path in module.__path__]
    for name, value in list(module.__dict__.items()):
        # Some modules store the name of their own file.
        if type(value) is str and moved(value) is not value:
            module.__dict__[name] = moved(value)
    spec = module.__dict__.get("__spec__")
    if spec is not None:
        spec.origin = moved(spec.origin)
        if isinstance(spec.submodule_search_locations, list):
            spec.submodule_search_locations[:] = [moved(path) for path in spec.submodule_search_locations]
        if isinstance(spec.loader_state, types.SimpleNamespace) and hasattr(spec.loader_state, "filename"):
            spec.loader_state.filename = moved(spec.loader_state.filename)
        if spec.__dict__.get("_cached"):
            spec._cached = moved(spec._cached)
    loader = module.__dict__.get("__loader__")
    if hasattr(loader, "path"):
        loader.path = moved(loader.path)


def _functions(moved, own):
    import gc
    known = {}

    def code(old):
        # Code objects of two files can be equal, so they are identified by address.
        if id(old) not in known:
            consts = tuple(code(value) if isinstance(value, types.CodeType) else value for value in old.co_consts)
            name = moved(old.co_filename)
            flags = old.co_flags | HIDDEN if name.startswith(own) else old.co_flags
            known[id(old)] = old, old.replace(co_filename=name, co_consts=consts, co_flags=flags)
        return known[id(old)][1]

    functions = [thing for thing in gc.get_objects() if type(thing) is types.FunctionType]
    functions.sort(key=lambda function: function.__code__.co_filename)
    file = None
    for function in functions:
        if file != function.__code__.co_filename:
            # Functions of one file share code objects, so files are handled one after another; freed code makes
            # room for the next file.
            file = function.__code__.co_filename
            known.clear()
        function.__code__ = code(function.__code__)
