#!/usr/bin/env bash
# Every test: Rust, the UI on the real backend, the real window on virtual screens, and packages. `make test` calls it.
# One build serves all of them: programs and tests together, so that every package is compiled with one set of features.
# LOAD=1 keeps the machine busy meanwhile and begins with nothing in the cache of its disk: what passes, passes anywhere.
set -euo pipefail
cd "$(dirname "$0")/.."

# Most tests wait for a disk, a program or a clock most of the time: two for each core keep it busy.
export RUST_TEST_THREADS="${RUST_TEST_THREADS:-$((2 * $(nproc)))}"

busy=()
if [ -n "${LOAD:-}" ]; then
    trap 'kill "${busy[@]}" 2>/dev/null || true' EXIT
    for _ in 1 2; do
        while :; do :; done &
        busy+=($!)
    done
fi

# As root alone; anybody else begins with what is in it.
cold() {
    [ -z "${LOAD:-}" ] || { sync && echo 3 >/proc/sys/vm/drop_caches; } 2>/dev/null || true
}

scripts/part.sh "what tests need" scripts/setup.sh test
scripts/part.sh "build of programs and tests" \
    cargo build --locked --workspace --bins --tests --features siltstone-window-tests/screen
cold
# The UI's tests run beside the others, which leave a core alone now and then. What they say comes at the end.
failed=0 said=target/ui-tests.log rust=target/rust-tests.log
PATIENCE=600 scripts/part.sh "tests of the UI" npm --prefix ui test >"$said" 2>&1 &
ui=$!
scripts/part.sh "tests in Rust" cargo test --locked --workspace --no-fail-fast 2>&1 | tee "$rust" || failed=1
cold
scripts/part.sh "stories of the window" scripts/window.sh || failed=1
scripts/part.sh "packages, made twice" scripts/same-packages.sh || failed=1
wait "$ui" || failed=1
cat "$said"
[ "$failed" = 0 ] && exit

# Once more and last, where somebody looks first.
printf '\nWhat failed:\n'
{
    grep -aE '^test .* FAILED$|^error' "$rust"
    grep -aA1 'panicked at' "$rust" | cut -c -200 | tail -n 12
    grep -a ' FAIL ' "$said" | cut -c -200 | sort -u
    ls target/failed
} || true
exit 1
