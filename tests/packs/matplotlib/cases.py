"""What matplotlib draws, natively and in the sandbox: `cases.py [DIR]`. Prints a hash of each plot's pixels, or of its text; with a
directory, also keeps the files.

`cases.expected` is what native matplotlib 3.10.9 drew on x86-64, compiled with Debian's FreeType, with numpy 2.3.5 and pandas 3.0.6.
Text differs in wheels of the Python package index, which have an older FreeType.
"""

import hashlib
import io
import os
import re
import sys
from pathlib import Path

os.environ["SOURCE_DATE_EPOCH"] = "1700000000"

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from PIL import Image, ImageDraw, ImageFont

matplotlib.rcParams["svg.hashsalt"] = "cases"

PLOTS = r'''
# line
plt.plot([1, 3, 2, 4], label="a"); plt.plot([4, 2, 3, 1], "o--r", label="b"); plt.title("Line"); plt.xlabel("x"); plt.legend(); plt.grid(True)

# styles
for i, style in enumerate(["-", "--", "-.", ":"]): plt.plot(x, np.sin(x + i), style, lw=i + 1)
plt.axhline(0, color="k"); plt.axvspan(1, 2, alpha=0.3); plt.annotate("peak", (1.57, 1), (3, 1.3), arrowprops={"arrowstyle": "->"})

# scatter
r = np.random.default_rng(1); plt.scatter(r.random(200), r.random(200), c=r.random(200), s=100 * r.random(200), alpha=0.5); plt.colorbar()

# markers
for i, m in enumerate("o^v<>sp*hHDd+x|_.,"): plt.plot(i, i % 5, m, ms=12)

# bar
plt.bar(["one", "two", "three"], [3, 7, 5], yerr=[0.5, 1, 0.3], capsize=4, color=["C0", "C1", "C2"]); plt.ylabel("n")

# barh
plt.barh(np.arange(5), [5, 3, 8, 1, 2], left=[0, 1, 2, 3, 4], hatch="//")

# stacked
a = np.array([3, 5, 2]); b = np.array([1, 2, 4]); plt.bar(range(3), a); plt.bar(range(3), b, bottom=a); plt.stackplot([0, 1, 2], a, b, alpha=0.2)

# hist
plt.hist(np.random.default_rng(2).normal(size=1000), bins=30, edgecolor="k", density=True)

# hist2d
r = np.random.default_rng(3); plt.hist2d(r.normal(size=2000), r.normal(size=2000), bins=25); plt.colorbar()

# hexbin
r = np.random.default_rng(3); plt.hexbin(r.normal(size=2000), r.normal(size=2000), gridsize=15, cmap="inferno")

# imshow
plt.imshow(np.arange(100).reshape(10, 10) % 7, cmap="viridis"); plt.colorbar()

# imshow smooth
plt.imshow(np.arange(64, dtype="f8").reshape(8, 8), interpolation="bilinear", extent=(0, 4, 0, 2), origin="lower", aspect="auto")

# imshow rgb
plt.imshow(np.linspace(0, 1, 300).reshape(10, 10, 3), interpolation="lanczos")

# contour
cs = plt.contour(X, Y, Z, levels=8); plt.clabel(cs, inline=True)

# contourf
plt.contourf(X, Y, Z, 20, cmap="RdBu"); plt.colorbar()

# contour masked
plt.contourf(X, Y, np.ma.masked_where(np.abs(Z) < 0.1, Z), hatches=["/", None, "x"], extend="both")

# pcolormesh
plt.pcolormesh(X, Y, Z, shading="gouraud"); plt.colorbar(orientation="horizontal")

# pie
plt.pie([30, 45, 25], labels=["a", "b", "c"], autopct="%1.1f%%", explode=[0, 0.1, 0], shadow=True)

# boxplot
plt.boxplot([np.random.default_rng(i).normal(i, 1, 50) for i in range(4)], notch=True)

# violin
plt.violinplot([np.random.default_rng(i).normal(i, 1, 50) for i in range(4)], showmedians=True)

# errorbar
plt.errorbar(np.arange(5), np.arange(5) ** 2, yerr=np.arange(5), fmt="o", capsize=3); plt.fill_between(np.arange(5), 0, np.arange(5) ** 2, alpha=0.2)

# subplots
fig, axs = plt.subplots(2, 2, sharex=True, figsize=(6, 5)); axs[0, 0].plot(x, np.sin(x)); axs[0, 1].step(x, np.cos(x)); axs[1, 0].stem(x[::10], np.sin(x[::10])); axs[1, 1].fill(x, np.sin(3 * x))
fig.suptitle("Four"); fig.tight_layout()

# constrained
fig, axs = plt.subplots(1, 3, layout="constrained", figsize=(7, 3)); im = axs[0].imshow(Z); fig.colorbar(im, ax=axs); axs[1].set_title("a title")

# mosaic
fig, axd = plt.subplot_mosaic("AB;CC"); axd["A"].plot([1, 2]); axd["C"].bar([1, 2], [3, 4]); fig.subplots_adjust(hspace=0.5)

# log
plt.loglog([1, 10, 100, 1000], [1, 100, 10000, 1e6], "s-"); plt.grid(True, which="both")

# semilog
plt.semilogy([1, 10, 500, 3000]); plt.xlabel(r"$x$")

# symlog
plt.plot(x - 3, (x - 3) ** 3); plt.yscale("symlog"); plt.twinx().plot(x, x, "r")

# mathtext
plt.text(0.1, 0.5, r"$\frac{\alpha^2}{\sqrt{\beta_i}} \sum_{n=0}^\infty \int_0^1 x^n\,dx \geq \hat{\theta}$", fontsize=20); plt.title(r"$E = mc^2$")

# text
plt.text(0.5, 0.5, "rotated é ß Ω жук\ntwo lines", rotation=30, ha="center", bbox={"boxstyle": "round", "fc": "yellow"}, family="serif"); plt.figtext(0.1, 0.02, "mono", family="monospace", weight="bold")

# polar
plt.subplot(projection="polar").plot(x, np.abs(np.sin(2 * x)))

# surface
ax = plt.subplot(projection="3d"); ax.plot_surface(X, Y, Z, cmap="coolwarm"); ax.set_zlabel("z")

# scatter3d
ax = plt.subplot(projection="3d"); r = np.random.default_rng(5); ax.scatter(*r.random((3, 50))); ax.plot([0, 1], [0, 1], [0, 1]); ax.view_init(30, 40)

# quiver
plt.quiver(X[::4, ::4], Y[::4, ::4], -Y[::4, ::4], X[::4, ::4]); plt.streamplot(X[0], Y[:, 0], -Y, X, density=0.6)

# tri
r = np.random.default_rng(6); px, py = r.random((2, 40)); plt.tripcolor(px, py, px * py); plt.triplot(px, py, lw=0.5); plt.tricontour(px, py, px * py)

# dates
t = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]"); plt.plot(t, np.arange(60)); plt.gcf().autofmt_xdate()

# dates pandas
plt.plot(pd.date_range("2024-01-01", periods=48, freq="h"), np.arange(48)); plt.gca().xaxis.set_major_formatter(matplotlib.dates.DateFormatter("%d %H:%M"))

# category
plt.plot(["apple", "pear", "fig"], [1, 3, 2]); plt.xticks(rotation=45)

# table
plt.table(cellText=[["1", "2"], ["3", "4"]], colLabels=["a", "b"], loc="center"); plt.axis("off")

# patches
ax = plt.gca(); p = matplotlib.patches
for q in [p.Circle((0.3, 0.3), 0.2), p.Rectangle((0.5, 0.5), 0.3, 0.2, angle=20, fill=False), p.Wedge((0.7, 0.3), 0.2, 30, 300), p.FancyBboxPatch((0.1, 0.7), 0.2, 0.1), p.Ellipse((0.5, 0.9), 0.4, 0.1, color="g")]: ax.add_patch(q)

# style
plt.style.use("ggplot"); plt.plot(x, np.sin(x)); plt.hist([1, 2, 2, 3])

# dark
plt.style.use("dark_background"); plt.plot(x, np.sin(x))

# xkcd colours
plt.plot([1, 2], color="xkcd:sky blue"); plt.plot([2, 1], color="tab:olive", alpha=0.5); plt.fill_between([0, 1], [1, 2], [2, 1], color="#ff000040")

# clip
plt.plot(x, np.tan(x)); plt.ylim(-3, 3); plt.xlim(0, 6); plt.gca().set_aspect("equal")

# many points
plt.plot(np.cumsum(np.random.default_rng(7).normal(size=100000)), lw=0.5)

# nan
plt.plot([1, np.nan, 3, 4, np.inf, 2], "o-"); plt.imshow([[1, np.nan], [2, 3]], extent=(0, 5, 0, 4))

# path effects
import matplotlib.patheffects as pe; plt.text(0.2, 0.5, "outline", fontsize=40, path_effects=[pe.withStroke(linewidth=4, foreground="r")])

# df line
pd.DataFrame({"a": [1, 3, 2], "b": [2, 1, 4]}, index=pd.date_range("2024", periods=3)).plot(title="frame")

# df bar
pd.DataFrame({"a": [1, 3, 2], "b": [2, 1, 4]}, index=list("xyz")).plot.bar(stacked=True, rot=0)

# df box
pd.DataFrame(np.random.default_rng(8).normal(size=(50, 3)), columns=list("abc")).plot.box()

# df hist
pd.DataFrame(np.random.default_rng(8).normal(size=(50, 3)), columns=list("abc")).hist(figsize=(6, 5))

# df scatter
pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6], "c": [7, 8, 9]}).plot.scatter("a", "b", c="c", cmap="viridis")

# df subplots
pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]}).plot(subplots=True, kind="area")

# series pie
pd.Series([1, 2, 3], index=list("abc")).plot.pie()

# scatter matrix
pd.plotting.scatter_matrix(pd.DataFrame(np.random.default_rng(9).normal(size=(30, 3)), columns=list("abc")), figsize=(5, 5))
'''

