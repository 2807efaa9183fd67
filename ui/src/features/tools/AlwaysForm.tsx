// For which calls an answer is to be remembered: the tool in this project, files that a pattern names, or exactly these
// arguments. What is remembered is listed in the settings, and can be taken back there.
import { useId, useState, type KeyboardEvent } from "react";
import type { Approval } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, quiet, TextField } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import type { ApprovalAnswer } from "./calls";
import { useToolNames } from "./panel/effects";
import css from "./tools.module.css";

interface AlwaysFormProps {
  approval: Approval;
  busy: boolean;
  onAnswer: (answer: ApprovalAnswer) => void;
  onCancel: () => void;
}

/** The number of an offered pattern, or one of the other ways. */
type Way = number | "own" | "exactly" | "tool";

export function AlwaysForm({ approval, busy, onAnswer, onCancel }: AlwaysFormProps) {
  const { t } = useTranslation("tools");
  const { name } = useToolNames();
  const { patterns, command, tool } = approval;
  const [way, setWay] = useState<Way>(patterns.length > 0 ? 0 : "exactly");
  const [own, setOwn] = useState(patterns[0] ?? "");
  const group = useId();
  const choice = (value: Way, label: string) => (
    <label key={value} className={css.choice}>
      {/* eslint-disable-next-line jsx-a11y/no-autofocus -- the form opens at the person's word */}
      <input type="radio" name={group} checked={way === value} onChange={() => setWay(value)} autoFocus={way === value} disabled={busy} />
      <span>
        <Revealed text={label} />
      </span>
    </label>
  );
  const answer = (): ApprovalAnswer => {
    if (way === "tool") return { answer: "always_tool" };
    if (way === "exactly") return { answer: "always_exactly" };
    return { answer: "always_pattern", pattern: way === "own" ? own.trim() : patterns[way]! };
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    onCancel();
  };
  return (
    <form
      className={css.form}
      onKeyDown={keyDown}
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(answer());
      }}
    >
      <fieldset className={css.choices}>
        <legend>{t("always.title")}</legend>
        {patterns.map((pattern, index) => choice(index, t("always.pattern", { pattern })))}
        {patterns.length > 0 && choice("own", t("always.own"))}
        {choice("exactly", t(command === null ? "always.exactly" : "always.command"))}
        {choice("tool", t("always.tool", { tool: name(tool) }))}
      </fieldset>
      {way === "own" && (
        <TextField label={t("always.ownLabel")} value={own} onChange={setOwn} description={t("always.ownHint")} autoFocus disabled={busy} />
      )}
      {way === "tool" && approval.effect === "runs" && <p className={css.warning}>{t("always.wide")}</p>}
      <div className={css.acts}>
        <Button variant="primary" type="submit" disabled={busy || (way === "own" && own.trim() === "")}>
          {t("always.allow")}
        </Button>
        <Button variant="quiet" onClick={onCancel} disabled={busy}>
          {t("back")}
        </Button>
      </div>
      <p className={quiet.note}>{t("always.listed")}</p>
    </form>
  );
}
