"use strict";

// The name of the package with the add-on for this platform.
exports.platformName = () => {
  const { platform, arch } = process;
  if (platform !== "linux") return `sandshell-${platform}-${arch}`;
  // Only glibc's version is in the report.
  const { glibcVersionRuntime } = process.report.getReport().header;
  return `sandshell-linux-${arch}-${glibcVersionRuntime ? "gnu" : "musl"}`;
};
