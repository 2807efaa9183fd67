// Keys of the fake: kept in memory and given to no command, found by name and origin like the real ones.
import type { KeyShown, KeysState, Place, ProviderRecord } from "../bindings";
import { failure, type State, type StoredKey } from "./state";

const KNOWN: readonly (ProviderRecord & { start: string })[] = [
  { start: "sk-ant-", kind: "anthropic", name: "Anthropic", base_url: "https://api.anthropic.com/v1" },
  { start: "sk-or-", kind: "openai", name: "OpenRouter", base_url: "https://openrouter.ai/api/v1" },
  { start: "sk-", kind: "openai", name: "OpenAI", base_url: "https://api.openai.com/v1" },
  { start: "gsk_", kind: "openai", name: "Groq", base_url: "https://api.groq.com/openai/v1" },
  { start: "xai-", kind: "openai", name: "xAI", base_url: "https://api.x.ai/v1" },
  { start: "AIza", kind: "gemini", name: "Gemini", base_url: "https://generativelanguage.googleapis.com/v1beta" },
];

export function recognise(key: string): ProviderRecord | null {
  const found = KNOWN.find(({ start }) => key.trim().startsWith(start));
  return found ? { name: found.name, kind: found.kind, base_url: found.base_url } : null;
}

export function needed({ kind, base_url }: ProviderRecord): boolean {
  if (kind === "offline" || kind === "ollama") return false;
  return !isLocal(base_url);
}

export function isLocal(base_url: string): boolean {
  return /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(\/|$)/.test(base_url);
}

/** The one for this session first, because it is the one that is sent. */
function stored({ keys }: State, provider: ProviderRecord): StoredKey | undefined {
  return keys.session.get(account(provider)) ?? keys.kept.get(account(provider));
}

export function shown(state: State, provider: ProviderRecord): KeyShown | null {
  const found = stored(state, provider);
  return found ? { place: found.place, last_four: found.key.length < 16 ? "" : found.key.slice(-4) } : null;
}

/** The key as the provider is sent it; fails while its place is closed. */
export function fetched(state: State, provider: ProviderRecord): string | null {
  const found = stored(state, provider);
  if (found) open(state, found.place);
  else if (needed(provider)) throw failure("key_missing", `no key for ${provider.name}`);
  return found?.key ?? null;
}

export function wellFormed(pasted: string): string {
  const key = pasted.trim();
  if (!/^[!-~]+$/.test(key)) throw failure("bad_request", "a key is one word of visible ASCII characters");
  return key;
}

export function set(state: State, provider: ProviderRecord, pasted: string, place: Place): KeyShown {
  const key = wellFormed(pasted);
  writable(state, place);
  const { session, kept } = state.keys;
  if (place === "session") session.set(account(provider), { key, place });
  else {
    session.delete(account(provider));
    kept.set(account(provider), { key, place });
  }
  state.emit({ type: "providers" });
  return shown(state, provider)!;
}

export function remove(state: State, provider: ProviderRecord): null {
  const { session, kept } = state.keys;
  session.delete(account(provider));
  const found = kept.get(account(provider));
  if (found) open(state, found.place);
  kept.delete(account(provider));
  state.emit({ type: "providers" });
  return null;
}

export function where(state: State): KeysState {
  const { keyring, vault } = state.keys;
  const place = keyring === "unlocked" ? "keyring" : vault === "unlocked" ? "vault" : null;
  return { keyring, vault, place };
}

export function unlockKeyring(state: State): KeysState {
  if (state.keys.keyring === "locked") state.keys.keyring = "unlocked";
  open(state, "keyring");
  state.emit({ type: "providers" });
  return where(state);
}

export function unlockVault(state: State, passphrase: string): KeysState {
  const { keys } = state;
  if (keys.vault === "absent") {
    if ([...passphrase].length < 8) throw failure("bad_request", "a new passphrase needs at least eight characters");
    keys.passphrase = passphrase;
  }
  if (passphrase !== keys.passphrase) throw failure("vault_wrong_passphrase", "wrong");
  keys.vault = "unlocked";
  state.emit({ type: "providers" });
  return where(state);
}

export function discardVault(state: State): KeysState {
  const { keys } = state;
  keys.vault = "absent";
  for (const [account, { place }] of keys.kept) if (place === "vault") keys.kept.delete(account);
  state.emit({ type: "providers" });
  return where(state);
}

function account({ name, base_url }: ProviderRecord): string {
  return `${name} ${URL.canParse(base_url) ? new URL(base_url).origin : base_url}`;
}

/** Fails when nothing can be put into this place now. */
export function writable(state: State, place: Place): void {
  open(state, place);
  if (place === "keyring" && state.keys.refuses) throw failure("keyring_refused", "the keyring refused");
}

/** Fails when nothing can be read from, or put into, this place now. */
export function open({ keys: { keyring, vault } }: State, place: Place): void {
  if (place === "vault" && vault !== "unlocked") throw failure("vault_locked", "the encrypted file is locked");
  if (place !== "keyring") return;
  if (keyring === "locked") throw failure("keyring_locked", "the keyring is locked");
  if (keyring === "absent") throw failure("keyring_absent", "there is no keyring");
  if (keyring === "silent") throw failure("keyring_timed_out", "no answer within 5 s");
}
