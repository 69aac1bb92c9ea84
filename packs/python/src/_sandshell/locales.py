"""`setlocale` for a system with only the C locales. The C library here accepts any name."""

import _locale
import sys

from .replacing import put

_NAMES = {"C", "POSIX", "C.UTF-8", "C.utf8"}
_set = _locale.setlocale
_chosen = {category: "C" for category in range(6)}


def setlocale(category, locale=None, /):
    """Activates/queries locale processing."""
    if category not in _chosen and category != _locale.LC_ALL:
        raise _locale.Error("unsupported locale setting")
    if locale is None:
        return _known(category)
    if locale == "":
        locale = _wanted(category)
    names = dict(part.split("=", 1) for part in locale.split(";")) if "=" in locale else None
    if names is None and locale not in _NAMES or names and not set(names.values()) <= _NAMES:
        raise _locale.Error("unsupported locale setting")
    for number in _chosen if category == _locale.LC_ALL else (category,):
        _chosen[number] = names.get(_CATEGORIES[number], "C") if names else "C" if locale == "POSIX" else locale
    return _known(category)


_CATEGORIES = {getattr(_locale, name): name for name in
               ("LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES")}


def _known(category):
    if category != _locale.LC_ALL:
        return _chosen[category]
    if len(set(_chosen.values())) == 1:
        return _chosen[0]
    return ";".join(f"{_CATEGORIES[number]}={name}" for number, name in _chosen.items())


def _wanted(category):
    import os
    for name in ("LC_ALL", _CATEGORIES.get(category, "LC_CTYPE"), "LANG"):
        if os.environ.get(name):
            return os.environ[name]
    return "C"


def install():
    """Replaces `_locale.setlocale`. The interpreter starts with the character encoding of C.UTF-8."""
    if "locale" in sys.modules:
        raise ImportError("locale keeps the function that is to be replaced")
    _chosen[_locale.LC_CTYPE] = "C.UTF-8"
    put(_locale, "setlocale", setlocale)
