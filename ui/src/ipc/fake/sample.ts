// The sample project of the fake: a small folder and a recorded conversation with a branch, in the window's language.
import type { SampleOpened } from "../bindings";
import * as projects from "./projects";
import { now, type State } from "./state";
import * as tree from "./tree";

const WORDS = {
  en: {
    rules: "# House rules\n\nAnswer briefly. Quote the file a number comes from.\n",
    notes: "# Tides\n\nHigh water at 06:12 and 18:40.\n",
    title: "A first look at the tide tables",
    question: "When is high water?",
    answers: ["At **06:12** and **18:40**, says notes.md.", "Twice a day: 06:12 and 18:40."],
  },
  ko: {
    rules: "# 규칙\n\n짧게 답하고, 숫자가 나온 파일을 인용한다.\n",
    notes: "# 물때\n\n만조는 06:12와 18:40이다.\n",
    title: "물때표 처음 보기",
    question: "만조는 언제야?",
    answers: ["notes.md에는 **06:12**와 **18:40**이라고 되어 있어요.", "하루 두 번, 06:12와 18:40이에요."],
  },
};

export function open(state: State): SampleOpened {
  const language = state.settings.language === "system" ? (state.options.language ?? "en") : state.settings.language;
  const { rules, notes, title, question, answers } = WORDS[language];
  const path = `/home/ada/.local/share/siltstone/samples/${language}`;
  state.options.folders = { ...state.options.folders, [path]: { files: { "AGENTS.md": rules, "notes.md": notes } } };
  const project = projects.open(state, { path, trust: "trusted", this_computer_only: null });
  const earlier = state.samples.get(language);
  if (earlier !== undefined && state.conversations.has(earlier)) return { project, conversation_id: earlier };
  const conversation = tree.create(state, project.id);
  conversation.title = title;
  conversation.title_source = "person";
  const asked = tree.add(state, conversation, { role: "user", parent_id: null, created_at: now(state) }, question);
  for (const answer of answers) {
    tree.add(state, conversation, { role: "assistant", parent_id: asked.id, model: "claude-haiku-4" }, answer);
  }
  state.samples.set(language, conversation.id);
  state.emit({ type: "projects" }, { type: "conversations" });
  return { project, conversation_id: conversation.id };
}
