#!/usr/bin/env bash
# Installs the model servers that tests start: Gemma 3 270M behind llama.cpp's own server (272 MB, under the Gemma
# terms, for tests only and never shipped), aimock, llmock and the reference MCP server. Says nothing and takes a moment
# when all are there.
set -euo pipefail
cd "$(dirname "$0")/../.."
servers=target/test-servers

# A copy of what was asked for says what is installed; times would lie after a checkout.
if ! cmp -s tests/support/requirements.txt "$servers/requirements.txt"; then
    python3 -m venv "$servers/venv"
    scripts/again.sh 900 "$servers/venv/bin/pip" install --quiet --disable-pip-version-check --requirement tests/support/requirements.txt
    cp tests/support/requirements.txt "$servers/requirements.txt"
fi
if ! cmp -s tests/support/package-lock.json tests/support/node_modules/.installed-lock.json; then
    scripts/again.sh 420 npm --prefix tests/support ci --ignore-scripts --no-audit --no-fund
    cp tests/support/package-lock.json tests/support/node_modules/.installed-lock.json
fi
