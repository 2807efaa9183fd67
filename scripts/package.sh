#!/usr/bin/env bash
# Packages for this system: the window, the command line beside it, and the model that finds by meaning. `make package`
# calls it. With --debug they are made of what `make test` builds, to be looked at.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=release options=()
if [ "${1:-}" = --debug ]; then
    profile=debug options=(--debug)
fi
scripts/embedder.py
# What only a package carries, and what does not lie there before it is built.
mkdir -p target
sed "s|target/release/|target/$profile/|" scripts/package.json >target/package.json
ui/node_modules/.bin/tauri build "${options[@]}" --bundles deb,rpm --config target/package.json -- \
    --locked --package siltstone --package siltstone-cli
find "target/$profile/bundle" -maxdepth 2 -type f \( -name '*.deb' -o -name '*.rpm' \)
