// In the line of the request: the file, and the lines of it, that go with the next message.
import { X } from "lucide-react";
import type { KeyboardEvent } from "react";
import { tellFailure } from "@/features/errors";
import type { ProjectId } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { IconButton } from "@/shared/kit";
import css from "./LineChip.module.css";
import { leaveReading, useReading } from "./reading";
import { useReadingWords } from "./words";

interface ReadingChipProps {
  projectId: ProjectId | null;
  /** It is gone: the focus goes on. */
  onLeave: () => void;
}

export function ReadingChip({ projectId, onLeave }: ReadingChipProps) {
  const { t } = useTranslation("context");
  const words = useReadingWords();
  const reading = useReading(projectId);
  if (projectId === null || !reading) return null;
  const name = words(reading);
  const leave = () => {
    onLeave();
    void leaveReading(projectId).catch(tellFailure);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== "Delete" && event.key !== "Backspace") return;
    event.preventDefault();
    leave();
  };
  return (
    <div className={css.chip} role="group" aria-label={t("reading.label")} onKeyDown={keyDown}>
      <span className={`${css.name} ${css.file}`} title={name}>
        {name}
      </span>
      <IconButton className={css.act} label={t("reading.leave", { name })} icon={<X aria-hidden />} onClick={leave} />
    </div>
  );
}
