// What goes on with an agent, at the wire: a session that one agent wrote is taken over by `silt` and written for another,
// that one is started as it is said to the person, and what it asks its model next has to hold every turn. And back: the
// same session goes on in Siltstone, which asks the model itself.
//
//   node tests/agents/continue.mjs FROM TO PROGRAMS MADE SILT
//
// Each is an agent, or `siltstone`: from there goes what Claude Code wrote, once it is a conversation. PROGRAMS has the agents as they were installed, MADE the sessions that they wrote
// (`make.mjs`), SILT is the program. What the model was not told is printed, a line each.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { agents } from "./agents.mjs";
import { Desk } from "./desk.mjs";
import { KOREAN } from "./shop.mjs";

const [from, to, programs, made, silt] = process.argv.slice(2);
const own = from === "siltstone";
const writer = agents.find((agent) => agent.name === (own ? "claude-code" : from));
const goer = agents.find((agent) => agent.name === to);
const desk = await Desk.of(goer ?? writer, os.homedir(), programs);
const wrote = path.join(made, writer.name);
if (writer.put) writer.put(desk, wrote);
else desk.put(writer.root, wrote);
goer?.prepare?.(desk);
const { sessions } = JSON.parse(fs.readFileSync(path.join(wrote, "said.json")));
const lacks = await missing(sessions[0]);
console.log(`${from} → ${to}: ${lacks.length === 0 ? "every turn" : "NOT every turn"}`);
lacks.forEach((part) => console.log(`  ${part}`));
process.exit(lacks.length === 0 ? 0 : 1);

/** What of a session the model is not told when somebody goes on with it. */
async function missing(session) {
  const run = (...words) => desk.start(silt, ...words);
  const ask = async (...words) => JSON.parse(await run(...words, "--json"));
  await ask("vault", "scan", "--agree");
  const here = async () => (await ask("vault", "continue", session.id, "--yes")).item.id;
  if (goer) {
    const id = own ? await here() : session.id;
    const goal = ["vault", "continue", id, "--to", to, "--whole", "--install", "--folder", desk.folder];
    const { turns } = await ask(...goal);
    if (turns !== session.turns.length) return [`${turns} turns in the plan, and ${session.turns.length} were said`];
    const { handover } = await ask(...goal, "--yes");
    await desk.run(...goer.resume(handover.session_id, KOREAN));
  } else {
    const id = await here();
    await ask("provider", "add", "--kind", "openai", "--name", "loopback", "--base-url", `${desk.model.address}/v1`);
    await run("chat", "--conversation", id, "--provider", "loopback", "--model", "small", KOREAN);
  }
  const asked = desk.model.received().findLast(({ body }) => body.includes(KOREAN));
  const told = JSON.stringify(JSON.parse(asked?.body ?? "null"));
  const parts = session.turns.flatMap(({ said, replies }) => [said, ...replies.map((reply) => reply.text)]);
  return parts.filter((part) => part && !told.includes(JSON.stringify(part).slice(1, -1)));
}
