// Goes from one version of a message to the next.
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useChords } from "@/app/actions";
import { useTranslation } from "@/shared/i18n";
import { IconButton } from "@/shared/kit";
import type { Siblings } from "./rows";
import css from "./Turns.module.css";

export function SiblingSwitch({ siblings, onSibling }: { siblings?: Siblings; onSibling: (id: string) => void }) {
  const { t } = useTranslation("chat");
  const chord = useChords();
  if (!siblings || siblings.count < 2) return null;
  const { index, count, ids } = siblings;
  const to = (target: number) => {
    const id = ids[target];
    if (id !== undefined) onSibling(id);
  };
  return (
    <span
      className={css.siblings}
      role="group"
      aria-label={t("siblings.label", { index: index + 1, count })}
    >
      <IconButton
        label={t("siblings.previous")}
        shortcut={chord("siblingPrevious")}
        icon={<ChevronLeft aria-hidden />}
        disabled={index === 0}
        onClick={() => to(index - 1)}
      />
      <span aria-hidden data-numeric>
        {index + 1}/{count}
      </span>
      <IconButton
        label={t("siblings.next")}
        shortcut={chord("siblingNext")}
        icon={<ChevronRight aria-hidden />}
        disabled={index === count - 1}
        onClick={() => to(index + 1)}
      />
    </span>
  );
}
