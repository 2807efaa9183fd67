// What every agent gets: a home of its own with the project in it, and the model on loopback; and what was said there, put
// down as it was said. That is what readers are held against: nothing of it comes from the files that agents write.

import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { serve } from "./model.mjs";
import { HELPER, SUMMARY, shop, turns } from "./shop.mjs";

/** Milliseconds that an agent gets for one turn; a guard, nothing is timed with it. */
const LONGEST = 120_000;

export class Desk {
  /** Begins for one agent, in this home. */
  static async of(agent, home, programs) {
    const desk = new Desk();
    const script = turns(agent.tools(path.join(home, "shop")));
    const otherwise = (request) => agent.summary?.(SUMMARY, request) ?? SUMMARY;
    desk.model = await serve({ turns: script, beside: agent.beside, otherwise });
    desk.home = home;
    desk.folder = shop(home);
    desk.program = path.join(programs, agent.name, "node_modules/.bin", agent.program);
    desk.env = {
      PATH: process.env.PATH,
      HOME: home,
      LANG: "C.UTF-8",
      TERM: "dumb",
      ...agent.env?.(desk.model.address),
    };
    desk.sessions = [];
    return desk;
  }

  /** A file below the home, with the folders that it needs. */
  write(name, text) {
    const file = path.join(this.home, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text, null, 2));
  }

  read(name) {
    return fs.readFileSync(path.join(this.home, name), "utf8");
  }

  /** Lays files that an agent wrote once into the home again. */
  put(below, made) {
    const own = (name) => path.basename(name) !== "said.json";
    fs.cpSync(made, path.join(this.home, below), { recursive: true, filter: own });
  }

  /** Runs the agent's program; what it wrote to its standard output. */
  run(...words) {
    return this.start(this.program, ...words);
  }

  /** The same with another program. The model answers meanwhile, so nothing may wait in its stead. */
  async start(program, ...words) {
    const running = spawn(program, words, {
      cwd: this.folder,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LONGEST,
    });
    const told = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) running[name].on("data", (piece) => (told[name] += piece));
    const code = await new Promise((done) => running.once("close", done));
    if (code !== 0) throw new Error(`${path.basename(program)} ${words.join(" ")}: ${code}\n${told.stdout}${told.stderr}`);
    return told.stdout;
  }

  /** A session that is asked about later; `from` is one that it goes on from, with all that was said there. */
  session(id, from) {
    const session = { id, turns: from ? [...from.turns] : [], folds: 0, ...(from ? { from: from.id } : {}) };
    this.sessions.push(session);
    return session;
  }

  /** Has the agent compact a session, by `ask`, and puts down what the summary took. */
  async fold(session, ask) {
    const before = this.model.beside.length;
    const result = await ask();
    session.folds += 1;
    session.folding = [...(session.folding ?? []), ...this.model.beside.slice(before)];
    return result;
  }

  /** Says this in a session, by `ask`, and puts down what the model was asked and answered meanwhile. */
  async say(session, said, ask) {
    const before = this.model.served.length;
    const result = await ask(said);
    const served = this.model.served.slice(before);
    const own = served.filter((it) => it.says === said);
    if (own.length === 0) throw new Error(`the model was not asked: ${said}`);
    session.turns.push(turn(said, own));
    const helped = served.filter((it) => it.says === HELPER);
    if (helped.length > 0) this.sessions.push({ parent: session.id, turns: [turn(HELPER, helped)], folds: 0 });
    return result;
  }

  /**
   * The files below a folder of the home for which `wanted` is true, as `cut` leaves them, by their paths below it. `cut`
   * gets a record and says which one to keep in its place: what agents tell their models of themselves is long, their
   * makers', and says nothing of a session.
   */
  files(below, wanted, cut) {
    const root = path.join(this.home, below);
    const found = {};
    for (const name of fs.readdirSync(root, { recursive: true }).sort()) {
      if (!wanted(name)) continue;
      const text = fs.readFileSync(path.join(root, name), "utf8");
      const line = (it) => JSON.stringify(cut(JSON.parse(it)));
      found[name] = name.endsWith(".jsonl") ? text.replaceAll(/^.+$/gm, line) : text;
    }
    return found;
  }
}

/** A value of the same form with short texts and lists. */
export function shortened(value) {
  if (typeof value === "string") return value.length > 80 ? `${value.slice(0, 80)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 4).map(shortened);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, shortened(it)]));
}

const turn = (said, served) => ({
  said,
  replies: served.map(({ text, calls, tokens }) => ({ text, calls: calls.map((it) => it.name), tokens })),
});
