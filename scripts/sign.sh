#!/usr/bin/env bash
# Signs the packages below target/release/bundle, or with --debug target/debug/bundle, and writes the feed for those that are
# installed already, latest.json beside them: both go where that feed and the packages are served from.
#
#   scripts/sign.sh [--debug] SECRET_KEY URL [NOTES]
#
# SECRET_KEY is minisign's (`minisign -G` makes one with its public key, which `SILTSTONE_UPDATES` names when packing), URL is
# the https address of the folder where the packages will be, and NOTES a file of plain text. What is signed with each package
# is its version and its name, too: without them Siltstone takes no package, however good its signature.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=release
[ "${1:-}" != --debug ] || { profile=debug && shift; }
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    sed -n '5p' "$0" >&2
    exit 2
fi
secret=$1 url=${2%/} notes=${3:-/dev/null}
command -v minisign >/dev/null || { echo "sign: minisign is missing; your package manager has it." >&2 && exit 1; }
case $url in
    https://* | http://127.0.0.1:* | http://localhost:*) ;;
    *) echo "sign: $url does not begin with https://." >&2 && exit 1 ;;
esac
bundle=$PWD/target/$profile/bundle
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
shopt -s nullglob
packages=("$bundle"/deb/*.deb "$bundle"/rpm/*.rpm "$bundle"/appimage/*.AppImage)
[ ${#packages[@]} -gt 0 ] || { echo "sign: no packages below $bundle; \`make package\` makes them." >&2 && exit 1; }

for package in "${packages[@]}"; do
    name=$(basename "$package")
    # Hashed first, so that it is verified while it comes.
    minisign -S -H -s "$secret" -m "$package" -x "$package.minisig" \
        -c "Siltstone $version" -t "version:$version file:$name"
done

python3 - "$bundle/latest.json" "$version" "$url" "$notes" "$(uname -m)" "${packages[@]}" <<'PYTHON'
import base64, datetime, json, os, sys
from urllib.parse import quote
out, version, url, notes, machine, *packages = sys.argv[1:]
kinds = {".deb": "deb", ".rpm": "rpm", ".AppImage": "appimage"}
platforms = {}
for package in packages:
    name = os.path.basename(package)
    platforms["linux-%s-%s" % (machine, kinds[os.path.splitext(name)[1]])] = {
        "url": "%s/%s" % (url, quote(name)),
        "signature": base64.b64encode(open(package + ".minisig", "rb").read()).decode(),
        "size": os.path.getsize(package),
    }
now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
feed = {
    "version": version,
    "notes": open(notes, encoding="utf-8").read().strip(),
    "pub_date": now.isoformat().replace("+00:00", "Z"),
    "platforms": platforms,
}
with open(out, "w", encoding="utf-8") as file:
    json.dump(feed, file, ensure_ascii=False, indent=2)
    file.write("\n")
PYTHON
echo "$bundle/latest.json"
