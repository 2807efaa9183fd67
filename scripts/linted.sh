#!/usr/bin/env bash
# The compiler of our own packages where they are checked and built at once (`make check` with this as cargo's
# RUSTC_WORKSPACE_WRAPPER, as .ci/run has it): compiles, then lets clippy and rustdoc read the same sources beside what the
# compiler has made already. `cargo clippy` and `cargo doc` would compile every dependency a second time for themselves.
# A warning of either is an error, as it is for them.
set -euo pipefail
compiler=$1
shift
"$compiler" "$@"

name="" kind="" test="" words=()
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
while [ $# -gt 0 ]; do
    word=$1
    shift
    case $word in
    # Arguments in a file, where there are very many; they would be checked by nobody.
    @*) echo "linted.sh: $word is not read" >&2 && exit 1 ;;
    --crate-name) name=$1 ;;
    --crate-type) kind=$1 ;;
    --test) test=yes ;;
    esac
    case $word in
    # Cargo goes on by what it is told of the compiler's own files, and would take these for them.
    --emit=*) continue ;;
    --json=*) word=--json=diagnostic-rendered-ansi ;;
    --out-dir) shift && continue ;;
    # Nothing is made here.
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
# It asked the compiler about itself.
[ -n "$name" ] && [ "$name" != ___ ] || exit 0

clippy-driver "$compiler" "${words[@]}" --emit=metadata --out-dir "$out" -D warnings

# As `cargo doc` documents libraries and programs, and nothing else.
case $test$name:$kind in
yes* | build_script_*) ;;
*:lib) rustdoc "${words[@]}" --out-dir "$out" -D warnings ;;
*:bin) rustdoc "${words[@]}" --out-dir "$out" -D warnings --document-private-items -A rustdoc::private-intra-doc-links ;;
esac
