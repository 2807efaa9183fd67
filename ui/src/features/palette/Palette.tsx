// One field, one list: type a few letters, Enter runs. What cannot be run now says why, and what holds now is checked.
import { Dialog } from "@base-ui/react/dialog";
import { Check } from "lucide-react";
import { Fragment, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { closeOverlay } from "@/app/actions";
import { useHere } from "@/features/conversations";
import { ModelFacts, useRecentModels } from "@/features/models";
import { useTranslation } from "@/shared/i18n";
import { Kbd, useCover } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import { chosenOf, find, modelEntry, MOST, useEntries, useFiles, useSettingWords, type Entry, type Mode } from "./entries";
import css from "./palette.module.css";
import { rememberChosen, useChosen } from "./recent";

/** What is called as somebody wrote it. */
const WRITTEN: ReadonlySet<Entry["group"]> = new Set(["conversations", "memory"]);

export function Palette({ mode }: { mode: Mode }) {
  const { t } = useTranslation("palette");
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const { found, recent } = useFound(mode, query);
  const active = Math.min(at, found.length - 1);

  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active, found]);

  const run = (entry: Entry | undefined) => {
    if (!entry || entry.disabled !== null) return;
    rememberChosen(entry.id);
    entry.run();
  };
  const keyDown = (event: KeyboardEvent) => {
    // Enter that ends a Hangul composition runs nothing yet.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const move = moves[event.key];
    if (move !== undefined) {
      const wraps = Math.abs(move) === 1;
      const next = active + move;
      setAt(wraps ? (next + found.length) % found.length : Math.max(0, Math.min(found.length - 1, next)));
    } else if (event.key === "Enter") run(found[active]);
    else return;
    event.preventDefault();
  };
  const name = t(mode === "all" ? "title" : mode);
  useCover(true);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closeOverlay()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={css.scrim} />
        <Dialog.Popup className={css.palette} data-modal initialFocus={field} aria-label={name}>
          <input
            ref={field}
            className={css.field}
            role="combobox"
            aria-label={name}
            aria-expanded
            aria-controls={`${id}-list`}
            aria-activedescendant={found[active] && `${id}-${active}`}
            aria-autocomplete="list"
            placeholder={name}
            autoComplete="off"
            spellCheck={false}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setAt(0);
            }}
            onKeyDown={keyDown}
          />
          <ul ref={list} id={`${id}-list`} className={css.list} role="listbox" aria-label={name}>
            {found.map((entry, index) => (
              <Fragment key={entry.id}>
                {recent > 0 && (index === 0 || index === recent) && (
                  <li role="presentation" className={css.heading}>
                    {t(index === 0 ? "recent" : "rest")}
                  </li>
                )}
                {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the field hears the keys */}
                <li
                  id={`${id}-${index}`}
                  className={css.entry}
                  role="option"
                  aria-selected={index === active}
                  aria-checked={entry.checked}
                  aria-disabled={entry.disabled !== null}
                  data-model={entry.model && ""}
                  onPointerMove={() => setAt(index)}
                  onClick={() => run(entry)}
                >
                  <span className={css.title} lang={WRITTEN.has(entry.group) ? proseLanguage(entry.title) : undefined}>
                    {entry.title}
                  </span>
                  {entry.checked && <Check aria-hidden className={css.check} />}
                  <span className={css.hint} title={entry.disabled ?? entry.hint}>{entry.disabled ?? entry.hint}</span>
                  {entry.model && <ModelFacts model={entry.model} />}
                  {entry.chord !== "" && entry.disabled === null && <Kbd keys={entry.chord} />}
                  {entry.group !== "actions" && mode === "all" && (
                    <span className={css.group}>{t(`group.${entry.group}`)}</span>
                  )}
                </li>
              </Fragment>
            ))}
          </ul>
          {found.length === 0 && <p className={css.none}>{t("none")}</p>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** What is listed, and how many of it, at the top, are there because they were chosen last. */
function useFound(mode: Mode, query: string): { found: readonly Entry[]; recent: number } {
  const entries = useEntries(mode);
  const everything = mode === "all";
  const files = useFiles(query, everything);
  const settings = useSettingWords(query, everything);
  const commands = useChosen();
  const models = useRecentModels();
  const { projectId } = useHere();
  return useMemo(() => {
    if (query.trim() !== "") return { found: find([...entries, ...files, ...settings], query), recent: 0 };
    const ids = everything ? commands : mode === "models" ? models.map(modelEntry) : [];
    const chosen = chosenOf(entries, ids, projectId);
    const known = new Set(chosen.map((entry) => entry.id));
    const rest = entries.filter((entry) => !known.has(entry.id));
    return { found: [...chosen, ...rest].slice(0, MOST), recent: chosen.length };
  }, [entries, files, settings, query, everything, mode, commands, models, projectId]);
}
