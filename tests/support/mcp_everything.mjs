// The reference server of the Model Context Protocol with all its features, over HTTP on a free port.
//
// Prints its address as its only line on stdout and serves until its standard input closes, so that it never outlives
// the test that started it. Over input and output, tests start its own program instead.

import { createServer } from "node:net";

const port = await new Promise((done) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => done(port));
  });
});
process.env.PORT = String(port);
process.argv.push("streamableHttp");
const print = console.log;
console.log = console.error = () => {};
await import("@modelcontextprotocol/server-everything/dist/index.js");
const address = `http://127.0.0.1:${port}`;
for (;;) {
  const answered = await fetch(`${address}/mcp`).catch(() => undefined);
  if (answered) break;
  await new Promise((again) => setTimeout(again, 20));
}
print(address);
process.stdin.resume().on("end", () => process.exit(0));
