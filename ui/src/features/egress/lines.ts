// The body of a request as lines to read: JSON laid out without touching a character of it, so that a number or an
// escape looks as it was sent, and in pieces short enough to be windowed whatever stands in it. Pure.

export interface Line {
  depth: number;
  text: string;
}

/** Most characters of one line; the rest of a longer one, such as a picture's data, goes on in the next. */
const MOST = 2000;
/** A longer string goes on in a new line where the text in it does. */
const LONG = 80;

export function bodyLines(body: string): Line[] {
  if (/^\s*[[{]/.test(body)) return jsonLines(body);
  return body === "" ? [] : body.split("\n").flatMap((text) => pieces(0, text));
}

function jsonLines(body: string): Line[] {
  const lines: Line[] = [];
  let depth = 0;
  let line = "";
  /** One deeper while a string goes on. */
  let hang = 0;
  const push = (text: string) => {
    if (text !== "") lines.push(...pieces(depth + hang, text));
    line = "";
    hang = 0;
  };
  for (let at = 0; at < body.length; ) {
    const token = tokenAt(body, at);
    at += token.length;
    if (/^\s/.test(token)) continue;
    if (token === "{" || token === "[") {
      push(line + token);
      depth += 1;
    } else if (token === "}" || token === "]") {
      push(line);
      depth = Math.max(0, depth - 1);
      line = token;
    } else if (token === ",") {
      push(line + token);
    } else if (token.length > LONG) {
      const [first = "", ...more] = token.split(/(?<=\\n)/);
      line += first;
      for (const text of more) {
        push(line);
        line = text;
        hang = 1;
      }
    } else {
      line += token === ":" ? ": " : token;
    }
  }
  push(line);
  return lines;
}

/** A string, a mark, a pair of brackets with nothing in it, spaces, or what is none of these: a number or a word. */
const TOKEN = /[{[]\s*[}\]]|[{}[\],:]|\s+|[^\s"{}[\],:]+/y;
const STOP = /["\\]/g;

function tokenAt(body: string, at: number): string {
  if (body[at] !== '"') {
    TOKEN.lastIndex = at;
    return TOKEN.exec(body)![0];
  }
  STOP.lastIndex = at + 1;
  // Not one expression for the whole string: it may have millions of characters.
  for (let stop = STOP.exec(body); stop; stop = STOP.exec(body)) {
    if (stop[0] === '"') return body.slice(at, stop.index + 1);
    STOP.lastIndex = stop.index + 2;
  }
  return body.slice(at);
}

function pieces(depth: number, text: string): Line[] {
  if (text.length <= MOST) return [{ depth, text }];
  const lines: Line[] = [];
  for (let at = 0, next; at < text.length; at = next) {
    next = Math.min(text.length, at + MOST);
    // Not between the two halves of one character.
    if (/[\uDC00-\uDFFF]/.test(text.charAt(next))) next -= 1;
    lines.push({ depth: at === 0 ? depth : depth + 1, text: text.slice(at, next) });
  }
  return lines;
}
