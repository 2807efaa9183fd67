// Every action with a name: what the keys, the palette and the help know. What an action does is
// said by the screen that can do it (useAction); without one it stays listed, with the reason.
export const ACTIONS = [
  { id: "palette", chord: "Mod+K" },
  { id: "conversations", chord: "Mod+P" },
  { id: "new", chord: "Mod+N" },
  { id: "talk", chord: "" },
  { id: "openFolder", chord: "Mod+O" },
  { id: "search", chord: "Mod+Shift+F" },
  { id: "find", chord: "Mod+F" },
  { id: "attach", chord: "Mod+U" },
  { id: "tune", chord: "" },
  { id: "regenerate", chord: "Mod+Shift+R" },
  { id: "stop", chord: "Escape" },
  { id: "siblingPrevious", chord: "Alt+Left" },
  { id: "siblingNext", chord: "Alt+Right" },
  { id: "context", chord: "Mod+I" },
  { id: "sawReply", chord: "Mod+Shift+I" },
  { id: "summaries", chord: "Mod+Shift+S" },
  { id: "fold", chord: "" },
  { id: "memory", chord: "Mod+M" },
  { id: "save", chord: "Mod+S" },
  { id: "memoryAdd", chord: "" },
  { id: "memoryRefresh", chord: "" },
  { id: "memoryClear", chord: "" },
  { id: "remember", chord: "" },
  { id: "checkpoints", chord: "Mod+Shift+H" },
  { id: "checkpointNow", chord: "Mod+Shift+K" },
  { id: "undo", chord: "Mod+Z" },
  { id: "rail", chord: "Mod+B" },
  { id: "rename", chord: "" },
  { id: "pin", chord: "" },
  { id: "exportMarkdown", chord: "" },
  { id: "exportJson", chord: "" },
  { id: "import", chord: "" },
  { id: "delete", chord: "" },
  { id: "trash", chord: "" },
  { id: "start", chord: "" },
  { id: "settings", chord: "Mod+," },
  { id: "keys", chord: "Mod+/" },
  { id: "zoomIn", chord: "Mod+=" },
  { id: "zoomOut", chord: "Mod+-" },
  { id: "zoomReset", chord: "Mod+0" },
] as const satisfies readonly { id: string; chord: string }[];

export type ActionId = (typeof ACTIONS)[number]["id"];

/** Run even while a dialog is open: they change nothing that the dialog stands on. */
export const OVER_DIALOGS: readonly ActionId[] = ["zoomIn", "zoomOut", "zoomReset"];
