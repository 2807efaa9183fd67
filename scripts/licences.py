#!/usr/bin/env python3
"""Lists what of others is in the program, each with its licence: crates, npm packages, fonts, the model. `make licences`
calls it after a lock file changed, `scripts/pack.sh` for what a package carries of it.

The list is committed: the window shows it, `tests/tree/supply.rs` holds it against the lock files, and the window's build
fails where it lacks a package. It has the crates that are linked on Linux on x86-64, for which packages are made, without
those that only build others, and the npm packages that the window may be built from.

  scripts/licences.py                  the list, into the window's sources
  scripts/licences.py --into FOLDER    the texts of these licences, and a bill of materials (CycloneDX), into FOLDER

The bill says of each package what it is linked into and by which sum it is known. Nothing in it is of the machine or the
moment: its time is SOURCE_DATE_EPOCH, and without that it has none.
"""

import base64
import json
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

sys.dont_write_bytecode = True
import embedder  # noqa: E402

ROOT = Path(__file__).parent.parent
OUT = ROOT / "ui/src/features/settings/licences.json"
# Names all three, and has the licence itself.
FONTS = ROOT / "ui/src/shared/styles/fonts.txt"
TARGET = "x86_64-unknown-linux-gnu"
# Our own programs, by the crates of which they are made.
PROGRAMS = {"siltstone": "siltstone", "siltstone-cli": "silt"}

# What markdown-it and katex have for their command lines.
NOT_BUNDLED = {"argparse", "commander"}

# No icon called so.
TEXT = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)([-_.].*)?(?<!\.mjs)(?<!\.map)", re.IGNORECASE)

# Texts that lie in a package and are of nothing in the program: sources that are not compiled, words for tests, and of the
# two licences that zstd offers the one that is not taken.
PASSED_OVER = {
    "libdbus-sys": "vendor/",
    "libsqlite3-sys": "sqlcipher/",
    "rust-stemmers": "test_data/",
    "zstd-sys": "zstd/COPYING",
}


class Package(NamedTuple):
    name: str
    version: str
    license: str
    source: str

    def __str__(self):
        return f"{self.name} {self.version}"

    @property
    def purl(self):
        """Its name among all packages of all registries, and in the bill."""
        match self.source:
            case "crates":
                kind, name = "cargo", self.name
            case "model":
                kind, name = "pypi", embedder.PACKAGE.partition("==")[0]
            case _:
                kind, name = "npm", self.name
        return f"pkg:{kind}/{quote(name)}@{quote(self.version)}"


