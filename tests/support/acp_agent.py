"""An agent that speaks the Agent Client Protocol and does what the question says, line by line:

    say TEXT            a piece of the answer
    think TEXT          a piece of a thought
    plan A; B           a plan with these steps, the first done
    read PATH           reads a file, without asking
    edit PATH TEXT      asks, and writes the file when it may
    quietly PATH TEXT   writes the file and tells of it, without asking
    hidden PATH TEXT    writes the file and says nothing
    run LINE            asks, and runs the command when it may
    two PATH PATH       asks about two edits at once
    blind               asks to edit, and does not say what
    strange             says what no client knows, asks for files that nobody offers, and writes what is not the protocol
    hang                waits until it is told to stop
    linger              the same, and never answers
    die                 ends, with a word on its error output
    limit               fails as at the end of a subscription
    look QUERY          looks something up in the server that it was given, and tells what that says
    more                stops at a limit of its own
    refuse              refuses to go on
    mode                tells in which mode it works
    /NAME TEXT          a command of its own, where it is offered and comes alone

Options: --log FILE (every message that came, a line each), --login, --key, --pictures, --modes A,B, --options A,B, --models A,B, --old,
--commands A,B (told after the session began), --early (before it), --once (in the first session that the log knows of),
--dies N (ends before it sends its Nth message), --half (in the middle of it), --kills N (ends who
started it before it sends its Nth message), --script FILE (does what the file says instead)."""

import argparse
import json
import os
import signal
import subprocess
import sys

options = argparse.ArgumentParser()
options.add_argument("--log")
options.add_argument("--script")
options.add_argument("--login", action="store_true")
options.add_argument("--old", action="store_true")
options.add_argument("--key", action="store_true")
options.add_argument("--pictures", action="store_true")
options.add_argument("--dies", type=int, default=0)
options.add_argument("--kills", type=int, default=0)
options.add_argument("--half", action="store_true")
options.add_argument("--early", action="store_true")
options.add_argument("--once", action="store_true")
for name in ["--modes", "--options", "--models", "--commands"]:
    options.add_argument(name, default="")
options = options.parse_args()

session = f"session-{os.getpid()}"
last = 0
mode = None
seen = []
servers = []


def log(message):
    if options.log:
        with open(options.log, "a") as out:
            out.write(json.dumps(message) + "\n")


said = 0


