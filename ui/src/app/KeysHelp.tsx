// All keys on one page, from the one registry.
import { useQuery } from "@tanstack/react-query";
import { ACTIONS, chordFor, closeOverlay, openOverlay } from "@/app/actions";
import { queries } from "@/ipc/queries";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, Kbd } from "@/shared/kit";
import css from "./App.module.css";

export function KeysHelp() {
  const { t } = useTranslation("shell");
  const keys = useQuery(queries.settings()).data?.keys ?? {};
  const fixed = [
    ["send", "Enter"],
    ["newline", "Shift+Enter"],
    ["editLast", "Up"],
    ["turns", "J/K"],
    ["approval", "Y/A/N"],
    ["regions", "F6"],
  ] as const;
  return (
    <Dialog
      open
      size="m"
      onClose={closeOverlay}
      title={t("keys.title")}
      footer={
        <Button onClick={() => openOverlay({ kind: "settings", tab: "shortcuts" })}>{t("keys.change")}</Button>
      }
    >
      <dl className={css.keyList}>
        {ACTIONS.map(({ id }) => ({ id, chord: chordFor(id, keys) }))
          .filter(({ chord }) => chord !== "")
          .map(({ id, chord }) => (
            <div key={id}>
              <dt>{t(id, { ns: "actions" })}</dt>
              <dd>
                <Kbd keys={chord} />
              </dd>
            </div>
          ))}
        {fixed.map(([id, chord]) => (
          <div key={id}>
            <dt>{t(`keys.${id}`)}</dt>
            <dd>
              <Kbd keys={chord} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
