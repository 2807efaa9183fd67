// Claude Code, one program a turn.

import path from "node:path";

import { shortened } from "./desk.mjs";
import { FIX, FRENCH, HELP, KOREAN, RULE } from "./shop.mjs";

export const claude = {
  name: "claude-code",
  package: "@anthropic-ai/claude-code",
  program: "claude",
  root: ".claude",
  tools: (folder) => ({
    read: (file) => ({ name: "Read", input: { file_path: path.join(folder, file) } }),
    edit: (file, old_string, new_string) => ({
      name: "Edit",
      input: { file_path: path.join(folder, file), old_string, new_string },
    }),
    run: (command) => ({ name: "Bash", input: { command, description: "Looks" } }),
    helper: (prompt) => ({
      name: "Agent",
      input: { description: "Count files", prompt, subagent_type: "general-purpose", run_in_background: false },
    }),
  }),
  env: (address) => ({
    ANTHROPIC_BASE_URL: address,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  beside: ({ tools, messages }) =>
    !tools?.length || /create a detailed summary/.test(JSON.stringify(messages.at(-1))),
  summary: (text) => `<analysis>What counts.</analysis>\n<summary>${text}</summary>`,
  resume: (id, prompt) => ["--resume", id, "-p", prompt],

  async talk(desk) {
    const ask = async (...words) =>
      JSON.parse(await desk.run("--output-format", "json", "--allowedTools", "Read Edit Bash Agent", ...words));
    const begun = desk.session();
    begun.id = (await desk.say(begun, RULE, (said) => ask("-p", said))).session_id;
    const file = `.claude/projects/-home-kim-shop/${begun.id}.jsonl`;
    const lines = desk.read(file).trim().split("\n").map(JSON.parse);
    const first = lines.findLast((line) => line.type === "assistant").uuid;
    await desk.say(begun, FIX, (said) => ask("--resume", begun.id, "-p", said));
    // From the first answer again: what was said after it stays in the file, on a branch of its own.
    const taken = begun.turns.splice(1);
    begun.branches = [taken];
    await desk.say(begun, KOREAN, (said) => ask("--resume", begun.id, "--resume-session-at", first, "-p", said));
    await desk.say(begun, HELP, (said) => ask("--resume", begun.id, "-p", said));
    await desk.fold(begun, () => ask("--resume", begun.id, "-p", "/compact"));
    await desk.say(begun, FRENCH, (said) => ask("--resume", begun.id, "-p", said));
  },

  files(desk) {
    const said = ["assistant", "user", "system", "last-prompt", "queue-operation"];
    const cut = (record) => (said.includes(record.type) ? record : shortened(record));
    return desk.files(this.root, (name) => /^projects\/.*\.jsonl?$/.test(name), cut);
  },
};
