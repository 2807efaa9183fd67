// No module needs one that needs it: what is shared lies below both. Types and what is loaded later count as well.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

type Files = ReadonlyMap<string, string>;

const SRC = "src";

const files: Files = new Map(
  readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(SRC, name))
    .map((path) => [path, readFileSync(path, "utf8")]),
);

/** The module that a specifier means; null where it means a package, a style, words, or a text as it stands. */
function resolved(files: Files, from: string, specifier: string): string | null {
  if (!/^(@\/|\.)/.test(specifier) || /\.(css|json)$|\?raw$/.test(specifier)) return null;
  const path = specifier.startsWith("@/") ? join(SRC, specifier.slice(2)) : join(from, "..", specifier);
  const found = [path, `${path}.ts`, `${path}.tsx`, join(path, "index.ts")].find((it) => files.has(it));
  if (found === undefined) throw new Error(`${from} imports ${specifier}, which is no module`);
  return found;
}

function imports(files: Files, path: string): string[] {
  return ts.preProcessFile(files.get(path)!).importedFiles.flatMap(({ fileName }) => resolved(files, path, fileName) ?? []);
}

/** Every circle that a walk through all imports closes, from the module it came back to. */
function circles(files: Files): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const walk = (path: string) => {
    const at = way.indexOf(path);
    if (at >= 0) found.push([...way.slice(at), path].join(" → "));
    if (at >= 0 || done.has(path)) return;
    way.push(path);
    imports(files, path).forEach(walk);
    way.pop();
    done.add(path);
  };
  [...files.keys()].forEach(walk);
  return found;
}

describe("imports", () => {
  it("go in no circle", () => {
    expect(files.size).toBeGreaterThan(200);
    expect(circles(files)).toEqual([]);
  });

  it.each([
    ["a value", 'import { later } from "@/shared/later";'],
    ["a type", 'import type { Part } from "../shared/later";'],
    ["what is loaded later", 'export const load = () => import("@/shared/later");'],
    ["what is passed on", 'export * from "@/shared/later";'],
  ])("are refused where %s closes one", (_, planted) => {
    const texts = new Map(files);
    texts.set("src/ipc/planted.ts", planted);
    texts.set("src/shared/later.ts", `${files.get("src/shared/later.ts")}\nimport "@/ipc/planted";`);
    const [circle] = circles(texts);
    expect(circle?.split(" → ").sort()).toEqual(expect.arrayContaining(["src/ipc/planted.ts", "src/shared/later.ts"]));
  });
});
