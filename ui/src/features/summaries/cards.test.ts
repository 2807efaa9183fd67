// Which summaries are shown as one card, and which are in use.
import { describe, expect, it } from "vitest";
import { beginningOf, cardsOf, charsOf, savedPercent, targetOf, type Summary } from "./cards";

const summary = (id: string, start: number, count: number, version: number, how: Partial<Summary> = {}): Summary => ({
  id,
  conversation_id: "c",
  policy: "segments",
  level: 1,
  version,
  status: "COMPLETED",
  coverage: { start, count, last: `m${start + count - 1}` },
  covered_token_count: 10,
  turns: null,
  original_chars: 100,
  summary_chars: 30,
  compression_rate: 0.3,
  summary: id,
  model: "m",
  usage: null,
  cost: null,
  edited: false,
  fault: null,
  unfolded_at: null,
  receipt: { lines: [], kept: [], dropped: [], constraints: [], retention: null, cut: false },
  created_at: "2026-11-22T00:00:00Z",
  finished_at: "2026-11-22T00:00:01Z",
  ...how,
});

describe("cards", () => {
  it("hold the versions of one stretch, newest place first, and keep apart what is replaced", () => {
    const records = [
      summary("rolling", 0, 4, 1, { policy: "rolling" }),
      summary("first", 0, 6, 1),
      summary("second", 0, 6, 2),
      summary("next", 6, 6, 1),
      summary("broken", 6, 6, 2, { status: "FAILED" }),
      summary("missing", 12, 6, 1, { status: "FAILED" }),
      summary("coming", 18, 6, 1, { status: "IN_PROGRESS" }),
    ];
    // The older version holds: what is in use is said by the host, not by the highest number.
    const { here, replaced } = cardsOf({ records, shown: ["first", "next"] });
    const told = here.map(({ current, making, failed, inUse }) => [current?.id, making?.id, failed?.id, inUse]);
    expect(told).toEqual([
      [undefined, "coming", undefined, false],
      [undefined, undefined, "missing", false],
      ["next", undefined, "broken", true],
      ["first", undefined, undefined, true],
    ]);
    expect(here[3]!.versions.map(({ id }) => id)).toEqual(["second", "first"]);
    expect(replaced.map(({ current }) => current?.id)).toEqual(["rolling"]);
  });

  it("say a failure only while nothing newer was made there, and not where another summary covers it", () => {
    const records = [
      summary("failed", 0, 6, 1, { status: "FAILED" }),
      summary("made", 0, 6, 2),
      summary("covered", 2, 2, 1, { status: "FAILED" }),
    ];
    const { here, replaced } = cardsOf({ records, shown: ["made"] });
    expect(here.map(({ failed }) => failed)).toEqual([null]);
    expect(replaced.map(({ failed }) => failed?.id)).toEqual(["covered"]);
  });
});

describe("the numbers of seed 003", () => {
  it("cut the target off as int() does, and count characters as people do", () => {
    // summary length: int(original_chars * rate); 180 * 0.35 is 62.99… in floating point.
    expect([targetOf(1500, 0.3), targetOf(33, 0.3), targetOf(180, 0.35)]).toEqual([450, 9, 62]);
    expect([savedPercent(2400, 720), savedPercent(100, 130), savedPercent(0, 5)]).toEqual([70, -30, 0]);
    expect(charsOf("요약 🪨")).toBe(4);
  });
});

describe("the beginning of a summary", () => {
  it("is one line, and ends between words where there are any", () => {
    expect(beginningOf(" Agreed:\n- port 5433 \n")).toBe("Agreed: port 5433");
    expect(beginningOf("## Now\n> **once** only, in `src/a_b.rs` - not 2 * 3")).toBe("Now once only, in src/a_b.rs - not 2 * 3");
    const long = beginningOf("word ".repeat(40));
    expect(long).toMatch(/^(word )+word…$/);
    expect(charsOf(long)).toBeLessThan(82);
    expect(beginningOf("가".repeat(200))).toBe(`${"가".repeat(80)}…`);
    expect(beginningOf("😀".repeat(81))).toBe(`${"😀".repeat(80)}…`);
  });
});
