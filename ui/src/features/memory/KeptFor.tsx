// Asked once, after the first line that was added by a command: how long such lines last.
import type { AddedFor, MemoryLine } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { Button, Notice } from "@/shared/kit";
import { keepFor, startOf, type Where } from "./acts";

interface KeptForProps {
  where: Where;
  line: MemoryLine;
  onDone: () => void;
}

export function KeptFor({ where, line, onDone }: KeptForProps) {
  const { t } = useTranslation("memory");
  const choose = (lasts: AddedFor) => {
    onDone();
    void keepFor(where, line, lasts);
  };
  return (
    <Notice
      title={t("keptFor.title", { text: startOf(line.text) })}
      actions={
        <>
          <Button onClick={() => choose("conversation")}>{t("keptFor.conversation")}</Button>
          <Button onClick={() => choose("until_cleared")}>{t("keptFor.until_cleared")}</Button>
        </>
      }
    >
      {t("keptFor.text")}
    </Notice>
  );
}
