// opencode, over HTTP as its own window asks it. Its sessions are rows of a database, of which the tables of sessions are
// kept as text.

import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";

import { FIX, FRENCH, HELP, KOREAN, RULE } from "./shop.mjs";

const MODEL = { providerID: "loopback", modelID: "small" };

export const opencode = {
  name: "opencode",
  package: "opencode-ai",
  program: "opencode",
  root: ".local/share/opencode",
  tools: (folder) => ({
    read: (file) => ({ name: "read", input: { filePath: path.join(folder, file) } }),
    edit: (file, oldString, newString) => ({
      name: "edit",
      input: { filePath: path.join(folder, file), oldString, newString },
    }),
    run: (command) => ({ name: "bash", input: { command, description: "Looks" } }),
    helper: (prompt) => ({ name: "task", input: { description: "Count files", prompt, subagent_type: "general" } }),
  }),
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
  }),
  beside: ({ messages }) => /You are a title generator|context summarization agent|summarizing conversations/.test(JSON.stringify(messages[0])),

  prepare(desk) {
    desk.write(".config/opencode/opencode.json", {
      model: "loopback/small",
      permission: { edit: "allow", bash: "allow" },
      provider: {
        loopback: {
          npm: "@ai-sdk/openai-compatible",
          name: "Loopback",
          options: { baseURL: `${desk.model.address}/v1`, apiKey: "none" },
          models: { small: { name: "Small", limit: { context: 200000, output: 8000 } } },
        },
      },
    });
  },

  put(desk, made) {
    const folder = path.join(desk.home, this.root);
    fs.mkdirSync(folder, { recursive: true });
    const rows = fs.readFileSync(path.join(made, "opencode.sql"));
    execFileSync("sqlite3", [path.join(folder, "opencode.db")], { input: rows });
  },

  async talk(desk) {
    const server = spawn(desk.program, ["serve", "--port", "0"], {
      cwd: desk.folder,
      env: desk.env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let address;
    for await (const line of readline.createInterface({ input: server.stdout })) {
      address = /http:\/\/\S+/.exec(line)?.[0];
      if (address) break;
    }
    const ask = async (method, place, body) => {
      const sent = { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
      const answer = await fetch(`${address}${place}`, sent);
      if (!answer.ok) throw new Error(`${method} ${place}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    const say = (id, text) =>
      ask("POST", `/session/${id}/message`, { model: MODEL, parts: [{ type: "text", text }] });
    const begun = desk.session((await ask("POST", "/session", {})).id);
    await desk.say(begun, RULE, (said) => say(begun.id, said));
    await desk.say(begun, FIX, (said) => say(begun.id, said));
    await desk.say(begun, HELP, (said) => say(begun.id, said));
    const forked = desk.session((await ask("POST", `/session/${begun.id}/fork`, {})).id, begun);
    await desk.fold(begun, () => ask("POST", `/session/${begun.id}/summarize`, MODEL));
    await desk.say(begun, FRENCH, (said) => say(begun.id, said));
    await desk.say(forked, KOREAN, (said) => say(forked.id, said));
    const gone = new Promise((done) => server.once("close", done));
    server.kill();
    await gone;
  },

  files(desk) {
    const database = path.join(desk.home, this.root, "opencode.db");
    // The tables that say what was said: others hold what an account is opened with.
    const dump = execFileSync("sqlite3", [database, ".dump session message part"], { encoding: "utf8" });
    return { "opencode.sql": dump };
  },
};