#: What is drawn by other means, or is not a plot: expressions, whose text or bytes are told.
OTHERS = r'''
plt.get_backend().lower()

text(saved("svg"))

text(saved("pdf"))

text(saved("ps"))

Image.open(io.BytesIO(saved("png"))).size

saved("png", dpi=200, transparent=True, bbox_inches="tight")

saved("tiff")

text(saved("pgf"))

Image.effect_noise((8, 8), 0).resize((30, 20), Image.LANCZOS).rotate(30).convert("L").tobytes()

drawn().tobytes()

turned("PNG")

turned("GIF")

turned("BMP")

turned("TIFF")

contourpy.contour_generator(z=Z, name="serial").lines(0.2)[0].round(9).tobytes()

contourpy.contour_generator(z=Z, name="threaded", chunk_count=4, thread_count=3).lines(0.2)[0].round(9).tobytes()

contourpy.contour_generator(z=Z, line_type="Wrong")

contourpy.contour_generator(z=[1, 2])

contourpy.contour_generator(z=Z).filled(2, 1)

constraints()

kiwisolver.Solver().addConstraint(1)

kiwisolver.Solver().removeConstraint(kiwisolver.Variable("a") >= 1)

kiwisolver.Variable("a") * kiwisolver.Variable("b")

1 / kiwisolver.Variable("a")

unsatisfiable()

matplotlib.ft2font.FT2Font("/nowhere.ttf")

matplotlib.ft2font.FT2Font(io.BytesIO(b"no font"))

matplotlib.ft2font.FT2Font(1)

matplotlib.ft2font.FT2Font(matplotlib.font_manager.findfont("DejaVu Sans")).load_glyph(10**9)

matplotlib.ft2font.FT2Font(matplotlib.font_manager.findfont("DejaVu Sans")).get_kerning("a", 1, 2)

os.path.basename(matplotlib.font_manager.findfont("monospace"))

matplotlib.tri.Triangulation([0, 1], [0, 1])

matplotlib.tri.Triangulation([0, 1, 2], [0, 1, 2])

matplotlib.tri.Triangulation([0, 1, 0, 1], [0, 0, 1, 1]).triangles.tolist()

matplotlib._path.point_in_path(0, 0, 1, 2, None)

matplotlib._path.convert_to_string(1, 2, 3, 4, 5, 6, 7)

matplotlib.backends.backend_agg.RendererAgg(10**6, 10**6, 100)

matplotlib.backends.backend_agg.RendererAgg(-1, 5, 100)

plt.figure(figsize=(1e6, 1e6)).savefig(io.BytesIO())

plt.title(r"$\frac{1$").figure.savefig(io.BytesIO())

plt.imshow(np.zeros((2, 2)), interpolation="nothing")

plt.plot([1, 2], [1, 2, 3])

plt.plot([1], color="nocolor")

plt.switch_backend("qtagg")

matplotlib.use("nothing")

Image.open(io.BytesIO(b"no picture"))

Image.new("RGB", (2, 2)).save(io.BytesIO(), "nothing")
'''


