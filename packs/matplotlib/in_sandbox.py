"""matplotlib's part of each program: it was imported when the interpreter was built, and looks for the user's settings when a
program starts."""

import os
import sys

import _matplotlib_files
import matplotlib
import pyparsing
from matplotlib import font_manager, style

#: Where packages are in a sandbox.
PLACE = f"/usr/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"


def start():
    """Reads the user's settings, if there are any: those that matplotlib reads when it is imported."""
    # pyparsing recognises its own calls by the place of one in its file, which was another one during the build.
    pyparsing.core.pa_call_line_synth = (pyparsing.core._trim_arity.__code__.co_filename, pyparsing.core.pa_call_line_synth[1])
    environment = os.environ
    if "MATPLOTLIBRC" in environment or os.path.isfile("matplotlibrc") or os.path.isdir(_folder(environment)):
        _told(_read)
    if environment.get("MPLBACKEND"):
        _told(lambda: matplotlib.rcParams.__setitem__("backend", environment["MPLBACKEND"]))


def _folder(environment):
    """Where the settings are, without making that directory."""
    return environment.get("MPLCONFIGDIR") or os.path.join(
        environment.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config"), "matplotlib")


def _read():
    name = matplotlib.matplotlib_fname()
    if not name.startswith(PLACE):
        matplotlib.rcParams._update_raw(matplotlib._rc_params_in_file(name))
        matplotlib.rcParamsOrig = matplotlib.rcParams.copy()
    style.core.USER_LIBRARY_PATHS[:] = [os.path.join(matplotlib.get_configdir(), "stylelib")]
    style.reload_library()


def _told(setting):
    """Programs that do not use matplotlib run nevertheless."""
    try:
        setting()
    except Exception as error:
        print(f"matplotlib's settings: {type(error).__name__}: {error}", file=sys.stderr)


def _built():
    """Lists fonts and styles, which matplotlib would look for in directories: the build cannot read these. What was found during
    the build is elsewhere in a sandbox."""
    before = os.path.dirname(os.path.dirname(matplotlib.__file__))
    manager = font_manager.fontManager
    for name in _matplotlib_files.FONTS:
        manager.addfont(f"{before}/{name}")
    for font in (*manager.ttflist, *manager.afmlist):
        object.__setattr__(font, "fname", PLACE + font.fname.removeprefix(before))
    for name in _matplotlib_files.STYLES:
        settings = matplotlib.rc_params_from_file(f"{before}/{name}", use_default_template=False)
        style.core._base_library[os.path.basename(name).removesuffix(".mplstyle")] = settings
    style.reload_library()
    manager._findfont_cached.cache_clear()
    for cached in (font_manager._cached_realpath, font_manager._get_font):
        cached.cache_clear()
    for cached in (matplotlib.get_data_path, matplotlib.get_configdir, matplotlib.get_cachedir):
        # They have no other way to forget.
        cached.__closure__[cached.__code__.co_freevars.index("called")].cell_contents = False


_built()
