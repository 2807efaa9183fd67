// A question on the first screen: answered at once, by whoever answers now.
import { ArrowUp } from "lucide-react";
import type { FormEvent } from "react";
import { ErrorNotice } from "@/features/errors";
import { useTranslation } from "@/shared/i18n";
import { Button, useAct } from "@/shared/kit";
import css from "./start.module.css";
import { useWriting } from "./writing";

export function AskField({ onAsk }: { onAsk: (text: string) => Promise<void> }) {
  const { t } = useTranslation("start");
  const text = useWriting((writing) => writing.text);
  const { running, failure, act } = useAct();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const question = text.trim();
    if (question !== "" && !running) void act(() => onAsk(question).then(() => useWriting.setState({ text: "" })));
  };
  return (
    <>
      <form className={css.ask} onSubmit={submit}>
        <input
          className={css.askField}
          aria-label={t("ask.label")}
          placeholder={t("ask.placeholder")}
          value={text}
          readOnly={running}
          autoComplete="off"
          onChange={(event) => useWriting.setState({ text: event.currentTarget.value })}
        />
        <Button
          type="submit"
          variant="primary"
          icon={<ArrowUp aria-hidden />}
          disabled={text.trim() === "" || running}
        >
          {t("ask.send")}
        </Button>
      </form>
      {failure !== null && <ErrorNotice failure={failure} />}
    </>
  );
}
