#!/usr/bin/env bash
# Walks through the built packages as a person does, each in a fresh root of its own: installs a former version, starts the
# window by its entry in the menu, opens a folder with it, leaves data, installs this version over that, looks whether all of
# it is there, and removes it. `make walk` calls it, as root, after `make package`; no check does.
#
#   scripts/walk.sh [bookworm | trixie | rpm]…
#
# FORMER names the .deb of a former version; without one it is this one under a lower version. Pictures of each step are left
# in target/walk/SYSTEM/, and what the screen has to say is read from them. What is fetched is kept beside them for the next walk.
set -euo pipefail
cd "$(dirname "$0")/.."
walk=$PWD/target/walk
systems=(bookworm trixie rpm) former=0.0.9
question="Where are refresh tokens checked"

stop() {
    printf 'walk: %s\n' "$@" >&2
    exit 1
}

if [ "${1:-}" != --inside ]; then
    [ "$(id -u)" = 0 ] || stop "It makes roots of its own, which only root may."
    scripts/setup.sh walk
    [ $# -eq 0 ] || systems=("$@")
    new=("$PWD"/target/release/bundle/deb/*.deb)
    rpms=("$PWD"/target/release/bundle/rpm/*.rpm)
    if [ ! -f "${new[0]}" ] || [ ! -f "${rpms[0]}" ]; then stop "There are no packages yet: make package"; fi

    # The former version, in both kinds.
    rm -rf "$walk/former"
    mkdir -p "$walk/former/rpm" "$walk/base" "$walk/archives"
    dpkg-deb --raw-extract "${FORMER:-${new[0]}}" "$walk/former/tree"
    sed -i "s/^Version: .*/Version: $former/" "$walk/former/tree/DEBIAN/control"
    dpkg-deb --root-owner-group -Zgzip -z1 --build "$walk/former/tree" "$walk/former/siltstone.deb" >/dev/null
    # Packed in a moment, with the files that it had.
    sed -e '/^%global _binary_payload/d' -e '/^%files/q' scripts/package.spec >"$walk/former/package.spec"
    (cd "$walk/former/tree" && find usr -type f -printf '/%p\n') >>"$walk/former/package.spec"
    HOME=$walk/former rpmbuild -bb --quiet --define "_topdir $walk/former/build" --define "_rpmdir $walk/former/rpm" \
        --define "tree $walk/former/tree" --define "removed $PWD/packaging/removed.sh" --define "said_version $former" \
        --define "said_summary A former version" --define "said_description A former version." --define "_binary_payload w1.gzdio" \
        "$walk/former/package.spec" >"$walk/former/said" 2>&1 || stop "The former version is not packed: $(tail -n 3 "$walk/former/said")"

    for system in "${systems[@]}"; do
        # Whatever it leaves running ends with it.
        scripts/part.sh "walk of $system" unshare --pid --fork --kill-child --mount-proc "$0" --inside "$system"
    done
    exit
fi

system=$2 suite=$2 language=C.UTF-8 letters=eng
case $system in
rpm) suite=bookworm ;;
# Half of the people who use it read this.
trixie) language=ko_KR.UTF-8 letters=kor+eng ;;
bookworm) ;;
*) stop "$system is no system that it knows." ;;
esac
root=$walk/$system/root pictures=$walk/$system archives=$walk/archives/$suite log=$walk/$system/log
rm -rf "${walk:?}/$system"
mkdir -p "$root" "$archives"
: >"$log"

step() { # step WHAT: what goes on now
    echo "$system: $*"
    echo "== $*" >>"$log"
}

fail() {
    tail -n 40 "$log" >&2
    stop "$system: $*" "What was done is in $log, the screen in $pictures."
}

# Whatever else goes wrong is said, too.
set -E
trap '[ "$BASH_SUBSHELL" -gt 0 ] || fail "line $LINENO: $BASH_COMMAND"' ERR

# A root of its own, with this machine's network and a place for the screen; anything else it has to bring.
as_root() {
    bwrap --bind "$root" / --dev /dev --proc /proc --ro-bind /sys /sys --bind "$archives" /var/cache/apt/archives \
        --ro-bind /etc/resolv.conf /etc/resolv.conf --bind /tmp/.X11-unix /tmp/.X11-unix --cap-add ALL --clearenv \
        --setenv PATH /usr/sbin:/usr/bin:/sbin:/bin --setenv HOME /root --setenv LANG "$language" \
        --setenv DEBIAN_FRONTEND noninteractive --setenv PERL_BADLANG 0 --chdir / timeout --kill-after=10 900 "$@"
}

