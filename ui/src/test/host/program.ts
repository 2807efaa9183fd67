// The program without its window, as `tests/host` builds it: started in a data folder and a home of its own, spoken to
// in lines, and ended with its test. `index.ts` is what tests use of it.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Changed, KeyringState } from "@/ipc";
import { chance } from "../chance";

/** What the program starts with, beside its folders. */
export interface Start {
  language?: "ko" | "en";
  startPath?: string | null;
  /** More for its environment: a proxy, certificates. */
  env?: Record<string, string>;
}

/** What lies outside of the program, and may be another way from now on. */
export interface Surroundings {
  keyring?: KeyringState;
  /** It is open and takes no key. */
  keyring_refuses?: boolean;
  /** There is an encrypted file under this passphrase, and it is closed. */
  vault_locked?: string;
  /** How far the clock is ahead, in seconds. */
  clock_ahead?: number;
}

interface Waiting {
  done: (reply: unknown) => void;
  failed: (failure: unknown) => void;
  onEvent: (event: never) => void;
}

interface Line {
  id?: number;
  reply?: unknown;
  failure?: unknown;
  event?: unknown;
  changed?: Changed;
  ready?: true;
}

/** Of a timer that no test has put another in the place of. */
const sleep = globalThis.setTimeout;

/**
 * Lets what the program says arrive late: each by up to 80 ms by chance, so that what a slow machine shows once in a
 * hundred runs is seen at once. `LATE=seed` asks for it. What belongs to one request stays in its order, as in the
 * window; different requests pass each other.
 */
function delays(): (of: number | null, arrive: () => void) => void {
  const seed = process.env["LATE"];
  if (seed === undefined) return (_, arrive) => arrive();
  const below = chance(Number(seed));
  const last = new Map<number | null, Promise<void>>();
  return (of, arrive) => {
    const before = last.get(of) ?? Promise.resolve();
    const late = new Promise<void>((done) => void sleep(done, below(80)));
    last.set(of, Promise.all([before, late]).then(arrive));
  };
}

const ROOT = resolve(import.meta.dirname, "../../../..");

function binary(): string {
  const path = join(resolve(ROOT, process.env["CARGO_TARGET_DIR"] ?? "target"), "debug/siltstone-host");
  if (!existsSync(path)) throw new Error(`${path} is not there: cargo build -p siltstone-test-host makes it`);
  return path;
}

/** A folder that is a test's own, with a home in it; links are resolved, as the program names what it opened. */
export function makeRoot(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "siltstone-ui-")));
  mkdirSync(join(root, "home"));
  return root;
}

export class Program {
  readonly data: string;
  private readonly child;
  private readonly waiting = new Map<number, Waiting>();
  private tell: (changed: Changed) => void = () => {};
  private readonly ready: Promise<void>;
  private readonly exited: Promise<void>;
  private ended = false;
  private last = 0;
  private said = "";

  constructor(root: string, { language = "en", startPath = null, env = {} }: Start) {
    this.data = join(root, "data");
    const home = join(root, "home");
    const start = { data_dir: this.data, language, start_path: startPath };
    this.child = spawn(binary(), [JSON.stringify(start)], {
      env: { PATH: process.env["PATH"], TZ: process.env["TZ"], HOME: home, USER: "ada", XDG_CONFIG_HOME: join(home, ".config"), NO_PROXY: "127.0.0.1", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stderr.on("data", (text: Buffer) => (this.said += text.toString()));
    // What is written to a program that is gone is told by its end.
    this.child.stdin.on("error", () => {});
    let begun = () => {};
    this.ready = new Promise((done, failed) => {
      begun = done;
      this.child.once("error", failed);
      this.child.once("exit", () => failed(new Error(`the host ended before it began: ${this.said}`)));
    });
    this.ready.catch(() => {});
    this.exited = new Promise((done) => this.child.once("exit", () => done()));
    void this.exited.then(() => this.lost());
    const later = delays();
    const heard = (line: string) => {
      const told = JSON.parse(line) as Line;
      const { id = null, changed } = told;
      if (told.ready) begun();
      else later(id, () => (changed ? this.tell(changed) : this.answered(told)));
    };
    // A line that the program's end cut off is none.
    let rest = "";
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      lines.forEach(heard);
    });
  }

  private answered({ id, reply, failure, event }: Line): void {
    const waiting = this.waiting.get(id!);
    // Nobody waits any more once the test is over.
    if (!waiting || this.ended) return;
    if (event !== undefined) return waiting.onEvent(event as never);
    this.waiting.delete(id!);
    if (failure === undefined) waiting.done(reply);
    else waiting.failed(failure);
  }

  /** Whoever waits hears that the program is gone, unless the test ended it. */
  private lost(): void {
    if (this.ended) return;
    for (const { failed } of this.waiting.values()) failed(new Error(`the host ended: ${this.said}`));
    this.waiting.clear();
  }

  async call(command: string, request: unknown, onEvent: (event: never) => void = () => {}): Promise<unknown> {
    return this.told({ command, request }, onEvent);
  }

  async become(world: Surroundings): Promise<void> {
    await this.told({ world }, () => {});
  }

  private async told(line: object, onEvent: (event: never) => void): Promise<unknown> {
    await this.ready;
    this.last += 1;
    const id = this.last;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed, onEvent });
      this.child.stdin.write(`${JSON.stringify({ id, ...line })}\n`);
    });
  }

  onChanged(listener: (changed: Changed) => void): void {
    this.tell = listener;
  }

  /** Lets it go as when its window is closed. */
  async end(): Promise<void> {
    this.ended = true;
    this.tell = () => {};
    this.child.stdin.end();
    await this.exited;
  }
}
