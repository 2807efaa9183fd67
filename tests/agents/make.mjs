// Sessions as agents really write them, and what was said in them: `make agents` (scripts/agents.sh) runs this in a box
// without a network, once for each agent.
//
//   node tests/agents/make.mjs AGENT PROGRAMS INTO
//
// PROGRAMS has the agents as they were installed; INTO gets the files of the sessions, and `said.json`.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { agents } from "./agents.mjs";
import { Desk } from "./desk.mjs";

const [name, programs, into] = process.argv.slice(2);
const agent = agents.find((it) => it.name === name);
const desk = await Desk.of(agent, os.homedir(), programs);
agent.prepare?.(desk);
await agent.talk(desk);
for (const [file, text] of Object.entries(agent.files(desk))) put(file, text);
const { version } = JSON.parse(fs.readFileSync(path.join(programs, name, "node_modules", agent.package, "package.json")));
put("said.json", `${JSON.stringify({ version, made: new Date().toISOString().slice(0, 10), sessions: desk.sessions }, null, 1)}\n`);
process.exit(0);

function put(file, text) {
  const whole = path.join(into, file);
  fs.mkdirSync(path.dirname(whole), { recursive: true });
  fs.writeFileSync(whole, text);
}
