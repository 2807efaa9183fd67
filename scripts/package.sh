#!/usr/bin/env bash
# Packages for this system: the window, the command line beside it, the model that finds by meaning, and the licences of all
# that others made of it. `make package` calls it. With --debug nothing is optimised: to be looked at, and sooner there.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=release options=()
if [ "${1:-}" = --debug ]; then
    profile=debug options=(--debug)
else
    # What is the same code for several types is there once, and no path of this machine is in the programs.
    paths="--remap-path-prefix=$PWD=/siltstone --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
    export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-C link-arg=-Wl,--icf=all $paths"
fi
scripts/embedder.py
# Every time in a package is that of the last change of the sources.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
# What only a package carries, and what does not lie there before it is built.
mkdir -p target
scripts/licences.py --into target
sed "s|target/release/|target/$profile/|" scripts/package.json >target/package.json
ui/node_modules/.bin/tauri build "${options[@]}" --bundles deb,rpm --config target/package.json -- \
    --locked --package siltstone --package siltstone-cli

# Packed anew, so that the same files give the same bytes at any time, and fewer of them.
for package in target/"$profile"/bundle/deb/*.deb; do
    command -v dpkg-deb >/dev/null || break
    unpacked=$(mktemp -d)
    dpkg-deb --raw-extract "$package" "$unpacked/it"
    dpkg-deb --root-owner-group -Zxz --build "$unpacked/it" "$package" >/dev/null
    rm -r "$unpacked"
done
ls -l target/"$profile"/bundle/deb/*.deb target/"$profile"/bundle/rpm/*.rpm