as_person() {
    as_root setpriv --reuid=1000 --regid=1000 --clear-groups env -C /home/person HOME=/home/person USER=person \
        DISPLAY="$DISPLAY" XDG_RUNTIME_DIR=/run/user/1000 DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus \
        "$@"
}

install() { # install PACKAGE…
    as_root apt-get install --yes "$@" >>"$log" 2>&1 || fail "apt does not install $*"
}

until_true() { # until_true WHAT CONDITION…
    local what=$1
    shift
    for _ in {1..600}; do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    fail "$what"
}

# What the screen says, in letters; small ones are read better when they are larger, and some as a page, some as lines.
read_screen() { # read_screen PICTURE
    local layout
    import -window root "$pictures/$1.png"
    convert "$pictures/$1.png" -colorspace gray -resize 300% "$walk/$system/large.png"
    for layout in 6 3; do
        OMP_THREAD_LIMIT=1 tesseract "$walk/$system/large.png" - -l "$letters" --psm "$layout" 2>/dev/null
    done
}

shows() { # shows PICTURE TEXT…: waits until the screen says all of it
    local picture=$1 said text missing
    shift
    for _ in {1..12}; do
        said=$(read_screen "$picture" | tr -s '\n\t ' ' ') missing=
        for text in "$@"; do
            # Hangul is read right, and its spaces are not.
            [[ ${said// /} == *"${text// /}"* ]] || missing=$text
        done
        [ -n "$missing" ] || return 0
        sleep 0.5
    done
    echo "$said" >>"$log"
    fail "the screen does not say '$missing': $pictures/$picture.png"
}

open_window() { xdotool search --onlyvisible --name '^Siltstone'; }
is_gone() { ! open_window >/dev/null && ! pgrep -x siltstone >/dev/null; }

start() { # start [FOLDER]: as a menu does, and the menu a folder has
    as_person gio launch /usr/share/applications/Siltstone.desktop "$@" >>"$log" 2>&1 &
    until_true "no window opens" open_window
}

close() { # as the keys for it do; a busy window may miss them
    for _ in {1..20}; do
        ! is_gone || return 0
        xdotool windowactivate --sync "$(open_window | head -n 1)" key alt+F4 >>"$log" 2>&1 || true
        for _ in {1..30}; do ! is_gone || return 0; sleep 0.1; done
    done
    fail "the window does not close"
}

silt() {
    as_person silt "$@" 2>>"$log"
}

# ---- The packages of each kind.
new_deb=$(ls "$PWD"/target/release/bundle/deb/*.deb) new_rpm=$(ls "$PWD"/target/release/bundle/rpm/*.rpm)
former_rpm=$(ls "$walk"/former/rpm/*.rpm)
version=$(dpkg-deb --field "$new_deb" Version)

put() { # put FILE: where the root sees it
    cp "$1" "$root/root/$2"
}

# Debian's rpm knows none of Debian's packages, and is no reader of menus.
rpm_in() {
    as_root rpm --force-debian --nodeps "$@" >>"$log" 2>&1 || fail "rpm $1 does not do it"
    as_root update-desktop-database >>"$log" 2>&1
    as_root update-mime-database /usr/share/mime >>"$log" 2>&1
}

installed() { # installed: which version
    if [ "$system" = rpm ]; then
        as_root rpm -q --queryformat '%{VERSION}' siltstone
    else
        as_root dpkg-query -W -f "\${Version}" siltstone
    fi
}

case $language in
ko*) name=실트스톤 would_be_sent="보내게 될 것" opens="이 컴퓨터에서만" import="체크포인트 가져오기" ;;
*) name=Siltstone would_be_sent="What would be sent" opens="This computer only" import="Import a checkpoint" ;;
esac

# ---- The walk.
mkdir -p /tmp/.X11-unix && chmod 1777 /tmp/.X11-unix
Xvfb -displayfd 3 -screen 0 1400x900x24 -nolisten tcp 3>"$walk/$system/display" 2>>"$log" &
until_true "no screen" test -s "$walk/$system/display"
DISPLAY=:$(cat "$walk/$system/display")
export DISPLAY
openbox >>"$log" 2>&1 &

if [ ! -s "$walk/base/$suite.tar" ]; then
    step "a fresh Debian"
    timeout 900 mmdebstrap --quiet --variant=minbase "$suite" "$walk/base/$suite.part" >>"$log" 2>&1 || fail "no root of $suite"
    mv "$walk/base/$suite.part" "$walk/base/$suite.tar"
fi
tar --extract --directory="$root" --file="$walk/base/$suite.tar"
echo 'APT::Keep-Downloaded-Packages "true";' >"$root/etc/apt/apt.conf.d/keep"
as_root useradd --create-home --uid 1000 --shell /bin/bash person
as_root install --directory --owner=person --mode=700 /run/user/1000
as_root apt-get update >>"$log" 2>&1 || fail "apt finds no packages"

step "the former version, with nothing else that a desktop has"
if [ "$system" = rpm ]; then
    install --no-install-recommends rpm libwebkit2gtk-4.1-0 libglib2.0-bin dbus-daemon desktop-file-utils shared-mime-info
    put "$former_rpm" former.rpm
    rpm_in --install /root/former.rpm
else
    put "$walk/former/siltstone.deb" former.deb
    install --no-install-recommends /root/former.deb
    install --no-install-recommends libglib2.0-bin dbus-daemon
fi
[ "$(installed)" = "$former" ] || fail "$(installed) is installed, and not the former version"
as_root ldd /usr/bin/siltstone /usr/bin/silt >"$walk/$system/libraries"
! grep "not found" "$walk/$system/libraries" || fail "a library is missing"
as_person dbus-daemon --session --address=unix:path=/run/user/1000/bus --nofork >>"$log" 2>&1 &
until_true "no session bus" test -S "$root/run/user/1000/bus"
start
shows 1-bare "$would_be_sent"
close
# No keyring: it says so, and keeps nothing in the open.
add_key() {
    as_person env "$@" sh -c 'echo sk-walk-0123456789abcdefghij | silt --lang en provider add --key-stdin --kind openai --name Walk \
        --base-url http://127.0.0.1:9/v1'
}
said=$(add_key A=a 2>&1) && fail "a key is kept where nothing keeps it: $said"
[[ $said = *"no keyring"* ]] || fail "without a keyring it says: $said"

step "a desktop around it: keyring, file manager"
if [ "$system" = rpm ]; then
    install --no-install-recommends gnome-keyring thunar xdg-utils bubblewrap ca-certificates
else
    # What the package recommends, as apt brings it for most.
    install gnome-keyring bubblewrap ca-certificates
    install --no-install-recommends thunar xdg-utils desktop-file-utils shared-mime-info
fi
# Other programs have no Hangul of their own.
[ "$name" = Siltstone ] || install --no-install-recommends fonts-nanum
as_person sh -c 'echo walk | gnome-keyring-daemon --unlock --components=secrets' >>"$log" 2>&1

step "a folder, a question, a key"
mkdir -p "$root/home/person/aurora/src" "$root/home/person/borealis"
printf '# Aurora\n\nRefresh tokens are checked in src/session.rs.\n' >"$root/home/person/aurora/README.md"
printf '/// Refresh tokens are checked here, before a new one is given.\npub fn check(token: &str) -> bool {\n    !token.is_empty()\n}\n' \
    >"$root/home/person/aurora/src/session.rs"
printf '# Borealis\n' >"$root/home/person/borealis/README.md"
chown -R 1000:1000 "$root"/home/person/{aurora,borealis}
add_key A=a >>"$log" 2>&1 || fail "the keyring does not keep a key"
silt project open aurora --trust >>"$log"
silt chat --project aurora "$question?" >>"$log" || fail "silt does not answer"
silt checkpoint create --tag walk --project aurora >>"$log"
start /home/person/aurora
shows 2-former-with-data aurora "${question:0:12}"
close
before=$(silt conversation list --project aurora --json)

step "this version over it"
if [ "$system" = rpm ]; then
    put "$new_rpm" new.rpm
    rpm_in --upgrade /root/new.rpm
else
    put "$new_deb" new.deb
    install /root/new.deb
fi
[ "$(installed)" = "$version" ] || fail "$(installed) is installed, and not $version"
start
shows 3-upgraded "$question"
[ "$(silt conversation list --project aurora --json)" = "$before" ] || fail "conversations are others after the upgrade"
silt checkpoint list --project aurora | grep -q walk || fail "the checkpoint is gone after the upgrade"
silt provider list | grep -q Walk || fail "the model is gone after the upgrade"

step "what opens a folder, and a checkpoint's file"
desktop-file-validate "$root"/usr/share/applications/{Siltstone,zz-siltstone-folder}.desktop || fail "an entry of the menu is not well said"
appstreamcli validate --no-net --pedantic "$root/usr/share/metainfo/dev.siltstone.app.metainfo.xml" >>"$log" || fail "AppStream's data are not well said"
asked=$(as_person gio mime inode/directory)
[[ $(head -n 1 <<<"$asked") = *thunar.desktop ]] || fail "folders are taken from the file manager: $asked"
[[ $asked = *siltstone-folder.desktop* ]] || fail "a folder is not offered to Siltstone: $asked"
asked=$(as_person xdg-mime query default inode/directory)
[ "$asked" = thunar.desktop ] || fail "xdg-open takes folders from the file manager: $asked"
silt checkpoint export walk monday.siltstone-checkpoint --project aurora >>"$log" || fail "the checkpoint cannot be exported"
asked=$(as_person gio info -a standard::content-type monday.siltstone-checkpoint)
[[ $asked = *application/vnd.siltstone.checkpoint* ]] || fail "a checkpoint's file is taken for $asked"
asked=$(as_person xdg-mime query default application/vnd.siltstone.checkpoint)
[ "$asked" = Siltstone.desktop ] || fail "a checkpoint's file is opened by $asked"
# While a window is open, both come to that one.
as_person gio launch /usr/share/applications/zz-siltstone-folder.desktop /home/person/borealis >>"$log" 2>&1
shows 4-open-with borealis "$opens"
xdotool key Escape
as_person gio open /home/person/monday.siltstone-checkpoint >>"$log" 2>&1
shows 5-checkpoint "$import"
xdotool key Escape
[ "$(open_window | wc -l)" = 1 ] || fail "there is more than one window"
close
as_person thunar /home/person >>"$log" 2>&1 &
until_true "the file manager does not open" xdotool search --onlyvisible --name Thunar
shows 6-file-manager borealis
xdotool type borealis
xdotool key --delay 200 Escape Menu Down Down Down Down Right
shows 6-file-manager "$name"
xdotool key --delay 200 Down Return
until_true "no window opens from the file manager" open_window
shows 7-from-the-file-manager borealis "$opens"
as_person thunar --quit >>"$log" 2>&1
close

step "removal"
contents=$walk/$system/contents
if [ "$system" = rpm ]; then
    as_root rpm -ql siltstone >"$contents"
else
    as_root dpkg -L siltstone >"$contents"
fi
# All that a person has, to the byte.
home() {
    (cd "$root/home/person" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
}
home >"$walk/$system/home.before"
if [ "$system" = rpm ]; then
    said=$(as_root rpm --force-debian --erase siltstone 2>&1) || fail "rpm does not remove it: $said"
    as_root update-desktop-database
    as_root update-mime-database /usr/share/mime
else
    said=$(as_root apt-get remove --yes siltstone 2>&1) || fail "apt does not remove it: $said"
fi
echo "$said" >>"$log"
[[ $said = *'~/.local/share/siltstone'* ]] || fail "removal does not say where data stay: $said"
if [ "$system" != rpm ]; then
    said=$(as_root apt-get purge --yes siltstone 2>&1) || fail "apt does not purge it: $said"
fi
installed >/dev/null 2>&1 && fail "it is installed still"
home | cmp - "$walk/$system/home.before" >>"$log" 2>&1 || fail "removal changed what a person has"
while read -r path; do
    [ -d "$root$path" ] || [ ! -e "$root$path" ] || fail "$path is left"
done <"$contents"
left=$(find "$root" -xdev \( -path "$root/home" -o -path "$root/root" -o -path "$root/var/log" -o -path "$root/run" \) -prune \
    -o -iname '*siltstone*' -print)
[ -z "$left" ] || fail "this is left: $left"
! grep -ri siltstone "$root/usr/share/applications" "$root/usr/share/mime" >>"$log" || fail "something is registered still"

step "installed anew"
if [ "$system" = rpm ]; then
    rpm_in --install /root/new.rpm
else
    install /root/new.deb
fi
[ "$(silt conversation list --project aurora --json)" = "$before" ] || fail "conversations are others when it is installed anew"
start
shows 8-anew "$question"
close
rm -rf "$root" "$walk/$system"/{display,large.png}
step "walked through; pictures in $pictures"
