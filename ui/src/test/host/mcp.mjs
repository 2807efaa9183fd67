// A small MCP server over standard input and output for tests: it offers the tools that its first argument lists as JSON,
// with the second one as its instructions, and repeats what each is given. With a third one it has a
// resource: the file of that name where it was started, which ends in `.txt` (named whole it would be a part of the server). `mcp` of `index.ts` gives its command line.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const tools = JSON.parse(process.argv[2]);
const instructions = process.argv[3];
const notes = process.argv[4];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, ...(notes && { resources: {} }) },
    serverInfo: { name: "test", version: "1" },
    ...(instructions && { instructions }),
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: tools.map((tool) => ({ inputSchema: { type: "object" }, ...tool })) }),
  "resources/list": () => ({ resources: [{ uri: "notes://tables", name: "Tables", description: "How they are laid out." }] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: readFileSync(`${notes}.txt`, "utf8") }] }),
  "tools/call": ({ arguments: given }) => ({ content: [{ type: "text", text: JSON.stringify(given) }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params ?? {});
  const told = result ? { result } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...told })}\n`);
});
