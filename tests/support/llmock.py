#!/usr/bin/env python3
"""llmock: breaks answers on demand and judges how its client took it.

Prints its address as its only line on stdout and serves until its standard input closes, so that it never outlives
the test that started it. Faults come over `POST /_llmock/scenario`, the judgement is `GET /_llmock/verdict`.
"""

import sys

# This file must not stand in for the package of the same name.
sys.path.pop(0)

from llmock.testing import LLMockServer  # noqa: E402

with LLMockServer() as server:
    print(server.url, flush=True)
    sys.stdin.read()
