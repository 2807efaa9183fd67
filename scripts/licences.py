#!/usr/bin/env python3
"""Lists what of others is in the program, each with its licence: crates, npm packages, fonts, the model. `make licences`
calls it after a lock file changed, `make package` for the texts.

The list is committed: the window shows it, `tests/tree/supply.rs` holds it against the lock files, and the window's build
fails where it lacks a package. It has the crates that are linked on Linux on x86-64, for which packages are made, without
those that only build others, and the npm packages that the window may be built from.

  scripts/licences.py                 the list, into the window's sources
  scripts/licences.py --texts FILE    the texts of these licences, into FILE
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

sys.dont_write_bytecode = True
import embedder  # noqa: E402

ROOT = Path(__file__).parent.parent
OUT = ROOT / "ui/src/features/settings/licences.json"
# Names all three, and has the licence itself.
FONTS = ROOT / "ui/src/shared/styles/fonts.txt"
TARGET = "x86_64-unknown-linux-gnu"

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


def cargo(*words):
    done = subprocess.run(["cargo", *words, "--locked"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return done.stdout if done.returncode == 0 else sys.exit("licences: what cargo says stands above.")


def crates():
    # By this and not from `cargo metadata`, which knows the features of the whole workspace, tests included.
    linked = cargo(
        "tree", "--package=siltstone", "--package=siltstone-cli", f"--target={TARGET}", "--edges=normal,no-proc-macro",
        "--no-dedupe", "--prefix=none", "--format={p}|{l}",
    )
    # Ours have their folder behind the version. `/` is how older packages write OR.
    for name, version, expression in re.findall(r"^(\S+) v(\S+)\|(.+)$", linked, re.MULTILINE):
        yield Package(name, version, re.sub(r" ?/ ?", " OR ", expression), "crates")


def npm():
    lock = json.loads((ROOT / "ui/package-lock.json").read_text(encoding="utf-8"))
    for path, package in lock["packages"].items():
        name = path.rpartition("node_modules/")[2]
        # What is there for types and tools is bundled by nobody, which the window's build holds.
        tool = "dev" in package or "devOptional" in package or name.startswith("@types/") or name in NOT_BUNDLED
        if name and not tool:
            expression = package["license"]
            source = "fonts" if expression.startswith("OFL") else "npm"
            yield ROOT / "ui" / path, Package(name, package["version"], expression, source)


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


def main():
    linked, bundled = list(crates()), list(npm())
    packages = [*linked, *(package for _, package in bundled), model()]
    match sys.argv[1:]:
        case []:
            put_list(packages)
        case ["--texts", file]:
            said = json.loads(cargo("metadata", "--format-version=1", f"--filter-platform={TARGET}"))
            known = {(it["name"], it["version"]): it for it in said["packages"] if it["source"]}
            of_crates = {it: known[it.name, it.version] for it in linked}
            folders = {it: Path(crate["manifest_path"]).parent for it, crate in of_crates.items()}
            folders |= {package: folder for folder, package in bundled}
            put_texts(packages, folders, {it: crate["authors"] for it, crate in of_crates.items()}, file)
        case _:
            sys.exit(__doc__)


main()
