"""The modules of packages that are imported during the build. This pack has no packages."""

MODULES = ""
#: Those of them whose `start` each program calls first.
STARTS = ""
