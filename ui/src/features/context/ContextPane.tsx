// The pane at the right: what a request holds, and the summaries that stand for what is earlier.
import { X } from "lucide-react";
import { showContextTab, toggleSide, useChords, usePlace } from "@/app/actions";
import { SideWidth } from "@/features/sides";
import { SummariesTab } from "@/features/summaries";
import type { ConversationItem } from "@/ipc";
import { useTranslation } from "@/shared/i18n";
import { IconButton, Tabs } from "@/shared/kit";
import css from "./ContextPane.module.css";
import { RequestTab, type SentTurn } from "./RequestTab";

interface ContextPaneProps {
  conversation: ConversationItem;
  /** Turns that were sent, newest first. */
  turns: readonly SentTurn[];
}

export function ContextPane({ conversation, turns }: ContextPaneProps) {
  const { t } = useTranslation("context");
  const tab = usePlace((place) => place.contextTab);
  const chord = useChords();
  return (
    <aside className={css.pane} aria-label={t("label")} data-region tabIndex={-1}>
      <Tabs
        label={t("label")}
        value={tab}
        onChange={showContextTab}
        tabs={[
          {
            value: "request",
            label: t("title"),
            content: <RequestTab conversation={conversation} turns={turns} />,
          },
          {
            value: "summaries",
            label: t("summaries"),
            content: <SummariesTab conversation={conversation} />,
          },
        ]}
        end={
          <IconButton
            className={css.close}
            label={t("close", { ns: "common" })}
            shortcut={chord("context")}
            icon={<X aria-hidden />}
            onClick={() => toggleSide("pane", false)}
          />
        }
      />
      <SideWidth side="pane" />
    </aside>
  );
}
