"""The local time from `TZ`, which wasi-libc ignores. The compiled program reads `TABLE`."""

# Do not import calendar: it would import locale before `setlocale` is replaced.
import datetime
import itertools
import os
import re
import struct
import time

from .replacing import put

#: The changes of the local time; `adapt/functions/libc/zones.wat` describes the format.
TABLE = bytearray()
_ENTRY = struct.Struct("<qiii28s")
_LONGEST_NAME = 27
#: Rules are expanded for this many years; then the calendar repeats.
_YEARS = 400
#: The GNU C library's rule for a zone with two names and no rule.
_USUAL = ",M3.2.0,M11.1.0"
#: The beginning of a rule, as opposed to the name of a zone.
_RULE = re.compile(r"([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)[+-]?\d", re.ASCII)
_NEVER = (1 << 63) - 1
_HOUR, _DAY = 3600, 86400
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_YEAR = (365 * 24 + 6) * _HOUR
#: The directory of zone files relative to the library, in addition to `zoneinfo.TZPATH`.
_FILES = "site-packages/tzdata/zoneinfo"
_UTC = [(0, 0, 0, "UTC")]

library = ""


def install(directory):
    """Sets the local time to UTC and makes `time.tzset` use `TZ`. `directory` is that of the library."""
    global library
    library = directory
    put(time, "tzset", tzset)
    _use(_UTC)


def start(zone):
    """Sets the zone from the environment; without one the local time stays UTC."""
    if zone not in (None, b"", b"UTC", b"UTC0"):
        tzset()


def tzset():
    """Initialize, or reinitialize, the local timezone to the value stored in os.environ['TZ']."""
    zone = os.environ.get("TZ", "").removeprefix(":")
    _use(_of_file(zone) or _of_rule(zone) or [(0, 0, 0, _unknown(zone))] if zone else _UTC)


def _use(entries, limit=_NEVER):
    """Sets the local time to these entries: start, offset, whether it is daylight saving time, name."""
    if isinstance(entries, tuple):
        entries, limit = entries
    data = bytearray()
    for index, (begin, offset, dst, name) in enumerate(entries):
        opposite = _opposite(entries, index)
        data += _ENTRY.pack(begin if index else limit, offset, dst, opposite, name.encode()[:_LONGEST_NAME])
    TABLE[:] = data
    _tell()


def _opposite(entries, index):
    """The offset of the nearest entry of the other kind of time."""
    _, offset, dst, _ = entries[index]
    for at in itertools.chain((index - 1, index + 1), range(index - 2, -1, -1), range(index + 2, len(entries))):
        if 0 <= at < len(entries) and entries[at][2] != dst:
            return entries[at][1]
    return offset - _HOUR if dst else offset + _HOUR


def _tell():
    """Sets the zone attributes of `time` as CPython does, from the first days of January and July."""
    begin = int(time.time()) // _YEAR * _YEAR
    january, july = time.localtime(begin), time.localtime(begin + _YEAR // 2)
    standard, other = (july, january) if january.tm_gmtoff > july.tm_gmtoff else (january, july)
    time.timezone, time.altzone = -standard.tm_gmtoff, -other.tm_gmtoff
    time.daylight = int(january.tm_gmtoff != july.tm_gmtoff)
    time.tzname = (standard.tm_zone, other.tm_zone)


def _of_file(zone):
    from zoneinfo import TZPATH
    for directory in (*TZPATH, f"{library}/{_FILES}"):
        try:
            with open(os.path.join(directory, zone), "rb") as file:
                return _read(file)
        except Exception:
            # An invalid zone file counts as a missing one.
            pass
    return None


def _read(file):
    from zoneinfo import _common
    index, begins, offsets, dst, names, rule = _common.load_data(file)
    kinds = list(zip(offsets, dst, names))
    entries = [(0, *next((kind for kind in kinds if not kind[1]), kinds[0]))]
    entries += [(begin, *kinds[kind]) for begin, kind in zip(begins, index)]
    return _with_rule(entries, rule.decode()) if rule else entries


def _of_rule(zone):
    if not _RULE.match(zone):
        return None
    for rule in (zone, zone + _USUAL):
        try:
            return _with_rule([], rule)
        except ValueError:
            pass
    return None


def _with_rule(entries, rule):
    """The entries, followed by those of a rule for later times; and the time up to which they apply."""
    from zoneinfo import _zoneinfo
    parsed = _zoneinfo._parse_tz_str(rule)
    if not isinstance(parsed, _zoneinfo._TZStr):
        kind = int(parsed.utcoff.total_seconds()), 0, parsed.tzname
        return entries or [(0, *kind)]
    standard = int(parsed.std.utcoff.total_seconds()), 0, parsed.std.tzname
    summer = int(parsed.dst.utcoff.total_seconds()), 1, parsed.dst.tzname
    # A rule without entries applies from 1970 on.
    last = entries[-1][0] if len(entries) > 1 else 0
    first = datetime.datetime.fromtimestamp(last, datetime.UTC).year
    entries = entries or [(0, *(standard if parsed.transitions(first)[0] < parsed.transitions(first)[1] else summer))]
    # The changes in a year depend only on the weekday of its first day and on whether it is a leap year.
    known = {}
    day = datetime.date(first, 1, 1).toordinal()
    for year in range(first, first + _YEARS + 1):
        begin, leap = (day - _EPOCH) * _DAY, year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        if (day % 7, leap) not in known:
            start, end = parsed.transitions(year)
            known[day % 7, leap] = sorted([(int(start) - standard[0] - begin, summer), (int(end) - summer[0] - begin, standard)])
        for place, kind in known[day % 7, leap]:
            if begin + place > last:
                entries.append((begin + place, *kind))
        day += 365 + leap
    return entries, entries[-1][0]


def _unknown(zone):
    """The GNU C library's name for a zone that it does not know."""
    letters = zone[:next((at for at, letter in enumerate(zone) if not letter.isalpha()), len(zone))]
    return letters if len(letters) > 2 else "UTC"
