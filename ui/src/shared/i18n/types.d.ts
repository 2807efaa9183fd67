// Gives t() the keys of the English files. A new namespace adds its line here.
import type actions from "./en/actions.json";
import type attach from "./en/later/attach.json";
import type backups from "./en/later/backups.json";
import type changes from "./en/later/changes.json";
import type chat from "./en/later/chat.json";
import type checkpoints from "./en/later/checkpoints.json";
import type common from "./en/common.json";
import type context from "./en/later/context.json";
import type copies from "./en/later/copies.json";
import type diff from "./en/later/diff.json";
import type drop from "./en/drop.json";
import type egress from "./en/later/egress.json";
import type errors from "./en/errors.json";
import type file from "./en/later/file.json";
import type keys from "./en/keys.json";
import type markdown from "./en/later/markdown.json";
import type memory from "./en/later/memory.json";
import type palette from "./en/later/palette.json";
import type rail from "./en/rail.json";
import type recall from "./en/later/recall.json";
import type remotes from "./en/later/remotes.json";
import type sealing from "./en/later/sealing.json";
import type search from "./en/later/search.json";
import type settings from "./en/later/settings.json";
import type shell from "./en/shell.json";
import type spending from "./en/later/spending.json";
import type start from "./en/start.json";
import type summaries from "./en/later/summaries.json";
import type talk from "./en/later/talk.json";
import type today from "./en/later/today.json";
import type tools from "./en/tools.json";
import type toolSettings from "./en/later/toolSettings.json";
import type tuning from "./en/later/tuning.json";
import type vault from "./en/later/vault.json";
import type work from "./en/work.json";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common";
    resources: {
      actions: typeof actions;
      attach: typeof attach;
      backups: typeof backups;
      changes: typeof changes;
      chat: typeof chat;
      checkpoints: typeof checkpoints;
      common: typeof common;
      context: typeof context;
      copies: typeof copies;
      diff: typeof diff;
      drop: typeof drop;
      egress: typeof egress;
      errors: typeof errors;
      file: typeof file;
      keys: typeof keys;
      markdown: typeof markdown;
      memory: typeof memory;
      palette: typeof palette;
      rail: typeof rail;
      recall: typeof recall;
      remotes: typeof remotes;
      sealing: typeof sealing;
      search: typeof search;
      settings: typeof settings;
      shell: typeof shell;
      spending: typeof spending;
      start: typeof start;
      summaries: typeof summaries;
      talk: typeof talk;
      today: typeof today;
      tools: typeof tools;
      toolSettings: typeof toolSettings;
      tuning: typeof tuning;
      vault: typeof vault;
      work: typeof work;
    };
  }
}
