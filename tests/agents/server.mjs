// A program that is asked over its standard input, a question a line: JSON-RPC, as Codex and the Agent Client Protocol speak
// it.

import { spawn } from "node:child_process";
import readline from "node:readline";

export class Server {
  #waiting = new Map();
  #heard = [];
  #wake = () => {};
  #asked = 0;

  constructor({ program, folder, env }, ...words) {
    this.process = spawn(program, words, { cwd: folder, env, stdio: ["pipe", "pipe", "ignore"] });
    readline.createInterface({ input: this.process.stdout }).on("line", (line) => {
      const said = JSON.parse(line);
      const waits = said.method ? undefined : this.#waiting.get(said.id);
      this.#waiting.delete(said.id);
      if (waits) waits(said);
      else this.#heard.push(said.method);
      this.#wake();
    });
  }

  tell(message) {
    this.process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async ask(method, params) {
    const id = (this.#asked += 1);
    const answer = new Promise((done) => this.#waiting.set(id, done));
    this.tell({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await answer;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Waits until it says this, once for each time. */
  async hears(method) {
    while (!this.#heard.includes(method)) await new Promise((done) => (this.#wake = done));
    this.#heard.splice(this.#heard.indexOf(method), 1);
  }

  async close() {
    const gone = new Promise((done) => this.process.once("close", done));
    this.process.stdin.end();
    await gone;
  }
}
