// The agents that are run.

import { claude } from "./claude.mjs";
import { cline } from "./cline.mjs";
import { codex } from "./codex.mjs";
import { gemini } from "./gemini.mjs";
import { opencode } from "./opencode.mjs";

export const agents = [claude, codex, gemini, opencode, cline];
