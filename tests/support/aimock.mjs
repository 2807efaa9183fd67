// aimock: speaks the providers' wire formats from fixtures and keeps a journal of what it was really asked.
//
// Prints its address as its only line on stdout and serves until its standard input closes, so that it never outlives
// the test that started it. Fixtures come over `POST /__aimock/fixtures`, the journal is `GET /__aimock/journal`. What the
// journal does not tell: `GET /received` gives every request with its headers and its body as they arrived, where the
// journal blacks keys out and knows one format only; `GET /dropped` counts the answers whose client hung up before
// their end.

import diagnostics from "node:diagnostics_channel";
import fs from "node:fs";

import { LLMock } from "@copilotkit/aimock";

let dropped = 0;
const received = [];
diagnostics.subscribe("http.server.request.start", ({ request, response, server }) => {
  // Else a connection that is closed for being idle meets a request that is on its way.
  server.keepAliveTimeout = 0;
  const pieces = [];
  received.push({ method: request.method, path: request.url, headers: request.rawHeaders, pieces });
  const push = request.push;
  request.push = (piece, ...rest) => {
    if (piece) pieces.push(piece);
    return push.call(request, piece, ...rest);
  };
  response.once("close", () => {
    if (!response.writableFinished) dropped += 1;
  });
});

const json = (response, body) => {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  return true;
};

const mock = new LLMock({ host: "127.0.0.1", port: 0, strict: true, chunkSize: 8, latency: 5 });
mock.mount("/dropped", {
  async handleRequest(_request, response) {
    response.end(String(dropped));
    return true;
  },
});
const told = () => received.map(({ pieces, ...head }) => ({ ...head, body: Buffer.concat(pieces).toString() }));
mock.mount("/received", {
  async handleRequest(_request, response) {
    return json(response, told());
  },
});
// aimock answers questions in Gemini's and Ollama's formats, but not what models there are and how much they hold.
mock.mount("/v1beta/models", {
  async handleRequest(request, response, path) {
    if (request.method !== "GET" || path !== "/") return false;
    const chat = { name: "models/gemini-2.0-flash", inputTokenLimit: 1048576, supportedGenerationMethods: ["generateContent"] };
    const embed = { name: "models/embedding-001", inputTokenLimit: 2048, supportedGenerationMethods: ["embedContent"] };
    return json(response, { models: [chat, embed] });
  },
});
mock.mount("/api/show", {
  async handleRequest(_request, response) {
    return json(response, { capabilities: ["completion", "vision", "tools"], model_info: { "general.architecture": "llama", "llama.context_length": 131072 } });
  },
});
console.log(await mock.start());
process.stdin.resume();
process.stdin.on("end", () => {
  // For whoever looks into a test that failed.
  const folder = process.env.SILTSTONE_FAILED;
  if (folder) fs.writeFileSync(`${folder}/asked-${process.pid}.json`, JSON.stringify(told(), null, 1));
  process.exit(0);
});
