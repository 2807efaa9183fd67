// Gives t() the keys of the English files. A new namespace adds its line here.
import type actions from "./en/actions.json";
import type chat from "./en/chat.json";
import type common from "./en/common.json";
import type context from "./en/context.json";
import type drop from "./en/drop.json";
import type errors from "./en/errors.json";
import type file from "./en/file.json";
import type keys from "./en/keys.json";
import type markdown from "./en/markdown.json";
import type palette from "./en/palette.json";
import type rail from "./en/rail.json";
import type search from "./en/search.json";
import type settings from "./en/settings.json";
import type shell from "./en/shell.json";
import type start from "./en/start.json";
import type talk from "./en/talk.json";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common";
    resources: {
      actions: typeof actions;
      chat: typeof chat;
      common: typeof common;
      context: typeof context;
      drop: typeof drop;
      errors: typeof errors;
      file: typeof file;
      keys: typeof keys;
      markdown: typeof markdown;
      palette: typeof palette;
      rail: typeof rail;
      search: typeof search;
      settings: typeof settings;
      shell: typeof shell;
      start: typeof start;
      talk: typeof talk;
    };
  }
}
