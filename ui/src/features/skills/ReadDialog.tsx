// What a skill says, letter by letter as it would go, with what to look at in it; where its file says something else than
// what the conversation has, the difference. What goes although its file is gone or broken is read here as well.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { ErrorNotice } from "@/features/errors";
import { FileNotes } from "@/features/memory";
import type { Finding, SkillItem } from "@/ipc";
import { queries } from "@/ipc/queries";
import { Diff, lineDiff } from "@/shared/diff";
import { formatTokens, useTranslation } from "@/shared/i18n";
import { Button, CopyButton, Dialog, Notice, quiet, Spinner } from "@/shared/kit";
import { Revealed } from "@/shared/Revealed";
import { Refused, useChoosing, type Place } from "./choosing";
import css from "./skills.module.css";
import { useFaultWords } from "./words";

interface ReadDialogProps {
  item: SkillItem;
  place: Place;
  onClose: () => void;
}

export function ReadDialog({ item, place, onClose }: ReadDialogProps) {
  const { t } = useTranslation("skills");
  const faultWords = useFaultWords();
  const { id, name, tokens, needs, chosen, fault } = item;
  const said = useQuery({ ...queries.skill({ project_id: place.projectId, id }), enabled: fault === null });
  const kept = useKept(item, place);
  const { running, failure, take } = useChoosing(item, place);
  const now = fault === null ? said.data : undefined;
  const changed = chosen?.changed === true;
  const use = async (hash: string) => {
    if (await take(hash)) onClose();
  };
  const text = now?.text ?? (fault === null ? undefined : kept);
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={<Revealed text={name} name />}
      description={
        <span className={css.place}>
          <Revealed text={id} name /> · <span data-numeric>{t("tokens", { n: formatTokens(tokens) })}</span>
        </span>
      }
      footer={
        <>
          {text !== undefined && <CopyButton text={text} label={t("copy", { ns: "common" })} />}
          <Button onClick={onClose}>{t("close", { ns: "common" })}</Button>
          {place.conversationId !== null && fault === null && (
            <Button
              variant="primary"
              disabled={running || now === undefined || chosen?.changed === false}
              onClick={() => now && void use(now.hash)}
            >
              {t(chosen === null ? "use" : changed ? "useNew" : "inUse")}
            </Button>
          )}
        </>
      }
    >
      <div className={css.reading}>
        {fault === null && said.isPending && <Spinner />}
        {said.isError && <ErrorNotice failure={said.error} />}
        <Refused failure={failure} name={name} />
        {fault !== null && <Notice tone="warn" title={t("unusable", { why: faultWords(fault) })}>{t("stays")}</Notice>}
        {changed && fault === null && <Notice tone="warn">{t("changed")}</Notice>}
        {needs !== null && (
          <p className={quiet.note}>
            <Revealed text={t("needs", { needs })} />
          </p>
        )}
        {now && changed && kept !== undefined ? (
          <Diff difference={lineDiff(kept, now.text)} label={name} />
        ) : (
          text !== undefined && <Text name={name} text={text} findings={now?.findings ?? []} />
        )}
        {now && now.files.length > 0 && (
          <section aria-labelledby="skill-files">
            <h3 id="skill-files">{t("files", { count: now.files.length })}</h3>
            <p className={quiet.note}>{t("filesHint")}</p>
            <ul className={css.files} aria-labelledby="skill-files" data-selectable>
              {now.files.map((file) => (
                <li key={file}>
                  <Revealed text={file} name />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Dialog>
  );
}

/** The text that the conversation has, where it has one. */
function useKept({ chosen }: SkillItem, { projectId, conversationId }: Place): string | undefined {
  const at = { project_id: projectId, conversation_id: conversationId, dir: null };
  const { data } = useQuery({ ...queries.memory(at), enabled: chosen?.changed === true });
  return data?.lines.find(({ id }) => id === chosen?.line_id)?.text;
}

interface TextProps {
  name: string;
  text: string;
  findings: readonly Finding[];
}

/** In lines, so that what is to be looked at leads to its own. */
function Text({ name, text, findings }: TextProps) {
  const lines = useMemo(() => text.split(/\r\n|\n|\r/), [text]);
  const shown = useRef<HTMLPreElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const show = (line: number) => {
    setAt(line);
    shown.current?.querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: "center" });
    shown.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <FileNotes imports={[]} findings={findings} onLine={show} />
      <pre ref={shown} className={css.text} tabIndex={0} aria-label={name} data-selectable>
        {lines.map((line, index) => (
          <span key={index} className={css.line} data-line={index + 1} data-at={index + 1 === at || undefined}>
            <Revealed text={line} />
            {"\n"}
          </span>
        ))}
      </pre>
    </>
  );
}
