// Prices, costs and the monthly limit of the fake, by the rules of the real ones.
import type { Price, PricedModel, Spending, SpentOn } from "../bindings";
import { isLocal } from "./keys";
import { failure, now, type State } from "./state";

const BUILT_IN: Record<string, Price> = {
  "claude-opus-4": { input: 15_000_000, cached_input: 1_500_000, cache_write: 18_750_000, output: 75_000_000 },
  "claude-haiku-4": { input: 1_000_000, cached_input: 100_000, cache_write: 1_250_000, output: 5_000_000 },
  "gpt-5-mini": { input: 250_000, cached_input: 25_000, cache_write: null, output: 2_000_000 },
};
const FREE: Price = { input: 0, cached_input: null, cache_write: null, output: 0 };

export function list({ options, settings }: State): PricedModel[] {
  const listed = (options.hosted ?? []).flatMap(({ models }) => models.filter(({ price }) => price !== null));
  const rows: PricedModel[] = [
    ...Object.entries(BUILT_IN).map(([model, price]) => ({ model, price, source: "built_in" as const })),
    ...listed.map(({ id, price }) => ({ model: id, price: price!, source: "server" as const })),
    ...Object.entries(settings.prices).map(([model, price]) => ({ model, price, source: "person" as const })),
  ];
  return [...new Map(rows.map((row) => [row.model, row])).values()].sort((a, b) => (a.model < b.model ? -1 : 1));
}

/** The person's price, the server's own, nothing on this computer, the built-in one. */
export function priceOf(state: State, name: string, model: string): Price | null {
  const { prices } = state.settings;
  const pattern = Object.keys(prices)
    .filter((key) => key.endsWith("*") && model.startsWith(key.slice(0, -1)))
    .sort((a, b) => b.length - a.length)[0];
  const own = prices[model] ?? (pattern !== undefined ? prices[pattern] : undefined);
  if (own) return own;
  const provider = state.providers.find((known) => known.name === name);
  if (provider?.kind === "offline") return FREE;
  const home = state.options.hosted?.find(({ base_url }) => base_url === provider?.base_url);
  const listed = home?.models.find(({ id }) => id === model)?.price;
  if (listed) return listed;
  return provider && isLocal(provider.base_url) ? FREE : (BUILT_IN[model] ?? null);
}

export function get(state: State): Spending {
  const month = now(state).slice(0, 7);
  const by = new Map<string, SpentOn>();
  for (const { provider, model, opened_at, conversation_id, reply_id } of state.turns.values()) {
    const reply = state.conversations.get(conversation_id)?.messages.get(reply_id);
    if (!reply || !opened_at.startsWith(month)) continue;
    const none = { provider, model, cost: 0, input_tokens: 0, output_tokens: 0, turns: 0, unpriced_turns: 0 };
    const row = by.get(`${provider} ${model}`) ?? none;
    by.set(`${provider} ${model}`, row);
    row.cost += reply.cost ?? 0;
    row.input_tokens += reply.usage?.input_tokens ?? 0;
    row.output_tokens += reply.usage?.output_tokens ?? 0;
    row.turns += 1;
    if (reply.usage && reply.cost === null) row.unpriced_turns += 1;
  }
  const by_model = [...by.values()].sort((a, b) => b.cost - a.cost);
  const limit = state.settings.monthly_limit;
  const allowed = state.allowed.get(month) ?? 0;
  return {
    month,
    cost: by_model.reduce((sum, row) => sum + row.cost, 0),
    limit,
    allowed_until: limit !== null && allowed > limit ? allowed : null,
    unpriced_turns: by_model.reduce((sum, row) => sum + row.unpriced_turns, 0),
    by_model,
  };
}

export function allow(state: State): Spending {
  const { month, cost, limit } = get(state);
  if (limit !== null) {
    const step = Math.max(1, limit);
    state.allowed.set(month, (Math.floor(cost / 1000 / step) + 1) * step);
    state.emit({ type: "settings" });
  }
  return get(state);
}

/** Refuses to ask a model that may cost something once the limit is reached. */
export function withinLimit(state: State, provider: string, model: string): void {
  const { cost, limit, allowed_until } = get(state);
  const price = priceOf(state, provider, model);
  const free = price !== null && price.input + price.output === 0;
  if (limit === null || free || cost < (allowed_until ?? limit) * 1000) return;
  throw failure("limit_reached", `${cost} of ${limit * 1000}`);
}
