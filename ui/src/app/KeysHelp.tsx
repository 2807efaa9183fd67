// All keys on one page, from the one registry.
import { ACTIONS, closeOverlay, openOverlay, useChords } from "@/app/actions";
import { useTranslation } from "@/shared/i18n";
import { Button, Dialog, Kbd } from "@/shared/kit";
import css from "./App.module.css";

export function KeysHelp() {
  const { t } = useTranslation("shell");
  const chord = useChords();
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
      reads={t("keys.title")}
      footer={
        <Button onClick={() => openOverlay({ kind: "settings", tab: "shortcuts" })}>{t("keys.change")}</Button>
      }
    >
      <dl className={css.keyList}>
        {ACTIONS.filter(({ id }) => chord(id) !== "").map(({ id }) => (
          <div key={id}>
            <dt>{t(id, { ns: "actions" })}</dt>
            <dd>
              <Kbd keys={chord(id)} />
            </dd>
          </div>
        ))}
        {fixed.map(([id, keys]) => (
          <div key={id}>
            <dt>{t(`keys.${id}`)}</dt>
            <dd>
              <Kbd keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
