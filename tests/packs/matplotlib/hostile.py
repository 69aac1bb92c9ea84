"""Hostile input for matplotlib and Pillow, one piece each: `hostile.py NAME`. `hostile.py --list` tells the names."""

import io
import json
import struct
import sys
import zlib

import contourpy
import kiwisolver
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import _path, _qhull, _tri, ft2font
from matplotlib.backends import backend_agg
from PIL import Image, ImageDraw, ImageFont

FONT = matplotlib.font_manager.findfont("DejaVu Sans")


def save(**options):
    plt.savefig(io.BytesIO(), **options)


def font(change):
    """A font whose bytes were changed."""
    data = bytearray(open(FONT, "rb").read())
    change(data)
    face = ft2font.FT2Font(io.BytesIO(bytes(data)))
    for code in range(20, 400):
        face.load_char(code)
    face.set_text("hostile", 0)
    face.draw_glyphs_to_bitmap()
    raise ValueError("it could be read")


def noise(data):
    for at in range(300, len(data), 97):
        data[at] = (data[at] * 31 + at) & 255


def png(width, height, data=b""):
    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def opened(data):
    Image.open(io.BytesIO(data)).load()


class Endless(io.RawIOBase):
    """A font without an end."""

    def read(self, size=-1):
        return b"x" * (size if size >= 0 else 1 << 20)

    def seek(self, *_):
        return 0

    def tell(self):
        return 0


class Angry:
    """What C++ asks, and which answers with an exception."""

    def __array__(self, *_, **__):
        raise LookupError("no array")

    def __float__(self):
        raise LookupError("no number")

    def __len__(self):
        raise LookupError("no length")

    def __getattr__(self, name):
        raise LookupError(name)


def growing():
    held = []
    while True:
        held.append(backend_agg.RendererAgg(4000, 4000, 100))


def lines():
    a = [kiwisolver.Variable() for _ in range(3)]
    solver = kiwisolver.Solver()
    while True:
        solver.addConstraint(a[0] + a[1] >= a[2] + 1)
        solver.addConstraint(a[2] >= a[0] + a[1] + 1)


