// Text from elsewhere with everything in it to be seen: characters that show nothing, turn the direction of what
// follows, or move the cursor stand there by their numbers. For commands, addresses and instructions that a person
// is to judge.
import { Fragment } from "react";
import css from "./revealed.module.css";

/** Controls but tab and line feed, soft hyphens, joiners, marks and overrides of direction, fillers, variation selectors, tags. */
const CHARACTERS = String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}`;

// A group, so that what is found stands between what is around it.
const HIDDEN = new RegExp(`([${CHARACTERS}])`, "u");
const IN_NAMES = new RegExp(`([${CHARACTERS}\\t\\n])`, "u");

const codeOf = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

interface RevealedProps {
  text: string;
  /** A name or a path, in which a line feed or a tab is as odd as the others. */
  name?: boolean;
}

export function Revealed({ text, name = false }: RevealedProps) {
  // With one group, every second piece is what was found.
  return text.split(name ? IN_NAMES : HIDDEN).map((piece, index) =>
    index % 2 === 0 ? (
      <Fragment key={index}>{piece}</Fragment>
    ) : (
      <span key={index} className={css.hidden}>
        {codeOf(piece)}
      </span>
    ),
  );
}
