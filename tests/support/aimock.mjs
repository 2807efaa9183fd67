// aimock: speaks the providers' wire formats from fixtures and keeps a journal of what it was really asked.
//
// Prints its address as its only line on stdout and serves until its standard input closes, so that it never outlives
// the test that started it. Fixtures come over `POST /__aimock/fixtures`, the journal is `GET /__aimock/journal`;
// `GET /dropped` counts the answers whose client hung up before their end, which the journal does not tell.

import diagnostics from "node:diagnostics_channel";

import { LLMock } from "@copilotkit/aimock";

let dropped = 0;
diagnostics.subscribe("http.server.request.start", ({ response }) => {
  response.once("close", () => {
    if (!response.writableFinished) dropped += 1;
  });
});

const mock = new LLMock({ host: "127.0.0.1", port: 0, strict: true, chunkSize: 8, latency: 5 });
mock.mount("/dropped", {
  async handleRequest(_request, response) {
    response.end(String(dropped));
    return true;
  },
});
console.log(await mock.start());
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
