"""Builds the pack: `build.py RECIPE OUT`. As the recipe `pandas`, with matplotlib and what it needs."""

import re
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

import python
from extensions.compiler import SUFFIX, Compiler
from extensions.index import unpack
from extensions.meson import Meson
from libc import sources, zlib
from matplotlib import edits
from numpy import build as numpy
from pandas import build as base
from python import build as interpreter

MATPLOTLIB = ("matplotlib", "3.10.9", "fd66508e8c6877d98e586654b608a0456db8d7e8a546eb1e2600efd957302358")
CONTOURPY = ("contourpy", "1.3.3", "083e12155b210502d0bca491432bb04d56dc3432f95a979b429f2848c3dbe880")
KIWISOLVER = ("kiwisolver", "1.5.1", "f1303ef2eec81262a4b708c3e858afe58d7c75ad91c1c05266eda7673369859a")
PILLOW = ("pillow", "12.3.0", "3b8182a766685eaa002637e28b4ec8d6b18819a0c71f579bf0dbaa5830297cce")
#: What those need, of Python alone.
PURE = ["cycler", "fonttools", "packaging", "pyparsing"]

FREETYPE = ("freetype", "2.12.1+dfsg-5+deb12u4", {
    "freetype_2.12.1+dfsg.orig.tar.xz": "7dedb6b9adf331559daea614a83b8de42a753e685ec8e1c4bdb4529eb880b0d1",
    "freetype_2.12.1+dfsg.orig-ft2demos.tar.xz": "ce729d97f166a919a6a3037c949af01d5d6e1783614024d72683153f0bc5ef05",
    "freetype_2.12.1+dfsg.orig-ft2docs.tar.xz": "6664a32e4eedaa89f45422c1150e32da46fd301c972cbfd19d2dcc6dd96f07d1",
    "freetype_2.12.1+dfsg-5+deb12u4.debian.tar.xz": "c625a97a78e4c74acd32e5b63b3973c9ea8a5c3d7b7f8f7c02def4421589c61b",
})
QHULL = ("qhull", "2020.2-5", {
    "qhull_2020.2.orig.tar.gz": "b5c2d7eb833278881b952c8a52d20179eab87766b00b865000469a45c1838b7e",
    "qhull_2020.2-5.debian.tar.xz": "7b37b8465267743d2302374bdc73f50db79b9bc270b4fe89b71b00fa88c4a8ad",
})

#: The sources of FreeType, each of which includes others.
GLYPHS = """
autofit/autofit base/ftbase base/ftbbox base/ftbdf base/ftbitmap base/ftcid base/ftdebug base/ftfstype base/ftgasp base/ftglyph
base/ftgxval base/ftinit base/ftmm base/ftotval base/ftpatent base/ftpfr base/ftstroke base/ftsynth base/ftsystem base/fttype1
base/ftwinfnt bdf/bdf bzip2/ftbzip2 cff/cff cid/type1cid gzip/ftgzip lzw/ftlzw pcf/pcf pfr/pfr psaux/psaux pshinter/pshinter psnames/psnames raster/raster
sdf/sdf sfnt/sfnt smooth/smooth svg/svg truetype/truetype type1/type1 type42/type42 winfonts/winfnt
""".split()
HULLS = """
geom2_r geom_r global_r io_r libqhull_r mem_r merge_r poly2_r poly_r qset_r random_r rboxlib_r stat_r user_r usermem_r userprintf_r
userprintf_rbox_r
""".split()

#: No toolkit of windows.
RELEASE = ["buildtype=release", "b_ndebug=if-release"]
OPTIONS = [
    *RELEASE, "b_lto=false", "cpp_args=-Wno-c++11-narrowing", "macosx=false", "system-freetype=true", "system-qhull=true",
    "rcParams-backend=agg",
]

