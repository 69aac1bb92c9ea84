// What holds for all of HTTP in this process.

let most;

module.exports = {
  settings: {
    get maxHeaderSize() {
      if (most === undefined) {
        const found = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)]
          .map((word) => /^--max-http-header-size=(\d+)$/.exec(word)?.[1]).find(Boolean);
        most = found ? Number(found) : 16384;
      }
      return most;
    },
  },
};