def saved(kind, **options):
    """A plot in a file format."""
    fig, ax = plt.subplots(figsize=(3, 2))
    ax.plot([1, 2, 4], label="a")
    ax.fill_between([0, 1, 2], [1, 2, 3], alpha=0.4)
    ax.set_title("$x^2$ title")
    file = io.BytesIO()
    metadata = {"CreationDate": None} if kind == "pdf" else None
    fig.savefig(file, format=kind, **options, **({"metadata": metadata} if metadata else {}))
    plt.close(fig)
    return file.getvalue()


def text(data):
    """A text's shapes: names and compressed parts differ."""
    return re.sub(rb"stream\n.*?endstream", b"", data, flags=re.S)[:300]


def drawn():
    picture = Image.new("RGBA", (120, 60), "white")
    draw = ImageDraw.Draw(picture)
    draw.ellipse((10, 10, 50, 50), fill="red", outline="blue", width=3)
    draw.polygon([(60, 10), (110, 30), (70, 55)], fill=(0, 128, 0, 100))
    draw.text((5, 5), "Text", fill="black", font=ImageFont.load_default(14))
    return picture


def turned(kind):
    """A picture that was written and read."""
    file = io.BytesIO()
    drawn().convert("RGB").save(file, kind)
    return Image.open(file).convert("RGB").tobytes()


