// Splits a growing Markdown text into top-level blocks. All but the last are closed: nothing that
// arrives later can change them, so a streaming reply re-renders one block. The result depends on
// the text alone; `previous` only saves work.
import { blockStarts, definitions, type References } from "./parse";

export interface Split {
  blocks: readonly string[];
  /** Link definitions of the closed blocks; the same object while they stay the same. */
  references: References;
}

export const EMPTY_SPLIT: Split = { blocks: [], references: {} };

// A definition may stand in a quotation or a list, and its label may be several lines long.
const DEFINITION = "]:";

export function splitBlocks(text: string, previous: Split = EMPTY_SPLIT): Split {
  const source = text.replace(/\r\n?/g, "\n");
  const blocks = reusable(source, previous);
  const kept = blocks.length;
  const start = blocks.reduce((sum, block) => sum + block.length, 0);

  // Only complete lines may close a block: "#" behind a paragraph is a heading until "#x" arrives.
  const complete = source.slice(start, source.lastIndexOf("\n") + 1);
  const lineOffsets = [0];
  for (let at = complete.indexOf("\n"); at >= 0; at = complete.indexOf("\n", at + 1)) {
    lineOffsets.push(at + 1);
  }
  let from = start;
  for (const line of blockStarts(complete).slice(1)) {
    const to = start + lineOffsets[line]!;
    blocks.push(source.slice(from, to));
    from = to;
  }
  const closed = blocks.length;
  if (from < source.length) blocks.push(source.slice(from));

  let references = previous.references;
  if (kept < previous.blocks.length - 1) references = collect(blocks.slice(0, closed));
  else {
    const added = collect(blocks.slice(kept, closed));
    if (Object.keys(added).length > 0) references = { ...added, ...references };
  }
  return { blocks, references };
}

function reusable(source: string, { blocks }: Split): string[] {
  const kept: string[] = [];
  let at = 0;
  for (const block of blocks.slice(0, -1)) {
    if (!source.startsWith(block, at)) break;
    kept.push(block);
    at += block.length;
  }
  return kept;
}

function collect(blocks: readonly string[]): References {
  let all: References = {};
  for (const block of blocks) {
    if (block.includes(DEFINITION)) all = { ...definitions(block), ...all };
  }
  return all;
}
