// Every action with its keys. Press one to give it others; a chord belongs to one action only.
import { useEffect, useState } from "react";
import { actionFor, ACTIONS, chordFor, chordOf, isBindable, type ActionId } from "@/app/actions";
import type { Settings } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Kbd, keyNames, Notice, quiet } from "@/shared/kit";
import css from "./settings.module.css";
import { useSettings } from "./useSettings";

type Refused = { chord: string; by: ActionId } | { chord: string; by: null };

function without(keys: Settings["keys"], id: ActionId): Settings["keys"] {
  return Object.fromEntries(Object.entries(keys).filter(([action]) => action !== id));
}

export function ShortcutsPage() {
  const { t } = useTranslation("settings");
  const { settings, change } = useSettings();
  const [recording, setRecording] = useState<ActionId | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const keys = settings?.keys;

  useEffect(() => {
    if (recording === null || !keys) return;
    const bind = (chord: string) => {
      const others = without(keys, recording);
      change({ keys: chord === chordFor(recording, {}) ? others : { ...others, [recording]: chord } });
      setRecording(null);
    };
    const keyDown = (event: KeyboardEvent) => {
      const chord = chordOf(event);
      event.preventDefault();
      event.stopImmediatePropagation();
      if (chord === null) return;
      setRefused(null);
      if (chord === "Escape" && recording !== "stop") setRecording(null);
      else if (chord === "Backspace" || chord === "Delete") bind("");
      else if (!isBindable(chord)) setRefused({ chord, by: null });
      else {
        const by = actionFor(chord, keys);
        if (by !== undefined && by !== recording) setRefused({ chord, by });
        else bind(chord);
      }
    };
    window.addEventListener("keydown", keyDown, { capture: true });
    return () => window.removeEventListener("keydown", keyDown, { capture: true });
  }, [recording, keys, change]);

  if (!keys) return null;
  return (
    <div className={css.page}>
      <div className={css.row}>
        <p className={quiet.note}>{t("shortcuts.hint")}</p>
        <Button disabled={Object.keys(keys).length === 0} onClick={() => change({ keys: {} })}>
          {t("shortcuts.resetAll")}
        </Button>
      </div>
      <ul>
        {ACTIONS.map(({ id }) => {
          const chord = chordFor(id, keys);
          const title = t(id, { ns: "actions" });
          return (
            <li key={id} className={css.shortcut}>
              <span className={css.itemText}>{title}</span>
              <Button
                variant={recording === id ? "primary" : "quiet"}
                // What stands on it is part of its name, for who says aloud what to press.
                aria-label={
                  recording === id
                    ? t("shortcuts.pressFor", { action: title })
                    : t("shortcuts.change", { keys: chord === "" ? t("shortcuts.none") : keyNames(chord), action: title })
                }
                onClick={() => {
                  setRefused(null);
                  setRecording(id);
                }}
                onBlur={() => setRecording(null)}
              >
                {recording === id ? t("shortcuts.press") : chord === "" ? t("shortcuts.none") : <Kbd keys={chord} />}
              </Button>
              {keys[id] !== undefined && (
                <Button
                  variant="quiet"
                  aria-label={t("shortcuts.resetOne", { action: title })}
                  onClick={() => change({ keys: without(keys, id) })}
                >
                  {t("shortcuts.reset")}
                </Button>
              )}
              {recording === id && refused && (
                <div className={css.wide} role="alert">
                  <Notice tone="warn">
                    <Kbd keys={refused.chord} />{" "}
                    {refused.by === null
                      ? t("shortcuts.unfit")
                      : t("shortcuts.taken", { action: t(refused.by, { ns: "actions" }) })}
                  </Notice>
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
