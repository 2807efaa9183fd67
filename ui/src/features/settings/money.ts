// Amounts of US dollars as people type them, exact to the millionth: no floating point on the way. Pure.

export type Typed = { micros: number | null } | { wrong: "number" | "digits" | "large" };

const DIGITS = 6;

/**
 * Reads "0.075", "$5", "1,000", "５달러"; nothing typed is null. A comma groups thousands and never separates cents:
 * what could be meant either way is not guessed.
 */
export function readDollars(typed: string): Typed {
  const text = typed
    // Full-width digits and signs, as a Korean keyboard can leave them.
    .normalize("NFKC")
    .replace(/\s/g, "")
    .replace(/^(?:US)?\$/i, "")
    .replace(/(?:달러|불|USD|\$)$/i, "");
  if (text === "") return { micros: null };
  const found = /^(\d+|[1-9]\d{0,2}(?:,\d{3})+)?(?:\.(\d*))?$/.exec(text);
  const [, whole = "", fraction = ""] = found ?? [];
  if (!found || whole + fraction === "") return { wrong: "number" };
  const cents = fraction.replace(/0+$/, "");
  if (cents.length > DIGITS) return { wrong: "digits" };
  const micros = Number(whole.replaceAll(",", "") + cents.padEnd(DIGITS, "0"));
  return Number.isSafeInteger(micros) ? { micros } : { wrong: "large" };
}

/** The amount as it would be typed: "0.075", "5", and nothing for none. */
export function writeDollars(micros: number | null): string {
  if (micros === null) return "";
  const digits = String(micros).padStart(DIGITS + 1, "0");
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`.replace(/\.?0+$/, "");
}