#: What is imported during the build, besides pandas'.
MODULES = """
PIL.Image PIL.ImageColor PIL.ImageDraw PIL.ImageFilter PIL.ImageFont PIL.ImageOps PIL.PngImagePlugin PIL.GifImagePlugin PIL.BmpImagePlugin
PIL.JpegImagePlugin PIL.PpmImagePlugin
contourpy kiwisolver mpl_toolkits.mplot3d mpl_toolkits.axes_grid1
matplotlib matplotlib.pyplot matplotlib.animation matplotlib.backends.backend_agg matplotlib.backends.backend_pdf
matplotlib.backends.backend_svg matplotlib.cbook matplotlib.dates matplotlib.font_manager matplotlib.gridspec
matplotlib.mathtext matplotlib.patches matplotlib.patheffects matplotlib.path matplotlib.sankey matplotlib.table
matplotlib.ticker matplotlib.tri matplotlib.widgets pandas.plotting._matplotlib
_matplotlib_in_sandbox
""".split()


def main(recipe, out):
    """Builds `out/python.wasm` and `out/lib`."""
    with tempfile.TemporaryDirectory() as work:
        packages = compile_all(Path(work), recipe)
        modules = [*numpy.MODULES, *base.MODULES, *MODULES]
        interpreter.main(Path(python.__path__[0]), out, packages, modules, starts=["_matplotlib_in_sandbox"])


def compile_all(work, recipe):
    """Compiles all packages. The directory with what they install, and with what they need."""
    packages = base.compile_all(work)
    plot(work, recipe, work / "numpy/vendored-meson/meson/meson.py", packages)
    return packages


def plot(work, recipe, program, packages):
    """Compiles matplotlib and what it needs into the packages. `program` is meson's."""
    compiler = Compiler(work / "throwing", throws=True)
    meson = Meson(program, compiler, work)
    pybind11(compiler.work)
    libraries = {"freetype": freetype(compiler, work), "qhull": qhull(compiler, work), "zlib": deflate(compiler, work)}

    tree = unpack(*CONTOURPY, work)
    edits.edit(tree, edits.CONTOURPY)
    merge(meson.install(tree, *CONTOURPY[:2], RELEASE, licences=["LICENSE"]), packages)

    tree = unpack(*MATPLOTLIB, work)
    edits.edit(tree, edits.MATPLOTLIB)
    edits.libraries(tree, libraries)
    tags = "data,python-runtime,runtime"
    merge(meson.install(tree, *MATPLOTLIB[:2], OPTIONS, licences=["LICENSE"], tags=tags), packages)

    kiwisolver(compiler, work, packages)
    pillow(compiler, work, packages, libraries)
    for name in PURE:
        interpreter.copy_distribution(name, packages)
    without_native(packages)
    in_sandbox(recipe, packages)


def in_sandbox(recipe, packages):
    """What each program does first, and the files that it needs to know."""
    shutil.copyfile(recipe / "in_sandbox.py", packages / "_matplotlib_in_sandbox.py")
    kinds = {"FONTS": ("ttf", "afm"), "STYLES": ("mplstyle",)}
    data = sorted(file for file in (packages / "matplotlib/mpl-data").rglob("*") if file.is_file())
    lists = {name: [str(file.relative_to(packages)) for file in data if file.suffix[1:] in ends] for name, ends in kinds.items()}
    (packages / "_matplotlib_files.py").write_text("".join(f"{name} = {files!r}\n" for name, files in lists.items()))


def merge(found, packages):
    """Adds what a package installs."""
    shutil.copytree(found, packages, dirs_exist_ok=True)


def pybind11(work):
    """pybind11's headers, changed, and what tells meson where they are."""
    import pybind11
    include = work / "pybind11/include"
    shutil.copytree(pybind11.get_include(), include)
    edits.edit(include, edits.PYBIND11)
    told = work / "pybind11-config"
    told.write_text(f'#!/bin/sh\ncase $1 in --version) echo {pybind11.__version__} ;; *) echo "-I{include}" ;; esac\n')
    told.chmod(0o755)


