#!/usr/bin/env python3
"""Writes what is known of models by their names: windows, pictures, PDF files, tools. `make models` calls it.

The catalogue is the one that LiteLLM keeps and carries in its package on PyPI: of those in a registry it is the newest and
covers the most makers. It is fetched as a file and never installed or run. What it lacks of Korean makers stands below,
from their own pages. The result is committed, so that a build needs neither.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

OUT = pathlib.Path(__file__).parent.parent / "src-tauri/crates/engine/src/catalogue/models.json"

# Makers under their own names, the likelier to know first; who only passes a model on may cut it short.
MAKERS = [
    "openai", "anthropic", "gemini", "mistral", "codestral", "deepseek", "xai", "qwen_ai_platform", "dashscope",
    "moonshot", "zai", "minimax", "cohere", "cohere_chat", "amazon_nova", "meta_llama", "perplexity",
]

# Those whose models run nowhere but with them and whom they let, so that a name is theirs wherever it is served.
HOSTED = {"openai", "anthropic", "gemini", "xai", "amazon_nova", "perplexity"}
WEIGHTS = ("gemma", "gpt-oss", "llama", "codellama", "mistral", "mixtral")

# Of whom the catalogue has nothing: Upstage, LG and Naver, and an older model of which its family would tell what is wrong.
# Window, pictures, PDF files, tools.
MORE = {
    "claude-opus-4-1": (200_000, True, True, True),
    "solar-pro2": (65_536, False, False, True),
    "solar-pro3": (131_072, False, False, True),
    "solar-mini": (32_768, False, False, True),
    "exaone-3.5": (32_768, False, False, None),
    "exaone-4.0": (131_072, False, False, True),
    "exaone-deep": (32_768, False, False, None),
    "hcx-003": (8_192, False, False, False),
    "hcx-005": (128_000, True, False, True),
    "hcx-007": (128_000, False, False, True),
    "hcx-dash-002": (32_000, False, False, False),
}

# What follows the name of a model where it is only an edition of it.
EDITION = re.compile(r"(-(latest|preview|exp|\d{2,}))+$")


def catalogue():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "litellm"],
            check=True,
        )
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        version = wheel.name.split("-")[1]
        with zipfile.ZipFile(wheel) as package:
            return version, json.loads(package.read("litellm/model_prices_and_context_window_backup.json"))


def main():
    version, listed = catalogue()
    known = {}
    for name, row in listed.items():
        maker, window = row.get("litellm_provider"), row.get("max_input_tokens") or row.get("max_tokens")
        name = name.split("/")[-1].lower()
        if maker not in MAKERS or row.get("mode") not in ("chat", "responses") or not window or ":" in name:
            continue
        # A window may be written down as a fraction in a text.
        facts = (int(window), row.get("supports_vision"), row.get("supports_pdf_input"), row.get("supports_function_calling"))
        hosted = maker in HOSTED and not name.startswith(WEIGHTS)
        known.setdefault(name, []).append((MAKERS.index(maker), (*facts, hosted)))
    # What is said by several of the same rank: the smallest window, so that nothing is refused for its length.
    models = {name: min(said, key=lambda it: (it[0], it[1][0]))[1] for name, said in known.items()}
    models |= {name: (*facts, name.startswith("claude")) for name, facts in MORE.items()}
    kept = {
        name: facts
        for name, facts in models.items()
        if not (EDITION.search(name) and models.get(EDITION.sub("", name)) == facts)
    }
    rows = []
    for name, (window, *reads, hosted) in sorted(kept.items()):
        row = {"model": name, "window": window}
        row |= {key: it for key, it in zip(("images", "files", "tools"), reads) if it is not None}
        row |= {"hosted": True} if hosted else {}
        rows.append("  " + json.dumps(row))
    text = '{"from": "litellm %s", "models": [\n%s\n]}\n' % (version, ",\n".join(rows))
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(text, encoding="utf-8")
    print(f"{len(rows)} models from litellm {version}")


main()
