#!/usr/bin/env bash
# The compiler of our own packages where they are checked and built at once (`make check` with this as cargo's
# RUSTC_WORKSPACE_WRAPPER, as .ci/run has it). Clippy's driver is the compiler with more lints, so what it compiles is what
# the tests run; `cargo clippy` and `cargo doc` would compile every dependency a second time for themselves. A warning is
# an error, as it is for them. Clippy switches the optimisations of MIR off, which only our own packages feel.
set -euo pipefail
compiler=$1
shift

name="" kind="" test="" words=() given=("$@")
while [ $# -gt 0 ]; do
    word=$1
    shift
    case $word in
    # Arguments in a file, where there are very many; nobody would see them here.
    @*) echo "linted.sh: $word is not read" >&2 && exit 1 ;;
    --crate-name) name=$1 ;;
    --crate-type) kind=$1 ;;
    --test) test=yes ;;
    esac
    case $word in
    # What cargo goes on by is the compiler's, not rustdoc's.
    --emit=*) continue ;;
    --json=*) word=--json=diagnostic-rendered-ansi ;;
    --out-dir) shift && continue ;;
    # Nothing is made by rustdoc.
    -C)
        case $1 in
        incremental=* | linker=* | link-arg=* | split-debuginfo=* | strip=* | lto | embed-bitcode=*) shift && continue ;;
        esac
        words+=("$word" "$1")
        shift
        continue
        ;;
    esac
    words+=("$word")
done
# Cargo asks the compiler about itself.
[ -n "$name" ] && [ "$name" != ___ ] || exec "$compiler" "${given[@]}"

clippy-driver "$compiler" "${given[@]}" -D warnings

# As `cargo doc` documents libraries and programs, and nothing else.
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
case $test$name:$kind in
yes* | build_script_*) ;;
*:lib) rustdoc "${words[@]}" --out-dir "$out" -D warnings ;;
*:bin) rustdoc "${words[@]}" --out-dir "$out" -D warnings --document-private-items -A rustdoc::private-intra-doc-links ;;
esac
