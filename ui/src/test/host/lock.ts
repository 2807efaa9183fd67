// A lock of a file that the program locks too, as another process of the program would hold it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { onTestFinished } from "vitest";

/** Holds it together with whoever else only shares it, until the test lets it go or ends. */
export async function lock(path: string): Promise<() => Promise<void>> {
  // The program makes it when it first needs it.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const holder = spawn("flock", ["--shared", path, "sh", "-c", "echo held; exec cat"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(holder, "exit");
  await once(holder.stdout, "data");
  const letGo = async () => {
    holder.stdin.end();
    await ended;
  };
  onTestFinished(letGo);
  return letGo;
}
