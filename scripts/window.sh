#!/usr/bin/env bash
# Runs tests of the real window in a desktop session of their own.  scripts/window.sh [FILTER [TEST-OPTION…]]
# They are compiled first, outside it: only what needs the screen runs there. One test at a time: the screen is shared.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --locked --bins
cargo test --locked -p siltstone-window-tests --test window --no-run
exec scripts/headless.sh cargo test --locked -p siltstone-window-tests --test window ${1:+"$1"} -- --test-threads=1 --nocapture "${@:2}"
