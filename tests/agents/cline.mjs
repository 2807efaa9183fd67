// Cline, its command line, one program a turn.

import path from "node:path";

import { shortened } from "./desk.mjs";
import { Server } from "./server.mjs";
import { FIX, FRENCH, HELP, KOREAN, RULE } from "./shop.mjs";

export const cline = {
  name: "cline",
  package: "cline",
  program: "cline",
  root: ".cline/data",
  tools: (folder) => ({
    read: (file) => ({ name: "read_files", input: { files: [{ path: path.join(folder, file) }] } }),
    edit: (file, old_text, new_text) => ({
      name: "editor",
      input: { path: path.join(folder, file), old_text, new_text },
    }),
    run: (command) => ({ name: "run_commands", input: { commands: [command] } }),
    helper: (task) => ({ name: "spawn_agent", input: { systemPrompt: "You count files.", task } }),
  }),
  env: () => ({
    CLINE_TELEMETRY_DISABLED: "1",
    DO_NOT_TRACK: "1",
    CLINE_PROVIDER: "openai-compatible",
    CLINE_API_KEY: "none",
    CLINE_MODEL: "small",
  }),
  beside: ({ tools }) => !tools?.length,

  async talk(desk) {
    const address = `${desk.model.address}/v1`;
    await desk.run("auth", "-p", "openai-compatible", "-k", "none", "-m", "small", "-b", address);
    const server = new Server(desk, "--auto-approve", "true", "--acp");
    await server.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const begin = async () => (await server.ask("session/new", { cwd: desk.folder, mcpServers: [] })).sessionId;
    const say = (sessionId, text) => server.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    const begun = desk.session(await begin());
    for (const text of [RULE, FIX, HELP, FRENCH]) await desk.say(begun, text, (said) => say(begun.id, said));
    const other = desk.session(await begin());
    await desk.say(other, KOREAN, (said) => say(other.id, said));
    await server.close();
  },

  files(desk) {
    const files = desk.files(this.root, (name) => /^sessions\/.*\.json$/.test(name), (record) => record);
    for (const [name, text] of Object.entries(files)) {
      const said = JSON.parse(text);
      // What it tells its model of itself.
      for (const of of [said, said.metadata ?? {}]) {
        for (const key of ["system_prompt", "systemPrompt"]) if (key in of) of[key] = shortened(of[key]);
      }
      files[name] = JSON.stringify(said, null, 2);
    }
    return files;
  },
};
