// Codex, over the protocol of its app server.

import { shortened } from "./desk.mjs";
import { Server } from "./server.mjs";
import { FIX, FRENCH, KOREAN, RULE } from "./shop.mjs";

export const codex = {
  name: "codex",
  package: "@openai/codex",
  program: "codex",
  root: ".codex",
  tools: () => ({
    read: (file) => ({ name: "exec_command", input: { cmd: `cat ${file}` } }),
    edit: (file, before, after) => ({
      name: "exec_command",
      input: { cmd: `sed -i 's/${before}/${after}/' ${file}` },
    }),
    run: (cmd) => ({ name: "exec_command", input: { cmd } }),
  }),
  env: () => ({ OPENAI_API_KEY: "none" }),
  beside: ({ tools, messages }) => !tools?.length || /CHECKPOINT COMPACTION/.test(JSON.stringify(messages.at(-1))),
  resume: (id, prompt) => ["exec", "resume", "--skip-git-repo-check", id, prompt],

  prepare(desk) {
    const server = `name = "loopback"\nbase_url = "${desk.model.address}/v1"\nwire_api = "responses"\n`;
    desk.write(
      ".codex/config.toml",
      'model = "gpt-5.5"\nmodel_provider = "loopback"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n' +
        `[model_providers.loopback]\n${server}[analytics]\nenabled = false\n`,
    );
  },

  async talk(desk) {
    const server = new Server(desk, "app-server");
    await server.ask("initialize", {
      clientInfo: { name: "fixtures", version: "1" },
      capabilities: { experimentalApi: true },
    });
    server.tell({ method: "initialized" });
    const turn = async (threadId, text) => {
      const begun = await server.ask("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] });
      await server.hears("turn/completed");
      return begun.turn.id;
    };
    const { thread } = await server.ask("thread/start", { cwd: desk.folder, baseInstructions: "Be brief." });
    const begun = desk.session(thread.id);
    await desk.say(begun, RULE, (said) => turn(thread.id, said));
    await desk.say(begun, FIX, (said) => turn(thread.id, said));
    const last = await desk.say(begun, KOREAN, (said) => turn(thread.id, said));
    await server.ask("thread/revert", { threadId: thread.id, beforeTurnId: last });
    begun.branches = [begun.turns.splice(2)];
    await desk.fold(begun, async () => {
      await server.ask("thread/compact/start", { threadId: thread.id });
      await server.hears("turn/completed");
    });
    await desk.say(begun, FRENCH, (said) => turn(thread.id, said));
    const fork = await server.ask("thread/fork", { threadId: thread.id });
    const forked = desk.session(fork.thread.id, begun);
    forked.folds = begun.folds;
    await desk.say(forked, KOREAN, (said) => turn(forked.id, said));
    await server.close();
  },

  files(desk) {
    const own = /skills_instructions|permissions instructions/;
    const cut = (record) => {
      if (record.type === "world_state" || record.payload.role === "developer") return shortened(record);
      const history = record.payload.replacement_history;
      if (history) record.payload.replacement_history = history.map((it) => (own.test(JSON.stringify(it)) ? shortened(it) : it));
      return record;
    };
    const files = desk.files(this.root, (name) => /^sessions\/.*\.jsonl$/.test(name), cut);
    // A file that goes on from another one says at which byte that was: it is another one now.
    for (const [name, text] of Object.entries(files)) {
      const { history_base: base } = JSON.parse(text.slice(0, text.indexOf("\n"))).payload;
      if (!base) continue;
      const [, from] = Object.entries(files).find(([it]) => it.endsWith(`${base.thread_id}.jsonl`));
      const lines = from.split("\n");
      const before = lines.findIndex((line) => line === "" || JSON.parse(line).ordinal === base.end_ordinal_exclusive);
      const bytes = Buffer.byteLength(lines.slice(0, before).join("\n")) + 1;
      files[name] = text.replace(`"end_byte_offset":${base.end_byte_offset}`, `"end_byte_offset":${bytes}`);
    }
    return files;
  },
};
