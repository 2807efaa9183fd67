// What the model thought before it answered: one quiet line that opens. While it thinks, the line says so and the
// opened text grows.
import { useMemo, useState } from "react";
import { useTranslation } from "@/shared/i18n";
import { Spinner } from "@/shared/kit";
import { Markdown } from "@/shared/markdown";
import { countWords } from "./follow";
import css from "./Turns.module.css";

export function Reasoning({ text, thinking }: { text: string; thinking: boolean }) {
  const { t } = useTranslation("chat");
  const [shown, setShown] = useState(false);
  // Counting all of it again with every chunk would be felt.
  const count = useMemo(() => (thinking ? 0 : countWords(text)), [text, thinking]);
  if (text.trim() === "") return <p className={css.thought}>{t(thinking ? "reasoning.thinking" : "reasoning.kept")}</p>;
  return (
    <details className={css.reasoning} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        {thinking ? t("reasoning.thinking") : t("reasoning.thought", { count })}
        {thinking && <Spinner label={t("reasoning.thinking")} />}
      </summary>
      {shown && <Markdown text={text} streaming={thinking} />}
    </details>
  );
}
