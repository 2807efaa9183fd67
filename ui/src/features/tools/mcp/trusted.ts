// How each server was reached when this window last saw it trusted: so that a changed one can be shown beside what it
// was. The host forgets that with the trust. No secret is in a transport.
import { create } from "zustand";
import { persist } from "zustand/middleware";
import type { McpItem, McpTransport } from "@/ipc";
import { NO_NEEDS } from "./transport";

interface Trusted {
  transports: Record<string, McpTransport | undefined>;
}

/** What an older version remembered, which knew no needs. */
function newer(older: unknown): Trusted {
  const { transports } = older as Trusted;
  const whole = Object.entries(transports).map(([key, transport]) => [
    key,
    transport?.by === "stdio" ? { ...transport, needs: transport.needs ?? NO_NEEDS } : transport,
  ]);
  return { transports: Object.fromEntries(whole) as Trusted["transports"] };
}

const useTrusted = create<Trusted>()(
  persist((): Trusted => ({ transports: {} }), { name: "siltstone.trusted-servers", version: 1, migrate: newer }),
);

/** What a server is told from others by. */
export function keyOf({ server: { project_id, name } }: McpItem): string {
  return `${project_id ?? ""} ${name}`;
}

export function rememberTrusted(items: readonly McpItem[]): void {
  const seen = items.filter(({ trusted }) => trusted).map((item) => [keyOf(item), item.server.transport] as const);
  if (seen.length === 0) return;
  useTrusted.setState(({ transports }) => ({ transports: { ...transports, ...Object.fromEntries(seen) } }));
}

/** One that is removed was never trusted, should the same name come again. */
export function forgetTrusted(item: McpItem): void {
  useTrusted.setState(({ transports }) => ({ transports: { ...transports, [keyOf(item)]: undefined } }));
}

/** What was trusted of a server that is not trusted any more; undefined when this window never saw it. */
export function useWasTrusted(item: McpItem): McpTransport | undefined {
  const was = useTrusted(({ transports }) => transports[keyOf(item)]);
  return item.trusted ? undefined : was;
}
