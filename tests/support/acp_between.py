"""Stands between Siltstone and an agent that speaks the Agent Client Protocol, and hands on what each says, line by line:

    acp_between.py [--dies N] [--kills N] COMMAND...

--dies N: the agent is killed before its Nth message is handed on. --kills N: who started this is. Both as by kill -9."""

import os
import signal
import subprocess
import sys
import threading

dies, kills = 0, 0
words = sys.argv[1:]
while words[0] in ("--dies", "--kills"):
    if words[0] == "--dies":
        dies = int(words[1])
    else:
        kills = int(words[1])
    words = words[2:]

agent = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def hand_on():
    try:
        for line in sys.stdin.buffer:
            agent.stdin.write(line)
            agent.stdin.flush()
        agent.stdin.close()
    except BrokenPipeError:
        pass


threading.Thread(target=hand_on, daemon=True).start()
said = 0
for line in agent.stdout:
    if not line.strip():
        continue
    said += 1
    if said == dies:
        agent.kill()
        agent.wait()
        os.kill(os.getpid(), signal.SIGKILL)
    if said == kills:
        os.kill(os.getppid(), signal.SIGKILL)
        agent.kill()
        agent.wait()
        sys.exit(0)
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
