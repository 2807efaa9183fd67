// A model server of the OpenAI format (and, for plain answers, of Anthropic's) within the test's own process: it says what the test's functions make of each
// question, over the real wire, and waits wherever they wait. Nothing here knows the app.
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import type { ModelInfo } from "@/ipc";

/** The last piece of an answer that has reached its greatest length. */
export const CUT = Symbol("cut");

/** A text, or pieces of one with what has to come before the next piece. */
export type Said = string | readonly (string | Promise<unknown> | typeof CUT)[];

/** A call as the model writes it. */
export interface Call {
  name: string;
  /** An object, or exactly this text. */
  arguments: Record<string, unknown> | string;
}

/** A reply that ends in calls. */
export interface Step {
  text?: string;
  thought?: string;
  calls: Call[];
}

/** How a model answers; what is not said is said in a few words. */
export interface Model {
  /** What it answers; otherwise words that no question has, so that no test takes the one for the other. */
  reply?: (question: string, model: string) => Said;
  /** What it does with tools before that, reply by reply. */
  steps?: (question: string) => Step[];
  /** What it thinks before that. */
  thought?: (question: string) => string;
  /** What it makes of a stretch of a conversation that is to become so long. */
  summarise?: (original: string, target: number) => Said;
  /** What vectors wait for. */
  vectors?: () => Promise<unknown>;
  /** The plan that it makes of a goal, and its verdict on work. */
  task?: (asked: string) => unknown;
}

/** A model that the server lists. */
export type Listed = Pick<ModelInfo, "id"> & Partial<ModelInfo>;

/** Thrown by a model's function: the server answers with this status. */
export class Refusal extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** What a reply waits for until the test lets it go. */
export function latch(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((done) => (open = done));
  return { opened, open };
}

interface Message {
  role: "system" | "user" | "assistant" | "tool";
  content: string | null | { type: string; text?: string }[];
  tool_calls?: unknown[];
}

interface Body {
  model: string;
  messages: Message[];
  response_format?: unknown;
  /** Of a request for vectors. */
  input?: string | string[];
}

/** A request as it came in. */
export interface Received {
  path: string;
  key: string | null;
  body: Body;
}

const PROMPTS = resolve(import.meta.dirname, "../../../../src-tauri/crates/engine/prompts");

