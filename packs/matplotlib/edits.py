"""What is changed in the sources of matplotlib and of what it needs."""

import re
import shutil
import sys

from libc.sources import Edit, apply, between

PYBIND11 = [
    # What is thrown in a module is caught there: so each has types and translators of its own.
    Edit("pybind11/detail/internals.h",
         "    if (object internals_obj = get_internals_obj_from_state_dict(state_dict)) {\n"
         "        internals_pp = get_internals_pp_from_capsule(internals_obj);\n    }\n", ""),
]

CONTOURPY = [
    # C++ has no threads here: the generator for several ones computes all chunks itself.
    Edit("src/threaded.h", "#include <condition_variable>\n#include <mutex>\n", ""),
    Edit("src/threaded.h", "        explicit Lock(ThreadedContourGenerator& contour_generator)\n            : _lock(contour_generator._python_mutex)\n        {}\n",
         "        explicit Lock(ThreadedContourGenerator&) {}\n"),
    Edit("src/threaded.h", "        std::unique_lock<std::mutex> _lock;\n", ""),
    between("src/threaded.h", "    std::mutex _chunk_mutex;", "// Implements multithreaded barrier.\n", ""),
    Edit("src/threaded.cpp", "#include <thread>\n", ""),
    between("src/threaded.cpp", "    // Create (_n_threads-1) new worker threads.\n", "std::ref(return_lists));\n\n", ""),
    between("src/threaded.cpp", "    for (auto& thread : threads)\n", "        thread.join();\n", ""),
    Edit("src/threaded.cpp", "    threads.clear();\n", ""),
    Edit("src/threaded.cpp", "            std::lock_guard<std::mutex> guard(_chunk_mutex);\n            if (_next_chunk < n_chunks)\n",
         "            if (_next_chunk < n_chunks)\n"),
    Edit("src/threaded.cpp", "            std::lock_guard<std::mutex> guard(_chunk_mutex);\n            if (_next_chunk < 2*n_chunks)\n",
         "            if (_next_chunk < 2*n_chunks)\n"),
    between("src/threaded.cpp", "        std::unique_lock<std::mutex> lock(_chunk_mutex);\n", "_condition_variable.wait(lock);\n", "        _finished_count++;\n"),
    Edit("src/util.cpp", "#include <thread>\n", ""),
    # What says where it was built.
    between("lib/contourpy/util/meson.build", "# Build config data\n", "section: 'Build config')\nendforeach\n", ""),
    Edit("src/util.cpp", "std::thread::hardware_concurrency()", "1"),
]

MATPLOTLIB = [
    # The version comes from the history of the repository, which the archive lacks.
    between("meson.build", "  version: run_command(\n", ".strip(),\n", "  version: '3.10.9',\n"),
    # Windows of Tk.
    between("src/meson.build", "  '_tkagg': {\n", "      pybind11_dep, agg_dep.partial_dependency(includes: true), dl, comctl32, psapi,\n    ],\n  },\n", ""),
    Edit("src/meson.build", "freetype_dep.type_name() == 'internal' ? 'local' : 'system'", "'system'"),
    # There is no display.
    between("src/_c_internal_utils.cpp", "mpl_display_is_valid(void)\n{\n#ifdef __linux__\n", "#else\n    return true;\n",
            "mpl_display_is_valid(void)\n{\n#ifndef _WIN32\n    return false;\n"),
    # Sizes of pictures, which may have more than 32 bits.
    Edit("src/_backend_agg.cpp", "    pixBuffer = new agg::int8u[NUMBYTES];\n",
         "    if ((uint64_t)width * height > SIZE_MAX / 8)\n        throw std::bad_alloc();\n    pixBuffer = new agg::int8u[NUMBYTES];\n"),
    Edit("src/ft2font.cpp", "    size_t numBytes = width * height;\n",
         "    if ((uint64_t)width * height > SIZE_MAX / 8)\n        throw std::bad_alloc();\n    size_t numBytes = width * height;\n"),
    # The import system asks the module for what it has not. During the build, C++ must not throw.
    Edit("src/ft2font_wrapper.cpp", "PYBIND11_MODULE(ft2font, m, py::mod_gil_not_used())\n", """\
static PyObject *
ft2font_attribute(PyObject *, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    if (!text)
        return nullptr;
    if (*text == '_') {
        PyErr_Format(PyExc_AttributeError, "module 'matplotlib.ft2font' has no attribute %R", name);
        return nullptr;
    }
    try {
        return ft2font__getattr__(text).release().ptr();
    } catch (py::error_already_set &error) {
        error.restore();
    } catch (py::builtin_exception &error) {
        error.set_error();
    }
    return nullptr;
}

static PyMethodDef ft2font_method = {"__getattr__", ft2font_attribute, METH_O, nullptr};

PYBIND11_MODULE(ft2font, m, py::mod_gil_not_used())
"""),
    Edit("src/ft2font_wrapper.cpp", "    m.def(\"__getattr__\", ft2font__getattr__);\n",
         "    m.attr(\"__getattr__\") = py::reinterpret_steal<py::object>(PyCFunction_New(&ft2font_method, nullptr));\n"),
    # The list of fonts is made during the build (`in_sandbox.py`), which has no threads.
    between("lib/matplotlib/font_manager.py", "        # Delay the warning by 5s.\n", "        timer.start()\n", ""),
    Edit("lib/matplotlib/font_manager.py", "            timer.cancel()\n", "            pass\n"),
    Edit("lib/matplotlib/font_manager.py", "fontManager = _load_fontmanager()\n", "fontManager = FontManager()\n"),
    # The user's settings are those of the program, not of the build: `in_sandbox.py`.
    Edit("lib/matplotlib/__init__.py", "rcParams._update_raw(_rc_params_in_file(matplotlib_fname()))\n", ""),
    Edit("lib/matplotlib/texmanager.py", "    _texcache = os.path.join(mpl.get_cachedir(), 'tex.cache')\n", "    _texcache = None\n"),
    Edit("lib/matplotlib/texmanager.py", "        Path(cls._texcache).mkdir(",
         "        cls._texcache = os.path.join(mpl.get_cachedir(), 'tex.cache')\n        Path(cls._texcache).mkdir("),
    Edit("lib/matplotlib/style/core.py", "[os.path.join(mpl.get_configdir(), 'stylelib')]", "[]"),
]