def cargo(*words):
    done = subprocess.run(["cargo", *words, "--locked"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return done.stdout if done.returncode == 0 else sys.exit("licences: what cargo says stands above.")


def crates():
    """Each crate that is linked, behind what it is linked into: one of our programs, or another crate."""
    # By this and not from `cargo metadata`, which knows the features of the whole workspace, tests included.
    linked = cargo(
        "tree", "--package=siltstone", "--package=siltstone-cli", f"--target={TARGET}", "--edges=normal,no-proc-macro",
        "--no-dedupe", "--prefix=depth", "--format={p}|{l}",
    )
    # Ours have their folder behind the version, and count as the program they are in.
    line = re.compile(r"^(\d+)(\S+) v(\S+?)( \(.+\))?\|(.*)$", re.MULTILINE)
    above = []
    for depth, name, version, ours, expression in line.findall(linked):
        del above[int(depth) :]
        if ours:
            above.append(above[-1] if above else PROGRAMS[name])
        else:
            # `/` is how older packages write OR.
            above.append(Package(name, version, re.sub(r" ?/ ?", " OR ", expression), "crates"))
            yield above[-2], above[-1]


def npm(lock):
    """The packages that the window may be built from, by where they lie below ui/."""
    for path, package in lock.items():
        name = path.rpartition("node_modules/")[2]
        # What is there for types and tools is bundled by nobody, which the window's build holds.
        tool = "dev" in package or "devOptional" in package or name.startswith("@types/") or name in NOT_BUNDLED
        if name and not tool:
            expression = package["license"]
            source = "fonts" if expression.startswith("OFL") else "npm"
            yield path, Package(name, package["version"], expression, source)


def imported(lock, bundled):
    """Each of these packages, behind what may import it: the window, or another package."""
    for path in ["", *bundled]:
        for name in lock[path].get("dependencies", {}) | lock[path].get("peerDependencies", {}):
            # Where node looks: beside what asks, then further up.
            places = [path]
            while places[-1]:
                places.append(places[-1].rpartition("/node_modules/")[0])
            found = [at for at in (f"{place}/node_modules/{name}".lstrip("/") for place in places) if at in bundled]
            if found:
                yield bundled[path] if path else PROGRAMS["siltstone"], bundled[found[0]]


def model():
    carrier, _, version = embedder.PACKAGE.partition("==")
    return Package(f"multilingual-e5-small ({carrier})", version, "MIT", "model")


def ordered(packages):
    return sorted(set(packages), key=lambda it: (it.name.lower(), it.version, it.source))


def put_list(packages):
    rows = [
        {"name": it.name, "version": it.version, "license": it.license, "from": it.source} for it in ordered(packages)
    ]
    OUT.write_text("[\n  %s\n]\n" % ",\n  ".join(map(json.dumps, rows)), encoding="utf-8")
    print(f"licences: {len(rows)} packages")


def texts_in(folder, name):
    """The texts that come with a package, those of what it took from others included."""
    if not folder.is_dir():
        sys.exit(f"licences: {folder} is not there. `make setup` fetches it.")
    for file in sorted(folder.rglob("*")):
        place = file.relative_to(folder)
        ours = "node_modules" not in place.parts and not place.as_posix().startswith(PASSED_OVER.get(name, "/"))
        if ours and TEXT.fullmatch(file.name) and file.is_file():
            text = file.read_text(encoding="utf-8", errors="replace")
            yield "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def put_texts(packages, folders, authors, file):
    texts, bare = {}, []
    for package in ordered(packages):
        match package.source:
            case "model":
                found = [embedder.LICENSE.strip()]
            case "fonts":
                found = [FONTS.read_text(encoding="utf-8").strip()]
            case _:
                found = list(texts_in(folders[package], package.name))
        for text in found:
            # Once, however its lines are broken and however often it lies in the package.
            _, holders = texts.setdefault(" ".join(text.split()), (text, {}))
            holders[package] = None
        if not found:
            bare.append(package)
    parts = [
        "What of others is in Siltstone, under which licences. Each text stands below those to whose packages it belongs;\n"
        "where a package has several licences, every one has its text."
    ]
    for text, holders in texts.values():
        parts.append("\n".join(["=" * 80, *map(str, holders), "-" * 80, text]))
    rows = [", ".join([f"{it}: {it.license}", *authors.get(it, [])]) for it in bare]
    parts.append("\n".join(["=" * 80, "These name their licence and who wrote them, and have no text of it:", *rows]))
    Path(file).write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"licences: {file} has {len(texts)} texts of {len(set(packages))} packages; {len(bare)} have no text of their own")


def sums(lock, bundled):
    """By which sum each package is known: that of the lock file, and of the model that of the file itself."""
    text = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    locked = re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"', text)
    of = {("crates", name, version): ("SHA-256", checksum) for name, version, checksum in locked}
    for path, it in bundled.items():
        content = base64.b64decode(lock[path]["integrity"].removeprefix("sha512-"))
        of[it.source, it.name, it.version] = ("SHA-512", content.hex())
    it = model()
    of[it.source, it.name, it.version] = ("SHA-256", embedder.MODEL_SUM)
    return of


def put_bill(packages, edges, of_sum, file):
    def license_of(expression):
        return [{"expression": expression}]

    def component(it):
        kind = "machine-learning-model" if it.source == "model" else "library"
        algorithm, content = of_sum[it.source, it.name, it.version]
        return {
            "type": kind, "bom-ref": it.purl, "name": it.name, "version": it.version,
            "hashes": [{"alg": algorithm, "content": content}], "licenses": license_of(it.license), "purl": it.purl,
        }

    config = json.loads((ROOT / "tauri.conf.json").read_text(encoding="utf-8"))
    whole = {
        "type": "application", "bom-ref": "package", "name": config["productName"], "version": config["version"],
        "description": config["bundle"]["shortDescription"], "licenses": license_of(config["bundle"]["license"]),
    }
    ours = [
        {"type": "application", "bom-ref": name, "name": name, "version": config["version"], "licenses": whole["licenses"]}
        for name in PROGRAMS.values()
    ]
    needs = {"package": {*PROGRAMS.values(), model().purl}}
    for above, below in edges:
        needs.setdefault(above if isinstance(above, str) else above.purl, set()).add(below.purl)
    metadata = {"lifecycles": [{"phase": "build"}], "component": whole}
    if moment := os.environ.get("SOURCE_DATE_EPOCH"):
        metadata = {"timestamp": datetime.fromtimestamp(int(moment), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")} | metadata
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": metadata,
        "components": [*ours, *map(component, ordered(packages))],
        "dependencies": [{"ref": above, "dependsOn": sorted(needs[above])} for above in sorted(needs)],
    }
    Path(file).write_text(json.dumps(bill, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"licences: {file} has {len(set(packages))} packages")


def main():
    lock = json.loads((ROOT / "ui/package-lock.json").read_text(encoding="utf-8"))["packages"]
    linked, bundled = list(crates()), dict(npm(lock))
    packages = [*(package for _, package in linked), *bundled.values(), model()]
    match sys.argv[1:]:
        case []:
            put_list(packages)
        case ["--into", folder]:
            said = json.loads(cargo("metadata", "--format-version=1", f"--filter-platform={TARGET}"))
            known = {(it["name"], it["version"]): it for it in said["packages"] if it["source"]}
            of_crates = {it: known[it.name, it.version] for _, it in linked}
            folders = {it: Path(crate["manifest_path"]).parent for it, crate in of_crates.items()}
            folders |= {package: ROOT / "ui" / path for path, package in bundled.items()}
            authors = {it: crate["authors"] for it, crate in of_crates.items()}
            put_texts(packages, folders, authors, f"{folder}/third-party-licences.txt")
            edges = [*linked, *imported(lock, bundled)]
            put_bill(packages, edges, sums(lock, bundled), f"{folder}/siltstone.cdx.json")
        case _:
            sys.exit(__doc__)


main()
