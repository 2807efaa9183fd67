#!/usr/bin/env bash
# Opens the window. Where there is no screen to open it on, walks the main job through the real window on a virtual one
# and leaves a picture of each step. `make run` calls it; arguments (a folder to open) go to the window.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -s)" != Linux ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    # Without it, recall goes by words alone; the window opens all the same.
    scripts/embedder.py || echo "The window opens without the model that finds by meaning; 'make embedder' tries again."
    export SILTSTONE_MODELS="$PWD/target/models"
    exec cargo run --locked --bin siltstone -- "$@"
fi
echo "No display here: walking through the window on a virtual screen instead."
scripts/setup.sh test
scripts/window.sh walk --include-ignored
echo "The window was walked through, step by step. Pictures:"
ls target/shots/*.png