/** How a prompt of the engine begins, in both languages. */
function beginnings(names: (file: string) => boolean): string[] {
  return ["en", "ko"].flatMap((language) =>
    readdirSync(join(PROMPTS, language))
      .filter(names)
      .map((file) => readFileSync(join(PROMPTS, language, file), "utf8").split(/[{\n]/)[0]!.slice(0, 40)),
  );
}

const CONTINUE = beginnings((file) => file === "continue.md");
const SUMMARY = beginnings((file) => /^summary-(first|merge|next|part|running.*|segment)\.md$/.test(file));

const textOf = ({ content }: Message): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("\n");
/** What the person wrote is the last paragraph, after what was put beside it. */
const questionIn = (message: Message): string => textOf(message).split("\n\n").at(-1)!;
const begins = (text: string, those: readonly string[]) => those.some((one) => text.startsWith(one));

export class ModelServer {
  readonly received: Received[] = [];
  private readonly server;
  private calls = 0;

  private constructor(
    public model: Model,
    private readonly listed: readonly Listed[],
    /** Whom it lets in; everybody without one. */
    public key: string | null,
  ) {
    this.server = createServer((request, response) => void this.answer(request, response));
    // Else one that is closed for being idle meets a request that is on its way.
    this.server.keepAliveTimeout = 0;
  }

  static async start(model: Model, listed: readonly Listed[], key: string | null = null): Promise<ModelServer> {
    const made = new ModelServer(model, listed, key);
    await new Promise<void>((done) => made.server.listen(0, "127.0.0.1", done));
    return made;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** The requests for answers to a person. */
  get questions(): string[] {
    return this.received.filter(({ body }) => body.messages?.length > 0).map(({ body }) => questionIn(body.messages.findLast(({ role }) => role === "user")!));
  }

  /** What it lists, as the program knows it. */
  models(): ModelInfo[] {
    return this.listed.map((one) => ({ context_window: null, window_guessed: false, takes_images: null, takes_files: null, takes_tools: null, price: null, ...one }));
  }

  end(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Answers a request that came in here or through another door. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const path = (request.url ?? "").split("?")[0]!;
    const sent = request.headers.authorization?.replace("Bearer ", "") ?? (request.headers["x-api-key"] as string | undefined) ?? null;
    const body = (text === "" ? {} : JSON.parse(text)) as Body;
    this.received.push({ path, key: sent, body });
    const refuse = (status: number, message: string) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message } }));
    };
    // As those of other programs, it is nowhere but below the version.
    if (!path.includes("/v1")) return refuse(404, "nothing here");
    if (this.key !== null && sent !== this.key) return refuse(401, "wrong key");
    if (path.endsWith("/models")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: this.listed.map(entry) }));
      return;
    }
    if (path.endsWith("/embeddings")) {
      await this.model.vectors?.();
      const data = [body.input].flat().map((_, index) => ({ index, embedding: [1, 0, index] }));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data, usage: { prompt_tokens: data.length } }));
      return;
    }
    if (!/\/(chat\/completions|messages)$/.test(path)) return refuse(404, "nothing here");
    try {
      if (path.endsWith("/messages")) sayAsAnthropic(response, this.model.reply?.(questionIn(body.messages.at(-1)!), body.model) ?? "");
      else await this.speak(body, response);
    } catch (thrown) {
      if (response.headersSent) return void response.destroy();
      if (thrown instanceof Refusal) return refuse(thrown.status, thrown.message);
      refuse(400, String(thrown));
    }
  }

  private async speak({ model, messages, response_format }: Body, response: ServerResponse): Promise<void> {
    const { reply = () => "Said by the model.", steps, thought, summarise, task } = this.model;
    const at = messages.findLastIndex(({ role }) => role === "user");
    const [whole, last] = [textOf(messages[at]!), questionIn(messages[at]!)];
    if (begins(whole, SUMMARY)) {
      const original = whole.slice(whole.indexOf("\n\n") + 2);
      const target = Number(/\b(\d{2,})\b/.exec(whole.slice(0, whole.indexOf("\n\n")))?.[1] ?? 0);
      return this.say(response, summarise?.(original, target) ?? original.slice(0, Math.max(40, Math.floor(original.length / 4))));
    }
    if (response_format !== undefined) return this.say(response, JSON.stringify(task?.(whole) ?? null));
    if (begins(last, CONTINUE)) {
      const begun = messages.slice(0, at).findLast(({ role }) => role === "assistant")!;
      const asked = messages.slice(0, at).findLast(({ role }) => role === "user")!;
      const said = reply(questionIn(asked), model);
      const all = typeof said === "string" ? said : said.filter((piece) => typeof piece === "string").join("");
      return this.say(response, all.slice(textOf(begun).length));
    }
    const step = steps?.(last)[messages.slice(at).filter(({ tool_calls }) => tool_calls !== undefined).length];
    if (step) return this.say(response, step.text ?? "", step.thought, step.calls);
    return this.say(response, reply(last, model), thought?.(last));
  }

  private async say(response: ServerResponse, said: Said, thought = "", calls: readonly Call[] = []): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta: object, finish_reason: string | null = null) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    if (thought !== "") send({ reasoning_content: thought });
    const pieces = typeof said === "string" ? [said] : said;
    for (const piece of pieces) {
      if (typeof piece === "string") send({ content: piece });
      else if (piece !== CUT) await piece;
    }
    const tool_calls = calls.map(({ name, arguments: given }, index) => {
      this.calls += 1;
      return { index, id: `call-${this.calls}`, type: "function", function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given) } };
    });
    if (calls.length > 0) send({ tool_calls });
    send({}, calls.length > 0 ? "tool_calls" : pieces.includes(CUT) ? "length" : "stop");
    response.end("data: [DONE]\n\n");
  }
}

/** A whole answer in Anthropic's format. */
function sayAsAnthropic(response: ServerResponse, said: Said): void {
  const text = typeof said === "string" ? said : said.filter((piece) => typeof piece === "string").join("");
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, rest: object) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  send("message_start", { message: { usage: { input_tokens: 1, output_tokens: 1 } } });
  send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  send("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
  send("content_block_stop", { index: 0 });
  send("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } });
  send("message_stop", {});
  response.end();
}

/** An entry of the list, in the words of a router. */
function entry({ id, context_window, takes_images, takes_files, takes_tools, price }: Listed): object {
  const modalities = ["text", ...(takes_images ? ["image"] : []), ...(takes_files ? ["file"] : [])];
  const says = takes_images !== undefined && takes_images !== null;
  return {
    id,
    ...(context_window && { context_length: context_window }),
    ...(says && { architecture: { input_modalities: modalities } }),
    ...(takes_files === false && { capabilities: { pdf_input: { supported: false } } }),
    ...(takes_tools !== undefined && takes_tools !== null && { supported_parameters: takes_tools ? ["tools"] : [] }),
    ...(price && { pricing: { prompt: String(price.input / 1e12), completion: String(price.output / 1e12) } }),
  };
}
