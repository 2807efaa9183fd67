#!/usr/bin/env bash
# Runs a command in a desktop session of its own: screen, window manager, session bus, unlocked keyring, home folder.
#   scripts/headless.sh COMMAND [ARGUMENT…]
# Nothing of the person's own session is seen or changed, and nothing outlives the command: whatever it leaves running
# is found by its XDG_RUNTIME_DIR, which no other process has, and ended.
set -euo pipefail

if [ "${1:-}" != --inside ]; then
    session=$(mktemp --directory --suffix=.siltstone)
    # In one look at all processes, which is not one of the session: any may end, or be another user's, meanwhile.
    left_behind() {
        { XDG_RUNTIME_DIR='' grep -lszxF "XDG_RUNTIME_DIR=$session/run" /proc/[0-9]*/environ || true; } |
            XDG_RUNTIME_DIR='' tr --delete --complement '0-9\n'
    }
    clean_up() {
        local signal pids
        for signal in TERM KILL; do
            pids=$(left_behind)
            [ -n "$pids" ] || break
            # shellcheck disable=SC2086
            kill "-$signal" $pids 2>/dev/null || true
            for _ in {1..20}; do [ -n "$(left_behind)" ] && sleep 0.1 || break; done
        done
        rm -rf "$session"
    }
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM

    mkdir -m 700 "$session/home" "$session/run"
    export CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}"
    export npm_config_cache="${npm_config_cache:-$HOME/.npm}"
    export HOME="$session/home" XDG_RUNTIME_DIR="$session/run"
    unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_CURRENT_DESKTOP
    unset DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS LC_ALL LANGUAGE
    export LANG=C.UTF-8 GDK_BACKEND=x11 NO_AT_BRIDGE=1
    export WEBKIT_DISABLE_COMPOSITING_MODE=1 WEBKIT_DISABLE_DMABUF_RENDERER=1 LIBGL_ALWAYS_SOFTWARE=1
    dbus-run-session -- "$0" --inside "$@" <&0 &
    wait $!
    exit
fi
shift

# Of what the others run on; it is of interest where one of them does not start.
said=$XDG_RUNTIME_DIR/said
: >"$said"

wait_for() { # wait_for WHAT CONDITION…: five minutes, for the busiest of machines
    local what=$1 and
    shift
    for and in {1..3000}; do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    echo "headless: $what did not start" >&2
    cat "$said" >&2
    exit 1
}

# The keyring goes first: once anything has asked for a secret, a locked one is running and cannot be unlocked.
printf siltstone | gnome-keyring-daemon --unlock --components=secrets >/dev/null

Xvfb -displayfd 3 -screen 0 2000x1240x24 -nolisten tcp 3>"$XDG_RUNTIME_DIR/display" 2>>"$said" &
wait_for "the virtual screen" test -s "$XDG_RUNTIME_DIR/display"
DISPLAY=:$(cat "$XDG_RUNTIME_DIR/display")
export DISPLAY

managed() { xprop -root _NET_SUPPORTING_WM_CHECK | grep -q 'window id'; }
# One that ends before it manages anything is started again.
manage() {
    local and
    for and in {1..10}; do
        openbox >>"$said" 2>&1 || true
        sleep 0.5
    done
}
manage &
wait_for "the window manager" managed

"$@"
