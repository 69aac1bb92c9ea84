"""The modules of packages that are imported during the build. This pack has no packages."""

MODULES = ""
