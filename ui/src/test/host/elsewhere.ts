// Computers elsewhere, as far as the program can tell: a proxy that leads every name to one server of the test, with
// certificates that the program is told to trust. They were made for these names alone, and hold for a hundred years.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";

/** The file with who vouches for them. */
export const CERTIFICATES = join(import.meta.dirname, "elsewhere-ca.pem");

/** What the program's environment has to say so that its requests arrive here. */
export interface Elsewhere {
  env: Record<string, string>;
  end: () => void;
}

export async function elsewhere(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Elsewhere> {
  const pem = readFileSync(join(import.meta.dirname, "elsewhere.pem"));
  const secure = createSecure({ key: pem, cert: pem }, answer);
  const open = new Set<Socket>();
  const proxy = createServer().on("connect", (_: IncomingMessage, socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => {});
    socket.write("HTTP/1.1 200 Connected\r\n\r\n");
    secure.emit("connection", socket);
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  const { port } = proxy.address() as AddressInfo;
  return {
    env: { HTTPS_PROXY: `http://127.0.0.1:${port}`, SSL_CERT_FILE: CERTIFICATES },
    end: () => {
      open.forEach((socket) => socket.destroy());
      proxy.close();
    },
  };
}
