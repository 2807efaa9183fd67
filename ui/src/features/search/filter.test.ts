// What a person chooses of a search, as the host takes it: whole days of the person's own time.
import { describe, expect, it } from "vitest";
import { filterOf, isNarrowed, isRange, startOfTyped, UNFILTERED } from "./filter";

const NOW = new Date(2026, 10, 22, 17, 5);
const local = (text: string | null) => {
  if (text === null) return null;
  const date = new Date(text);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate(), date.getHours()].join("-");
};

describe("a filter of a search", () => {
  it("narrows nothing that was not chosen", () => {
    const filter = filterOf(UNFILTERED, null, NOW);
    expect(filter).toEqual({ project_id: null, conversation_id: null, kinds: [], role: null, from: null, before: null });
    expect(isNarrowed(UNFILTERED)).toBe(false);
  });

  it("takes today and the last days from their first hour on", () => {
    const from = (span: "today" | "week" | "month") => local(filterOf({ ...UNFILTERED, span }, null, NOW).from);
    expect([from("today"), from("week"), from("month")]).toEqual(["2026-11-22-0", "2026-11-16-0", "2026-10-24-0"]);
  });

  it("takes both days of a range whole, and leaves an empty end open", () => {
    const range = { ...UNFILTERED, span: "range" as const, from: "2026-05-01", to: "2026-05-31" };
    const both = filterOf(range, "summary", NOW);
    expect([local(both.from), local(both.before), both.kinds]).toEqual(["2026-5-1-0", "2026-6-1-0", ["summary"]]);
    const open = filterOf({ ...range, to: "" }, null, NOW);
    expect([local(open.from), open.before]).toEqual(["2026-5-1-0", null]);
  });

  it("does not search by what is no day, or by an end before its beginning", () => {
    expect(startOfTyped("2026-02-30")).toBeNull();
    expect(isRange({ from: "yesterday", to: "" })).toBe(false);
    expect(isRange({ from: "2026-05-02", to: "2026-05-01" })).toBe(false);
    expect(isRange({ from: "", to: " 2026-05-01 " })).toBe(true);
    const wrong = filterOf({ ...UNFILTERED, span: "range", from: "2026-05-02", to: "2026-05-01" }, null, NOW);
    expect([wrong.from, wrong.before]).toEqual([null, null]);
  });
});
