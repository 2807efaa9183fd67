// Failures as the host answers them. The words for a person are in the namespace `errors`, by code.
import type { Code, Failure } from "./bindings";

/** Every code. The two types below fail to compile when the list and the bindings differ. */
export const CODES = [
  "bad_request",
  "not_found",
  "conflict",
  "disk_full",
  "read_only",
  "busy",
  "damaged",
  "newer_data",
  "io",
  "not_a_folder",
  "outside_project",
  "file_read_only",
  "folder_too_wide",
  "folder_replaced",
  "not_text",
  "cancelled",
  "trust_unanswered",
  "import_unreadable",
  "import_broken",
  "attachment_too_large",
  "input_too_long",
  "attachment_unsupported",
  "attachment_missing",
  "provider_unreachable",
  "provider_not_local",
  "provider_insecure",
  "proxy_unusable",
  "certificates_unusable",
  "not_recorded",
  "provider_timed_out",
  "reply_cut",
  "reply_full",
  "reply_withheld",
  "reply_empty",
  "limit_rounds",
  "limit_tokens",
  "limit_time",
  "rate_limited",
  "key_refused",
  "no_credit",
  "limit_reached",
  "key_missing",
  "keyring_locked",
  "keyring_absent",
  "keyring_timed_out",
  "keyring_refused",
  "vault_locked",
  "vault_wrong_passphrase",
  "checkpoints_locked",
  "nothing_to_fold",
  "wrong_passphrase",
  "checkpoint_unreadable",
  "copy_damaged",
  "passphrase_needed",
  "no_cloud",
  "remote_unusable",
  "remote_unreachable",
  "remote_refused",
  "remote_key_missing",
  "mcp_unreachable",
  "mcp_timed_out",
  "mcp_broken",
  "mcp_forbidden",
  "mcp_no_network",
  "mcp_changed",
  "model_needed",
  "answer_unusable",
  "model_not_found",
  "not_shorter",
  "unfold_too_large",
  "context_overflow",
  "no_tools",
  "provider_trouble",
  "provider_refused",
  "provider_malformed",
  "update_absent",
  "update_unreachable",
  "update_redirected",
  "update_unusable",
  "update_unsigned",
  "update_replayed",
  "update_cut",
  "update_not_installed",
  "internal",
] as const satisfies readonly Code[];

type Missing = Exclude<Code, (typeof CODES)[number]>;
export const NO_CODE_IS_MISSING: [Missing] extends [never] ? true : Missing = true;

export function isCode(code: string): code is Code {
  return (CODES as readonly string[]).includes(code);
}

export function isFailure(thrown: unknown): thrown is Failure {
  if (typeof thrown !== "object" || thrown === null) return false;
  const { code, message } = thrown as Partial<Failure>;
  return typeof code === "string" && isCode(code) && typeof message === "string";
}

/** Whatever was thrown as a failure; what the host did not send is an internal one. */
export function toFailure(thrown: unknown): Failure {
  if (isFailure(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "internal", message, hint: "" };
}
