#!/usr/bin/env bash
# Runs stories of the real window, each in a desktop session of its own, one more at a time than there
# are cores: most of what they do is wait.
#   scripts/window.sh [FILTER] [--include-ignored]
# SESSIONS says how many at a time. A story that fails leaves what it said, a picture of its screen, the page's text, its
# program's log and what was asked of the models in target/failed/STORY/.
set -euo pipefail
cd "$(dirname "$0")/.."

filter='' ignored=''
for word in "$@"; do
    case $word in
    --include-ignored) ignored=yes ;;
    *) filter=$word ;;
    esac
done

# With a test among the targets, so that packages have the features that tests give them, and are built once for both.
program=$(cargo build --locked --workspace --features siltstone-window-tests/screen --bins --test window \
    --message-format=json-render-diagnostics |
    sed -n 's/.*"name":"window".*"executable":"\([^"]*\)".*/\1/p')

# A page lives for seconds: what compiles scripts for long runs takes more than it saves. What is measured by hand, for an hour
# even, is as it is for a person.
[ -n "$ignored" ] || export JSC_useDFGJIT=0

listed() { # listed [OPTION…]: the stories whose names hold the filter
    "$program" --list --format terse ${filter:+"$filter"} "$@" | sed -n 's/: test$//p' | sort
}
if [ -n "$ignored" ]; then listed; else comm -23 <(listed) <(listed --ignored); fi >target/stories
rm -rf target/failed && mkdir -p target/failed

story() { # story PROGRAM NAME: quiet where it went well
    local folder=target/failed/${2//::/-} began=$SECONDS
    mkdir -p "$folder"
    if SILTSTONE_FAILED="$PWD/$folder" scripts/headless.sh "$1" --exact "$2" --include-ignored --nocapture \
        >"$folder/said.txt" 2>&1 && grep -q '^test result: ok. 1 passed' "$folder/said.txt"; then
        rm -rf "$folder"
        printf '%4d s  %s\n' $((SECONDS - began)) "$2"
    else
        printf '%4d s  %s FAILED; see %s\n' $((SECONDS - began)) "$2" "$folder"
    fi
}
export -f story
xargs -r -P "${SESSIONS:-$(($(nproc) + 1))}" -I '{}' bash -c 'story "$@"' - "$program" '{}' <target/stories

failed=$(find target/failed -mindepth 1 -maxdepth 1 | wc -l)
for said in target/failed/*/said.txt; do
    [ -f "$said" ] || continue
    printf '\n%s:\n' "$said"
    tail -n 60 "$said"
done
printf '\n%d passed, %d failed\n' $(($(wc -l <target/stories) - failed)) "$failed"
[ "$failed" = 0 ]