#: What raises an exception, natively too.
ERRORS = {
    "size": lambda: plt.figure(figsize=(1e6, 1e6)).savefig(io.BytesIO()),
    "big": lambda: plt.figure(figsize=(600, 600)).savefig(io.BytesIO(), dpi=100),
    "negative": lambda: plt.figure(figsize=(-1, 1)),
    "nan": lambda: plt.figure(figsize=(float("nan"), 1)),
    "renderer": lambda: backend_agg.RendererAgg(2**22, 2**22, 100),
    "renderers": growing,
    "dpi": lambda: (plt.plot([1, 2]), save(dpi=1e9)),
    "array": lambda: plt.imshow(np.zeros((50_000, 50_000))),
    "imshow shape": lambda: plt.imshow(np.zeros((2, 2, 7))),
    "imshow type": lambda: plt.imshow(np.array([[object()]])),
    "math nest": lambda: (plt.title("$" + "{" * 5000 + "}" * 5000 + "$"), save()),
    "math cut": lambda: (plt.title(r"$\frac{1}{$"), save()),
    "math sqrt": lambda: (plt.title("$" + r"\sqrt{" * 2000 + "x" + "}" * 2000 + "$"), save()),
    "format": lambda: save(format="exe"),
    "ticks": lambda: (plt.plot([1, 2]), plt.gca().xaxis.set_major_locator(matplotlib.ticker.MultipleLocator(1e-9)), save(),
                      plt.xlim(0, 1e12), save(), plt.title(r"$\x$"), save()),
    "angry path": lambda: _path.point_in_path(0, 0, 1, Angry(), None),
    "angry image": lambda: matplotlib._image.resample(Angry(), Angry(), Angry()),
    "angry collection": lambda: _path.get_path_collection_extents(Angry(), [Angry()], [], np.zeros((0, 2)), Angry()),
    "angry contour": lambda: contourpy.contour_generator(z=Angry()),
    "angry triangles": lambda: _tri.Triangulation(Angry(), [0, 1], [[0, 1, 2]], (), (), (), False),
    "angry constraint": lambda: kiwisolver.Variable("a") >= Angry(),
    "triangle index": lambda: matplotlib.tri.Triangulation([0, 1, 2], [0, 1, 0], [[0, 1, 5]]),
    "hull line": lambda: _qhull.delaunay(np.arange(50.0), np.arange(50.0), False),
    "hull nan": lambda: _qhull.delaunay(np.full(5, np.nan), np.arange(5.0), False),
    "hull same": lambda: _qhull.delaunay(np.zeros(500), np.zeros(500), False),
    "contour memory": lambda: contourpy.contour_generator(z=np.zeros((30_000, 30_000))).lines(0.5),
    "contour chunks": lambda: contourpy.contour_generator(z=np.zeros((3, 3)), chunk_size=-1),
    "contour nan": lambda: contourpy.contour_generator(z=np.full((5, 5), np.nan), z_interp="log").lines(float("nan")),
    "contour levels": lambda: plt.contourf(np.zeros((5, 5)), levels=[3, 2, 1]),
    "constraints": lines,
    "constraint nan": lambda: kiwisolver.Solver().suggestValue(kiwisolver.Variable("x"), float("nan")),
    "font noise": lambda: font(noise),
    "font cut": lambda: font(lambda data: data.__delitem__(slice(4000, None))),
    "font empty": lambda: ft2font.FT2Font(io.BytesIO(b"")),
    "font endless": lambda: ft2font.FT2Font(Endless()),
    "font closed": lambda: ft2font.FT2Font(io.StringIO("x")),
    "glyph": lambda: ft2font.FT2Font(FONT).load_glyph(2**31 - 1),
    "font size": lambda: (ft2font.FT2Font(FONT).set_size(1e12, 1e12), plt.figtext(0, 0, "x", size=1e7), save()),
    "png size": lambda: opened(png(2**31 - 1, 2**31 - 1)),
    "png cut": lambda: opened(png(100, 100, zlib.compress(b"x" * 100))),
    "png noise": lambda: opened(png(100, 100, b"noise")),
    "png bomb": lambda: opened(png(20_000, 20_000, zlib.compress(bytes(1000)))),
    "gif": lambda: opened(b"GIF89a" + b"\xff" * 1000),
    "bmp": lambda: opened(b"BM" + b"\xff" * 1000),
    "tiff": lambda: opened(b"II*\0\x08\0\0\0" + b"\xff" * 1000),
    "psd": lambda: opened(b"8BPS\0\x01" + b"\xff" * 1000),
    "picture": lambda: Image.new("RGB", (100_000, 100_000)),
    "resize": lambda: Image.new("RGB", (10, 10)).resize((2**30, 2**30)),
    "transform": lambda: Image.new("RGB", (10, 10)).transform((10, 10), 99, [1e300] * 8),
    "draw": lambda: ImageDraw.Draw(Image.new("RGB", (10, 10))).polygon([(1e30, -1e30), (float("nan"), 2), "x"]),
    "pillow font": lambda: ImageFont.truetype(io.BytesIO(b"\0\1\0\0" + b"\xff" * 500)),
    "buffer": lambda: Image.frombytes("RGB", (1000, 1000), b"x"),
    "recursion": lambda: nested(),
}


def nested():
    return matplotlib.transforms.CompositeGenericTransform(matplotlib.transforms.IdentityTransform(), deep(20_000)).transform([0, 0])


def deep(depth):
    result = matplotlib.transforms.Affine2D()
    for _ in range(depth):
        result = result + matplotlib.projections.polar.PolarAxes.PolarTransform(apply_theta_transforms=False)
    return result


#: What does not end by itself.
ENDLESS = {
    "loop": lambda: [None for _ in iter(lambda: plt.close(plt.figure()), 1)],
    "points": lambda: [None for _ in iter(lambda: (plt.plot(np.random.default_rng(1).random(1_000_000), "o"), save(), plt.clf()), 1)],
    "bins": lambda: [None for _ in iter(lambda: (plt.hist([1, 2], bins=20_000), save()), 1)],
}


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print(json.dumps([[*ERRORS], [*ENDLESS]]))
    else:
        ({**ERRORS, **ENDLESS})[sys.argv[1]]()
        print("no error")
