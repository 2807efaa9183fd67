#!/usr/bin/env bash
# Packs what is built, in target/release or with --debug in target/debug, into a .deb and an .rpm below its bundle/, with the
# licences of all that others made of it and a bill of materials. `scripts/package.sh` calls it.
#
# SILTSTONE_UPDATES names a file that says who signs newer versions and where they are told of ({"feed": "https://…", "key": "…"},
# the key as minisign writes it, in base64). It goes into both, and `scripts/sign.sh` signs them. Without one they say that they
# name nobody, and ask nobody.
#
# The same programs and sources give the same bytes, wherever, whenever and by whomever they are packed:
# `scripts/same-packages.sh` compares. Every time in a package is SOURCE_DATE_EPOCH, or that of the last change of the sources.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC
profile=release options=()
[ "${1:-}" != --debug ] || profile=debug options=(--debug)
for tool in dpkg-deb dpkg-shlibdeps rpmbuild; do
    command -v "$tool" >/dev/null || { echo "pack: $tool is missing; your package manager has it." >&2 && exit 1; }
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
bundle=$PWD/target/$profile/bundle
rm -rf "$bundle"

scripts/licences.py --into target
sed "s|target/release/|target/$profile/|" scripts/package.json >target/package.json
rm -f target/updates.json
if [ -n "${SILTSTONE_UPDATES:-}" ]; then
    python3 - "$SILTSTONE_UPDATES" <<'PYTHON'
import base64, json, sys
signer = json.load(open(sys.argv[1], encoding="utf-8"))
if not signer.get("feed", "").startswith("https://"):
    sys.exit("pack: the feed in %s does not begin with https://." % sys.argv[1])
try:
    comment, key = base64.b64decode(signer["key"], validate=True).decode().splitlines()[:2]
    assert len(base64.b64decode(key, validate=True)) == 42
except Exception:
    sys.exit("pack: the key in %s is no public key of minisign's in base64." % sys.argv[1])
only = {name: signer[name] for name in ("feed", "key")}
json.dump(only, open("target/updates.json", "w", encoding="utf-8"), indent=2)
package = json.load(open("target/package.json", encoding="utf-8"))
package["bundle"]["resources"]["target/updates.json"] = "updates.json"
json.dump(package, open("target/package.json", "w", encoding="utf-8"), indent=2)
PYTHON
    chmod 644 target/updates.json
fi
# The programs stay as they were built, the same in both: Tauri would write the kind of package into them, for updaters.
ui/node_modules/.bin/tauri bundle "${options[@]}" --bundles deb --no-binary-patching --config target/package.json

laid=$(mktemp -d)
trap 'rm -r "$laid"' EXIT
deb=$(ls "$bundle"/deb/*.deb)
dpkg-deb --raw-extract "$deb" "$laid/tree"
(
    cd "$laid/tree"
    # Every library that the programs name, at least as new as what they use of it: Tauri names two, and no version.
    mkdir "$laid/debian"
    : >"$laid/debian/control"
    needs=$(cd "$laid" && dpkg-shlibdeps --warnings=0 -O tree/usr/bin/silt tree/usr/bin/siltstone)
    sed -i "s/^Depends: .*/Depends: ${needs#shlibs:Depends=}/" DEBIAN/control
    # The order of the sums would be that of the disk, and the size would count folders as it does.
    find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums
    size=$(find usr -printf '%y %s\n' | awk '{ all += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print all }')
    sed -i "s/^Installed-Size: .*/Installed-Size: $size/" DEBIAN/control
    find . -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
)
# At its widest xz sees both programs at once, which have much in common: a sixth less than otherwise.
dpkg-deb --root-owner-group -Zxz -z9 --build "$laid/tree" "$deb" >/dev/null

# The .rpm has the same files and says the same of itself.
said() { # said FIELD
    dpkg-deb --field "$deb" "$1"
}
cp packaging/removed.sh "$laid/"
HOME=$laid rpmbuild -bb --quiet --define "_topdir $laid/rpm" --define "_rpmdir $bundle/rpm" --define "tree $laid/tree" \
    --define "removed $laid/removed.sh" \
    --define "said_version $(said Version)" --define "said_summary $(said Description | head -n 1)" \
    --define "said_description $(said Description | tail -n +2)" scripts/package.spec
ls -l "$deb" "$bundle"/rpm/*.rpm
