// A model on loopback that says what a script says, in the wire formats of all agents, and remembers what it was asked.
//
// A script is a list of turns: words that stand in what a person says, and the replies to it, one a round of tools. Which
// turn is asked is looked up in the newest message of a person that holds any of them; which round, in how many replies
// stand behind it. What agents ask beside a turn (a title, a check of the folder) gets a short answer and is not counted.

import diagnostics from "node:diagnostics_channel";
import path from "node:path";
import { createRequire } from "node:module";

const support = path.join(import.meta.dirname, "../support");
const { LLMock } = createRequire(path.join(support, "package.json"))("@copilotkit/aimock");

const text = ({ content }) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");

/** What each wire calls tokens: those of other wires are not read. */
const usage = ({ asked, answered }) => ({
  prompt_tokens: asked,
  completion_tokens: answered,
  input_tokens: asked,
  output_tokens: answered,
  total_tokens: asked + answered,
  promptTokenCount: asked,
  candidatesTokenCount: answered,
  totalTokenCount: asked + answered,
});

/** Bodies as they came, whatever the wire. */
function listen() {
  const bodies = [];
  diagnostics.subscribe("http.server.request.start", ({ request }) => {
    const pieces = [];
    bodies.push({ path: request.url, pieces });
    const push = request.push;
    request.push = (piece, ...rest) => {
      if (piece) pieces.push(piece);
      return push.call(request, piece, ...rest);
    };
  });
  return () => bodies.map((it) => ({ path: it.path, body: Buffer.concat(it.pieces).toString() }));
}

/** The turn that is asked, and which of its replies is next; none where an agent asks something of its own. */
function asked(script, request) {
  const said = request.messages.map((message) => (message.role === "user" ? text(message) : ""));
  for (let at = said.length - 1; at >= 0; at -= 1) {
    const turn = script.findLast((it) => said[at].includes(it.says));
    if (!turn) continue;
    // One reply may come back as several messages, one a block.
    const after = request.messages.slice(at + 1).map((it) => it.role);
    const round = after.filter((role, place) => role === "assistant" && after[place - 1] !== "assistant").length;
    return { turn, round: Math.min(round, turn.replies.length - 1) };
  }
  return undefined;
}

export async function serve(script) {
  const received = listen();
  const served = [];
  const beside = [];
  const mock = new LLMock({ host: "127.0.0.1", port: 0, strict: true, chunkSize: 64, latency: 0 });
  mock.on({ predicate: () => true }, (request) => {
    const found = script.beside(request) ? undefined : asked(script.turns, request);
    if (!found) {
      beside.push({ asked: 90 + beside.length, answered: 9 });
      return { content: script.otherwise(request), usage: usage(beside.at(-1)) };
    }
    const reply = found.turn.replies[found.round];
    const tokens = { asked: 1000 + 10 * served.length, answered: 20 + served.length, ...reply.tokens };
    const calls = (reply.calls ?? []).map(({ name, input }, at) => ({
      id: `call_${served.length}_${at}`,
      name,
      arguments: JSON.stringify(input),
    }));
    served.push({ says: found.turn.says, round: found.round, text: reply.text ?? "", calls, tokens });
    return {
      content: reply.text ?? "",
      ...(reply.thinks ? { reasoning: reply.thinks } : {}),
      ...(calls.length ? { toolCalls: calls } : {}),
      usage: usage(tokens),
    };
  });
  const address = await mock.start();
  return { address, served, beside, received, stop: () => mock.stop() };
}
