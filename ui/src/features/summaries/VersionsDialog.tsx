// All versions of a summary, each with what sets it apart from the one in use, and the way back to it.
import { useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { call } from "@/ipc";
import { Diff, lineDiff } from "@/shared/diff";
import { formatMoment, useTranslation } from "@/shared/i18n";
import { Button, Dialog, quiet, useAct } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import type { Card, Summary } from "./cards";
import css from "./summaries.module.css";
import { useSummaryWords } from "./words";

interface VersionsDialogProps {
  card: Card;
  current: Summary;
  onClose: () => void;
}

export function VersionsDialog({ card: { versions, inUse }, current, onClose }: VersionsDialogProps) {
  const { t } = useTranslation("summaries");
  const words = useSummaryWords();
  const { running, failure, act } = useAct();
  const [chosen, setChosen] = useState(versions.find(({ id }) => id !== current.id) ?? current);
  const adopt = async () => {
    if (await act(() => call("summary_adopt", { id: chosen.id }))) onClose();
  };
  const compared = { version: current.version };
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={t("versionsOf", { span: words.span(current) })}
      footer={
        <>
          <Button onClick={onClose}>{t("close", { ns: "common" })}</Button>
          <Button
            variant="primary"
            disabled={running || (inUse && chosen.id === current.id)}
            onClick={() => void adopt()}
          >
            {t("useVersion", { version: chosen.version })}
          </Button>
        </>
      }
    >
      {failure !== null && <ErrorNotice failure={failure} />}
      <div className={css.history}>
        <ul className={css.versions}>
          {versions.map((version) => (
            <li key={version.id}>
              <button
                type="button"
                aria-pressed={version.id === chosen.id}
                className={css.choice}
                onClick={() => setChosen(version)}
              >
                <span>
                  {t("version", { version: version.version })}
                  {version.id === current.id && inUse && <em>{t("inUse")}</em>}
                </span>
                <span className={quiet.note} data-numeric>
                  {words.span(version)} · {words.size(version.original_chars, version.summary_chars)}
                </span>
                <span className={quiet.note}>
                  {words.writer(version)}
                  {" · "}
                  {formatMoment(Date.parse(version.finished_at ?? version.created_at))}
                </span>
              </button>
            </li>
          ))}
        </ul>
        <div>
          <p className={quiet.note}>
            {chosen.id === current.id ? t("isCurrent", compared) : t("comparedWith", compared)}
          </p>
          {chosen.id === current.id ? (
            <pre className={css.text} tabIndex={0} aria-label={t("text")} lang={proseLanguage(current.summary)} data-selectable>
              {current.summary}
            </pre>
          ) : (
            <Diff label={t("text")} difference={lineDiff(current.summary, chosen.summary, Infinity)} />
          )}
        </div>
      </div>
    </Dialog>
  );
}
