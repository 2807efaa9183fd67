// A row of the Today page: what it is, what is said of it, and that it leads somewhere.
import { ArrowRight } from "lucide-react";
import { proseLanguage } from "@/shared/language";
import css from "./today.module.css";

interface RowProps {
  name: string;
  note: string;
  onOpen: () => void;
}

export function Row({ name, note, onOpen }: RowProps) {
  return (
    <li>
      <button type="button" className={css.row} onClick={onOpen}>
        <span className={css.name} lang={proseLanguage(name)} title={name}>
          {name}
        </span>
        <span className={css.note} lang={proseLanguage(note)} title={note} data-numeric>
          {note}
        </span>
        <ArrowRight aria-hidden />
      </button>
    </li>
  );
}