def constraints():
    a, b = kiwisolver.Variable("a"), kiwisolver.Variable("b")
    solver = kiwisolver.Solver()
    solver.addConstraint((a + b * 2 == 10) | "strong")
    solver.addConstraint(a >= b + 1)
    solver.addEditVariable(a, "weak")
    solver.suggestValue(a, 6)
    solver.updateVariables()
    return a.value(), b.value()


def unsatisfiable():
    a = kiwisolver.Variable("a")
    solver = kiwisolver.Solver()
    solver.addConstraint(a >= 2)
    solver.addConstraint(a <= 1)


def told(value):
    return hashlib.sha256(value).hexdigest()[:16] if isinstance(value, bytes) else str(value)


def main(folder):
    import contourpy
    import kiwisolver
    x = np.linspace(0, 6, 100)
    X, Y = np.meshgrid(np.linspace(-2, 2, 40), np.linspace(-2, 2, 40))
    Z = np.round(X * np.exp(-X**2 - Y**2), 12)
    globals().update(contourpy=contourpy, kiwisolver=kiwisolver, Z=Z)
    for case in re.split(r"\n\n", PLOTS.strip()):
        name, code = case.split("\n", 1)
        name = name.removeprefix("# ")
        with matplotlib.rc_context():
            try:
                exec(code, globals() | {"x": x, "X": X, "Y": Y, "Z": Z})
                plt.gcf().canvas.draw()
                pixels = np.asarray(plt.gcf().canvas.buffer_rgba())
                answer = f"{pixels.shape[1]}x{pixels.shape[0]} {told(pixels.tobytes())}"
                if folder:
                    Image.fromarray(pixels).save(Path(folder, f"{name}.png"))
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
        plt.close("all")
        print(f"{name}: {answer}", flush=True)
    for case in re.split(r"\n\n", OTHERS.strip()):
        try:
            answer = told(eval(case))
        except Exception as error:
            # The rest has sets, whose order differs, and addresses.
            answer = f"{type(error).__name__}: {error}".split("\n")[0][:60]
        plt.close("all")
        print(f">>> {case}\n{answer}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