def say(message):
    global said
    said += 1
    line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    if said == options.kills:
        os.kill(os.getppid(), signal.SIGKILL)
        # Whoever started it hears nothing any more, and the pipe says so.
        sys.stdin.read()
        sys.exit(0)
    if said == options.dies:
        sys.stdout.write(line[: len(line) // 2] if options.half else "")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdout.write(line)
    sys.stdout.flush()


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message = json.loads(line)
    log(message)
    return message


def update(**told):
    say({"method": "session/update", "params": {"sessionId": session, "update": told}})


def text(kind, said):
    update(sessionUpdate=kind, content={"type": "text", "text": said})


def ask(method, params):
    """Asks the client; what else comes meanwhile is kept."""
    global last
    last += 1
    say({"id": f"a{last}", "method": method, "params": params})
    while True:
        message = hear()
        if message.get("id") == f"a{last}" and "method" not in message:
            return message
        seen.append(message)


CHOICES = [
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def may(call):
    answer = ask("session/request_permission", {"sessionId": session, "toolCall": call, "options": CHOICES})
    outcome = answer.get("result", {}).get("outcome", {})
    return outcome.get("optionId") in ("yes", "always")


def whole(path):
    return os.path.join(os.getcwd(), path)


def written(path):
    try:
        with open(path) as file:
            return file.read()
    except FileNotFoundError:
        return None


def write(path, said):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(said)


def edit(number, path, said, asks):
    call = {"toolCallId": f"call-{number}", "title": f"Edit {path}", "kind": "edit", "status": "pending"}
    call["rawInput"] = {"file": path, "content": said}
    update(sessionUpdate="tool_call", **call)
    path = whole(path)
    diff = {"type": "diff", "path": path, "oldText": written(path), "newText": said}
    call["content"] = [diff]
    if asks and not may(call):
        update(sessionUpdate="tool_call_update", toolCallId=call["toolCallId"], status="failed")
        return
    write(path, said)
    update(sessionUpdate="tool_call_update", toolCallId=call["toolCallId"], status="completed", content=[diff])


def stopped():
    return any(message.get("method") == "session/cancel" for message in seen)


def act(number, line):
    verb, _, rest = line.partition(" ")
    path, _, said = rest.partition(" ")
    said = said.replace("\\n", "\n")
    if verb == "say":
        text("agent_message_chunk", rest)
    elif verb == "think":
        text("agent_thought_chunk", rest)
    elif verb == "plan":
        steps = rest.split("; ")
        entries = [{"content": it, "priority": "medium", "status": "pending"} for it in steps]
        entries[0]["status"] = "completed"
        update(sessionUpdate="plan", entries=entries)
    elif verb == "read":
        call = {"toolCallId": f"call-{number}", "title": f"Read {path}", "kind": "read", "status": "in_progress"}
        update(sessionUpdate="tool_call", **call, locations=[{"path": whole(path)}])
        content = [{"type": "content", "content": {"type": "text", "text": written(whole(path)) or ""}}]
        update(sessionUpdate="tool_call_update", toolCallId=f"call-{number}", status="completed", content=content)
    elif verb in ("edit", "quietly"):
        edit(number, path, said, verb == "edit")
    elif verb == "hidden":
        write(whole(path), said)
    elif verb == "run":
        call = {"toolCallId": f"call-{number}", "title": rest, "kind": "execute", "rawInput": {"command": rest}}
        update(sessionUpdate="tool_call", **call, status="pending")
        if may(call):
            ran = subprocess.run(rest, shell=True, capture_output=True, text=True)
            content = [{"type": "content", "content": {"type": "text", "text": ran.stdout + ran.stderr}}]
            update(sessionUpdate="tool_call_update", toolCallId=f"call-{number}", status="completed", content=content)
        else:
            update(sessionUpdate="tool_call_update", toolCallId=f"call-{number}", status="failed")
    elif verb == "two":
        for part, path in zip("ab", rest.split(" ")):
            update(
                sessionUpdate="tool_call", toolCallId=f"call-{number}{part}", title=f"Edit {path}", kind="edit", status="pending",
                locations=[{"path": whole(path)}],
            )
        for part, path in zip("ab", rest.split(" ")):
            if may({"toolCallId": f"call-{number}{part}"}):
                write(whole(path), "two\n")
                update(sessionUpdate="tool_call_update", toolCallId=f"call-{number}{part}", status="completed")
            else:
                update(sessionUpdate="tool_call_update", toolCallId=f"call-{number}{part}", status="failed")
    elif verb == "blind":
        may({"toolCallId": f"call-{number}", "title": "Edit", "kind": "edit"})
    elif verb == "strange":
        update(sessionUpdate="something_new", what={"deep": [1]})
        update(sessionUpdate="tool_call", title=3, kind=[], toolCallId={})
        say({"method": "session/update", "params": {"sessionId": "another", "update": {
            "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "not mine"}}}})
        sys.stdout.write("npm warn something\n")
        sys.stdout.flush()
        refused = ask("fs/read_text_file", {"sessionId": session, "path": whole("AGENTS.md")})
        text("agent_message_chunk", "error" in refused and f"refused {refused['error']['code']}" or "given")
    elif verb in ("hang", "linger"):
        text("agent_message_chunk", "Waiting.")
        while not stopped():
            seen.append(hear())
        while verb == "linger":
            hear()
    elif verb == "die":
        print("out of memory", file=sys.stderr)
        sys.stderr.flush()
        os._exit(3)
    elif verb == "look":
        look(number, rest)
    elif verb == "mode":
        text("agent_message_chunk", f"In {mode}.")
    elif verb == "limit":
        raise RuntimeError("You've hit your usage limit. Try again at 5 pm.")


def look(number, query):
    call = {"toolCallId": f"call-{number}", "title": "siltstone: recall", "kind": "search", "status": "in_progress"}
    update(sessionUpdate="tool_call", **call)
    given = servers[0] if servers else None
    if given is None:
        update(sessionUpdate="tool_call_update", toolCallId=f"call-{number}", status="failed")
        return
    started = [given["command"], *given["args"]]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:

        def told(method, params, number=None):
            message = {"jsonrpc": "2.0", "method": method, "params": params}
            server.stdin.write(json.dumps(message if number is None else {**message, "id": number}) + "\n")
            server.stdin.flush()
            while number is not None:
                answer = json.loads(server.stdout.readline())
                if answer.get("id") == number:
                    return answer["result"]

        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}
        told("initialize", hello, 1)
        told("notifications/initialized", {})
        found = told("tools/call", {"name": "recall", "arguments": {"query": query}}, 2)
        server.stdin.close()
    content = [{"type": "content", "content": it} for it in found["content"]]
    update(sessionUpdate="tool_call_update", toolCallId=f"call-{number}", status="completed", content=content)


def prompt(params):
    blocks = params["prompt"]
    name, _, rest = blocks[0].get("text", "").partition(" ")
    if name.startswith("/") and name[1:] in options.commands.split(","):
        text("agent_message_chunk", f"{name[1:]} of {len(blocks)}: {rest}")
        return {"stopReason": "end_turn"}
    question = written(options.script) if options.script else blocks[-1]["text"]
    number, reason = 0, "end_turn"
    for line in question.splitlines():
        number += 1
        reason = {"more": "max_turn_requests", "refuse": "refusal"}.get(line, reason)
        act(f"{last}-{number}", line)
        if stopped():
            return {"stopReason": "cancelled"}
    usage = {"inputTokens": 100, "outputTokens": 20, "cachedReadTokens": 1000, "totalTokens": 1120}
    return {"stopReason": reason, "usage": usage}


def commands():
    if options.commands and not (options.once and written(options.log).count("session/new") > 1):
        told = [
            {"name": it, "description": f"Does {it}", "input": {"hint": "what"}} for it in options.commands.split(",")
        ]
        update(sessionUpdate="available_commands_update", availableCommands=told)


def begun():
    global mode
    for names in (options.modes, options.options):
        mode = names.split(",")[0] if names else mode
    answer = {"sessionId": session}
    if options.modes:
        names = options.modes.split(",")
        answer["modes"] = {"currentModeId": names[0], "availableModes": [{"id": it, "name": it} for it in names]}
    config = []
    for category, names in [("mode", options.options), ("model", options.models)]:
        if names:
            names = names.split(",")
            values = [{"value": it, "name": it} for it in names]
            config.append({
                "id": f"the-{category}", "name": category, "category": category, "type": "select",
                "currentValue": names[0], "options": values,
            })
    if config:
        answer["configOptions"] = config
    return answer


while True:
    message = seen.pop(0) if seen else hear()
    if "id" not in message or "method" not in message:
        continue
    method, params = message["method"], message["params"]
    try:
        if method == "initialize":
            result = {"protocolVersion": 0 if options.old else 1, "agentCapabilities": {}}
            if options.pictures:
                result["agentCapabilities"] = {"promptCapabilities": {"image": True}}
            if options.key:
                result["authMethods"] = [{"id": "browser"}, {"id": "api-key"}]
        elif method == "authenticate":
            options.login = False
            result = {}
        elif method == "session/new":
            if options.login:
                error = {"code": -32000, "message": "Authentication required"}
                say({"id": message["id"], "error": error})
                continue
            servers = params["mcpServers"]
            result = begun()
            if options.early:
                commands()
        elif method == "session/prompt":
            result = prompt(params)
        elif method == "session/set_mode":
            mode, result = params["modeId"], {}
        elif method == "session/set_config_option":
            if params["configId"] == "the-mode":
                mode = params["value"]
            result = {}
        else:
            result = {}
        say({"id": message["id"], "result": result})
        if method == "session/new" and not options.early:
            commands()
    except RuntimeError as error:
        say({"id": message["id"], "error": {"code": -32603, "message": "Internal error", "data": {"details": str(error)}}})
