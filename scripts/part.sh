#!/usr/bin/env bash
# Runs one part of the checks or tests and notes how long it took.  scripts/part.sh NAME COMMAND [ARGUMENT…]
# `part.sh --table` prints what was noted, part by part, and how long it is since `part.sh --afresh` forgot what was before.
set -euo pipefail
noted="$(dirname "$0")/../target/parts.tsv"

case $1 in
--afresh)
    mkdir -p "$(dirname "$noted")"
    printf 'began\t%s\t0\n' "$(date +%s)" >"$noted"
    ;;
--table)
    [ -s "$noted" ] || exit 0
    awk -F '\t' '
        $1 == "began" { began = $2; next }
        { printf "%-32s %4d:%02d%s\n", $1, $2 / 60, $2 % 60, ($3 == 0 ? "" : "  failed") }
        END { all = now - began; printf "%-32s %4d:%02d\n", "from begin to end", all / 60, all % 60 }' now="$(date +%s)" "$noted"
    ;;
*)
    name=$1 began=$(date +%s) status=0
    shift
    "$@" || status=$?
    mkdir -p "$(dirname "$noted")"
    printf '%s\t%s\t%s\n' "$name" $(($(date +%s) - began)) "$status" >>"$noted"
    exit "$status"
    ;;
esac