KIWISOLVER = [
    # A lock for interpreters without one of their own.
    Edit("py/src/kiwisolver.cpp", "std::recursive_mutex global_lock;\n", ""),
]

PILLOW = [
    # Functions are called with the parameters that their flags say.
    Edit("src/_imaging.c", "ExportArrowSchemaPyCapsule(ImagingObject *self) {", "ExportArrowSchemaPyCapsule(ImagingObject *self, PyObject *args) {"),
    Edit("src/_imaging.c", "ExportArrowArrayPyCapsule(ImagingObject *self) {", "ExportArrowArrayPyCapsule(ImagingObject *self, PyObject *args) {"),
]

#: kiwisolver's functions, of which each must be called with the parameters that it has: what is in tables, how often, and what
#: calls it as the interpreter does.
CALLED = [
    (r"\( ?PyCFunction ?\)((\w+?)_\w+), METH_NOARGS", 17,
     r"PyCFunction([](PyObject *self, PyObject *) -> PyObject * { return (PyObject *)\1((\2 *)self); }), METH_NOARGS"),
    (r"\( getter \)((strength)_\w+)", 4, r"getter([](PyObject *self, void *) -> PyObject * { return \1((\2 *)self); })"),
    (r"void_cast\( ?((\w+?)_clear) ?\)", 4, r"(void *)inquiry([](PyObject *self) { \1((\2 *)self); return 0; })"),
]

FREETYPE = [
    # Fonts that are compressed, and properties that are read from the environment.
    Edit("include/freetype/config/ftoption.h", "#define FT_CONFIG_OPTION_USE_ZLIB\n", ""),
    Edit("include/freetype/config/ftoption.h", "#define FT_CONFIG_OPTION_ENVIRONMENT_PROPERTIES\n", ""),
    # Two modules have it, each for itself.
    between("include/freetype/config/public-macros.h", "#define FT_PUBLIC_FUNCTION_ATTRIBUTE \\\n", "))\n", "#define FT_PUBLIC_FUNCTION_ATTRIBUTE\n"),
]


def edit(tree, edits):
    """Makes all changes."""
    apply(tree, edits)


def call(tree):
    """Makes kiwisolver's tables have functions with the parameters that the interpreter gives."""
    files = sorted((tree / "py/src").glob("*.cpp"))
    for old, count, new in CALLED:
        found = 0
        for file in files:
            text, times = re.subn(old, new, file.read_text())
            file.write_text(text)
            found += times
        if found != count:
            sys.exit(f"kiwisolver: {found} times instead of {count}: {old}")


def libraries(tree, known):
    """Tells matplotlib's build where libraries are, which it would fetch."""
    lines = [f"{name}_dep = declare_dependency(compile_args: ['-I{known[name][0]}'], link_args: ['{known[name][1]}'])\n"
             for name in ("freetype", "qhull")]
    (tree / "extern/meson.build").write_text("subdir('agg24-svn')\n" + "".join(lines))
    shutil.rmtree(tree / "subprojects")
