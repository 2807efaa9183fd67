// All messages of all conversations, or of the open project's; a hit opens at its message.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { closeOverlay, goToMessage, usePlace } from "@/app/actions";
import { useTitle } from "@/features/conversations";
import { ErrorNotice, tellFailure } from "@/features/errors";
import { call, type SearchHit } from "@/ipc";
import { queries } from "@/ipc/queries";
import { formatMoment, formatNumber, useTranslation } from "@/shared/i18n";
import { announce, Dialog, Notice, Switch, TextField } from "@/shared/kit";
import css from "./search.module.css";

const REST = 150;
const MOST = 100;

export function SearchDialog() {
  const { t } = useTranslation("search");
  const projectId = usePlace((place) => place.projectId);
  const project = useQuery(queries.projects()).data?.find(({ id }) => id === projectId);
  const [text, setText] = useState("");
  const [query, setQuery] = useState("");
  const [onlyProject, setOnlyProject] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(text.trim()), REST);
    return () => clearTimeout(timer);
  }, [text]);

  const scope = { project_id: onlyProject ? projectId : null, conversation_id: null };
  const found = useQuery({
    queryKey: ["conversations", "search", query, scope.project_id],
    queryFn: () => call("search", { query, scope, limit: MOST }),
    enabled: query !== "",
    placeholderData: keepPreviousData,
    gcTime: 1000,
  });
  const answer = query === "" ? undefined : found.data;

  const n = answer && formatNumber(answer.total) + (answer.capped ? "+" : "");
  const count = answer ? t("count", { count: answer.total, n }) : "";
  useEffect(() => {
    if (count !== "") announce(count);
  }, [count]);

  // Arrows walk from the field through the hits and back; Tab works as everywhere.
  const walk = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
    const stops = [field.current, ...(list.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const at = stops.indexOf(document.activeElement as HTMLInputElement);
    if (at < 0) return;
    const to = stops[Math.max(0, Math.min(stops.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)))];
    to?.focus();
    event.preventDefault();
  };
  const openFirst = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || event.keyCode === 229) return;
    list.current?.querySelector<HTMLElement>("button")?.click();
  };
  return (
    <Dialog open size="l" onClose={closeOverlay} title={t("title")} initialFocus={field}>
      <div className={css.search} onKeyDown={walk}>
        <TextField
          ref={field}
          label={t("field")}
          hideLabel
          placeholder={t("field")}
          value={text}
          onChange={setText}
          onKeyDown={openFirst}
          type="search"
          autoComplete="off"
        />
        {project && (
          <Switch label={t("onlyProject", { name: project.name })} checked={onlyProject} onChange={setOnlyProject} />
        )}
        {found.isError && <ErrorNotice failure={found.error} />}
        <p className={css.count} data-numeric>
          {count}
        </p>
        {answer?.capped && <Notice>{t("capped")}</Notice>}
        <ul ref={list} className={css.hits}>
          {answer?.hits.map((hit) => (
            <Hit key={hit.message_id} hit={hit} />
          ))}
        </ul>
        {answer && !answer.capped && answer.total > answer.hits.length && (
          <p className={css.count}>{t("more", { n: formatNumber(answer.hits.length) })}</p>
        )}
      </div>
    </Dialog>
  );
}

function Hit({ hit }: { hit: SearchHit }) {
  const { t } = useTranslation("search");
  const titleOf = useTitle();
  const open = async () => {
    try {
      const { item } = await call("conversation_get", { id: hit.conversation_id });
      goToMessage(hit.conversation_id, item.project_id, hit.message_id);
    } catch (thrown) {
      tellFailure(thrown);
    }
  };
  return (
    <li>
      <button type="button" className={css.hit} onClick={() => void open()}>
        <span className={css.head}>
          <strong>{titleOf(hit)}</strong>
          <span className={css.meta}>
            {t(hit.role === "user" ? "you" : "reply")}, {formatMoment(Date.parse(hit.created_at))}
          </span>
        </span>
        <span className={css.snippet}>
          {hit.snippet.map((part, index) =>
            part.hit ? <mark key={index}>{part.text}</mark> : <span key={index}>{part.text}</span>,
          )}
        </span>
      </button>
    </li>
  );
}
