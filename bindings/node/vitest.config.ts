import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    // The add-on is loaded by Node itself.
    server: { deps: { external: [/\/native\//] } },
  },
});
