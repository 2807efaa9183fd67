#!/usr/bin/env bash
# Clippy and rustdoc over the workspace, without a warning. `make check` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${RUSTC_WORKSPACE_WRAPPER:-}" = "$PWD/scripts/linted.sh" ]; then
    # Both read along while everything is built: see scripts/linted.sh.
    exec scripts/part.sh "build, clippy and rustdoc" \
        cargo build --locked --workspace --bins --tests --features siltstone-window-tests/screen
fi
scripts/part.sh "clippy" cargo clippy --locked --workspace --all-targets --features siltstone-window-tests/screen -- -D warnings
RUSTDOCFLAGS="-D warnings" scripts/part.sh "rustdoc" \
    cargo doc --locked --workspace --no-deps --lib --bins --examples --features siltstone-window-tests/screen
