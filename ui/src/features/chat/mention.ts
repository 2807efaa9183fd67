// The mention that is being written where the caret stands, and how a picked file is written. Pure. What a mention is,
// the engine says; here is only what of it a person types.

export interface Mentioning {
  /** Where its `@` stands. */
  from: number;
  /** Its end, which may be behind the caret. */
  to: number;
  /** What stands between the `@` and the caret, without the quote. */
  query: string;
}

/** After what is no letter: an address is no mention. */
const BEFORE_CARET = /(?<![\p{L}\p{N}_])@(?:"([^"\n]*)|([^\s"<>|*`@]*))$/u;

/** What is left of it behind the caret; a comma or a bracket is the sentence's. */
const QUOTED_REST = /^[^"\n]*"/;
const REST = /^[\p{L}\p{N}_./-]*[\p{L}\p{N}_]/u;

/** A path that cannot stand without quotes. */
const QUOTED = /[\s<>|*`@]/;

export function mentionAt(text: string, caret: number): Mentioning | null {
  const found = BEFORE_CARET.exec(text.slice(0, caret));
  if (!found) return null;
  const [, quoted, plain] = found;
  const rest = (quoted === undefined ? REST : QUOTED_REST).exec(text.slice(caret))?.[0] ?? "";
  return { from: found.index, to: caret + rest.length, query: quoted ?? plain ?? "" };
}

export function written(path: string): string {
  return QUOTED.test(path) ? `@"${path}"` : `@${path}`;
}
