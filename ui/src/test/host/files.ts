// Folders on the disk that a test reads and writes as records of texts by their paths.
import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

/** Texts by their paths in a folder; what is set, deleted and read is on the disk. */
export type Files = Record<string, string>;

/** As editors do, whole at once: half a file, or one that another takes the place of meanwhile, is no story of these tests. */
export function write(path: string, text: string | Uint8Array): void {
  const beside = join(tmpdir(), `siltstone-written-${randomUUID()}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(beside, text);
  renameSync(beside, path);
}

/** Puts other words in the place of some in a file. */
export function change(path: string, from: string, to: string): void {
  write(path, readFileSync(path, "utf8").replace(from, to));
}

/** A whole folder, whatever is in it, as it comes along with another one. */
export function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
}

/** Takes a whole folder away. */
export function remove(folder: string): void {
  rmSync(folder, { recursive: true });
}

function under(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => statSync(join(folder, path)).isFile());
}

export function filesIn(folder: string): Files {
  mkdirSync(folder, { recursive: true });
  const is = (path: string | symbol): path is string => typeof path === "string" && existsSync(join(folder, path)) && statSync(join(folder, path)).isFile();
  const read = (path: string | symbol) => (is(path) ? readFileSync(join(folder, path), "utf8") : undefined);
  return new Proxy<Files>(
    {},
    {
      get: (_, path) => read(path),
      has: (_, path) => is(path),
      set: (_, path, text) => {
        write(join(folder, String(path)), String(text));
        return true;
      },
      deleteProperty: (_, path) => {
        rmSync(join(folder, String(path)));
        return true;
      },
      ownKeys: () => under(folder),
      getOwnPropertyDescriptor: (_, path) =>
        is(path) ? { value: read(path), enumerable: true, configurable: true, writable: true } : undefined,
    },
  );
}

const OF_AGENTS = resolve(import.meta.dirname, "../../../../src-tauri/crates/vault/tests/it/files");

/** A session file as another agent wrote it, of those that the reader of them is tested with. */
export function ofAgent(name: string): string {
  return readFileSync(join(OF_AGENTS, name), "utf8");
}

/** A zip of one file. */
export function zip(name: string, text: string): Uint8Array {
  const packed = deflateRawSync(text);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(text), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(Buffer.byteLength(text), 18);
  common.writeUInt16LE(name.length, 22);
  const own = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed]);
  const listed = Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), common, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(own.length, 12);
  return Buffer.concat([own, listed, Buffer.from("PK\x05\x06"), end]);
}
