// `npm run dev` in a plain browser: the program itself behind the page, without its window (`tests/host`), in a data folder
// and a home of its own. Lines go through Vite's own websocket; src/ipc/dev.ts is the page's end.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Plugin } from "vite";

export function programBehind(): Plugin {
  const target = resolve(import.meta.dirname, "..", process.env["CARGO_TARGET_DIR"] ?? "target");
  const program = join(target, "debug/siltstone-host");
  return {
    name: "program-behind",
    apply: (_, { command }) => command === "serve" && process.env["VITEST"] === undefined,
    configureServer({ ws, httpServer, config }) {
      if (!existsSync(program)) {
        config.logger.warn(`${program} is not there: cargo build -p siltstone-test-host makes it`);
        return;
      }
      const home = join(target, "dev/home");
      mkdirSync(home, { recursive: true });
      const start = { data_dir: join(target, "dev/data"), language: "en", start_path: null };
      const child = spawn(program, [JSON.stringify(start)], { env: { ...process.env, HOME: home }, stdio: ["pipe", "pipe", "inherit"] });
      ws.on("siltstone:line", (line: object) => void child.stdin.write(`${JSON.stringify(line)}\n`));
      createInterface({ input: child.stdout }).on("line", (line) => ws.send("siltstone:line", JSON.parse(line) as object));
      httpServer?.once("close", () => child.stdin.end());
    },
  };
}
