// Code to coloured runs. Loaded on demand by CodeBlock, so that the grammars are not part of the
// first paint. lowlight gives a tree, never an HTML string; tokens without a colour of their own
// are merged into their neighbours to keep the number of elements low.
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

export type Tone = "keyword" | "string" | "number" | "comment" | "title" | "type" | "added" | "removed";
export interface Run {
  text: string;
  tone: Tone | null;
}

/** A pasted log of this size is not worth freezing the window for. */
const MAX_LENGTH = 60_000;
const MAX_CACHED = 200;

const lowlight = createLowlight({
  bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, markdown,
  python, rust, sql, swift, typescript, xml, yaml,
});
lowlight.registerAlias({ bash: ["console", "shell"], ini: ["toml"], json: ["jsonc"], xml: ["vue"] });

const TONES: Record<string, Tone> = {
  keyword: "keyword", literal: "keyword", "selector-tag": "keyword", name: "keyword", tag: "keyword",
  string: "string", regexp: "string", "template-tag": "string", code: "string", link: "string",
  number: "number", symbol: "number", bullet: "number",
  comment: "comment", quote: "comment", doctag: "comment", meta: "comment",
  title: "title", section: "title", attr: "title", attribute: "title", property: "title",
  type: "type", built_in: "type", "selector-class": "type", "selector-id": "type", variable: "type",
  addition: "added", deletion: "removed",
};

type Tree = ReturnType<typeof lowlight.highlight>;
type Child = Tree["children"][number];

const cache = new Map<string, Run[]>();

/** Null when the language is unknown or the code too long: it is then shown plain. */
export function highlight(language: string, code: string): Run[] | null {
  if (code.length > MAX_LENGTH || !lowlight.registered(language)) return null;
  const key = `${language}\n${code}`;
  const known = cache.get(key);
  if (known) return known;
  const runs: Run[] = [];
  lowlight.highlight(language, code).children.forEach((child) => flatten(child, null, runs));
  const oldest = cache.keys().next();
  if (cache.size >= MAX_CACHED && !oldest.done) cache.delete(oldest.value);
  cache.set(key, runs);
  return runs;
}

function flatten(node: Child, tone: Tone | null, runs: Run[]): void {
  if (node.type === "text") {
    const last = runs.at(-1);
    // White space has no colour: joining it to the run before saves an element.
    if (last && (last.tone === tone || node.value.trim() === "")) last.text += node.value;
    else runs.push({ text: node.value, tone });
  } else if (node.type === "element") {
    const names = node.properties.className;
    const name = Array.isArray(names) ? String(names[0]).replace("hljs-", "") : "";
    node.children.forEach((child) => flatten(child, TONES[name] ?? tone, runs));
  }
}
