#!/usr/bin/env bash
# Checks Siltstone for the systems that this machine is not: clippy without a warning for Windows and for macOS; then the
# command line and tests are linked for Windows, and run under Wine. `make check-elsewhere` calls it; docs/platforms.md
# says what that shows, and what it cannot.
set -euo pipefail
cd "$(dirname "$0")/.."
windows=x86_64-pc-windows-gnu macos=aarch64-apple-darwin
export CARGO_TARGET_DIR="$PWD/target/elsewhere" CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 RUST_BACKTRACE=0
unset RUSTC_WORKSPACE_WRAPPER

scripts/part.sh "packages" scripts/setup.sh elsewhere
command -v rustup >/dev/null || {
    echo "elsewhere: rustup is needed, for the standard libraries of other systems: https://rustup.rs" >&2
    exit 1
}
rustup --quiet target add "$windows" "$macos"

# All but what runs on Linux alone: the window under a driver, the rigs, the measurements.
lint() { # lint SYSTEM
    scripts/part.sh "clippy for $1" cargo clippy --locked --target "$1" --workspace --exclude siltstone-window-tests \
        --exclude siltstone-torture --exclude siltstone-bench --lib --bins --keep-going -- -D warnings
}
lint "$windows"

# To compile C for macOS takes Apple's own headers. A check links nothing, so that empty files stand for what C would give:
# blake3, objc2-exception-helper, ring, SQLite, zstd.
nothing="$CARGO_TARGET_DIR/nothing"
printf '#!/bin/sh\nwhile [ $# -gt 0 ]; do\n    [ "$1" != -o ] || : >"$2"\n    shift\ndone\n' >"$nothing"
chmod +x "$nothing"
CC_aarch64_apple_darwin="$nothing" AR_aarch64_apple_darwin="$nothing" lint "$macos"

# The command line and tests, as Windows starts them.
crates=(siltstone-engine siltstone-storage siltstone-vault siltstone-app)
scripts/part.sh "build for $windows" cargo build --locked --target "$windows" -p siltstone-cli --bin silt
scripts/part.sh "build of tests for $windows" \
    cargo test --locked --target "$windows" --no-run "${crates[@]/#/--package=}" --message-format=json-render-diagnostics \
    >"$CARGO_TARGET_DIR/built.json"

there="$CARGO_TARGET_DIR/$windows/debug"
x86_64-w64-mingw32-gcc -shared -o "$there/bcryptprimitives.dll" tests/support/random.c -ladvapi32
cp "$there/bcryptprimitives.dll" "$there/deps/"

# Journeys that start no shell, and whose projects nothing is written to: Wine says of a folder that it was made when it
# last changed, so that it is taken for another one then.
journeys=(asking:: attaching:: backups:: branches:: counting:: folded:: growing:: hostile:: importing:: inbox:: keys::
    meaning:: mending:: mentions:: newest:: offering:: outputs:: pressing:: privacy:: projects:: reading:: recall::
    receipts:: sides:: spending:: streams:: summaries:: summarising:: tasks:: wishes::
    checkpoints::chat_memory_and_context_come_back)

export WINEPREFIX="$CARGO_TARGET_DIR/wine" WINEDEBUG=-all INSTA_WORKSPACE_ROOT="Z:${PWD//\//\\}"
runs() { # runs TARGET [ARGUMENT…]: its tests
    local target=$1 program
    program=$(sed -n 's/.*"name":"'"$target"'".*"executable":"\([^"]*\)".*/\1/p' "$CARGO_TARGET_DIR/built.json")
    shift
    scripts/part.sh "$target under Wine" timeout 900 wine "$program" --quiet "$@"
}
said=$(wine "$there/silt.exe" --version)
[[ $said = "silt "* ]] || {
    echo "elsewhere: silt.exe does not start: $said" >&2
    exit 1
}
runs siltstone_engine
runs siltstone_storage
runs siltstone_vault
runs journeys "${journeys[@]}"
