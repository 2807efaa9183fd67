#!/usr/bin/env bash
# Cargo for a package: each program says within itself of which crates it is made, in which versions, for whoever looks for
# one with a flaw (`cargo audit bin`, `rust-audit-info`). `scripts/package.sh` names it to Tauri; `scripts/setup.sh package`
# installs what it needs.
exec cargo auditable "$@"
