import { describe, expect, it } from "vitest";
import type { VaultItem } from "@/ipc";
import { projectOf } from "./project";
import { byDay, EVERYTHING, foldersOf, wanted } from "./sessions";

const item = (id: string, more: Partial<VaultItem> = {}) =>
  ({ id, agent: "codex", title: id, folder: "/code/shop", started_at: null, ended_at: null, ...more }) as VaultItem;

const ITEMS = [
  item("Retry the queue", { ended_at: "2026-05-20T12:00:00Z" }),
  item("재시도 고치기", { ended_at: "2026-05-20T11:00:00Z", agent: "claude-code" }),
  item("Old", { ended_at: "2026-05-01T11:00:00Z", folder: "/code/web" }),
  item("", {}),
];

describe("the list of sessions", () => {
  it("is of those that are wanted, in either order", () => {
    const found = (filter: Partial<typeof EVERYTHING>) => wanted(ITEMS, { ...EVERYTHING, ...filter }).map(({ id }) => id);
    expect(found({ words: "ㅈㅅㄷ" })).toEqual(["재시도 고치기"]);
    expect(found({ agent: "claude-code" })).toEqual(["재시도 고치기"]);
    expect(found({ folder: "/code/web", words: "old" })).toEqual(["Old"]);
    expect(found({ order: "oldest" })).toEqual(["", "Old", "재시도 고치기", "Retry the queue"]);
  });

  it("has a line over each day, and over those of which nobody knows it", () => {
    const lines = byDay(ITEMS);
    expect(lines.map(({ type }) => type)).toEqual(["day", "session", "session", "day", "session", "day", "session"]);
    expect(lines.filter((line) => line.type === "day").at(-1)).toMatchObject({ at: null });
    expect(new Set(lines.map(({ key }) => key)).size).toBe(lines.length);
  });

  it("counts its folders, and finds the nearest project around one", () => {
    expect(foldersOf(ITEMS)).toEqual([["/code/shop", 3], ["/code/web", 1]]);
    const projects = ["/code", "/code/shop"].map((path) => ({ id: path, name: path, path }));
    expect(projectOf(projects, "/code/shop/src")?.id).toBe("/code/shop");
    expect(projectOf(projects, "/code/shopping")?.id).toBe("/code");
    expect(projectOf(projects, "/elsewhere")).toBeNull();
    expect(projectOf(projects, null)).toBeNull();
  });
});
