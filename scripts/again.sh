#!/usr/bin/env bash
# Runs a command that fetches something, up to three times, each for at most SECONDS: what stands still is begun anew
# instead of being waited for.
#   scripts/again.sh SECONDS COMMAND [ARGUMENT…]
set -uo pipefail
seconds=$1
shift
bound=()
# macOS has no such command; there a try may take as long as it likes.
if command -v timeout >/dev/null; then bound=(timeout --kill-after=10 "$seconds"); fi
for try in 1 2 3; do
    # The bash of macOS takes an empty list for an unset one.
    ${bound[@]+"${bound[@]}"} "$@" && exit 0
    status=$?
    printf '%s did not end well (%s) in try %s of 3.\n' "$1 ${2:-}" "$status" "$try" >&2
done
exit "$status"
