#!/usr/bin/env bash
# Packages for this system: the window, the command line beside it, the model that finds by meaning, and the licences of all
# that others made of it. `make package` calls it. With --debug nothing is optimised: to be looked at, and sooner there.
set -euo pipefail
cd "$(dirname "$0")/.."
options=("$@")
if [ "${1:-}" != --debug ]; then
    # What is the same code for several types is there once, and no path of this machine is in the programs.
    paths="--remap-path-prefix=$PWD=/siltstone --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
    export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-C link-arg=-Wl,--icf=all $paths"
fi
scripts/embedder.py
ui/node_modules/.bin/tauri build "${options[@]}" --runner "$PWD/scripts/audited.sh" --no-bundle -- \
    --locked --package siltstone --package siltstone-cli
scripts/pack.sh "${options[@]}"
