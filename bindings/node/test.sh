#!/usr/bin/env bash
# Tests the JavaScript package. Builds the workspace as `cargo test --workspace` does, so that both share what is compiled.
set -euo pipefail
cd "$(dirname "$0")"
(cd ../.. && cargo build --workspace)
target=$(cargo metadata --no-deps --format-version 1 | node -p 'JSON.parse(require("fs").readFileSync(0)).target_directory')
npm ci --no-audit --no-fund --loglevel=error
node scripts/native.mjs "$target/debug/libsandshell_node.so"
npm run --silent build:js
npm test --silent -- "$@"
