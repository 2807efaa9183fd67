#!/usr/bin/env bash
# Packs the same programs twice and compares the packages to the byte: in two folders, as two users with other rights for new
# files, on two days, in two time zones, on two kinds of disk, with all processors and with one. `make test` calls it, and
# `make check-packages`.
#
# What it packs are small things in the place of programs and model, which takes seconds: how a package is made does not
# depend on what is in it. With --built it is what lies in target/release, after `make package`, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in rpmbuild faketime; do
    command -v "$tool" >/dev/null || { echo "same-packages: $tool is missing; scripts/setup.sh package installs it." >&2 && exit 1; }
done
mkdir -p target
work=$(mktemp -d "$PWD/target/same-XXXXXX")
trap 'rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

lay() { # lay FOLDER: the sources, and what was made of them
    mkdir -p "$1/target/release" "$1/target/models/e5-small"
    git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- |
        tar --extract --directory="$1" --no-same-permissions --touch
    ln -sfnT "$PWD/ui/node_modules" "$1/ui/node_modules"
    cp "$work"/programs/* "$1/target/release/"
    cp "$work"/model/* "$1/target/models/e5-small/"
}

mkdir "$work/programs" "$work/model"
if [ "${1:-}" = --built ]; then
    ln target/release/siltstone target/release/silt "$work/programs/"
    ln target/models/e5-small/* "$work/model/"
else
    cp /bin/true "$work/programs/siltstone"
    cp /bin/false "$work/programs/silt"
    echo "no model" >"$work/model/e5-small-q4.bin"
fi

one=$work/one two="$work/elsewhere/and deeper/two"
(umask 002 && lay "$one")
(umask 077 && lay "$two")
said() { # said: what a failed packing said
    cat "$work/said"
    exit 1
}
(umask 002 && TZ=Etc/GMT+12 "$one/scripts/pack.sh") >"$work/said" 2>&1 || said

# Debian's daemon, to whom the same files belong inside. What cargo keeps stays where it is: no second is fetched.
another=(unshare --user --map-user=1 --map-group=1)
"${another[@]}" true 2>/dev/null || another=()
processor=$(taskset --cpu-list --pid $$ | sed 's/.*: \([0-9]*\).*/\1/')
(
    umask 077
    export CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}"
    export TZ=Asia/Seoul LANG=ko_KR.UTF-8 USER=another LOGNAME=another HOME="$work/home"
    # Rust's own programs stand still under another clock, and nothing that they tell hangs on it.
    mkdir -p "$HOME/bin"
    for tool in cargo rustc; do
        printf '#!/bin/sh\nLD_PRELOAD= exec "%s" "$@"\n' "$(command -v "$tool")" >"$HOME/bin/$tool"
        chmod +x "$HOME/bin/$tool"
    done
    export PATH="$HOME/bin:$PATH"
    # Where names have another order, and no room for large programs. What a file says of its time stays as it is.
    [ "${1:-}" = --built ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
    export NO_FAKE_STAT=1
    "${another[@]}" taskset --cpu-list "$processor" faketime --exclude-monotonic -f -40d "$two/scripts/pack.sh"
) >"$work/said" 2>&1 || said

[ ${#another[@]} -gt 0 ] || echo "same-packages: both as one user, as this machine makes no other."
status=0
for kind in deb rpm; do
    name=$(basename "$one/target/release/bundle/$kind"/*."$kind")
    both=("$one/target/release/bundle/$kind/$name" "$two/target/release/bundle/$kind/$name")
    if cmp "${both[@]}"; then
        echo "$name: the same $(stat --format=%s "${both[0]}") bytes twice"
    else
        status=1
        ! command -v diffoscope >/dev/null || diffoscope "${both[@]}" | head -n 100 || true
    fi
done
exit "$status"
