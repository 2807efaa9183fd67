// What a key press costs the bar beside React: from a preview of 1,000 sections to what is drawn. `npx vitest bench --run`
import { bench } from "vitest";
import type { Section, SectionKind } from "@/ipc";
import { tickOf } from "./tick";
import { blocksOf, isExact } from "./view";

const section = (kind: SectionKind, index: number): Section => ({
  id: `${kind}:${index}`,
  kind,
  role: "user",
  source: "conversation",
  link: null,
  text: "The session module refreshes its token after thirty minutes. ".repeat(10),
  parts: [],
  tokens: 100 + (index % 50),
  exact: true,
  reason: { code: "recent" },
  pinned: false,
  messages: [],
  turns: null, redacted: [],
});

const pieces = Array.from({ length: 1_000 }, (_, index) => {
  if (index < 10) return section("memory", index);
  return section(index < 990 ? "turn" : "passage", index);
});

bench("the bar of 1,000 sections", () => {
  blocksOf(pieces);
  isExact(pieces);
  tickOf({ unit: "turns", left: 2 }, { pieces, tokens: 124_500 });
});