def freetype(compiler, work):
    """FreeType: where its headers are, and its library."""
    tree = sources.unpack(*FREETYPE, work)
    edits.edit(tree, edits.FREETYPE)
    include = tree / "include"
    flags = ["-DFT2_BUILD_LIBRARY", "-I", str(include)]
    objects = compiler.objects([tree / f"src/{name}.c" for name in GLYPHS], work / "freetype.objects", flags)
    return include, compiler.archive(objects, work / "libfreetype.a")


def qhull(compiler, work):
    """Qhull, likewise."""
    tree = sources.unpack(*QHULL, work)
    objects = compiler.objects([tree / f"src/libqhull_r/{name}.c" for name in HULLS], work / "qhull.objects")
    return tree / "src", compiler.archive(objects, work / "libqhull_r.a")


def deflate(compiler, work):
    """zlib, likewise."""
    tree = sources.unpack("zlib", zlib.VERSION, zlib.HASHES, work)
    objects = compiler.objects([tree / f"{part}.c" for part in zlib.PARTS], work / "zlib.objects", ["-DHAVE_UNISTD_H"])
    return tree, compiler.archive(objects, work / "libz.a")


def kiwisolver(compiler, work, packages):
    """kiwisolver, whose build is setuptools'."""
    import cppy
    tree = unpack(*KIWISOLVER, work)
    edits.edit(tree, edits.KIWISOLVER)
    edits.call(tree)
    place = packages / "kiwisolver"
    shutil.copytree(tree / "py/kiwisolver", place)
    flags = ["-std=c++17", "-I", str(compiler.include), "-I", str(tree), "-I", cppy.get_include()]
    compiler.module("_cext", sorted((tree / "py/src").glob("*.cpp")), place, flags)
    metadata(tree, KIWISOLVER, packages)


def pillow(compiler, work, packages, libraries):
    """Pillow, likewise: with zlib and FreeType, without the libraries of other formats."""
    tree = unpack(*PILLOW, work)
    edits.edit(tree, edits.PILLOW)
    place = packages / "PIL"
    shutil.copytree(tree / "src/PIL", place)
    folders = [compiler.include, tree / "src", tree / "src/libImaging", *(include for include, _ in libraries.values())]
    flags = ["-DHAVE_LIBZ", f'-DPILLOW_VERSION="{PILLOW[1]}"', *(word for folder in folders for word in ("-I", str(folder)))]
    listed = (tree / "setup.py").read_text()
    own, library = (re.search(rf"^{name} = \((.*?)\)", listed, re.M | re.S)[1] for name in ("_IMAGING", "_LIB_IMAGING"))
    files = [tree / "src/_imaging.c", *(tree / f"src/{name}.c" for name in re.findall(r'"(\w+)"', own)),
             *(tree / f"src/libImaging/{name}.c" for name in re.findall(r'"(\w+)"', library))]
    mode = tree / "src/libImaging/Mode.c"
    compiler.module("_imaging", [*files, mode, libraries["zlib"][1]], place, flags)
    compiler.module("_imagingft", [tree / "src/_imagingft.c", mode, libraries["freetype"][1]], place, flags)
    for name in ("_imagingmath", "_imagingmorph"):
        compiler.module(name, [tree / f"src/{name}.c"], place, flags)
    metadata(tree, PILLOW, packages)


def metadata(tree, package, packages):
    """Writes a package's metadata."""
    place = packages / f"{package[0]}-{package[1]}.dist-info"
    place.mkdir()
    shutil.copyfile(tree / "PKG-INFO", place / "METADATA")
    shutil.copyfile(tree / "LICENSE", place / "LICENSE")
    (place / "INSTALLER").write_text("sandshell\n")


def without_native(packages):
    """Removes what a wheel has for the processor and the Python of the build: the same is there in Python."""
    native = sysconfig.get_config_var("EXT_SUFFIX")
    for file in packages.glob(f"fontTools/**/*{native}"):
        file.unlink()
    for file in packages.glob("fonttools-*.dist-info/*"):
        if file.name in ("RECORD", "WHEEL"):
            file.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
