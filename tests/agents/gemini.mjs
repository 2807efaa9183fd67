// Gemini CLI, one program a turn.

import path from "node:path";

import { FIX, FRENCH, KOREAN, RULE } from "./shop.mjs";

const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

export const gemini = {
  name: "gemini-cli",
  package: "@google/gemini-cli",
  program: "gemini",
  root: ".gemini",
  tools: (folder) => ({
    read: (file) => ({ name: "read_file", input: { file_path: path.join(folder, file) } }),
    edit: (file, old_string, new_string) => ({
      name: "replace",
      input: { file_path: path.join(folder, file), old_string, new_string, instruction: "Count the quantity" },
    }),
    run: (command) => ({ name: "run_shell_command", input: { command } }),
  }),
  env: (address) => ({
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: address,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }),
  beside: ({ tools }) => !tools?.length,
  summary: (text) => `<state_snapshot>${text}</state_snapshot>`,
  resume: (id, prompt) => ["-m", "gemini-2.5-pro", "--resume", id, "-p", prompt],

  prepare(desk) {
    desk.write(".gemini/settings.json", SETTINGS);
    // As it is where it was ever started in the folder.
    desk.write(".gemini/projects.json", { projects: { [desk.folder]: "shop" } });
  },

  async talk(desk) {
    const ask = async (...words) =>
      JSON.parse(await desk.run("-m", "gemini-2.5-pro", "-y", "--output-format", "json", ...words));
    const begun = desk.session();
    begun.id = (await desk.say(begun, RULE, (said) => ask("-p", said))).session_id;
    await desk.say(begun, FIX, (said) => ask("--resume", begun.id, "-p", said));
    await desk.say(begun, KOREAN, (said) => ask("--resume", begun.id, "-p", said));
    desk.write(".gemini/settings.json", { ...SETTINGS, model: { compressionThreshold: 0.0001 } });
    await desk.fold(begun, () => desk.say(begun, FRENCH, (said) => ask("--resume", begun.id, "-p", said)));
  },

  files(desk) {
    return desk.files(this.root, (name) => name === "projects.json" || /^tmp\/.*\/(chats\/|\.project_root$)/.test(name), (record) => record);
  },
};
