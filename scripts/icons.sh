#!/usr/bin/env bash
# Draws every icon file from icons/siltstone.svg with Tauri's own renderer. `make icons` calls it; the results are
# committed, so a build never needs it. Mobile and Windows Store sizes are left out: nothing here ships there.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
tauri=ui/node_modules/.bin/tauri
"$tauri" icon icons/siltstone.svg --output "$out" >/dev/null 2>&1
"$tauri" icon icons/siltstone.svg --output "$out" --png 16,24,48,64,256,512 >/dev/null 2>&1
for file in {16x16,24x24,32x32,48x48,64x64,128x128,128x128@2x,256x256,512x512,icon}.png icon.ico icon.icns; do
    install -m 644 "$out/$file" icons/
done
