#!/usr/bin/env bash
# Brings this machine to the point where Siltstone builds: Rust, Node, the system's webview, the UI's packages.
# `setup.sh test` adds what drives the real window without a screen, and a small real language model; `setup.sh elsewhere`
# what links programs for Windows and runs them, `setup.sh package` what makes packages and compares them, `setup.sh walk` what
# installs them in roots of their own.
# Says nothing and takes a moment when all of it is there. Asks before it uses sudo; never asks root or CI.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-build}

rust=1.95 node=20
build_packages=(build-essential pkg-config libwebkit2gtk-4.1-dev libgtk-3-dev libsoup-3.0-dev libdbus-1-dev
    python3-pip)
test_packages=(bubblewrap xvfb x11-utils openbox xdotool imagemagick webkit2gtk-driver libgl1-mesa-dri dbus dbus-x11
    gnome-keyring libsecret-tools libglib2.0-bin shared-mime-info git ibus-hangul ibus-gtk3 fonts-noto-cjk fonts-noto-color-emoji python3-venv
    python3-gi gir1.2-gtk-3.0 procps strace curl iproute2)
package_packages=(rpm faketime)
walk_packages=(mmdebstrap bubblewrap xvfb openbox xdotool imagemagick procps tesseract-ocr tesseract-ocr-eng tesseract-ocr-kor
    appstream desktop-file-utils rpm)
elsewhere_packages=(gcc-mingw-w64-x86-64 wine wine64)

stop() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

at_least() { # at_least WANTED FOUND
    [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

rust_and_node() {
    local found
    found=$(rustc --version 2>/dev/null | cut -d ' ' -f 2 || true)
    at_least "$rust" "${found:-0}" || stop "Rust $rust or newer is needed, found ${found:-none}." \
        "Get it from https://rustup.rs (or 'rustup update stable'), open a new terminal, and run this again."
    found=$(node --version 2>/dev/null | tr -d v || true)
    at_least "$node" "${found:-0}" || stop "Node $node or newer is needed, found ${found:-none}." \
        "Get it from https://nodejs.org or with 'nvm install --lts', and run this again."
    command -v npm >/dev/null || stop "npm is missing; it comes with Node from https://nodejs.org."
}

debian() {
    local wanted=("${build_packages[@]}") missing=() package as_root=() answer install
    case $kind in
    test) wanted+=("${test_packages[@]}" "${package_packages[@]}") ;;
    package) wanted+=("${package_packages[@]}") ;;
    walk) wanted+=("${walk_packages[@]}") ;;
    elsewhere) wanted+=("${elsewhere_packages[@]}") ;;
    esac
    for package in "${wanted[@]}"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0

    if [ "$(id -u)" != 0 ]; then
        as_root=(sudo)
        if [ "${CI:-}" != true ]; then
            [ -t 0 ] || stop "These packages are missing; install them and run this again:" \
                "sudo apt-get install ${missing[*]}"
            printf 'Siltstone needs these packages:\n  %s\nInstall them with sudo? [Y/n] ' "${missing[*]}"
            read -r answer
            [[ $answer =~ ^([Yy]|$) ]] || stop "Nothing was installed."
        fi
    fi
    install=(apt-get install --yes --no-install-recommends)
    scripts/again.sh 300 "${as_root[@]}" apt-get update
    # Fetched by itself: to unpack is nothing that may be cut short.
    scripts/again.sh 900 "${as_root[@]}" "${install[@]}" --download-only "${missing[@]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" "${missing[@]}"
}

# Anywhere else the packages are named, not installed: each has its own manager and its own way to ask.
elsewhere() { # elsewhere HOW-TO-INSTALL
    pkg-config --exists webkit2gtk-4.1 dbus-1 2>/dev/null ||
        stop "The webview's development files (webkit2gtk-4.1, dbus) are missing. Install them with:" "$1"
}

system() {
    local family
    case $(uname -s) in
    Darwin)
        xcode-select -p >/dev/null 2>&1 || stop "The compiler is missing. Install it with:" "xcode-select --install"
        ;;
    MINGW* | MSYS* | CYGWIN*)
        rustc -vV | grep -q 'host: .*-msvc' || stop "Rust's MSVC toolchain is needed:" \
            "winget install Microsoft.VisualStudio.2022.BuildTools Microsoft.EdgeWebView2Runtime" \
            "rustup default stable-msvc"
        ;;
    *)
        family=$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${ID_LIKE:-}")
        case " $family " in
        *" debian "* | *" ubuntu "*) debian ;;
        *" fedora "* | *" rhel "*)
            elsewhere "sudo dnf install gcc gcc-c++ make pkgconf-pkg-config webkit2gtk4.1-devel gtk3-devel libsoup3-devel dbus-devel"
            ;;
        *" arch "*) elsewhere "sudo pacman -S --needed base-devel webkit2gtk-4.1 gtk3 libsoup3 dbus" ;;
        *) elsewhere "your package manager: a C compiler, pkg-config, webkit2gtk-4.1, GTK 3, libsoup 3 and dbus, with headers" ;;
        esac
        ;;
    esac
}

# A copy of the lock file beside the packages says what they were installed from; times would lie after a checkout.
ui_packages() {
    local installed=ui/node_modules/.installed-lock.json
    cmp -s ui/package-lock.json "$installed" && return 0
    scripts/again.sh 420 npm --prefix ui ci --no-audit --no-fund
    cp ui/package-lock.json "$installed"
}

# The programs of a package say of which crates they are made.
auditable() {
    cargo auditable --version >/dev/null 2>&1 || cargo install --locked cargo-auditable@0.7.7
}

rust_and_node
system
ui_packages
[ "$kind" != package ] || auditable
if [ "$kind" = test ]; then
    [ "$(uname -s)" = Linux ] || stop "The window's tests need Linux; 'cargo test' and 'npm --prefix ui test' run anywhere."
    tests/support/setup.sh
fi
