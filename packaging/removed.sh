#!/bin/sh
# Runs when the package goes, .deb and .rpm alike: says what stays. No package deletes what people wrote.
# A .deb says `remove`, an .rpm how many of the package are left; an upgrade is neither.
set -e
case "$1" in
    remove | 0) ;;
    *) exit 0 ;;
esac
case "${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}" in
    ko*)
        echo "Siltstone을 제거했어요. 쓰던 것은 사람마다 ~/.local/share/siltstone에 그대로 있고, 키는 키링에 있어요."
        echo "그것까지 없애려면 ~/.local/share/siltstone과 ~/.local/share/dev.siltstone.app을 지우세요."
        ;;
    *)
        echo "Siltstone is removed. What each person wrote with it stays in ~/.local/share/siltstone, and keys in the keyring."
        echo "To be rid of that too, delete ~/.local/share/siltstone and ~/.local/share/dev.siltstone.app."
        ;;
esac
