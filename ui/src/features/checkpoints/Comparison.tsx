// What is different between two moments: messages, files, and what shapes a request.
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { ErrorNotice } from "@/features/errors";
import type { CheckpointDiff, CheckpointId, ContextChange, FileChange, MomentMessage } from "@/ipc";
import { queries } from "@/ipc/queries";
import { Counts, Diff, lineDiff } from "@/shared/diff";
import { formatBytes, useTranslation } from "@/shared/i18n";
import { Button, quiet, Spinner } from "@/shared/kit";
import { proseLanguage } from "@/shared/language";
import css from "./checkpoints.module.css";
import { byFolder } from "./moments";
import rows from "./rows.module.css";
import { useCheckpointWords } from "./words";

/** Files whose lines are counted without being opened: each has to be read. */
const COUNTED = 12;

/** Files that are listed at first. */
const LISTED = 300;

export function ChatTab({ diff, now }: { diff: CheckpointDiff; now: boolean }) {
  const { t } = useTranslation("checkpoints");
  const { messages, messages_before, messages_after } = diff;
  if (messages_before + messages_after === 0) return <p className={quiet.note}>{t("same.chat")}</p>;
  const list = (later: boolean, count: number, title: string) => {
    const shown = messages.filter((message) => message.later === later);
    if (count === 0) return null;
    return (
      <section aria-label={title}>
        <h3>{title}</h3>
        <ul className={css.messages}>
          {shown.map((message) => (
            <Message key={message.id} message={message} />
          ))}
        </ul>
        {count > shown.length && <p className={quiet.note}>{t("andMore", { count: count - shown.length })}</p>}
      </section>
    );
  };
  return (
    <>
      {list(true, messages_after, t(now ? "chat.since" : "chat.onlyLater", { count: messages_after }))}
      {list(false, messages_before, t(now ? "chat.back" : "chat.onlyEarlier", { count: messages_before }))}
    </>
  );
}

function Message({ message: { role, text, later } }: { message: MomentMessage }) {
  const { t } = useTranslation("checkpoints");
  return (
    <li data-later={later || undefined}>
      <span className={css.role}>{t(`role.${role}`)}</span>
      <span lang={proseLanguage(text)}>{text || t("chat.wordless")}</span>
    </li>
  );
}

interface FilesTabProps {
  files: readonly FileChange[];
  from: CheckpointId;
  /** Null is now. */
  to: CheckpointId | null;
}

export function FilesTab({ files, from, to }: FilesTabProps) {
  const { t } = useTranslation("checkpoints");
  const [all, setAll] = useState(false);
  const folders = useMemo(() => byFolder(all ? files : files.slice(0, LISTED)), [files, all]);
  const counted = useMemo(() => new Set(files.slice(0, COUNTED).map(({ path }) => path)), [files]);
  if (files.length === 0) return <p className={quiet.note}>{t("same.files")}</p>;
  return (
    <>
      {folders.map(([folder, inside]) => (
        <section key={folder} aria-label={folder || t("rootFolder")}>
          {folder !== "" && <h3 className={rows.path}>{folder}</h3>}
          <ul className={css.files}>
            {inside.map((change) => (
              <File key={change.path} change={change} from={from} to={to} counted={counted.has(change.path)} />
            ))}
          </ul>
        </section>
      ))}
      {!all && files.length > LISTED && (
        <Button onClick={() => setAll(true)}>{t("showAll", { count: files.length })}</Button>
      )}
    </>
  );
}

interface FileProps extends Omit<FilesTabProps, "files"> {
  change: FileChange;
  counted: boolean;
}

function File({ change: { path, kind, before, after }, from, to, counted }: FileProps) {
  const { t } = useTranslation("checkpoints");
  const [open, setOpen] = useState(false);
  const hasTexts = kind !== "mode";
  const texts = useQuery({ ...queries.checkpointFile(from, to, path), enabled: hasTexts && (open || counted) });
  const lines = useMemo(
    () => (texts.data && !texts.data.binary ? lineDiff(texts.data.before, texts.data.after) : null),
    [texts.data],
  );
  const name = path.slice(path.lastIndexOf("/") + 1);
  const sizes = [before, after].flatMap((size) => (size === null ? [] : [formatBytes(size)])).join(" → ");
  return (
    <li>
      {/* eslint-disable-next-line jsx-a11y/role-supports-aria-props -- every role has a description since ARIA 1.3 */}
      <button
        type="button"
        className={rows.file}
        aria-expanded={open}
        aria-description={lines ? `+${lines.added} -${lines.removed}` : sizes}
        onClick={() => setOpen(!open)}
      >
        <span className="visually-hidden">{t("fileLabel", { path, kind: t(`kind.${kind}`) })}</span>
        <ChevronRight className={rows.chevron} aria-hidden />
        <span className={css.kind} data-kind={kind} title={t(`kind.${kind}`)} aria-hidden>
          {t(`kindMark.${kind}`)}
        </span>
        <span className={css.fileName} aria-hidden>
          {name}
        </span>
        {lines ? (
          <span aria-hidden>
            <Counts {...lines} />
          </span>
        ) : (
          <span className={quiet.note} data-numeric aria-hidden>
            {sizes}
          </span>
        )}
      </button>
      {open && (
        <div className={css.opened}>
          {!hasTexts && <p className={quiet.note}>{t("modeOnly")}</p>}
          {texts.isLoading && <Spinner />}
          {texts.isError && <ErrorNotice failure={texts.error} />}
          {texts.data?.binary && <p className={quiet.note}>{t("binary", { sizes })}</p>}
          {lines && <Diff label={path} difference={lines} />}
        </div>
      )}
    </li>
  );
}

export function ContextTab({ changes }: { changes: readonly ContextChange[] }) {
  const { t } = useTranslation("checkpoints");
  if (changes.length === 0) return <p className={quiet.note}>{t("same.context")}</p>;
  return changes.map((change, at) => <Changed key={at} change={change} />);
}

function Changed({ change }: { change: ContextChange }) {
  const words = useCheckpointWords();
  const name = words.part(change);
  const lines = useMemo(() => lineDiff(change.before, change.after), [change]);
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      <Diff label={name} difference={lines} />
    </section>
  );
}
