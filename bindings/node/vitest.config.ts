import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    // Node itself must load the add-on.
    server: { deps: { external: [/\/native\//] } },
  },
});
