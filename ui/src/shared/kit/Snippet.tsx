// The surroundings of what a search found, with the words marked.
import { proseLanguage } from "../language";
import css from "./kit.module.css";

export function Snippet({ parts }: { parts: readonly { text: string; hit: boolean }[] }) {
  return (
    <span lang={proseLanguage(parts.map(({ text }) => text).join(""))}>
      {parts.map(({ text, hit }, index) =>
        hit ? (
          <mark key={index} className={css.found}>
            {text}
          </mark>
        ) : (
          <span key={index}>{text}</span>
        ),
      )}
    </span>
  );
}
