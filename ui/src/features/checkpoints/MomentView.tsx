// One moment: what it is, what can be done with it, and how it differs from now or from another one.
import { useQuery } from "@tanstack/react-query";
import { Download, Ellipsis, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useState } from "react";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, toFailure, type CheckpointItem, type ProjectId } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatNumber, useTranslation } from "@/shared/i18n";
import { Button, Dialog, IconButton, Menu, quiet, Select, Spinner, Tabs } from "@/shared/kit";
import { continueFrom } from "./acts";
import { ChatTab, ContextTab, FilesTab } from "./Comparison";
import css from "./checkpoints.module.css";
import { ExportDialog } from "./FileDialogs";
import { MomentFacts } from "./MomentFacts";
import { RestoreDialog } from "./RestoreDialog";
import { TagDialog } from "./TagDialog";
import { useCheckpointWords } from "./words";

interface MomentViewProps {
  item: CheckpointItem;
  items: readonly CheckpointItem[];
  projectId: ProjectId;
}

const NOW = "now";
type Tab = "chat" | "files" | "context";

export function MomentView({ item, items, projectId }: MomentViewProps) {
  const { t } = useTranslation("checkpoints");
  const words = useCheckpointWords();
  const [other, setOther] = useState<string>(NOW);
  const [tab, setTab] = useState<Tab>("files");
  const [open, setOpen] = useState<"restore" | "rename" | "export" | "delete" | null>(null);
  const close = () => setOpen(null);
  const with_ = items.find(({ id }) => id === other) ?? null;
  // The earlier of two is the one it is compared from.
  const swapped = with_ !== null && with_.created_at < item.created_at;
  const [from, to] = swapped ? [with_.id, item.id] : [item.id, with_?.id ?? null];
  const diff = useQuery(queries.checkpointDiff(from, to));
  const locked = diff.isError && toFailure(diff.error).code === "checkpoints_locked";
  const change = (tag: string | null, pinned: boolean) =>
    void call("checkpoint_change", { id: item.id, tag, pinned }).catch(tellFailure);
  const remove = () => {
    close();
    call("checkpoint_delete", { ids: [item.id] }).catch(tellFailure);
  };
  const counts = diff.data && {
    chat: diff.data.messages_before + diff.data.messages_after,
    files: diff.data.files.length,
    context: diff.data.context.length,
  };
  const label = (of: Tab) => (counts ? t(`tabs.${of}Count`, { n: formatNumber(counts[of]) }) : t(`tabs.${of}`));
  const content = (of: Tab) => {
    if (diff.isError) {
      return locked ? <p className={quiet.note}>{t("sealed")}</p> : <ErrorNotice failure={diff.error} />;
    }
    if (!diff.data) return <Spinner />;
    if (of === "chat") return <ChatTab diff={diff.data} now={to === null} />;
    if (of === "files") return <FilesTab key={`${from}-${to}`} files={diff.data.files} from={from} to={to} />;
    return <ContextTab changes={diff.data.context} />;
  };
  return (
    <section className={css.view} aria-label={words.name(item)}>
      <header className={css.viewHead}>
        <div className={css.viewTitle}>
          <h2>{words.name(item)}</h2>
          <p className={quiet.note}>
            {words.when(item)}
            {item.tag !== null && ` · ${words.reason(item.reason)}`}
          </p>
        </div>
        <Button
          variant="primary"
          disabled={item.conversation_id === null}
          title={item.conversation_id === null ? t("noConversation") : t("continueHint")}
          onClick={() => void continueFrom(item.id, projectId)}
        >
          {t("continue")}
        </Button>
        <Button
          disabled={!item.known || locked}
          title={locked ? t("sealed") : undefined}
          onClick={() => setOpen("restore")}
        >
          {t("restore.open")}
        </Button>
        <Menu
          align="end"
          trigger={
            <IconButton
              label={t("more", { name: words.name(item) })}
              icon={<Ellipsis aria-hidden />}
            />
          }
          items={[
            { id: "rename", label: t("tag.rename"), icon: <Pencil aria-hidden />, onSelect: () => setOpen("rename") },
            {
              id: "pin",
              label: item.pinned ? t("unpin") : t("pin"),
              icon: item.pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />,
              onSelect: () => change(item.tag, !item.pinned),
            },
            {
              id: "export",
              label: t("file.open"),
              disabledReason: locked ? t("sealed") : undefined,
              icon: <Download aria-hidden />,
              onSelect: () => setOpen("export"),
            },
            "separator",
            {
              id: "delete",
              label: t("delete.open"),
              icon: <Trash2 aria-hidden />,
              danger: true,
              onSelect: () => setOpen("delete"),
            },
          ]}
        />
      </header>
      <MomentFacts item={item} />
      <div className={css.compare}>
        <Select
          label={t("compareWith")}
          hideLabel
          value={other}
          onChange={setOther}
          options={[
            { value: NOW, label: t("vsNow") },
            ...items
              .filter(({ id }) => id !== item.id)
              .map((one) => ({ value: one.id, label: t("vs", { when: words.when(one), name: words.name(one) }) })),
          ]}
        />
      </div>
      <div className={css.tabs}>
        <Tabs<Tab>
          label={t("differences")}
          value={tab}
          onChange={setTab}
          tabs={(["chat", "files", "context"] as const).map((value) => ({
            value,
            label: label(value),
            content: <div className={css.tab}>{content(value)}</div>,
          }))}
        />
      </div>
      {open === "restore" && <RestoreDialog item={item} projectId={projectId} onClose={close} />}
      {open === "export" && <ExportDialog item={item} onClose={close} />}
      {open === "rename" && (
        <TagDialog
          title={t("tag.rename")}
          tag={item.tag ?? ""}
          done={t("tag.save")}
          onClose={close}
          onDone={(tag) => call("checkpoint_change", { id: item.id, tag, pinned: item.pinned })}
        />
      )}
      <Dialog
        open={open === "delete"}
        onClose={close}
        title={t("delete.title")}
        description={t("delete.text", { when: words.when(item), name: words.name(item) })}
        footer={
          <>
            <Button onClick={close}>{t("cancel", { ns: "common" })}</Button>
            <Button variant="danger" onClick={remove}>
              {t("delete.do")}
            </Button>
          </>
        }
      />
    </section>
  );
}
