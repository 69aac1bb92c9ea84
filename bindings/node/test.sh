#!/usr/bin/env bash
# Tests the JavaScript package. Builds the workspace in the same way as `cargo test --workspace`, so that both share
# compiled code.
set -euo pipefail
cd "$(dirname "$0")"
(cd ../.. && cargo build --workspace)
target=$(cargo metadata --no-deps --format-version 1 | node -p 'JSON.parse(require("fs").readFileSync(0)).target_directory')
export SANDSHELL="$target/debug/sandshell"
npm ci --no-audit --no-fund --loglevel=error
node scripts/native.mjs "$target/debug/libsandshell_node.so"
# The add-on is a part of the package too.
strip -S native/*.node
# `cargo test` keeps the Python pack, with its compiled code, in a home directory.
rm -rf packs
for built in "$target"/tmp/python/*/built; do
  [ -e "$built" ] || continue
  node scripts/pack.mjs "${built%/built}/.local/share/sandshell/packs/python"
  export XDG_CACHE_HOME="${built%/built}/.cache"
done
npm run --silent build:js
npm test --silent -- "$@"
